//! `--add-header`: the URLs of a message as fields above it.

use std::collections::HashSet;

use urlspool::HitRef;

/// The fields' name.
const NAME: &[u8] = b"X-URL";

/// What opens the wrapper of RFC 1738's appendix.
const OPEN: &[u8] = b"<URL:";

/// A line should be no longer (RFC 5322, section 2.1.1); nor may it be longer than `MUST`. Both without its end.
const SHOULD: usize = 78;
const MUST: usize = 998;

/// All fields together are no longer, in bytes: the default limits of mail systems on a message's header begin at
/// 32 KiB (sendmail's `MaxHeadersLength`), and what is beyond them is cut off or refused.
const MOST: usize = 16 << 10;

/// The URLs of one message, each once.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    seen: HashSet<Vec<u8>>,
    urls: Vec<Vec<u8>>,
    /// How long the fields of these will be, at most.
    bytes: usize,
    pub(super) skipped: bool,
}

impl Fields {
    /// Has a field for `hit` too, unless it stands in one.
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

    /// The fields for `message`, and where they go; `None` if there are none, or it is no message.
    pub(crate) fn above(&self, message: &[u8]) -> Option<(usize, Vec<u8>)> {
        let header = urlspool::header_range(message)?;
        let at = header.start;
        // As the message's first line ends, so do these: news systems store CRLF.
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

/// The URLs that have a field in `header`: a filter may see a message twice.
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

/// As a field can have it: bytes other than printable ASCII are percent-encoded (RFC 3987, section 3.1), and so are the
/// brackets of the wrapper. No URL can end the field, or begin another.
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

/// Writes one field, folded by RFC 5322, section 2.2.3: on one line if there is room, else on the next, which leaves the
/// URL whole. One that is longer than any line may be stands in the wrapper of RFC 1738's appendix, which allows for white
/// space within.
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
