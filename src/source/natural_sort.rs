//! The order of names in a directory.

use std::cmp::Ordering;

/// Compares names byte by byte. Consecutive digits are an exception: they are compared as a number, so `9` is before
/// `10`. Names that differ only in leading zeros are ordered by their bytes, so different names are never equal.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        match (x, y) {
            ([], _) | (_, []) => return x.len().cmp(&y.len()).then_with(|| a.cmp(b)),
            ([p, ..], [q, ..]) if p.is_ascii_digit() && q.is_ascii_digit() => {
                let (m, n) = (number(&mut x), number(&mut y));
                match m.len().cmp(&n.len()).then_with(|| m.cmp(n)) {
                    Ordering::Equal => {}
                    other => return other,
                }
            }
            ([p, rest_x @ ..], [q, rest_y @ ..]) => {
                if p != q {
                    return p.cmp(q);
                }
                (x, y) = (rest_x, rest_y);
            }
        }
    }
}

/// Returns a sort key for a name. Comparing keys is faster than [`compare`], and gives the same order if the keys
/// differ. Names with equal keys must be compared with [`compare`].
pub(super) fn key(name: &[u8]) -> u64 {
    match name {
        [] => 0,
        [b'0'..=b'9', ..] => name.iter().map_while(|b| b.is_ascii_digit().then(|| u64::from(b - b'0'))).fold(
            u64::from(b'0'),
            |key, digit| {
                let number = (key - u64::from(b'0')).saturating_mul(10).saturating_add(digit);
                number.saturating_add(u64::from(b'0')).min(LAST_NUMBER)
            },
        ),
        [first @ ..=b'/', ..] => u64::from(*first),
        [first, ..] => LAST_NUMBER + u64::from(*first),
    }
}

/// The key of all numbers that are too large to have separate keys.
const LAST_NUMBER: u64 = u64::MAX - 0xFF;

/// Removes the digits at the beginning of `text`, and returns them without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    &digits[digits.iter().position(|&b| b != b'0').unwrap_or(end)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digit_runs_are_numbers() {
        let sorted = [
            "",
            "+",
            "/",
            "0",
            "00",
            "1",
            "01",
            "9",
            "10",
            "010",
            "99999999999999999999",
            "100000000000000000000",
            "100000000000000000001",
            ":",
            "A",
            "a",
            "a1",
            "a1b",
            "a02",
            "a2b",
            "a10",
            "ab",
            "\u{FF}",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                let want = i.cmp(&j);
                let got = compare(a.as_bytes(), b.as_bytes());
                // Names such as `1` and `01` have the same number, so they are sorted by their bytes.
                let same = a.trim_start_matches('0') == b.trim_start_matches('0');
                assert_eq!(got, if same { a.cmp(b) } else { want }, "{a} {b}");
                let keys = key(a.as_bytes()).cmp(&key(b.as_bytes()));
                assert!(keys.is_eq() || keys == got, "{a} {b}");
            }
        }
    }
}
