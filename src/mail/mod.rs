//! Turns one message into regions: the header fields, the text parts, and what is between them.
//!
//! Any message may be malformed. [`regions`] visits regions that tile the bytes: every byte is in exactly one, in order.
//! It decodes transfer encodings, encoded words, and charsets in which an ASCII byte can be part of another
//! character. A [`Map`] leads from
//! decoded text back to the message. Malformed mail produces [`Diagnostic`]s, never errors. This module knows nothing of
//! URLs: the caller's `find` tells where one could be.
//!
//! ```text
//!  message ── header ──> fields ──────────────┐
//!     └────── structure ──> parts             ├──> Region { kind, text, map }
//!                 └── transfer ── charset ──┤
//!                      └─ flowed, unfold, pgp_clearsign ┘   (html, for the caller, walks a region further)
//! ```
//!
//! mailparse decodes encoded words, but the tree of parts is built here, because mailparse's does not tile. It loses
//! preambles, epilogues and unclosed or absent boundaries, or fails the whole message. So it does with messages inside
//! messages. It matches boundaries by prefix, and some floods take it quadratic time.

mod body;
mod calendar;
mod charset;
mod content;
mod date;
mod fields;
mod flowed;
mod header;
mod header_index;
#[cfg(feature = "html")]
pub(crate) mod html;
mod html_place;
mod lines;
mod map;
mod unfold;

mod header_scan;
mod pgp_clearsign;
mod section;
mod structure;
#[cfg(test)]
mod tests;
#[cfg(feature = "outlook")]
mod tnef;
mod transfer;

use crate::diagnostic::Diagnostic;
use std::ops::{ControlFlow, Range};

pub(crate) use calendar::rfc3339;
pub(crate) use content::decode_eight_bit;
pub(crate) use date::seconds;
pub use header::header_range;
pub(crate) use header::{decode_value, decoded_fields};
pub(crate) use header_index::HeaderIndex;
pub use html_place::HtmlPlace;
pub(crate) use html_place::Tag;
pub(crate) use map::{Joined, Map};

pub use section::Section;
use structure::Caller;
pub(crate) use transfer::may_be_quoted;

use crate::trigger::TriggerSlice;

/// Limits on the work for one message. Beyond a limit the rest is scanned undecoded, with a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// How deeply multiparts and messages may be nested, counted together, across encoded messages too.
    pub(crate) depth: usize,
    /// How many parts one message may have, on all levels together.
    pub(crate) parts: usize,
    /// The longest header field to decode, in bytes. Longer ones are scanned undecoded.
    pub(crate) header_value: usize,
}

impl Default for Limits {
    /// 32 levels, 4,096 parts, 64 KiB a field.
    fn default() -> Self {
        Self { depth: 32, parts: 4096, header_value: 64 * 1024 }
    }
}

/// The kind of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'m> {
    /// A header field. The text is its value with its folds.
    Header {
        /// Its name, as written.
        name: &'m [u8],
    },
    /// A text part.
    Text,
    /// An HTML part, including its tags.
    Html,
    /// Bytes of no decodable part: preamble, epilogue, malformed data. Scanned undecoded.
    Raw,
    /// Not scanned. It exists so that the regions tile.
    Skipped(Skip),
}

/// Why a region is not scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Header fields that cannot hold a URL, the mbox line before a header block, and the blank line after it.
    Headers,
    /// A boundary line with the line end before it.
    Boundary,
    /// A part that is not text.
    Attachment,
    /// A part in uuencode, yEnc or the like.
    File,
}

/// A range of a message.
#[derive(Clone, Debug)]
pub(crate) struct Region<'a> {
    /// Its kind.
    pub(crate) kind: Kind<'a>,
    /// The bytes of the message that it covers. Regions tile: each begins where the one before it ended. Only those of a
    /// message in TNEF all cover the same: the part that it is in.
    pub(crate) raw: Range<usize>,
    /// The part around it. Empty for the message's own headers.
    pub(crate) part: &'a Section,
    /// The Content-Type of that part, as written; empty if it has none.
    pub(crate) media: &'a [u8],
    /// The text to scan: decoded bytes, or the message's own. Empty if skipped.
    pub(crate) text: &'a [u8],
    /// The triggers from the beginning of `text` on, if they are known and `text` is not decoded.
    pub(crate) triggers: Option<TriggerSlice<'a>>,
    /// Maps an offset in `text` to bytes of the message.
    pub(crate) map: Map<'a>,
    /// Whether the text was decoded from a malformed or undeclared encoding.
    pub(crate) recovered: bool,
    /// Whether it is in a `multipart/alternative`.
    pub(crate) alternative: Alternative,
}

/// Where a region is in a `multipart/alternative` (RFC 2046, section 5.1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// Not in one.
    #[default]
    No,
    /// In the first of several alternatives. The number is the length of the section path of the `multipart/alternative`.
    First(u32),
    /// In a later alternative.
    Later(u32),
}

impl Alternative {
    pub(crate) fn is_later(self) -> bool {
        matches!(self, Alternative::Later(_))
    }

    /// Returns the section path of the outermost `multipart/alternative` around `part`.
    pub(crate) fn container(self, part: &Section) -> Option<&[u32]> {
        match self {
            Alternative::No => None,
            Alternative::First(depth) | Alternative::Later(depth) => part.path().get(..depth as usize),
        }
    }
}

/// Buffers for [`regions`], reused for the next message. One per thread. Nothing is allocated until something is
/// decoded.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    decoded: Vec<u8>,
    points: transfer::Points,
    joined: Joined,
    section: Section,
    frames: Vec<structure::Frame>,
    /// For a message inside an encoded part.
    inner: Option<Box<Scratch>>,
}

/// Tells where the caller could find something.
pub(crate) struct Prefilter<'c> {
    /// The triggers of the message after the last lookup. `None` if they are not known.
    triggers: Option<TriggerSlice<'c>>,
    /// Returns the offset of the first trigger in some text, in at most one SIMD pass up to there. It is called for
    /// decoded text, and for all text if the triggers are not known.
    find: &'c dyn Fn(&[u8]) -> Option<usize>,
}

impl<'c> Prefilter<'c> {
    /// Makes a prefilter from the `triggers` of the message, if they are known, and a function that finds the first one
    /// of other text.
    pub(crate) fn new(triggers: Option<TriggerSlice<'c>>, find: &'c dyn Fn(&[u8]) -> Option<usize>) -> Self {
        Prefilter { triggers, find }
    }

    /// Returns the message's triggers from `from` on, for [`Region::triggers`] of a text that begins there. Later calls
    /// go forward.
    fn triggers_from(&mut self, from: usize) -> Option<TriggerSlice<'c>> {
        let triggers = self.triggers.as_mut()?;
        triggers.advance(from);
        Some(*triggers)
    }

    /// Returns the first offset in `range` of `message` at which there could be something. Later calls go forward.
    fn first(&mut self, message: &[u8], range: Range<usize>) -> Option<usize> {
        let first = match self.triggers_from(range.start) {
            Some(triggers) => triggers.first().filter(|&at| at < range.len()),
            None => (self.find)(&message[range.clone()]),
        };
        first.map(|at| range.start + at)
    }
}

/// Visits the regions of `message` in order, until the end or until `visit` breaks.
///
/// `message` is headers and body, with or without an mbox line before them. `prefilter` is called for header blocks,
/// before folds and encoded words are read, and for text that needs no decoding. The field that has its offset is
/// visited, and every field with encoded words. The others are skipped unread. Text is visited in any case.
///
/// A plain text message costs one SIMD pass over its header block and one over its body, without an allocation or copy.
/// Everything else is linear in the message, at most [`Limits::depth`] times over for messages inside encoded messages.
pub(crate) fn regions(
    message: &[u8],
    limits: &Limits,
    scratch: &mut Scratch,
    prefilter: Prefilter<'_>,
    visit: &mut dyn FnMut(&Region<'_>) -> ControlFlow<()>,
    note: &mut dyn FnMut(Diagnostic),
) -> ControlFlow<()> {
    scratch.section.path.clear();
    let (depth, mut parts) = (0, 0);
    structure::nested(
        message,
        limits,
        scratch,
        &mut Caller { prefilter, visit, note },
        depth,
        &mut parts,
        Alternative::No,
    )
}
