//! Writes JSON objects. Each field is appended to a buffer. The command uses this module, too.

use std::io::Write;
use std::ops::Range;

use crate::scan::Alternative;
use crate::shared::is_plain;

use super::fields::{self, Field, Row, Value, push_base64, push_number, section, separated};
use super::{Hit, Reject};

/// An incomplete JSON object at the end of a buffer.
pub struct Object<'o> {
    out: &'o mut Vec<u8>,
    /// The offset of the object in the buffer. Each field is written with a comma before it. [`close`](Self::close)
    /// replaces the first comma with the opening brace.
    start: usize,
}

impl Row for Object<'_> {
    #[inline(always)]
    fn output_field(&mut self, field: &Field, value: Value<'_>) -> Range<usize> {
        Object::output_field(self, field, value)
    }

    #[inline(always)]
    fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }
}

impl<'o> Object<'o> {
    /// Begins an object at the end of `out`.
    #[inline]
    pub fn open(out: &'o mut Vec<u8>) -> Object<'o> {
        Object { start: out.len(), out }
    }

    /// Adds all fields of a hit or a reject that are not extra. Returns the range of the field `url`.
    ///
    /// `message` has the encoded fields of the current message, such as its date. If it is empty, this method encodes
    /// them. They are encoded once per message, because most messages with URLs have several URLs.
    #[inline(always)]
    pub fn fields<'v>(&mut self, message: &mut Vec<u8>, found: Result<&'v Hit<'v>, &'v Reject<'v>>) -> Range<usize> {
        fields::push(self, message, found)
    }

    /// Completes the object.
    #[inline]
    pub fn close(self) {
        match self.out.get_mut(self.start) {
            Some(comma) => *comma = b'{',
            None => self.out.push(b'{'),
        }
        self.out.push(b'}');
    }

    /// Adds a field. Returns the range of its value in the buffer.
    pub fn field<'v>(&mut self, name: &str, value: impl Into<Value<'v>>) -> Range<usize> {
        self.value(name, |out| self::value(out, value.into()))
    }

    /// Adds a field of the output. Returns the range of its value. This is faster than [`field`](Self::field), because
    /// `Field::json` has the name already encoded.
    #[inline(always)]
    pub fn output_field(&mut self, field: &Field, value: Value<'_>) -> Range<usize> {
        if matches!(value, Value::Absent) {
            self.out.extend_from_slice(field.json.as_bytes());
            return self.out.len() - 4..self.out.len();
        }
        self.out.extend_from_slice(&field.json.as_bytes()[..field.json.len() - 4]);
        let start = self.out.len();
        self::value(self.out, value);
        start..self.out.len()
    }

    /// Adds an array. Calls `item` to write each element.
    pub fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        item: impl FnMut(&mut Vec<u8>, T),
    ) -> Range<usize> {
        self.value(name, |out| list(out, items, item))
    }

    /// Adds a field. Calls `write` to write its value. Returns the range of the value.
    #[inline(always)]
    pub fn value(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        self.name(name);
        let start = self.out.len();
        write(self.out);
        start..self.out.len()
    }

    /// Appends the name of a field. The method is inlined because nearly all names are constants, and the compiler
    /// copies a constant with one or two instructions.
    #[inline(always)]
    fn name(&mut self, name: &str) {
        self.out.extend_from_slice(b",\"");
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }
}

#[inline(always)]
fn value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Absent => out.extend_from_slice(b"null"),
        Value::Bytes(bytes) => self::bytes(out, bytes),
        Value::Text(text) => bytes(out, text.as_bytes()),
        Value::Plain(bytes) => {
            debug_assert!(is_plain::<b'"', b'\\'>(bytes), "{}", bytes.escape_ascii());
            in_quotes(out, bytes);
        }
        Value::Lower(bytes) => {
            let start = out.len();
            in_quotes(out, bytes);
            out[start..].make_ascii_lowercase();
        }
        Value::Time(text, _) => in_quotes(out, text.as_bytes()),
        Value::Base64(bytes) => {
            out.push(b'"');
            push_base64(out, bytes);
            out.push(b'"');
        }
        Value::Number(value) => push_number(out, value),
        Value::Boolean(boolean) => out.extend_from_slice(if boolean { b"true" } else { b"false" }),
        Value::Section(path) => {
            out.push(b'"');
            section(out, path);
            out.push(b'"');
        }
        Value::Texts(texts) => list(out, texts, |out, text| bytes(out, text.as_bytes())),
        Value::Alternatives(others) => list(out, others, alternative),
    }
}

fn list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, item: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    separated(out, b',', items, item);
    out.push(b']');
}

/// Appends bytes from the input as a JSON string. Bytes that are not UTF-8 are replaced by U+FFFD.
#[inline]
pub fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    if is_plain::<b'"', b'\\'>(value) {
        return in_quotes(out, value);
    }
    let text = String::from_utf8_lossy(value);
    out.push(b'"');
    for piece in text.as_bytes().split_inclusive(|&byte| needs_escape(byte)) {
        let (&last, before) = piece.split_last().expect("a piece has at least one byte");
        if !needs_escape(last) {
            out.extend_from_slice(piece);
            continue;
        }
        out.extend_from_slice(before);
        let short = match last {
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0x08 => b'b',
            0x0C => b'f',
            b'"' | b'\\' => last,
            _ => {
                write!(out, "\\u{last:04x}").expect("writing to a Vec cannot fail");
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.push(b'"');
}

fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn alternative(out: &mut Vec<u8>, alternative: &Alternative) {
    let mut object = Object::open(out);
    object.field("url", Value::Bytes(&alternative.url));
    object.field("url_bytes", fields::base64(Some(&alternative.url)));
    object.field("reason", alternative.reason.as_str());
    object.close();
}

/// Appends bytes that need no escapes, in quotes.
fn in_quotes(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(value);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_order_with_null() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let place = object.field("a", Value::Bytes(b"\"\\\n\x1b\xc3\xbc"));
        object.field("b", None::<u64>);
        object.field("c", false);
        object.field("d", true);
        object.field("e", u64::MAX);
        object.field("f", Value::Bytes(b"\xff\xfea"));
        object.field("g", Value::Base64(b"\xff\xfe"));
        object.field("h", Value::Section(&[1, 10]));
        object.field("i", vec!["x".into(), "y".into()]);
        object.field("j", Vec::new());
        object.close();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"a":"\"\\\n\u001bü","b":null,"c":false,"d":true,"e":18446744073709551615,"f":"\u{fffd}\u{fffd}a","g":"//4=","h":"[1.10]","i":["x","y"],"j":null}"#
                .replace("\\u{fffd}", "\u{fffd}")
        );
        assert_eq!(&text[place], r#""\"\\\n\u001bü""#);
    }
}
