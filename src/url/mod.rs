//! The core parser: a string of octets that is said to be a URL, taken apart and judged.
//!
//! It knows no surrounding text: where a URL starts and stops in a message is decided elsewhere, and
//! brackets, quotes and a `URL:` prefix are gone before it is called.
//!
//! ```
//! use urlspool::url::{Component, Tier, Url};
//!
//! let url = Url::parse(b"ftp://myname@host.dom/%2Fetc/motd;type=a")?;
//! assert_eq!(url.tier(), Tier::Rfc1738);
//! assert_eq!(url.user(), Some(&b"myname"[..]));
//! assert_eq!(url.password(), None);
//! assert_eq!(url.port_or_default(), Some(21));
//! let path: Vec<_> = url.components().skip(2).collect();
//! assert_eq!(path, [
//!     (Component::Cwd, &b"%2Fetc"[..]),
//!     (Component::Name, b"motd"),
//!     (Component::TypeCode, b"a"),
//! ]);
//! # Ok::<(), urlspool::url::ParseError>(())
//! ```
//!
//! [`Url::same`] says whether two mean the same; [`percent`] undoes escapes, component by component, and [`relative`]
//! resolves references. What a reader should beware of is in [`Url::warnings`]. Nothing here rewrites a URL: it is given as it
//! was written. Only the attributes of HTML are mended first, as browsers do, and such hits have a warning.
//! [`Url::targets`] reads where a URL leads that a service has put in the place of another.
//!
//! Octets in, spans over the input out; offsets and lengths count octets. Parsing allocates nothing,
//! takes time linear in the length, and never panics.

mod authority;
pub(crate) mod class;
mod compare;
mod component;
mod error;
mod host;
mod iri;
mod lint;
mod lookalike;
#[cfg(feature = "html")]
pub(crate) mod mend;
mod parse;
mod parser;
pub mod percent;
pub mod relative;
mod rewritten;
pub mod scheme;
mod shape;
mod tier;
#[expect(clippy::module_inception, reason = "the room is named after the thing in it")]
mod url;

pub use component::{Component, Spans};
pub use error::{ParseError, ParseErrorKind};
pub use lint::{Warning, Warnings};
pub(crate) use rewritten::without_references;
pub use scheme::{SCHEMES, Scheme, Shape, Start};
pub use tier::Tier;
pub use url::Url;
