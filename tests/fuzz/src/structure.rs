//! A mutator for files that consist of records with lengths, offsets and checksums: zip and tar archives, gzip, the
//! output of `git cat-file --batch`, and Outlook's files. Random bytes seldom make such a file that is valid, so
//! decoders would reject nearly all inputs at their first check. This mutator changes a member or a field, and then
//! mostly corrects what depends on the change.

use std::io::{Read, Write};
use std::ops::Range;

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use libfuzzer_sys::fuzzer_mutate;
use memchr::memmem::find_iter;

/// Number of bytes before the file in an input. They choose the options of the target.
const OPTIONS: usize = 3;

/// Maximum number of archives in archives that are opened.
const DEPTH_MAX: u32 = 3;

/// A kind of record: bytes that each record of the kind has, their offset in the record, and the offsets and lengths of
/// fields. Fields of tar archives are octal numbers, the others have the least significant byte first.
type Record = (&'static [u8], usize, &'static [(usize, usize)]);

const RECORDS: [Record; 17] = [
    (ZIP_FILE, 0, &[(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)]),
    (ZIP_ENTRY, 0, &[(6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (38, 4), (42, 4)]),
    (ZIP_END, 0, &[(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)]),
    (b"PK\x06\x06", 0, &[(4, 8), (16, 4), (24, 8), (32, 8), (40, 8), (48, 8)]),
    (b"PK\x06\x07", 0, &[(4, 4), (8, 8), (16, 4)]),
    (ZIP_SIZES, 0, &[(4, 4), (8, 4), (12, 4)]),
    // The type of a member can be any byte.
    (TAR, TAR_AT, &[(100, 8), (124, 12), (136, 12), (156, 1), (345, 1)]),
    (GZIP, 0, &[(3, 1), (4, 4)]),
    // Compound files: the header, an entry of the directory, and the end of a chain of sectors.
    (b"\xD0\xCF\x11\xE0", 0, &[(30, 2), (32, 2), (44, 4), (48, 4), (56, 4), (60, 4), (64, 4), (68, 4), (76, 4)]),
    (b"_\0_\0", 0, &[(64, 2), (66, 1), (68, 4), (72, 4), (76, 4), (116, 4), (120, 4), (124, 4)]),
    (b"R\0o\0o\0t\0", 0, &[(64, 2), (66, 1), (68, 4), (72, 4), (76, 4), (116, 4), (120, 4)]),
    (b"\xFE\xFF\xFF\xFF", 4, &[(0, 4), (4, 4), (8, 4)]),
    // Mailboxes: the header, a page of one of the two trees, and a heap.
    (b"!BDN", 0, &[(10, 1), (188, 4), (196, 4), (224, 4), (240, 4), (461, 1), (513, 1)]),
    (b"\x80\x80", 496, &[(0, 4), (8, 4), (16, 2), (18, 2), (24, 4), (32, 4), (40, 2), (488, 1), (490, 1), (491, 1)]),
    (b"\x81\x81", 496, &[(0, 4), (8, 4), (16, 4), (24, 4), (32, 4), (40, 4), (48, 4), (488, 1), (490, 1), (491, 1)]),
    (b"\xEC\xBC", 2, &[(0, 2), (4, 4), (12, 1), (13, 1), (14, 1), (15, 1), (16, 4), (20, 2), (22, 2), (24, 4)]),
    // An attribute of TNEF that contains properties: their length and number.
    (b"\x03\x90\x06\0", 0, &[(4, 4), (8, 4), (12, 2), (14, 2), (16, 4)]),
];

const ZIP_FILE: &[u8] = b"PK\x03\x04";
const ZIP_ENTRY: &[u8] = b"PK\x01\x02";
const ZIP_END: &[u8] = b"PK\x05\x06";
const ZIP_SIZES: &[u8] = b"PK\x07\x08";
const GZIP: &[u8] = b"\x1F\x8B\x08";
const TAR: &[u8] = b"ustar";
/// The offset of `TAR` in a header. A header has 512 bytes.
const TAR_AT: usize = 257;

/// Changes the input in the first `size` bytes of `data`. Returns its new size, which is at most `max`.
pub fn mutate(data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed));
    if size <= OPTIONS || random.below(8) == 0 {
        return fuzzer_mutate(data, size, max);
    }
    let file = changed(data[OPTIONS..size].to_vec(), &mut random, 0);
    if file.len() + OPTIONS > max {
        return fuzzer_mutate(data, size, max);
    }
    data[OPTIONS..][..file.len()].copy_from_slice(&file);
    OPTIONS + file.len()
}

fn changed(mut file: Vec<u8>, random: &mut Random, depth: u32) -> Vec<u8> {
    let members = members(&file);
    match random.below(8) {
        0..4 if !members.is_empty() && depth < DEPTH_MAX => {
            let member = &members[random.below(members.len())];
            let content = changed(member.content(&file), random, depth + 1);
            file = member.replaced(&file, content);
        }
        4..6 if set_field(&mut file, random) => {}
        // Change bytes without moving others.
        6 if !file.is_empty() => {
            let at = random.below(file.len());
            let bytes = &mut file[at..];
            let length = bytes.len().min(64);
            fuzzer_mutate(&mut bytes[..length], length, length);
        }
        // Copy a block over another.
        7 if file.len() > 512 => {
            let block = 64 << random.below(4);
            let blocks = file.len() / block;
            let [from, to] = [random.below(blocks) * block, random.below(blocks) * block];
            file.copy_within(from..from + block, to);
        }
        _ => {
            let length = file.len();
            file.resize(length + 64, 0);
            let length = fuzzer_mutate(&mut file, length, length + 64);
            file.truncate(length);
        }
    }
    // Sometimes, a checksum stays wrong.
    if random.below(8) > 0 {
        tar_checksums(&mut file);
    }
    file
}

/// Gives a field of a record a value that is likely to be a special case. Returns `false` if the file has no records.
fn set_field(file: &mut [u8], random: &mut Random) -> bool {
    let mut fields = Vec::new();
    for (magic, offset, all) in RECORDS {
        for at in find_iter(file, magic).filter_map(|at| at.checked_sub(offset)) {
            fields.extend(all.iter().map(|&(from, length)| (at + from..at + from + length, magic == TAR)));
        }
    }
    fields.retain(|(field, _)| field.end <= file.len());
    if fields.is_empty() {
        return false;
    }
    let (field, is_octal) = fields[random.below(fields.len())].clone();
    let length = file.len() as u64;
    let old = number(file, &field, is_octal);
    let values = [0, 1, u64::MAX, u64::MAX >> 33, length, old ^ 1 << random.below(32)];
    let other = number(file, &fields[random.below(fields.len())].0, is_octal);
    let value = match random.below(10) {
        index @ ..6 => values[index],
        6 => other,
        7 => old.wrapping_add(random.below(64) as u64).wrapping_sub(32),
        8 => random.below(file.len()) as u64,
        _ => old.wrapping_mul(2),
    };
    set_number(file, &field, is_octal && field.len() > 1, value);
    true
}

fn number(file: &[u8], field: &Range<usize>, is_octal: bool) -> u64 {
    let bytes = file[field.clone()].iter();
    if is_octal {
        bytes.filter(|byte| (b'0'..b'8').contains(byte)).fold(0, |sum: u64, &byte| sum << 3 | u64::from(byte - b'0'))
    } else {
        bytes.rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    }
}

fn set_number(file: &mut [u8], field: &Range<usize>, is_octal: bool, value: u64) {
    for (i, byte) in file[field.clone()].iter_mut().enumerate() {
        let last = field.len() - 1;
        *byte = match is_octal {
            true if i == last => 0,
            true => b'0' + (value.checked_shr(3 * (last - 1 - i) as u32).unwrap_or(0) & 7) as u8,
            false => value.checked_shr(8 * i as u32).unwrap_or(0) as u8,
        };
    }
}

fn set(file: &mut [u8], at: usize, length: usize, value: usize) {
    if at + length <= file.len() {
        set_number(file, &(at..at + length), false, value as u64);
    }
}

enum Kind {
    Gzip,
    Git,
    Tar,
    Zip,
}

/// A file in an archive. `head` is the offset of the record before the file, and `body` is where its bytes are.
struct Member {
    kind: Kind,
    head: usize,
    body: Range<usize>,
}

fn members(file: &[u8]) -> Vec<Member> {
    let mut members = Vec::new();
    if file.starts_with(GZIP) {
        members.push(Member { kind: Kind::Gzip, head: 0, body: 0..file.len() });
    }
    for head in find_iter(file, TAR).filter_map(|at| at.checked_sub(TAR_AT)) {
        let size = file.get(head + 124..head + 136).map_or(0, |field| number(field, &(0..12), true)) as usize;
        members.push(Member { kind: Kind::Tar, head, body: head + 512..(head + 512).saturating_add(size) });
    }
    for (head, body, _) in zip_files(file) {
        members.push(Member { kind: Kind::Zip, head, body });
    }
    for kind in [" blob ", " tree ", " commit ", " tag "] {
        for at in find_iter(file, kind).map(|at| at + kind.len()) {
            let digits = file[at..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
            let size = str::from_utf8(&file[at..at + digits]).ok().and_then(|size| size.parse::<usize>().ok());
            let from = at + digits + 1;
            members.extend(size.map(|size| Member { kind: Kind::Git, head: at, body: from..from + size }));
        }
    }
    members.retain(|member| member.body.start <= member.body.end && member.body.end <= file.len());
    members
}

impl Member {
    fn is_deflated(&self, file: &[u8]) -> bool {
        file[self.head + 8] == 8
    }

    /// Returns the bytes of the file, decompressed as far as possible.
    fn content(&self, file: &[u8]) -> Vec<u8> {
        let body = &file[self.body.clone()];
        let mut content = Vec::new();
        // An error leaves the bytes before it.
        match self.kind {
            Kind::Gzip => drop(MultiGzDecoder::new(body).take(1 << 16).read_to_end(&mut content)),
            Kind::Zip if self.is_deflated(file) => {
                drop(DeflateDecoder::new(body).take(1 << 16).read_to_end(&mut content));
            }
            _ => content.extend(body),
        }
        content
    }

    /// Returns the archive with other bytes for this file, and with the sizes, offsets and checksums that belong to it.
    fn replaced(&self, file: &[u8], mut content: Vec<u8>) -> Vec<u8> {
        const MEMORY: &str = "writing to a Vec cannot fail";
        let (mut before, mut end) = (file[..self.body.start].to_vec(), self.body.end);
        match self.kind {
            Kind::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&content).expect(MEMORY);
                return encoder.finish().expect(MEMORY);
            }
            Kind::Git => {
                before.truncate(self.head);
                before.extend(format!("{}\n", content.len()).bytes());
            }
            Kind::Tar => {
                if matches!(before[self.head + 156], b'x' | b'g') {
                    content = pax(&content);
                }
                set_number(&mut before, &(self.head + 124..self.head + 136), true, content.len() as u64);
                content.resize(content.len().next_multiple_of(512), 0);
                end = (self.body.start + self.body.len().next_multiple_of(512)).min(file.len());
            }
            Kind::Zip if self.is_deflated(file) => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&content).expect(MEMORY);
                content = encoder.finish().expect(MEMORY);
            }
            Kind::Zip => {}
        }
        let mut file = [&before, &content[..], &file[end..]].concat();
        if let Kind::Zip = self.kind {
            zip_sizes(&mut file);
        }
        file
    }
}

/// Corrects the length before each line of a pax header.
fn pax(content: &[u8]) -> Vec<u8> {
    let lines = content.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.flat_map(|line| {
        let rest = &line[line.iter().position(|&byte| byte == b' ').unwrap_or(0)..];
        let length = (1..).map(|digits| rest.len() + digits).find(|sum| sum.to_string().len() + rest.len() == *sum);
        [length.expect("a length has few digits").to_string().as_bytes(), rest].concat()
    });
    lines.collect()
}

fn tar_checksums(file: &mut [u8]) {
    let heads: Vec<_> = find_iter(file, TAR).filter_map(|at| at.checked_sub(TAR_AT)).collect();
    for header in heads {
        if let Some(header) = file.get_mut(header..header + 512) {
            header[148..156].fill(b' ');
            let sum = header.iter().map(|&byte| u64::from(byte)).sum();
            set_number(header, &(148..155), true, sum);
        }
    }
}

/// Returns three places for each file of a zip archive: the offset of its header, the range of its bytes, and the offset
/// of its entry in the directory.
fn zip_files(file: &[u8]) -> Vec<(usize, Range<usize>, usize)> {
    let heads: Vec<_> = find_iter(file, ZIP_FILE).collect();
    let entries: Vec<_> = find_iter(file, ZIP_ENTRY).collect();
    let Some(&directory) = entries.first() else { return Vec::new() };
    let ends: Vec<_> = find_iter(file, ZIP_SIZES).chain(heads.iter().copied()).chain([directory]).collect();
    let files = heads.iter().zip(&entries).filter_map(|(&head, &entry)| {
        let header = file.get(head..head + 30)?;
        let [name, extra] = [26..28, 28..30].map(|field| number(header, &field, false) as usize);
        let body = head + 30 + name + extra;
        let end = ends.iter().copied().filter(|&end| end >= body).min()?;
        Some((head, body..end, entry))
    });
    files.collect()
}

/// Corrects the sizes, offsets and checksums of a zip archive.
fn zip_sizes(file: &mut [u8]) {
    let files = zip_files(file);
    for (head, body, entry) in &files {
        let member = Member { kind: Kind::Zip, head: *head, body: body.clone() };
        let content = member.content(file);
        let mut sum = Crc::new();
        sum.update(&content);
        let values = [sum.sum() as usize, body.len(), content.len()];
        // With bit 3 of the flags, the header has no sizes. They are after the bytes.
        let header = if file[head + 6] & 8 > 0 { body.end + 4 } else { head + 14 };
        for (i, value) in values.into_iter().enumerate() {
            set(file, header + 4 * i, 4, value);
            set(file, entry + 16 + 4 * i, 4, value);
        }
        set(file, entry + 42, 4, *head);
    }
    let end = find_iter(file, ZIP_END).last();
    if let (Some(end), Some((_, _, directory))) = (end, files.first()) {
        set(file, end + 12, 4, end.saturating_sub(*directory));
        set(file, end + 16, 4, *directory);
    }
}

/// A generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
