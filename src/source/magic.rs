//! What a file is before it is an archive of messages, told by its first octets, never by its name.

use memchr::memchr;

use super::{stub, tar_header, wide};
use crate::error::Hint;

/// A compression that is undone while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// gzip, in one or more members; also in a `#! gunbatch` news batch.
    Gzip,
    /// bzip2, in one or more streams; also in a `#! bunbatch` news batch.
    Bzip2,
    /// xz, in one or more streams.
    Xz,
    /// zstd, in one or more frames.
    Zstd,
    /// Unix's compress(1), `.Z`; also in a `#! cunbatch` news batch.
    Compress,
}

impl Codec {
    /// What it is called.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Xz => "xz",
            Codec::Zstd => "zstd",
            Codec::Compress => "compress",
        }
    }

    /// Whether another stream behind the first one begins with `first`.
    #[cfg(feature = "compression")]
    pub(super) fn begins(self, first: u8) -> bool {
        match self {
            Codec::Gzip => first == 0x1F,
            Codec::Bzip2 => first == b'B',
            Codec::Xz => first == 0xFD,
            // A frame, or one that is to be skipped.
            Codec::Zstd => first == 0x28 || first >> 4 == 5,
            Codec::Compress => false,
        }
    }
}

/// What has to be undone to get at what is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Packed(Codec),
    Tar,
    /// Behind so many octets of something else.
    Zip(usize),
}

/// What the first octets of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// Nothing: it is read as it is.
    Plain,
    /// Packed, after a line of so many octets.
    #[cfg_attr(not(feature = "compression"), expect(dead_code, reason = "nothing is unpacked"))]
    Packed(Kind, usize),
    /// Known, and not read.
    Unsupported(&'static str, Hint),
}

/// Enough octets to tell: a block of tar.
pub(super) const MAGIC_LEN: usize = tar_header::BLOCK;

/// What each kind of compression begins with, and what undoes it.
const PACKED: &[(&[u8], Kind, &str, Hint)] = &[
    (b"\x1F\x8B\x08", Kind::Packed(Codec::Gzip), "a file of gzip(1)", Hint::Pipe("zcat")),
    (b"\x1F\x9D", Kind::Packed(Codec::Compress), "a file of compress(1)", Hint::Pipe("zcat")),
    (b"\xFD7zXZ\0", Kind::Packed(Codec::Xz), "a file of xz(1)", Hint::Pipe("xzcat")),
    (b"\x28\xB5\x2F\xFD", Kind::Packed(Codec::Zstd), "a file of zstd(1)", Hint::Pipe("zstdcat")),
    (b"PK\x03\x04", Kind::Zip(0), "a zip archive", Hint::PipeFile("unzip -p")),
    // In one that has no members; or is in several volumes, and then not read beyond this.
    (b"PK\x05\x06", Kind::Zip(0), "a zip archive", Hint::PipeFile("unzip -p")),
];

/// What programs write that is not read here, longer beginnings first. What begins with letters, or with a byte
/// order mark, has a NUL soon, too: prose has none.
const FOREIGN: &[(&[u8], &str, Hint)] = &[
    (b"!BDN", "an Outlook folder (pst, ost)", Hint::Convert("readpst")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Outlook message or other OLE file", Hint::Convert("msgconvert")),
    (b"\xCF\xAD\x12\xFE", "a folder of Outlook Express (dbx)", Hint::Convert("readdbx")),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", Hint::PipeFile("7z x -so")),
    (b"Rar!\x1A\x07", "a rar archive", Hint::PipeFile("unrar p -inul")),
    (b"\x04\x22\x4D\x18", "a file of lz4(1)", Hint::Pipe("lz4 -dc")),
    (b"LZIP\x01", "a file of lzip(1)", Hint::Pipe("lzip -dc")),
    // The properties of nearly all, and a dictionary of so many KiB.
    (b"\x5D\0\0", "a file of lzma(1)", Hint::Pipe("xz -dc")),
    (b"CRMT", "a timecaf file of INN's", Hint::Tokens("sm -q -S")),
    (b"CBuf4", "a cyclic buffer of INN's (CNFS)", Hint::Tokens("sm -q -S")),
    // Its offsets would not be the file's, so it is not decoded unasked.
    (b"\xFF\xFE\0\0", "text in UTF-32", Hint::Pipe(UTF_32)),
    (b"\0\0\xFE\xFF", "text in UTF-32", Hint::Pipe(UTF_32)),
    (b"\xFF\xFE", "text in UTF-16", Hint::Pipe(UTF_16)),
    (b"\xFE\xFF", "text in UTF-16", Hint::Pipe(UTF_16)),
];

/// Decodes text that begins with a byte order mark, of either order.
const UTF_16: &str = "iconv -f utf-16 -t utf-8";
/// The same.
const UTF_32: &str = "iconv -f utf-32 -t utf-8";

/// Looks at the first [`MAGIC_LEN`] octets of a file, or all of it.
pub(super) fn look(head: &[u8]) -> Magic {
    let head = &head[..head.len().min(MAGIC_LEN)];
    match head {
        // Nearly everything; text of two octets a character has a NUL soon.
        [b' '..=b'~', b' '..=b'~', ..]
            if !matches!(head[0], b'#' | b'!' | b'(' | b'7' | b'B' | b'C' | b'L' | b'P' | b'R')
                && memchr(0, head).is_none() => {}
        _ => match compressed(head) {
            Some((kind, what, hint)) => return packed(kind, 0, what, hint),
            None => {
                if let Some(magic) = batch(head) {
                    return magic;
                }
                let needs_nul = matches!(head.first(), Some(b'C' | 0xFE | 0xFF));
                let is_it = |magic: &[u8]| head.starts_with(magic) && (!needs_nul || head.contains(&0));
                if let Some(&(_, what, hint)) = FOREIGN.iter().find(|(magic, ..)| is_it(magic)) {
                    return Magic::Unsupported(what, hint);
                }
                if let Some(wide) = wide::find(head) {
                    return Magic::Unsupported(wide.what, Hint::Pipe(wide.tool));
                }
            }
        },
    }
    if tar_header::is_header(head) {
        return packed(Kind::Tar, 0, "a tar archive", Hint::Convert("tar -x"));
    }
    Magic::Plain
}

/// Looks behind what a file begins with, which is [`Magic::Plain`], in as many octets as [`stub::reach`] says, or all of it.
pub(super) fn look_behind(octets: &[u8]) -> Magic {
    let what = "a zip archive with something before it";
    stub::archive(octets).map_or(Magic::Plain, |at| packed(Kind::Zip(at), 0, what, Hint::PipeFile("unzip -p")))
}

fn compressed(head: &[u8]) -> Option<(Kind, &'static str, Hint)> {
    if let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = head {
        let is_block = block.starts_with(b"1AY&SY") || block.starts_with(b"\x17\x72\x45\x38\x50\x90");
        return is_block.then_some((Kind::Packed(Codec::Bzip2), "a file of bzip2(1)", Hint::Pipe("bzcat")));
    }
    // A frame that pzstd(1) writes first, and is to be skipped.
    if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = head {
        return Some((Kind::Packed(Codec::Zstd), "a file of zstd(1)", Hint::Pipe("zstdcat")));
    }
    let row = PACKED.iter().find(|(magic, ..)| head.starts_with(magic));
    row.map(|&(_, kind, what, hint)| (kind, what, hint))
}

/// A compressed batch of news: a line that says how it is to be undone (C News, INN), then what was compressed. What
/// that is, its own first octets say: gzip(1) undoes compress(1) too, and some servers send it under either name.
fn batch(head: &[u8]) -> Option<Magic> {
    let rest = head.strip_prefix(b"#! ")?;
    let word = rest.split(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
    let tool = match word {
        b"cunbatch" | b"gunbatch" | b"zunbatch" => "zcat",
        b"bunbatch" | b"bz2unbatch" => "bzcat",
        b"xunbatch" => "xzcat",
        _ => return None,
    };
    let what = "a compressed news batch";
    let hint = Hint::PipeAfterFirstLine(tool);
    let line = head.iter().position(|&b| b == b'\n').map_or(head.len(), |end| end + 1);
    Some(match compressed(&head[line..]) {
        Some((kind, ..)) => packed(kind, line, what, hint),
        None => Magic::Unsupported(what, hint),
    })
}

#[cfg(feature = "compression")]
fn packed(kind: Kind, line: usize, _: &'static str, _: Hint) -> Magic {
    Magic::Packed(kind, line)
}

/// The command has the feature always: whom this is told to builds a program of their own.
#[cfg(not(feature = "compression"))]
fn packed(_: Kind, _: usize, what: &'static str, _: Hint) -> Magic {
    Magic::Unsupported(what, Hint::Feature("compression"))
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;

    #[test]
    fn first_octets() {
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
            (b"#! cunbatch", Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("zcat"))),
            (b"BZh9 is prose", Magic::Plain),
            (b"BZh91AY&SY", Magic::Packed(Kind::Packed(Codec::Bzip2), 0)),
            (b"\xFD7zXZ\0", Magic::Packed(Kind::Packed(Codec::Xz), 0)),
            (b"\x28\xB5\x2F\xFD", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"\x50\x2A\x4D\x18\x04\0\0\0", Magic::Packed(Kind::Packed(Codec::Zstd), 0)),
            (b"P*M", Magic::Plain),
            (b"PK\x03\x04", Magic::Packed(Kind::Zip(0), 0)),
            (b"PK is prose", Magic::Plain),
            (b"!BDN", Magic::Unsupported("an Outlook folder (pst, ost)", Hint::Convert("readpst"))),
            (b"CRMT\xB3\x7F\0\0", Magic::Unsupported("a timecaf file of INN's", Hint::Tokens("sm -q -S"))),
            (b"CBuf4\0\0\0", Magic::Unsupported("a cyclic buffer of INN's (CNFS)", Hint::Tokens("sm -q -S"))),
            (b"CRMT is prose", Magic::Plain),
            (b"\x04\x22\x4D\x18\x64", Magic::Unsupported("a file of lz4(1)", Hint::Pipe("lz4 -dc"))),
            (b"LZIP\x01\x0C", Magic::Unsupported("a file of lzip(1)", Hint::Pipe("lzip -dc"))),
            (b"LZIP is prose", Magic::Plain),
            (b"\x5D\0\0\x80\0", Magic::Unsupported("a file of lzma(1)", Hint::Pipe("xz -dc"))),
            (b"] is prose", Magic::Plain),
            (b"\xFF\xFEh\0t\0", Magic::Unsupported("text in UTF-16", Hint::Pipe(UTF_16))),
            (b"\xFE\xFF\0h\0t", Magic::Unsupported("text in UTF-16", Hint::Pipe(UTF_16))),
            (b"\xFF\xFEFrom a", Magic::Plain),
            (b"\xFF\xFE\0\0h", Magic::Unsupported("text in UTF-32", Hint::Pipe(UTF_32))),
            (b"\0\0\xFE\xFF\0\0\0h", Magic::Unsupported("text in UTF-32", Hint::Pipe(UTF_32))),
            (b"From a", Magic::Plain),
            (
                b"h\0t\0t\0p\0:\0/\0/\0a\0",
                Magic::Unsupported("text in UTF-16", Hint::Pipe("iconv -f utf-16le -t utf-8")),
            ),
            // A letter of Japanese, which is two of ASCII.
            (
                b"B0h\0t\0t\0p\0:\0/\0/\0a\0",
                Magic::Unsupported("text in UTF-16", Hint::Pipe("iconv -f utf-16le -t utf-8")),
            ),
            (b"F\0rom a", Magic::Plain),
        ];
        for (head, want) in table {
            assert_eq!(look(head), *want, "{}", head.escape_ascii());
        }
    }
}
