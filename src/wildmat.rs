//! Patterns for names: newsgroups, lists, hosts.

use std::fmt;
use std::str::FromStr;

/// A list of patterns with commas between, as RFC 3977, section 4.1, has it: `comp.*,!comp.lang.*`.
///
/// `*` stands for any octets, also none, `?` for one character. The last pattern that matches decides, and one with `!`
/// before it says no. In any mix of case, for host names and most others are the same in any.
///
/// ```
/// use urlspool::Wildmat;
///
/// let hosts: Wildmat = "*.example.org,!www.*".parse()?;
/// assert!(hosts.matches(b"FTP.example.org") && !hosts.matches(b"www.example.org"));
/// # Ok::<(), urlspool::WildmatError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildmat {
    /// In lower case; `false` for those that say no.
    patterns: Vec<(bool, Vec<u8>)>,
}

impl Wildmat {
    /// The list that `text` holds: the same as [`str::parse`].
    ///
    /// # Errors
    ///
    /// If one of the patterns is empty.
    pub fn new(text: &str) -> Result<Wildmat, WildmatError> {
        text.parse()
    }

    /// Whether `name` is meant. Costs at most its length times that of the patterns; usually their sum.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        self.patterns.iter().rev().find(|(_, pattern)| glob(pattern, name)).is_some_and(|(says, _)| *says)
    }
}

impl FromStr for Wildmat {
    type Err = WildmatError;

    /// White space around a pattern is none of it.
    fn from_str(text: &str) -> Result<Wildmat, WildmatError> {
        let patterns = text.split(',').map(|item| {
            let item = item.trim();
            let (says, pattern) = item.strip_prefix('!').map_or((true, item), |pattern| (false, pattern));
            match pattern {
                "" => Err(WildmatError(())),
                _ => Ok((says, pattern.to_ascii_lowercase().into_bytes())),
            }
        });
        Ok(Wildmat { patterns: patterns.collect::<Result<_, _>>()? })
    }
}

/// A text that is no [`Wildmat`]: one of its patterns is empty. All else is a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WildmatError(());

impl fmt::Display for WildmatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern is empty: give names with commas between, such as comp.*,!comp.lang.*")
    }
}

impl std::error::Error for WildmatError {}

/// Whether `pattern`, which is in lower case, matches all of `name`. After a `*` it is enough to go back to the last
/// one: what an earlier one took can only have been the least.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                n += character(&name[n..]);
            }
            Some(&octet) if octet == name[n].to_ascii_lowercase() => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = &mut star else { return false };
                *taken += 1;
                (p, n) = (*at + 1, *taken);
            }
        }
    }
    pattern[p..].iter().all(|&octet| octet == b'*')
}

/// How many octets the first character takes: of UTF-8 all that belong to it.
fn character(text: &[u8]) -> usize {
    1 + text[1..].iter().take_while(|&&octet| text[0] >= 0xC0 && octet & 0xC0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{Wildmat, WildmatError};

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
        for wrong in ["", "a,", "!", "a,,b"] {
            assert_eq!(wrong.parse::<Wildmat>(), Err(WildmatError(())), "{wrong:?}");
        }
    }

    #[test]
    fn a_flood_of_stars_takes_no_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!Wildmat::new(&pattern).unwrap().matches(&b"a".repeat(20_000)));
    }
}
