//! Patterns that match the names of newsgroups, mailing lists and hosts.

use std::ops::RangeInclusive;

/// A comma-separated list of patterns for names (RFC 3977, section 4.1), such as `comp.*,!comp.lang.*`.
///
/// - `*` matches any number of bytes. `?` matches one character. The case of ASCII letters is ignored.
/// - If several patterns match a name, only the last of them counts. If that pattern begins with `!`, the name does not
///   match the list.
/// - `[a-z0-9]` matches one character of the set. `[^a-z]` matches one character that is not in the set. A `]` that is
///   the first character of a set is a member of the set. A `-` is a member if it is the first or last character. `\`
///   has no special meaning in a set.
/// - Outside a set, a `\` removes the special meaning of the next character: `\*` matches a `*`.
///
/// The RFC forbids `[`, `]` and `\`. In this type, these characters have the same meaning as in INN's uwildmat(3), with
/// three exceptions. A comma always ends a pattern, because names have no commas. `[!a]` is an error, because its
/// meaning is not clear: to INN, it is a set that contains `!`, but to a shell, it is the opposite of `[a]`. A pattern
/// that begins with `@` is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wildmat {
    /// The patterns, in order. If the pattern began with `!`, the `bool` is `false`.
    patterns: Vec<(bool, Vec<Token>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A byte that the name must have at this position. Letters are in lower case.
    Byte(u8),
    /// A `*`.
    Any,
    /// A set: `[...]`, or `[^...]` if `is_not` is true. `?` is stored as a negated set without members.
    Set { is_not: bool, members: Vec<RangeInclusive<char>> },
}

impl Wildmat {
    /// Parses a list. Ignores white space around each pattern.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, and how to write the pattern correctly. A pattern must not be empty or begin with `@`. A
    /// set must be closed, and must not begin with `!`. A character must follow a `\`.
    pub(crate) fn new(text: &str) -> Result<Wildmat, &'static str> {
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

    /// Returns whether `name` matches the list. Usually takes time linear in the lengths of `name` and of the patterns.
    /// In the worst case, the time is proportional to the product of both lengths.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        self.patterns.iter().rev().find(|(_, pattern)| glob(pattern, name)).is_some_and(|(says, _)| *says)
    }
}

const EMPTY: &str = "a pattern is empty; give names with commas between them";
const UNCLOSED: &str =
    "a set has no closing bracket; write [a-z] without a comma in the set, or \\[ for the bracket itself";
const EXCLAMATION: &str = "a set cannot begin with `!`; write [^a-z] for a character that is not in a set";
const POISON: &str = "a pattern cannot begin with @; write ! to exclude names, or \\@ for the @ itself";
const BACKSLASH: &str = "a pattern ends with a backslash; write \\\\ for a backslash";

fn tokens(pattern: &str) -> Result<Vec<Token>, &'static str> {
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

/// Parses the set at the start of `text`, which begins after the `[`. Returns the set and the text after its `]`.
fn set(text: &str) -> Result<(Token, &str), &'static str> {
    if text.starts_with('!') {
        return Err(EXCLAMATION);
    }
    let (is_not, text) = text.strip_prefix('^').map_or((false, text), |text| (true, text));
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end = text[first..].find(']').ok_or(UNCLOSED)? + first;
    let mut members = Vec::new();
    let mut rest = text[..end].chars();
    while let Some(from) = rest.next() {
        // Even if a range is empty, as in `m-a`, its first character is a member of the set. The last character of a
        // range cannot begin another range: `a-e-n` is the range `a-e`, a `-` and an `n`.
        members.push(from..=from);
        let mut range = rest.clone();
        if let (Some('-'), Some(to)) = (range.next(), range.next()) {
            members.push(from..=to);
            rest = range;
        }
    }
    Ok((Token::Set { is_not, members }, &text[end + 1..]))
}

/// Returns whether `pattern` matches all of `name`. After a mismatch, the last `*` before it matches one more
/// character, and the rest of the pattern is compared again. An earlier `*` need not match more, because the last `*`
/// can match the same characters.
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

/// Returns whether the first character of `text` is in the set, ignoring case. If `text` does not begin with UTF-8, its
/// first byte is read as ISO 8859-1.
fn is_member(members: &[RangeInclusive<char>], text: &[u8]) -> bool {
    let utf8 = std::str::from_utf8(&text[..length(text)]);
    let character = utf8.ok().and_then(|text| text.chars().next()).unwrap_or(char::from(text[0]));
    let cases = [character.to_ascii_lowercase(), character.to_ascii_uppercase()];
    members.iter().any(|range| cases.iter().any(|character| range.contains(character)))
}

/// Returns the length in bytes of the first character of `text`, including UTF-8 continuation bytes.
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
            assert_eq!(Wildmat::new(patterns).unwrap().matches(name.as_bytes()), want, "{patterns} {name}");
        }
    }

    /// Sets and `\` work as in INN's uwildmat(3), except that the case of letters is ignored.
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
            assert_eq!(Wildmat::new(text), Err(wrong), "{text:?}");
        }
    }

    #[test]
    fn many_stars_match_in_linear_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!Wildmat::new(&pattern).unwrap().matches(&b"a".repeat(20_000)));
    }
}
