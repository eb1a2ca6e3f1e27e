//! Triggers: the colons at which a URL could begin, and the index of those of a message.
//!
//! Every URL has a colon. Colons are rare in text, and the three bytes before one and the two after it rule out nearly all: a
//! URL needs `://`, `<URL:`, or the name of a known scheme before the colon. A colon that passes this test is a *trigger*. Most
//! text has none, so everything that handles mail first checks for one, and skips text without it.
//!
//! The *trigger index* of a message holds the offsets of all its triggers, found in one pass:
//!
//! - [`TriggerIndex`] finds them. Each worker of `extract` has one and fills it for each message, before the message is parsed.
//! - `mail` reads it through its `Prefilter`: it skips header fields without a trigger, and does not decode text without one.
//!   Each region that is unchanged text of the message carries its [`TriggerSlice`]: the offsets from where the region begins.
//! - `extract` skips a region whose slice has no trigger in it.
//! - `scan` looks for candidates at the offsets of the slice only, instead of searching the text again.
//!
//! Text that is not in the message unchanged (decoded, unfolded, text of HTML) has no slice, and neither has a message over
//! 16 MiB. It is searched on demand: by [`ColonFinder`] if it is long, else by memchr. [`Triggers`] hides which of the three
//! it is.
//!
//! # Invariants
//!
//! - The index has every trigger of the message, and nothing else: [`trigger_at`] decides about each, here and in a search.
//! - Offsets are in ascending order and count from the message's first byte. A slice has none before its `base`, and may
//!   continue after the end of its region: the reader compares with the length of the text.
//! - A slice only moves forward. Regions come in the order of the message, so that no offset has to be found again.
//! - At the edge of a region a trigger may lose what makes it one: its scheme may begin before the region. So [`Triggers`] tests
//!   each again in the text of the region.
//!
//! # Cost
//!
//! One SIMD pass over the message, a few instructions for each colon that is not followed by a blank, and four bytes of
//! memory for each trigger. To read the index costs a comparison for each trigger.

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
