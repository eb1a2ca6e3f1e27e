//! Reads `.msg` files ([MS-OXMSG]). A `.msg` file is a compound file (OLE): it contains streams in a tree of storages,
//! like files in directories. One stream has all properties of fixed length. Each other property has a stream of its
//! own.

use super::compound::{Compound, Entry};
use super::item::{Attachment, Content, Item, Properties, is_wanted, kind, tag};
use super::{Budget, DEPTH_MAX, Error, u16_at};

/// Name of the stream with the properties of fixed length. Every message has this stream.
const PROPERTIES: &str = "__properties_version1.0";

/// Reads a compound file. `depth` is the nesting depth of the file: the number of messages that contain it.
///
/// # Errors
///
/// Returns an error if the file is not a message, if the list of its streams cannot be read, or if it is nested more than
/// [`DEPTH_MAX`] messages deep.
pub(super) fn item(bytes: &[u8], depth: usize, budget: &mut Budget) -> Result<Item, Error> {
    let file = if depth > DEPTH_MAX { None } else { Compound::open(bytes) };
    let Some((file, root)) = file else {
        budget.is_damaged = true;
        return Err(Error::Damaged);
    };
    budget.is_damaged |= file.is_damaged;
    let mut reader = Reader { file: &file, budget };
    // A document of another program has no streams with values of properties. In a damaged message, the stream with the
    // other properties can be missing.
    let has_values = || file.entries(root).any(|entry| tag_and_kind(&entry.name()).is_some());
    let is_document = || file.entries(root).any(|entry| !entry.name().starts_with("__"));
    match reader.is_message(root) || has_values() {
        true => Ok(reader.item(root, 32, depth)),
        false if file.is_damaged && !is_document() => Err(Error::Damaged),
        false => Err(Error::Document),
    }
}

struct Reader<'r> {
    file: &'r Compound<'r>,
    budget: &'r mut Budget,
}

impl<'r> Reader<'r> {
    /// Whether a storage has the properties of a message.
    fn is_message(&self, storage: Entry<'_>) -> bool {
        self.file.find(storage, PROPERTIES).is_some_and(|entry| entry.is_stream())
    }

    /// Reads the message in the storage `at`. The property stream begins with a header of `header` bytes.
    fn item(&mut self, at: Entry<'r>, header: usize, depth: usize) -> Item {
        let properties = self.properties(at, header);
        let mut attachments = Vec::new();
        for entry in self.file.entries(at) {
            if !entry.is_storage() || !entry.name().starts_with("__attach_version1.0_") {
                continue;
            }
            if !self.budget.attachment() {
                break;
            }
            attachments.push(self.attachment(entry, depth));
        }
        Item { properties, attachments }
    }

    fn attachment(&mut self, at: Entry<'r>, depth: usize) -> Attachment {
        let mut attachment = Attachment { properties: self.properties(at, 8), content: Content::None };
        let find = |kind: u16| self.file.find(at, &substg(tag::ATTACHED, kind));
        if let Some(inner) = find(kind::OBJECT).filter(Entry::is_storage) {
            // An embedded object without properties is not a message: it is a document of another program.
            if depth < DEPTH_MAX && self.is_message(inner) {
                attachment.content = Content::Item(Box::new(self.item(inner, 24, depth + 1)));
            }
            self.budget.is_damaged |= depth >= DEPTH_MAX;
        } else if let Some(bytes) = find(kind::BINARY).filter(Entry::is_stream) {
            attachment.content = Content::Bytes(self.stream(bytes));
        }
        attachment
    }

    fn properties(&mut self, at: Entry<'r>, header: usize) -> Properties {
        let mut properties = Properties::default();
        let fixed = match self.file.find(at, PROPERTIES).filter(Entry::is_stream) {
            Some(stream) => self.stream(stream),
            None => {
                self.budget.is_damaged = true;
                Vec::new()
            }
        };
        for entry in fixed.get(header..).unwrap_or_default().chunks_exact(16) {
            let (Some(kind), Some(tag)) = (u16_at(entry, 0), u16_at(entry, 2)) else { continue };
            // The property stream has the values of these four types. For strings and binary data, the property stream
            // has only the length of the value.
            if is_wanted(tag) && matches!(kind, kind::SHORT | kind::LONG | kind::LONG_LONG | kind::TIME) {
                properties.put(tag, kind, &entry[8..]);
            }
        }
        for entry in self.file.entries(at).filter(Entry::is_stream) {
            let Some((tag, kind)) = tag_and_kind(&entry.name()) else { continue };
            if is_wanted(tag) && matches!(kind, kind::WIDE | kind::NARROW | kind::BINARY) {
                properties.put(tag, kind, &self.stream(entry));
            }
        }
        properties
    }

    /// Reads a stream until it ends, the budget is exhausted, or a part of it is missing.
    fn stream(&mut self, stream: Entry<'_>) -> Vec<u8> {
        let bytes = self.file.read(stream, self.budget.bytes);
        self.budget.take(bytes.len());
        self.budget.is_damaged |= bytes.len() < stream.size();
        bytes
    }
}

/// Returns the name of the stream or storage that has the value of a property.
fn substg(tag: u16, kind: u16) -> String {
    format!("__substg1.0_{tag:04X}{kind:04X}")
}

/// Returns the number and the type of the property whose value is in the stream `name`. Returns `None` for every other
/// stream. The streams of a property with several values have longer names, so they are skipped, too.
fn tag_and_kind(name: &str) -> Option<(u16, u16)> {
    let digits = name.strip_prefix("__substg1.0_").filter(|digits| digits.len() == 8)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some(((number >> 16) as u16, number as u16))
}
