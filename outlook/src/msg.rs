//! Reads `.msg` files ([MS-OXMSG]). A `.msg` file is a compound file (OLE): it contains streams in a tree of storages,
//! like files in directories. One stream has all properties of fixed length. Each other property has a stream of its
//! own.

use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use cfb::CompoundFile;

use super::item::{Attachment, Content, Item, Properties, is_wanted, kind, tag};
use super::{Budget, DEPTH_MAX, Error, u16_at};

/// The first bytes of every compound file.
pub(super) const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Maximum number of streams and storages. The crate cfb looks for their names in a hash table without a random key, so
/// a file can have names that take time with the square of their number.
const ENTRIES_MAX: usize = 30_000;

/// Name of the stream with the properties of fixed length. Every message has this stream.
const PROPERTIES: &str = "__properties_version1.0";

/// Reads a compound file. `depth` is the nesting depth of the file: the number of messages that contain it.
///
/// # Errors
///
/// Returns an error if the file is not a message, if the list of its streams cannot be read, if it has more than
/// [`ENTRIES_MAX`] of them, or if it is nested more than [`DEPTH_MAX`] messages deep.
pub(super) fn item(bytes: &[u8], depth: usize, budget: &mut Budget) -> Result<Item, Error> {
    if depth > DEPTH_MAX || entries(bytes) > ENTRIES_MAX {
        budget.is_damaged = true;
        return Err(Error::Damaged);
    }
    let padded;
    let mut file = match CompoundFile::open(Cursor::new(bytes)) {
        Ok(file) => file,
        Err(_) => {
            budget.is_damaged = true;
            padded = padded_to_its_end(bytes);
            CompoundFile::open(Cursor::new(&*padded)).map_err(|_| Error::Damaged)?
        }
    };
    let root = Path::new("/");
    if !file.is_stream(root.join(PROPERTIES)) {
        return Err(Error::Document);
    }
    Ok(Reader { file: &mut file, budget }.item(root, 32, depth))
}

/// Returns at least the number of streams and storages of a file. In the directory, each has 128 bytes, with the length
/// of the name in UTF-16 and its NUL at the offset 64, and the type at the offset 66.
fn entries(bytes: &[u8]) -> usize {
    let is_entry = |entry: &&[u8]| matches!(entry[64..67], [2..=64, 0, 1 | 2 | 5]) && entry[64].is_multiple_of(2);
    bytes.chunks_exact(128).filter(is_entry).count()
}

/// Pads a truncated file with zeros to its full length, so that the streams before the missing part can be read.
///
/// The header states how many sectors the file allocation table has. Each sector of this table lists 128 sectors of 512
/// bytes, or 1024 sectors of 4096 bytes. So the full length of the file can be computed from the header. The header can
/// be hostile, so the result is limited to about twice the length of the file.
fn padded_to_its_end(bytes: &[u8]) -> Vec<u8> {
    let shift = u16_at(bytes, 30).map_or(9, |shift| shift.clamp(9, 12));
    let tables = super::u32_at(bytes, 44).unwrap_or(0) as usize;
    let length = tables.saturating_mul(1 << (2 * shift - 2)).saturating_add(1 << shift);
    let most = bytes.len().saturating_mul(2).saturating_add(1 << 16);
    let mut padded = bytes.to_vec();
    padded.resize(length.min(most).max(bytes.len()).next_multiple_of(1 << shift), 0);
    padded
}

struct Reader<'r, F> {
    file: &'r mut CompoundFile<F>,
    budget: &'r mut Budget,
}

impl<F: Read + Seek> Reader<'_, F> {
    /// Reads the message in the storage `at`. The property stream begins with a header of `header` bytes.
    fn item(&mut self, at: &Path, header: usize, depth: usize) -> Item {
        let properties = self.properties(at, header);
        let mut attachments = Vec::new();
        for path in self.storages(at, "__attach_version1.0_") {
            if !self.budget.attachment() {
                break;
            }
            attachments.push(self.attachment(&path, depth));
        }
        Item { properties, attachments }
    }

    fn attachment(&mut self, at: &Path, depth: usize) -> Attachment {
        let mut attachment = Attachment { properties: self.properties(at, 8), content: Content::None };
        let inner = at.join(substg(tag::ATTACHED, kind::OBJECT));
        let bytes = at.join(substg(tag::ATTACHED, kind::BINARY));
        if self.file.is_storage(&inner) {
            // An embedded object without properties is not a message: it is a document of another program.
            if depth < DEPTH_MAX && self.file.is_stream(inner.join(PROPERTIES)) {
                attachment.content = Content::Item(Box::new(self.item(&inner, 24, depth + 1)));
            }
            self.budget.is_damaged |= depth >= DEPTH_MAX;
        } else if self.file.is_stream(&bytes) {
            attachment.content = Content::Bytes(self.stream(&bytes));
        }
        attachment
    }

    fn storages(&self, at: &Path, start: &str) -> Vec<PathBuf> {
        let Ok(entries) = self.file.read_storage(at) else { return Vec::new() };
        let wanted = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(start));
        wanted.map(|entry| entry.path().to_path_buf()).collect()
    }

    fn properties(&mut self, at: &Path, header: usize) -> Properties {
        let mut properties = Properties::default();
        let fixed = self.stream(&at.join(PROPERTIES));
        for entry in fixed.get(header..).unwrap_or_default().chunks_exact(16) {
            let (Some(kind), Some(tag)) = (u16_at(entry, 0), u16_at(entry, 2)) else { continue };
            // The property stream has the values of these four types. For strings and binary data, the property stream
            // has only the length of the value.
            if is_wanted(tag) && matches!(kind, kind::SHORT | kind::LONG | kind::LONG_LONG | kind::TIME) {
                properties.put(tag, kind, &entry[8..]);
            }
        }
        let Ok(entries) = self.file.read_storage(at) else { return properties };
        let streams: Vec<_> =
            entries.filter_map(|entry| Some((tag_and_kind(entry.name())?, entry.path().to_path_buf()))).collect();
        for ((tag, kind), path) in streams {
            if is_wanted(tag) && matches!(kind, kind::WIDE | kind::NARROW | kind::BINARY) && self.file.is_stream(&path)
            {
                let bytes = self.stream(&path);
                properties.put(tag, kind, &bytes);
            }
        }
        properties
    }

    /// Reads a stream until the stream ends, the budget is exhausted, or an error occurs.
    fn stream(&mut self, path: &Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Ok(stream) = self.file.open_stream(path) else {
            self.budget.is_damaged = true;
            return bytes;
        };
        let most = self.budget.bytes as u64;
        let told = stream.len();
        let read = stream.take(most).read_to_end(&mut bytes);
        self.budget.take(bytes.len());
        self.budget.is_damaged |= read.is_err() || (bytes.len() as u64) < told;
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
