//! Writes URLs as links that can be clicked in a terminal. The links are OSC 8 escape sequences, as the authors of VTE
//! specify them.

/// The maximum length of a URL in a link, in bytes. VTE and other terminals have this limit.
const LONGEST: usize = 2083;

/// The schemes of URLs that become links. A click on such a URL opens a browser or a mail program. In mail from a
/// stranger, a click on a URL of another scheme could start any program.
const SCHEMES: [&[u8]; 4] = [b"http", b"https", b"ftp", b"mailto"];

/// Appends the beginning of a link to `url`, if the URL is safe. Returns whether the link was appended.
pub(super) fn open(out: &mut Vec<u8>, url: &[u8]) -> bool {
    let is_safe = is_safe(url);
    if is_safe {
        out.extend_from_slice(b"\x1b]8;;");
        out.extend_from_slice(url);
        out.extend_from_slice(END);
    }
    is_safe
}

pub(super) fn close(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b]8;;");
    out.extend_from_slice(END);
}

const END: &[u8] = b"\x1b\\";

/// Returns whether a link to this URL is safe. The URL must be printable ASCII, because other bytes could end the
/// escape sequence.
fn is_safe(url: &[u8]) -> bool {
    let scheme = url.split(|&byte| byte == b':').next().unwrap_or_default();
    url.len() <= LONGEST
        && SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
        && url.iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::{close, open};

    #[test]
    fn links_are_safe() {
        let long = format!("http://a/{}", "x".repeat(3000));
        let table = [
            ("http://a.example/", true),
            ("HTTPS://a.example/;x?y#z", true),
            ("mailto:a@b.example", true),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("ssh://-oProxyCommand=x/", false),
            ("http://a/\x1b\\x", false),
            ("http://a/\x07", false),
            ("http://\u{fc}.example/", false),
            ("http://a/\u{9c}", false),
            (&long, false),
        ];
        for (url, want) in table {
            let mut out = Vec::new();
            assert_eq!(open(&mut out, url.as_bytes()), want, "{url:?}");
            assert_eq!(out, if want { format!("\x1b]8;;{url}\x1b\\").into_bytes() } else { Vec::new() });
        }
        let mut out = Vec::new();
        close(&mut out);
        assert_eq!(out, b"\x1b]8;;\x1b\\");
    }
}
