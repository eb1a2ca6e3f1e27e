//! News articles in wire format, as INN stores them (RFC 3977, section 3.1.1). Lines end in CRLF. A dot at the
//! beginning of a line is doubled. A line with a single dot ends the article.

use std::ops::Range;

use memchr::memmem;

/// Adds to `cuts` the ranges of the inserted dots and of the final line `.`. If an article does not end with this line,
/// it is not in wire format, and nothing is added.
pub(super) fn cuts(article: &[u8], cuts: &mut Vec<Range<usize>>) {
    if !article.ends_with(b"\r\n.\r\n") {
        return;
    }
    cuts.extend(memmem::find_iter(article, b"\r\n..").map(|at| at + 2..at + 3));
    cuts.push(article.len() - 3..article.len());
}
