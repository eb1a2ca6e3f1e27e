//! Reads pages, blocks and nodes, the lowest layers of the format ([MS-PST], section 2.2).

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use flate2::bufread::ZlibDecoder;

use super::cipher::Cipher;
use crate::{Budget, Error, u16_at, u32_at, u64_at};

/// A node: a folder, a message, an attachment, or another object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: u32,
    /// Number of the block with the data of the node. 0 if the node has no data.
    pub(super) data: u64,
    /// Number of the block that lists the nodes below this node. 0 if no nodes are below this node.
    pub(super) sub: u64,
    /// Number of the node above this node, such as the folder of a message. 0 if that number is unknown.
    pub(super) parent: u32,
}

/// The variants of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Outlook 97 to 2002. Block numbers and offsets have four bytes.
    Ansi,
    /// Outlook 2003 and later. Block numbers and offsets have eight bytes.
    Unicode,
    /// `.ost` files of Outlook 2013 and later. Like `Unicode`, but with larger pages and blocks.
    Large,
}

/// An open `.pst` or `.ost` file.
pub(super) struct Store<F> {
    file: F,
    pub(super) length: u64,
    kind: Kind,
    cipher: Cipher,
    /// The offset of the root page of the tree that lists all nodes.
    nodes: u64,
    /// The offset of the root page of the tree that lists all blocks.
    blocks: u64,
    pages: HashMap<u64, Page>,
    pub(super) is_damaged: bool,
    /// The first error that the operating system returned for a read.
    pub(super) failed: Option<io::Error>,
}

/// A page of the tree of nodes or of the tree of blocks.
#[derive(Clone, Debug)]
struct Page {
    bytes: Vec<u8>,
    /// Number of levels of pages below this page.
    level: u8,
    count: usize,
    /// Length of an entry in bytes.
    size: usize,
}

impl Page {
    fn entries(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.size).take(self.count)
    }
}

/// The first bytes of every file.
const SIGNATURE: &[u8] = b"!BDN";

/// The type number of a page in the tree of blocks.
const BLOCKS: u8 = 0x80;
/// The type number of a page in the tree of nodes.
const NODES: u8 = 0x81;

const LEVELS_MAX: u8 = 12;

/// Maximum number of pages that are kept in memory.
const PAGES_MAX: usize = 512;

/// Maximum number of nodes below a node.
const SUB_NODES_MAX: usize = 1 << 16;

/// Number of bytes that each block takes from the budget in addition to its content. Without this cost, a hostile file
/// could make the reader read empty blocks, or search for missing blocks, without end.
const BLOCK_COST: usize = 64;

impl<F: Read + Seek> Store<F> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has another format, or has a damaged header.
    pub(super) fn open(mut file: F) -> Result<Store<F>, Error> {
        let length = file.seek(SeekFrom::End(0))?;
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.by_ref().take(1024).read_to_end(&mut head)?;
        if !head.starts_with(SIGNATURE) {
            return Err(Error::Format);
        }
        Store::of(file, length, &head).ok_or(Error::Damaged)
    }

    fn of(file: F, length: u64, head: &[u8]) -> Option<Store<F>> {
        let kind = match u16_at(head, 10)? {
            14 | 15 => Kind::Ansi,
            36.. => Kind::Large,
            23.. => Kind::Unicode,
            _ => return None,
        };
        let (nodes, blocks, cipher) = match kind {
            Kind::Ansi => (u64::from(u32_at(head, 188)?), u64::from(u32_at(head, 196)?), *head.get(461)?),
            _ => (u64_at(head, 224)?, u64_at(head, 240)?, *head.get(513)?),
        };
        let cipher = Cipher::of(cipher)?;
        let (pages, is_damaged, failed) = (HashMap::new(), false, None);
        Some(Store { file, length, kind, cipher, nodes, blocks, pages, is_damaged, failed })
    }

    pub(super) fn has_large_pages(&self) -> bool {
        self.kind == Kind::Large
    }

    /// Reads `count` bytes at the offset `at`. Returns `None` if the file is too short or cannot be read. If the
    /// operating system returns an error, stores the first such error in `failed`.
    fn read(&mut self, at: u64, count: usize) -> Option<Vec<u8>> {
        if at.checked_add(count as u64)? > self.length {
            return None;
        }
        let mut bytes = vec![0; count];
        let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut bytes));
        match read {
            Ok(()) => Some(bytes),
            Err(error) => {
                if error.kind() != ErrorKind::UnexpectedEof {
                    self.failed.get_or_insert(error);
                }
                None
            }
        }
    }

    /// Reads `bytes` as an array of numbers, and returns the number at `index`. Each number has four or eight bytes,
    /// depending on the variant of the format.
    fn number(&self, bytes: &[u8], index: usize) -> Option<u64> {
        match self.kind {
            Kind::Ansi => u32_at(bytes, 4 * index).map(u64::from),
            _ => u64_at(bytes, 8 * index),
        }
    }

    /// Returns the page at the offset `at`, from memory or from the file. Returns `None` if the page is damaged or has
    /// another type.
    fn page(&mut self, at: u64, page_type: u8) -> Option<Page> {
        if let Some(page) = self.pages.get(&at) {
            return Some(page.clone());
        }
        let (length, meta, trailer) = match self.kind {
            Kind::Ansi => (512, 496, 500),
            Kind::Unicode => (512, 488, 496),
            Kind::Large => (4096, 4056, 4072),
        };
        let mut bytes = self.read(at, length)?;
        let (count, size, level) = match self.kind {
            Kind::Large => (usize::from(u16_at(&bytes, meta)?), bytes[meta + 4], bytes[meta + 5]),
            _ => (usize::from(bytes[meta]), bytes[meta + 2], bytes[meta + 3]),
        };
        let size = usize::from(size);
        if bytes[trailer..trailer + 2] != [page_type; 2] || size < 12 || level > LEVELS_MAX {
            return None;
        }
        bytes.truncate(meta);
        let page = Page { bytes, level, count, size };
        if self.pages.len() >= PAGES_MAX {
            self.pages.clear();
        }
        self.pages.insert(at, page.clone());
        Some(page)
    }

    pub(super) fn nodes(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        // Damaged links can lead to the same page many times. An intact tree has each page only once, so the limit is
        // the number of pages that fit into the file.
        let mut pages = self.length / 512 + 1;
        self.add_nodes(self.nodes, LEVELS_MAX + 1, &mut pages, &mut nodes);
        nodes
    }

    /// Adds to `nodes` all nodes in the page at the offset `at`, and in the pages below this page. `pages` is the
    /// number of pages that can still be read. A page must have a level less than `above`, so that damaged links cannot
    /// form a loop.
    fn add_nodes(&mut self, at: u64, above: u8, pages: &mut u64, nodes: &mut Vec<Node>) {
        let page = self.page(at, NODES).filter(|page| page.level < above && *pages > 0);
        let Some(page) = page else {
            self.is_damaged = true;
            return;
        };
        *pages -= 1;
        for entry in page.entries() {
            if page.level > 0 {
                match self.number(entry, 2) {
                    Some(below) => self.add_nodes(below, page.level, pages, nodes),
                    None => self.is_damaged = true,
                }
                continue;
            }
            let width = if self.kind == Kind::Ansi { 4 } else { 8 };
            let node = || {
                let (id, parent) = (u32_at(entry, 0)?, u32_at(entry, 3 * width)?);
                Some(Node { id, data: self.number(entry, 1)?, sub: self.number(entry, 2)?, parent })
            };
            match node() {
                Some(node) => {
                    // The nodes of an intact tree are in the order of their ids.
                    self.is_damaged |= nodes.last().is_some_and(|last| last.id >= node.id);
                    nodes.push(node);
                }
                None => self.is_damaged = true,
            }
        }
    }

    /// Returns the offset of a block in the file, its stored length and its decompressed length, all in bytes.
    fn find(&mut self, block: u64) -> Option<(u64, usize, usize)> {
        let (mut at, mut above) = (self.blocks, LEVELS_MAX + 1);
        loop {
            let page = self.page(at, BLOCKS).filter(|page| page.level < above)?;
            let key = |entry: &[u8]| self.number(entry, 0).map(|key| key & !1);
            if page.level > 0 {
                let below = page.entries().rev().find(|entry| key(entry).is_some_and(|key| key <= block))?;
                (at, above) = (self.number(below, 2)?, page.level);
                continue;
            }
            let entry = page.entries().find(|entry| key(entry) == Some(block))?;
            let sizes = if self.kind == Kind::Ansi { 8 } else { 16 };
            let stored = usize::from(u16_at(entry, sizes)?);
            let length = if self.kind == Kind::Large { usize::from(u16_at(entry, sizes + 2)?) } else { stored };
            return Some((self.number(entry, 1)?, stored, length));
        }
    }

    /// Reads and decodes one block. Returns `None` if the block cannot be found or read, or the budget is exhausted.
    fn block(&mut self, id: u64, budget: &mut Budget) -> Option<Vec<u8>> {
        let id = id & !1;
        if budget.take(BLOCK_COST) < BLOCK_COST {
            return None;
        }
        let (at, stored, length) = self.find(id)?;
        if budget.take(stored) < stored {
            return None;
        }
        let mut bytes = self.read(at, stored)?;
        if length != stored {
            let mut inflated = Vec::new();
            let most = budget.take(length) as u64;
            let done = ZlibDecoder::new(&*bytes).take(most).read_to_end(&mut inflated);
            budget.is_damaged |= done.is_err() || inflated.len() != length;
            bytes = inflated;
        }
        // If bit 1 of the id is set, the block is internal: it lists other blocks, and it is not encoded.
        if id & 2 == 0 {
            self.cipher.decode(&mut bytes, id as u32);
        }
        Some(bytes)
    }

    /// Reads the data blocks of a node in order. `id` is the field `data` of the node. Skips blocks that cannot be
    /// read.
    pub(super) fn blocks(&mut self, id: u64, budget: &mut Budget) -> Vec<Vec<u8>> {
        let mut blocks = Vec::new();
        if id != 0 {
            self.add_blocks(id, 3, budget, &mut blocks);
        }
        blocks
    }

    /// Adds the data block `id` to `blocks`. If `id` is an internal block, adds the data blocks that it lists. An
    /// internal block must have a level less than `above`, so that damaged links cannot form a loop.
    fn add_blocks(&mut self, id: u64, above: u8, budget: &mut Budget, blocks: &mut Vec<Vec<u8>>) {
        let Some(block) = self.block(id, budget) else {
            budget.is_damaged = true;
            return;
        };
        if id & 2 == 0 {
            blocks.push(block);
            return;
        }
        match *block {
            [1, level, ..] if level < above && level > 0 => {
                let count = usize::from(u16_at(&block, 2).unwrap_or(0));
                for index in 0..count {
                    match block.get(8..).and_then(|list| self.number(list, index)) {
                        Some(inner) if budget.bytes > 0 => self.add_blocks(inner, level, budget, blocks),
                        _ => budget.is_damaged = true,
                    }
                }
            }
            _ => budget.is_damaged = true,
        }
    }

    /// Lists the nodes in the block `id`, which is the field `sub` of a node.
    pub(super) fn sub_nodes(&mut self, id: u64, budget: &mut Budget) -> Vec<Node> {
        let mut nodes = Vec::new();
        if id != 0 {
            self.add_sub_nodes(id, 2, budget, &mut nodes);
        }
        nodes
    }

    fn add_sub_nodes(&mut self, id: u64, above: u8, budget: &mut Budget, nodes: &mut Vec<Node>) {
        let Some(block) = self.block(id, budget) else {
            budget.is_damaged = true;
            return;
        };
        let (&[2, level, ..], Some(count)) = (&*block, u16_at(&block, 2)) else {
            budget.is_damaged = true;
            return;
        };
        let (head, width) = if self.kind == Kind::Ansi { (4, 4) } else { (8, 8) };
        let size = if level == 0 { 3 * width } else { 2 * width };
        let list = block.get(head..).unwrap_or_default();
        for entry in list.chunks_exact(size).take(usize::from(count)) {
            if level >= above || nodes.len() >= SUB_NODES_MAX {
                budget.is_damaged = true;
                return;
            }
            let Some((id, data)) = u32_at(entry, 0).zip(self.number(entry, 1)) else { return };
            if level > 0 {
                self.add_sub_nodes(data, level, budget, nodes);
            } else {
                nodes.push(Node { id, data, sub: self.number(entry, 2).unwrap_or(0), parent: 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_for_a_missing_block_is_not_free() {
        let mut head = vec![0; 1024];
        head[..4].copy_from_slice(SIGNATURE);
        head[10] = 23;
        let (mut store, mut budget) = (Store::open(io::Cursor::new(head)).expect("a header"), Budget::new());
        let before = budget.bytes;
        assert_eq!((store.block(4, &mut budget), before - budget.bytes), (None, BLOCK_COST));
    }
}
