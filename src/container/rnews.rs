//! News batches (RFC 1036, C News, INN). Before each article, a line `#! rnews <bytes>` states the length of the
//! article.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window};

const RNEWS: &[u8] = b"#! rnews ";
/// Maximum length in bytes of a `#! rnews` line.
const LINE_MAX: usize = 128;

pub(super) const FORM: Form = Form { start: b"\n#! rnews ", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some((end, next)) = line_end(window, at, LINE_MAX)? else { return Ok(None) };
    let digits = &window.bytes[at + RNEWS.len()..end];
    let digits = &digits[..digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len())];
    let count = digits.iter().fold(0u64, |n, d| n.saturating_mul(10).saturating_add(u64::from(d - b'0')));
    let unit = SegmentStart { count: Some(count), ..SegmentStart::new(SegmentKind::Message, next - at) };
    Ok((!digits.is_empty()).then_some(unit))
}
