//! Tests of the layers with small archives and compressed files, which are tables of bytes.

use crate::diagnostic::DiagnosticKind::{
    self, AfterArchive, BadArchive, BadCompression, ExpansionLimit, MissingMembers, TruncatedArchive,
    TruncatedCompression,
};
use std::io::{self, ErrorKind, Read};

use flate2::Compression;

use super::Layer;
use super::peek_reader::PeekReader;
use super::xz::Xz;
use crate::magic::Codec;
use crate::magic::Kind;
use crate::shared::EXPANSION_FROM;
use crate::source::member::Next;

/// `http://a.example/` and a line break, compressed by xz.
const XZ: &[u8] =
    b"\xFD7zXZ\0\0\x01\x69\x22\xDE\x36\x02\0\x21\x01\x16\0\0\0\x74\x2F\xE5\xA3\x01\0\x11http://a.example/\n\
    \0\0\0\xB5\x3E\xAF\x0E\0\x01\x26\x12\x47\x47\xE1\x10\x90\x42\x99\x0D\x01\0\0\0\0\x01YZ";

/// The same text compressed by zstd, with a checksum in the last four bytes.
const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD\x04\x58\x91\0\0http://a.example/\n\xC6\xBF\x67\xD8";

const TEXT: &str = "http://a.example/\n";

/// Reads the current member in small steps.
fn content<R: Read>(layer: &mut Layer<R>) -> io::Result<String> {
    let (mut content, mut step) = (Vec::new(), [0; 3]);
    while let n @ 1.. = layer.read(&mut step)? {
        content.extend(&step[..n]);
    }
    Ok(String::from_utf8_lossy(&content).into_owned())
}

/// Reads all members below `layer`, or the content if it is not an archive. Returns a string `NAME=CONTENT` or
/// `NAME: REASON` for each member, and the diagnostics in the order in which they occur. The reason says why the member
/// cannot be read.
fn members<R: Read>(layer: &mut Layer<R>) -> io::Result<(Vec<String>, Vec<DiagnosticKind>)> {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    if !layer.is_archive() {
        found.push(content(layer)?);
    }
    while let Some(next) = layer.carrier().advance()? {
        let member = match next {
            Next::Member(member) => member,
            Next::Damage(offset) => {
                found.push(format!("damage at {offset}"));
                continue;
            }
            Next::Object(_) | Next::Problem(_) => unreachable!("an archive has only members"),
        };
        let codec = member.codec.filter(|_| !member.is_undone);
        if let Some(codec) = codec {
            layer.put(Kind::Packed(codec), Vec::new(), 0);
        }
        let name = member.name.escape_ascii();
        found.push(match member.unreadable {
            Some(why) => format!("{name}: {why}"),
            None => format!("{name}={}", content(layer)?),
        });
        notes.extend(layer.carrier().note());
        if codec.is_some() {
            layer.take_off(&mut 0);
        }
    }
    notes.extend(layer.carrier().note());
    Ok((found, notes))
}

fn unpack(kind: Kind, input: impl Read) -> io::Result<(Vec<String>, Vec<DiagnosticKind>)> {
    let mut layer = Layer::new(input);
    layer.put(kind, Vec::new(), 0);
    members(&mut layer)
}

/// Returns a member of a tar archive: a header, and the content in whole blocks.
pub(in crate::source) fn tar_member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut member = vec![0; 512];
    member[..name.len()].copy_from_slice(name.as_bytes());
    member[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    member[156] = kind;
    member.extend(content);
    member.resize(member.len().next_multiple_of(512), 0);
    with(member, 257, b"ustar\x0000")
}

/// Returns a tar archive of files. A file has a name and a content.
pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let members = files.iter().flat_map(|(name, content)| tar_member(name, b'0', content));
    members.chain([0; 1024]).collect()
}

/// Changes a field of the header of a tar member, and sets the checksum.
fn with(mut member: Vec<u8>, at: usize, field: &[u8]) -> Vec<u8> {
    member[at..at + field.len()].copy_from_slice(field);
    member[148..156].fill(b' ');
    let sum: u32 = member[..512].iter().map(|&b| u32::from(b)).sum();
    member[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    member
}

/// The header of a pax sparse file states that the map precedes the content.
fn pax_sparse(map: &str) -> Vec<u8> {
    let mut content = map.as_bytes().to_vec();
    content.resize(map.len().next_multiple_of(512), 0);
    content.extend(b"text");
    [tar_member("pax", b'x', b"22 GNU.sparse.major=1\n"), tar_member("a", b'0', &content)].concat()
}

#[test]
fn members_of_tar_archives_are_read() {
    let [a, b] = ["a", "b"].map(|name| tar_member(name, b'0', b"text"));
    let zeros = |blocks: usize| vec![0; 512 * blocks];
    let long_name = |length| {
        let mut name = b"long/name".to_vec();
        name.resize(length, 0);
        tar_member("././@LongLink", b'L', &name)
    };
    let mut more_map = with(tar_member("a", b'S', b"text"), 482, b"\x01");
    drop(more_map.splice(512..512, [&b"00000001000 00000000004"[..], &[0; 512 - 23]].concat()));
    let mut damaged = b.clone();
    damaged[3] = b'x';
    let label = with(tar_member("label", b'V', b""), 124, b" \0         \0");
    let mut signed = with(a.clone(), 1, b"\xE4");
    let sum = u32::from_str_radix(str::from_utf8(&signed[148..154]).unwrap(), 8).unwrap();
    signed[148..154].copy_from_slice(format!("{:06o}", sum - 256).as_bytes());
    let bad_size = with(a.clone(), 124, b"00000000009");
    // The last number of the map is in two blocks.
    let long_map = format!("42\n{}10737418240\n", "10240\n".repeat(83));
    type Row<'r> = (&'r str, Vec<u8>, &'r [&'r str], &'r [DiagnosticKind]);
    let table: &[Row<'_>] = &[
        ("a long name", [long_name(10), a.clone()].concat(), &["long/name=text"], &[]),
        ("the longest name that is read", [long_name(1 << 20), a.clone()].concat(), &["long/name=text"], &[]),
        ("a longer name", [long_name((1 << 20) + 1), a.clone()].concat(), &["damage at 0", "a=text"], &[]),
        ("a pax name", [tar_member("pax", b'x', b"12 path=b/c\n"), a.clone()].concat(), &["b/c=text"], &[]),
        ("a link", [tar_member("link", b'2', b""), a.clone()].concat(), &["a=text"], &[]),
        ("a volume label", [tar_member("label", b'V', b"label"), a.clone()].concat(), &["a=text"], &[]),
        ("a volume label without a size", [label, a.clone()].concat(), &["a=text"], &[]),
        ("attributes of all members", [tar_member("pax", b'g', b"9 a=text\n"), a.clone()].concat(), &["a=text"], &[]),
        ("the long target of a link", [tar_member("link", b'K', b"target"), a.clone()].concat(), &["a=text"], &[]),
        ("old attributes", [tar_member("attributes", b'N', b"text"), a.clone()].concat(), &["a=text"], &[]),
        ("a checksum of unsigned bytes", with(a.clone(), 1, b"\xE4"), &["a\\xe4=text"], &[]),
        ("a checksum of signed bytes", signed, &["a\\xe4=text"], &[]),
        ("a prefix", with(a.clone(), 345, b"dir"), &["dir/a=text"], &[]),
        (
            "a GNU header has a time in place of the prefix",
            { with(with(a.clone(), 257, b"ustar  \0"), 345, b"14521436112") },
            &["a=text"],
            &[],
        ),
        ("two archives", [&a[..], &zeros(2), &b, &zeros(2)].concat(), &["a=text", "b=text"], &[]),
        (
            "two archives, zeros up to the end of the record",
            [&a[..], &zeros(18), &b, &zeros(2)].concat(),
            &["a=text", "b=text"],
            &[],
        ),
        ("zeros up to the end of the record", [&a[..], &zeros(18)].concat(), &["a=text"], &[]),
        ("text after the archive", [&a[..], &zeros(2), b"text"].concat(), &["a=text"], &[AfterArchive]),
        ("a truncated header", [&a[..], &b[..100]].concat(), &["a=text"], &[TruncatedArchive]),
        ("a block that is no header", [&a[..], &[b'-'; 512]].concat(), &["a=text", "damage at 1024"], &[]),
        ("a part of such a block", [&a[..], &[b'-'; 700]].concat(), &["a=text", "damage at 1024"], &[]),
        (
            "a header of zeros",
            [&a[..], &zeros(1), &[b'-'; 512], &b].concat(),
            &["a=text", "damage at 1024", "b=text"],
            &[],
        ),
        ("a damaged header", [&a[..], &damaged, &zeros(3), &b].concat(), &["a=text", "damage at 1024", "b=text"], &[]),
        ("a size that is not a number", [bad_size, b.clone()].concat(), &["damage at 0", "b=text"], &[]),
        (
            "names are not those of the members after the damage",
            [&long_name(10)[..], &[b'-'; 512], &b].concat(),
            &["damage at 1024", "b=text"],
            &[],
        ),
        // Only the first damage is reported.
        (
            "two damaged headers, and no further header",
            [&[b'-'; 512], &a[..], &[b'-'; 512], &b, &[b'-'; 700]].concat(),
            &["damage at 0", "a=text", "b=text"],
            &[],
        ),
        ("a sparse file with its map in the header", tar_member("a", b'S', b"text"), &["a=text"], &[]),
        ("a sparse file with a second part of the map", more_map, &["a=text"], &[]),
        ("a sparse file in pax format", pax_sparse("1\n0\n4\n"), &["a=text"], &[]),
        ("a sparse file in pax format with a long map", pax_sparse(&long_map), &["a=text"], &[]),
        ("the longest number", pax_sparse(&format!("{:020}\n0\n4\n", 1)), &["a=text"], &[]),
        ("a longer number", pax_sparse(&format!("{:021}\n0\n4\n", 1)), &["damage at 1024"], &[]),
        (
            "a malformed map",
            [pax_sparse("x\n0\n4\n"), pax_sparse("99\n0\n4\n"), b.clone()].concat(),
            &["damage at 1024", "b=text"],
            &[],
        ),
    ];
    for (what, archive, found, notes) in table {
        let got = unpack(Kind::Tar, &archive[..]).unwrap();
        assert_eq!(
            (&got.0[..], &got.1[..]),
            (&found.iter().map(ToString::to_string).collect::<Vec<_>>()[..], *notes),
            "{what}"
        );
    }
}

const STREAMED: u16 = 8;
const ENCRYPTED: u16 = 1;

/// Returns a member of a zip archive with the given flags, compression method and checksum. The header states a size
/// of `size` bytes.
fn zip_member(flags: u16, method: u16, sum: u32, size: usize, stored: &[u8]) -> Vec<u8> {
    let size = (size as u32).to_le_bytes();
    let [flags, method] = [flags, method].map(u16::to_le_bytes);
    let sum = sum.to_le_bytes();
    let head = [&b"PK\x03\x04\x14\0"[..], &flags, &method, &[0; 4], &sum, &size, &size, b"\x01\0\0\0a"].concat();
    [&head, stored].concat()
}

#[test]
fn members_of_zip_archives_are_read() {
    const END: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let stored = zip_member(0, 0, 0x3B8B_A7C7, 4, b"text");
    // The header states the length, although a descriptor follows the member.
    let described = zip_member(STREAMED, 0, 0x3B8B_A7C7, 4, b"text");
    // Thirty letters `a`. The decoder reads all of these bytes before it returns all letters.
    let deflated = zip_member(0, 8, 0x6BC1_D3C1, 5, b"\x4B\x4C\xC4\x07\0");
    let xz = zip_member(0, 95, 0, XZ.len(), XZ);
    let encrypted = zip_member(STREAMED | ENCRYPTED, 8, 0, 0, b"-----PK\x07\x08\0\0\0\0\x05\0\0\0\x1E\0\0\0");
    // Only the decoder can find the end of this member, so no further member is read.
    let malformed = [&zip_member(STREAMED, 8, 0, 0, &[0xFF; 30])[..], &stored].concat();
    let listed = [&b"PK\x01\x02"[..], &[0; 42]].concat();
    let end = |count: u16| [b"PK\x05\x06\0\0\0\0\0\0", &count.to_le_bytes()[..], &[0; 10]].concat();
    let zip64 = [&b"PK\x06\x06\x2C"[..], &[0; 27], b"\x02", &[0; 23]].concat();
    let bounded = zip_member(0, 8, 0, 30, &[0xFF; 30]);
    let letters = format!("a={}", "a".repeat(30));
    let text = format!("a={TEXT}");
    type Row<'r> = (&'r str, Vec<u8>, &'r str, &'r [DiagnosticKind]);
    let table: &[Row<'_>] = &[
        ("a stored member", [&stored[..], END].concat(), "a=text", &[]),
        ("an empty member", [&zip_member(0, 0, 0, 0, b"")[..], END].concat(), "a=", &[]),
        ("a deflated member", [&deflated[..], END].concat(), &letters, &[]),
        ("a member compressed by xz", [&xz[..], END].concat(), &text, &[]),
        ("an encrypted member of unknown length", [&encrypted[..], END].concat(), "a: it is encrypted", &[]),
        ("a malformed member of unknown length", [&malformed[..], END].concat(), "a=", &[BadCompression]),
        ("a truncated stored member", stored[..stored.len() - 2].to_vec(), "a=te", &[TruncatedArchive]),
        ("a truncated deflated member", deflated[..deflated.len() - 3].to_vec(), "a=a", &[TruncatedArchive]),
        ("a truncated xz member", xz[..xz.len() - 12].to_vec(), &text, &[TruncatedArchive]),
        ("a truncated descriptor", [&described[..], b"PK\x07\x08"].concat(), "a=text", &[TruncatedArchive]),
        ("no directory", stored.clone(), "a=text", &[TruncatedArchive]),
        ("text in place of the directory", [&stored[..], b"text"].concat(), "a=text", &[BadArchive]),
        ("a directory", [&stored[..], &listed, END].concat(), "a=text", &[]),
        ("a directory with a lost member", [&stored[..], &listed, &listed, END].concat(), "a=text", &[MissingMembers]),
        (
            "an end record that counts a lost member",
            [&stored[..], &listed, &end(2)].concat(),
            "a=text",
            &[MissingMembers],
        ),
        ("an end record with the largest number", [&stored[..], &listed, &end(0xFFFF)].concat(), "a=text", &[]),
        (
            "an end record of zip64 that counts a lost member",
            [&stored[..], &listed, &zip64, &end(0xFFFF)].concat(),
            "a=text",
            &[MissingMembers],
        ),
        (
            "a truncated directory with a lost member",
            [&stored[..], &listed, &listed, b"PK\x01\x02\x14\0"].concat(),
            "a=text",
            &[MissingMembers],
        ),
        (
            "a directory with a lost member, and text after it",
            [&stored[..], &listed, &listed, END, b"text"].concat(),
            "a=text",
            &[MissingMembers],
        ),
        ("a truncated directory", [&stored[..], b"PK\x01\x02\x14\0\x14\0"].concat(), "a=text", &[]),
    ];
    for (what, archive, found, notes) in table {
        let got = unpack(Kind::Zip(0), &archive[..]).unwrap();
        assert_eq!((&got.0[..], &got.1[..]), (&[(*found).to_owned()][..], *notes), "{what}");
    }
    // In the second archive, the signature of the last member is damaged.
    let archive = [&stored[..], &listed, END, &stored, b"--", &stored[2..], &listed, &listed, END].concat();
    let got = unpack(Kind::Zip(0), &archive[..]).unwrap();
    assert_eq!((&got.0[..], &got.1[..]), (&["a=text".to_owned(), "a=text".to_owned()][..], &[MissingMembers][..]));
    // The header of a member states a wrong size.
    let long = zip_member(0, 0, 0x3B8B_A7C7, 4, b"text");
    let long = [&long[..18], &[99], &long[19..]].concat();
    let text = "a=text".to_owned();
    for member in [3, 9, 400].map(|size| zip_member(0, 8, 0x6BC1_D3C1, size, b"\x4B\x4C\xC4\x07\0")) {
        let got = unpack(Kind::Zip(0), &[&member[..], &long, &stored, END].concat()[..]).unwrap();
        assert_eq!((&got.0[..], &got.1[..]), (&[letters.clone(), text.clone(), text.clone()][..], &[][..]));
    }
    // The compressed data has no end.
    let endless = zip_member(0, 8, 0x6BC1_D3C1, 4, b"\x4B\x4C\xC4\x07");
    let got = unpack(Kind::Zip(0), &[&endless[..], &stored, END].concat()[..]).unwrap();
    assert_eq!((&got.0[1..], &got.1[..]), (&[text][..], &[BadCompression][..]));
    // The header states where this member ends, so the next member is read.
    let got = unpack(Kind::Zip(0), &[&bounded[..], &stored, END].concat()[..]).unwrap();
    assert_eq!((&got.0[..], &got.1[..]), (&["a=".to_owned(), "a=text".to_owned()][..], &[BadCompression][..]));
}

#[test]
fn compressed_files_are_read() {
    const SKIPPED: &[u8] = b"\x50\x2A\x4D\x18\x04\0\0\0skip";
    // The header of the block is padded to 100 bytes. The decoder gets 64 bytes at a time, so its first step returns
    // no bytes.
    let padded = [&b"\x18\0\x21\x01\x16"[..], &[0; 91], b"\xEE\x96\x5B\xD7"].concat();
    let long_header = [&XZ[..12], &padded, &XZ[24..52], b"\0\x01\x7E\x12\x1B\x90\x83\x62", &XZ[60..]].concat();
    let mut bad_sum = ZSTD.to_vec();
    *bad_sum.last_mut().unwrap() ^= 1;
    type Row<'r> = (&'r str, Codec, Vec<u8>, &'r str, &'r [DiagnosticKind]);
    let table: &[Row<'_>] = &[
        ("an xz file", Codec::Xz, XZ.to_vec(), TEXT, &[]),
        ("an xz file with a long header", Codec::Xz, long_header, TEXT, &[]),
        ("a truncated xz file", Codec::Xz, XZ[..60].to_vec(), TEXT, &[TruncatedCompression]),
        ("a zstd file", Codec::Zstd, ZSTD.to_vec(), TEXT, &[]),
        ("a wrong checksum", Codec::Zstd, bad_sum, TEXT, &[BadCompression]),
        ("a skippable frame", Codec::Zstd, [SKIPPED, ZSTD].concat(), TEXT, &[]),
        ("a truncated skippable frame", Codec::Zstd, SKIPPED[..10].to_vec(), "", &[TruncatedCompression]),
        ("a truncated block", Codec::Zstd, ZSTD[..20].to_vec(), "", &[TruncatedCompression]),
        ("a block of an unknown type", Codec::Zstd, [&ZSTD[..6], &[7; 20]].concat(), "", &[BadCompression]),
    ];
    for (what, codec, file, found, notes) in table {
        let got = unpack(Kind::Packed(*codec), &file[..]).unwrap();
        assert_eq!((&got.0[..], &got.1[..]), (&[(*found).to_owned()][..], *notes), "{what}");
    }
}

/// A failed read is an error of the input. The data may be intact, so it is not reported as malformed or truncated.
#[test]
fn a_failed_read_is_an_error() {
    /// Fails once. Then the input ends.
    struct Failing(bool);
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) { Ok(0) } else { Err(ErrorKind::TimedOut.into()) }
        }
    }
    let stored = zip_member(0, 0, 0x3B8B_A7C7, 4, b"text");
    let mut zeros = flate2::read::DeflateEncoder::new(io::repeat(0).take(2 * EXPANSION_FROM), Compression::best());
    let mut expanding = Vec::new();
    zeros.read_to_end(&mut expanding).unwrap();
    let table = [
        ("in the header of gzip", Kind::Packed(Codec::Gzip), b"\x1F\x8B\x08\0".to_vec()),
        ("in a member of unknown length", Kind::Zip(0), zip_member(STREAMED, 95, 0, 0, &XZ[..30])),
        ("in an encrypted member", Kind::Zip(0), zip_member(ENCRYPTED, 0, 0, 20, b"-----")),
        ("in a member that expands too much", Kind::Zip(0), zip_member(0, 8, 0, expanding.len() + 1, &expanding)),
        ("in the directory of zip", Kind::Zip(0), [&stored[..], b"PK\x01\x02\x14\0\x14\0"].concat()),
    ];
    for (what, kind, bytes) in table {
        let error = unpack(kind, bytes.chain(Failing(false))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{what}");
    }
}

/// A task reads a range of an archive. The range begins and ends with a member.
#[test]
fn only_the_members_in_a_range_are_read() {
    let tar = tar_member("a", b'0', b"text");
    let zip = zip_member(0, 0, 0x3B8B_A7C7, 4, b"text");
    for (kind, member) in [(Kind::Tar, tar), (Kind::Zip(0), zip)] {
        let size = member.len() as u64;
        let rest = member.repeat(3);
        // A wrong directory can state an offset within a member.
        let table: [(u64, usize, &[DiagnosticKind]); 3] =
            [(size, 1, &[]), (2 * size, 2, &[]), (size - 1, 1, &[BadArchive])];
        for (length, count, notes) in table {
            let mut layer = Layer::new(&rest[..]);
            layer.put(kind, Vec::new(), 0);
            layer.limit(5000..5000 + length);
            let got = members(&mut layer).unwrap();
            assert_eq!((&got.0[..], &got.1[..]), (&vec!["a=text".to_owned(); count][..], notes), "{kind:?} {length}");
        }
    }
}

#[test]
fn expansion_is_limited_only_beyond_a_size() {
    const BLOCK: usize = 128 << 10;
    // One byte that is repeated, and a block without compression.
    let repeated = b"\x02\0\x10x".to_vec();
    let plain = [&b"\0\0\x10"[..], &[b'x'; BLOCK]].concat();
    let limit = EXPANSION_FROM as usize / BLOCK;
    for (block, count, notes) in
        [(&repeated, limit, &[][..]), (&repeated, limit + 1, &[ExpansionLimit]), (&plain, limit + 1, &[])]
    {
        let file = [b"\x28\xB5\x2F\xFD\0\x38", &block.repeat(count)[..], b"\x01\0\0"].concat();
        let mut layer = Layer::new(&file[..]);
        layer.put(Kind::Packed(Codec::Zstd), Vec::new(), 0);
        let read = io::copy(&mut layer, &mut io::sink()).unwrap();
        let is_whole = read == (count * BLOCK) as u64;
        assert_eq!((is_whole, layer.carrier().note().as_slice()), (notes.is_empty(), notes), "{count}: {read}");
    }
}

/// The ratio, rounded down, is the limit if 1179 bytes decode to 1,179,648 bytes. A skippable frame fills the file up.
#[test]
fn expansion_up_to_the_limit_is_allowed() {
    let frame = [&b"\x28\xB5\x2F\xFD\0\x38"[..], &b"\x02\0\x10x".repeat(9), b"\x01\0\0"].concat();
    for (size, notes) in [(1179, &[][..]), (1178, &[ExpansionLimit])] {
        let skipped = size - 8 - frame.len();
        let file = [&b"\x50\x2A\x4D\x18"[..], &(skipped as u32).to_le_bytes(), &vec![0; skipped], &frame].concat();
        let mut layer = Layer::new(&file[..]);
        layer.put(Kind::Packed(Codec::Zstd), Vec::new(), 0);
        io::copy(&mut layer, &mut io::sink()).unwrap();
        assert_eq!(layer.carrier().note().as_slice(), notes, "{size} bytes");
    }
}

/// A tar layer decodes nothing, so its removal does not change the number of decoded bytes.
#[test]
fn decoded_bytes_are_counted_when_a_layer_is_removed() {
    for (kind, want) in [(Kind::Tar, 8), (Kind::Zip(0), 5), (Kind::Packed(Codec::Gzip), 5)] {
        let (mut layer, mut decoded) = (Layer::new(io::empty()), 8);
        layer.put(kind, Vec::new(), 5);
        assert!(layer.take_off(&mut decoded) && !layer.take_off(&mut decoded));
        assert_eq!(decoded, want, "{kind:?}");
    }
}

#[test]
fn a_read_into_an_empty_buffer_changes_nothing() {
    let file = b"\x28\xB5\x2F\xFD\0\x38\x20\0\0text\x21\0\0more";
    let mut layer = Layer::new(&file[..]);
    layer.put(Kind::Packed(Codec::Zstd), Vec::new(), 0);
    assert_eq!(layer.read(&mut [0]).unwrap(), 1);
    assert_eq!(layer.read(&mut []).unwrap(), 0);
    assert_eq!(content(&mut layer).unwrap(), "extmore");

    let mut xz = Xz::new(PeekReader::new(XZ.to_vec(), io::empty()));
    assert_eq!(xz.read(&mut []).unwrap(), 0);
    assert_eq!(io::read_to_string(xz).unwrap(), TEXT);
}
