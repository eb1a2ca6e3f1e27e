//! Removes the escapes in clear-signed text: the `- ` before lines that begin with a hyphen (RFC 4880, section 7).

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::map::Joined;

// The finders are static, because creating a finder takes as long as searching a short message.
/// Finds the beginning of clear-signed text. The pattern omits the final hyphens, because a search for a shorter text
/// is faster.
static SIGNED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN PGP SIGNED MESSAGE"));
/// Finds the end of clear-signed text.
static SIGNATURE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n-----BEGIN PGP SIGNATURE-----"));
/// Finds the escape before a line that begins with a hyphen.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n- "));

/// Returns the range of the first clear-signed text in `text` at or after `from`, without the signature. Returns `None`
/// if there is no clear-signed text, or no signature after it.
fn signed(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut opens = SIGNED.find_iter(&text[from..]).map(|i| from + i);
    let open = opens.find(|&open| open == 0 || text[open - 1] == b'\n')?;
    Some(open..open + SIGNATURE.find(&text[open..])?)
}

/// Clear-signed text is recognized only if it begins within this number of bytes from the start of a part. Most mail is
/// not signed, so searching whole parts would waste time.
const EARLY: usize = 256;

/// Whether `text` has clear-signed text with an escape. Returns `false` if clear-signed text does not begin within the
/// first [`EARLY`] bytes.
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

/// Removes the escapes from clear-signed text, and writes the result to `joined`. Takes linear time.
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
