//! Finds the URLs in mail and news: rejoined, decoded, validated, with the place of each.
//!
//! ```toml
//! [dependencies]
//! urlspool = "0.1"
//! ```
//!
//! The URLs of a string:
//!
//! ```
//! use urlspool::{Scanner, Url};
//!
//! let text = "Note the warning in <URL:http://ds.internic.\nnet/instructions/overview.html#WARNING>.";
//! let urls: Vec<Url> = Scanner::new().find_iter(text).filter_map(|c| c.parse().ok()).collect();
//! assert_eq!(urls[0].as_str(), "http://ds.internic.net/instructions/overview.html#WARNING");
//! assert_eq!((urls[0].host(), urls[0].fragment()), (Some("ds.internic.net"), Some("WARNING")));
//! ```
//!
//! The URLs of a message, with headers, MIME parts and encodings:
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use urlspool::{Extractor, Hit};
//!
//! let message = b"Content-Transfer-Encoding: quoted-printable\n\nSee http://www.example.org/?a=3D=\nb.\n";
//! let found: Vec<Hit> = Extractor::new().message(message);
//! assert_eq!(found[0].url().as_str(), "http://www.example.org/?a=b");
//! assert_eq!((found[0].line(), found[0].offset(), found[0].length()), (3, 49, 31));
//! # }
//! ```
//!
//! The URLs of mailboxes, news spools and archives, with several threads and in order:
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use urlspool::Extractor;
//!
//! for hit in Extractor::new().paths(["corpus/mbox", "corpus/maildir"]) {
//!     let hit = hit?;
//!     println!("{}:{} {}", hit.file().display(), hit.line(), hit.url());
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The messages of a mailbox, for a program that writes an archive:
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use urlspool::Extractor;
//!
//! for message in Extractor::new().messages(std::fs::File::open("corpus/mbox/small.mbox")?) {
//!     let message = message?;
//!     println!("{:?} {:?}: {} URLs", message.date(), message.subject(), message.hits().len());
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layers
//!
//! Each layer uses the one before it, and can be used alone:
//!
//! - [`url`]: [`Url::parse`] parses one URL by the grammar of RFC 1738, section 5, and reports which grammar allows it.
//! - [`scan`]: [`Scanner`] finds candidates in decoded text, as the appendix of RFC 1738 describes: `<URL:...>` over several
//!   lines, quote marks, hyphens, and bare URLs. The rules are in [`rules`].
//! - [`Extractor`]: finds the URLs of messages, streams, files and directories.
//!
//! Input is bytes, because mail is often not valid UTF-8; a [`Url`] is always UTF-8. Malformed input is a value
//! ([`Diagnostic`], [`Reject`]), not an error: one malformed message never ends a run.
//!
//! URLs that mean the same have the same [normal form](Url::normalized), and [`Url::join`] resolves a relative reference.
//!
//! Iterators return owned hits. To avoid copies, use a [`Sink`]: it receives borrowed hits.
//!
//! The [`cookbook`] has a recipe for each task.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `std` (with `mime`) | for `url` and `scan` alone: speed, as memchr then uses the widest vectors that the processor has |
//! | `mime` (default) | messages, containers, directories |
//! | `html` (default) | HTML parts |
//! | `parallel` | several threads, in one file and across files |
//! | `compression` | gzip, bzip2, xz, zstd, `compress`, tar, zip |
//! | `idna` | `Url::host_ascii`: the host as the DNS has it, by UTS 46 |
//! | `psl` | `Url::registrable_domain`, by the public suffix list; it includes `idna` |
//! | `url`, `http` | conversion of a [`Url`] to `url::Url` and `http::Uri` |
//! | `serde` | `Serialize` for [`Hit`]: the object that the command prints with `--json`; `Serialize` and `Deserialize` for [`Url`] and for values with names, such as [`Tier`] |
//! | `perf` | speed: the widest vectors that the processor has. The result is the same |
//!
//! Without default features there are [`url`] and [`scan`] alone. They are `no_std`: they depend on `alloc` and the crate
//! `memchr`. They allocate only for a URL that was broken over lines or has several readings.
// In the bare core these links lead to this page, because the lint for broken links can only be turned off for the
// whole crate.
#![cfg_attr(
    not(feature = "mime"),
    doc = "

[`Extractor`]: crate
[`Origin`]: crate
[`Sink`]: crate
[`cookbook`]: crate
[`Diagnostic`]: crate
[`Reject`]: crate
[`Hit`]: crate"
)]
#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

// Comes first, because a macro can be used only after its definition.
#[macro_use]
mod named;

#[cfg(feature = "mime")]
pub mod cookbook;
#[doc = include_str!("scan/RULES.md")]
pub mod rules {}
pub mod scan;
#[cfg(feature = "mime")]
pub mod sink;
pub mod url;

mod simd;
mod trigger;

#[cfg(feature = "mime")]
mod container;
#[cfg(feature = "mime")]
mod diagnostic;
#[cfg(feature = "mime")]
mod error;
#[cfg(feature = "mime")]
mod extract;
#[cfg(feature = "mime")]
mod header;
#[cfg(feature = "mime")]
mod hit;
#[cfg(feature = "mime")]
mod mail;
#[cfg(feature = "mime")]
mod parallel;
#[cfg(feature = "mime")]
mod source;
#[cfg(feature = "mime")]
mod wildmat;

pub use named::UnknownName;
pub use scan::{Alternative, Candidate, Form, Hyphen, Reason, Rejoin, Scanner};
pub use url::{Component, HostKind, ParseError, ParseErrorKind, Tier, Url, Warning, Warnings};

#[cfg(feature = "mime")]
pub use {
    diagnostic::{Diagnostic, DiagnosticKind},
    error::{Error, ErrorKind, Remedy},
    extract::{Extractor, Format, FromPaths, FromReader, HeaderScan, Hits, Message, Messages, Part},
    hit::{Hit, HitRef, Origin, Reject, RejectReason},
    mail::{HtmlPlace, Section, header_range},
    sink::{Collect, Flow, Outcome, Segment, Sink},
    source::{Codec, DetectedBy, Input, Shard, SkipReason},
    wildmat::{Wildmat, WildmatError},
};

/// Tests the README's example.
#[cfg(all(doctest, feature = "mime"))]
#[doc = include_str!("../README.md")]
struct Readme;
