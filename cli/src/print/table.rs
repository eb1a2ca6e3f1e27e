//! `--csv` and `--fields`: tables for spreadsheets and databases. CSV follows RFC 4180.

use std::ops::Range;

use urlspool::fields::{self, FIELDS, Field, Row, Value};
use urlspool::shared::is_plain;

use super::found::Found;
use super::{Style, URL};
use crate::escaped::push_escaped;

/// The field with the lines around a URL.
const CONTEXT: &str = "context";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// For CSV. Cells that contain commas, quotes or line ends are quoted.
    Comma,
    /// For `--fields`. In cells, tabs, line ends and backslashes are written as `\t`, `\n`, `\r` and `\\`.
    Tab,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) separator: Separator,
    pub(crate) columns: Vec<Field>,
    pub(crate) style: Style,
    /// Whether the columns are the default fields, and not for a terminal.
    is_default: bool,
    /// The cells of the current message, such as its date, each with its separator, and their ends. They are written
    /// once per message, because most messages with URLs have several URLs. If `is_default`, there are no ends.
    message: (Vec<u8>, Vec<usize>),
}

impl Table {
    pub(crate) fn new(separator: Separator, columns: Vec<Field>, style: Style) -> Table {
        let default = FIELDS.iter().filter(|field| !field.is_extra());
        let is_default = style == Style::Raw && columns.iter().map(Field::name).eq(default.map(Field::name));
        Table { separator, columns, style, is_default, message: Default::default() }
    }

    /// Returns the cells at the end of `out`.
    fn cells<'o>(&self, out: &'o mut Vec<u8>) -> Cells<'o> {
        Cells { separator: self.separator, style: self.style, out }
    }

    /// Ends a line: replaces the separator after its last cell with a line break.
    pub(super) fn end(out: &mut Vec<u8>) {
        out.pop();
        out.push(b'\n');
    }

    /// Appends the line with the names of the columns, if the table is CSV.
    pub(super) fn header(&self, out: &mut Vec<u8>) {
        if !matches!(self.separator, Separator::Comma) {
            return;
        }
        for column in &self.columns {
            self.cells(out).output_field(column, Value::Plain(column.name().as_bytes()));
        }
        Table::end(out);
    }

    /// Appends a line. Returns the range in `out` that `--sort` and `-u` compare: the URL, or the whole line if `url`
    /// is not a column.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        if !self.is_default {
            return self.row(out, |field| found.value(field));
        }
        // `push` is inlined, once for hits and once for rejects. A loop over the columns takes more than twice as long.
        let mut cells = self.cells(out);
        let key = match found.hit_or_reject() {
            Ok(hit) => fields::push(&mut cells, &mut self.message.0, Ok(hit)),
            Err(reject) => fields::push(&mut cells, &mut self.message.0, Err(reject)),
        };
        Table::end(out);
        key
    }

    /// Appends a line with the value that `value` returns for each column. Returns the range of the URL, or of the whole
    /// line if `url` is not a column.
    pub(super) fn row<'v>(&mut self, out: &mut Vec<u8>, value: impl Fn(&Field) -> Value<'v>) -> Range<usize> {
        let (start, mut key) = (out.len(), None);
        let (mut kept, mut ends) = std::mem::take(&mut self.message);
        let (is_known, mut known, mut from) = (!ends.is_empty(), 0, 0);
        let mut cells = self.cells(out);
        for column in &self.columns {
            if is_known && column.is_of_message() {
                let end = ends[known];
                cells.out.extend_from_slice(&kept[from..end]);
                (known, from) = (known + 1, end);
                continue;
            }
            let cell = cells.output_field(column, value(column));
            if column.is_of_message() {
                kept.extend_from_slice(&cells.out[cell.start..]);
                ends.push(kept.len());
            } else if column.name() == URL {
                key = Some(cell);
            }
        }
        self.message = (kept, ends);
        Table::end(out);
        key.unwrap_or(start..out.len() - 1)
    }

    /// Forgets the cells of the message, because the following hits are in another message.
    pub(super) fn segment(&mut self) {
        self.message.0.clear();
        self.message.1.clear();
    }
}

/// The cells of a line, at the end of a buffer. A separator follows each cell.
struct Cells<'o> {
    separator: Separator,
    style: Style,
    out: &'o mut Vec<u8>,
}

impl Row for Cells<'_> {
    #[inline(always)]
    fn output_field(&mut self, field: &Field, value: Value<'_>) -> Range<usize> {
        let start = self.out.len();
        if field.name() == CONTEXT && self.style != Style::Raw {
            self.context(&value);
        } else {
            self.value(value);
        }
        let end = self.out.len();
        self.out.push(match self.separator {
            Separator::Comma => b',',
            Separator::Tab => b'\t',
        });
        start..end
    }

    #[inline(always)]
    fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }
}

impl Cells<'_> {
    #[inline(always)]
    fn value(&mut self, value: Value<'_>) {
        match value {
            Value::Bytes(bytes) | Value::Plain(bytes) => self.text(bytes),
            Value::Text(text) => self.text(text.as_bytes()),
            Value::Lower(_) | Value::Texts(_) | Value::Alternatives(_) => {
                let mut text = Vec::new();
                value.push_text(&mut text);
                self.text(&text);
            }
            value => value.push_text(self.out),
        }
    }

    #[inline(always)]
    fn text(&mut self, value: &[u8]) {
        let is_plain = match self.separator {
            Separator::Comma => is_plain::<b',', b'"'>(value) && !is_formula(value),
            Separator::Tab => is_plain::<b'\\', b'\\'>(value),
        };
        if is_plain { self.out.extend_from_slice(value) } else { self.any_text(value) }
    }

    /// Appends text that may need quotes or escapes.
    fn any_text(&mut self, value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        let value = value.as_bytes();
        match (self.style, self.separator) {
            (Style::Raw, Separator::Tab) => push_escaped(self.out, value.iter().copied()),
            (Style::Raw, Separator::Comma) => {
                let quote: &[u8] = if value.iter().any(|byte| b",\"\r\n".contains(byte)) { b"\"" } else { b"" };
                let apostrophe: &[u8] = if is_formula(value) { b"'" } else { b"" };
                self.out.extend_from_slice(quote);
                self.out.extend_from_slice(apostrophe);
                for piece in value.split_inclusive(|&byte| byte == b'"') {
                    self.out.extend_from_slice(piece);
                    self.out.extend_from_slice(if piece.ends_with(b"\"") { quote } else { b"" });
                }
                self.out.extend_from_slice(quote);
            }
            (style, _) => style.text(self.out, value),
        }
    }

    /// Appends a context for a terminal, where its lines stay lines. They are indented, so that none looks like another
    /// result.
    fn context(&mut self, value: &Value<'_>) {
        let mut text = Vec::new();
        value.push_text(&mut text);
        for (n, line) in text.split(|&byte| byte == b'\n').enumerate() {
            self.out.extend_from_slice(if n > 0 { b"\n    " } else { b"" });
            self.text(line.strip_suffix(b"\r").unwrap_or(line));
        }
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
        for (value, csv, tabs) in table {
            for (separator, want) in [(Separator::Comma, csv), (Separator::Tab, tabs)] {
                let mut out = Vec::new();
                let table = Table::new(separator, Vec::new(), Style::Raw);
                let place = table.cells(&mut out).output_field(&FIELDS[0], Value::Bytes(value));
                assert_eq!(String::from_utf8_lossy(&out[place]), want);
            }
        }
    }
}
