//! Reads Outlook's `.pst` and `.ost` files ([MS-PST]). `.ost` files of Outlook 2013 and later have larger pages, and
//! their blocks can be compressed.
//!
//! ```text
//!  file.rs   two B-trees of pages: one lists the nodes, the other lists the blocks of data
//!  heap.rs   properties in the blocks of a node
//!  mod.rs    which nodes are folders, and which messages are in them
//! ```
//!
//! The reader finds messages in the tree of nodes, in which each node has the number of its parent. The reader does not
//! use the table of contents of a folder, so no message is lost if such a table is damaged.
//!
//! The crate `outlook-pst` is not used. That crate cannot read `.ost` files. If a block contains itself, the crate
//! recurses until the stack overflows.

mod cipher;
mod file;
mod heap;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::io::{self, Read, Seek};
use std::sync::Arc;

use self::file::{Node, Store};
use super::item::{Attachment, Content, Item, tag};
use super::{Budget, DEPTH_MAX, Error, MESSAGE_MAX, Message, u32_at};

/// The folders of a `.pst` or `.ost` file, and the messages in the current folder.
///
/// [`next_folder`](Self::next_folder) moves to a folder, and [`next_message`](Self::next_message) converts the messages
/// of this folder, one after another. The folders are sorted by their paths.
///
/// Messages are spread over the file, so the file must support seeking. The reader holds the list of the messages in
/// memory, the current message, and at most 512 pages of the file.
pub struct Mailbox<F> {
    store: Store<F>,
    /// The remaining folders in reverse order, each with its path and its messages.
    folders: Vec<(Arc<str>, Vec<Node>)>,
    /// The remaining messages of the current folder, in reverse order.
    messages: Vec<Node>,
    /// The number of bytes that all messages together have taken from their budgets so far.
    spent: u64,
}

/// Types of nodes. The lower five bits of a node's number are its type.
mod node_type {
    pub(super) const FOLDER: u32 = 0x02;
    pub(super) const MESSAGE: u32 = 0x04;
    pub(super) const ATTACHMENT: u32 = 0x05;
}

/// Number of the root folder.
const ROOT: u32 = 0x122;

/// Maximum number of folders in a path. Without this limit, a hostile file could have very long paths.
const FOLDERS_MAX: usize = 64;

/// Maximum number of characters of a folder's name. The rest is dropped.
const NAME_MAX: usize = 255;

/// A path of at least this number of bytes gets no further parents. All folders can share the block of their name, so
/// their paths could be much larger than the file.
const PATH_MAX: usize = 1000;

/// Limits on the total size of the messages in a file. Messages can share blocks, so the messages in a small hostile
/// file could have an enormous total size. Reading stops when all messages together took more than [`EXPANSION_FROM`]
/// bytes, and more than [`EXPANSION_MAX`] times the length of the file.
const EXPANSION_FROM: u64 = 64 << 20;
const EXPANSION_MAX: u64 = 1000;

impl<F: Read + Seek> Mailbox<F> {
    /// Opens a file and lists its folders.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a `.pst` or `.ost` file, if its header is damaged, or if it cannot be read.
    pub fn open(file: F) -> Result<Mailbox<F>, Error> {
        let mut store = Store::open(file)?;
        let nodes = store.nodes();
        let mut names: HashMap<u32, (String, u32)> = HashMap::new();
        let mut budget = Budget::new();
        for node in nodes.iter().filter(|node| node.id & 0x1F == node_type::FOLDER) {
            let properties = heap::properties(&mut store, node, &mut budget).map(|(properties, _)| properties);
            let name = properties.and_then(|properties| properties.text(tag::DISPLAY_NAME)).unwrap_or_default();
            let name = name.chars().take(NAME_MAX).map(|c| if c == '/' { '_' } else { c }).collect();
            names.insert(node.id, (name, node.parent));
        }
        let mut folders: BTreeMap<(Arc<str>, u32), Vec<Node>> = BTreeMap::new();
        let mut paths: HashMap<u32, Arc<str>> = HashMap::new();
        for node in nodes.into_iter().filter(|node| node.id & 0x1F == node_type::MESSAGE) {
            let path = paths.entry(node.parent).or_insert_with(|| path(&names, node.parent).into());
            folders.entry((Arc::clone(path), node.parent)).or_default().push(node);
        }
        let folders = folders.into_iter().rev().map(|((path, _), messages)| (path, messages)).collect();
        Ok(Mailbox { store, folders, messages: Vec::new(), spent: 0 })
    }

    /// Moves to the next folder that has messages. Returns the path of the folder, such as `Archive/Inbox`. Skips the
    /// messages of the current folder that were not read.
    pub fn next_folder(&mut self) -> Option<String> {
        let (path, mut messages) = self.folders.pop()?;
        messages.reverse();
        self.messages = messages;
        Some(path.to_string())
    }

    /// Converts the next message of the current folder. Returns `None` after the last message of the folder.
    ///
    /// If the messages together are larger than 64 MiB and 1000 times the file, the rest of the file is skipped, and
    /// counts as damage.
    ///
    /// # Errors
    ///
    /// Returns an error if reading the file failed. The message is lost, and the next call reads the next message.
    pub fn next_message(&mut self) -> Option<io::Result<Message>> {
        loop {
            let node = self.messages.pop()?;
            let mut budget = Budget::new();
            let message = self.item(&node, 0, &mut budget).map(|item| budget.message(item, true));
            self.store.is_damaged |= budget.is_damaged || message.is_none();
            self.spent += (MESSAGE_MAX - budget.bytes) as u64;
            if self.spent > EXPANSION_FROM && self.spent / EXPANSION_MAX > self.store.length {
                self.folders.clear();
                self.messages.clear();
                self.store.is_damaged = true;
            }
            if let Some(error) = self.store.failed.take() {
                return Some(Err(error));
            }
            if let Some(message) = message {
                return Some(Ok(message));
            }
        }
    }

    /// Returns whether damaged data was found, in the mailbox or in one of its messages, since the last call of this
    /// function.
    pub fn take_damage(&mut self) -> bool {
        std::mem::take(&mut self.store.is_damaged)
    }

    /// Reads a message with its attachments and the messages inside it. Returns `None` if the node has no properties.
    fn item(&mut self, node: &Node, depth: usize, budget: &mut Budget) -> Option<Item> {
        let (properties, _) = heap::properties(&mut self.store, node, budget)?;
        let mut item = Item { properties, attachments: Vec::new() };
        let parts = self.store.sub_nodes(node.sub, budget);
        for part in parts.iter().filter(|part| part.id & 0x1F == node_type::ATTACHMENT) {
            if !budget.attachment() {
                break;
            }
            match self.attachment(part, depth, budget) {
                Some(attachment) => item.attachments.push(attachment),
                None => budget.is_damaged = true,
            }
        }
        Some(item)
    }

    fn attachment(&mut self, node: &Node, depth: usize, budget: &mut Budget) -> Option<Attachment> {
        let (properties, attached) = heap::properties(&mut self.store, node, budget)?;
        let mut attachment = Attachment { properties, content: Content::None };
        let Some(attached) = attached else { return Some(attachment) };
        if attached.is_object {
            // The property contains the id of the node that has the attached message.
            let id = u32_at(&attached.value(&mut self.store, node, budget)?, 0)?;
            let inner = self.store.sub_nodes(node.sub, budget).into_iter().find(|inner| inner.id == id)?;
            if depth >= DEPTH_MAX {
                return None;
            }
            // An embedded object without properties is not a message: it is a document of another program.
            if let Some(item) = self.item(&inner, depth + 1, budget) {
                attachment.content = Content::Item(Box::new(item));
            }
        } else {
            attachment.content = Content::Bytes(attached.value(&mut self.store, node, budget)?);
        }
        Some(attachment)
    }
}

/// Returns the path of a folder, without the root folder.
fn path(names: &HashMap<u32, (String, u32)>, folder: u32) -> String {
    let (mut path, mut length, mut met, mut at) = (Vec::new(), 0, HashSet::new(), folder);
    while at != ROOT && path.len() < FOLDERS_MAX && length < PATH_MAX && met.insert(at) {
        let Some((name, parent)) = names.get(&at) else { break };
        path.push(name.as_str());
        length += name.len();
        at = *parent;
    }
    path.reverse();
    match path.join("/") {
        // The root folder and deleted folders have no path, so the path is made from the id of the folder.
        empty if empty.is_empty() => format!("folder {folder:x}"),
        path => path,
    }
}

impl<F> fmt::Debug for Mailbox<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folders, messages) = (self.folders.len(), self.messages.len());
        f.debug_struct("Mailbox").field("folders", &folders).field("messages", &messages).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME_MAX, PATH_MAX, ROOT, path};

    #[test]
    fn paths_are_short_although_names_are_long() {
        let names = |name: &str| (ROOT..=ROOT + 100).map(|id| (id, (name.to_owned(), id - 1))).collect();
        let long = path(&names(&"\u{4e00}".repeat(NAME_MAX)), ROOT + 100);
        assert!((PATH_MAX..PATH_MAX + 3 * NAME_MAX + 64).contains(&long.len()), "{}", long.len());
        assert_eq!(path(&names("a"), ROOT + 3), "a/a/a");
    }
}
