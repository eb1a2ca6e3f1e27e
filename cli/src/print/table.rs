//! Tables for spreadsheets and data bases: CSV (RFC 4180) and TSV. One column for each field that JSON objects have.

use std::ops::Range;

use urlspool::{Url, Warning};

use super::fields::{self, Field, Value};
use super::object;
use crate::event::Found;

/// What stands between the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Cells that hold commas, quotes or line ends are in quotes.
    Comma,
    /// In cells, tabs, line ends and backslashes are `\t`, `\n`, `\r` and `\\`.
    Tab,
}

impl Separator {
    pub(super) fn byte(self) -> u8 {
        match self {
            Separator::Comma => b',',
            Separator::Tab => b'\t',
        }
    }
}

/// The layout.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    separator: Separator,
    columns: Vec<Field>,
}

impl Table {
    /// Of URLs or of rejects, which have other columns.
    pub(crate) fn new(separator: Separator, rejects: bool) -> Table {
        Table { separator, columns: fields::of(rejects) }
    }

    /// Adds a cell with what `write` writes. Gives its place.
    fn cell(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = out.len();
        write(out);
        let end = out.len();
        out.push(self.separator.byte());
        start..end
    }

    fn value(&self, out: &mut Vec<u8>, value: Value<'_>) {
        match value {
            Value::Absent | Value::Boolean(false) => {}
            Value::Bytes(bytes) => self.bytes(out, bytes),
            Value::Plain(bytes) => self.text(out, bytes),
            Value::Lower(bytes) => self.text(out, &bytes.to_ascii_lowercase()),
            Value::Number(number) => object::number(out, number),
            Value::Boolean(true) => out.extend_from_slice(b"true"),
            Value::Section(path) => object::section(out, path),
            // No URL has a space in it.
            Value::Alternatives(others) => {
                let urls: Vec<_> = others.iter().map(|other| other.url.as_slice()).collect();
                self.bytes(out, &urls.join(&b' '));
            }
            Value::Target(url) => self.bytes(out, url.targets().last().map_or(b"", |target| target.as_bytes())),
            Value::Targets(url) => {
                let targets = url.targets();
                if targets.len() > 1 {
                    let targets: Vec<_> = targets.iter().map(Url::as_str).collect();
                    self.bytes(out, targets.join(" ").as_bytes());
                }
            }
            Value::Element(place) => self.text(out, place.element().unwrap_or_default().as_bytes()),
            Value::Shown(hit) => self.bytes(out, &hit.shown().unwrap_or_default()),
            Value::Warnings(warnings) => {
                let words: Vec<_> = warnings.iter().map(Warning::as_str).collect();
                self.text(out, words.join(" ").as_bytes());
            }
        }
    }

    fn bytes(&self, out: &mut Vec<u8>, value: &[u8]) {
        bytes(out, self.separator, value);
    }

    fn text(&self, out: &mut Vec<u8>, value: &[u8]) {
        text(out, self.separator, value);
    }

    /// Puts the line's end in the place of what stands behind its last cell.
    fn end(out: &mut Vec<u8>) {
        out.pop();
        out.push(b'\n');
    }

    /// Appends the line of the columns' names.
    pub(super) fn header(&self, out: &mut Vec<u8>) {
        for column in &self.columns {
            self.cell(out, |out| out.extend_from_slice(column.name.as_bytes()));
        }
        Table::end(out);
    }

    /// Appends a line; gives the place of its first cell, the URL. A reading has no line of its own: it is among the
    /// `alternatives` of its hit.
    #[inline(never)]
    pub(super) fn line(&self, out: &mut Vec<u8>, found: Found<'_>) -> Option<Range<usize>> {
        if matches!(found, Found::Reading(..)) {
            return None;
        }
        let mut key = None;
        for column in &self.columns {
            let cell = self.cell(out, |out| self.value(out, column.get.value(&found)));
            key.get_or_insert(cell);
        }
        Table::end(out);
        key
    }
}

/// Adds bytes from the input to a cell.
pub(super) fn bytes(out: &mut Vec<u8>, separator: Separator, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(_) => text(out, separator, bytes),
        // As in JSON, so that it can be told apart and put back.
        Err(_) => {
            let mut object = Vec::new();
            object::bytes(&mut object, bytes);
            text(out, separator, &object);
        }
    }
}

fn text(out: &mut Vec<u8>, separator: Separator, value: &[u8]) {
    match separator {
        Separator::Comma if value.iter().any(|b| b",\"\r\n".contains(b)) => {
            out.push(b'"');
            for piece in value.split_inclusive(|&byte| byte == b'"') {
                out.extend_from_slice(piece);
                if piece.ends_with(b"\"") {
                    out.push(b'"');
                }
            }
            out.push(b'"');
        }
        Separator::Comma => out.extend_from_slice(value),
        Separator::Tab => out.extend(value.iter().flat_map(|byte| -> &[u8] {
            match byte {
                b'\t' => b"\\t",
                b'\n' => b"\\n",
                b'\r' => b"\\r",
                b'\\' => b"\\\\",
                byte => std::slice::from_ref(byte),
            }
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let table: [(&[u8], &str, &str); 6] = [
            (b"plain", "plain", "plain"),
            (b"a,b", "\"a,b\"", "a,b"),
            (b"a\"b\"", "\"a\"\"b\"\"\"", "a\"b\""),
            (b"a\r\nb\tc\\", "\"a\r\nb\tc\\\"", "a\\r\\nb\\tc\\\\"),
            ("\u{fc}".as_bytes(), "\u{fc}", "\u{fc}"),
            (b"\xff", "\"{\"\"base64\"\":\"\"/w==\"\"}\"", "{\"base64\":\"/w==\"}"),
        ];
        for (value, csv, tsv) in table {
            for (separator, want) in [(Separator::Comma, csv), (Separator::Tab, tsv)] {
                let mut out = Vec::new();
                let table = Table::new(separator, false);
                let place = table.cell(&mut out, |out| table.value(out, Value::Bytes(value)));
                assert_eq!(String::from_utf8_lossy(&out[place]), want);
            }
        }
    }
}
