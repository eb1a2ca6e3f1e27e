//! Recognizes compression, archives and binary formats from the first bytes of a file or an attachment.

use memchr::memchr;

use crate::error::Remedy;

use self::cms::Cms;

pub(crate) mod cms;
pub(crate) mod sfx_prefix;
mod utf16;

named! {
    /// A compression that urlspool decodes while it reads a file. Decoding needs the feature `compression`.
    // The string after each `=>` describes a file in that format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum Codec: &'static str {
        /// gzip, with one or more members. Also used in `#! gunbatch` news batches.
        Gzip = "gzip" => "a file compressed by gzip",
        /// bzip2, with one or more streams. Also used in `#! bunbatch` news batches.
        Bzip2 = "bzip2" => "a file compressed by bzip2",
        /// xz, with one or more streams.
        Xz = "xz" => "a file compressed by xz",
        /// zstd, with one or more frames.
        Zstd = "zstd" => "a file compressed by zstd",
        /// compress(1) of Unix, with the extension `.Z`. Also used in `#! cunbatch` news batches.
        Compress = "compress" => "a file compressed by compress(1)",
    }
}

impl Codec {
    /// Whether `first` can begin another compressed stream. `first` is the byte after the end of the previous stream.
    #[cfg(feature = "compression")]
    pub(crate) fn begins(self, first: u8) -> bool {
        match self {
            Codec::Gzip => first == 0x1F,
            Codec::Bzip2 => first == b'B',
            Codec::Xz => first == 0xFD,
            // A frame begins with 0x28, and a skippable frame begins with a byte from 0x50 to 0x5F.
            Codec::Zstd => first == 0x28 || first >> 4 == 5,
            Codec::Compress => false,
        }
    }
}

/// A kind of compression or archive. A file of this kind must be decoded before its content can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Packed(Codec),
    Tar,
    /// A zip archive that begins after this many bytes of other data.
    Zip(usize),
}

impl Kind {
    /// Returns a description of the file. Builds that cannot decode the file print this description. `line` is the
    /// length in bytes of the `#!` line before the compressed data, or 0 if there is no such line.
    pub(crate) fn what(self, line: usize) -> &'static str {
        match self {
            _ if line > 0 => "a compressed news batch",
            Kind::Packed(codec) => codec.row(),
            Kind::Tar => "a tar archive",
            Kind::Zip(0) => "a zip archive",
            Kind::Zip(_) => "a zip archive after other data",
        }
    }
}

/// The result of checking the first bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Magic {
    /// The file is neither compressed nor an archive. It is read unchanged.
    Plain,
    /// The file is compressed or is an archive. The number is the length in bytes of a line such as `#! gunbatch`
    /// before the packed data, or 0 if there is no such line.
    Packed(Kind, usize),
    /// A compound file, which is an Outlook message or a document. The streams inside the file show whether the file is
    /// a message or a document.
    #[cfg(feature = "outlook")]
    Ole,
    /// A `.pst` or `.ost` file of Outlook.
    #[cfg(feature = "outlook")]
    Pst,
    /// TNEF, the format of Outlook's `winmail.dat`.
    #[cfg(feature = "outlook")]
    Tnef,
    /// A message in S/MIME that is signed but not encrypted.
    Signed,
    /// A document of an office program.
    Document,
    /// A format that is known but not supported.
    Unsupported(&'static str, Remedy),
}

/// Size in bytes of the header of a tar member. Headers and contents in a tar archive are padded to multiples of this
/// size.
pub(crate) const TAR_BLOCK: usize = 512;

/// Number of bytes that are enough to recognize a file. Tar archives need the most bytes: one block.
pub(crate) const MAGIC_LEN: usize = TAR_BLOCK;

/// Signatures of the supported compressions and archives.
const PACKED: &[(&[u8], Kind)] = &[
    (b"\x1F\x8B\x08", Kind::Packed(Codec::Gzip)),
    (b"\x1F\x9D", Kind::Packed(Codec::Compress)),
    (b"\xFD7zXZ\0", Kind::Packed(Codec::Xz)),
    (b"\x28\xB5\x2F\xFD", Kind::Packed(Codec::Zstd)),
    (b"PK\x03\x04", Kind::Zip(0)),
    // The end record of a zip archive. A file begins with this record if the archive has no members, or if the file is
    // the last volume of a larger archive.
    (b"PK\x05\x06", Kind::Zip(0)),
];

/// The signature of `.pst` and `.ost` files.
const FOLDERS: &[u8] = b"!BDN";

/// The hint for an Outlook mailbox that cannot be read: convert it with readpst(1).
pub(crate) const READPST: Remedy = Remedy::Convert("readpst");

/// The signature of TNEF.
const TNEF: &[u8] = b"\x78\x9F\x3E\x22";

/// The hint for encrypted S/MIME.
const OPENSSL: Remedy = Remedy::Convert("openssl cms -decrypt");

/// The signature of compound files.
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Signatures of unsupported formats. If one signature begins with another signature, the longer signature comes first.
/// Plain text can begin with `CRMT`, `CBuf4` or the bytes `FF FE` or `FE FF`. These signatures therefore count only if
/// a NUL follows in the first [`MAGIC_LEN`] bytes.
const FOREIGN: &[(&[u8], &str, Remedy)] = &[
    (FOLDERS, "an Outlook mailbox (pst, ost)", READPST),
    (TNEF, "an attachment of Outlook (TNEF)", Remedy::Convert("tnef")),
    (OLE, "an Outlook message or other OLE file", Remedy::Convert("msgconvert")),
    (b"\xCF\xAD\x12\xFE", "a folder of Outlook Express (dbx)", Remedy::Convert("readdbx")),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", Remedy::PipeFile("7z x -so")),
    (b"Rar!\x1A\x07", "a rar archive", Remedy::PipeFile("unrar p -inul")),
    (b"\x04\x22\x4D\x18", "a file compressed by lz4", Remedy::Pipe("lz4 -dc")),
    (b"LZIP\x01", "a file compressed by lzip", Remedy::Pipe("lzip -dc")),
    (b"\x89LZO\0\r\n\x1A\n", "a file compressed by lzop", Remedy::Pipe("lzop -dc")),
    // Almost all lzma files begin with the properties byte 0x5D. The zeros are the low bytes of the dictionary size.
    (b"\x5D\0\0", "a file compressed by lzma", Remedy::Pipe("xz -dc")),
    (b"2 M1e C", "a mailbox of Dovecot (dbox)", Remedy::Convert("doveadm export")),
    (b"\x21\x09\x70\x19", "a mailbox of The Bat (tbb)", Remedy::Convert("The Bat")),
    (b"CRMT", "a timecaf file of the news server INN", Remedy::Tokens("sm -q -S")),
    (b"CBuf4", "a CNFS file of the news server INN", Remedy::Tokens("sm -q -S")),
    // UTF-16 and UTF-32 are not decoded, because offsets in the decoded text would not be offsets in the file.
    (b"\xFF\xFE\0\0", "text in UTF-32", Remedy::Pipe(UTF_32)),
    (b"\0\0\xFE\xFF", "text in UTF-32", Remedy::Pipe(UTF_32)),
    (b"\xFF\xFE", "text in UTF-16", Remedy::Pipe(UTF_16)),
    (b"\xFE\xFF", "text in UTF-16", Remedy::Pipe(UTF_16)),
];

/// Signatures of common binary formats, each with the name that messages use. Text never begins with such a signature.
const BINARY: &[(&[u8], &str)] = &[
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\xFF\xD8\xFF", "a JPEG picture"),
    (b"\x89PNG\r\n\x1A\n", "a PNG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"\x7FELF", "a program"),
    (b"// <!-- <mdb:mork:z", "an index of a mail program (Mork)"),
];

/// Returns the kind of a binary file that begins with `head`, in words. Returns `None` for text and unknown formats.
pub(crate) fn binary(head: &[u8]) -> Option<&'static str> {
    let by_signature = BINARY.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, what)| what);
    by_signature.or_else(|| begins_program(head).then_some("a program")).or_else(|| before_mail(head))
}

/// Whether a file that begins with `head` is a known kind of file, and not text in any charset.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    match look(head) {
        Magic::Plain => binary(head).is_some(),
        Magic::Unsupported(what, _) => !what.starts_with("text"),
        _ => true,
    }
}

/// Whether `head` is the beginning of a program for MS-DOS or Windows.
fn begins_program(head: &[u8]) -> bool {
    head.starts_with(b"MZ") && memchr(0, head).is_some()
}

/// Returns the kind of a file whose first message follows a binary header. In SOUP, the format of offline news readers,
/// this header is the length of the message. In Pegasus Mail, it has the name of the folder.
fn before_mail(head: &[u8]) -> Option<&'static str> {
    const FIELDS: [&[u8]; 5] = [b"Path: ", b"From: ", b"Newsgroups: ", b"Received: ", b"Return-Path: "];
    let is_mail = |at: usize| head.get(at..).is_some_and(|rest| FIELDS.iter().any(|field| rest.starts_with(field)));
    match head {
        [0, ..] if is_mail(4) => Some("a SOUP packet"),
        [first, ..] if *first > 0 && is_mail(128) && head[127] == 0 => Some("a folder of Pegasus Mail (pmm)"),
        _ => None,
    }
}

/// Command that decodes EBCDIC.
const EBCDIC: &str = "iconv -f cp037 -t utf-8";

/// Whether `head` is text in EBCDIC, in which a blank is an `@`, and letters are not ASCII.
fn is_ebcdic(head: &[u8]) -> bool {
    // Nearly all other text has a blank at its beginning.
    if head.len() < 64 || memchr(b' ', &head[..64]).is_some() || head.contains(&0) {
        return false;
    }
    let count = |is_it: fn(&u8) -> bool| head.iter().filter(|byte| is_it(byte)).count();
    let letters = count(|byte| matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xE9));
    letters > head.len() / 2 && count(|&byte| byte == b'@') > head.len() / 20 && count(|&byte| byte == b'\n') == 0
}

/// Command that decodes UTF-16 with a byte order mark.
const UTF_16: &str = "iconv -f utf-16 -t utf-8";
/// Command that decodes UTF-32 with a byte order mark.
const UTF_32: &str = "iconv -f utf-32 -t utf-8";

/// Recognizes a file. `head` is the first [`MAGIC_LEN`] bytes, or the whole file.
pub(crate) fn look(head: &[u8]) -> Magic {
    let head = &head[..head.len().min(MAGIC_LEN)];
    #[cfg(feature = "outlook")]
    if head.starts_with(OLE) {
        return Magic::Ole;
    }
    #[cfg(feature = "outlook")]
    if head.starts_with(FOLDERS) {
        return Magic::Pst;
    }
    #[cfg(feature = "outlook")]
    if head.starts_with(TNEF) {
        return Magic::Tnef;
    }
    if is_office_document(head) {
        return Magic::Document;
    }
    match cms::look(head) {
        Some(Cms::Signed) => return Magic::Signed,
        Some(Cms::Sealed) => return Magic::Unsupported("an encrypted message (S/MIME)", OPENSSL),
        None => {}
    }
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
    if let Some(&(what, tool, ..)) = utf16::find(head) {
        return Magic::Unsupported(what, Remedy::Pipe(tool));
    }
    if is_ebcdic(head) {
        return Magic::Unsupported("a text in EBCDIC", Remedy::Pipe(EBCDIC));
    }
    if is_tar_header(head) {
        return Magic::Packed(Kind::Tar, 0);
    }
    Magic::Plain
}

/// Returns the charset if a file that begins with `head` looks like text in UTF-16 or UTF-32 without a byte order mark.
pub(crate) fn wide_charset(head: &[u8]) -> Option<&'static str> {
    utf16::find(head).map(|&(_, _, charset, _)| charset)
}

/// Maximum number of bytes at the beginning of a program or script that are searched for a zip archive. The
/// self-extractors of PKZIP, Info-ZIP and WinZip have up to 200 KB. Launchers of Java and Python programs are smaller.
const PROGRAM_MAX: usize = 1 << 20;

/// Returns how many bytes of a file are searched for a zip archive. The file begins with `head`. Returns 0 if the file
/// is text.
pub(crate) fn reach(head: &[u8]) -> usize {
    let head = &head[..head.len().min(MAGIC_LEN)];
    let has_nul = memchr(0, head).is_some();
    match head {
        // A script begins with `#!` and the path of its interpreter. The `#!` lines of news batches have no path, so
        // they do not match.
        [b'#', b'!', path @ ..] if path.trim_ascii_start().starts_with(b"/") => PROGRAM_MAX,
        [0x7F, b'E', b'L', b'F', ..] if has_nul => PROGRAM_MAX,
        _ if begins_program(head) => PROGRAM_MAX,
        // Other files can have a few bytes before a zip archive. The header of the first member contains NULs, so the
        // first [`MAGIC_LEN`] bytes are searched only if they contain a NUL.
        _ if has_nul => MAGIC_LEN,
        _ => 0,
    }
}

/// Searches for a zip archive after other data. `bytes` are the first bytes of the file: as many as [`reach`] returned,
/// or the whole file if it is shorter.
pub(crate) fn look_after(bytes: &[u8]) -> Magic {
    sfx_prefix::archive(bytes).map_or(Magic::Plain, |at| Magic::Packed(Kind::Zip(at), 0))
}

fn compressed(head: &[u8]) -> Option<Kind> {
    if let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = head {
        let is_block = block.starts_with(b"1AY&SY") || block.starts_with(b"\x17\x72\x45\x38\x50\x90");
        return is_block.then_some(Kind::Packed(Codec::Bzip2));
    }
    // A skippable frame of zstd. pzstd(1) writes such a frame at the beginning of a file.
    if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = head {
        return Some(Kind::Packed(Codec::Zstd));
    }
    PACKED.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, kind)| kind)
}

/// Whether a zip archive that begins with `head` is an office document. The first member of an OpenDocument file has
/// the name `mimetype` and contains the type of the document. In a Word, Excel or PowerPoint file since 2007, the first
/// member has one of the names in `FIRST`.
fn is_office_document(head: &[u8]) -> bool {
    const FIRST: [&[u8]; 5] =
        [b"[Content_Types].xml", b"_rels/.rels", b"docProps/app.xml", b"docProps/core.xml", b"word/document.xml"];
    const TYPE: &[u8] = b"mimetypeapplication/vnd.oasis.opendocument.";
    let Some(name) = head.strip_prefix(b"PK\x03\x04").and_then(|_| head.get(30..)) else { return false };
    let length = usize::from(u16::from_le_bytes([head[26], head[27]]));
    name.get(..length).is_some_and(|name| FIRST.contains(&name)) || name.starts_with(TYPE)
}

/// Whether `block` is the header of a tar member. The header begins with the name of the member, not with a signature,
/// so the checksum decides. Some old programs compute the checksum with signed bytes.
pub(crate) fn is_tar_header(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<TAR_BLOCK>() else { return false };
    // Bytes 148 to 155 are the checksum. If they are not a number, the block is not a header, and the sum is not
    // computed.
    let Some(expected) = tar_number(&block[148..156]) else { return false };
    let (mut sum, mut signed) = (0, 0);
    for byte in block[..148].iter().chain(b"        ").chain(&block[156..]) {
        sum += u64::from(*byte);
        signed += i64::from(byte.cast_signed());
    }
    sum == expected || u64::try_from(signed) == Ok(expected)
}

/// Parses a number in the header of a tar member. The number consists of octal digits. Blanks can precede the digits,
/// and blanks or NULs can follow them. GNU tar writes large numbers in binary.
pub(crate) fn tar_number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        return rest.iter().try_fold(0_u64, |n, &b| n.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|b| !(b'0'..=b'7').contains(b)).unwrap_or(digits.len());
    let fits = end > 0 && digits[end..].iter().all(|b| matches!(b, 0 | b' '));
    fits.then(|| digits[..end].iter().fold(0, |n, &b| n << 3 | u64::from(b - b'0')))
}

/// Recognizes a compressed news batch of C News or INN. Such a batch begins with a line such as `#! cunbatch`, and
/// compressed data follows. The compression is detected from the first bytes of this data. The line does not show the
/// compression, because some servers write the same line before data of compress(1) and before data of gzip(1).
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

#[cfg(test)]
#[cfg(feature = "compression")]
mod tests {
    use super::*;

    /// "the the the " and so on in EBCDIC.
    const EBCDIC_TEXT: [u8; 80] = {
        let mut text = [b'@'; 80];
        let mut at = 0;
        while at < 80 {
            if at % 4 < 3 {
                text[at] = [0xA3, 0x88, 0x85][at % 4];
            }
            at += 1;
        }
        text
    };

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
    fn numbers_in_tar_are_octal_with_blanks_around_them() {
        let table: &[(&[u8], Option<u64>)] = &[
            (b"0000644\0", Some(0o644)),
            (b"  644 \0", Some(0o644)),
            (b"644", Some(0o644)),
            (b"0 0", None),
            (b"648\0", None),
            (b"", None),
            (b"   \0", None),
            (b"\0\0\0", None),
            (b"\x80\0\x01\x02", Some(0x102)),
            (b"\x80\x01\0\0\0\0\0\0\0\0", None),
        ];
        for (field, want) in table {
            assert_eq!(tar_number(field), *want, "{}", field.escape_ascii());
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
            (b"#! xunbatch\n\xFD7zXZ\0", Magic::Packed(Kind::Packed(Codec::Xz), 12)),
            (b"#! cunbatch", Magic::Unsupported("a compressed news batch", Remedy::PipeAfterFirstLine("zcat"))),
            (b"BZh9 is prose", Magic::Plain),
            (b"BZh91AY&SY", Magic::Packed(Kind::Packed(Codec::Bzip2), 0)),
            (b"\xFD7zXZ\0", Magic::Packed(Kind::Packed(Codec::Xz), 0)),
            (b"\x28\xB5\x2F\xFD", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"\x50\x2A\x4D\x18\x04\0\0\0", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"P*M", Magic::Plain),
            (b"PK\x03\x04", Magic::Packed(Kind::Zip(0), 0)),
            (b"PK is prose", Magic::Plain),
            #[cfg(feature = "outlook")]
            (b"!BDN", Magic::Pst),
            #[cfg(feature = "outlook")]
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Magic::Ole),
            #[cfg(not(feature = "outlook"))]
            (b"!BDN", Magic::Unsupported("an Outlook mailbox (pst, ost)", READPST)),
            (b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x13\0\0\0[Content_Types].xml", Magic::Document),
            (
                b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0[Content_Types].xmlx",
                Magic::Packed(Kind::Zip(0), 0),
            ),
            (
                b"CRMT\xB3\x7F\0\0",
                Magic::Unsupported("a timecaf file of the news server INN", Remedy::Tokens("sm -q -S")),
            ),
            (b"CBuf4\0\0\0", Magic::Unsupported("a CNFS file of the news server INN", Remedy::Tokens("sm -q -S"))),
            (b"CRMT is prose", Magic::Plain),
            (b"\x04\x22\x4D\x18\x64", Magic::Unsupported("a file compressed by lz4", Remedy::Pipe("lz4 -dc"))),
            (b"LZIP\x01\x0C", Magic::Unsupported("a file compressed by lzip", Remedy::Pipe("lzip -dc"))),
            (b"LZIP is prose", Magic::Plain),
            (b"\x89LZO\0\r\n\x1A\n\x10", Magic::Unsupported("a file compressed by lzop", Remedy::Pipe("lzop -dc"))),
            (b"\x5D\0\0\x80\0", Magic::Unsupported("a file compressed by lzma", Remedy::Pipe("xz -dc"))),
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
            // The first character is Japanese. Its two bytes in UTF-16 look like the ASCII characters `B0`.
            (
                b"B0h\0t\0t\0p\0:\0/\0/\0a\0",
                Magic::Unsupported("text in UTF-16", Remedy::Pipe("iconv -f utf-16le -t utf-8")),
            ),
            (b"F\0rom a", Magic::Plain),
            (&EBCDIC_TEXT, Magic::Unsupported("a text in EBCDIC", Remedy::Pipe(EBCDIC))),
            (&EBCDIC_TEXT[..40], Magic::Plain),
            (&[0x81; 80], Magic::Plain),
        ];
        for (head, want) in table {
            assert_eq!(look(head), *want, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn messages_after_a_binary_header() {
        let folder = |name: &[u8]| [name, &vec![0; 128 - name.len()], b"From: a@b\n"].concat();
        let table: [(&[u8], Option<&str>); 6] = [
            (b"\0\0\0\xD3From: a@b\n", Some("a SOUP packet")),
            (b"\0\0\0\xD3\0rom: a@b\n", None),
            (b"\x01\0\0\xD3From: a@b\n", None),
            (&folder(b"My folder"), Some("a folder of Pegasus Mail (pmm)")),
            (&folder(b""), None),
            (&folder(&[b'x'; 128]), None),
        ];
        for (head, want) in table {
            assert_eq!(binary(head), want, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn the_first_byte_shows_whether_another_stream_begins() {
        let table: [(Codec, &[u8], &[u8]); 5] = [
            // Columns: the codec, bytes that can begin a stream, and bytes that cannot.
            (Codec::Gzip, b"\x1F", b"\0\x1EB"),
            (Codec::Bzip2, b"B", b"\0b\x1F"),
            (Codec::Xz, b"\xFD", b"\0\xFC\x1F"),
            (Codec::Zstd, b"\x28\x50\x5F", b"\0\x05\x27\x4F\x60\x85"),
            (Codec::Compress, b"", b"\0\x1F"),
        ];
        for (codec, firsts, others) in table {
            assert!(firsts.iter().all(|&byte| codec.begins(byte)), "{codec:?}");
            assert!(!others.iter().any(|&byte| codec.begins(byte)), "{codec:?}");
        }
    }

    #[test]
    fn a_description_names_the_kind_of_file() {
        let table = [
            (Kind::Packed(Codec::Gzip), 0, "a file compressed by gzip"),
            (Kind::Packed(Codec::Gzip), 12, "a compressed news batch"),
            (Kind::Tar, 0, "a tar archive"),
            (Kind::Zip(0), 0, "a zip archive"),
            (Kind::Zip(9), 0, "a zip archive after other data"),
        ];
        for (kind, line, want) in table {
            assert_eq!(kind.what(line), want);
        }
    }
}
