//! What every message is searched for, prepared once: on short mail, preparing a search takes as long as
//! the search.

use std::sync::LazyLock;

use memchr::memmem::Finder;

type Needle = LazyLock<Finder<'static>>;

/// Opens an encoded word (RFC 2047).
pub(super) static ENCODED_WORD: Needle = LazyLock::new(|| Finder::new("=?"));
/// What may begin a boundary.
pub(super) static DASHES: Needle = LazyLock::new(|| Finder::new("\n--"));
/// A soft line break of quoted-printable.
pub(super) static SOFT_BREAK: Needle = LazyLock::new(|| Finder::new("=\n"));
/// The same where lines end in CRLF.
pub(super) static SOFT_BREAK_CRLF: Needle = LazyLock::new(|| Finder::new("=\r\n"));
/// Opens clear-signed text, but for the last hyphens: what is no longer than this is searched for fastest.
pub(super) static SIGNED: Needle = LazyLock::new(|| Finder::new("-----BEGIN PGP SIGNED MESSAGE"));
/// Ends it.
pub(super) static SIGNATURE: Needle = LazyLock::new(|| Finder::new("\n-----BEGIN PGP SIGNATURE-----"));
/// What was put before a line of it that begins with a hyphen.
pub(super) static ESCAPE: Needle = LazyLock::new(|| Finder::new("\n- "));
