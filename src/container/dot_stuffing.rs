//! Articles in wire format, as INN stores them: lines end in CRLF, a dot at the beginning of a line is doubled, and a
//! line with one dot ends the article (RFC 3977, section 3.1.1).

use std::ops::Range;

use memchr::memmem;

/// Adds the inserted dots and the last line. An article without that last line is not in wire format.
pub(super) fn cuts(article: &[u8], cuts: &mut Vec<Range<usize>>) {
    if !article.ends_with(b"\r\n.\r\n") {
        return;
    }
    cuts.extend(memmem::find_iter(article, b"\r\n..").map(|at| at + 2..at + 3));
    cuts.push(article.len() - 3..article.len());
}
