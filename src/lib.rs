//! Finds the URLs in mail and news. Each URL is decoded, rejoined if it was broken over lines, and validated. The
//! result includes the location of the URL: the file, the message and the byte range.
//!
//! ```toml
//! [dependencies]
//! urlspool = "0.1"
//! ```
//!
//! To find the URLs in a string:
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
//! To find the URLs in a message, including headers, MIME parts and encodings:
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
//! To find the URLs in mailboxes, news spools and archives:
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
//! To read the messages of a mailbox, for example to write an archive:
//!
//! ```
//! # #[cfg(feature = "mime")] {
//! use urlspool::Extractor;
//!
//! for message in Extractor::new().open("corpus/mbox/small.mbox")?.messages() {
//!     let message = message?;
//!     println!("{:?} {:?}: {} URLs", message.date(), message.subject(), message.hits().len());
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layers
//!
//! The crate has three layers. You can use each layer without the layers that follow it in this list:
//!
//! - [`Url::parse`] parses one URL. The result includes the narrowest grammar that allows the URL: RFC 1738,
//!   RFC 3986 or RFC 3987.
//! - [`Scanner`] finds text that looks like a URL. The text can be bare or in brackets, as in
//!   `<URL:http://a.example/>`, and can continue over several lines. The scanner follows the appendix of RFC 1738,
//!   which recommends the brackets `<URL:` and `>`. The page [`rules`] lists all rules of the scanner.
//! - [`Extractor`] finds the URLs in messages, streams, files and directories.
//!
//! Input is bytes, because mail is often not valid UTF-8. A [`Url`] is always UTF-8. A malformed message is not an
//! error: a [`Diagnostic`] reports it. A [`Reject`] reports an invalid URL. A file that cannot be read to its end
//! causes an [`Error`]. After a malformed message, an invalid URL or an unreadable file, the search continues.
//!
//! [Equivalent](Url::is_equivalent) URLs have the same [normal form](Url::normalized). To resolve a relative reference,
//! use [`Url::join`].
//!
//! Iterators return hits that own their data. To avoid copying, use a [`Sink`], which receives borrowed hits.
//!
//! The [`cookbook`] has examples for common tasks.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `mime` (default) | messages with their HTML parts, containers, directories |
//! | `parallel` | several threads, within one file and across files. The order of hits is the same as with one thread |
//! | `compression` | gzip, bzip2, xz, zstd, `compress`, tar, zip |
//! | `outlook` | Outlook messages: `.msg` files, `winmail.dat` in mail, and the folders `.pst` and `.ost`. Includes `compression` |
//! | `tasks` | a search divided into tasks, for several processes or machines. Includes `compression` |
//! | `git` | mail in the git repositories of a public-inbox, read by running `git` |
//! | `domain` | `Url::host_ascii`, which converts the host for the DNS (UTS 46), and `Url::registrable_domain`, from the public suffix list |
//! | `serde` | `Serialize` for [`Hit`]: the object that the command prints with `--json`. `Serialize` and `Deserialize` for [`Url`], and for enums with names, such as [`Tier`] |
//! | `perf` | faster search with the widest vectors of the processor. This feature does not change the results |
//!
//! Without features, the crate has only [`Url`], [`Scanner`] and their types, and is `no_std`: it depends on `alloc` and
//! the crate `memchr`. Scanning and parsing allocate memory only for a URL that was broken over lines or has
//! [alternatives](Candidate::alternatives).
// Without the feature `mime`, items such as `Extractor` do not exist. In this case, the links to these items in the
// text above lead to this page.
#![cfg_attr(
    not(feature = "mime"),
    doc = "

[`Extractor`]: crate
[`Sink`]: crate
[`cookbook`]: crate
[`Diagnostic`]: crate
[`Error`]: crate
[`Reject`]: crate
[`Hit`]: crate"
)]
#![forbid(unsafe_code)]
// Only the command prints and ends the process.
#![warn(clippy::dbg_macro, clippy::exit, clippy::print_stderr, clippy::print_stdout)]
#![cfg_attr(not(any(feature = "mime", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

// `named` comes first, because it defines macros that the modules below use.
#[macro_use]
mod named;

#[cfg(feature = "mime")]
pub mod cookbook;
#[doc = include_str!("scan/RULES.md")]
pub mod rules {}
mod scan;
#[doc(hidden)]
pub mod shared;
mod url;

mod simd;
mod trigger;

#[cfg(feature = "mime")]
mod calendar;
#[cfg(feature = "mime")]
mod container;
#[cfg(feature = "mime")]
mod diagnostic;
#[cfg(feature = "mime")]
mod error;
#[cfg(feature = "mime")]
mod event;
#[cfg(feature = "mime")]
mod extract;
#[cfg(feature = "mime")]
mod header;
#[cfg(feature = "mime")]
mod hit;
#[cfg(feature = "mime")]
mod magic;
#[cfg(feature = "mime")]
mod mail;
#[cfg(feature = "mime")]
mod options;
#[cfg(feature = "mime")]
mod parallel;
#[cfg(feature = "mime")]
mod source;
#[cfg(feature = "mime")]
mod wildmat;
#[cfg(feature = "mime")]
mod zone;

pub use named::InvalidValue;
pub use scan::{Alternative, Candidate, Form, Reason, Scanner};
pub use url::percent::decode as percent_decode;
pub use url::schemes;
pub use url::{Component, MAX_BARE, ParseError, ParseErrorKind, Tier, Url, Warning};

#[cfg(all(feature = "mime", feature = "serde"))]
#[doc(hidden)]
pub use hit::Parts as HitParts;
#[cfg(feature = "mime")]
#[doc(hidden)]
pub use hit::{columns, json};
#[cfg(feature = "mime")]
pub use {
    calendar::rfc3339,
    diagnostic::{Diagnostic, DiagnosticKind},
    error::{Error, ErrorKind, Remedy},
    event::{Collect, Event, PROBLEM_KINDS, Segment, Sink, problem},
    extract::{Extractor, FromPaths, Hits, LINKED, Message, Part, linkify},
    header::header_fields,
    hit::{Hit, Location, Reject, fields},
    options::{OPTIONS, OptionKind, OptionRow, Options},
    source::{Input, Position, Resume, SkipReason},
};

#[cfg(feature = "tasks")]
pub use extract::{ListedFile, Task};

/// Runs the example in the README as a test.
#[cfg(all(doctest, feature = "mime"))]
#[doc = include_str!("../README.md")]
struct Readme;
