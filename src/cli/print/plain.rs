//! Lines for people, `cut` and `awk`: the URL, with the fields asked for before it.

use std::io::Write;
use std::ops::Range;

use urlspool::{Hit, Origin};

use super::lines::Layout;
use crate::cli::harmless::Harmless;
use crate::cli::select::Refused;

/// Which fields stand before the URL, each with a tab behind it, and what stands behind the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub(crate) file: bool,
    pub(crate) line: bool,
    pub(crate) offset: bool,
    pub(crate) message_id: bool,
    /// A newline, or NUL.
    pub(crate) end: u8,
    /// Whether a terminal shows it, which would obey the control characters in names and URLs.
    pub(crate) terminal: bool,
}

impl Plain {
    #[inline]
    fn line(self, out: &mut Vec<u8>, origin: &Origin<'_>, url: &[u8]) -> Range<usize> {
        if self.file || self.line || self.offset || self.message_id {
            self.fields(out, origin);
        }
        let start = out.len();
        if self.terminal {
            octets(out, url, true);
        } else {
            out.extend_from_slice(url);
        }
        out.push(self.end);
        start..out.len() - 1
    }

    fn fields(self, out: &mut Vec<u8>, origin: &Origin<'_>) {
        if self.file {
            let name = origin.file().map_or(&b""[..], |file| file.as_os_str().as_encoded_bytes());
            if self.terminal {
                octets(out, name, true);
            } else {
                out.extend_from_slice(name);
            }
            if let Some(member) = origin.member() {
                // It comes from the archive, and may hold a tab.
                out.push(b'!');
                octets(out, member, self.terminal);
            }
            out.push(b'\t');
        }
        if self.line {
            number(out, origin.line());
        }
        if self.offset {
            number(out, Some(origin.offset()));
        }
        if self.message_id {
            if let Some(id) = origin.message_id() {
                // A Message-ID comes from anywhere, and may hold a tab.
                out.push(b'<');
                octets(out, id, self.terminal);
                out.push(b'>');
            }
            out.push(b'\t');
        }
    }
}

impl Layout for Plain {
    #[inline]
    fn hit(self, out: &mut Vec<u8>, hit: &Hit<'_>) -> Range<usize> {
        self.line(out, hit.origin(), hit.url().as_bytes())
    }

    fn reading(self, out: &mut Vec<u8>, hit: &Hit<'_>, url: &[u8]) -> Range<usize> {
        self.line(out, hit.origin(), url)
    }

    fn refused(self, out: &mut Vec<u8>, refused: &Refused<'_>) -> Range<usize> {
        self.fields(out, refused.origin);
        let start = out.len();
        octets(out, refused.text, self.terminal);
        let end = out.len();
        write!(out, "\t{}", refused.why).expect("memory takes what is written to it");
        out.push(self.end);
        start..end
    }
}

fn number(out: &mut Vec<u8>, number: Option<u64>) {
    if let Some(number) = number {
        serde_json::to_writer(&mut *out, &number).expect("memory takes what is written to it");
    }
    out.push(b'\t');
}

/// As they are, unless a control character is among them: one of ASCII, which would break the line's form; on a terminal
/// any, which are octets outside of ASCII.
pub(super) fn octets(out: &mut Vec<u8>, octets: &[u8], terminal: bool) {
    if octets.iter().any(|b| b.is_ascii_control() || terminal && !b.is_ascii()) {
        write!(out, "{}", Harmless(octets)).expect("memory takes what is written to it");
    } else {
        out.extend_from_slice(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::octets;

    #[test]
    fn a_terminal_is_shown_no_command() {
        let table = [
            ("http://a/", "http://a/", "http://a/"),
            ("http://a/\u{202e}gpj", "http://a/\\u{202e}gpj", "http://a/\u{202e}gpj"),
            ("http://a/\u{61c}", "http://a/\\u{61c}", "http://a/\u{61c}"),
            ("http://a/\u{9b}2J", "http://a/\\u{9b}2J", "http://a/\u{9b}2J"),
            ("http://a/\u{fc}", "http://a/\u{fc}", "http://a/\u{fc}"),
            ("a\tb", "a\\u{9}b", "a\\u{9}b"),
        ];
        for (url, shown, piped) in table {
            for (terminal, want) in [(true, shown), (false, piped)] {
                let mut out = Vec::new();
                octets(&mut out, url.as_bytes(), terminal);
                assert_eq!(out, want.as_bytes(), "{url:?}");
            }
        }
    }
}
