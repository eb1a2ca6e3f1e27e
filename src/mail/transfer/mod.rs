//! Decodes transfer encodings in full, and maps offsets back.
//!
//! Both decoders accept all bytes: they return text for any input, and where that text came from. mailparse's decoders
//! fail for the whole part at one bad symbol, drop raw 8-bit bytes, and turn LF into CRLF, after which no offset is
//! right.

mod base64;
mod quoted;

pub(super) use base64::{base64_again, decode_base64};
pub(crate) use quoted::may_be_quoted;
pub(super) use quoted::{decode_quoted, looks_quoted_printable};

/// About how much text may be between two checkpoints, in bytes.
const STEP: usize = 256;
/// Source that makes no text has checkpoints, too, but fewer.
const RAW_STEP: usize = 8 * STEP;

/// The value of a Content-Transfer-Encoding (RFC 2045, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// 7bit, 8bit, binary, or no field: the bytes are the text.
    Identity,
    Quoted,
    Base64,
    /// uuencode, yEnc: files, which are not scanned.
    File,
    /// An unknown name: the text is read undecoded.
    Unknown,
}

impl Encoding {
    /// Parses the field's value as senders have written it: in any case, with comments, quotes, folding, a semicolon
    /// after it, an underscore for the hyphen.
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

/// The source of decoded text, for the way back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded<'a> {
    /// The bytes that were decoded, without what followed.
    pub(super) raw: &'a [u8],
    pub(super) points: &'a Points,
    /// Where `raw` starts in the source.
    pub(super) base: usize,
}

/// Checkpoints: offsets in the text with the offsets in the source that they came from. Neither ever decreases.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    points: Vec<(u32, u32)>,
}

impl Points {
    fn clear(&mut self) {
        self.points.clear();
    }

    /// Returns the checkpoint from which to decode to reach byte `text`.
    pub(super) fn before(&self, text: usize) -> (usize, usize) {
        let index = self.points.partition_point(|&(at, _)| at as usize <= text);
        match index.checked_sub(1) {
            Some(i) => (self.points[i].0 as usize, self.points[i].1 as usize),
            None => (0, 0),
        }
    }

    fn push(&mut self, text: usize, raw: usize) {
        // The offsets fit, because nothing is decoded in a message of 4 GiB or more.
        self.points.push((text as u32, raw as u32));
    }
}
