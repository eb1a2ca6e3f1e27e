//! [`Patterns`]: the values of `scheme`, `host`, `url`, `newsgroup`, `list`, `from` and `subject`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::Why;
#[cfg(feature = "domain")]
use crate::url::Url;
use crate::wildmat::Wildmat;

/// A list of patterns: as the user wrote it, and in the form that matches names. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    text: Arc<str>,
    list: Arc<List>,
    /// Whether every pattern begins with `!`. Such a list also selects what has no name.
    is_negative: bool,
}

#[derive(Debug)]
enum List {
    /// Patterns for whole names.
    Names(Wildmat),
    /// Patterns for parts of a text. The `bool` is `false` if the pattern began with `!`.
    Words(Vec<(bool, Regex)>),
}

/// Compares the texts, because regular expressions cannot be compared.
impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.text == other.text
    }
}

impl Patterns {
    /// Compiles the patterns in `list`, which were written as `text`. If every pattern begins with `!`, the list selects
    /// everything else. `such_as` is an example of a valid list, for the error messages.
    fn new(text: &str, list: &str, such_as: &str) -> Result<Patterns, Why> {
        if list.split(',').any(|item| matches!(item.trim(), "" | "!")) {
            return Err(format!("a pattern is empty; give names with commas between them, such as {such_as}").into());
        }
        if list.split(',').any(|item| item.trim_start().starts_with("!!")) {
            return Err(TWICE.into());
        }
        let is_negative = list.split(',').all(|item| item.trim_start().starts_with('!'));
        let list = if is_negative { Wildmat::new(&format!("*,{list}")) } else { Wildmat::new(list) }?;
        Ok(Patterns { text: text.into(), list: List::Names(list).into(), is_negative })
    }

    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        match &*self.list {
            List::Names(list) => list.matches(name),
            List::Words(words) => {
                let last = words.iter().rev().find(|(_, word)| word.is_match(name));
                last.map_or(self.is_negative, |(says, _)| *says)
            }
        }
    }

    /// Whether the list selects something that has all these `names`: if one of them matches, or, for a list with only
    /// negative patterns, if each of them does.
    pub(crate) fn selects<'n>(&self, mut names: impl Iterator<Item = &'n [u8]>) -> bool {
        if self.is_negative { names.all(|name| self.matches(name)) } else { names.any(|name| self.matches(name)) }
    }
}

/// Prints the list as the user wrote it.
impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Parses words and regular expressions, separated by commas.
pub(super) fn words(text: &str) -> Result<Patterns, Why> {
    let (mut words, mut start) = (Vec::new(), 0);
    for end in text.match_indices(',').map(|(comma, _)| comma).chain([text.len()]) {
        let item = text[start..end].trim();
        let (says, word) = item.strip_prefix('!').map_or((true, item), |word| (false, word.trim_start()));
        let regex = match word.strip_prefix('/').map(|rest| rest.strip_suffix('/')) {
            // The comma is in a regular expression.
            Some(None | Some("")) if end < text.len() => continue,
            Some(None | Some("")) => return Err(NO_SLASH.into()),
            Some(Some(regex)) => regex.to_owned(),
            None if word.is_empty() => return Err("a word is empty; give words with commas between them".into()),
            None if word.starts_with('!') => return Err(TWICE.into()),
            None if word.starts_with("*.") => return Err(NO_GLOB.into()),
            None => word.chars().map(|character| format!("\\x{{{:x}}}", u32::from(character))).collect(),
        };
        let syntax = syntax::Config::new().case_insensitive(true).utf8(false);
        let regex = Regex::builder().syntax(syntax).build(&regex).map_err(|error| {
            if error.size_limit().is_some() {
                return format!("{word} is a regular expression that is too large; repeat less in it");
            }
            let why = error.syntax_error().map_or(error.to_string(), ToString::to_string);
            let why = why.lines().last().unwrap_or_default();
            format!("{word} is not a regular expression: {}", why.trim_start_matches("error: "))
        })?;
        words.push((says, regex));
        start = end + 1;
    }
    let is_negative = words.iter().all(|(says, _)| !says);
    Ok(Patterns { text: text.into(), list: List::Words(words).into(), is_negative })
}

const TWICE: &str = "one `!` excludes; two have no meaning";
const NO_GLOB: &str = "in a word, `*` stands for itself; write `.pdf` for `*.pdf`, or `/[.]pdf$/` for the end";
const NO_SLASH: &str =
    "a word that begins with a slash is a regular expression; write the slash after it, as in /ann|bob/";

/// Parses names of schemes (RFC 1738, section 2.1), separated by commas.
pub(super) fn schemes(text: &str) -> Result<Patterns, Why> {
    let is_scheme_byte = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
    let mut names = text.split(',').map(|name| name.strip_prefix('!').unwrap_or(name));
    let wrong = match () {
        () if names.clone().any(str::is_empty) => "the name of a scheme is empty",
        () if !names.all(|name| name.bytes().all(is_scheme_byte)) => "this is not the name of a scheme",
        () => return Patterns::new(text, text, ""),
    };
    Err(format!("{wrong}; give names with commas between them, such as http,ftp").into())
}

/// Parses patterns for newsgroups.
pub(super) fn groups(text: &str) -> Result<Patterns, Why> {
    Patterns::new(text, text, "comp.*,!comp.lang.*")
}

/// Parses patterns for mailing lists. A name without a dot, such as `announce`, also matches a List-Id that begins with
/// `announce.`.
pub(super) fn lists(text: &str) -> Result<Patterns, Why> {
    let is_word = |item: &str| !item.trim().is_empty() && !item.contains(['.', '*', '?']);
    let items: Vec<_> =
        text.split(',').map(|item| if is_word(item) { format!("{item},{item}.*") } else { item.into() }).collect();
    Patterns::new(text, &items.join(","), "announce,*.example.org")
}

/// Parses patterns for hosts. The pattern `example.org` also matches sub-domains such as `www.example.org`. The pattern
/// `=example.org` matches only `example.org` itself.
pub(super) fn hosts(text: &str) -> Result<Patterns, Why> {
    // An IPv6 address such as `[2001:db8::1]` is not mistaken for a host with a port: the text after its last colon is
    // `1]`, which is not a number.
    let has_port = |item: &str| item.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    if text.contains(['/', '@']) || text.split(',').any(has_port) {
        return Err("give only the name of a host, without scheme, user, port and path, such as example.org".into());
    }
    let is_gap = |item: &str| item.contains("..") || item.trim_start_matches(['!', '=', ' ']).starts_with('.');
    if text.split(',').any(|item| is_gap(item) || item.trim().contains(char::is_whitespace)) {
        return Err("a host has no blanks and no empty parts between dots; give a name such as example.org".into());
    }
    // Hosts are compared in Punycode. The function `host` converts an international name to Punycode, but cannot
    // convert a name with a wildcard. So the user must write such a pattern in Punycode.
    if text.split(',').any(|item| !item.is_ascii() && item.contains(['*', '?', '['])) {
        return Err("write a pattern for international hosts in Punycode, such as xn--bcher-kva.*".into());
    }
    let items: Vec<_> = text.split(',').map(host).collect();
    Patterns::new(text, &items.join(","), "example.org,!www.example.org")
}

/// Converts a host to patterns that are separated by commas: `example.org` becomes `example.org,*.example.org`.
fn host(item: &str) -> String {
    let item = item.trim();
    let (not, name) = item.strip_prefix('!').map_or(("", item), |name| ("!", name));
    let (is_exact, name) = name.strip_prefix('=').map_or((false, name), |name| (true, name));
    // In a pattern, `[ab]` matches one of the characters `a` and `b`. So the opening bracket of an IPv6 address is
    // escaped.
    if name.starts_with('[') && (name.contains(':') || name.ends_with(']')) {
        return format!("{not}\\{name}");
    }
    let is_name = !name.is_empty() && !name.contains(['*', '?', '[', '\\']);
    // Hosts of URLs are compared in ASCII, so an international name is converted to Punycode.
    let name = if is_name { ascii(name) } else { name.into() };
    if is_name && !is_exact { format!("{not}{name},{not}*.{name}") } else { format!("{not}{name}") }
}

#[cfg(feature = "domain")]
fn ascii(name: &str) -> Cow<'_, str> {
    let url = format!("http://{name}/");
    let ascii = Url::parse(&url).ok().and_then(|url| url.host_ascii().map(Cow::into_owned));
    ascii.map_or(name.into(), Cow::Owned)
}

#[cfg(not(feature = "domain"))]
fn ascii(name: &str) -> Cow<'_, str> {
    name.into()
}
