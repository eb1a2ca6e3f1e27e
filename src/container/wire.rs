//! Articles as they come over the wire, which is how INN keeps them: lines end in CRLF, a dot that begins a line is
//! doubled, a line with one dot ends it (RFC 3977, section 3.1.1).

use std::ops::Range;

use memchr::memmem;

/// The dots that were added, and the last line. Only an article that has that last line is in wire format.
pub(super) fn cuts(article: &[u8], cuts: &mut Vec<Range<usize>>) {
    if !article.ends_with(b"\r\n.\r\n") {
        return;
    }
    cuts.extend(memmem::find_iter(article, b"\r\n..").map(|at| at + 2..at + 3));
    cuts.push(article.len() - 3..article.len());
}
