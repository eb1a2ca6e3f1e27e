//! Finds the URLs in mail and news: streaming, decoded, put together, validated, with exact provenance.
//!
//! Three tiers of one core, each on top of the one before:
//!
//! - [`url`]: [`Url::parse`] takes a URL apart by the grammar of RFC 1738, section 5, and says how far it obeys.
//! - [`scan`]: [`Scanner::find_iter`] finds candidates in text that is already decoded, as the appendix of RFC 1738
//!   describes: `<URL:...>` over several lines, quote marks, hyphens, and bare URLs.
//! - [`Extractor`]: whole messages, streams and archives, told to a [`Sink`] with their provenance.
//!
//! The [`cookbook`] has a recipe for each thing that archivers do with it.
//!
//! Octets come in, never strings: mail is not UTF-8. What is damaged is a value ([`Note`], [`Reject`]), not an error:
//! one bad message never ends a run.
//!
//! Without default features there are `url` and `scan` alone, which stand on memchr
//! and allocate nothing but for a URL that stood in several pieces.
//!
//! ```
//! use urlspool::{Scanner, Tier, Url};
//!
//! let text = b"Note the warning in <URL:http://ds.internic.\nnet/instructions/overview.html#WARNING>.";
//! let candidate = Scanner::new().find_iter(text).next().ok_or("none")?;
//! assert_eq!(candidate.text(), b"http://ds.internic.net/instructions/overview.html#WARNING");
//! let url = Url::parse(candidate.text()).map_err(|error| error.to_string())?;
//! assert_eq!((url.tier(), url.host()), (Tier::Rfc1738, Some(&b"ds.internic.net"[..])));
//! # Ok::<(), String>(())
//! ```
// What the bare core has not, the text above names all the same; its links lead to that text then. To allow broken links
// would allow them in the whole crate.
#![cfg_attr(
    not(feature = "mime"),
    doc = "
[`Extractor`]: crate
[`Sink`]: crate
[`cookbook`]: crate
[`Note`]: crate
[`Reject`]: crate"
)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "mime")]
pub mod cookbook;
pub mod scan;
#[cfg(feature = "mime")]
pub mod sink;
pub mod url;

#[cfg(feature = "mime")]
mod block;
#[cfg(feature = "mime")]
mod container;
#[cfg(feature = "mime")]
mod error;
#[cfg(feature = "mime")]
mod extract;
#[cfg(feature = "mime")]
mod hit;
#[cfg(feature = "mime")]
mod mail;
#[cfg(feature = "mime")]
mod note;
#[cfg(feature = "mime")]
mod parallel;
#[cfg(feature = "mime")]
mod source;
#[cfg(feature = "mime")]
mod wildmat;

pub use scan::{Alternative, Candidate, Form, Hyphen, Reason, Rejoin, Scanner};
pub use url::{Component, ParseError, ParseErrorKind, Tier, Url, Warning, Warnings};

#[cfg(feature = "mime")]
pub use {
    error::Error,
    extract::{Extractor, ExtractorBuilder, Format, Headers},
    hit::{Hit, Origin, Refusal, Reject},
    mail::Section,
    note::Note,
    sink::{Collect, Outcome, Sink, Unit},
    source::{Codec, Evidence, File, LeftOut, Shard},
    wildmat::{Wildmat, WildmatError},
};

/// The README's example is one.
#[cfg(all(doctest, feature = "mime"))]
#[doc = include_str!("../README.md")]
struct Readme;
