//! Converts what Outlook stores to messages as they are sent: RFC 5322 and MIME, which `mail` reads.
//!
//! Outlook stores a message as properties: a number, a type and a value for each. Three formats have them, and each reader
//! makes an [`Item`](item::Item) of them, from which `mime.rs` writes the message:
//!
//! ```text
//!  .msg, a compound file ── msg ──┐
//!  winmail.dat (TNEF) ──── tnef ──┼──> Item ── mime ──> a message
//!  .pst, .ost ──────────── pst ───┘       └── rtf, for bodies that are RTF only
//! ```
//!
//! The text of bodies is copied, but offsets in the result are not offsets in the file. Attachments that hold no text are
//! left out; only their names remain.
//!
//! Any file may be hostile. Nothing is allocated by a size that the file states, what is read for one message is limited,
//! and so is the depth of messages inside messages.

mod codepage;
mod convert;
mod item;
mod lzfu;
mod mime;
mod msg;
#[cfg(feature = "pst")]
mod pst;
mod rtf;
mod tnef;

pub(crate) use convert::{from_tnef, read_ole};
pub(crate) use msg::Ole;
#[cfg(feature = "pst")]
pub(crate) use pst::Pst;

/// A message that was made of something else.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Converted {
    /// The message.
    pub(crate) message: Vec<u8>,
    /// Whether a part of it could not be read.
    pub(crate) is_damaged: bool,
}

/// How many bytes are read for one message, with the messages inside it.
const MESSAGE_MAX: usize = 64 << 20;

/// How deeply messages may be nested.
const DEPTH_MAX: usize = 10;

/// How many attachments one message may have, with those of the messages inside it.
const ATTACHMENTS_MAX: usize = 4096;

/// What may still be read for a message.
#[derive(Debug)]
struct Budget {
    bytes: usize,
    attachments: usize,
    /// Whether something was damaged, or too large to be read.
    is_damaged: bool,
}

impl Budget {
    fn new() -> Budget {
        Budget { bytes: MESSAGE_MAX, attachments: ATTACHMENTS_MAX, is_damaged: false }
    }

    /// Returns how many of `count` bytes may be read.
    fn take(&mut self, count: usize) -> usize {
        let most = count.min(self.bytes);
        self.bytes -= most;
        self.is_damaged |= most < count;
        most
    }

    /// Whether another attachment may be read.
    fn attachment(&mut self) -> bool {
        let may = self.attachments > 0;
        self.attachments = self.attachments.saturating_sub(1);
        self.is_damaged |= !may;
        may
    }
}

/// Reads a little-endian number of two bytes.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads a little-endian number of four bytes.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads a little-endian number of eight bytes.
fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
