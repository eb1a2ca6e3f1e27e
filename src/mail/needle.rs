//! What every message is searched for, prepared once: on short mail, preparing a search takes as long as
//! the search.

use std::sync::LazyLock;

use memchr::memmem::Finder;

type Needle = LazyLock<Finder<'static>>;

/// Opens an encoded word (RFC 2047).
pub(super) static ENCODED_WORD: Needle = LazyLock::new(|| Finder::new("=?"));
/// In the names of the fields that say how to read a body.
pub(super) static CONTENT: Needle = LazyLock::new(|| Finder::new("ontent-"));
/// The same, as some write it.
pub(super) static CONTENT_CAPITALS: Needle = LazyLock::new(|| Finder::new("ONTENT-"));
/// The end of a header block.
pub(super) static BLANK_LINE: Needle = LazyLock::new(|| Finder::new("\n\n"));
/// The same where lines end in CRLF.
pub(super) static BLANK_LINE_CRLF: Needle = LazyLock::new(|| Finder::new("\n\r\n"));
/// What may begin a boundary.
pub(super) static DASHES: Needle = LazyLock::new(|| Finder::new("\n--"));
/// A soft line break of quoted-printable.
pub(super) static SOFT_BREAK: Needle = LazyLock::new(|| Finder::new("=\n"));
/// The same where lines end in CRLF.
pub(super) static SOFT_BREAK_CRLF: Needle = LazyLock::new(|| Finder::new("=\r\n"));
