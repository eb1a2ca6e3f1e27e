//! What earlier runs have read. Names are kept as hashes: some 40 bytes for each message of a Maildir, and 150 for each
//! other file.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::record::{Content, Record, Stat};

#[derive(Default)]
pub(super) struct Known {
    hasher: RandomState,
    /// The directories, by the hash of their paths, with their numbers.
    dirs: HashMap<u64, u32>,
    /// Whether this run has visited each.
    visited: Vec<bool>,
    /// The directory that records are added to, by its path's hash and its number.
    dir: Option<(u64, u32)>,
    /// Messages of Maildirs, by the hash of directory and name.
    messages: HashMap<u64, Place>,
    files: Vec<Entry>,
    by_path: HashMap<u64, u32>,
    by_inode: HashMap<u64, u32>,
    /// Records that a later one replaces.
    replaced: usize,
    /// For people.
    pub(super) notes: Vec<String>,
}

/// The directory, and whether this run has met what is in it.
struct Place {
    dir: u32,
    is_seen: bool,
}

struct Entry {
    place: Place,
    pub(super) stat: Stat,
    pub(super) content: Option<Box<Content>>,
}

/// A file that an earlier run has read, and may be the one that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Earlier {
    pub(super) stat: Stat,
    pub(super) content: Option<Content>,
    /// Whether its path is the same. If not, its inode is.
    pub(super) is_same_path: bool,
}

impl Known {
    /// What is added next is in this directory.
    pub(super) fn enter(&mut self, dir: &[u8]) {
        let hash = self.hasher.hash_one(dir);
        let next = self.visited.len() as u32;
        let number = *self.dirs.entry(hash).or_insert(next);
        if number == next {
            self.visited.push(false);
        }
        self.dir = Some((hash, number));
    }

    /// Adds a message or a file.
    pub(super) fn add(&mut self, record: Record) -> Result<(), &'static str> {
        let (dir, number) = self.dir.ok_or("a `dir` line should be before it")?;
        let place = Place { dir: number, is_seen: false };
        let replaced = match record {
            Record::Message(name) => self.messages.insert(self.name(dir, &name), place).is_some(),
            Record::File(name, stat, content) => {
                let path = self.name(dir, &name);
                let index = self.files.len() as u32;
                self.files.push(Entry { place, stat, content: content.map(Box::new) });
                self.by_inode.insert(self.inode(&stat), index);
                self.by_path.insert(path, index).is_some()
            }
            _ => return Err("it is not about a message or a file"),
        };
        self.replaced += usize::from(replaced);
        Ok(())
    }

    fn name(&self, dir: u64, name: &[u8]) -> u64 {
        self.hasher.hash_one((dir, name))
    }

    fn inode(&self, stat: &Stat) -> u64 {
        self.hasher.hash_one((stat.device, stat.inode))
    }

    /// Returns whether a message in this Maildir is known, and takes note that it is there.
    pub(super) fn meet_message(&mut self, dir: &[u8], name: &[u8]) -> bool {
        let dir = self.visit(dir);
        let name = self.name(dir, name);
        self.messages.get_mut(&name).map(|place| place.is_seen = true).is_some()
    }

    /// Returns what was read under the path of a file, and under its inode: it may have been renamed, or its inode may have
    /// been that of another file. Takes note that it is there.
    pub(super) fn meet_file(&mut self, dir: &[u8], name: &[u8], stat: &Stat) -> [Option<Earlier>; 2] {
        let dir = self.visit(dir);
        let by_path = self.by_path.get(&self.name(dir, name)).copied();
        let by_inode = self.by_inode.get(&self.inode(stat)).copied();
        [by_path, by_inode.filter(|_| stat.inode != 0 && by_inode != by_path)].map(|index| {
            let entry = self.files.get_mut(index? as usize)?;
            entry.place.is_seen = true;
            Some(Earlier {
                stat: entry.stat,
                content: entry.content.as_deref().copied(),
                is_same_path: index == by_path,
            })
        })
    }

    /// Takes note that a record that was found will be replaced.
    pub(super) fn replace(&mut self) {
        self.replaced += 1;
    }

    fn visit(&mut self, dir: &[u8]) -> u64 {
        let hash = self.hasher.hash_one(dir);
        if let Some(&number) = self.dirs.get(&hash) {
            self.visited[number as usize] = true;
        }
        hash
    }

    /// Whether what has this name may be gone: this run was in its directory, and has not met it.
    pub(super) fn is_gone(&self, dir: &[u8], name: &[u8]) -> bool {
        let name = self.name(self.hasher.hash_one(dir), name);
        let by_path = self.by_path.get(&name).map(|&index| &self.files[index as usize].place);
        self.messages.get(&name).or(by_path).is_some_and(|place| self.may_be_gone(place))
    }

    fn may_be_gone(&self, place: &Place) -> bool {
        !place.is_seen && self.visited[place.dir as usize]
    }

    /// Whether many records are out of date: more than a quarter.
    pub(super) fn is_stale(&self) -> bool {
        let files = self.by_path.values().map(|&index| &self.files[index as usize].place);
        let gone = self.messages.values().chain(files).filter(|place| self.may_be_gone(place)).count();
        (gone + self.replaced) * 4 > self.messages.len() + self.files.len()
    }
}
