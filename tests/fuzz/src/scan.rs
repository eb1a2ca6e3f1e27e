//! Checks the spans and the texts of the candidates in a text.

use urlspool::{Reason, Scanner};

/// Input: a byte that chooses options, then a text.
pub fn scan(bytes: &[u8]) {
    let Some((options, text)) = bytes.split_first() else { return };
    let join = match options & 5 {
        0 => Some(0),
        4 => Some(60),
        _ => None,
    };
    let scanner = Scanner::new().join(join).drop_hyphens(options & 2 != 0);

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
        let restored = [Reason::Escape, Reason::Obscured, Reason::Doubled, Reason::Defanged];
        let is_restored = candidate.doubt().is_some_and(|doubt| restored.contains(&doubt));
        assert!(candidate.text() == pieces || is_restored, "{candidate:?}");
        let _ = (candidate.alternatives(), candidate.quote_depth());
    }
}
