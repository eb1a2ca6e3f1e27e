//! Compares the URL parser with two other parsers. One is an Earley parser for the grammar of RFC 1738, section 5
//! (`corpus/url/rfc1738.bnf`). The other is the crate `iri-string`, for RFC 3986 and RFC 3987.
//!
//! The test strings are generated from the grammar of RFC 1738, and then changed at random. Every run uses the same
//! seed, so the strings are the same. The environment variable `URLSPOOL_ORACLE_STRINGS` sets the number of strings for
//! the Earley parser, which takes about a millisecond per string.

use bnf::{Grammar, GrammarParser, Term};
use iri_string::types::{IriStr, UriStr};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use urlspool::{Tier, Url, schemes};

const GRAMMAR: &str = include_str!("../corpus/url/rfc1738.bnf");

/// The schemes that have their own production in the grammar.
const PRODUCTIONS: [(&str, &str); 10] = [
    ("http", "httpurl"),
    ("ftp", "ftpurl"),
    ("news", "newsurl"),
    ("nntp", "nntpurl"),
    ("telnet", "telneturl"),
    ("gopher", "gopherurl"),
    ("wais", "waisurl"),
    ("mailto", "mailtourl"),
    ("file", "fileurl"),
    ("prospero", "prosperourl"),
];

/// SplitMix64, a small generator of pseudo-random numbers. A seed gives the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % limit as u64) as usize
    }
}

fn nonterminal(name: &str) -> Term {
    Term::Nonterminal(name.to_owned())
}

/// Appends to `answer` a random string that matches `term`. If `depth` is large, the function chooses an expression
/// that does not contain `term` itself, so that the string stays short.
fn generate(grammar: &Grammar, term: &Term, depth: usize, random: &mut Random, answer: &mut String) {
    let name = match term {
        Term::Terminal(text) => return answer.push_str(text),
        Term::Nonterminal(name) => name,
    };
    let production = grammar.productions_iter().find(|production| production.lhs == *term).unwrap();
    let expressions: Vec<_> = production.rhs_iter().collect();
    let recurses = |index: usize| expressions[index].terms_iter().any(|term| *term == nonterminal(name));
    let mut choice = random.below(expressions.len());
    if depth > 14 + random.below(12) && recurses(choice) {
        choice = (0..expressions.len()).find(|&index| !recurses(index)).unwrap();
    }
    for term in expressions[choice].terms_iter() {
        generate(grammar, term, depth + 1, random, answer);
    }
}

/// Strings that a mutation inserts, mostly delimiters.
const PIECES: [&str; 40] = [
    "/", "//", ":", "@", "?", ";", "=", "&", "#", "%", "%09", "%2F", "%zz", "%00", "~", "{", "[", "]", "_", "-", ".",
    "..", "+", "*", "a", "Z", "0", "65536", "1.2.3.4", "[::1]", ";type=", ";type=a", "é", "\u{E000}", " ", "<", "\"",
    "\\", "!", ":80",
];

fn mutate(text: &mut String, random: &mut Random) {
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = boundaries[random.below(boundaries.len())];
    match random.below(4) {
        0 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        1 if at < text.len() => drop(text.remove(at)),
        2 if at < text.len() => {
            text.remove(at);
            text.insert_str(at, PIECES[random.below(PIECES.len())]);
        }
        _ => text.truncate(at.max(text.find(':').map_or(0, |colon| colon + 1))),
    }
}

/// Returns at least `count` random strings: strings that match a production, and mutations of these strings. The
/// same `seed` always gives the same strings.
fn strings(grammar: &Grammar, seed: u64, count: usize) -> Vec<String> {
    let mut random = Random(seed);
    let mut strings = Vec::new();
    while strings.len() < count {
        let production = match random.below(12) {
            10.. => "genericurl",
            index => PRODUCTIONS[index].1,
        };
        let mut text = String::new();
        generate(grammar, &nonterminal(production), 0, &mut random, &mut text);
        if text.len() > 60 {
            continue;
        }
        strings.push(text.clone());
        for _ in 0..3 {
            mutate(&mut text, &mut random);
            strings.push(text.clone());
        }
    }
    strings
}

/// Returns whether the parser should give `text` the tier `rfc1738`. The result is true if `text` matches the
/// production of its scheme. There are two exceptions, for which the result is false: texts that the parser rejects for
/// another reason, and `news` URLs to which the parser applies a newer RFC. Returns `None` if `text` has no scheme.
fn is_rfc1738<'p>(parser: &'p GrammarParser<'p>, starts: &'p Starts, text: &'p str) -> Option<bool> {
    let (scheme, rest) = text.split_once(':')?;
    let start = starts.of(scheme);
    let accepts = parser.parse_input_starting_with(text, start).next().is_some();
    // The production `article` allows slashes, so the grammar accepts `news://host/a@b` as a message-id. The parser
    // reads `host` as a server instead (RFC 5538), and returns the tier `rfc3986`.
    let server = scheme == "news" && rest.starts_with("//");
    Some(accepts && !server && !rest.is_empty() && !has_refused_port(rest, start == &starts.generic))
}

/// Returns whether the parser rejects a URL because of its authority, although the grammar allows the URL. `rest` is
/// the URL without its scheme. The parser rejects ports above 65535. If `generic` is set, it also rejects ports that
/// are not numbers, and empty hosts. But a URL such as `x:///a` is allowed: its whole authority is empty, and a path
/// follows.
fn has_refused_port(rest: &str, generic: bool) -> bool {
    let Some(rest) = rest.strip_prefix("//") else { return false };
    let whole = rest.split('/').next().unwrap();
    // In RFC 1738, a user name can contain `?`. In RFC 3986, `?` ends the authority.
    let authority = if generic { whole.split('?').next().unwrap() } else { whole };
    let hostport = authority.rsplit('@').next().unwrap();
    let (host, port) = hostport.split_once(':').unwrap_or((hostport, ""));
    let empty = host.is_empty() && !(authority.is_empty() && rest.starts_with('/'));
    let out_of_range = port.trim_start_matches('0').len() > 5 || port.parse::<u32>().is_ok_and(|port| port > 65535);
    let no_number = !port.bytes().all(|byte| byte.is_ascii_digit());
    out_of_range || generic && (empty || no_number)
}

/// The start symbols of the grammar: one for each scheme in [`PRODUCTIONS`], and one for all other schemes.
struct Starts {
    own: Vec<(&'static str, Term)>,
    generic: Term,
}

impl Starts {
    fn new() -> Self {
        let own = PRODUCTIONS.map(|(scheme, production)| (scheme, nonterminal(production))).to_vec();
        Self { own, generic: nonterminal("genericurl") }
    }

    fn of(&self, scheme: &str) -> &Term {
        self.own.iter().find(|(name, _)| *name == scheme).map_or(&self.generic, |(_, term)| term)
    }
}

/// Returns whether the parser uses the production that [`Starts::of`] returns for the scheme of `text`. Returns false
/// for a known scheme that is not in [`PRODUCTIONS`] and does not have the generic grammar. An example is `git`, for
/// which the parser uses the production `ip-schemepart`.
fn has_production(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap();
    // With the generic grammar, all text after the colon is the path.
    Url::parse(&format!("{scheme}:x")).is_ok_and(|url| url.path() == Some("x"))
        || PRODUCTIONS.iter().any(|(name, _)| *name == scheme)
}

#[test]
fn the_grammar_of_rfc_1738() {
    let grammar: Grammar = GRAMMAR.parse().unwrap();
    let starts = Starts::new();
    let count = std::env::var("URLSPOOL_ORACLE_STRINGS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000);
    let strings: Vec<String> = strings(&grammar, 1738, count)
        .into_iter()
        // The grammar has no fragments, and its schemes are all in lower case.
        .filter(|text| !text.contains('#') && has_production(text))
        .filter(|text| text.split(':').next().unwrap().bytes().all(|byte| !byte.is_ascii_uppercase()))
        .collect();
    let parser = grammar.build_parser().unwrap();
    let mut accepted = 0;
    for text in &strings {
        let Some(expected) = is_rfc1738(&parser, &starts, text) else { continue };
        let url = Url::parse(text.as_bytes());
        let got = url.as_ref().is_ok_and(|url| url.tier() == Tier::Rfc1738);
        assert_eq!(got, expected, "{text:?}: {url:?}");
        accepted += usize::from(expected);
    }
    // The test is meaningful only if 20 to 80 % of the strings are valid.
    assert!(accepted * 5 > strings.len() && accepted * 5 < strings.len() * 4, "{accepted} of {}", strings.len());
}

/// Returns whether RFC 3986 does not allow the URL, although an older RFC does.
fn is_wider_than_rfc3986(url: &Url<'_>) -> bool {
    let text = url.as_bytes();
    let rest = &text[url.scheme().len() + 1..];
    let question = url.user().into_iter().chain(url.password()).any(|part| part.contains('?'));
    // In RFC 3986, a scheme starts with a letter (section 3.1), a `?` ends the authority (section 3.2), and a `//`
    // after the scheme begins an authority. URLs of mailto, mid and cid can have `//` after the scheme, but have no
    // authority.
    !text[0].is_ascii_alphabetic() || question || url.host().is_none() && rest.starts_with(b"//")
}

#[test]
fn the_grammars_of_rfc_3986_and_3987() {
    let grammar: Grammar = GRAMMAR.parse().unwrap();
    let mut seen = [0; 4];
    for text in strings(&grammar, 3986, 60_000) {
        let Ok(url) = Url::parse(text.as_bytes()) else { continue };
        if url.needs_encoding() || is_wider_than_rfc3986(&url) {
            continue;
        }
        seen[url.tier() as usize] += 1;
        let valid = if url.tier() == Tier::Iri { IriStr::new(&text).is_ok() } else { UriStr::new(&text).is_ok() };
        assert!(valid, "{url:?}");
        // A URL has the tier `Iri` if it has non-ASCII characters, and a narrower tier otherwise.
        assert_eq!(url.tier() == Tier::Iri, !text.is_ascii(), "{url:?}");
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// Checks that the parser accepts every valid IRI whose scheme has no grammar of its own. The exceptions are IRIs
/// without text between the colon and the fragment, and IRIs that [`has_refused_port`] rejects.
#[test]
fn every_generic_iri_is_accepted() {
    let grammar: Grammar = GRAMMAR.parse().unwrap();
    let mut accepted = 0;
    for text in strings(&grammar, 3987, 60_000) {
        let text = format!("x-{text}");
        let Some((_, rest)) = text.split_once(':') else { continue };
        let refused =
            rest.is_empty() || rest.starts_with('#') || has_refused_port(rest.split('#').next().unwrap(), true);
        if IriStr::new(&text).is_ok() && !refused {
            accepted += 1;
            let url = Url::parse(text.as_bytes());
            assert!(url.as_ref().is_ok_and(|url| !url.needs_encoding()), "{text:?}: {url:?}");
        }
    }
    assert!(accepted > 20_000, "{accepted}");
}

/// Checks properties that must hold for every text.
fn check(text: &[u8]) {
    match Url::parse(text) {
        Ok(url) => {
            let whole = &text[..text.len() - url.fragment().map_or(0, |fragment| fragment.len() + 1)];
            let mut last = url.scheme().len() + 1;
            for (component, span) in url.spans() {
                assert!(last <= span.start && span.start <= span.end, "{url:?}: {component} {span:?}");
                assert!(span.end <= whole.len(), "{url:?}: {component} {span:?}");
                last = span.end;
            }
            assert_eq!(url.as_bytes(), text);
            assert_eq!(url.to_string().as_bytes(), text);
            assert!(url.is_equivalent(&url), "{url:?}");
            assert_eq!(url.departure().is_none(), url.tier() == Tier::Rfc1738, "{url:?}");
            let _ = url.warnings();
            // A URL without its fragment is still valid, and its tier is the same or narrower.
            assert!(Url::parse(whole).is_ok_and(|short| short.tier() as u8 <= url.tier() as u8), "{url:?}");
        }
        Err(error) => assert!(error.offset() <= text.len(), "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1738), ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn any_bytes_parse_without_panic(text in prop::collection::vec(any::<u8>(), 0..64)) {
        check(&text);
    }

    #[test]
    fn any_bytes_after_a_scheme(
        scheme in prop::sample::select(schemes().map(|(name, ..)| name).collect::<Vec<_>>()),
        slashes in prop::sample::select(vec![":", "://", "://h/", "://h", "://u:p@"]),
        tail in prop::collection::vec(prop_oneof![
            3 => any::<u8>(),
            7 => prop::sample::select(b"/:@?#;=&%.-_~[]{}*0129afAFzZ".to_vec()),
        ], 0..24),
    ) {
        check(&[scheme.as_bytes(), slashes.as_bytes(), &tail].concat());
    }

    #[test]
    fn normalizing_keeps_the_meaning(path in "([a-z/;?]|%[0-9a-fA-F]{2}|%){0,12}") {
        let url = format!("ftp://h/{path}");
        let url = Url::parse(&url).unwrap();
        let once = url.normalized();
        let normal = Url::parse(&once).unwrap();
        prop_assert_eq!(&normal.normalized(), &once);
        prop_assert!(url.is_equivalent(&normal), "{:?}", url);
    }
}
