//! Checks that the scanner finds the same candidates in a text, whether it gets the text at once or in pieces.

use urlspool::scan::{Candidate, Hyphen, Join, Scanner};

/// Input: two bytes that choose options, then a text.
pub fn scan(bytes: &[u8]) {
    let Some((&[options, size], text)) = bytes.split_first_chunk() else { return };
    let join = match options & 5 {
        0 => Join::Likely,
        4 => Join::AtLeast(60),
        _ => Join::Never,
    };
    let hyphen = if options & 2 == 0 { Hyphen::Keep } else { Hyphen::Drop };
    let scanner = Scanner::new().join(join).hyphen(hyphen);

    let mut whole = Vec::new();
    let mut before = 0;
    for candidate in scanner.find_iter(text) {
        let span = candidate.span();
        assert!(before <= span.start && span.start < span.end && span.end <= text.len(), "{before}, then {span:?}");
        // If a candidate is not a URL, the next candidate may begin inside it.
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
    let (mut rest, mut length) = (text, usize::from(size));
    while !rest.is_empty() {
        // If `size` is even, each piece has `size + 1` bytes. If `size` is odd, the length changes from piece to piece.
        let (chunk, after) = rest.split_at((length + 1).min(rest.len()));
        stream.push(chunk, |offset, candidate| pieces.push(said(offset, candidate)));
        rest = after;
        length = if size % 2 == 0 { length } else { (length * 31 + 7) % 257 };
    }
    stream.finish(|offset, candidate| pieces.push(said(offset, candidate)));
    assert_eq!(pieces, whole);
}

/// Returns the properties of a candidate that must be the same whether the scanner gets the text at once or in pieces.
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
