//! JSON objects, written field by field into a buffer.

use std::ops::Range;

use data_encoding::BASE64;

/// An object in the making at the end of a buffer.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    /// Opens one.
    #[inline]
    pub(crate) fn open(out: &'o mut Vec<u8>) -> Object<'o> {
        out.push(b'{');
        Object { out, is_empty: true }
    }

    /// Some fields of one like this, in a buffer of their own: they go into objects by [`parts`](Self::parts) where it
    /// was begun.
    pub(crate) fn part<'p>(&self, out: &'p mut Vec<u8>) -> Object<'p> {
        Object { out, is_empty: self.is_empty }
    }

    /// Adds fields that were written before.
    pub(crate) fn parts(&mut self, fields: &[u8]) {
        self.is_empty &= fields.is_empty();
        self.out.extend_from_slice(fields);
    }

    /// Closes it.
    #[inline]
    pub(crate) fn close(self) {
        self.out.push(b'}');
    }

    /// Octets from the input: a string if they are UTF-8, else `{"base64": "..."}`. Gives the value's place.
    #[inline]
    pub(crate) fn octets(&mut self, name: &str, value: &[u8]) -> Range<usize> {
        self.name(name);
        let start = self.out.len();
        octets(self.out, value);
        start..self.out.len()
    }

    /// Octets that are known to need no escape: those of a URL of RFC 1738, say. Gives the value's place.
    #[inline]
    pub(crate) fn plain(&mut self, name: &str, value: &[u8]) -> Range<usize> {
        self.name(name);
        let start = self.out.len();
        debug_assert!(is_plain(value), "{}", value.escape_ascii());
        in_quotes(self.out, value);
        start..self.out.len()
    }

    /// Octets, if there are any.
    #[inline]
    pub(crate) fn octets_if(&mut self, name: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.octets(name, value);
        }
    }

    /// A string without quotes, backslashes and control characters: a name out of a table.
    #[inline]
    pub(crate) fn word(&mut self, name: &str, value: &str) {
        self.name(name);
        quoted(self.out, value);
    }

    /// A number.
    #[inline]
    pub(crate) fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        number(self.out, value);
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, name: &str, value: bool) {
        self.name(name);
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// `true`, or nothing at all.
    #[inline]
    pub(crate) fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.boolean(name, true);
        }
    }

    /// A list of what `item` writes for each of `items`; nothing at all if there is none.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Vec<u8>, T),
    ) {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return };
        self.name(name);
        self.out.push(b'[');
        item(self.out, first);
        for next in items {
            self.out.push(b',');
            item(self.out, next);
        }
        self.out.push(b']');
    }

    /// A value that `write` writes.
    pub(crate) fn value(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(name);
        write(self.out);
    }

    /// Names are constants, nearly all: where it is called, copying one is a store or two.
    #[inline(always)]
    fn name(&mut self, name: &str) {
        let before: &[u8] = if std::mem::take(&mut self.is_empty) { b"\"" } else { b",\"" };
        self.out.extend_from_slice(before);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }
}

/// Octets from the input, as a value of their own.
#[inline]
pub(crate) fn octets(out: &mut Vec<u8>, value: &[u8]) {
    if is_plain(value) {
        return in_quotes(out, value);
    }
    match std::str::from_utf8(value) {
        Ok(text) => serde_json::to_writer(out, text).expect("memory takes what is written to it"),
        Err(_) => base64(out, value),
    }
}

/// A word out of a table, in quotes.
#[inline]
pub(crate) fn quoted(out: &mut Vec<u8>, word: &str) {
    in_quotes(out, word.as_bytes());
}

/// Octets that need no escape, in quotes.
#[inline]
pub(super) fn in_quotes(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(value);
    out.push(b'"');
}

/// Whether a value can stand in quotes as it is; nearly all can.
#[inline]
fn is_plain(value: &[u8]) -> bool {
    is_plain_by::<16>(value).or_else(|| is_plain_by::<4>(value)).unwrap_or_else(|| are_plain(value))
}

/// The same by blocks, the last of which overlaps the one before it; `None` if it is too short for one.
#[inline(always)]
fn is_plain_by<const BLOCK: usize>(value: &[u8]) -> Option<bool> {
    let last = value.last_chunk::<BLOCK>()?;
    Some(value.as_chunks::<BLOCK>().0.iter().all(|block| are_plain(block)) && are_plain(last))
}

/// Without an early end, so that the compiler makes SIMD of it where it knows how many there are.
#[inline(always)]
fn are_plain(octets: &[u8]) -> bool {
    octets.iter().fold(true, |plain, &b| plain & (b' '..0x7F).contains(&b) & (b != b'"') & (b != b'\\'))
}

/// A number, as a value of its own.
#[inline]
pub(crate) fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn base64(out: &mut Vec<u8>, value: &[u8]) {
    out.extend_from_slice(b"{\"base64\":\"");
    let start = out.len();
    out.resize(start + BASE64.encode_len(value.len()), 0);
    BASE64.encode_mut(value, &mut out[start..]);
    out.extend_from_slice(b"\"}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let around = |n: u64| [n.saturating_sub(1), n, n.saturating_add(1), n / 2 + n / 7];
        let powers = (0..20).map(|power| 10_u64.pow(power));
        for n in powers.chain([u64::MAX, u64::from(u32::MAX)]).flat_map(around).chain(0..20_000) {
            let mut out = Vec::new();
            number(&mut out, n);
            assert_eq!(String::from_utf8(out).unwrap(), n.to_string());
        }
    }

    #[test]
    fn what_needs_no_escape() {
        for octet in 0..=255_u8 {
            for length in [1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 70] {
                for at in [0, length / 2, length - 1] {
                    let mut value = vec![b'x'; length];
                    value[at] = octet;
                    let plain = matches!(octet, b' '..=b'~') && octet != b'"' && octet != b'\\';
                    assert_eq!(is_plain(&value), plain, "{octet} at {at} of {length}");
                }
            }
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn fields_in_order_absent_rather_than_null() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let place = object.octets("a", b"\"\\\n\x1b\xc3\xbc");
        object.octets_if("b", None);
        object.flag("c", false);
        object.flag("d", true);
        object.number("e", u64::MAX);
        object.octets("f", b"\xff\xfe");
        object.list("g", [""; 0], quoted);
        object.list("h", ["x", "y"], quoted);
        object.close();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"a":"\"\\\n\u001bü","d":true,"e":18446744073709551615,"f":{"base64":"//4="},"h":["x","y"]}"#
        );
        assert_eq!(&text[place], r#""\"\\\n\u001bü""#);
    }
}
