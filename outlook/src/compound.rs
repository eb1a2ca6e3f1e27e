//! Reads compound files ([MS-CFB], also called OLE): streams in a tree of storages, like files in directories.
//!
//! Damaged files are read as far as possible. The time is linear in the length of the file and of the streams that are
//! read, even if streams share sectors.

use std::collections::HashMap;
use std::iter;

use super::{u16_at, u32_at};

/// The first bytes of every compound file.
pub(super) const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Shorter streams are in the mini stream.
const CUTOFF: usize = 4096;

/// Length of a sector of the mini stream, as a power of two.
const MINI: u32 = 6;

/// Length of an entry of the directory.
const ENTRY: usize = 128;

/// Sector numbers from here on have other meanings, such as the end of a chain.
const SECTORS_END: u32 = 0xFFFF_FFFA;

/// Where an entry has no link to another one.
const NO_ENTRY: u32 = u32::MAX;

/// A compound file in memory. Its entries and mini sectors never cross a sector, so they are read where they are.
pub(super) struct Compound<'b> {
    bytes: &'b [u8],
    /// Length of a sector, as a power of two.
    shift: u32,
    /// For each sector, the next sector of its chain.
    table: Vec<u32>,
    /// The sectors of the directory, of the mini stream, and of the table of the mini stream.
    directory: Vec<u32>,
    mini_stream: Vec<u32>,
    mini_table: Vec<u32>,
    /// The numbers of the entries in each storage.
    storages: HashMap<usize, Vec<usize>>,
    /// Whether the tree has links to entries that do not exist or that it has already.
    pub(super) is_damaged: bool,
}

/// A stream or a storage.
#[derive(Clone, Copy)]
pub(super) struct Entry<'b> {
    number: usize,
    bytes: &'b [u8; ENTRY],
}

impl Entry<'_> {
    const LEFT: usize = 68;
    const RIGHT: usize = 72;
    const CHILD: usize = 76;
    const START: usize = 116;
    const SIZE: usize = 120;

    pub(super) fn name(&self) -> String {
        // The length includes a NUL.
        let length = usize::from(self.bytes[64]).saturating_sub(2).min(62);
        let units = self.bytes[..length].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    pub(super) fn is_storage(&self) -> bool {
        self.bytes[66] == 1
    }

    pub(super) fn is_stream(&self) -> bool {
        self.bytes[66] == 2
    }

    fn is_root(&self) -> bool {
        self.bytes[66] == 5
    }

    fn field(&self, at: usize) -> u32 {
        u32_at(self.bytes, at).unwrap_or(NO_ENTRY)
    }

    /// The number of bytes of a stream. Files of 4 GiB or more are not read, so the upper half of the field is not
    /// needed.
    pub(super) fn size(&self) -> usize {
        self.field(Entry::SIZE) as usize
    }
}

impl<'b> Compound<'b> {
    /// Reads the tables and the tree of a file. Returns `None` if the file has no root storage.
    pub(super) fn open(bytes: &'b [u8]) -> Option<(Compound<'b>, Entry<'b>)> {
        let shift = u16_at(bytes, 30).filter(|shift| matches!(shift, 9 | 12))?.into();
        let mut file = Compound {
            bytes,
            shift,
            table: Vec::new(),
            directory: Vec::new(),
            mini_stream: Vec::new(),
            mini_table: Vec::new(),
            storages: HashMap::new(),
            is_damaged: false,
        };
        file.table = file.allocation_table();
        file.directory = file.chain(u32_at(bytes, 48)?);
        let root = file.entry(0).filter(Entry::is_root)?;
        file.mini_stream = file.chain(root.field(Entry::START));
        file.mini_table = file.chain(u32_at(bytes, 60)?);
        file.read_tree();
        Some((file, root))
    }

    /// Returns the allocation table. The list of its sectors begins in the header, and can go on in a chain of sectors,
    /// whose last number is the next sector.
    fn allocation_table(&self) -> Vec<u32> {
        // A hostile list can repeat a sector, so the length of the file limits both lists.
        let most = self.bytes.len() >> self.shift;
        let mut list: Vec<_> = numbers(self.bytes.get(76..512).unwrap_or_default()).collect();
        let mut next = u32_at(self.bytes, 68).unwrap_or(SECTORS_END);
        while list.len() < most
            && let Some(sector) = self.sector(next).filter(|sector| sector.len() == 1 << self.shift)
        {
            list.extend(numbers(sector));
            next = list.pop().unwrap_or(SECTORS_END);
        }
        let mut table = Vec::new();
        for number in list {
            let end = table.len() + (1 << (self.shift - 2));
            table.extend(self.sector(number).into_iter().flat_map(numbers));
            // A sector can be missing, or not whole.
            table.resize(end, SECTORS_END);
            if end >= most {
                break;
            }
        }
        table.truncate(most);
        table
    }

    /// Returns a sector. It is shorter at the end of a truncated file. `None` if the file has no such sector.
    fn sector(&self, number: u32) -> Option<&'b [u8]> {
        // The header is before the first sector.
        let start = usize::try_from((u64::from(number) + 1) << self.shift).ok()?;
        let rest = self.bytes.get(start..).filter(|rest| number < SECTORS_END && !rest.is_empty())?;
        Some(&rest[..rest.len().min(1 << self.shift)])
    }

    /// Returns the numbers of the sectors in the chain that begins at `first`. A chain that is a circle ends.
    fn chain(&self, first: u32) -> Vec<u32> {
        let next = |&number: &u32| self.table.get(number as usize).copied();
        iter::successors(Some(first), next).take_while(|&number| number < SECTORS_END).take(self.table.len()).collect()
    }

    /// Returns the bytes at the offset `at` of a chain, up to the end of the sector.
    fn bytes_at(&self, chain: &[u32], at: u64) -> Option<&'b [u8]> {
        let sector = self.sector(*chain.get(usize::try_from(at >> self.shift).ok()?)?)?;
        sector.get(at as usize & ((1 << self.shift) - 1)..)
    }

    fn entry(&self, number: usize) -> Option<Entry<'b>> {
        let bytes = self.bytes_at(&self.directory, number as u64 * ENTRY as u64)?.first_chunk()?;
        Some(Entry { number, bytes })
    }

    /// Lists the entries of each storage. They are a binary tree, in the order of their names. Each entry is in one
    /// storage, so the tree of a hostile file has no more entries than the directory. If the tree is damaged, entries
    /// to which no link leads are in the root, first the storages. So an attached message that was lost is not found in
    /// its attachment, but the file counts as damaged.
    fn read_tree(&mut self) {
        let mut is_seen = vec![false; (self.directory.len() << self.shift) / ENTRY];
        if let Some(root) = is_seen.first_mut() {
            *root = true;
        }
        self.read_storages(0, &mut is_seen);
        if !self.is_damaged {
            return;
        }
        for is_storage in [true, false] {
            for number in 1..is_seen.len() {
                let entry = self.entry(number).filter(|entry| entry.is_storage() || entry.is_stream());
                if !is_seen[number] && entry.is_some_and(|entry| entry.is_storage() == is_storage) {
                    is_seen[number] = true;
                    self.storages.entry(0).or_default().push(number);
                    self.read_storages(number, &mut is_seen);
                }
            }
        }
    }

    /// Lists the entries of a storage, and of all storages in it.
    fn read_storages(&mut self, first: usize, is_seen: &mut [bool]) {
        let mut open = vec![first];
        while let Some(storage) = open.pop() {
            let (mut found, mut path) = (Vec::new(), Vec::new());
            let mut next = self.entry(storage).map_or(NO_ENTRY, |entry| entry.field(Entry::CHILD));
            loop {
                while next != NO_ENTRY {
                    let is_new =
                        is_seen.get_mut(next as usize).is_some_and(|is_seen| !std::mem::replace(is_seen, true));
                    let Some(entry) = self.entry(next as usize).filter(|_| is_new) else {
                        self.is_damaged = true;
                        break;
                    };
                    path.push(entry);
                    next = entry.field(Entry::LEFT);
                }
                let Some(entry) = path.pop() else { break };
                self.is_damaged |= !entry.is_stream() && !entry.is_storage();
                if entry.is_storage() {
                    open.push(entry.number);
                }
                found.push(entry.number);
                next = entry.field(Entry::RIGHT);
            }
            self.storages.insert(storage, found);
        }
    }

    /// Returns the streams and storages in a storage, in the order of their names.
    pub(super) fn entries(&self, storage: Entry<'_>) -> impl Iterator<Item = Entry<'b>> {
        let numbers = self.storages.get(&storage.number).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|&number| self.entry(number))
    }

    /// Returns the stream or storage `name` in a storage.
    pub(super) fn find(&self, storage: Entry<'_>, name: &str) -> Option<Entry<'b>> {
        self.entries(storage).find(|entry| entry.name().eq_ignore_ascii_case(name))
    }

    /// Returns the bytes of a stream, at most `most`. If the file is damaged, there are fewer.
    pub(super) fn read(&self, stream: Entry<'_>, most: usize) -> Vec<u8> {
        let (mut number, is_mini) = (stream.field(Entry::START), stream.size() < CUTOFF);
        let most = most.min(stream.size()).min(self.bytes.len());
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let (sector, length, next) = if is_mini {
                let next = self.bytes_at(&self.mini_table, u64::from(number) * 4).and_then(|rest| u32_at(rest, 0));
                (self.bytes_at(&self.mini_stream, u64::from(number) << MINI), 1 << MINI, next)
            } else {
                (self.sector(number), 1 << self.shift, self.table.get(number as usize).copied())
            };
            let Some(sector) = sector else { break };
            let wanted = length.min(most - bytes.len());
            bytes.extend(&sector[..sector.len().min(wanted)]);
            match next {
                Some(next) if sector.len() >= length => number = next,
                // The file ends in this sector.
                _ => break,
            }
        }
        bytes
    }
}

/// Returns the numbers of 32 bits in `bytes`.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|number| u32_at(number, 0))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read, Write};
    use std::path::{Path, PathBuf};

    use cfb::{CompoundFile, Version};

    use super::*;

    type Streams = Vec<(PathBuf, Vec<u8>)>;

    /// Returns a file with short and long streams in nested storages.
    fn made(version: Version, longest: usize) -> Vec<u8> {
        let mut file = CompoundFile::create_with_version(version, Cursor::new(Vec::new())).unwrap();
        for (number, length) in [0, 1, 63, 64, 65, 4095, 4096, 4097, longest].into_iter().enumerate() {
            for at in [format!("/s{number}"), format!("/s{number}/\u{e9}")] {
                file.create_storage(&at).unwrap();
                let content: Vec<_> = (0..length).map(|i| (i * 31 / 7 + number + at.len()) as u8).collect();
                file.create_stream(format!("{at}/a")).unwrap().write_all(&content).unwrap();
            }
        }
        file.into_inner().into_inner()
    }

    fn add(file: &Compound<'_>, storage: Entry<'_>, at: &Path, streams: &mut Streams) {
        for entry in file.entries(storage) {
            let path = at.join(entry.name());
            match entry.is_stream() {
                true => streams.push((path, file.read(entry, usize::MAX))),
                false => add(file, entry, &path, streams),
            }
        }
    }

    /// Returns the path and the content of each stream, and whether the tree is damaged.
    fn streams(bytes: &[u8]) -> Option<(Streams, bool)> {
        let ((file, root), mut streams) = (Compound::open(bytes)?, Vec::new());
        add(&file, root, Path::new("/"), &mut streams);
        Some((streams, file.is_damaged))
    }

    fn put(bytes: &mut [u8], at: usize, number: u32) {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    /// Returns the offset of an entry of the directory.
    fn entry(bytes: &[u8], number: usize) -> usize {
        let (file, _) = Compound::open(bytes).unwrap();
        file.entry(number).unwrap().bytes.as_ptr().addr() - bytes.as_ptr().addr()
    }

    #[test]
    fn the_crate_cfb_reads_the_same_streams() {
        // A file of 9 MB has more tables than the list in the header can name.
        for (version, longest) in [(Version::V3, 4_500_000), (Version::V3, 70_000), (Version::V4, 70_000)] {
            let bytes = made(version, longest);
            let mut file = CompoundFile::open(Cursor::new(&bytes[..])).unwrap();
            let paths: Vec<_> =
                file.walk().filter(cfb::Entry::is_stream).map(|entry| entry.path().to_owned()).collect();
            let mut want = Vec::new();
            for path in paths {
                let mut content = Vec::new();
                file.open_stream(&path).unwrap().read_to_end(&mut content).unwrap();
                want.push((path, content));
            }
            let (mut found, is_damaged) = streams(&bytes).unwrap();
            found.sort();
            want.sort();
            assert!(found == want && found.len() == 18 && !is_damaged, "{version:?}, {longest} bytes");
        }
    }

    /// The streams of a truncated file are beginnings of the whole streams.
    #[test]
    fn truncated_files() {
        let bytes = made(Version::V3, 5000);
        let (whole, _) = streams(&bytes).unwrap();
        let mut found = 0;
        for length in (0..bytes.len()).step_by(97) {
            for (path, content) in streams(&bytes[..length]).map_or(Vec::new(), |(streams, _)| streams) {
                let want = whole.iter().find(|(other, _)| *other == path);
                assert!(want.is_some_and(|(_, want)| want.starts_with(&content)), "{length}: {}", path.display());
                found += 1;
            }
        }
        assert!(found > 1000, "{found} streams");
    }

    #[test]
    fn damaged_links() {
        let whole = made(Version::V3, 5000);
        let (all, _) = streams(&whole).unwrap();
        let root = u32_at(&whole, entry(&whole, 0) + Entry::CHILD).unwrap() as usize;
        // Links to the root, to the entry itself, and to entries that do not exist. The rest of the tree remains.
        for (number, at) in [(0, Entry::CHILD), (root, Entry::LEFT), (root, Entry::RIGHT)] {
            for to in [0, root as u32, 100_000] {
                let mut bytes = whole.clone();
                let at = entry(&whole, number) + at;
                put(&mut bytes, at, to);
                let (found, is_damaged) = streams(&bytes).unwrap();
                assert_eq!(is_damaged, bytes != whole, "{number}, {to}");
                // Streams to which no link leads are in the root, with their content.
                let contents = |streams: &Streams| {
                    let mut contents: Vec<_> = streams.iter().map(|(_, content)| content.clone()).collect();
                    contents.sort();
                    contents
                };
                assert_eq!(contents(&found), contents(&all), "{number}, {to}");
            }
        }
    }

    /// In hostile files, sectors can be their own successors.
    #[test]
    fn circles_end() {
        let whole = made(Version::V3, 70_000);
        let mut bytes = whole.clone();
        // The first table, and that of the mini stream, say that each sector follows itself.
        for (at, count) in [(76, 128), (60, 128)] {
            let table = (u32_at(&whole, at).unwrap() as usize + 1) << 9;
            (0..count).for_each(|number| put(&mut bytes, table + 4 * number, number as u32));
        }
        let (found, _) = streams(&bytes).unwrap();
        assert!(!found.is_empty() && found.iter().all(|(_, content)| content.len() <= 70_000));
        // The list of tables goes on in the last sector, which is not whole and names itself.
        let mut bytes = whole[..512].to_vec();
        bytes.resize(110 << 9, 0);
        put(&mut bytes, 68, 109);
        bytes.extend(109_u32.to_le_bytes());
        assert!(Compound::open(&bytes).is_none());
    }

    #[test]
    fn random_damage() {
        let whole = made(Version::V3, 5000);
        // A small random generator, so that each run tests the same files.
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for round in 0..3000 {
            let mut bytes = whole.clone();
            for _ in 0..4 {
                let at = random(if round % 2 == 0 { bytes.len() } else { 2048 });
                bytes[at] = [0, 1, 0x7F, 0xFF][random(4)];
            }
            for (path, content) in streams(&bytes).map_or(Vec::new(), |(streams, _)| streams) {
                assert!(content.len() <= whole.len(), "{}", path.display());
            }
        }
    }
}
