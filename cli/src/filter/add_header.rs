//! `--add-header`: adds the URLs of a message as header fields.

use std::collections::HashSet;

use urlspool::HitRef;

/// The name of the fields.
const NAME: &[u8] = b"X-URL";

/// The beginning of the wrapper in RFC 1738's appendix.
const OPEN: &[u8] = b"<URL:";

/// The recommended and the required limit of a line, in bytes without its end (RFC 5322, section 2.1.1).
const SHOULD: usize = 78;
const MUST: usize = 998;

/// The limit of all fields together, in bytes. Mail systems cut or refuse headers above their limits, and the lowest
/// default is 32 KiB (sendmail's `MaxHeadersLength`).
const MOST: usize = 16 << 10;

/// The URLs of one message, each once.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    seen: HashSet<Vec<u8>>,
    urls: Vec<Vec<u8>>,
    /// The length of the fields, at most.
    bytes: usize,
    pub(super) skipped: bool,
}

impl Fields {
    /// Adds a field for `hit`, unless the hit is in such a field.
    pub(crate) fn add(&mut self, hit: &HitRef<'_>) {
        let url = printable(hit.url().as_bytes());
        let is_there = hit.origin().header().is_some_and(|name| name.eq_ignore_ascii_case(NAME));
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

    /// Returns the fields for `message` and the offset at which to insert them. `None` if there are no fields, or if it
    /// is not a message.
    pub(crate) fn above(&self, message: &[u8]) -> Option<(usize, Vec<u8>)> {
        let header = urlspool::header_range(message)?;
        let at = header.start;
        // Use the line ends of the message: news systems store CR LF.
        let end = match message[at..].split_inclusive(|byte| *byte == b'\n').next() {
            Some(line) if line.ends_with(b"\r\n") => &b"\r\n"[..],
            _ => b"\n",
        };
        let there = present(&message[header]);
        let mut fields = Vec::new();
        self.urls.iter().filter(|url| !there.contains(*url)).for_each(|url| write(&mut fields, url, end));
        Some((at, fields)).filter(|(_, fields)| !fields.is_empty())
    }
}

/// The URLs that have a field in `header` already. A message may pass the filter twice.
fn present(header: &[u8]) -> HashSet<Vec<u8>> {
    let mut lines = header.split(|byte| *byte == b'\n').peekable();
    let mut urls = HashSet::new();
    while let Some(line) = lines.next() {
        let mut field = line.to_vec();
        while let Some(more) = lines.next_if(|line| line.starts_with(b" ") || line.starts_with(b"\t")) {
            field.extend_from_slice(more);
        }
        field.retain(|byte| !byte.is_ascii_whitespace());
        let Some((name, value)) = field.split_at_checked(NAME.len()) else { continue };
        if let (true, Some(url)) = (name.eq_ignore_ascii_case(NAME), value.strip_prefix(b":")) {
            let wrapped = url.strip_prefix(OPEN).and_then(|url| url.strip_suffix(b">"));
            urls.insert(wrapped.unwrap_or(url).to_vec());
        }
    }
    urls
}

/// Percent-encodes the brackets of the wrapper and all bytes but printable ASCII (RFC 3987, section 3.1), so that no
/// URL can end the field or begin another one.
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

/// Writes one field, folded by RFC 5322, section 2.2.3. A URL that does not fit on the first line is whole on the next
/// line. A URL that is longer than a line may be is in the wrapper of RFC 1738's appendix, which allows white space
/// inside.
fn write(out: &mut Vec<u8>, url: &[u8], end: &[u8]) {
    out.extend_from_slice(NAME);
    out.push(b':');
    if NAME.len() + 2 + url.len() <= SHOULD {
        out.push(b' ');
        out.extend_from_slice(url);
    } else if url.len() < MUST {
        out.extend_from_slice(end);
        out.push(b' ');
        out.extend_from_slice(url);
    } else {
        let wrapped = [OPEN, url, b">"].concat();
        for line in wrapped.chunks(SHOULD - 1) {
            out.extend_from_slice(end);
            out.push(b' ');
            out.extend_from_slice(line);
        }
    }
    out.extend_from_slice(end);
}
