//! Recognizes compression and archives by the first bytes of a file, never by its name.

use memchr::memchr;

use super::{sfx_prefix, utf16};
use crate::container::line_ends;
use crate::error::Remedy;

named! {
    /// A compression that is decoded while reading.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    // After each name: what a file of it is called.
    /// A compression that is decoded while reading. Decoding needs the feature `compression`.
    ///
    /// ```
    /// use urlspool::Codec;
    ///
    /// assert_eq!("gzip".parse(), Ok(Codec::Gzip));
    /// assert_eq!(Codec::Compress.as_str(), "compress");
    /// ```
    pub enum Codec: &'static str {
        /// gzip, in one or more members; also in a `#! gunbatch` news batch.
        Gzip = "gzip" => "a file of gzip(1)",
        /// bzip2, in one or more streams; also in a `#! bunbatch` news batch.
        Bzip2 = "bzip2" => "a file of bzip2(1)",
        /// xz, in one or more streams.
        Xz = "xz" => "a file of xz(1)",
        /// zstd, in one or more frames.
        Zstd = "zstd" => "a file of zstd(1)",
        /// Unix's compress(1), `.Z`; also in a `#! cunbatch` news batch.
        Compress = "compress" => "a file of compress(1)",
    }
}

impl Codec {
    /// Whether `first` can begin another stream after the first one.
    #[cfg(feature = "compression")]
    pub(super) fn begins(self, first: u8) -> bool {
        match self {
            Codec::Gzip => first == 0x1F,
            Codec::Bzip2 => first == b'B',
            Codec::Xz => first == 0xFD,
            // A frame, or a skippable frame.
            Codec::Zstd => first == 0x28 || first >> 4 == 5,
            Codec::Compress => false,
        }
    }
}

/// A compression or an archive that must be decoded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Packed(Codec),
    Tar,
    /// After this many bytes of something else.
    Zip(usize),
}

impl Kind {
    /// Describes a compressed file, for builds that do not decode it. `line` is the length of the line before the data.
    pub(super) fn what(self, line: usize) -> &'static str {
        match self {
            _ if line > 0 => "a compressed news batch",
            Kind::Packed(codec) => codec.row(),
            Kind::Tar => "a tar archive",
            Kind::Zip(0) => "a zip archive",
            Kind::Zip(_) => "a zip archive with something before it",
        }
    }
}

/// What the first bytes of a file show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// Not packed: the file is read unchanged.
    Plain,
    /// Packed, after a line of this many bytes.
    Packed(Kind, usize),
    /// Known, and not supported.
    Unsupported(&'static str, Remedy),
}

/// The length of a member's header in a tar archive, in bytes. All sizes in the archive are multiples of it.
pub(super) const TAR_BLOCK: usize = 512;

/// How many bytes are enough to recognize a kind: a block of tar.
pub(super) const MAGIC_LEN: usize = TAR_BLOCK;

/// The beginning of each kind of compression or archive.
const PACKED: &[(&[u8], Kind)] = &[
    (b"\x1F\x8B\x08", Kind::Packed(Codec::Gzip)),
    (b"\x1F\x9D", Kind::Packed(Codec::Compress)),
    (b"\xFD7zXZ\0", Kind::Packed(Codec::Xz)),
    (b"\x28\xB5\x2F\xFD", Kind::Packed(Codec::Zstd)),
    (b"PK\x03\x04", Kind::Zip(0)),
    // An archive without members, or in several volumes. Nothing after this is read.
    (b"PK\x05\x06", Kind::Zip(0)),
];

/// Formats that are not supported. Longer beginnings come first. Those that begin with letters, or with a byte order
/// mark, must also have a NUL soon, because prose has none.
const FOREIGN: &[(&[u8], &str, Remedy)] = &[
    (b"!BDN", "an Outlook folder (pst, ost)", Remedy::Convert("readpst")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Outlook message or other OLE file", Remedy::Convert("msgconvert")),
    (b"\xCF\xAD\x12\xFE", "a folder of Outlook Express (dbx)", Remedy::Convert("readdbx")),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", Remedy::PipeFile("7z x -so")),
    (b"Rar!\x1A\x07", "a rar archive", Remedy::PipeFile("unrar p -inul")),
    (b"\x04\x22\x4D\x18", "a file of lz4(1)", Remedy::Pipe("lz4 -dc")),
    (b"LZIP\x01", "a file of lzip(1)", Remedy::Pipe("lzip -dc")),
    (b"\x89LZO\0\r\n\x1A\n", "a file of lzop(1)", Remedy::Pipe("lzop -dc")),
    // The properties that nearly all files have, and a dictionary of this many KiB.
    (b"\x5D\0\0", "a file of lzma(1)", Remedy::Pipe("xz -dc")),
    (b"CRMT", "a timecaf file of INN's", Remedy::Tokens("sm -q -S")),
    (b"CBuf4", "a cyclic buffer of INN's (CNFS)", Remedy::Tokens("sm -q -S")),
    // Offsets in decoded UTF-16 or UTF-32 would not be offsets in the file, so it is not decoded.
    (b"\xFF\xFE\0\0", "text in UTF-32", Remedy::Pipe(UTF_32)),
    (b"\0\0\xFE\xFF", "text in UTF-32", Remedy::Pipe(UTF_32)),
    (b"\xFF\xFE", "text in UTF-16", Remedy::Pipe(UTF_16)),
    (b"\xFE\xFF", "text in UTF-16", Remedy::Pipe(UTF_16)),
];

/// Decodes text that begins with a byte order mark, of either order.
const UTF_16: &str = "iconv -f utf-16 -t utf-8";
/// Decodes UTF-32 in the same way.
const UTF_32: &str = "iconv -f utf-32 -t utf-8";

/// Whether the lines of a file that begins with `head` end in CR alone, as far as [`MAGIC_LEN`] bytes show.
pub(super) fn lines_end_in_cr(head: &[u8]) -> bool {
    line_ends::are_cr(&head[..head.len().min(MAGIC_LEN)])
}

/// Recognizes a file by its first [`MAGIC_LEN`] bytes, or all of it.
pub(super) fn look(head: &[u8]) -> Magic {
    let head = &head[..head.len().min(MAGIC_LEN)];
    if let Some(kind) = compressed(head) {
        return Magic::Packed(kind, 0);
    }
    if let Some(magic) = batch(head) {
        return magic;
    }
    let needs_nul = matches!(head.first(), Some(b'C' | 0xFE | 0xFF));
    let is_it = |magic: &[u8]| head.starts_with(magic) && (!needs_nul || head.contains(&0));
    if let Some(&(_, what, hint)) = FOREIGN.iter().find(|(magic, ..)| is_it(magic)) {
        return Magic::Unsupported(what, hint);
    }
    if let Some(&(what, tool, _)) = utf16::find(head) {
        return Magic::Unsupported(what, Remedy::Pipe(tool));
    }
    if is_tar_header(head) {
        return Magic::Packed(Kind::Tar, 0);
    }
    Magic::Plain
}

/// The largest self-extractor. Those of PKZIP, Info-ZIP and WinZip have up to 200 KB, launchers of Java and Python
/// less.
const PROGRAM_MAX: usize = 1 << 20;

/// Returns how many bytes of a file that begins with `head` are searched for an archive; 0 if it is text.
pub(super) fn reach(head: &[u8]) -> usize {
    let head = &head[..head.len().min(MAGIC_LEN)];
    let has_nul = memchr(0, head).is_some();
    match head {
        // The path of a script's interpreter. A news batch begins with something else.
        [b'#', b'!', path @ ..] if path.trim_ascii_start().starts_with(b"/") => PROGRAM_MAX,
        [b'M', b'Z', ..] | [0x7F, b'E', b'L', b'F', ..] if has_nul => PROGRAM_MAX,
        // A member begins with some NULs.
        _ if has_nul => MAGIC_LEN,
        _ => 0,
    }
}

/// Recognizes an archive after the beginning of a file, which is [`Magic::Plain`]. Takes as many bytes as [`reach`]
/// returned, or all of it.
pub(super) fn look_after(bytes: &[u8]) -> Magic {
    sfx_prefix::archive(bytes).map_or(Magic::Plain, |at| Magic::Packed(Kind::Zip(at), 0))
}

fn compressed(head: &[u8]) -> Option<Kind> {
    if let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = head {
        let is_block = block.starts_with(b"1AY&SY") || block.starts_with(b"\x17\x72\x45\x38\x50\x90");
        return is_block.then_some(Kind::Packed(Codec::Bzip2));
    }
    // A frame that pzstd(1) writes first. Readers skip it.
    if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = head {
        return Some(Kind::Packed(Codec::Zstd));
    }
    PACKED.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, kind)| kind)
}

/// Whether `block` is the header of a tar archive's member, by its checksum. The name, with which it begins, may be
/// empty.
pub(super) fn is_tar_header(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<TAR_BLOCK>() else { return false };
    // Most other data has no number here.
    let Some(expected) = tar_number(&block[148..156]) else { return false };
    let sum: u64 =
        block.iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { 32 } else { u64::from(b) }).sum();
    sum == expected
}

/// Parses a number in such a header: octal digits between blanks and zeros; or bytes, as GNU writes large numbers.
pub(super) fn tar_number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        return rest.iter().try_fold(0_u64, |n, &b| n.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|b| !(b'0'..=b'7').contains(b)).unwrap_or(digits.len());
    let fits = end > 0 && digits[end..].iter().all(|b| matches!(b, 0 | b' '));
    fits.then(|| digits[..end].iter().fold(0, |n, &b| n << 3 | u64::from(b - b'0')))
}

/// Recognizes a compressed news batch: a line that names the program (C News, INN), then the compressed data. The first
/// bytes of the data decide which it is, because gzip(1) decodes compress(1) too, and some servers send it under either
/// name.
fn batch(head: &[u8]) -> Option<Magic> {
    let rest = head.strip_prefix(b"#! ")?;
    let word = rest.split(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
    let tool = match word {
        b"cunbatch" | b"gunbatch" | b"zunbatch" => "zcat",
        b"bunbatch" | b"bz2unbatch" => "bzcat",
        b"xunbatch" => "xzcat",
        _ => return None,
    };
    let line = head.iter().position(|&b| b == b'\n').map_or(head.len(), |end| end + 1);
    Some(match compressed(&head[line..]) {
        Some(kind) => Magic::Packed(kind, line),
        None => Magic::Unsupported("a compressed news batch", Remedy::PipeAfterFirstLine(tool)),
    })
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;

    #[test]
    fn the_reach_depends_on_the_first_bytes() {
        let table: &[(&[u8], usize)] = &[
            (b"", 0),
            (b"From a@b\n", 0),
            (b"MZ is prose", 0),
            (b"MZ\x90\0\x03", PROGRAM_MAX),
            (b"\x7FELF\x02\x01\x01\0", PROGRAM_MAX),
            (b"#!/bin/sh\nunzip", PROGRAM_MAX),
            (b"#! /usr/bin/env python3\n", PROGRAM_MAX),
            (b"#! rnews 10\n", 0),
            (b"junk, and PK\x03\x04\x14\0", MAGIC_LEN),
        ];
        for (head, want) in table {
            assert_eq!(reach(head), *want, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn formats_are_recognized_by_the_first_bytes() {
        let gzip = Kind::Packed(Codec::Gzip);
        let compress = Kind::Packed(Codec::Compress);
        let table: &[(&[u8], Magic)] = &[
            (b"", Magic::Plain),
            (b"\x1F", Magic::Plain),
            (b"\x1F\x8B\x08\0", Magic::Packed(gzip, 0)),
            (b"\x1F\x9D\x90", Magic::Packed(compress, 0)),
            (b"#! rnews 12\n", Magic::Plain),
            (b"#! gunbatch\n\x1F\x8B\x08\0", Magic::Packed(gzip, 12)),
            (b"#! cunbatch\n\x1F\x8B\x08\0", Magic::Packed(gzip, 12)),
            (b"#! cunbatch\n\x1F\x9D\x90", Magic::Packed(compress, 12)),
            (b"#! bunbatch\nBZh91AY&SY", Magic::Packed(Kind::Packed(Codec::Bzip2), 12)),
            (b"#! cunbatch", Magic::Unsupported("a compressed news batch", Remedy::PipeAfterFirstLine("zcat"))),
            (b"BZh9 is prose", Magic::Plain),
            (b"BZh91AY&SY", Magic::Packed(Kind::Packed(Codec::Bzip2), 0)),
            (b"\xFD7zXZ\0", Magic::Packed(Kind::Packed(Codec::Xz), 0)),
            (b"\x28\xB5\x2F\xFD", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"\x50\x2A\x4D\x18\x04\0\0\0", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"P*M", Magic::Plain),
            (b"PK\x03\x04", Magic::Packed(Kind::Zip(0), 0)),
            (b"PK is prose", Magic::Plain),
            (b"!BDN", Magic::Unsupported("an Outlook folder (pst, ost)", Remedy::Convert("readpst"))),
            (b"CRMT\xB3\x7F\0\0", Magic::Unsupported("a timecaf file of INN's", Remedy::Tokens("sm -q -S"))),
            (b"CBuf4\0\0\0", Magic::Unsupported("a cyclic buffer of INN's (CNFS)", Remedy::Tokens("sm -q -S"))),
            (b"CRMT is prose", Magic::Plain),
            (b"\x04\x22\x4D\x18\x64", Magic::Unsupported("a file of lz4(1)", Remedy::Pipe("lz4 -dc"))),
            (b"LZIP\x01\x0C", Magic::Unsupported("a file of lzip(1)", Remedy::Pipe("lzip -dc"))),
            (b"LZIP is prose", Magic::Plain),
            (b"\x89LZO\0\r\n\x1A\n\x10", Magic::Unsupported("a file of lzop(1)", Remedy::Pipe("lzop -dc"))),
            (b"\x5D\0\0\x80\0", Magic::Unsupported("a file of lzma(1)", Remedy::Pipe("xz -dc"))),
            (b"] is prose", Magic::Plain),
            (b"\xFF\xFEh\0t\0", Magic::Unsupported("text in UTF-16", Remedy::Pipe(UTF_16))),
            (b"\xFE\xFF\0h\0t", Magic::Unsupported("text in UTF-16", Remedy::Pipe(UTF_16))),
            (b"\xFF\xFEFrom a", Magic::Plain),
            (b"\xFF\xFE\0\0h", Magic::Unsupported("text in UTF-32", Remedy::Pipe(UTF_32))),
            (b"\0\0\xFE\xFF\0\0\0h", Magic::Unsupported("text in UTF-32", Remedy::Pipe(UTF_32))),
            (b"From a", Magic::Plain),
            (
                b"h\0t\0t\0p\0:\0/\0/\0a\0",
                Magic::Unsupported("text in UTF-16", Remedy::Pipe("iconv -f utf-16le -t utf-8")),
            ),
            // A Japanese character, which is two letters of ASCII.
            (
                b"B0h\0t\0t\0p\0:\0/\0/\0a\0",
                Magic::Unsupported("text in UTF-16", Remedy::Pipe("iconv -f utf-16le -t utf-8")),
            ),
            (b"F\0rom a", Magic::Plain),
        ];
        for (head, want) in table {
            assert_eq!(look(head), *want, "{}", head.escape_ascii());
        }
    }
}
