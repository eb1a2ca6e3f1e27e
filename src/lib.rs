//! Finds the URLs in mail and news: streaming, decoded, put together, validated, with exact provenance.
//!
//! Three tiers of one core, each on top of the one before:
//!
//! - [`url`]: [`Url::parse`] takes a URL apart by the grammar of RFC 1738, section 5, and says how far it obeys.
//! - [`scan`]: [`Scanner::find_iter`] finds candidates in text that is already decoded, as the appendix of RFC 1738
//!   describes: `<URL:...>` over several lines, quote marks, hyphens, and bare URLs.
//! - [`Extractor`]: whole messages, streams and archives, told to a [`Sink`] with their provenance.
//!
//! Bytes come in, never strings: mail is not UTF-8. What is damaged is a value ([`Diagnostic`], [`Reject`]), not an error:
//! one bad message never ends a run.
//!
//! Without default features there are `url` and `scan` alone, which stand on memchr
//! and allocate nothing but for a URL that stood in several pieces or has several readings.
//!
//! The three ways to begin are here; the [`cookbook`] has a recipe for each thing that archivers do.
//!
//! | feature | brings |
//! |---|---|
//! | `mime` (default) | messages, containers, directories |
//! | `html` (default) | HTML parts |
//! | `parallel` | several threads, within one file and across files |
//! | `compression` | gzip, bzip2, xz, zstd, `compress`, tar, zip |
//! | `perf` | speed: the widest vectors that the processor has. What is found is the same |
//!
//! # The URLs of a string
//!
//! ```
//! use urlspool::{Scanner, Tier};
//!
//! let text = "Diagnostic the warning in <URL:http://ds.internic.\nnet/instructions/overview.html#WARNING>.";
//! let mut urls = Vec::new();
//! for candidate in Scanner::new().find_iter(text) {
//!     if let Ok(url) = candidate.parse() {
//!         assert_eq!((url.tier(), url.host()), (Tier::Rfc1738, Some("ds.internic.net")));
//!         urls.push(url.to_string());
//!     }
//! }
//! assert_eq!(urls, ["http://ds.internic.net/instructions/overview.html#WARNING"]);
//! ```
//!
//! # The URLs of a message, and where they stand in it
//!
//! Encodings are undone, and still [`Origin`] says in which part, in which header field, and at which bytes of the message
//! a URL stands.
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use std::ops::ControlFlow;
//! use urlspool::{Extractor, sink};
//!
//! let message = b"X-URL: http://www.example.org/~me/\nContent-Type: multipart/mixed; boundary=b\n\n\
//!     --b\nContent-Transfer-Encoding: quoted-printable\n\nSee http://www.example.org/?a=3D=\nb.\n--b--\n";
//! let mut found = Vec::new();
//! let mut sink = sink::from_fn(|hit| {
//!     let origin = hit.origin();
//!     let header = origin.header().map(|name| name.escape_ascii().to_string());
//!     found.push((hit.url().to_string(), origin.part().to_string(), header, origin.offset()));
//!     ControlFlow::Continue(())
//! });
//! let _ = Extractor::builder().build().message(message, &mut sink);
//! assert_eq!(found[0], ("http://www.example.org/~me/".into(), "".into(), Some("X-URL".into()), 7));
//! assert_eq!(found[1], ("http://www.example.org/?a=b".into(), "1".into(), None, 131));
//! # }
//! ```
//!
//! # The URLs of a directory tree, into a database
//!
//! Each worker fills a part of its own, and the parts come to the database one by one, in the order of the input: it needs no
//! lock, and gets the same rows with any number of threads.
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use std::io;
//! use std::ops::ControlFlow;
//! use std::path::{Path, PathBuf};
//! use urlspool::{Collect, Error, Extractor, HitRef, Sink};
//!
//! /// The file, the offset in it, the message's date, the URL.
//! type Row = (Option<PathBuf>, u64, Option<i64>, String);
//!
//! struct Rows(Vec<Row>);
//!
//! impl Sink for Rows {
//!     fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()> {
//!         let origin = hit.origin();
//!         let file = origin.file().map(Path::to_path_buf);
//!         self.0.push((file, origin.offset(), origin.timestamp(), hit.url().to_string()));
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn problem(&mut self, error: &Error) -> ControlFlow<()> {
//!         eprintln!("{error}"); // The rest goes on.
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! struct Database(Vec<Row>); // In its place, a connection.
//!
//! impl Collect for Database {
//!     type Local = Rows;
//!
//!     fn new_local(&self) -> Rows {
//!         Rows(Vec::new())
//!     }
//!
//!     fn is_full(rows: &Rows) -> bool {
//!         rows.0.len() >= 1000 // Keeps memory bounded, whatever a file holds.
//!     }
//!
//!     fn collect(&mut self, rows: &mut Rows) -> io::Result<ControlFlow<()>> {
//!         self.0.append(&mut rows.0); // One transaction.
//!         Ok(ControlFlow::Continue(()))
//!     }
//! }
//!
//! let mut database = Database(Vec::new());
//! Extractor::builder().build().paths([PathBuf::from("corpus/maildir")], &mut database)?;
//! assert!(database.0.len() > 1);
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
// What the bare core has not, the text above names all the same; its links lead to that text then. To allow broken links
// would allow them in the whole crate.
#![cfg_attr(
    not(feature = "mime"),
    doc = "
[`Extractor`]: crate
[`Origin`]: crate
[`Sink`]: crate
[`cookbook`]: crate
[`Diagnostic`]: crate
[`Reject`]: crate"
)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// First: a macro is known after its definition only.
#[macro_use]
mod named;

#[cfg(feature = "mime")]
pub mod cookbook;
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

pub use scan::{Alternative, Candidate, Form, Hyphen, Reason, Rejoin, Scanner};
pub use url::{Component, ParseError, ParseErrorKind, Tier, Url, Warning, Warnings};

#[cfg(feature = "mime")]
pub use {
    diagnostic::{Diagnostic, DiagnosticKind},
    error::{Error, ErrorKind, Remedy},
    extract::{Extractor, Format, FromPaths, FromReader, HeaderScan, Hits, Message, Messages, Part, UnknownFormat},
    hit::{Hit, HitRef, Origin, Reject, RejectReason},
    mail::{HtmlPlace, Section, header_range},
    sink::{Collect, Flow, Outcome, Segment, Sink},
    source::{Codec, DetectedBy, Input, Shard, SkipReason},
    wildmat::{Wildmat, WildmatError},
};

/// The README's example is one.
#[cfg(all(doctest, feature = "mime"))]
#[doc = include_str!("../README.md")]
struct Readme;
