//! Patterns for names: newsgroups, lists, hosts.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A list of patterns for names, separated by commas (RFC 3977, section 4.1): `comp.*,!comp.lang.*`.
///
/// - `*` matches any number of bytes, `?` matches one character. Upper and lower case are the same.
/// - The last pattern that matches the name decides. If it begins with `!`, the name does not match.
/// - `[a-z0-9]` matches one character of a set, `[^a-z]` one that is not in it. `\` before a character matches that
///   character. In a set, `]` is a member if it comes first, `-` if it comes first or last, and `\` is an ordinary
///   member.
///
/// The RFC forbids `[`, `]` and `\`. Here they mean the same as in INN (uwildmat(3)), but for three cases. A comma
/// always ends a pattern, because no name has one. `[!a]` is refused: for INN it is a set with `!` in it, for a shell
/// the opposite of `[a]`. `@` before a pattern is refused.
///
/// ```
/// use urlspool::Wildmat;
///
/// let hosts: Wildmat = "*.example.org,!www.*".parse()?;
/// assert!(hosts.matches(b"FTP.example.org") && !hosts.matches(b"www.example.org"));
/// let groups: Wildmat = "comp.lang.[a-f]*".parse()?;
/// assert!(groups.matches(b"comp.lang.forth") && !groups.matches(b"comp.lang.perl.misc"));
/// # Ok::<(), urlspool::WildmatError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildmat {
    /// `false` if the pattern began with `!`.
    patterns: Vec<(bool, Vec<Token>)>,
}

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A byte, in lower case.
    Byte(u8),
    /// `*`.
    Any,
    /// A set: `[...]`, or `[^...]` if negated. `?` is a negated set without members.
    Set { is_not: bool, members: Vec<RangeInclusive<char>> },
}

impl Wildmat {
    /// Parses a list of patterns, like [`str::parse`].
    ///
    /// # Errors
    ///
    /// If a pattern is empty or begins with `@`, a set or a `\` in it is not complete, or a set begins with `!`.
    pub fn new(text: &str) -> Result<Wildmat, WildmatError> {
        text.parse()
    }

    /// Returns whether `name` matches. Takes at most time proportional to its length times that of the patterns;
    /// usually to their sum.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        self.patterns.iter().rev().find(|(_, pattern)| glob(pattern, name)).is_some_and(|(says, _)| *says)
    }
}

impl FromStr for Wildmat {
    type Err = WildmatError;

    /// White space around a pattern is ignored.
    fn from_str(text: &str) -> Result<Wildmat, WildmatError> {
        let patterns = text.split(',').map(|item| {
            let item = item.trim();
            if item.starts_with('@') {
                return Err(POISON);
            }
            let (says, pattern) = item.strip_prefix('!').map_or((true, item), |pattern| (false, pattern));
            Ok((says, tokens(pattern)?))
        });
        Ok(Wildmat { patterns: patterns.collect::<Result<_, _>>()? })
    }
}

/// The error of parsing a [`Wildmat`]: what is wrong with the text, and how to write it.
///
/// ```
/// use urlspool::Wildmat;
///
/// let error = Wildmat::new("comp.*,,news.*").unwrap_err();
/// assert_eq!(error.to_string(), "a pattern is empty: give names with commas between");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WildmatError(&'static str);

const EMPTY: WildmatError = WildmatError("a pattern is empty: give names with commas between");
const UNCLOSED: WildmatError =
    WildmatError("a set has no end: write it as in [a-z], without a comma, or \\[ for the bracket itself");
const EXCLAMATION: WildmatError =
    WildmatError("[! begins no set: [^a-z] is one of the characters that are not from a to z");
const POISON: WildmatError =
    WildmatError("@ is for feeds: write ! before an excluded pattern, or \\@ for the character itself");
const BACKSLASH: WildmatError =
    WildmatError("nothing follows a \\: it takes the next character as it is, and \\\\ is one itself");

impl fmt::Display for WildmatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for WildmatError {}

/// Returns the elements of `pattern`.
fn tokens(pattern: &str) -> Result<Vec<Token>, WildmatError> {
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        match next {
            '*' => tokens.push(Token::Any),
            '?' => tokens.push(Token::Set { is_not: true, members: Vec::new() }),
            '[' => {
                let (set, after) = set(rest.as_str())?;
                tokens.push(set);
                rest = after.chars();
            }
            _ => {
                let character = if next == '\\' { rest.next().ok_or(BACKSLASH)? } else { next };
                let character = character.to_ascii_lowercase();
                tokens.extend(character.encode_utf8(&mut [0; 4]).bytes().map(Token::Byte));
            }
        }
    }
    if tokens.is_empty() { Err(EMPTY) } else { Ok(tokens) }
}

/// Returns the set that `text` begins with, after its bracket, and the rest.
fn set(text: &str) -> Result<(Token, &str), WildmatError> {
    if text.starts_with('!') {
        return Err(EXCLAMATION);
    }
    let (is_not, text) = text.strip_prefix('^').map_or((false, text), |text| (true, text));
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end = text[first..].find(']').ok_or(UNCLOSED)? + first;
    let mut members = Vec::new();
    let mut rest = text[..end].chars();
    while let Some(from) = rest.next() {
        // The first character of a range is a member even if the range is empty, as in `m-a`. The last character of a
        // range does not begin another one.
        members.push(from..=from);
        let mut range = rest.clone();
        if let (Some('-'), Some(to)) = (range.next(), range.next()) {
            members.push(from..=to);
            rest = range;
        }
    }
    Ok((Token::Set { is_not, members }, &text[end + 1..]))
}

/// Returns whether `pattern` matches all of `name`. Backtracks to the last `*` only: the stars before it have matched
/// as little as possible, so matching more would not help.
fn glob(pattern: &[Token], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(Token::Any) => {
                star = Some((p, n));
                p += 1;
            }
            Some(Token::Byte(byte)) if *byte == name[n].to_ascii_lowercase() => {
                p += 1;
                n += 1;
            }
            Some(Token::Set { is_not, members }) if is_member(members, &name[n..]) != *is_not => {
                p += 1;
                n += length(&name[n..]);
            }
            _ => {
                let Some((at, taken)) = &mut star else { return false };
                *taken += length(&name[*taken..]);
                (p, n) = (*at + 1, *taken);
            }
        }
    }
    pattern[p..].iter().all(|token| *token == Token::Any)
}

/// Returns whether the first character of `text` is in the set, in either case. A byte that is not UTF-8 is a character
/// of ISO 8859-1.
fn is_member(members: &[RangeInclusive<char>], text: &[u8]) -> bool {
    let utf8 = std::str::from_utf8(&text[..length(text)]);
    let character = utf8.ok().and_then(|text| text.chars().next()).unwrap_or(char::from(text[0]));
    let cases = [character.to_ascii_lowercase(), character.to_ascii_uppercase()];
    members.iter().any(|range| cases.iter().any(|character| range.contains(character)))
}

/// Returns the length in bytes of the first character; in UTF-8, with all its continuation bytes.
fn length(text: &[u8]) -> usize {
    1 + text[1..].iter().take_while(|&&byte| text[0] >= 0xC0 && byte & 0xC0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_match_decides() {
        let table = [
            ("a.example.org", "a.example.org", true),
            ("A.Example.ORG", "a.example.org", true),
            ("a.example.org", "b.a.example.org", false),
            ("*.example.org", "a.b.EXAMPLE.org", true),
            ("*.example.org", "example.org", false),
            ("*", "", true),
            ("?", "", false),
            ("?", "\u{fc}", true),
            ("a*b*c", "axxbxbxc", true),
            ("a*b*c", "axxbxbxcd", false),
            ("comp.*,!comp.lang.*", "comp.mail", true),
            ("comp.*,!comp.lang.*", "comp.lang.c", false),
            ("comp.*,!comp.lang.*,comp.lang.c", "comp.lang.c", true),
            ("!comp.*", "alt.test", false),
            (" a , b ", "b", true),
        ];
        for (patterns, name, want) in table {
            assert_eq!(Wildmat::new(patterns), patterns.parse());
            assert_eq!(Wildmat::new(patterns).unwrap().matches(name.as_bytes()), want, "{patterns} {name}");
        }
    }

    /// The members are those of INN's uwildmat(3).
    #[test]
    fn sets_and_literal_characters_match() {
        let table = [
            ("[abc]", "b", true),
            ("[abc]", "bc", false),
            ("[a-c]", "C", true),
            ("[A-C]", "c", true),
            ("[^a-c]", "C", false),
            ("[^a-c]", "d", true),
            ("[^a-c]", "", false),
            ("[]]", "]", true),
            ("[^]-]", "]", false),
            ("[^]-]", "-", false),
            ("[^]-]", "a", true),
            ("[-a]", "-", true),
            ("[a-e-n]", "-", true),
            ("[a-e-n]", "f", false),
            ("[a-e-n]", "n", true),
            ("[m-a]", "m", true),
            ("[m-a]", "b", false),
            ("[a^]", "^", true),
            ("[*?\\]", "\\", true),
            ("[\u{fa}-\u{fc}]x", "\u{fb}x", true),
            ("*[^\u{fc}]", "\u{fc}", false),
            ("comp.lang.[a-f]*,!*.[cd]", "comp.lang.c++", true),
            ("comp.lang.[a-f]*,!*.[cd]", "comp.lang.c", false),
            ("a.*[0-9]b", "a.x1xx2b", true),
            ("a]", "a]", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("\\A\\?", "a?", true),
            ("\\[a]", "[a]", true),
            ("\\!a", "!a", true),
        ];
        for (patterns, name, want) in table {
            assert_eq!(Wildmat::new(patterns).unwrap().matches(name.as_bytes()), want, "{patterns} {name}");
        }
        assert!(Wildmat::new("[\u{fb}]").unwrap().matches(b"\xFB"));
    }

    #[test]
    fn malformed_patterns_are_rejected() {
        let table = [
            ("", EMPTY),
            ("a,", EMPTY),
            ("!", EMPTY),
            ("a,,b", EMPTY),
            ("[", UNCLOSED),
            ("[]", UNCLOSED),
            ("[^]", UNCLOSED),
            ("a[b", UNCLOSED),
            ("[a,b]", UNCLOSED),
            ("[!a]", EXCLAMATION),
            ("a\\", BACKSLASH),
            ("a\\,b", BACKSLASH),
            ("*,@alt.*", POISON),
        ];
        for (text, wrong) in table {
            assert_eq!(text.parse::<Wildmat>(), Err(wrong), "{text:?}");
        }
    }

    #[test]
    fn many_stars_match_in_linear_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!Wildmat::new(&pattern).unwrap().matches(&b"a".repeat(20_000)));
    }
}
