//! The core parser: a string of bytes that is said to be a URL, taken apart and judged.
//!
//! It knows no surrounding text: where a URL starts and stops in a message is decided elsewhere, and
//! brackets, quotes and a `URL:` prefix are gone before it is called.
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
//! A URL is given as it was written. [`Url::normalized`] is its normal form and [`Url::is_equivalent`] compares two;
//! [`percent`] decodes escapes, component by component, and [`Url::join`] resolves references. [`Url::warnings`] says what a
//! reader should beware of. Only the attributes of HTML are mended before they are parsed, as browsers do, and such hits have a
//! warning. [`Url::targets`] reads where a URL leads that a service has put in the place of another.
//!
//! Bytes in, spans over the input out; offsets and lengths count bytes. Parsing allocates nothing,
//! takes time linear in the length, and never panics.

mod authority;
pub(crate) mod class;
mod component;
#[cfg(any(feature = "url", feature = "http", feature = "serde"))]
mod convert;
mod domain;
mod error;
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
mod shape;
mod tier;
#[expect(clippy::module_inception, reason = "the room is named after the thing in it")]
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
