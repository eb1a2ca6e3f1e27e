//! Finds triggers: the colons in a text that may belong to the beginning of a URL.
//!
//! A colon is a *trigger* if it is part of `scheme://` or `<URL:`. A colon after the name of a known scheme is also a
//! trigger if the scheme needs no `//`, or if the name is after a `<`. Every URL has a trigger, and most text has no
//! trigger. So the modules that handle mail first check text for triggers, and skip text without triggers. Most colons
//! are not triggers. In nearly all cases, the three bytes before a colon and the two bytes after it show that the colon
//! is not a trigger.
//!
//! The *trigger index* of a message is the list of the offsets of all its triggers. The index is computed in one pass:
//!
//! - [`TriggerIndex`] computes the trigger index. Each worker of `extract` has one `TriggerIndex`. Before the worker
//!   parses a message, it fills the index.
//! - `mail` reads the index through its `Prefilter`. `mail` skips header fields without triggers, and does not decode
//!   text without triggers. Each region of unchanged message text has a [`TriggerSlice`]: the triggers at or after the
//!   start of the region.
//! - `extract` skips regions without triggers.
//! - `scan` looks for URLs only at the offsets in the slice, and does not search the text again.
//!
//! Text that was changed (decoded, unfolded, or taken from HTML) has no slice. Messages over 16 MiB are not indexed.
//! Text without a slice is searched on demand: long text by [`ColonFinder`], short text by memchr. [`Triggers`] has the
//! same interface for indexed text, long text and short text.
//!
//! # Invariants
//!
//! - The index has exactly the triggers of the message. The index and the search on demand use the same function,
//!   [`trigger_at`].
//! - Offsets are in ascending order and count from the first byte of the message. A slice has no offset before its
//!   `base`, but can have offsets after the end of its region. The reader compares the offsets with the length of the
//!   region.
//! - A slice only moves forward. Regions are in the order of the message, so no offset is searched for twice.
//! - A trigger near the edge of a region may not be a trigger in the region alone, because its scheme begins before the
//!   region. So [`Triggers`] checks each trigger again in the text of the region.
//!
//! # Cost
//!
//! Building the index costs one SIMD pass over the message, a few instructions for each colon without a blank after it,
//! and four bytes of memory for each trigger. Reading the index costs one comparison for each trigger.

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
pub(crate) use recognize::{MAX_SCHEME, Trigger, known_scheme, scheme_length, scheme_start, starts_bare};
pub(crate) use search::Triggers;
pub(crate) use utf8::is_utf8_around;
