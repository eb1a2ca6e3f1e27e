//! Clear-signed text (RFC 4880, section 7): the `- ` before lines that begin with a hyphen.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::map::Joined;

// Prepared once: on short mail, preparing a search takes as long as the search.
/// The beginning of clear-signed text, without the last hyphens, because searching for at most this length is fastest.
static SIGNED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN PGP SIGNED MESSAGE"));
/// Its end.
static SIGNATURE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n-----BEGIN PGP SIGNATURE-----"));
/// The escape before a line that begins with a hyphen.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n- "));

/// Returns the next clear-signed text of `text` at or after `from`: all between its first line and the signature.
/// `None` without a signature.
fn signed(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut opens = SIGNED.find_iter(&text[from..]).map(|i| from + i);
    let open = opens.find(|&open| open == 0 || text[open - 1] == b'\n')?;
    Some(open..open + SIGNATURE.find(&text[open..])?)
}

/// Signed text begins before this offset. Most mail is not signed, and should not cost a search.
const EARLY: usize = 256;

/// Whether `text` has an escape in clear-signed text, the first of which begins before [`EARLY`].
pub(super) fn has_escapes(text: &[u8]) -> bool {
    if SIGNED.find(&text[..text.len().min(EARLY)]).is_none() {
        return false;
    }
    let mut at = 0;
    while let Some(signed) = signed(text, at) {
        if ESCAPE.find(&text[signed.clone()]).is_some() {
            return true;
        }
        at = signed.end;
    }
    false
}

/// Copies `text` without its escapes into `joined`. Linear.
pub(super) fn unescape(text: &[u8], joined: &mut Joined) {
    joined.clear(text.len());
    let mut at = 0;
    while let Some(signed) = signed(text, at) {
        at = signed.end;
        for line in ESCAPE.find_iter(&text[signed.clone()]).map(|i| signed.start + i + 1) {
            joined.replace(text, line..line + b"- ".len(), b"");
        }
    }
    joined.finish(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signed_text_is_unescaped() {
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
