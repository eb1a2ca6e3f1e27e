//! Converts Outlook's formats to MIME messages (RFC 5322), which the module `mail` then reads.
//!
//! Outlook stores a message as properties. Each property has a number, a type and a value. Each of the three formats
//! has a reader, which makes an [`Item`](item::Item) from the properties. `mime.rs` writes the item as a message:
//!
//! ```text
//!  .msg, a compound file ── msg ──┐
//!  winmail.dat (TNEF) ──── tnef ──┼──> Item ── mime ──> a message
//!  .pst, .ost ──────────── pst ───┘       └── rtf, for bodies that are RTF only
//! ```
//!
//! RTF is converted to HTML, and UTF-16 to UTF-8. Other bodies are copied unchanged. Offsets in the result are not
//! offsets in the file. If an attachment is neither text nor a message, only its name and its URL are kept.
//!
//! Any file can be hostile. Memory is never allocated just because the file states a large size. A message is limited
//! to [`MESSAGE_MAX`] bytes, [`ATTACHMENTS_MAX`] attachments, and [`DEPTH_MAX`] levels of nested messages.

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
    pub(crate) message: Vec<u8>,
    /// Whether a part of the message could not be read.
    pub(crate) is_damaged: bool,
}

/// Maximum number of bytes that are read for one message, including the messages inside it.
const MESSAGE_MAX: usize = 64 << 20;

/// Maximum depth of nested messages: a message in a message has depth 1.
const DEPTH_MAX: usize = 10;

/// Maximum number of attachments that are read for one message, including the messages inside it.
const ATTACHMENTS_MAX: usize = 4096;

/// The number of bytes and attachments that can still be read for one message.
#[derive(Debug)]
struct Budget {
    bytes: usize,
    attachments: usize,
    /// Whether data was skipped because it is damaged or exceeds a limit.
    is_damaged: bool,
}

impl Budget {
    fn new() -> Budget {
        Budget { bytes: MESSAGE_MAX, attachments: ATTACHMENTS_MAX, is_damaged: false }
    }

    /// Takes `count` bytes from the budget, or all remaining bytes if fewer than `count` remain. Returns the number of
    /// bytes taken.
    fn take(&mut self, count: usize) -> usize {
        let most = count.min(self.bytes);
        self.bytes -= most;
        self.is_damaged |= most < count;
        most
    }

    /// Takes one attachment from the budget. Returns `false` if the budget has no attachment left.
    fn attachment(&mut self) -> bool {
        let may = self.attachments > 0;
        self.attachments = self.attachments.saturating_sub(1);
        self.is_damaged |= !may;
        may
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
