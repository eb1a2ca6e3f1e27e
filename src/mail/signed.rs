//! Clear-signed text (RFC 4880, section 7): the `- ` before lines that begin with a hyphen.

use std::ops::Range;

use super::flowed::copy;
use super::map::Run;
use super::needle;

/// The next clear-signed text of `text` at or after `from`: all between the line that opens it and the signature.
/// Without a signature there is none.
fn signed(text: &[u8], from: usize) -> Option<Range<usize>> {
    let open = opened(text, from)?;
    Some(open..closed(text, open)?)
}

/// Where at or after `from` a line opens clear-signed text.
fn opened(text: &[u8], from: usize) -> Option<usize> {
    let mut opens = needle::SIGNED.find_iter(&text[from..]).map(|i| from + i);
    opens.find(|&open| open == 0 || text[open - 1] == b'\n')
}

/// Where the signature of what begins at `open` stands.
fn closed(text: &[u8], open: usize) -> Option<usize> {
    needle::SIGNATURE.find(&text[open..]).map(|length| open + length)
}

/// Where signed text begins at the latest: most mail is not signed, and is not to be searched for it.
const EARLY: usize = 256;

/// Whether there is an escape in clear-signed text in `text`, the first of which begins early.
pub(super) fn has_escapes(text: &[u8]) -> bool {
    if needle::SIGNED.find(&text[..text.len().min(EARLY)]).is_none() {
        return false;
    }
    // Most signed text has none, and where there is none behind its beginning, its end need not be looked for.
    let (mut at, mut escape) = (0, 0);
    while let Some(open) = opened(text, at) {
        if escape < open {
            let Some(found) = needle::ESCAPE.find(&text[open..]) else { return false };
            escape = open + found;
        }
        let Some(end) = closed(text, open) else { return false };
        if escape < end {
            return true;
        }
        at = end;
    }
    false
}

/// Puts `text` without its escapes into `joined`, and says in `runs` what came from where. Linear.
pub(super) fn unescape(text: &[u8], joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    joined.clear();
    runs.clear();
    joined.reserve(text.len());
    let (mut kept, mut at) = (0, 0);
    while let Some(signed) = signed(text, at) {
        at = signed.end;
        for line in needle::ESCAPE.find_iter(&text[signed.clone()]).map(|i| signed.start + i + 1) {
            copy(text, kept..line, joined, runs);
            kept = line + b"- ".len();
        }
    }
    copy(text, kept..text.len(), joined, runs);
}
