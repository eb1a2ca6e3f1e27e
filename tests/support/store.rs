//! Puts messages into archives of every kind, as mail programs do. The code does not use the library, so that the code
//! and the library cannot have the same mistake.

use std::collections::HashMap;
use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{messages, with_crlf};

/// Returns whether every kind of archive can store this message of the corpus. The lines of the message must end with
/// LF or CRLF, and no line may begin with `From `, which begins a message in an mbox.
fn can_be_stored(name: &str, bytes: &[u8]) -> bool {
    // Each of these messages has a property that some archives cannot store: lines that end with CR, blank lines at the
    // start, the wire format of NNTP, or a truncated last line.
    let odd = ["lone_cr.eml", "blank_lines_before.eml", "wire_article.eml", "wire_article_dot.eml", "base64_cut.eml"];
    !odd.contains(&name) && !bytes.windows(6).any(|window| window == b"\nFrom ")
}

/// Returns the messages of the corpus that every kind of archive can store: the name and the bytes of each message.
pub(crate) fn stored() -> Vec<(String, Vec<u8>)> {
    let mut messages = messages();
    messages.retain(|(name, bytes)| can_be_stored(name, bytes));
    assert!(messages.len() >= 40);
    messages
}

pub(crate) fn append(mbox: &mut Vec<u8>, message: &[u8]) {
    mbox.extend(b"From corpus@archivist.example Mon Mar  1 10:00:00 2004\n");
    mbox.extend(message);
    mbox.extend(if message.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" });
}

pub(crate) fn mmdf(messages: &[Vec<u8>]) -> Vec<u8> {
    let bracket = |message: &Vec<u8>| [b"\x01\x01\x01\x01\n", &**message, b"\x01\x01\x01\x01\n"].concat();
    messages.iter().flat_map(|message| bracket(&ended(message))).collect()
}

/// Returns a Babyl mailbox of Rmail. Every second message has two headers: the original header, and the header that
/// Rmail displayed. Rmail stores a message in this way after it has displayed the message.
pub(crate) fn babyl(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\nLabels: http://labels.example/\n".to_vec();
    for (i, message) in messages.iter().enumerate() {
        let message = ended(message);
        let end = message.windows(2).position(|pair| pair == b"\n\n").map_or(0, |at| at + 1);
        let (headers, body) = message.split_at(if i % 2 == 0 { end } else { 0 });
        if headers.is_empty() {
            out.extend([b"\x1F\x0C\n0, unseen,,\n*** EOOH ***\n", &*message].concat());
        } else {
            let shown = b"From: shown@example.org\nSubject: <http://shown.example/>\n";
            // Half of the messages with two headers have a blank line after the original header.
            let blank: &[u8] = if i % 4 == 0 { b"\n" } else { b"" };
            out.extend([b"\x1F\x0C\n1, filed,,\n", headers, blank, b"*** EOOH ***\n", shown, body].concat());
        }
    }
    out.push(0x1F);
    out
}

/// Returns a notebook log of LISTSERV.
pub(crate) fn listserv(messages: &[Vec<u8>]) -> Vec<u8> {
    let ruler = "=".repeat(73) + "\n";
    messages.iter().flat_map(|message| [ruler.as_bytes(), &*ended(message)].concat()).collect()
}

/// Returns a mailbox of c-client in the format mbx.
pub(crate) fn mbx(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"*mbx*\r\n3d0000000000ffff\r\n".to_vec();
    out.resize(2048, b'\n');
    for message in messages {
        let line = format!(" 3-Jun-2002 10:00:00 +0000,{};000000000001-00000007\r\n", message.len());
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(message);
    }
    out
}

/// Returns the output of `git cat-file --batch` for a git repository of public-inbox. For each message, the output has
/// a commit, a tree and a blob.
pub(crate) fn git_batch(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let mut object = |kind: &str, bytes: &[u8]| {
            writeln!(out, "{:040x} {kind} {}", i * 7919, bytes.len()).expect("writing to a Vec cannot fail");
            out.extend_from_slice(bytes);
            out.push(b'\n');
        };
        object("blob", message);
        object("tree", b"100644 m\0\x01\x02 http://tree.example/");
        object("commit", b"tree 0\nauthor a <http://commit.example/>\n\ntext\n");
    }
    out
}

/// Returns a message file of Apple Mail.
pub(crate) fn emlx(message: &[u8]) -> Vec<u8> {
    let list = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist SYSTEM \"http://www.apple.example/list.dtd\">\n<plist/>\n";
    [format!("{:<10}\n", message.len()).as_bytes(), message, list.as_bytes()].concat()
}

/// Returns a news batch.
pub(crate) fn rnews(messages: &[Vec<u8>]) -> Vec<u8> {
    let article = |message: &Vec<u8>| [format!("#! rnews {}\n", message.len()).as_bytes(), message].concat();
    messages.iter().flat_map(article).collect()
}

/// Converts an article to the wire format of NNTP: CRLF at line ends, a second dot before a dot that begins a line, and
/// a line with a single dot at the end.
pub(crate) fn wire(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in with_crlf(&ended(message)).split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b".") {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    out.extend(b".\r\n");
    out
}

/// Returns a digest (RFC 1153).
pub(crate) fn digest(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"From: editor@example.org\nSubject: Tapes Digest\n\nTopics:\n    all of it\n\n".to_vec();
    out.extend(["-".repeat(70).as_bytes(), b"\n\n"].concat());
    for message in messages {
        out.extend([&*ended(message), b"\n", "-".repeat(30).as_bytes(), b"\n\n"].concat());
    }
    out.extend(b"End of Tapes Digest\n*******************\n");
    out
}

fn ended(message: &[u8]) -> Vec<u8> {
    let end: &[u8] = if message.ends_with(b"\n") { b"" } else { b"\n" };
    [message, end].concat()
}

/// Compresses like compress(1), with codes of up to `max_bits` bits. Never clears the code table.
pub(crate) fn compress(bytes: &[u8], max_bits: u32) -> Vec<u8> {
    // Code 256 is not used, because it would clear the table.
    let (mut table, mut next) = (HashMap::new(), 257_u32);
    let mut codes = Codes { out: vec![0x1F, 0x9D, 0x80 | max_bits as u8], bits: 9, group: Vec::new() };
    let Some((&first, rest)) = bytes.split_first() else { return codes.out };
    let mut code = u32::from(first);
    for &byte in rest {
        if let Some(&longer) = table.get(&(code, byte)) {
            code = longer;
            continue;
        }
        codes.put(code);
        if next >= 1 << codes.bits && codes.bits < max_bits {
            codes.flush(codes.bits as usize);
            codes.bits += 1;
        }
        if next < 1 << max_bits {
            table.insert((code, byte), next);
            next += 1;
        }
        code = u32::from(byte);
    }
    codes.put(code);
    codes.flush((codes.group.len() * codes.bits as usize).div_ceil(8));
    codes.out
}

/// A writer for codes of compress(1). It writes codes in groups of eight, because eight codes of n bits fill n bytes.
struct Codes {
    out: Vec<u8>,
    bits: u32,
    group: Vec<u32>,
}

impl Codes {
    fn put(&mut self, code: u32) {
        self.group.push(code);
        if self.group.len() == 8 {
            self.flush(self.bits as usize);
        }
    }

    /// Writes the current group as `count` bytes.
    fn flush(&mut self, count: usize) {
        if self.group.is_empty() {
            return;
        }
        let bits: Vec<u32> =
            self.group.drain(..).flat_map(|code| (0..self.bits).map(move |bit| code >> bit & 1)).collect();
        let mut bytes: Vec<u8> =
            bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |n, &bit| n << 1 | bit as u8)).collect();
        bytes.resize(count, 0);
        self.out.extend(bytes);
    }
}

/// Returns a tar archive (ustar) of these files.
pub(crate) fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        if name.len() >= 100 {
            // As in GNU tar, an extra member of type `L` has the long name as its data.
            out.extend(tar_member(b'L', "././@LongLink", Some(&[name.as_bytes(), b"\0"].concat())));
        }
        out.extend(tar_member(b'0', name, Some(bytes)));
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// Returns the header and the data of a tar member. `kind` is the type flag. If `bytes` is `None`, the header has no
/// size and there is no data.
pub(crate) fn tar_member(kind: u8, name: &str, bytes: Option<&[u8]>) -> Vec<u8> {
    let mut member = vec![0; 512];
    let mut put = |at: usize, text: &[u8]| member[at..at + text.len()].copy_from_slice(text);
    put(0, &name.as_bytes()[..name.len().min(100)]);
    put(100, b"0000644\0");
    if let Some(bytes) = bytes {
        put(124, format!("{:011o} ", bytes.len()).as_bytes());
    }
    put(136, b"00000000000 ");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = member.iter().map(|&byte| u32::from(byte)).sum();
    member[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    member.extend(bytes.unwrap_or_default());
    member.resize(member.len().next_multiple_of(512), 0);
    member
}

/// Returns a zip archive of these files. Each file is compressed with deflate. The checksum and the sizes of a file are
/// before its data, or after its data if `streamed` is set.
pub(crate) fn zip(files: &[(String, Vec<u8>)], streamed: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflate.write_all(bytes).expect("writing to a Vec cannot fail");
        let packed = deflate.finish().expect("writing to a Vec cannot fail");
        let mut crc = Crc::new();
        crc.update(bytes);
        let sizes = [crc.sum(), packed.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat();
        out.extend(b"PK\x03\x04\x14\0");
        out.extend([if streamed { 8 } else { 0 }, 0, 8, 0, 0, 0, 0, 0]);
        out.extend(if streamed { &[0; 12] } else { &*sizes });
        out.extend([(name.len() as u16).to_le_bytes(), [0; 2]].concat());
        out.extend(name.as_bytes());
        out.extend(packed);
        if streamed {
            out.extend([b"PK\x07\x08", &*sizes].concat());
        }
    }
    // This end record says that the central directory is empty. A search reads the directory only to divide an archive
    // into parts. Tests of the division use `zip_with_directory`.
    out.extend([b"PK\x05\x06", &[0; 18][..]].concat());
    out
}

/// Returns the same archive as [`zip`], but with a central directory that lists the members. If `is_large` is set, the
/// directory has offsets of eight bytes (zip64), as some programs write them even in a small archive.
pub(crate) fn zip_with_directory(files: &[(String, Vec<u8>)], streamed: bool, is_large: bool) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut member = zip(std::slice::from_ref(file), streamed);
        member.truncate(member.len() - 22);
        let offset = if is_large { u32::MAX } else { out.len() as u32 };
        let extra = [&[1, 0, 8, 0][..], &(out.len() as u64).to_le_bytes()].concat();
        let extra = if is_large { &*extra } else { &[] };
        let lengths = [file.0.len() as u16, extra.len() as u16].map(u16::to_le_bytes).concat();
        directory.extend([&b"PK\x01\x02\x14\0"[..], &member[4..26], &lengths, &[0; 10]].concat());
        directory.extend([&offset.to_le_bytes()[..], file.0.as_bytes(), extra].concat());
        out.extend(member);
    }
    let (offset, size, count) = (out.len(), directory.len(), files.len() as u16);
    out.extend(directory);
    if is_large {
        let end = out.len() as u64;
        out.extend([&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[0; 28]].concat());
        out.extend([size as u64, offset as u64].map(u64::to_le_bytes).concat());
        out.extend([&b"PK\x06\x07"[..], &[0; 4], &end.to_le_bytes(), &[1, 0, 0, 0]].concat());
    }
    let counts = [0, 0, count, count].map(u16::to_le_bytes).concat();
    let place = [size as u32, if is_large { u32::MAX } else { offset as u32 }].map(u32::to_le_bytes).concat();
    out.extend([&b"PK\x05\x06"[..], &counts, &place, &[0; 2]].concat());
    out
}

/// Returns a zip member in the form that programs write to a pipe: the checksum and the sizes are after the data, and
/// the header has the flag 8. Each size takes `width` bytes. The data is compressed with `method`. `flags` are
/// additional flags for the header.
pub(crate) fn streamed_member(name: &str, method: u8, flags: u8, bytes: &[u8], width: usize) -> Vec<u8> {
    let packed = match method {
        12 => bzip2(bytes),
        93 => zstd(bytes),
        95 => xz(bytes),
        _ => bytes.to_vec(),
    };
    let mut crc = Crc::new();
    crc.update(bytes);
    let mut out = [&b"PK\x03\x04\x2D\0"[..], &[flags | 8, 0, method, 0], &[0; 16]].concat();
    out.extend([(name.len() as u16).to_le_bytes(), [0; 2]].concat());
    out.extend([name.as_bytes(), &packed, b"PK\x07\x08", &crc.sum().to_le_bytes()].concat());
    for size in [packed.len(), bytes.len()] {
        out.extend(&(size as u64).to_le_bytes()[..width]);
    }
    out
}

/// Returns a zip archive of these files, in the form that programs write to a pipe (see [`streamed_member`]). The data
/// is compressed with `method`.
pub(crate) fn streamed_zip(files: &[(String, Vec<u8>)], method: u8) -> Vec<u8> {
    let members = files.iter().map(|(name, bytes)| streamed_member(name, method, 0, bytes, 4));
    [members.collect::<Vec<_>>().concat(), zip(&[], false)].concat()
}

/// Returns a zip member. `packed` is the data of the member, already compressed with `method`.
pub(crate) fn zip_member(name: &str, method: u8, packed: &[u8]) -> Vec<u8> {
    let size = (packed.len() as u32).to_le_bytes();
    let head = [&b"PK\x03\x04\x14\0\0\0"[..], &[method, 0], &[0; 8], &size, &size].concat();
    [&head[..], &(name.len() as u16).to_le_bytes(), &[0; 2], name.as_bytes(), packed].concat()
}

pub(crate) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("writing to a Vec cannot fail");
    encoder.finish().expect("writing to a Vec cannot fail")
}

pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).expect("a preset");
    encoder.write_all(bytes).expect("writing to a Vec cannot fail");
    encoder.finish().expect("writing to a Vec cannot fail")
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
