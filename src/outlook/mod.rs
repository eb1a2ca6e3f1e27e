//! Converts Outlook's formats to MIME messages (RFC 5322), which the module `mail` reads.
//!
//! Outlook stores a message as properties. Each has a number, a type and a value. There is a reader for each of three
//! formats. It makes an [`Item`](item::Item) of the properties, and `mime.rs` writes the item as a message:
//!
//! ```text
//!  .msg, a compound file ── msg ──┐
//!  winmail.dat (TNEF) ──── tnef ──┼──> Item ── mime ──> a message
//!  .pst, .ost ──────────── pst ───┘       └── rtf, for bodies that are RTF only
//! ```
//!
//! The text of bodies is copied unchanged, but offsets in the result are not offsets in the file. Attachments without text
//! are skipped: only their names remain.
//!
//! Any file may be hostile. No allocation trusts a size that the file states. One message is limited to [`MESSAGE_MAX`]
//! bytes and [`ATTACHMENTS_MAX`] attachments, and messages inside messages to [`DEPTH_MAX`] levels.

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

/// A message that was converted from one of Outlook's formats.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Converted {
    /// The message, as MIME.
    pub(crate) message: Vec<u8>,
    /// Whether a part of it could not be read.
    pub(crate) is_damaged: bool,
}

/// At most this many bytes are read for one message, including the messages inside it.
const MESSAGE_MAX: usize = 64 << 20;

/// At most this many messages may be nested in one another.
const DEPTH_MAX: usize = 10;

/// At most this many attachments are read for one message, including those of the messages inside it.
const ATTACHMENTS_MAX: usize = 4096;

/// How much may still be read for one message.
#[derive(Debug)]
struct Budget {
    bytes: usize,
    attachments: usize,
    /// Whether something was not read, because it is damaged or over a limit.
    is_damaged: bool,
}

impl Budget {
    fn new() -> Budget {
        Budget { bytes: MESSAGE_MAX, attachments: ATTACHMENTS_MAX, is_damaged: false }
    }

    /// Takes `count` bytes from the budget, or what is left of it. Returns how many that are.
    fn take(&mut self, count: usize) -> usize {
        let most = count.min(self.bytes);
        self.bytes -= most;
        self.is_damaged |= most < count;
        most
    }

    /// Takes an attachment from the budget. Returns whether it may be read.
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
