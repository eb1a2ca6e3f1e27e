//! `format=flowed` with `DelSp=yes` (RFC 3676).
//!
//! Only with DelSp does a soft line break leave no trace in a URL. Without it, the text is scanned unchanged.

use memchr::memchr;

use super::header;
use super::map::Joined;

/// Joins the flowed lines of `text` into `joined`.
///
/// A line that ends in a space flows into the next if that has the same quote depth. The space, the line end, the next
/// line's quote marks and its stuffed space are removed. `-- ` never flows. Everything else is unchanged, byte for
/// byte. Linear.
pub(super) fn join(text: &[u8], joined: &mut Joined) {
    joined.clear(text.len());
    let mut at = 0;
    // The quote depth of the line before, if that flows.
    let mut flows: Option<usize> = None;
    let mut cut = 0;
    while at < text.len() {
        let next = memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i + 1);
        let line = &text[at..next];
        let depth = line.iter().take_while(|&&byte| byte == b'>').count();
        let stuffed = usize::from(line.get(depth) == Some(&b' '));
        let content = header::without_ending(&line[(depth + stuffed).min(line.len())..]);
        let signature = content == b"-- ";
        if flows == Some(depth) && !signature {
            joined.replace(text, cut..at + depth + stuffed, b"");
        }
        flows = None;
        if content.last() == Some(&b' ') && !signature && next < text.len() {
            flows = Some(depth);
            cut = at + depth + stuffed + content.len() - 1;
        }
        at = next;
    }
    joined.finish(text);
}
