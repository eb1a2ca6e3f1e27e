//! Parses one URL and reports the narrowest grammar that the URL satisfies: RFC 1738, RFC 3986 or RFC 3987.
//!
//! [`Url::parse`] takes exactly one URL, without surrounding text. The [scanner](crate::scan) finds URLs in running
//! text and removes brackets, quote marks and the prefix `URL:`.
//!
//! ```
//! use urlspool::{Component, Tier, Url};
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
//! # Ok::<(), urlspool::ParseError>(())
//! ```
//!
//! A `Url` keeps its text as written. Use these items to convert or check a `Url`:
//!
//! - [`Url::normalized`] returns the normal form. [`Url::is_equivalent`] compares the normal forms of two URLs.
//! - [`percent::decode`] decodes the escapes of one component.
//! - [`Url::join`] resolves a relative reference.
//! - [`Url::warnings`] lists suspicious properties, such as a password or a misleading host.
//! - [`Url::targets`] decodes the original URL from a link that a mail gateway or another service has rewritten.
//!
//! The parser never repairs a URL. The extractor, which reads whole messages, repairs URLs in HTML attributes as
//! browsers do. The extractor adds a [`Warning`] for each kind of repair.
//!
//! The input is bytes, and a `Url` stores its components as ranges of the input. All offsets and lengths count bytes.
//! Parsing never allocates or panics, and takes time linear in the length of the input.

mod authority;
pub(crate) mod class;
mod component;
mod domain;
mod error;
mod grammar;
mod host;
mod iri;
mod lint;
mod lookalike;
#[cfg(feature = "mime")]
pub(crate) mod mend;
mod normal;
mod parse;
mod parsed;
mod parser;
pub(crate) mod percent;
pub(crate) mod relative;
mod rewritten;
pub(crate) mod scheme;
#[cfg(feature = "serde")]
mod serialize;
mod tier;
#[expect(clippy::module_inception, reason = "the module is named after the type in it")]
mod url;

pub use component::Component;
pub(crate) use domain::suffix_labels;
pub use error::{MAX_BARE, ParseError, ParseErrorKind};
pub use lint::Warning;
#[cfg(feature = "mime")]
pub(crate) use lint::Warnings;
pub(crate) use rewritten::{numeric_reference, without_references};
pub(crate) use scheme::Grammar;
pub use scheme::schemes;
#[cfg(feature = "mime")]
pub(crate) fn is_known_scheme(name: &str) -> bool {
    scheme::find(name.as_bytes()).is_some()
}

/// Whether browsers resolve relative references with URLs of the scheme `name`.
#[cfg(feature = "mime")]
pub(crate) fn is_special_scheme(name: &str) -> bool {
    scheme::find(name.as_bytes()).is_some_and(scheme::Scheme::is_special)
}
pub use tier::Tier;
pub use url::Url;
