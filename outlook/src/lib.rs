//! Converts the mail of Outlook to MIME messages (RFC 5322), as other programs send and store them.
//!
//! | format | function |
//! |---|---|
//! | `.msg`, one message | [`from_msg`] |
//! | TNEF, the attachment `winmail.dat` | [`from_tnef`] |
//! | `.pst` and `.ost`, a mailbox with folders | [`Mailbox`] |
//! | RTF, the body of many messages | [`from_rtf`] |
//!
//! ```
//! # fn attribute(id: u32, value: &[u8]) -> Vec<u8> {
//! #     let sum = value.iter().map(|&byte| u16::from(byte)).sum::<u16>();
//! #     let length = value.len() as u32;
//! #     [&[1][..], &id.to_le_bytes(), &length.to_le_bytes(), value, &sum.to_le_bytes()].concat()
//! # }
//! # let winmail = [&[0x78, 0x9F, 0x3E, 0x22, 0, 0][..], &attribute(0x0002_800C, b"See you at ten.")].concat();
//! let message = outlook_mime::from_tnef(&winmail)?;
//! assert!(!message.is_damaged);
//! assert_eq!(
//!     String::from_utf8_lossy(&message.bytes),
//!     "MIME-Version: 1.0\r\n\
//!      Content-Type: text/plain; charset=windows-1252\r\n\
//!      Content-Transfer-Encoding: 8bit\r\n\
//!      \r\n\
//!      See you at ten."
//! );
//! # Ok::<(), outlook_mime::Error>(())
//! ```
//!
//! To print the messages of a mailbox:
//!
//! ```no_run
//! use std::fs::File;
//! use outlook_mime::Mailbox;
//!
//! let mut mailbox = Mailbox::open(File::open("archive.pst")?)?;
//! while let Some(folder) = mailbox.next_folder() {
//!     while let Some(message) = mailbox.next_message() {
//!         println!("{folder}: {}", String::from_utf8_lossy(&message?.bytes));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The example `outlook2mbox` converts files of all formats to an mbox.
//!
//! # What a message contains
//!
//! Outlook stores a message as properties. Each property has a number, a type and a value. The message contains:
//!
//! - the header fields with which the message was delivered, if Outlook stored them. Missing fields such as From, Date
//!   and Subject are made from other properties;
//! - the body as plain text, as HTML, or both. RTF is converted to HTML, UTF-16 to UTF-8. Other bodies are copied
//!   unchanged, with the charset in the Content-Type;
//! - the attachments. Those that are not text or messages have the type `application/octet-stream`.
//!
//! The parts have no transfer encoding (`8bit`), and their lines can be longer than 998 bytes. So a message may need an
//! encoding before it is sent.
//!
//! # Malformed files
//!
//! Any file can be hostile. A damaged file is read as far as possible, and [`Message::is_damaged`] reports the damage.
//! Memory is never allocated just because the file states a large size. For one message, including the messages inside
//! it, at most 64 MiB and 4096 attachments are read, and at most 10 levels of messages inside messages. The rest is
//! skipped, and also counts as damage. The crate has no `unsafe` code, and does not panic.

#![forbid(unsafe_code)]

// Each of the three formats has a reader, which makes an `Item` from the properties. `mime` writes the item as a
// message:
//
//  .msg, a compound file ── msg ──┐
//  winmail.dat (TNEF) ──── tnef ──┼──> Item ── mime ──> a message
//  .pst, .ost ──────────── pst ───┘       └── rtf, for bodies that are RTF only
mod codepage;
mod compound;
mod error;
mod item;
mod lzfu;
mod mime;
mod msg;
mod pst;
mod rtf;
mod tnef;

pub use error::Error;
pub use pst::Mailbox;

/// A message that was converted from one of Outlook's formats.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The message: header fields, an empty line, and the body. Lines that this crate writes end with CR LF.
    pub bytes: Vec<u8>,
    /// Whether a part of the message could not be read, because it is damaged or exceeds a limit.
    pub is_damaged: bool,
}

/// Converts a `.msg` file. `bytes` is the whole file.
///
/// # Errors
///
/// Returns an error if the file is not a message, or if nothing of it can be read.
pub fn from_msg(bytes: &[u8]) -> Result<Message, Error> {
    if !bytes.starts_with(compound::SIGNATURE) {
        return Err(Error::Format);
    }
    let mut budget = Budget::new();
    let item = msg::item(bytes, 0, &mut budget)?;
    Ok(budget.message(item, true))
}

/// Converts TNEF, the format of `winmail.dat`. `bytes` is the attachment without its transfer encoding.
///
/// The result has no From, Date and similar fields, because the message that contains the attachment has them.
///
/// # Errors
///
/// Returns an error if `bytes` is not TNEF.
pub fn from_tnef(bytes: &[u8]) -> Result<Message, Error> {
    let mut budget = Budget::new();
    let item = tnef::item(bytes, 0, &mut budget).ok_or(Error::Format)?;
    Ok(budget.message(item, false))
}

/// Converts RTF to HTML: the HTML that is stored in the RTF, or the text of the RTF with its links. Never fails: input
/// that is not RTF is converted as text.
#[must_use]
pub fn from_rtf(rtf: &[u8]) -> String {
    rtf::html(rtf).text
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

    /// Writes `item` as a message. If `headers` is true, the message has From, Date and similar fields.
    fn message(&mut self, item: item::Item, headers: bool) -> Message {
        let bytes = mime::message(item, headers, 0, self);
        Message { bytes, is_damaged: self.is_damaged }
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
