//! Other URL finders, set up as their users do.

use linkify::{LinkFinder, LinkKind};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// linkify, for URLs alone.
pub(crate) fn linkify() -> LinkFinder {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder
}

/// The regex of `benches/compare`, over bytes, in ripgrep's engine.
pub(crate) fn regex() -> Regex {
    let pattern = r#"(https?|ftp|gopher|news|nntp|telnet|wais|file|prospero)://[^[:space:]<>"]+"#;
    let bytes = syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().syntax(bytes).build(pattern).expect("a pattern")
}
