//! One message in, regions out: the header fields, the text parts, and all that lies between.
//!
//! A message is damaged mail until shown otherwise. Whatever the bytes, [`regions`] visits regions that
//! tile them: every byte is in exactly one, in order, and what can be read is undone (transfer encodings,
//! encoded words, the charsets in which ASCII is not ASCII) with a [`Map`] that leads back to the message.
//! What is wrong is told in [`Diagnostic`]s; nothing is an error. The room knows no URLs: a caller's `find` says
//! where one could be.
//!
//! ```text
//!  message ── header ──> fields ──────────────┐
//!     └────── structure ──> parts             ├──> Region { kind, text, map }
//!                 └── transfer ── charset ──┤
//!                      └─ flowed, folded, signed ┘          (html, for the caller, walks a region further)
//! ```
//!
//! mailparse decodes encoded words. The tree of parts is built here, because mailparse's does
//! not tile: preambles, epilogues, unclosed and absent boundaries, messages inside messages are lost or
//! fail the whole message, a boundary matches by prefix, and time is quadratic in some floods.

mod body;
mod calendar;
mod charset;
mod content;
mod date;
mod fields;
mod flowed;
mod folded;
mod header;
#[cfg(feature = "html")]
pub(crate) mod html;
mod html_place;
mod lines;
mod lookup;
mod map;

mod quick;
mod section;
mod signed;
mod structure;
#[cfg(test)]
mod tests;
mod transfer;

use crate::diagnostic::Diagnostic;
use std::ops::{ControlFlow, Range};

pub(crate) use calendar::rfc3339;
pub(crate) use content::decode_eight_bit;
pub(crate) use date::seconds;
pub(crate) use header::decoded_fields;
pub use header::header_range;
pub use html_place::HtmlPlace;
pub(crate) use html_place::Tag;
pub(crate) use lookup::Lookup;
pub(crate) use map::{Joined, Map};

pub use section::Section;
use structure::Caller;
pub(crate) use transfer::may_be_quoted;

use crate::trigger::TriggerSlice;

/// What bounds the work on one message. Beyond a limit the rest is scanned as it lies, with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Multiparts and messages inside one another; one budget for both, across encoded messages too.
    pub(crate) depth: usize,
    /// Parts of one message, all levels together.
    pub(crate) parts: usize,
    /// Bytes of a header field that is still decoded; longer ones are scanned as they lie.
    pub(crate) header_value: usize,
}

impl Default for Limits {
    /// 32 levels, 4,096 parts, 64 KiB to a field.
    fn default() -> Self {
        Self { depth: 32, parts: 4096, header_value: 64 * 1024 }
    }
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'m> {
    /// A header field; the text is its value, folds kept.
    Header {
        /// Its name, as written.
        name: &'m [u8],
    },
    /// A text part.
    Text,
    /// A part of HTML, tags and all.
    Html,
    /// What belongs to no decodable part: preamble, epilogue, damage. Scanned as it lies.
    Raw,
    /// Not to be scanned; here so that the regions tile.
    Skipped(Skip),
}

/// Why a region is not to be scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Header fields of no worth, the mbox line before a block, and the blank line after it.
    Headers,
    /// A boundary line with the line end before it.
    Boundary,
    /// A part that is no text.
    Attachment,
    /// A part in uuencode, yEnc or the like.
    File,
}

/// A stretch of a message.
#[derive(Clone, Debug)]
pub(crate) struct Region<'a> {
    /// What it is.
    pub(crate) kind: Kind<'a>,
    /// The bytes of the message that it covers. Regions tile: each begins where the one before it ended.
    pub(crate) raw: Range<usize>,
    /// The part it lies in; empty for the message's own headers.
    pub(crate) part: &'a Section,
    /// The Content-Type of that part, as written; empty if it has none.
    pub(crate) media: &'a [u8],
    /// What to scan: decoded bytes, or the message's own. Empty if skipped.
    pub(crate) text: &'a [u8],
    /// The triggers in `text` and behind it, if that is the message's bytes as they lie and they are known.
    pub(crate) triggers: Option<TriggerSlice<'a>>,
    /// From an offset in `text` to bytes of the message.
    pub(crate) map: Map<'a>,
    /// Whether the text was got from a damaged or undeclared encoding.
    pub(crate) recovered: bool,
    /// Whether it is in a `multipart/alternative`.
    pub(crate) alternative: Alternative,
}

/// Where a region stands in a `multipart/alternative` (RFC 2046, section 5.1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// In none.
    #[default]
    No,
    /// In the first form of what several alternatives hold.
    First,
    /// In a later one.
    Later,
}

/// Buffers for [`regions`], to be used again for the next message. One per thread. Nothing is allocated until something
/// is decoded.
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

/// Where the caller could find something.
pub(crate) struct Prefilter<'c> {
    /// The triggers of the message, from where it was last asked about; `None` if they are not known.
    triggers: Option<TriggerSlice<'c>>,
    /// Returns the offset of the first trigger in some text, in no more than a SIMD pass up to there. It is called for what is
    /// not a part of the message as it lies, and for everything if the triggers are not known.
    find: &'c dyn Fn(&[u8]) -> Option<usize>,
}

impl<'c> Prefilter<'c> {
    /// From the `triggers` of the message, if they are known, and what finds the first one of other text.
    pub(crate) fn new(triggers: Option<TriggerSlice<'c>>, find: &'c dyn Fn(&[u8]) -> Option<usize>) -> Self {
        Prefilter { triggers, find }
    }

    /// The triggers at `from` of the message and behind it, for [`Region::triggers`] of a text that begins there. Later calls
    /// go forward.
    fn triggers_from(&mut self, from: usize) -> Option<TriggerSlice<'c>> {
        let triggers = self.triggers.as_mut()?;
        triggers.advance(from);
        Some(*triggers)
    }

    /// The first offset in `range` of `message` at which there could be something. Later calls go forward.
    fn first(&mut self, message: &[u8], range: Range<usize>) -> Option<usize> {
        let first = match self.triggers_from(range.start) {
            Some(triggers) => triggers.first().filter(|&at| at < range.len()),
            None => (self.find)(&message[range.clone()]),
        };
        first.map(|at| range.start + at)
    }
}

/// Visits the regions of `message` in order, until all are done or `visit` breaks off.
///
/// `message` is headers and body, with or without an mbox line before them. `prefilter` is asked about header blocks, before
/// folds and encoded words are looked at, and about text that needs no decoding. The field that it points into is
/// visited, as is every field with encoded words; the others are skipped unread. Text is visited in any case.
///
/// A plain text message costs one SIMD pass over its header block and one over its body, without any
/// allocation or copy. Everything else is linear in the message, at most [`Limits::depth`] times over for
/// messages inside encoded messages.
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
