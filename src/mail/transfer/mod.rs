//! Decodes transfer encodings, and maps offsets in decoded text back to the source.
//!
//! The decoders for base64 and quoted-printable accept any input. This module does not use the decoders of the crate
//! mailparse. Those decoders reject a whole part because of one bad byte, and drop 8-bit bytes. mailparse also replaces
//! LF with CRLF, which shifts all later offsets.

mod base64;
mod quoted;
mod uu;
mod yenc;

pub(super) use base64::{base64_again, base64_shift, decode_base64};
pub(crate) use quoted::may_be_quoted;
pub(super) use quoted::{decode_quoted, escape, is_unencoded, looks_quoted_printable};
pub(super) use uu::{EncodedFile, QUOTE, ROWS, UNPACKED_MAX, decode_uu, is_full_row, is_uu_row, unquoted};
pub(super) use yenc::decode_yenc;

/// Returns `bytes` without its transfer encoding. Ends at the first byte that is not in the encoding.
pub(super) fn decoded<'a>(
    bytes: &'a [u8],
    encoding: Encoding,
    decoded: &'a mut Vec<u8>,
    points: &mut Points,
) -> &'a [u8] {
    match encoding {
        Encoding::Base64 => {
            let (_, made) = decode_base64(bytes, decoded, points);
            &decoded[..made]
        }
        Encoding::Quoted => {
            decode_quoted(bytes, decoded, points);
            decoded
        }
        Encoding::Identity | Encoding::File | Encoding::Unknown => bytes,
    }
}

/// Approximate distance in bytes between two checkpoints in decoded text.
const STEP: usize = 256;
/// Approximate limit in bytes on the distance between two checkpoints in quoted-printable source. This limit matters if
/// a long source decodes to little text, for example if it consists of soft line breaks.
const RAW_STEP: usize = 8 * STEP;

/// The value of a Content-Transfer-Encoding (RFC 2045, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// 7bit, 8bit, binary, or no Content-Transfer-Encoding at all. The text is not encoded.
    Identity,
    Quoted,
    Base64,
    /// Encodings for files: uuencode, yEnc and BinHex. BinHex is not decoded.
    File,
    /// Unknown encodings. The text is scanned undecoded.
    Unknown,
}

impl Encoding {
    /// Parses the value of a Content-Transfer-Encoding, including malformed values that occur in real mail. Ignores
    /// case, comments, blanks, quotation marks, the bytes `-`, `_`, `.`, `=` and `/`, and anything after a semicolon or
    /// comma.
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
                b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'-' | b'_' | b'.' | b'=' | b'/' => {}
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

    /// Whether the text is read as it is.
    pub(super) fn is_identity(self) -> bool {
        matches!(self, Self::Identity | Self::Unknown)
    }

    /// Returns the size of `bytes` without the encoding. To save time, base64 is not decoded: in well-formed base64, only
    /// the line ends and the padding are not digits.
    pub(super) fn size(self, bytes: &[u8]) -> usize {
        match self {
            Self::Base64 => {
                let is_filler = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'=';
                let end = bytes.iter().rposition(|byte| !is_filler(byte)).map_or(0, |last| last + 1);
                let count = |byte| memchr::memchr_iter(byte, &bytes[..end]).count();
                let fillers = count(b'\n') + count(b'\r');
                (end - fillers) * 3 / 4
            }
            Self::Quoted => {
                let mut text = Vec::new();
                decode_quoted(bytes, &mut text, &mut Points::default());
                text.len()
            }
            Self::File => decode_uu(bytes, &|_| false).map_or(bytes.len(), |file| file.content.len()),
            Self::Identity | Self::Unknown => bytes.len(),
        }
    }
}

/// The source of decoded text, with checkpoints to map offsets back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded<'a> {
    /// The source bytes that were decoded.
    pub(super) raw: &'a [u8],
    pub(super) points: &'a Points,
    /// Offset of `raw` in the message.
    pub(super) base: usize,
}

/// Checkpoints. Each checkpoint is a pair: an offset in the decoded text, and the corresponding offset in the source.
/// The pairs are in ascending order of both offsets.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    points: Vec<(u32, u32)>,
    /// Whether the source is base64 in the alphabet for URLs (RFC 4648, section 5).
    pub(super) is_url_safe: bool,
}

impl Points {
    fn clear(&mut self) {
        self.points.clear();
        self.is_url_safe = false;
    }

    /// Returns the last checkpoint at or before the offset `text`.
    pub(super) fn before(&self, text: usize) -> (usize, usize) {
        let index = self.points.partition_point(|&(at, _)| at as usize <= text);
        match index.checked_sub(1) {
            Some(i) => (self.points[i].0 as usize, self.points[i].1 as usize),
            None => (0, 0),
        }
    }

    fn push(&mut self, text: usize, raw: usize) {
        // The offsets fit into 32 bits, because messages of 4 GiB or more are not decoded.
        self.points.push((text as u32, raw as u32));
    }
}
