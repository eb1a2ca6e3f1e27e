//! Finds names that a misspelt name may mean.

/// Returns the first of the `known` names that is `name` in another case, or near to it.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = name.to_ascii_lowercase();
    known.into_iter().find(|known| *known == lower || is_near(known, &lower))
}

/// Returns whether two names differ by one missing, added or wrong byte, or by two adjacent bytes that are swapped.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
    // Compared first, because the distance needs time and memory proportional to the product of the lengths.
    one.len().abs_diff(other.len()) < 2 && strsim::generic_damerau_levenshtein(one.as_bytes(), other.as_bytes()) == 1
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
