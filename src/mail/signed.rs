//! Clear-signed text (RFC 4880, section 7): the `- ` before lines that begin with a hyphen.

use std::ops::Range;

use super::map::{Run, copy};
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
    let (mut at, mut escape) = (0, None);
    while let Some(open) = opened(text, at) {
        if escape.is_none_or(|escape| escape < open) {
            escape = needle::ESCAPE.find(&text[open..]).map(|found| open + found);
        }
        let Some(next) = escape else { return false };
        let Some(end) = closed(text, open) else { return false };
        if next < end {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_within_signed_text_alone() {
        let signed = |text: &str| {
            format!(
                "-----BEGIN PGP SIGNED MESSAGE-----\n\n{text}\n-----BEGIN PGP SIGNATURE-----\niQ==\n-----END PGP SIGNATURE-----\n"
            )
        };
        let (plain, escaped) = (signed("a - b\n-c"), signed("a\n- -b"));
        let table = [
            (escaped.clone(), true),
            (plain.clone(), false),
            (format!("a\n- b\n{plain}"), false),
            (format!("a\n\n{escaped}"), true),
            (format!("{plain}- b\n"), false),
            (format!("{plain}- b\n{plain}"), false),
            (format!("{plain}- b\n{escaped}"), true),
            (format!("{plain}{plain}{escaped}"), true),
            ("-----BEGIN PGP SIGNED MESSAGE-----\n\na\n- -b\n".into(), false),
            (format!("> {escaped}"), false),
            (format!("{}\n{escaped}", "x".repeat(EARLY)), false),
        ];
        for (text, want) in table {
            assert_eq!(has_escapes(text.as_bytes()), want, "{text}");
        }
    }
}
