//! Tables for spreadsheets and data bases: CSV (RFC 4180) and TSV. One column for each field that JSON objects have.

use std::ops::Range;

use urlspool::{Hit, Origin, Warning};

use super::lines::Layout;
use super::object;
use crate::cli::select::Refused;

/// What stands between the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Cells that hold commas, quotes or line ends are in quotes.
    Comma,
    /// In cells, tabs, line ends and backslashes are `\t`, `\n`, `\r` and `\\`.
    Tab,
}

/// The layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) separator: Separator,
    /// Whether what is no URL is listed: it has other columns.
    pub(crate) rejects: bool,
}

const PLACE: &str = "file member message message_id date newsgroups list_id part header offset length line";

impl Table {
    /// Adds a cell behind those that are there.
    fn cell(self, out: &mut Vec<u8>, value: &[u8]) -> Range<usize> {
        let start = out.len();
        match std::str::from_utf8(value) {
            Ok(_) => self.text(out, value),
            // As in JSON, so that it can be told apart and put back.
            Err(_) => {
                let mut text = Vec::new();
                object::octets(&mut text, value);
                self.text(out, &text);
            }
        }
        let end = out.len();
        out.push(match self.separator {
            Separator::Comma => b',',
            Separator::Tab => b'\t',
        });
        start..end
    }

    fn text(self, out: &mut Vec<u8>, value: &[u8]) {
        match self.separator {
            Separator::Comma if value.iter().any(|b| b",\"\r\n".contains(b)) => {
                out.push(b'"');
                for piece in value.split_inclusive(|&octet| octet == b'"') {
                    out.extend_from_slice(piece);
                    if piece.ends_with(b"\"") {
                        out.push(b'"');
                    }
                }
                out.push(b'"');
            }
            Separator::Comma => out.extend_from_slice(value),
            Separator::Tab => out.extend(value.iter().flat_map(|octet| -> &[u8] {
                match octet {
                    b'\t' => b"\\t",
                    b'\n' => b"\\n",
                    b'\r' => b"\\r",
                    b'\\' => b"\\\\",
                    octet => std::slice::from_ref(octet),
                }
            })),
        }
    }

    fn number(self, out: &mut Vec<u8>, number: Option<u64>) {
        let text = number.map(|number| number.to_string()).unwrap_or_default();
        self.cell(out, text.as_bytes());
    }

    fn place(self, out: &mut Vec<u8>, origin: &Origin<'_>) {
        self.cell(out, origin.file().map_or(&b""[..], |file| file.as_os_str().as_encoded_bytes()));
        self.cell(out, origin.member().unwrap_or_default());
        self.number(out, origin.message());
        self.cell(out, origin.message_id().unwrap_or_default());
        self.cell(out, origin.date().unwrap_or_default().as_bytes());
        self.cell(out, origin.newsgroups().unwrap_or_default());
        self.cell(out, origin.list_id().unwrap_or_default());
        self.cell(out, origin.part().to_string().as_bytes());
        self.cell(out, origin.header().unwrap_or_default());
        self.number(out, Some(origin.offset()));
        self.number(out, Some(origin.length()));
        self.number(out, origin.line());
    }

    fn flag(self, out: &mut Vec<u8>, flag: bool) {
        self.cell(out, if flag { b"true" } else { b"" });
    }

    fn precision(self, out: &mut Vec<u8>, origin: &Origin<'_>) {
        self.cell(out, if origin.is_exact() { b"" } else { b"part" });
    }

    /// Puts the line's end in the place of what stands behind its last cell.
    fn end(out: &mut Vec<u8>) {
        out.pop();
        out.push(b'\n');
    }
}

impl Layout for Table {
    fn header(&self, out: &mut Vec<u8>) {
        let columns = match self.rejects {
            false => format!(
                "url form tier scheme host fragment {PLACE} quote_depth rejoined recovered defanged precision alternatives \
                 doubtful trimmed warnings dup"
            ),
            true => format!("url form reason reason_offset {PLACE} recovered defanged precision"),
        };
        for column in columns.split(' ') {
            self.cell(out, column.as_bytes());
        }
        Table::end(out);
    }

    fn hit(&mut self, out: &mut Vec<u8>, hit: &Hit<'_>) -> Range<usize> {
        let (url, origin) = (hit.url(), hit.origin());
        let key = self.cell(out, url.as_bytes());
        self.cell(out, hit.form().as_str().as_bytes());
        self.cell(out, hit.tier().as_str().as_bytes());
        self.cell(out, &url.scheme().to_ascii_lowercase());
        self.cell(out, url.host().unwrap_or_default());
        self.cell(out, url.fragment().unwrap_or_default());
        self.place(out, origin);
        self.number(out, Some(hit.quote_depth() as u64).filter(|depth| *depth > 0));
        self.flag(out, hit.is_rejoined());
        self.flag(out, origin.is_recovered());
        self.flag(out, origin.is_defanged());
        self.precision(out, origin);
        // No URL has a space in it.
        let others: Vec<_> = hit.alternatives().iter().map(|other| other.url.as_slice()).collect();
        self.cell(out, &others.join(&b' '));
        self.cell(out, hit.doubtful().map_or("", |reason| reason.as_str()).as_bytes());
        self.cell(out, hit.trimmed());
        let warnings: Vec<_> = hit.warnings().iter().map(Warning::as_str).collect();
        self.cell(out, warnings.join(" ").as_bytes());
        self.flag(out, hit.is_dup());
        Table::end(out);
        key
    }

    /// A reading has no line of its own: it stands in its hit's `alternatives`.
    fn reading(&mut self, out: &mut Vec<u8>, _: &Hit<'_>, _: &[u8]) -> Range<usize> {
        out.len()..out.len()
    }

    fn refused(&mut self, out: &mut Vec<u8>, refused: &Refused<'_>) -> Range<usize> {
        let key = self.cell(out, refused.text);
        self.cell(out, refused.form.as_str().as_bytes());
        self.cell(out, refused.why.as_str().as_bytes());
        self.number(out, Some(refused.why.offset() as u64));
        self.place(out, refused.origin);
        self.flag(out, refused.origin.is_recovered());
        self.flag(out, refused.origin.is_defanged());
        self.precision(out, refused.origin);
        Table::end(out);
        key
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
                let place = Table { separator, rejects: false }.cell(&mut out, value);
                assert_eq!(String::from_utf8_lossy(&out[place]), want);
            }
        }
    }
}
