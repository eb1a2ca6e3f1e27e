//! Reads the properties of a node. The blocks of the node form a heap, and a B-tree in that heap contains the
//! properties ([MS-PST], sections 2.3.1 to 2.3.3).

use std::collections::HashMap;
use std::io::{Read, Seek};

use super::file::{Node, Store};
use crate::item::{Properties, is_wanted, kind, tag};
use crate::{Budget, u16_at, u32_at};

/// The blocks of a node. They contain numbered pieces of data, called allocations.
struct Heap {
    blocks: Vec<Vec<u8>>,
    /// Number of bits by which the number of an allocation must be shifted right to get the index of its block.
    block_shift: u32,
}

const LEVELS_MAX: u8 = 8;

impl Heap {
    fn get(&self, id: u32) -> Option<&[u8]> {
        if id & 0x1F != 0 {
            return None;
        }
        let block = self.blocks.get((id >> self.block_shift) as usize)?;
        let index = ((id >> 5) & ((1 << (self.block_shift - 5)) - 1)) as usize;
        let map = usize::from(u16_at(block, 0)?);
        let count = usize::from(u16_at(block, map)?);
        if index == 0 || index > count {
            return None;
        }
        let at = map + 4 + 2 * (index - 1);
        block.get(usize::from(u16_at(block, at)?)..usize::from(u16_at(block, at + 2)?))
    }

    /// Adds the properties in the tree at `id` to `into`. Each record has the id of a property, the type of the
    /// property, and four bytes. The four bytes are the value itself, or the number of the allocation or node that has
    /// the value. Takes the bytes of the tree from the budget, because entries of a hostile tree can lead to the same
    /// allocation. Returns `None` if the tree is damaged.
    fn records(&self, id: u32, levels: u8, into: &mut Vec<(u16, u16, u32)>, budget: &mut Budget) -> Option<()> {
        let bytes = self.get(id).filter(|bytes| budget.take(bytes.len()) == bytes.len())?;
        if levels == 0 {
            let record = |bytes: &[u8]| Some((u16_at(bytes, 0)?, u16_at(bytes, 2)?, u32_at(bytes, 4)?));
            into.extend(bytes.chunks_exact(8).filter_map(record));
            return Some(());
        }
        for entry in bytes.chunks_exact(6) {
            let before = into.len();
            self.records(u32_at(entry, 2)?, levels - 1, into, budget)?;
            // In an intact tree, each entry leads to at least one record. The tree has at most 65,536 records, because
            // the id of a property has 16 bits. Without this check, a small damaged tree could take years to read,
            // because many entries can lead to the same allocation.
            if !(before + 1..=1 << 16).contains(&into.len()) {
                return None;
            }
        }
        Some(())
    }
}

/// The location of an attachment's content, so that the content can be read later.
pub(super) struct Attached {
    /// Whether the content is an object, such as a message.
    pub(super) is_object: bool,
    heap: Heap,
    id: u32,
}

impl Attached {
    /// Reads the content of the attachment `node`. If the content is an object, the returned bytes begin with the
    /// number of the object's node.
    pub(super) fn value<F: Read + Seek>(
        &self,
        store: &mut Store<F>,
        node: &Node,
        budget: &mut Budget,
    ) -> Option<Vec<u8>> {
        value(&self.heap, self.id, store, node, &mut None, budget)
    }
}

/// Reads the properties of a node. For an attachment, also returns where its content is. Returns `None` if the node has
/// no properties.
pub(super) fn properties<F: Read + Seek>(
    store: &mut Store<F>,
    node: &Node,
    budget: &mut Budget,
) -> Option<(Properties, Option<Attached>)> {
    let blocks = store.blocks(node.data, budget);
    let heap = Heap { blocks, block_shift: if store.has_large_pages() { 19 } else { 16 } };
    let first = heap.blocks.first()?;
    // These two bytes are the signature of a heap with properties.
    if first.get(2..4)? != [0xEC, 0xBC] {
        return None;
    }
    let head = heap.get(u32_at(first, 4)?)?;
    let (levels, root) = (*head.get(3)?, u32_at(head, 4)?);
    if head[..3] != [0xB5, 2, 6] || levels > LEVELS_MAX {
        return None;
    }
    let mut records = Vec::new();
    if root != 0 {
        budget.is_damaged |= heap.records(root, levels, &mut records, budget).is_none();
    }
    let mut properties = Properties::default();
    let (mut attached, mut subs) = (None, None);
    for (tag, kind, id) in records {
        if tag == tag::ATTACHED && matches!(kind, kind::BINARY | kind::OBJECT) {
            attached = Some((id, kind == kind::OBJECT));
        }
        if !is_wanted(tag) {
            continue;
        }
        let value = match kind {
            kind::SHORT | kind::LONG => Some(id.to_le_bytes().to_vec()),
            kind::LONG_LONG | kind::TIME | kind::WIDE | kind::NARROW | kind::BINARY => {
                value(&heap, id, store, node, &mut subs, budget)
            }
            _ => continue,
        };
        match value {
            Some(value) => properties.put(tag, kind, &value),
            None => budget.is_damaged = true,
        }
    }
    let attached = attached.map(|(id, is_object)| Attached { is_object, heap, id });
    Some((properties, attached))
}

/// Reads a value. The value is an allocation of the heap, or the data of a node below `node`. `subs` caches the block of
/// each node below `node`, because a hostile message can have 65,536 values and as many nodes. Returns `None` if the value
/// cannot be found.
fn value<F: Read + Seek>(
    heap: &Heap,
    id: u32,
    store: &mut Store<F>,
    node: &Node,
    subs: &mut Option<HashMap<u32, u64>>,
    budget: &mut Budget,
) -> Option<Vec<u8>> {
    match id {
        0 => Some(Vec::new()),
        id if id & 0x1F == 0 => {
            let value = heap.get(id)?;
            let most = budget.take(value.len());
            Some(value[..most].to_vec())
        }
        id => {
            let subs = subs.get_or_insert_with(|| {
                // Of several nodes with the same number, the first one counts.
                store.sub_nodes(node.sub, budget).iter().rev().map(|sub| (sub.id, sub.data)).collect()
            });
            Some(store.blocks(*subs.get(&id)?, budget).concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of eight levels. Each level has 300 entries, and all of them lead to the same allocation of the level
    /// below. The last allocation has `record`.
    fn heap(record: &[u8]) -> Heap {
        let mut block = vec![0; 4];
        let mut ends = vec![block.len()];
        for level in 1..=LEVELS_MAX {
            let entry = [&[0; 2], &(u32::from(level + 1) << 5).to_le_bytes()[..]].concat();
            block.extend(entry.repeat(300));
            ends.push(block.len());
        }
        block.extend(record);
        ends.push(block.len());
        let map = u16::try_from(block.len()).unwrap();
        block[..2].copy_from_slice(&map.to_le_bytes());
        let counts = [u16::from(LEVELS_MAX) + 1, 0];
        let ends = ends.into_iter().map(|end| u16::try_from(end).unwrap());
        block.extend(counts.into_iter().chain(ends).flat_map(u16::to_le_bytes));
        Heap { blocks: vec![block], block_shift: 16 }
    }

    #[test]
    fn entries_that_lead_to_the_same_allocation_end() {
        for (record, most) in [(&[][..], 0), (&[0; 7], 0), (&[0; 8], (1 << 16) + 1)] {
            let mut records = Vec::new();
            assert_eq!(heap(record).records(1 << 5, LEVELS_MAX, &mut records, &mut Budget::new()), None);
            assert_eq!(records.len(), most);
        }
        let mut records = Vec::new();
        let mut budget = Budget::new();
        heap(&[0; 8]).records(u32::from(LEVELS_MAX) << 5, 1, &mut records, &mut budget).unwrap();
        assert_eq!(records.len(), 300);
        // Each of the entries is read, and the record that they lead to is read 300 times.
        assert_eq!(Budget::new().bytes - budget.bytes, 300 * (6 + 8));
        budget.bytes = 1000;
        assert_eq!(heap(&[0; 8]).records(u32::from(LEVELS_MAX) << 5, 1, &mut records, &mut budget), None);
    }
}
