//! Schemes that were asked for, are not known by name, and stood nowhere: the name may be misspelt.

use urlspool::url::{SCHEMES, scheme};

/// Those of them that are left.
pub(crate) struct UnseenSchemes<'s>(Vec<&'s str>);

impl<'s> UnseenSchemes<'s> {
    /// Those of `schemes` that are not known by name, each once.
    pub(crate) fn of(schemes: &'s [String]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for name in schemes {
            if scheme::find(name.as_bytes()).is_none() && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        UnseenSchemes(names)
    }

    /// Something of this scheme was found.
    pub(crate) fn meet(&mut self, scheme: &[u8]) {
        self.0.retain(|name| !name.as_bytes().eq_ignore_ascii_case(scheme));
    }

    /// Leaves those that are left of another one too.
    pub(crate) fn and(&mut self, other: &Self) {
        self.0.retain(|name| other.0.contains(name));
    }

    /// What is told of each.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|name| {
            let near: Vec<_> = SCHEMES.iter().map(|row| row.name).filter(|known| is_near(name, known)).collect();
            let hint = match *name {
                "hxxp" | "hxxps" | "fxp" => format!("; --defanged --scheme {} finds it", name.replace('x', "t")),
                _ if near.is_empty() => String::new(),
                _ => format!("; did you mean {}?", near.join(" or ")),
            };
            format!(
                "nothing of the scheme {name} was found; it is not known by name, and is looked for between angle brackets \
                 and in HTML attributes only{hint}"
            )
        })
    }
}

/// Whether one name is the other but for a byte too many or too few, one that is wrong, or two in each other's place.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[begin..], &other[begin..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        ([a, b], [c, d]) => (a, b) == (d, c),
        (one, other) => one.len().max(other.len()) == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn names_that_are_near() {
        let table = [
            ("htp", "http", true),
            ("htttp", "http", true),
            ("hhtp", "http", true),
            ("hptt", "http", false),
            ("htpt", "http", true),
            ("telent", "telnet", true),
            ("gofer", "gopher", false),
            ("wiat", "wais", false),
            ("", "x", true),
            ("steam", "http", false),
        ];
        for (one, other, want) in table {
            assert_eq!((is_near(one, other), is_near(other, one)), (want, want), "{one} {other}");
        }
    }
}
