//! Parses one URL by RFC 1738 and reports which grammar it satisfies.
//!
//! [`Url::parse`] takes the bytes of one URL and nothing around it. The [scanner](crate::scan) decides where a URL
//! starts and ends in running text, and removes brackets, quote marks and the prefix `URL:`.
//!
//! ```
//! use urlspool::url::{Component, Tier, Url};
//!
//! let url = Url::parse("ftp://myname@host.dom/%2Fetc/motd;type=a")?;
//! assert_eq!(url.tier(), Tier::Rfc1738);
//! assert_eq!(url.user(), Some("myname"));
//! assert_eq!(url.password(), None);
//! assert_eq!(url.port_or_default(), Some(21));
//! let path: Vec<_> = url.components().skip(2).collect();
//! assert_eq!(path, [
//!     (Component::Cwd, "%2Fetc"),
//!     (Component::Name, "motd"),
//!     (Component::TypeCode, "a"),
//! ]);
//! # Ok::<(), urlspool::url::ParseError>(())
//! ```
//!
//! A `Url` keeps its text as written.
//!
//! - [`Url::normalized`] returns the normal form. [`Url::is_equivalent`] compares two URLs by it.
//! - [`percent`] decodes escapes, one component at a time.
//! - [`Url::join`] resolves a relative reference.
//! - [`Url::warnings`] lists what is suspicious, such as a password or a misleading host.
//! - [`Url::target`] reads the original URL from one that a mail gateway or another service has rewritten.
//!
//! The parser never repairs a URL. Only the attributes of HTML are repaired before they are parsed, as browsers do;
//! such a hit has a warning.
//!
//! Input is bytes, and a `Url` holds spans of its input. All offsets and lengths count bytes. Parsing allocates
//! nothing, takes time linear in the length, and never panics.

mod authority;
pub(crate) mod class;
mod component;
#[cfg(any(feature = "url", feature = "http", feature = "serde"))]
mod convert;
mod domain;
mod error;
mod grammar;
mod host;
mod iri;
mod lint;
mod lookalike;
#[cfg(feature = "html")]
pub(crate) mod mend;
mod normal;
mod parse;
mod parsed;
mod parser;
pub mod percent;
mod relative;
mod rewritten;
pub mod scheme;
mod tier;
#[expect(clippy::module_inception, reason = "the module is named after the type in it")]
mod url;

pub use component::{Component, Spans};
pub use error::{ParseError, ParseErrorKind};
pub use host::HostKind;
pub use lint::{Warning, Warnings};
pub use relative::ResolveError;
pub(crate) use rewritten::without_references;
pub use scheme::{Grammar, SCHEMES, Scheme};
pub use tier::Tier;
pub use url::Url;
