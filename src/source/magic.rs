//! What a file is before it is an archive, told by its first octets, never by its name.

use crate::error::Hint;

/// A compression that is undone while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// gzip, in one or more members; also in a `#! gunbatch` news batch.
    Gzip,
}

impl Codec {
    /// What it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
        }
    }
}

/// What the first octets of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// Nothing: it is read as it is.
    Plain,
    /// Compressed by a known codec, after a line of so many octets.
    Compressed(Codec, usize),
    /// Known, and not read.
    Unsupported(&'static str, Hint),
}

/// Enough octets to tell.
pub(super) const MAGIC_LEN: usize = 64;

const GZIP: &[u8] = b"\x1F\x8B\x08";

/// Looks at the first [`MAGIC_LEN`] octets of a file, or all of it.
pub(super) fn look(head: &[u8]) -> Magic {
    let head = &head[..head.len().min(MAGIC_LEN)];
    if head.starts_with(GZIP) {
        return gzip(0);
    }
    if let Some(rest) = head.strip_prefix(b"#! ") {
        let word = rest.split(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
        let line = head.iter().position(|&b| b == b'\n').map_or(head.len(), |end| end + 1);
        return match word {
            b"gunbatch" | b"zunbatch" | b"cunbatch" if head[line..].starts_with(GZIP) => gzip(line),
            b"cunbatch" | b"gunbatch" | b"zunbatch" => {
                Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("zcat"))
            }
            b"bunbatch" | b"bz2unbatch" => {
                Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("bzcat"))
            }
            b"xunbatch" => Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("xzcat")),
            _ => Magic::Plain,
        };
    }
    const BZIP2: &[u8] = b"BZh";
    if head.starts_with(BZIP2) && head.get(3).is_some_and(|b| (b'1'..=b'9').contains(b)) {
        let block = head.get(4..10);
        if block == Some(b"1AY&SY") || block == Some(b"\x17\x72\x45\x38\x50\x90") {
            return Magic::Unsupported("a file of bzip2(1)", Hint::Pipe("bzcat"));
        }
    }
    let table: &[(&[u8], &'static str, Hint)] = &[
        (b"\x1F\x9D", "a file of compress(1)", Hint::Pipe("zcat")),
        (b"\xFD7zXZ\0", "a file of xz(1)", Hint::Pipe("xzcat")),
        (b"\x28\xB5\x2F\xFD", "a file of zstd(1)", Hint::Pipe("zstdcat")),
        (b"PK\x03\x04", "a zip archive", Hint::Pipe("unzip -p")),
        (b"!BDN", "an Outlook folder (pst, ost)", Hint::Convert("readpst")),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Outlook message or other OLE file", Hint::Convert("msgconvert")),
    ];
    match table.iter().find(|(magic, ..)| head.starts_with(magic)) {
        Some(&(_, what, hint)) => Magic::Unsupported(what, hint),
        None => Magic::Plain,
    }
}

fn gzip(line: usize) -> Magic {
    match line {
        _ if cfg!(feature = "compression") => Magic::Compressed(Codec::Gzip, line),
        0 => Magic::Unsupported("a file of gzip(1)", Hint::Pipe("zcat")),
        _ => Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("zcat")),
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;

    #[test]
    fn first_octets() {
        let zcat = Magic::Unsupported("a file of compress(1)", Hint::Pipe("zcat"));
        let batch = Magic::Unsupported("a compressed news batch", Hint::PipeAfterFirstLine("zcat"));
        let table: &[(&[u8], Magic)] = &[
            (b"", Magic::Plain),
            (b"\x1F", Magic::Plain),
            (b"\x1F\x8B\x08\0", Magic::Compressed(Codec::Gzip, 0)),
            (b"\x1F\x9D\x90", zcat),
            (b"#! rnews 12\n", Magic::Plain),
            (b"#! gunbatch\n\x1F\x8B\x08\0", Magic::Compressed(Codec::Gzip, 12)),
            (b"#! cunbatch\n\x1F\x8B\x08\0", Magic::Compressed(Codec::Gzip, 12)),
            (b"#! cunbatch\n\x1F\x9D\x90", batch),
            (b"#! cunbatch", batch),
            (b"BZh9 is prose", Magic::Plain),
            (b"BZh91AY&SY", Magic::Unsupported("a file of bzip2(1)", Hint::Pipe("bzcat"))),
            (b"!BDN", Magic::Unsupported("an Outlook folder (pst, ost)", Hint::Convert("readpst"))),
            (b"From a", Magic::Plain),
        ];
        for (head, want) in table {
            assert_eq!(look(head), *want, "{}", head.escape_ascii());
        }
    }
}
