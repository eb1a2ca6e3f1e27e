//! Warnings about names in `--scheme` that urlspool does not know and that no URL has. Such a name may be misspelt.

use crate::near::is_near;

/// The unknown schemes in `--scheme` that no URL had so far.
#[derive(Clone)]
pub(crate) struct UnseenSchemes(Vec<String>);

impl UnseenSchemes {
    /// Returns the names in `schemes` that urlspool does not know, without repetitions.
    pub(crate) fn of<'n>(schemes: impl Iterator<Item = &'n str>) -> Self {
        let mut names = Vec::new();
        for name in schemes {
            let is_known = urlspool::schemes().any(|(known, ..)| known.eq_ignore_ascii_case(name));
            if !is_known && !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
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
                "no URL with the scheme {name} was found; urlspool does not know {name}, so it finds such URLs only after \
                 {name}://, and in angle brackets and HTML attributes{hint}"
            )
        })
    }
}
