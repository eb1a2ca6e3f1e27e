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
    path: u64,
    place: Place,
    pub(super) stat: Stat,
    pub(super) content: Option<Box<Content>>,
}

/// A file that an earlier run has read, and whether it was found by its inode.
pub(super) struct Match<'k> {
    pub(super) stat: &'k Stat,
    pub(super) content: Option<&'k Content>,
    pub(super) is_same_inode: bool,
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
                self.files.push(Entry { path, place, stat, content: content.map(Box::new) });
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

    /// Returns what is known of a file, by its inode or else by its path, and takes note that it is there.
    pub(super) fn meet_file(&mut self, dir: &[u8], name: &[u8], stat: &Stat) -> Option<Match<'_>> {
        let dir = self.visit(dir);
        let by_path = self.by_path.get(&self.name(dir, name)).copied();
        let by_inode = self.by_inode.get(&self.inode(stat)).copied().filter(|_| stat.inode != 0);
        let found = by_inode.or(by_path)? as usize;
        for index in by_path.into_iter().chain(by_inode) {
            self.files[index as usize].place.is_seen = true;
        }
        let entry = &self.files[found];
        let content = entry.content.as_deref();
        Some(Match { stat: &entry.stat, content, is_same_inode: by_inode.is_some() })
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
        let files = self.files.iter().filter(|entry| self.by_path.get(&entry.path).is_some()).map(|entry| &entry.place);
        let gone = self.messages.values().chain(files).filter(|place| self.may_be_gone(place)).count();
        (gone + self.replaced) * 4 > self.messages.len() + self.files.len()
    }
}
