//! `--csv`, `--tsv` and `--fields`: tables for spreadsheets and databases. CSV follows RFC 4180.

use std::ops::Range;

use urlspool::fields::{Field, Value};

use super::found::Found;
use super::{Style, URL};
use crate::escaped::push_escaped;

/// The field with the lines around a URL.
const CONTEXT: &str = "context";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// For CSV. Cells that contain commas, quotes or line ends are quoted.
    Comma,
    /// For TSV. In cells, tabs, line ends and backslashes are written as `\t`, `\n`, `\r` and `\\`.
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

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) separator: Separator,
    pub(crate) columns: Vec<Field>,
    /// Whether the first line has the names of the columns.
    pub(crate) has_header: bool,
    pub(crate) style: Style,
    /// The cells of the current message, such as its date, each with its separator, and their ends. They are written
    /// once per message, because most messages with URLs have several URLs.
    message: (Vec<u8>, Vec<usize>),
}

impl Table {
    pub(crate) fn new(separator: Separator, columns: Vec<Field>, has_header: bool, style: Style) -> Table {
        Table { separator, columns, has_header, style, message: Default::default() }
    }

    /// Appends a cell: the content that `write` appends, and a separator. Returns the range of the content.
    pub(super) fn cell(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = out.len();
        write(out);
        let end = out.len();
        out.push(self.separator.byte());
        start..end
    }

    pub(super) fn value(&self, out: &mut Vec<u8>, value: Value<'_>) {
        match value {
            Value::Absent => {}
            Value::Plain(bytes) => self.text(out, bytes),
            Value::Bytes(bytes) => self.text(out, String::from_utf8_lossy(bytes).as_bytes()),
            Value::Text(text) => self.text(out, text.as_bytes()),
            Value::Lower(_) | Value::Texts(_) | Value::Alternatives(_) => {
                let mut text = Vec::new();
                value.push_text(&mut text);
                self.text(out, &text);
            }
            _ => value.push_text(out),
        }
    }

    fn text(&self, out: &mut Vec<u8>, value: &[u8]) {
        match self.style {
            Style::Raw => text(out, self.separator, value),
            style => style.text(out, value),
        }
    }

    /// Appends a context for a terminal, where its lines stay lines. They are indented, so that none looks like another
    /// result.
    fn context(&self, out: &mut Vec<u8>, value: Value<'_>) {
        let mut text = Vec::new();
        value.push_text(&mut text);
        for (n, line) in text.split(|&byte| byte == b'\n').enumerate() {
            out.extend_from_slice(if n > 0 { b"\n    " } else { b"" });
            self.text(out, line.strip_suffix(b"\r").unwrap_or(line));
        }
    }

    /// Ends a line: replaces the separator after its last cell with a line break.
    pub(super) fn end(out: &mut Vec<u8>) {
        out.pop();
        out.push(b'\n');
    }

    /// Appends the line with the names of the columns, if the table has one.
    pub(super) fn header(&self, out: &mut Vec<u8>) {
        if !self.has_header {
            return;
        }
        for column in &self.columns {
            self.cell(out, |out| out.extend_from_slice(column.name().as_bytes()));
        }
        Table::end(out);
    }

    /// Appends a line. Returns the range in `out` that `--sort` and `-u` compare: the URL, or the whole line if `url`
    /// is not a column.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        self.row(out, |field| found.value(field))
    }

    /// Appends a line with the value that `value` returns for each column. Returns the range of the URL, or of the whole
    /// line if `url` is not a column.
    #[inline]
    pub(super) fn row<'v>(&mut self, out: &mut Vec<u8>, value: impl Fn(&Field) -> Value<'v>) -> Range<usize> {
        let (start, mut key) = (out.len(), None);
        let (mut cells, mut ends) = std::mem::take(&mut self.message);
        let (is_known, mut known, mut from) = (!ends.is_empty(), 0, 0);
        for column in &self.columns {
            if is_known && column.is_of_message() {
                let end = ends[known];
                out.extend_from_slice(&cells[from..end]);
                (known, from) = (known + 1, end);
                continue;
            }
            let cell = self.cell(out, |out| match self.style {
                Style::Raw => self.value(out, value(column)),
                _ if column.name() == CONTEXT => self.context(out, value(column)),
                _ => self.value(out, value(column)),
            });
            if column.is_of_message() {
                cells.extend_from_slice(&out[cell.start..]);
                ends.push(cells.len());
            } else if column.name() == URL {
                key = Some(cell);
            }
        }
        self.message = (cells, ends);
        Table::end(out);
        key.unwrap_or(start..out.len() - 1)
    }

    /// Forgets the cells of the message, because the following hits are in another message.
    pub(super) fn segment(&mut self) {
        self.message.0.clear();
        self.message.1.clear();
    }
}

/// Appends text to a cell, quoted or escaped if necessary.
fn text(out: &mut Vec<u8>, separator: Separator, value: &[u8]) {
    let neutral;
    let value = match separator {
        Separator::Comma if is_formula(value) => {
            neutral = [b"'", value].concat();
            neutral.as_slice()
        }
        _ => value,
    };
    match separator {
        Separator::Comma if has(value, *b",\"\r\n") => {
            out.push(b'"');
            for piece in value.split_inclusive(|&byte| byte == b'"') {
                out.extend_from_slice(piece);
                if piece.ends_with(b"\"") {
                    out.push(b'"');
                }
            }
            out.push(b'"');
        }
        Separator::Tab if has(value, *b"\t\n\r\\") => push_escaped(out, value.iter().copied()),
        _ => out.extend_from_slice(value),
    }
}

/// Returns whether a spreadsheet could treat a cell of CSV as a formula because of its first character. OWASP lists
/// these characters and their full-width forms under "CSV Injection". OWASP recommends an apostrophe before such a
/// character, which makes the cell plain text.
fn is_formula(value: &[u8]) -> bool {
    match value {
        [b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n', ..] => true,
        [0xEF, ..] => {
            ["\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}"].iter().any(|sign| value.starts_with(sign.as_bytes()))
        }
        _ => false,
    }
}

/// Whether `value` has one of the bytes `any`.
fn has(value: &[u8], [a, b, c, d]: [u8; 4]) -> bool {
    memchr::memchr3(a, b, c, value).is_some() || memchr::memchr(d, value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let table: [(&[u8], &str, &str); 15] = [
            (b"plain", "plain", "plain"),
            (b"a,b", "\"a,b\"", "a,b"),
            (b"a\"b\"", "\"a\"\"b\"\"\"", "a\"b\""),
            (b"a\r\nb\tc\\", "\"a\r\nb\tc\\\"", "a\\r\\nb\\tc\\\\"),
            ("\u{fc}".as_bytes(), "\u{fc}", "\u{fc}"),
            (b"\xff", "\u{fffd}", "\u{fffd}"),
            (b"=1+1", "'=1+1", "=1+1"),
            (b"+1", "'+1", "+1"),
            (b"-1", "'-1", "-1"),
            (b"@a", "'@a", "@a"),
            (b"\ta", "'\ta", "\\ta"),
            (b"\ra", "\"'\ra\"", "\\ra"),
            (b"\na", "\"'\na\"", "\\na"),
            ("\u{ff1d}1".as_bytes(), "'\u{ff1d}1", "\u{ff1d}1"),
            (b"=\"a\",1", "\"'=\"\"a\"\",1\"", "=\"a\",1"),
        ];
        for (value, csv, tsv) in table {
            for (separator, want) in [(Separator::Comma, csv), (Separator::Tab, tsv)] {
                let mut out = Vec::new();
                let table = Table::new(separator, Vec::new(), true, Style::Raw);
                let place = table.cell(&mut out, |out| table.value(out, Value::Bytes(value)));
                assert_eq!(String::from_utf8_lossy(&out[place]), want);
            }
        }
    }
}
