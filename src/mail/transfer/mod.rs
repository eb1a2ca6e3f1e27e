//! Transfer encodings, undone in full and with a way back.
//!
//! Both decoders are total: whatever the bytes, they give text, and they say where that text came from.
//! (mailparse's give an error for the whole part at one bad symbol, drop raw 8-bit bytes, and turn LF
//! into CRLF, after which no offset holds.)

mod base64;
mod quoted;

pub(super) use base64::{base64_again, decode_base64};
pub(crate) use quoted::may_be_quoted;
pub(super) use quoted::{decode_quoted, shows_quoted};

/// How much text may lie between two checkpoints, roughly.
const STEP: usize = 256;
/// Source that gives no text has checkpoints, too, fewer.
const RAW_STEP: usize = 8 * STEP;

/// What a Content-Transfer-Encoding asks for (RFC 2045, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// 7bit, 8bit, binary, or nothing: the bytes are the text.
    Identity,
    Quoted,
    Base64,
    /// uuencode, yEnc: files, which no one scans.
    File,
    /// A name no one knows: read as it stands.
    Unknown,
}

impl Encoding {
    /// Reads the field's value the way senders have written it: in any case, with comments, quotes,
    /// folding, a semicolon after it, an underscore for the hyphen.
    pub(super) fn parse(value: &[u8]) -> Self {
        let mut name = [0u8; 24];
        let mut len = 0;
        let mut depth = 0usize;
        for &byte in value {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                b';' | b',' => break,
                b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'-' | b'_' | b'.' | b'=' => {}
                _ if len == name.len() => return Self::Unknown,
                _ => {
                    name[len] = byte.to_ascii_lowercase();
                    len += 1;
                }
            }
        }
        match &name[..len] {
            b"" | b"7bit" | b"8bit" | b"binary" | b"7bits" | b"8bits" | b"none" => Self::Identity,
            b"quotedprintable" | b"qp" | b"xquotedprintable" => Self::Quoted,
            b"base64" | b"xbase64" | b"b64" => Self::Base64,
            b"xuuencode" | b"xuue" | b"xuu" | b"uuencode" | b"uue" | b"xyenc" | b"yenc" | b"xbinhex" | b"xbinhex40"
            | b"binhex" | b"macbinhex40" => Self::File,
            _ => Self::Unknown,
        }
    }
}

/// Text that was decoded: the way back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded<'a> {
    /// What was decoded, without what followed.
    pub(super) raw: &'a [u8],
    pub(super) points: &'a Points,
    /// Where `raw` starts in the source.
    pub(super) base: usize,
}

/// Checkpoints: text offsets and the source offsets they came from, neither ever decreasing.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    points: Vec<(u32, u32)>,
}

impl Points {
    fn clear(&mut self) {
        self.points.clear();
    }

    /// Where to begin so as to reach byte `text`.
    pub(super) fn before(&self, text: usize) -> (usize, usize) {
        let index = self.points.partition_point(|&(at, _)| at as usize <= text);
        match index.checked_sub(1) {
            Some(i) => (self.points[i].0 as usize, self.points[i].1 as usize),
            None => (0, 0),
        }
    }

    fn push(&mut self, text: usize, raw: usize) {
        // They fit: of a message of 4 GiB or more nothing is undone.
        self.points.push((text as u32, raw as u32));
    }
}
