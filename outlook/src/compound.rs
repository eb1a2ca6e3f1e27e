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

/// Offset of the list of the sectors that have the allocation table.
const TABLES: usize = 76;

/// Sector numbers from here on have other meanings, such as the end of a chain.
const SECTORS_END: u32 = 0xFFFF_FFFA;

/// A compound file in memory.
pub(super) struct Compound<'b> {
    bytes: &'b [u8],
    /// Length of a sector, as a power of two.
    shift: u32,
    /// For each sector, the next sector of its chain.
    table: Vec<u32>,
    mini_table: Vec<u32>,
    mini_stream: Vec<u8>,
    directory: Vec<u8>,
    /// The entries in each storage.
    storages: HashMap<usize, Vec<usize>>,
}

/// A stream or a storage.
#[derive(Clone, Copy)]
pub(super) struct Entry<'c> {
    number: usize,
    bytes: &'c [u8; ENTRY],
}

impl Entry<'_> {
    pub(super) fn name(&self) -> String {
        // The length includes a NUL.
        let length = usize::from(self.bytes[64]).saturating_sub(2).min(62);
        let units = self.bytes[..length].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    pub(super) fn is_storage(&self) -> bool {
        matches!(self.bytes[66], 1 | 5)
    }

    pub(super) fn is_stream(&self) -> bool {
        self.bytes[66] == 2
    }

    fn number_at(&self, at: usize) -> u32 {
        u32_at(self.bytes, at).unwrap_or(SECTORS_END)
    }

    /// The number of bytes of a stream. In files with short sectors, only the lower half of the field counts.
    pub(super) fn size(&self) -> usize {
        self.number_at(120) as usize
    }
}

impl<'b> Compound<'b> {
    /// Reads the tables and the directory of a file. Returns `None` if the file has no root storage.
    pub(super) fn open(bytes: &'b [u8]) -> Option<Compound<'b>> {
        let shift = u16_at(bytes, 30).filter(|shift| matches!(shift, 9 | 12))?.into();
        let mut file = Compound {
            bytes,
            shift,
            table: Vec::new(),
            mini_table: Vec::new(),
            mini_stream: Vec::new(),
            directory: Vec::new(),
            storages: HashMap::new(),
        };
        file.table = file.allocation_table();
        // Chains of a hostile file can share sectors, so the length of the file limits all of them together.
        file.directory = file.sectors(u32_at(bytes, 48)?, bytes.len());
        let left = bytes.len() - file.directory.len();
        let root = file.entry(0).filter(|root| root.bytes[66] == 5)?;
        file.mini_stream = file.sectors(root.number_at(116), left.min(root.size()));
        let left = left - file.mini_stream.len();
        file.mini_table = numbers(&file.sectors(u32_at(bytes, 60)?, left)).collect();
        file.read_tree();
        Some(file)
    }

    /// Returns the allocation table. Its sectors are in a list that begins in the header. The list can go on in a chain
    /// of sectors, whose last number is the next sector.
    fn allocation_table(&self) -> Vec<u32> {
        // A hostile list can repeat a sector, so the length of the file limits both lists.
        let most = self.bytes.len() >> self.shift;
        let mut list = numbers(self.bytes.get(TABLES..512).unwrap_or_default()).collect::<Vec<_>>();
        let mut next = u32_at(self.bytes, 68).unwrap_or(SECTORS_END);
        while list.len() < most
            && let Some(sector) = self.sector(next)
        {
            list.extend(numbers(sector));
            next = list.pop().unwrap_or(SECTORS_END);
        }
        let missing = vec![0xFF; 1 << self.shift];
        let sectors = list.into_iter().filter(|&number| number < SECTORS_END);
        let tables = sectors.map(|number| self.sector(number).unwrap_or(&missing));
        tables.flat_map(numbers).take(most).collect()
    }

    /// Returns a sector. It is shorter at the end of a truncated file. `None` if the file has no such sector.
    fn sector(&self, number: u32) -> Option<&'b [u8]> {
        // The header is before the first sector.
        let start = usize::try_from((u64::from(number) + 1) << self.shift).ok()?;
        let rest = self.bytes.get(start..).filter(|rest| number < SECTORS_END && !rest.is_empty())?;
        Some(&rest[..rest.len().min(1 << self.shift)])
    }

    /// Returns the bytes of the chain of sectors that begins at `first`, at most `most`.
    fn sectors(&self, first: u32, most: usize) -> Vec<u8> {
        join(chain(&self.table, first), most, |number| self.sector(number))
    }

    fn entry(&self, number: usize) -> Option<Entry<'_>> {
        let bytes = self.directory.get(number.checked_mul(ENTRY)?..)?.first_chunk()?;
        Some(Entry { number, bytes })
    }

    /// Lists the entries of each storage. They are a binary tree, in the order of their names. Each entry is in one
    /// storage, so the tree of a hostile file has no more entries than the directory.
    fn read_tree(&mut self) {
        let mut is_seen = vec![false; self.directory.len() / ENTRY];
        let mut open = vec![0];
        while let Some(storage) = open.pop() {
            let link = |number: usize, at| self.entry(number).map_or(usize::MAX, |entry| entry.number_at(at) as usize);
            let (mut found, mut path) = (Vec::new(), Vec::new());
            let mut next = link(storage, 76);
            loop {
                while let Some(seen) = is_seen.get_mut(next).filter(|seen| !**seen) {
                    *seen = true;
                    path.push(next);
                    next = link(next, 68);
                }
                let Some(number) = path.pop() else { break };
                found.push(number);
                next = link(number, 72);
            }
            open.extend(found.iter().filter(|&&number| self.entry(number).is_some_and(|entry| entry.is_storage())));
            self.storages.insert(storage, found);
        }
    }

    /// The storage that contains all others.
    pub(super) fn root(&self) -> Option<Entry<'_>> {
        self.entry(0)
    }

    /// Returns the streams and storages in a storage, in the order of their names.
    pub(super) fn entries(&self, storage: Entry<'_>) -> impl Iterator<Item = Entry<'_>> {
        let numbers = self.storages.get(&storage.number).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|&number| self.entry(number))
    }

    /// Returns the stream or storage `name` in a storage.
    pub(super) fn find(&self, storage: Entry<'_>, name: &str) -> Option<Entry<'_>> {
        self.entries(storage).find(|entry| entry.name().eq_ignore_ascii_case(name))
    }

    /// Returns the bytes of a stream, at most `most`. If the file is damaged, there are fewer.
    pub(super) fn read(&self, stream: Entry<'_>, most: usize) -> Vec<u8> {
        let (start, size) = (stream.number_at(116), stream.size());
        let most = most.min(size);
        if size >= CUTOFF {
            return self.sectors(start, most);
        }
        let sector = |number: u32| {
            let rest = self.mini_stream.get((number as usize) << MINI..).filter(|rest| !rest.is_empty())?;
            Some(&rest[..rest.len().min(1 << MINI)])
        };
        join(chain(&self.mini_table, start), most, sector)
    }
}

/// Returns the numbers of 32 bits in `bytes`.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|number| u32_at(number, 0))
}

/// Returns the sectors of the chain that begins with the sector `first`. A chain that is a circle ends.
fn chain(table: &[u32], first: u32) -> impl Iterator<Item = u32> {
    iter::successors(Some(first), |&number| table.get(number as usize).copied()).take(table.len())
}

/// Joins sectors up to the first one that is missing, and at most `most` bytes.
fn join<'s>(chain: impl Iterator<Item = u32>, most: usize, sector: impl Fn(u32) -> Option<&'s [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for sector in chain.map_while(sector) {
        let left = most - bytes.len();
        bytes.extend(&sector[..sector.len().min(left)]);
        if sector.len() >= left {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::path::Path;

    use cfb::{CompoundFile, Version};

    use super::*;

    /// Returns a file with short and long streams in nested storages, and with the content of each stream.
    fn made(version: Version, longest: usize) -> Vec<u8> {
        let mut file = CompoundFile::create_with_version(version, Cursor::new(Vec::new())).unwrap();
        for (number, length) in [0, 1, 63, 64, 65, 4095, 4096, 4097, longest].into_iter().enumerate() {
            file.create_storage(format!("/s{number}")).unwrap();
            file.create_storage(format!("/s{number}/in")).unwrap();
            for at in ["/s", "/s/in/"].map(|at| at.replacen('s', &format!("s{number}"), 1)) {
                let content: Vec<_> = (0..length).map(|i| (i * 31 / 7 + number + at.len()) as u8).collect();
                let path = if at.ends_with('/') { format!("{at}\u{e9}") } else { format!("{at}/a") };
                file.create_stream(path).unwrap().write_all(&content).unwrap();
            }
        }
        file.into_inner().into_inner()
    }

    /// Returns the path and the content of each stream.
    fn all(file: &Compound<'_>, storage: Entry<'_>, at: &Path, into: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
        for entry in file.entries(storage) {
            let path = at.join(entry.name());
            match entry.is_stream() {
                true => into.push((path, file.read(entry, usize::MAX))),
                false => all(file, entry, &path, into),
            }
        }
    }

    fn streams(bytes: &[u8]) -> Option<Vec<(std::path::PathBuf, Vec<u8>)>> {
        let (file, mut found) = (Compound::open(bytes)?, Vec::new());
        all(&file, file.root()?, Path::new("/"), &mut found);
        Some(found)
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
                std::io::Read::read_to_end(&mut file.open_stream(&path).unwrap(), &mut content).unwrap();
                want.push((path, content));
            }
            let mut found = streams(&bytes).unwrap();
            found.sort();
            want.sort();
            assert!(found == want && found.len() == 18, "{version:?}, {longest} bytes");
        }
    }

    #[test]
    fn damaged_files() {
        let whole = made(Version::V3, 5000);
        for length in (0..whole.len()).step_by(97) {
            streams(&whole[..length]);
        }
        // A small random generator, so that each run tests the same files.
        let mut random = 1_u32;
        for _ in 0..2000 {
            let mut bytes = whole.clone();
            for _ in 0..4 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = if random & 1 == 0 { random >> 8 } else { (random >> 8) % 2048 } as usize % bytes.len();
                bytes[at] = [0, 1, 0x7F, 0xFF][(random >> 3) as usize & 3];
            }
            for (path, content) in streams(&bytes).unwrap_or_default() {
                assert!(content.len() <= whole.len(), "{}", path.display());
            }
        }
    }

    /// In hostile files, sectors and entries can be their own successors.
    #[test]
    fn circles_end() {
        let mut bytes = made(Version::V3, 70_000);
        let before = streams(&bytes).unwrap();
        // The first table says that each sector follows itself.
        let table = (u32_at(&bytes, TABLES).unwrap() as usize + 1) << 9;
        for (number, next) in bytes[table..table + 512].chunks_exact_mut(4).enumerate() {
            next.copy_from_slice(&(number as u32).to_le_bytes());
        }
        let after = streams(&bytes).unwrap();
        assert!(after.len() <= before.len() && after.iter().all(|(_, content)| content.len() <= 70_000));
    }
}
