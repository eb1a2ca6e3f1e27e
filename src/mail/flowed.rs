//! Rejoins the lines of `format=flowed` text with `DelSp=yes` (RFC 3676).
//!
//! With `DelSp=yes`, the space before a soft line break is not part of the text, so a sender can break a line inside a
//! URL. Without `DelSp=yes`, this module is not used, and the text is scanned unchanged.

use memchr::memchr;

use super::map::Joined;
use crate::header::without_ending;

/// Rejoins the flowed lines of `text`, and writes the result to `joined`. Takes linear time.
///
/// A line that ends in a space continues on the next line if the quote depth is the same. When two lines are joined,
/// the space and the line end of the first line are removed. The quote marks of the second line are also removed, and
/// so is a space directly after the quote marks (space-stuffing: RFC 3676, section 4.4). The signature separator `-- `
/// is never joined. All other bytes are unchanged.
pub(super) fn join(text: &[u8], joined: &mut Joined) {
    joined.clear(text.len());
    let mut at = 0;
    // The quote depth of the previous line, if that line ends in a space.
    let mut flows: Option<usize> = None;
    let mut cut = 0;
    while at < text.len() {
        let next = memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i + 1);
        let line = &text[at..next];
        let depth = line.iter().take_while(|&&byte| byte == b'>').count();
        let stuffed = usize::from(line.get(depth) == Some(&b' '));
        let content = without_ending(&line[(depth + stuffed).min(line.len())..]);
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
