//! Other URL finders, with the options of a typical user.

use linkify::{LinkFinder, LinkKind};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// Returns linkify's finder, for URLs only.
pub(crate) fn linkify() -> LinkFinder {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder
}

/// Returns the regex of `benches/compare` for bytes, in ripgrep's regex engine.
pub(crate) fn regex() -> Regex {
    let pattern = r#"(https?|ftp|gopher|news|nntp|telnet|wais|file|prospero)://[^[:space:]<>"]+"#;
    let bytes = syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().syntax(bytes).build(pattern).expect("a pattern")
}
