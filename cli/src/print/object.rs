//! JSON objects, written field by field into a buffer.

use std::ops::Range;

use data_encoding::BASE64;
use urlspool::Alternative;

use super::fields::Value;

/// An object in the making at the end of a buffer.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    /// Where it begins. Every field has a comma before it; in the end the first comma gives way to the brace.
    start: usize,
}

impl<'o> Object<'o> {
    /// Opens one.
    pub(crate) fn open(out: &'o mut Vec<u8>) -> Object<'o> {
        Object { start: out.len(), out }
    }

    /// Adds fields that another one had, as [`since`](Self::since) gave them.
    pub(crate) fn again(&mut self, fields: &[u8]) {
        self.out.extend_from_slice(fields);
    }

    /// How long it is.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// The fields that were added since it was `start` bytes long.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        &self.out[start..]
    }

    /// Closes it.
    pub(crate) fn close(self) {
        match self.out.get_mut(self.start) {
            Some(comma) => *comma = b'{',
            None => self.out.push(b'{'),
        }
        self.out.push(b'}');
    }

    /// Adds a field, if it has a value. Gives the value's place.
    #[inline(always)]
    pub(crate) fn field<'v>(&mut self, name: &str, value: impl Into<Value<'v>>) -> Range<usize> {
        match value.into() {
            Value::Absent | Value::Alternatives([]) => self.len()..self.len(),
            Value::Warnings(warnings) if warnings.is_empty() => self.len()..self.len(),
            Value::Target(url) => self.owned(name, url.targets().pop().map(String::from)),
            Value::Targets(url) => match url.targets() {
                targets if targets.len() < 2 => self.len()..self.len(),
                targets => self.list(name, targets, |out, target| bytes(out, target.as_bytes())),
            },
            Value::Element(place) => self.owned(name, place.element().as_deref()),
            Value::Shown(hit) => self.owned(name, hit.shown()),
            Value::Bytes(bytes) => self.value(name, |out| self::bytes(out, bytes)),
            Value::Plain(bytes) => {
                debug_assert!(is_plain(bytes), "{}", bytes.escape_ascii());
                self.value(name, |out| in_quotes(out, bytes))
            }
            Value::Lower(bytes) => self.value(name, |out| {
                let start = out.len();
                in_quotes(out, bytes);
                out[start..].make_ascii_lowercase();
            }),
            Value::Number(number) => self.value(name, |out| self::number(out, number)),
            Value::Boolean(boolean) => {
                self.value(name, |out| out.extend_from_slice(if boolean { b"true" } else { b"false" }))
            }
            Value::Section(path) => self.value(name, |out| {
                out.push(b'"');
                section(out, path);
                out.push(b'"');
            }),
            Value::Alternatives(others) => self.list(name, others, alternative),
            Value::Warnings(warnings) => {
                self.list(name, warnings.iter(), |out, warning| in_quotes(out, warning.as_str().as_bytes()))
            }
        }
    }

    /// A field with a value that was made for it, if there is one.
    fn owned(&mut self, name: &str, value: Option<impl AsRef<[u8]>>) -> Range<usize> {
        match value {
            Some(value) => self.value(name, |out| bytes(out, value.as_ref())),
            None => self.len()..self.len(),
        }
    }

    /// A list of what `item` writes for each of `items`; nothing at all if there is none.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Vec<u8>, T),
    ) -> Range<usize> {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return self.len()..self.len() };
        self.value(name, |out| {
            out.push(b'[');
            item(out, first);
            for next in items {
                out.push(b',');
                item(out, next);
            }
            out.push(b']');
        })
    }

    /// A value that `write` writes. Gives its place.
    #[inline(always)]
    fn value(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        self.name(name);
        let start = self.out.len();
        write(self.out);
        start..self.out.len()
    }

    /// Names are constants, nearly all: where it is called, copying one is a store or two.
    #[inline(always)]
    fn name(&mut self, name: &str) {
        self.out.extend_from_slice(b",\"");
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }
}

/// Bytes from the input, as a value of their own.
pub(crate) fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    if is_plain(value) {
        return in_quotes(out, value);
    }
    match std::str::from_utf8(value) {
        Ok(text) => serde_json::to_writer(out, text).expect("memory takes what is written to it"),
        Err(_) => base64(out, value),
    }
}

fn alternative(out: &mut Vec<u8>, alternative: &Alternative) {
    let mut object = Object::open(out);
    object.field("url", Value::Bytes(&alternative.url));
    object.field("reason", alternative.reason.as_str());
    object.close();
}

/// Bytes that need no escape, in quotes.
fn in_quotes(out: &mut Vec<u8>, value: &[u8]) {
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
fn are_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, &b| plain & (b' '..0x7F).contains(&b) & (b != b'"') & (b != b'\\'))
}

/// A number, as a value of its own.
pub(crate) fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Numbers with dots between.
pub(crate) fn section(out: &mut Vec<u8>, path: &[u32]) {
    for (at, part) in path.iter().enumerate() {
        if at > 0 {
            out.push(b'.');
        }
        number(out, u64::from(*part));
    }
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
        for byte in 0..=255_u8 {
            for length in [1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 70] {
                for at in [0, length / 2, length - 1] {
                    let mut value = vec![b'x'; length];
                    value[at] = byte;
                    let plain = matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
                    assert_eq!(is_plain(&value), plain, "{byte} at {at} of {length}");
                }
            }
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn fields_in_order_absent_rather_than_null() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let place = object.field("a", Value::Bytes(b"\"\\\n\x1b\xc3\xbc"));
        object.field("b", None::<u64>);
        object.field("c", false);
        object.field("d", true);
        object.field("e", u64::MAX);
        object.field("f", Value::Bytes(b"\xff\xfe"));
        let item = |out: &mut Vec<u8>, item: &str| in_quotes(out, item.as_bytes());
        object.list("g", [""; 0], item);
        object.list("h", ["x", "y"], item);
        object.close();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"a":"\"\\\n\u001bü","d":true,"e":18446744073709551615,"f":{"base64":"//4="},"h":["x","y"]}"#
        );
        assert_eq!(&text[place], r#""\"\\\n\u001bü""#);
    }
}
