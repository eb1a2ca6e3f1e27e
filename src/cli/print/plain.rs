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
    /// Whether a terminal shows it, which would obey control characters in a file's name.
    pub(crate) terminal: bool,
}

impl Plain {
    #[inline]
    fn line(self, out: &mut Vec<u8>, origin: &Origin<'_>, url: &[u8]) -> Range<usize> {
        if self.file || self.line || self.offset || self.message_id {
            self.fields(out, origin);
        }
        let start = out.len();
        out.extend_from_slice(url);
        out.push(self.end);
        start..out.len() - 1
    }

    fn fields(self, out: &mut Vec<u8>, origin: &Origin<'_>) {
        if self.file {
            let name = origin.file().map_or(&b""[..], |file| file.as_os_str().as_encoded_bytes());
            if self.terminal {
                harmless(out, name);
            } else {
                out.extend_from_slice(name);
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
                octets(out, id);
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
        octets(out, refused.text);
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

/// As they are, unless a control character is among them.
fn octets(out: &mut Vec<u8>, octets: &[u8]) {
    if octets.iter().any(u8::is_ascii_control) {
        harmless(out, octets);
    } else {
        out.extend_from_slice(octets);
    }
}

fn harmless(out: &mut Vec<u8>, octets: &[u8]) {
    write!(out, "{}", Harmless(octets)).expect("memory takes what is written to it");
}
