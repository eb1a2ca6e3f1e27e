//! `--add-header`: adds a header field to the message for each of its URLs.

use std::collections::HashSet;
use std::ops::Range;

use urlspool::Hit;

use crate::status::print_message;

const NAME: &[u8] = b"X-URL";

/// The beginning of the wrapper `<URL:...>`, which RFC 1738 defines in its appendix.
const OPEN: &[u8] = b"<URL:";

/// A line should have at most 78 bytes, without the line end (RFC 5322, section 2.1.1).
const SHOULD: usize = 78;
/// A line must have at most 998 bytes, without the line end (RFC 5322, section 2.1.1).
const MUST: usize = 998;

/// The maximum length of all added fields together, in bytes. Mail systems truncate or refuse a message if its header
/// is too long. The lowest default limit is that of sendmail: 32 KiB for the whole header (`MaxHeadersLength`).
const MOST: usize = 16 << 10;

/// The distinct URLs of one message.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    seen: HashSet<Vec<u8>>,
    urls: Vec<Vec<u8>>,
    /// The length in bytes of all fields, counted as if their lines ended with CR LF. With LF, the fields are shorter.
    bytes: usize,
    pub(super) skipped: bool,
}

impl Fields {
    /// Adds a field for the URL of `hit`. Ignores a hit in an `X-URL` field of the message.
    pub(crate) fn add(&mut self, hit: &Hit<'_>) {
        let url = printable(hit.url().as_bytes());
        let is_there = hit.header().is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        if is_there || self.seen.contains(&url) {
            return;
        }
        let mut field = Vec::new();
        write(&mut field, &url, b"\r\n");
        self.bytes += field.len();
        if self.bytes > MOST {
            self.skipped = true;
            self.bytes -= field.len();
        } else {
            self.seen.insert(url.clone());
            self.urls.push(url);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.urls.is_empty()
    }

    /// Returns the fields for `message` and the offset at which to insert them. Returns `None` if there are no fields
    /// to add, or if `message` does not begin with a header. Prints a message about a missing header.
    pub(crate) fn above(&self, message: &[u8]) -> Option<(usize, Vec<u8>)> {
        let first = urlspool::header_fields(message).next();
        if first.is_none() && !self.is_empty() {
            print_message("no X-URL fields were added, because the mail does not begin with a header field");
        }
        let at = first?.1.start;
        // Use the line ends of the message: LF, or CR LF in the spools of news systems.
        let end = match message[at..].split_inclusive(|byte| *byte == b'\n').next() {
            Some(line) if line.ends_with(b"\r\n") => &b"\r\n"[..],
            _ => b"\n",
        };
        let there = present(message);
        let mut fields = Vec::new();
        self.urls.iter().filter(|url| !there.contains(*url)).for_each(|url| write(&mut fields, url, end));
        Some((at, fields)).filter(|(_, fields)| !fields.is_empty())
    }
}

/// Returns the URLs that already have a field in the header of `message`. A message has such fields if it has passed
/// this filter before.
fn present(message: &[u8]) -> HashSet<Vec<u8>> {
    let own = urlspool::header_fields(message).filter(|(name, _)| name.eq_ignore_ascii_case(NAME));
    let url = |(name, range): (&[u8], Range<usize>)| {
        let value = &message[range][name.len()..];
        let value: Vec<u8> = value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        // The value begins with the colon after the name.
        let wrapped = value[1..].strip_prefix(OPEN).and_then(|url| url.strip_suffix(b">"));
        wrapped.unwrap_or(&value[1..]).to_vec()
    };
    own.map(url).collect()
}

/// Percent-encodes `<`, `>`, and all bytes that are not printable ASCII (RFC 3987, section 3.1). Otherwise a line break
/// in a URL could end the `X-URL` field and begin a forged field.
fn printable(url: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(url.len());
    for &byte in url {
        match byte {
            b'<' | b'>' | ..b'!' | 0x7f.. => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out
}

/// Writes one field, folded as RFC 5322, section 2.2.3, describes. A URL that does not fit on the first line is written
/// on the next line. A URL of more than 997 bytes is written over several lines, in the wrapper `<URL:...>`. RFC 1738's
/// appendix allows line breaks in this wrapper.
fn write(out: &mut Vec<u8>, url: &[u8], end: &[u8]) {
    out.extend_from_slice(NAME);
    out.push(b':');
    let wrapped = [OPEN, url, b">"].concat();
    let lines = if url.len() < MUST { url.chunks(MUST) } else { wrapped.chunks(SHOULD - 1) };
    let is_short = NAME.len() + 2 + url.len() <= SHOULD;
    for line in lines {
        out.extend_from_slice(if is_short { b"" } else { end });
        out.push(b' ');
        out.extend_from_slice(line);
    }
    out.extend_from_slice(end);
}
