//! Finds triggers: the colons in a text that may belong to the beginning of a URL.
//!
//! A colon is a *trigger* if it is part of `scheme://` or `<URL:`. A colon after the name of a known scheme is also a
//! trigger if the scheme needs no `//` (`mailto:`), or if the name is after a `<` (`<file:`). Every URL has a trigger,
//! and most text has no trigger. So the modules that handle mail first check text for triggers, and skip text without
//! triggers. This check is fast, because the five bytes before a colon and the two bytes after it nearly always show
//! that the colon is not a trigger.
//!
//! The *trigger index* of a message is the list of the offsets of all its triggers. The index is computed in one pass:
//!
//! - [`TriggerIndex`] computes the trigger index. Each worker of `extract` has one `TriggerIndex`, which the worker
//!   fills before parsing each message.
//! - `mail` reads the index through its `Prefilter`. `mail` skips header fields without triggers, and does not decode
//!   text without triggers. A *region* is a range of message text that needs no decoding. Each region has a
//!   [`TriggerSlice`]: the triggers at or after the start of the region.
//! - `extract` skips regions without triggers.
//! - `scan` looks for URLs only at the offsets in the slice, and does not search the text for colons again.
//!
//! On request ([`Dots`]), the index also has the dots that may belong to addresses without a scheme. So text with such
//! a dot is not skipped either.
//!
//! Text that was changed (decoded, unfolded, or taken from HTML) has no slice. Messages over 16 MiB are not indexed.
//! Text without a slice is searched on demand: long text by [`ColonFinder`], short text by memchr. [`Triggers`] hides
//! this difference: its users call the same method for text with and without a slice.
//!
//! # Invariants
//!
//! - The index and the search on demand find the same triggers, because both call [`trigger_at`], and the same dots,
//!   because both call [`Dots::has`].
//! - The offsets in the index are in ascending order and count from the first byte of the message. A slice has no
//!   offset before its `base`, but can have offsets after the end of its region. So each user of a slice compares the
//!   offsets with the length of the region.
//! - The `base` of a slice never decreases, because the regions are in the order of the message. So a search for the
//!   next region never returns to earlier offsets.
//! - The scheme name of a trigger near the start of a region can begin before the region. In the text of the region
//!   alone, such a colon may not be a trigger. So [`Triggers`] checks each trigger again in that text.
//!
//! # Cost
//!
//! The index is computed in one SIMD pass over the message, with a few more instructions for each colon that has no
//! blank after it. The index takes four bytes of memory for each trigger. A reader of the index makes one comparison
//! for each trigger.

#[cfg(feature = "mime")]
mod index;
mod recognize;
mod search;
mod utf8;

#[cfg(feature = "mime")]
use index::ColonFinder;
#[cfg(feature = "mime")]
pub(crate) use index::{TriggerIndex, TriggerSlice};
use recognize::trigger_at;
#[cfg(feature = "mime")]
pub(crate) use recognize::{Dots, SERVERS};
#[cfg(feature = "mime")]
use recognize::{MAX_DIGITS, is_label};
pub(crate) use recognize::{
    MAX_SCHEME, Trigger, known_scheme, missing_slashes, scheme_length, scheme_start, starts_bare,
};
pub(crate) use search::Triggers;
pub(crate) use utf8::is_utf8_around;
