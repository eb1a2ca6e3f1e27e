//! Lines for people, `cut` and `awk`: the URL, with the fields asked for before it.

use std::io::Write;
use std::ops::Range;

use urlspool::{Component, Origin, Url};

use super::{hyperlink, object};
use crate::escaped::Escaped;
use crate::event::{Found, Refused};

/// Which fields stand before the URL, each with a tab behind it, and what stands behind the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub(crate) file: bool,
    pub(crate) line: bool,
    pub(crate) offset: bool,
    pub(crate) message_id: bool,
    /// Whether the last of a URL's targets stands in its place.
    pub(crate) unwrap: bool,
    /// A newline, or NUL.
    pub(crate) end: u8,
    /// Who reads it.
    pub(crate) style: Style,
    /// Whether URLs are links for the terminal.
    pub(crate) links: bool,
}

/// Who reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A program: bytes as they are.
    Raw,
    /// A person at a terminal, which would obey the control characters in names and URLs.
    Shown,
    /// The same, in colours.
    Coloured,
}

impl Style {
    /// Adds what makes the terminal write in `colour`, up to [`RESET`], if colours are wanted.
    pub(super) fn colour(self, out: &mut Vec<u8>, colour: &str) {
        if self == Style::Coloured {
            out.extend_from_slice(colour.as_bytes());
        }
    }

    /// Adds text from the input, without control characters that would break the form of the line or reach a terminal.
    pub(super) fn text(self, out: &mut Vec<u8>, text: &[u8]) {
        bytes(out, text, self != Style::Raw);
    }

    /// Adds the name of a file, or of a member of an archive.
    pub(super) fn file(self, out: &mut Vec<u8>, name: &[u8], member: Option<&[u8]>) {
        self.colour(out, FILE);
        match self {
            Style::Raw => out.extend_from_slice(name),
            _ => self.text(out, name),
        }
        if let Some(member) = member {
            // It comes from the archive, and may hold a tab or a line end.
            out.push(b'!');
            self.text(out, member);
        }
        self.colour(out, RESET);
    }
}

/// As grep has them.
const FILE: &str = "\x1b[35m";
const NUMBER: &str = "\x1b[32m";
/// The host, which says most about where a URL leads.
const HOST: &str = "\x1b[1m";
const ID: &str = "\x1b[36m";
pub(super) const WRONG: &str = "\x1b[31m";
pub(super) const RESET: &str = "\x1b[0m";

impl Plain {
    /// Appends a line; gives the place of the URL.
    #[inline(always)]
    pub(super) fn line(self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        if self.file || self.line || self.offset || self.message_id {
            self.fields(out, found.origin());
        }
        if let Found::Refused(refused) = found {
            return self.refused(out, refused);
        }
        if self.unwrap {
            return self.target(out, found);
        }
        self.url(out, found.text())
    }

    /// Appends the URL and the line's end.
    #[inline(always)]
    fn url(self, out: &mut Vec<u8>, url: &[u8]) -> Range<usize> {
        let is_link = self.links && hyperlink::open(out, url);
        let start = out.len();
        match self.style {
            Style::Raw => out.extend_from_slice(url),
            Style::Shown => bytes(out, url, true),
            Style::Coloured => coloured(out, url),
        }
        let end = out.len();
        if is_link {
            hyperlink::close(out);
        }
        out.push(self.end);
        start..end
    }

    /// The same of where it leads, if a service has put it in the place of another.
    #[inline(never)]
    fn target(self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let target = match found {
            Found::Hit(hit) => hit.url().targets().pop(),
            _ => Url::parse(found.text()).ok().and_then(|url| url.targets().pop()),
        };
        self.url(out, target.as_ref().map_or(found.text(), Url::as_bytes))
    }

    fn refused(self, out: &mut Vec<u8>, refused: &Refused<'_>) -> Range<usize> {
        let start = out.len();
        self.style.text(out, refused.text);
        let end = out.len();
        out.push(b'\t');
        self.style.colour(out, WRONG);
        write!(out, "{}", refused.why).expect("memory takes what is written to it");
        self.style.colour(out, RESET);
        out.push(self.end);
        start..end
    }

    fn fields(self, out: &mut Vec<u8>, origin: &Origin<'_>) {
        if self.file {
            let name = origin.file().map_or(&b""[..], |file| file.as_os_str().as_encoded_bytes());
            self.style.file(out, name, origin.member());
            out.push(b'\t');
        }
        if self.line {
            self.number(out, origin.line());
        }
        if self.offset {
            self.number(out, Some(origin.offset()));
        }
        if self.message_id {
            if let Some(id) = origin.message_id() {
                // A Message-ID comes from anywhere, and may hold a tab.
                self.style.colour(out, ID);
                out.push(b'<');
                self.style.text(out, id);
                out.push(b'>');
                self.style.colour(out, RESET);
            }
            out.push(b'\t');
        }
    }

    fn number(self, out: &mut Vec<u8>, number: Option<u64>) {
        if let Some(number) = number {
            self.style.colour(out, NUMBER);
            object::number(out, number);
            self.style.colour(out, RESET);
        }
        out.push(b'\t');
    }
}

/// A URL with its host in bold.
fn coloured(out: &mut Vec<u8>, url: &[u8]) {
    let parsed = Url::parse(url).ok();
    let span = parsed.and_then(|url| url.spans().find(|(name, _)| *name == Component::Host)).map(|(_, span)| span);
    let span = span.unwrap_or(0..0);
    bytes(out, &url[..span.start], true);
    out.extend_from_slice(HOST.as_bytes());
    bytes(out, &url[span.clone()], true);
    out.extend_from_slice(RESET.as_bytes());
    bytes(out, &url[span.end..], true);
}

/// As they are, unless a control character is among them: one of ASCII, which would break the line's form; on a terminal
/// any, which are bytes outside of ASCII.
fn bytes(out: &mut Vec<u8>, bytes: &[u8], terminal: bool) {
    if bytes.iter().any(|b| b.is_ascii_control() || terminal && !b.is_ascii()) {
        write!(out, "{}", Escaped(bytes)).expect("memory takes what is written to it");
    } else {
        out.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

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
                bytes(&mut out, url.as_bytes(), terminal);
                assert_eq!(out, want.as_bytes(), "{url:?}");
            }
        }
    }
}
