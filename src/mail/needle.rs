//! What every message is searched for, prepared once: on short mail, preparing a search takes as long as
//! the search.

use std::sync::LazyLock;

use aho_corasick::packed::{Config, Searcher};
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

/// What a header block is searched for, all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InHeader {
    /// The blank line at its end, with the line end before it.
    BlankLine,
    /// A line's beginning, as those of the fields begin that say how to read a body.
    Letter,
    /// Opens an encoded word (RFC 2047).
    EncodedWord,
}

const IN_HEADER: [(&str, InHeader); 5] = [
    ("\n\n", InHeader::BlankLine),
    ("\n\r\n", InHeader::BlankLine),
    ("\nC", InHeader::Letter),
    ("\nc", InHeader::Letter),
    ("=?", InHeader::EncodedWord),
];

/// One SIMD pass for all of them; `None` on a machine whose SIMD is not supported.
static HEADER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let mut builder = Config::new().builder();
    builder.extend(IN_HEADER.iter().map(|(needle, _)| needle));
    builder.build()
});

/// Where what stands in `block`, in order; `None` on a machine without the SIMD for it.
pub(super) fn in_header(block: &[u8]) -> Option<impl Iterator<Item = (usize, usize, InHeader)>> {
    let found = HEADER.as_ref()?.find_iter(block);
    Some(found.map(|m| (m.start(), m.end(), IN_HEADER[m.pattern().as_usize()].1)))
}
