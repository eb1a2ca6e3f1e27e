//! Properties that must hold for any input. Each public function takes bytes, and panics if a property does not hold
//! for these bytes. `tests/fuzz` uses these functions as fuzz targets. The tests in this file run them on the corpus,
//! with and without changes.

use std::path::Path;

use urlspool::scan::{Candidate, Hyphen, Rejoin, Scanner};
use urlspool::url::{Tier, Url, Warning, percent};
use urlspool::{Diagnostic, Error, Extractor, Format, HitRef, Input, Reject, Segment, Sink};

use crate::support::record::{Event, Record, Search};
use crate::support::short::Short;

/// Tests the URL parser and the methods of `Url`. The input is a URL, a line break and a relative reference.
pub fn url(bytes: &[u8]) {
    let at = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (text, reference) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            assert!(error.offset() <= text.len(), "{error}");
            assert!(Url::parse_strict(text).is_err());
            return;
        }
    };
    assert_eq!(url.as_bytes(), text);
    assert_eq!(url.to_string().as_bytes(), text);
    assert!(url.is_equivalent(&url));
    let normal = url.normalized();
    let parsed = Url::parse(&normal).unwrap_or_else(|error| panic!("{url:?} has the normal form {normal}: {error}"));
    assert_eq!(parsed.normalized(), normal, "{url:?}");
    assert!(parsed.is_equivalent(&url));
    let mut end = url.scheme().len() + 1;
    for (component, span) in url.spans() {
        assert!(end <= span.start && span.start <= span.end, "{component} at {span:?}, the one before ends at {end}");
        end = span.end;
        let text = &text[span];
        let normal = percent::normalize(url.grammar(), component, text);
        assert_eq!(percent::normalize(url.grammar(), component, &normal), normal);
        assert_eq!(percent::decode(&normal), percent::decode(text));
    }
    assert!(end <= text.len());
    let whole = Url::parse(url.without_fragment()).expect("a URL does not need its fragment");
    assert_eq!(whole.host(), url.host());
    for warning in url.warnings().iter() {
        assert!(url.warnings().contains(warning));
    }
    let _ = url.join_by_draft(reference);
    if let Ok(joined) = url.join(reference) {
        // An absolute reference does not depend on the base.
        assert_eq!(parsed.join(&joined), joined.join(&joined));
    }
}

/// Tests the scanner on a text, as a whole and in chunks. The first two bytes of the input choose options; the text
/// follows.
pub fn scan(bytes: &[u8]) {
    let Some((&[options, size], text)) = bytes.split_first_chunk() else { return };
    let rejoin = if options & 1 == 0 { Rejoin::Likely } else { Rejoin::Never };
    let hyphen = if options & 2 == 0 { Hyphen::Keep } else { Hyphen::Drop };
    let scanner = Scanner::new().rejoin(rejoin).hyphen(hyphen);

    let mut whole = Vec::new();
    let mut before = 0;
    for candidate in scanner.find_iter(text) {
        let span = candidate.span();
        assert!(before <= span.start && span.start < span.end && span.end <= text.len(), "{before}, then {span:?}");
        // A reject may contain URLs.
        before = if candidate.parse().is_ok() { span.end } else { span.start };
        assert!(text[span.end..].starts_with(candidate.trimmed()));
        let mut at = span.start;
        let mut pieces = Vec::new();
        for piece in candidate.pieces() {
            assert!(at <= piece.start && piece.end <= span.end, "{piece:?} of {span:?}");
            at = piece.end;
            pieces.extend_from_slice(&text[piece]);
        }
        assert_eq!(candidate.text(), pieces);
        whole.push(said(span.start as u64, &candidate));
    }

    let mut pieces = Vec::new();
    let mut stream = scanner.stream();
    for chunk in text.chunks(usize::from(size) + 1) {
        stream.push(chunk, |offset, candidate| pieces.push(said(offset, candidate)));
    }
    stream.finish(|offset, candidate| pieces.push(said(offset, candidate)));
    assert_eq!(pieces, whole);
}

/// Returns those properties of a candidate that must be the same in every window.
fn said(offset: u64, candidate: &Candidate<'_>) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        offset,
        candidate.form(),
        candidate.text().to_vec(),
        candidate.trimmed().to_vec(),
        candidate.alternatives().to_vec(),
        candidate.quote_depth(),
        candidate.parse().map(|url| url.tier()),
    )
}

/// Tests that the hits in a message do not depend on the previous message. The input is two messages with a zero byte
/// between them.
pub fn message(bytes: &[u8]) {
    let at = bytes.iter().position(|&byte| byte == 0).unwrap_or(0);
    let (first, second) = bytes.split_at(at);
    for defanged in [false, true] {
        let extractor = Extractor::new().defanged(defanged);
        extractor.message_into(first, &mut Listener::new(first.len() as u64));
        assert_eq!(events(&extractor, second), events(&extractor.clone(), second));
    }
}

fn events(extractor: &Extractor, message: &[u8]) -> Vec<Event> {
    let mut listener = Listener::new(message.len() as u64);
    extractor.message_into(message, &mut listener);
    listener.record.0
}

/// Tests two properties of a file: the results do not depend on the sizes of reads, and the segments cover the whole
/// file. The first byte of the input chooses the format, the second byte chooses the size of reads, and the file
/// follows.
pub fn archive(bytes: &[u8]) {
    let Some((&[format, size], file)) = bytes.split_first_chunk() else { return };
    let format = Format::all().nth(usize::from(format));
    let builder = || Search::new().format(format).threads(1);
    let (tiled, whole) = read(builder(), file, file.len().max(1));
    if let Some(tiled) = tiled {
        assert_eq!(tiled, file.len() as u64, "of the file has been dealt with");
    }
    let (_, pieces) = read(builder().chunk(1 << 10), file, usize::from(size) + 1);
    assert_eq!(pieces, whole);
}

/// Reads `file` in steps of at most `size` bytes, and returns the events. If the file is not compressed, also returns
/// the total length of its segments.
fn read(search: Search, file: &[u8], size: usize) -> (Option<u64>, Vec<Event>) {
    let mut listener = Listener::new(u64::MAX);
    let end = search.stream(Short(file, size)).name("file").each(&mut listener);
    let tiled = (end.is_ok() && !listener.packed).then_some(listener.tiled);
    (tiled, listener.record.0)
}

/// Records events. During a call, also checks the values that are valid only in that call.
struct Listener {
    /// The length of the input.
    end: u64,
    /// Whether some input was compressed.
    packed: bool,
    /// The total length of the segments.
    tiled: u64,
    record: Record,
}

impl Listener {
    fn new(end: u64) -> Self {
        Listener { end, packed: false, tiled: 0, record: Record::default() }
    }
}

impl Sink for Listener {
    type Flow = ();

    fn hit(&mut self, hit: &HitRef<'_>) {
        let origin = hit.origin();
        let (text, span) = origin.text();
        assert!(span.start < span.end && span.end <= text.len(), "{span:?} of {}", text.len());
        let mends = [Warning::CharactersEncoded, Warning::SlashesMended, Warning::AddressTrimmed];
        let is_mended = mends.iter().any(|mend| hit.warnings().contains(*mend));
        let least = if is_mended { Tier::Relaxed } else { Tier::Rfc1738 };
        assert_eq!(Url::parse(hit.url().as_bytes()).map(|url| url.tier().max(least)), Ok(hit.tier()));
        assert!(origin.offset() + origin.length() <= self.end, "up to {}", self.end);
        self.record.hit(hit);
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        assert!(reject.reason().offset() <= reject.text().len());
        self.record.reject(reject);
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
        self.record.diagnostic(file, diagnostic);
    }

    fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) {
        self.packed |= file.is_some_and(|file| file.codec().is_some() || file.is_archive() || file.member().is_some());
        self.tiled += segment.length();
    }

    fn problem(&mut self, error: &Error) {
        assert_eq!(error.path(), Path::new("file"));
        self.record.problem(error);
    }

    fn end(&mut self, file: &Input) {
        self.packed |= file.codec().is_some() || file.is_archive();
        self.record.end(file);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use crate::support::{Random, corpus};

    /// Adds the contents of the smaller files below `directory` to `into`.
    fn files(directory: &Path, into: &mut Vec<Vec<u8>>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files(&path, into);
            } else {
                into.extend(fs::read(path).ok().filter(|bytes| bytes.len() < 30_000));
            }
        }
    }

    /// Joins random parts of the inputs, and changes, removes and repeats random bytes.
    fn damaged(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let mut part = || {
            let input = &inputs[random.below(inputs.len())];
            let (from, to) = (random.below(input.len() + 1), random.below(input.len() + 1));
            input[from.min(to)..from.max(to)].to_vec()
        };
        let mut bytes = [part(), part()].concat();
        for _ in 0..random.below(8) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            let len = random.below(40).min(bytes.len() - at);
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.drain(at..at + len)),
                2 => bytes.extend_from_within(at..at + len),
                _ => bytes.truncate(at),
            }
        }
        bytes
    }

    fn hold(property: fn(&[u8]), inputs: &[Vec<u8>], options: usize) {
        let mut random = Random(options as u64);
        for i in 0..inputs.len() + 1000 {
            let input = inputs.get(i).cloned().unwrap_or_else(|| damaged(inputs, &mut random));
            let options = (0..options).map(|_| random.below(256) as u8);
            property(&options.chain(input).collect::<Vec<_>>());
        }
    }

    fn everything() -> Vec<Vec<u8>> {
        let mut inputs = Vec::new();
        files(&corpus(""), &mut inputs);
        assert!(inputs.len() > 150, "{}", inputs.len());
        inputs.sort();
        inputs
    }

    #[test]
    fn any_bytes_as_a_url() {
        let inputs = everything();
        let lines: Vec<Vec<u8>> = inputs
            .iter()
            .flat_map(|input| input.split(|byte| b"\n\"<> ".contains(byte)))
            .filter(|word| word.contains(&b':'))
            .map(<[u8]>::to_vec)
            .collect();
        assert!(lines.len() > 3000, "{}", lines.len());
        hold(super::url, &lines, 0);
    }

    #[test]
    fn any_bytes_as_text() {
        hold(super::scan, &everything(), 2);
    }

    #[test]
    fn any_bytes_as_a_message() {
        hold(super::message, &everything(), 0);
    }

    #[test]
    fn any_bytes_as_an_archive() {
        hold(super::archive, &everything(), 2);
    }
}
