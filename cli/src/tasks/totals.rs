//! The line that ends the output of a task.

use std::collections::BTreeMap;

use urlspool::fields::Value;
use urlspool::json::Object;

/// The beginning of the line with the totals. The JSON object of a URL never begins with these bytes.
pub(super) const BEGIN: &[u8] = b"{\"task\":\"";

/// The counts of a task. The messages, lines and bytes of all tasks of a file add up to the numbers for the whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// The number of messages, including messages that options such as `--since` exclude.
    pub(super) messages: u64,
    /// The number of line breaks.
    pub(super) lines: u64,
    /// The number of bytes, after decompression.
    pub(super) bytes: u64,
    /// The number of rows (JSON objects of URLs or rejects) before the line with the totals.
    pub(super) rows: u64,
    /// The size in bytes of the rows that `rows` counts. If an earlier run was killed, its rows can come before these
    /// rows in the output, and are not counted.
    pub(super) row_bytes: u64,
    /// The number of files and archive members that could not be read to their end.
    pub(super) problems: u64,
    /// The attachments that were not searched: what they are, and their number.
    pub(super) unsearched: BTreeMap<String, u64>,
    /// Whether the task must be run again, because a file could not be opened or read, or has changed since the
    /// manifest was made. If a file is malformed, such as a truncated gzip file, the value stays `false`.
    pub(super) is_failed: bool,
}

impl Totals {
    /// Returns the numbers, each with its name in the output.
    fn numbers(&mut self) -> [(&'static str, &mut u64); 6] {
        [
            ("messages", &mut self.messages),
            ("lines", &mut self.lines),
            ("bytes", &mut self.bytes),
            ("rows", &mut self.rows),
            ("row_bytes", &mut self.row_bytes),
            ("problems", &mut self.problems),
        ]
    }

    /// Returns the line for the task `id`, with its line break.
    pub(super) fn line(&self, id: &str) -> Vec<u8> {
        let mut line = Vec::new();
        let mut object = Object::open(&mut line);
        object.field("task", Value::Plain(id.as_bytes()));
        let mut totals = self.clone();
        for (name, number) in totals.numbers() {
            object.field(name, *number);
        }
        object.value("unsearched", |out| {
            serde_json::to_writer(out, &self.unsearched).expect("writing to a Vec cannot fail");
        });
        object.field("complete", !self.is_failed);
        object.close();
        line.push(b'\n');
        line
    }

    /// Parses a line. Returns the identifier and the totals of the task. Returns `None` if the line is not complete.
    pub(super) fn parse(line: &[u8]) -> Option<(u128, Totals)> {
        let value: serde_json::Value = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
        let mut totals = Totals { is_failed: !value.get("complete")?.as_bool()?, ..Totals::default() };
        for (name, number) in totals.numbers() {
            *number = value.get(name)?.as_u64()?;
        }
        totals.unsearched = serde_json::from_value(value.get("unsearched")?.clone()).ok()?;
        Some((id(value.get("task")?.as_str()?)?, totals))
    }
}

/// Returns the identifier of a task as a number.
pub(super) fn id(text: &str) -> Option<u128> {
    u128::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, Totals, id};

    #[test]
    fn a_line_is_parsed() {
        let unsearched = [("a \"picture\"".to_owned(), 7)].into();
        let numbers =
            Totals { messages: 1, lines: 2, bytes: 3, rows: 4, row_bytes: 5, problems: 6, ..Totals::default() };
        let totals = Totals { unsearched, ..numbers };
        let name = "00112233445566778899aabbccddeeff";
        let line = totals.line(name);
        assert!(line.starts_with(BEGIN) && line.ends_with(b"}\n"));
        assert_eq!(Totals::parse(&line[..line.len() - 1]), None, "a write was interrupted");
        assert_eq!(Totals::parse(&line), Some((id(name).unwrap(), totals)));
        assert_eq!(Totals::parse(b"{\"task\":\"0\"}\n"), None);
    }
}
