//! The URL finders with which urlspool is compared, with the options of a typical user.

use linkify::{LinkFinder, LinkKind};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// Returns linkify's finder, set to find URLs but no email addresses.
pub(crate) fn linkify() -> LinkFinder {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder
}

/// Compiles the regex of `benches/compare` with ripgrep's regex engine, for a search of bytes.
pub(crate) fn regex() -> Regex {
    let pattern = r#"(https?|ftp|gopher|news|nntp|telnet|wais|file|prospero)://[^[:space:]<>"]+"#;
    let bytes = syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().syntax(bytes).build(pattern).expect("a pattern")
}
