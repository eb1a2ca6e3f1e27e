//! The default layout: one line for each URL. The fields of `-H` and `-n` come before the URL.

use std::io::Write;
use std::ops::Range;

use urlspool::fields::push_number;
use urlspool::{Component, Location, Reject, Url};

use super::found::Found;
use super::hyperlink;
use crate::escaped::Escaped;

/// The default layout. `file` and `line` select the fields before the URL. A tab follows each field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub(crate) file: bool,
    pub(crate) line: bool,
    /// Whether to print the original URL, instead of a URL that a mail filter has rewritten (`--unwrap`).
    pub(crate) unwrap: bool,
    /// The byte that ends each line: a newline or NUL.
    pub(crate) end: u8,
    pub(crate) style: Style,
    /// Whether URLs are printed as links that can be clicked in a terminal.
    pub(crate) links: bool,
}

/// How text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// For programs. Text is escaped only if it would break the line.
    Raw,
    /// For a terminal: control characters are escaped, because the terminal would run them.
    Shown,
    /// For a terminal, with colours.
    Coloured,
}

impl Style {
    /// Appends the escape sequence `colour`, if this style has colours. [`RESET`] ends the colour.
    pub(super) fn colour(self, out: &mut Vec<u8>, colour: &str) {
        if self == Style::Coloured {
            out.extend_from_slice(colour.as_bytes());
        }
    }

    /// Appends text from the input. Escapes control characters that would break the line or that a terminal would run.
    pub(super) fn text(self, out: &mut Vec<u8>, text: &[u8]) {
        bytes(out, text, self != Style::Raw);
    }

    /// Appends the name of a file, or of a member of an archive.
    pub(super) fn file(self, out: &mut Vec<u8>, name: &[u8], member: Option<&[u8]>) {
        self.colour(out, FILE);
        match self {
            Style::Raw => out.extend_from_slice(name),
            _ => self.text(out, name),
        }
        if let Some(member) = member {
            // The name of a member is always escaped, because the creator of the archive can put tabs and line breaks
            // into it.
            out.push(b'!');
            self.text(out, member);
        }
        self.colour(out, RESET);
    }
}

/// The colours of file names and numbers are the same as in grep.
const FILE: &str = "\x1b[35m";
const NUMBER: &str = "\x1b[32m";
/// The host is bold, because it is the most important part of a URL.
const HOST: &str = "\x1b[1m";
pub(super) const WRONG: &str = "\x1b[31m";
pub(super) const RESET: &str = "\x1b[0m";

impl Plain {
    /// Appends a line. Returns the range of the URL in `out`.
    #[inline(always)]
    pub(super) fn line(self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        if self.file || self.line {
            self.fields(out, found.location());
        }
        if let Found::Reject(reject) = found {
            return self.reject(out, reject);
        }
        let target = if self.unwrap { target(found) } else { None };
        let url = target.as_ref().map_or(found.text(), Url::as_bytes);
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

    fn reject(self, out: &mut Vec<u8>, reject: &Reject<'_>) -> Range<usize> {
        let start = out.len();
        self.style.text(out, reject.text());
        let end = out.len();
        out.push(b'\t');
        self.style.colour(out, WRONG);
        write!(out, "{}", reject.reason()).expect("writing to a Vec cannot fail");
        self.style.colour(out, RESET);
        out.push(self.end);
        start..end
    }

    fn fields(self, out: &mut Vec<u8>, origin: &Location<'_>) {
        if self.file {
            let name = urlspool::shared::bytes(origin.file());
            self.style.file(out, name, origin.member());
            out.push(b'\t');
        }
        if self.line {
            if origin.line() > 0 {
                self.style.colour(out, NUMBER);
                push_number(out, origin.line());
                self.style.colour(out, RESET);
            }
            out.push(b'\t');
        }
    }
}

/// Returns the original URL, if a mail filter has rewritten the found URL.
#[cold]
fn target(found: Found<'_>) -> Option<Url<'static>> {
    match found {
        Found::Hit(hit) => hit.url().targets().pop(),
        _ => Url::parse(found.text()).ok()?.targets().pop(),
    }
}

/// Appends a URL with its host in bold.
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

/// Appends `bytes`. Escapes `bytes` with [`Escaped`] if one of the bytes is an ASCII control character, which would
/// break the line. For a terminal, also escapes `bytes` if one of the bytes is not ASCII, because some control
/// characters are not ASCII.
fn bytes(out: &mut Vec<u8>, bytes: &[u8], terminal: bool) {
    if bytes.iter().any(|b| b.is_ascii_control() || terminal && !b.is_ascii()) {
        write!(out, "{}", Escaped(bytes)).expect("writing to a Vec cannot fail");
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
