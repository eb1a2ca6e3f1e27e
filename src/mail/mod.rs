//! Splits one message into regions: header fields, text parts, and the bytes between them.
//!
//! [`regions`] visits the regions in order. The regions tile the message: every byte is in exactly one region. The
//! module decodes transfer encodings and encoded words. It also decodes charsets such as UTF-16, in which a search for
//! ASCII bytes does not always find a URL. A [`Map`] maps decoded text back to the message. Malformed mail produces
//! [`Diagnostic`]s, never errors. The module knows nothing about URLs: the caller passes a [`Prefilter`] that says
//! where a URL could be.
//!
//! ```text
//!  message ─┬─ header ─────> fields ───────────────────────────────────────────────────────────┬─> regions
//!           └─ structure ──> parts ──> transfer ──> charset ──> flowed, unfold, pgp_clearsign ─┘
//! ```
//!
//! [`regions`] does not parse HTML. The caller of [`regions`] passes the text of each HTML region to the submodule
//! `html`.
//!
//! The crate mailparse reads the names of attachments (RFC 2231). It does not parse MIME parts, for these reasons:
//!
//! - mailparse loses preambles and epilogues, so its parts do not tile the message.
//! - mailparse does not split attached messages (`message/rfc822`) into parts.
//! - If a boundary is missing or not closed, mailparse loses parts or rejects the whole message.
//! - mailparse compares boundaries by prefix, and takes quadratic time for some inputs.

mod attachment;
mod body;
mod charset;
mod content;
mod date;
mod encoded_text;
mod fields;
mod flowed;
mod guess;
mod header;
mod header_index;
pub(crate) mod html;
mod html_place;
mod json;
mod map;
mod unfold;
mod words;

mod pgp_clearsign;
mod section;
mod structure;
#[cfg(test)]
mod tests;
mod transfer;

use crate::diagnostic::Diagnostic;
use std::ops::{ControlFlow, Range};

pub(crate) use crate::calendar::rfc3339;
pub(crate) use content::{is_document, legacy_charset, to_str};
pub(crate) use encoded_text::may_have_files;
pub(crate) use header_index::{HeaderIndex, decoded_fields};
pub(crate) use html_place::{HtmlPlace, Link, Tag};
pub(crate) use map::{Joined, Map};

pub(crate) use section::Section;
use structure::Caller;
use transfer::Encoding;
pub(crate) use transfer::may_be_quoted;

use crate::trigger::TriggerSlice;

/// Limits on the work for one message. Data that exceeds a limit is scanned undecoded, and a diagnostic is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The largest nesting depth. Each multipart and each attached message is one level.
    pub(crate) depth: usize,
    /// The largest number of parts in a message, on all levels together.
    pub(crate) parts: usize,
    /// The largest Content-Type field to read, in bytes. The parameters of longer fields are ignored.
    pub(crate) header_value: usize,
}

impl Default for Limits {
    /// Returns limits of 32 levels, 4,096 parts, and 64 KiB for a Content-Type field.
    fn default() -> Self {
        Self { depth: 32, parts: 4096, header_value: 64 * 1024 }
    }
}

/// The kind of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'m> {
    /// A header field. The text of the region is the value of the field.
    Header {
        /// The name of the field, as written.
        name: &'m [u8],
    },
    /// A text part.
    Text,
    /// An HTML part, including its tags.
    Html,
    /// Bytes that are scanned undecoded: a preamble, an epilogue, malformed data, or a part that exceeds a limit.
    Raw,
    /// Bytes that are not scanned. They form a region, because every byte must be in a region.
    Skipped(Skip),
}

/// Why a region is not scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Header fields that cannot contain a URL, the mbox line before a header block, or the blank line after a header
    /// block.
    Headers,
    /// A boundary line, with the line end before it.
    Boundary,
    /// A part that is not text, or a member of an archive in such a part. The fields say what it is, and how many bytes
    /// it has.
    Attachment(&'static str, usize),
}

/// A part of an unpacked attachment: a member of an archive, or a message of a mailbox.
pub(crate) enum Member<'m> {
    /// A message, and whether some of its bytes can be wrong, because the data is damaged.
    Message(&'m [u8], bool),
    /// The same for a file that is not mail.
    File(&'m [u8], bool),
    /// A file that is not read: what it is, and its size in bytes, or 0 if the size is unknown.
    Skipped(&'static str, usize),
}

/// Unpacks an archive, a compressed file or a mailbox. Calls the function for each member, with its name. The name is
/// empty if there is only one member.
pub(crate) type Unpack = fn(&[u8], &mut dyn FnMut(&[u8], Member<'_>) -> ControlFlow<()>) -> ControlFlow<()>;

/// A range of a message, with its decoded text.
#[derive(Clone, Debug)]
pub(crate) struct Region<'a> {
    /// The kind of the region.
    pub(crate) kind: Kind<'a>,
    /// The range of the message that the region covers. Each region begins at the end of the previous region. The
    /// exception is a part that was unpacked from an attachment: each of its regions covers the whole attachment.
    pub(crate) raw: Range<usize>,
    /// The section number of the part that contains the region. Empty for the headers of the message itself.
    pub(crate) part: &'a Section,
    /// The Content-Type of the part, as written. Empty if the part has no such field.
    pub(crate) media: &'a [u8],
    /// The text to scan: decoded bytes, or unchanged bytes of the message. Empty if the region is skipped.
    pub(crate) text: &'a [u8],
    /// The triggers (colons that can belong to a URL) in `text` and in the rest of the message. `None` if the triggers
    /// are unknown or `text` was decoded.
    pub(crate) triggers: Option<TriggerSlice<'a>>,
    /// Maps offsets in `text` to offsets in the message.
    pub(crate) map: Map<'a>,
    /// Whether the text was decoded from a malformed or undeclared encoding.
    pub(crate) recovered: bool,
    /// Whether the region is in the first part or in a later part of a `multipart/alternative`.
    pub(crate) alternative: Alternative,
}

/// The position of a region in a `multipart/alternative` (RFC 2046, section 5.1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// The region is not in a `multipart/alternative`.
    #[default]
    No,
    /// The region is in the first alternative. The field states how many leading numbers of [`Region::part`] identify
    /// the outermost `multipart/alternative`. For example, it is 2 if that multipart has the section number `1.3`.
    First(u32),
    /// The region is in a later alternative. The field has the same meaning as in [`First`](Self::First).
    Later(u32),
}

impl Alternative {
    pub(crate) fn is_later(self) -> bool {
        matches!(self, Alternative::Later(_))
    }

    /// Returns the section path of the outermost `multipart/alternative` that contains `part`.
    pub(crate) fn container(self, part: &Section) -> Option<&[u32]> {
        match self {
            Alternative::No => None,
            Alternative::First(depth) | Alternative::Later(depth) => part.path().get(..depth as usize),
        }
    }
}

/// Limits and buffers for [`regions`] that each thread reuses for all its messages.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) limits: Limits,
    decoded: Vec<u8>,
    points: transfer::Points,
    joined: Joined,
    section: Section,
    /// The base URL of the next document that is not a message.
    pub(crate) base: Option<Box<[u8]>>,
    frames: Vec<structure::Frame>,
    /// Buffers for a message inside an encoded part.
    inner: Option<Box<Scratch>>,
}

/// The functions of the caller. They find the next offset at which the caller could find a URL, which is called a trigger
/// (see the module `trigger`), and unpack archives.
pub(crate) struct Prefilter<'c> {
    /// The triggers of the message at or after the offset of the last lookup. `None` if the triggers are unknown.
    triggers: Option<TriggerSlice<'c>>,
    /// Returns the offset of the first trigger in a text. Called for decoded text, and for all text if the triggers are
    /// unknown. A call costs at most one SIMD pass up to the returned offset.
    find: &'c dyn Fn(&[u8]) -> Option<usize>,
    unpack: Unpack,
    /// Whether encoded words with a dot are decoded, too.
    needs_dots: bool,
}

impl<'c> Prefilter<'c> {
    /// Creates a prefilter. `triggers` are the triggers of the message, if they are known. `find` returns the offset of
    /// the first trigger in a text whose triggers are not known.
    pub(crate) fn new(triggers: Option<TriggerSlice<'c>>, find: &'c dyn Fn(&[u8]) -> Option<usize>) -> Self {
        Prefilter { triggers, find, unpack: |_, _| ControlFlow::Continue(()), needs_dots: false }
    }

    /// Sets whether encoded words with a dot are decoded, too. Without it, only words with a colon are.
    pub(crate) fn reading_dots(self, needs_dots: bool) -> Self {
        Prefilter { needs_dots, ..self }
    }

    /// Sets the function that unpacks archives. Without it, archives have no members.
    pub(crate) fn unpacking(self, unpack: Unpack) -> Self {
        Prefilter { unpack, ..self }
    }

    /// Makes a prefilter for text whose triggers are not known.
    fn of_decoded(&self) -> Prefilter<'c> {
        Prefilter { triggers: None, ..*self }
    }

    /// Whether the triggers of the message are known.
    fn has_triggers(&self) -> bool {
        self.triggers.is_some()
    }

    /// Returns the triggers of the message at or after `from`. `from` must not decrease from call to call.
    fn triggers_from(&mut self, from: usize) -> Option<TriggerSlice<'c>> {
        let triggers = self.triggers.as_mut()?;
        triggers.advance(from);
        Some(*triggers)
    }

    /// Returns the offset of the first trigger in `range` of `message`. The start of `range` must not decrease from
    /// call to call.
    fn first(&mut self, message: &[u8], range: Range<usize>) -> Option<usize> {
        let first = match self.triggers_from(range.start) {
            Some(triggers) => triggers.first().filter(|&at| at < range.len()),
            None => (self.find)(&message[range.clone()]),
        };
        first.map(|at| range.start + at)
    }
}

/// Receives the regions and the diagnostics of a message.
pub(crate) trait Visitor {
    /// Visits a region. `Break` ends the walk.
    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()>;

    /// Receives what is wrong in the message.
    fn note(&mut self, note: Diagnostic);
}

/// Two functions, one for regions and one for diagnostics.
impl<R: FnMut(&Region<'_>) -> ControlFlow<()>, N: FnMut(Diagnostic)> Visitor for (R, N) {
    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()> {
        self.0(region)
    }

    fn note(&mut self, note: Diagnostic) {
        self.1(note);
    }
}

/// Visits the regions of `message` in order, until the end of the message or until `visitor` breaks.
///
/// `message` consists of headers and a body. An mbox line (`From `) before the headers is allowed. Text parts are always
/// visited. A header field is visited as [`Kind::Header`] if `prefilter` finds a trigger in the field, or if the field
/// has encoded words that may decode to a colon. All other header fields are visited as [`Skip::Headers`].
///
/// A plain text message costs one SIMD pass over the header block and one over the body. Nothing is allocated or
/// copied. Every other message takes time linear in its size. If messages are nested in encoded messages, this time can
/// be up to [`Limits::depth`] times longer.
///
/// If `media` is not empty, `message` is not a message but a document of this media type, which is one region.
#[inline]
pub(crate) fn regions(
    media: &str,
    message: &[u8],
    scratch: &mut Scratch,
    prefilter: Prefilter<'_>,
    visitor: &mut dyn Visitor,
) -> ControlFlow<()> {
    scratch.section.path.clear();
    (scratch.section.attachment, scratch.section.is_forwarded) = (None, false);
    scratch.section.base = scratch.base.take();
    let (mut parts, mut unpacked) = (0, 0);
    let (caller, spent) = (&mut Caller { prefilter, visitor }, (&mut parts, &mut unpacked));
    let role = (!media.is_empty()).then(|| content::document(media));
    let document = role.as_ref().map(|role| (media.as_bytes(), role, Encoding::Identity));
    structure::nested(message, document, scratch, caller, 0, spent, Alternative::No)
}
