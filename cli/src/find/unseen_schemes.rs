//! Warnings about names in `--scheme` that urlspool does not know and that no URL has. Such a name may be misspelt.

/// The unknown schemes in `--scheme` that no URL had so far.
pub(crate) struct UnseenSchemes(Vec<String>);

impl UnseenSchemes {
    /// Returns the names in `schemes` that urlspool does not know, without repetitions.
    pub(crate) fn of(schemes: &[String]) -> Self {
        let mut names = Vec::new();
        for name in schemes {
            let is_known = urlspool::schemes().any(|(known, ..)| known.eq_ignore_ascii_case(name));
            if !is_known && !names.contains(name) {
                names.push(name.clone());
            }
        }
        UnseenSchemes(names)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the name of a scheme that was found.
    pub(crate) fn remove(&mut self, scheme: &[u8]) {
        self.0.retain(|name| !name.as_bytes().eq_ignore_ascii_case(scheme));
    }

    /// Keeps only the names that are also in `other`. Call this with the names that one worker thread has not found.
    pub(crate) fn intersect(&mut self, other: &Self) {
        self.0.retain(|name| other.0.contains(name));
    }

    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|name| {
            let near: Vec<_> =
                urlspool::schemes().map(|(known, ..)| known).filter(|known| is_near(name, known)).collect();
            let hint = match name.as_str() {
                "hxxp" | "hxxps" | "fxp" => {
                    format!("; to find defanged URLs, use --defanged --scheme {}", name.replace('x', "t"))
                }
                _ if near.is_empty() => String::new(),
                _ => format!("; did you mean {}?", near.join(" or ")),
            };
            format!(
                "no URL with the scheme {name} was found; urlspool does not know {name}, so it finds such URLs only in \
                 angle brackets and HTML attributes{hint}"
            )
        })
    }
}

/// Returns whether two names differ by one missing, added or wrong byte, or by two adjacent bytes that are swapped.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
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
    fn misspelt_names_are_near() {
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
