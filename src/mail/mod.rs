//! One message in, regions out: the header fields, the text parts, and all that lies between.
//!
//! A message is damaged mail until shown otherwise. Whatever the octets, [`regions`] visits regions that
//! tile them: every octet is in exactly one, in order, and what can be read is undone (transfer encodings,
//! encoded words, the charsets in which ASCII is not ASCII) with a [`Map`] that leads back to the message.
//! What is wrong is told in [`Note`]s; nothing is an error. The room knows no URLs: a caller's `find` says
//! where one could be.
//!
//! ```text
//!  message ── header ──> fields ──────────────┐
//!     └────── structure ──> parts             ├──> Region { kind, text, map }
//!                 └── transfer ── charset ──┤
//!                      └─ flowed, folded, signed ┘          (html, for the caller, walks a region further)
//! ```
//!
//! mailparse reads fields and their parameters. The tree of parts is built here, because mailparse's does
//! not tile: preambles, epilogues, unclosed and absent boundaries, messages inside messages are lost or
//! fail the whole message, a boundary matches by prefix, and time is quadratic in some floods.

mod body;
mod charset;
mod content;
mod date;
mod fields;
mod flowed;
mod folded;
mod header;
#[cfg(feature = "html")]
pub(crate) mod html;
mod lines;
mod lookup;
mod map;
mod needle;
mod note;
mod quick;
mod section;
mod signed;
mod structure;
#[cfg(test)]
mod tests;
mod transfer;

use std::ops::{ControlFlow, Range};

pub(crate) use date::{rfc3339, seconds};
pub(crate) use lookup::Lookup;
pub(crate) use map::{Map, Run};
pub use section::Section;
use structure::Caller;

/// What bounds the work on one message. Beyond a limit the rest is scanned as it lies, with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Multiparts and messages inside one another; one budget for both, across encoded messages too.
    pub(crate) depth: usize,
    /// Parts of one message, all levels together.
    pub(crate) parts: usize,
    /// Octets of a header field that is still decoded; longer ones are scanned as they lie.
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
    /// The octets of the message that it covers. Regions tile: each begins where the one before it ended.
    pub(crate) raw: Range<usize>,
    /// The part it lies in; empty for the message's own headers.
    pub(crate) part: &'a Section,
    /// What to scan: decoded octets, or the message's own. Empty if skipped.
    pub(crate) text: &'a [u8],
    /// Where what is of interest could be in `text` and behind it, if that is the message's octets as they lie and is known;
    /// and where in the message, as these are counted, `text` begins.
    pub(crate) places: Option<(&'a [u32], usize)>,
    /// From an offset in `text` to octets of the message.
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

/// What was found wrong with a message, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// What it was.
    pub(crate) kind: NoteKind,
    /// The octet of the message where it was seen; for what is inside an encoded message, where that is.
    pub(crate) offset: usize,
}

/// Kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NoteKind {
    /// Blanks before the first field.
    LeadingBlank,
    /// A line among the fields that is none.
    StrayLine,
    /// The body begins without a blank line.
    MissingBlank,
    /// Lines end in CR alone: nothing was decoded.
    LoneCr,
    /// A multipart without a boundary, or whose boundary does not occur.
    NoBoundary,
    /// A multipart that is not closed.
    Unclosed,
    /// A transfer encoding of unknown name.
    UnknownEncoding,
    /// Base64 with something after it.
    BrokenBase64,
    /// Quoted-printable that was not declared.
    UndeclaredQuoted,
    /// Deeper than [`Limits::depth`].
    Depth,
    /// More parts than [`Limits::parts`].
    Parts,
    /// A field that was not decoded: longer than [`Limits::header_value`], or a flood of encoded words.
    LongField,
    /// 4 GiB or more: scanned as it lies.
    Huge,
    /// A part that was not read, though there is text in it.
    Sealed,
}

/// Buffers for [`regions`], to be used again for the next message. One per thread. Nothing is allocated until something
/// is decoded.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    decoded: Vec<u8>,
    points: transfer::Points,
    joined: Vec<u8>,
    runs: Vec<Run>,
    section: Section,
    frames: Vec<structure::Frame>,
    /// For a message inside an encoded part.
    inner: Option<Box<Scratch>>,
}

/// What the caller looks for.
pub(crate) struct Worth<'c> {
    /// The offsets in the message at which something of interest *could* be, in order; `None` if they are not known.
    places: Option<&'c [u32]>,
    /// Where in some octets the first of them is, in no more than a SIMD pass up to there: asked about what is not
    /// a part of the message as it lies, and about everything if the places are not known.
    find: &'c dyn Fn(&[u8]) -> Option<usize>,
    /// Up to where the places have been forgotten.
    #[cfg(debug_assertions)]
    asked: usize,
}

impl<'c> Worth<'c> {
    /// What there is at `places`, if they are known, and what `find` finds, as the fields say.
    pub(crate) fn new(places: Option<&'c [u32]>, find: &'c dyn Fn(&[u8]) -> Option<usize>) -> Self {
        Worth {
            places,
            find,
            #[cfg(debug_assertions)]
            asked: 0,
        }
    }

    /// The places at `from` of the message and behind it, for [`Region::places`] of a text that begins there. Later calls go
    /// forward: what lies before is forgotten, for to search for where to begin took a hundredth of what mail with many takes.
    fn places_from(&mut self, from: usize) -> Option<(&'c [u32], usize)> {
        #[cfg(debug_assertions)]
        {
            debug_assert!(from >= self.asked, "{from} is behind {}", self.asked);
            self.asked = from;
        }
        let places = self.places.as_mut()?;
        while let Some((&place, behind)) = places.split_first()
            && (place as usize) < from
        {
            *places = behind;
        }
        Some((places, from))
    }

    /// The first offset in `range` of `message` at which there could be something. Later calls go forward.
    fn first(&mut self, message: &[u8], range: Range<usize>) -> Option<usize> {
        match self.places_from(range.start) {
            Some((places, _)) => places.first().map(|&place| place as usize).filter(|&place| place < range.end),
            None => (self.find)(&message[range.clone()]).map(|at| range.start + at),
        }
    }
}

/// Whether `message` may hold quoted-printable that it does not declare, so that its octets do not tell what is in it.
pub(crate) fn may_be_quoted(message: &[u8]) -> bool {
    transfer::has_soft_break(message)
}

/// Visits the regions of `message` in order, until all are done or `visit` breaks off.
///
/// `message` is headers and body, with or without an mbox line before them. `worth` is asked about header blocks, before
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
    worth: Worth<'_>,
    visit: &mut dyn FnMut(&Region<'_>) -> ControlFlow<()>,
    note: &mut dyn FnMut(Note),
) -> ControlFlow<()> {
    scratch.section.truncate(0);
    let (depth, mut parts) = (0, 0);
    structure::nested(message, limits, scratch, &mut Caller { worth, visit, note }, depth, &mut parts, Alternative::No)
}
