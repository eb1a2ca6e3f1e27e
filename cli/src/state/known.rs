//! The messages and files that earlier runs have read. To save memory, names are stored as hashes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::record::{Content, Record, Stat};

#[derive(Default)]
pub(super) struct Known {
    hasher: RandomState,
    /// Maps the hash of a directory's path to the number of the directory.
    dirs: HashMap<u64, u32>,
    /// For each directory, whether this run has visited the directory. The index is the number of the directory.
    visited: Vec<bool>,
    /// The directory of the records that are being added: the hash of its path, and its number.
    dir: Option<(u64, u32)>,
    /// Messages in Maildirs, and git objects. The key is a hash of the directory and the name.
    messages: HashMap<u64, Place>,
    files: Vec<Entry>,
    by_path: HashMap<u64, u32>,
    by_inode: HashMap<u64, u32>,
    /// How many records in the state file are outdated because a later record replaces them.
    pub(super) replaced: usize,
    /// Warnings for the user.
    pub(super) notes: Vec<String>,
}

/// The directory of a message or a file, and whether this run has found the message or file there.
struct Place {
    dir: u32,
    is_seen: bool,
}

struct Entry {
    place: Place,
    stat: Stat,
    content: Option<Box<Content>>,
}

/// What an earlier run recorded about a file. This run has found a file with the same path or the same inode. The file
/// that was found can still be a different file.
#[derive(Clone, Copy)]
pub(super) struct Earlier {
    pub(super) stat: Stat,
    pub(super) content: Option<Content>,
    /// Whether the record was found by the path of the file, and not by its inode.
    pub(super) is_same_path: bool,
}

impl Known {
    /// Sets the directory of the records that are added next.
    pub(super) fn enter(&mut self, dir: &[u8]) {
        let hash = self.hasher.hash_one(dir);
        let next = self.visited.len() as u32;
        let number = *self.dirs.entry(hash).or_insert(next);
        if number == next {
            self.visited.push(false);
        }
        self.dir = Some((hash, number));
    }

    /// Adds the record of a message or a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the record is not about a message or a file, or if no directory is set. The error text is
    /// for the user.
    pub(super) fn add(&mut self, record: Record) -> Result<(), &'static str> {
        let (dir, number) = self.dir.ok_or("there is no `dir` line above this line")?;
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
            _ => return Err("the line is not about a message or a file"),
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

    /// Returns whether an earlier run has read the message. Marks the message as existing.
    pub(super) fn meet_message(&mut self, dir: &[u8], name: &[u8]) -> bool {
        let dir = self.visit(dir);
        let name = self.name(dir, name);
        self.messages.get_mut(&name).map(|place| place.is_seen = true).is_some()
    }

    /// Looks up the record of a file by its path, and again by its inode. Marks the files of both records as existing.
    /// The two records differ if, for example, the file was renamed. If both are the same record, the second result is
    /// `None`.
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

    fn visit(&mut self, dir: &[u8]) -> u64 {
        let hash = self.hasher.hash_one(dir);
        if let Some(&number) = self.dirs.get(&hash) {
            self.visited[number as usize] = true;
        }
        hash
    }

    /// Returns whether a message or file may be gone: this run has visited its directory, but has not found it there.
    pub(super) fn is_gone(&self, dir: &[u8], name: &[u8]) -> bool {
        let name = self.name(self.hasher.hash_one(dir), name);
        let by_path = self.by_path.get(&name).map(|&index| &self.files[index as usize].place);
        self.messages.get(&name).or(by_path).is_some_and(|place| self.may_be_gone(place))
    }

    fn may_be_gone(&self, place: &Place) -> bool {
        !place.is_seen && self.visited[place.dir as usize]
    }

    /// Returns whether more than a quarter of the records are outdated.
    pub(super) fn is_stale(&self) -> bool {
        let files = self.by_path.values().map(|&index| &self.files[index as usize].place);
        let gone = self.messages.values().chain(files).filter(|place| self.may_be_gone(place)).count();
        (gone + self.replaced) * 4 > self.messages.len() + self.files.len()
    }
}
