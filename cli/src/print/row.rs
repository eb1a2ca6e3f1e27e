//! The encoding of the rows that worker threads send to [`Parquet`](super::Parquet). `--sort` and `-u` treat each row
//! like a line of the other layouts.
//!
//! A row consists of its length in bytes and its fields. Each field has one or more leaves: Parquet columns of texts,
//! numbers or booleans. In a row, each leaf is written as the number of its entries, followed by the entries. An entry
//! consists of Parquet's repetition level and definition level, one byte each. If the entry has a value, the length and
//! the bytes of the value follow. The lengths and the numbers of entries have 32 bits, and integer values have 64 bits.
//! All are little-endian.

use std::ops::Range;

use urlspool::Alternative;
use urlspool::fields::{Field, Value};

use super::URL;
use super::found::Found;

/// The layout of `--parquet`, with the fields of a row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) fields: Vec<Field>,
}

/// The Parquet type of the values in a leaf, which is one Parquet column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Physical {
    Bytes,
    Integer,
    Boolean,
}

/// Returns the leaves (Parquet columns) of a field. For each leaf, returns the type and the definition level of an
/// entry that has a value.
pub(super) fn leaves(kind: &str) -> &'static [(Physical, i16)] {
    match kind {
        "integer" | "string, date-time" => &[(Physical::Integer, 1)],
        "boolean" => &[(Physical::Boolean, 1)],
        "array of strings" => &[(Physical::Bytes, 2)],
        // The leaves of each alternative URL are the columns `url`, `url_bytes` and `reason`.
        "array of objects" => &[(Physical::Bytes, 2), (Physical::Bytes, 3), (Physical::Bytes, 2)],
        _ => &[(Physical::Bytes, 1)],
    }
}

impl Row {
    /// Appends a row. Returns the range in `out` that `--sort` and `-u` compare: the URL, or the whole row if it has no
    /// field `url`.
    ///
    /// Returns `None` for an alternative URL of a hit. An alternative URL has no row of its own, because the row of the
    /// hit lists it in the field `alternatives`.
    #[inline(never)]
    pub(super) fn line(&self, out: &mut Vec<u8>, found: Found<'_>) -> Option<Range<usize>> {
        if matches!(found, Found::Reading(..)) {
            return None;
        }
        let (start, mut key) = (out.len(), None);
        sized(out, |out| {
            for field in &self.fields {
                let at = out.len();
                put(out, field.kind(), found.value(field));
                if field.name() == URL {
                    key = Some(at + BEFORE_VALUE..out.len());
                }
            }
        });
        Some(key.unwrap_or(start..out.len()))
    }
}

/// How many bytes are before the value in a leaf with one entry: four for the number of entries, two for the levels,
/// and four for the length.
const BEFORE_VALUE: usize = 4 + 2 + 4;

/// Calls `write` to append bytes, and inserts their number before them.
fn sized(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    number(out, 0);
    write(out);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn number(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

/// Appends the leaves of a value.
fn put(out: &mut Vec<u8>, kind: &str, value: Value<'_>) {
    match value {
        Value::Absent => {
            for _ in leaves(kind) {
                number(out, 1);
                out.extend_from_slice(&[0, 0]);
            }
        }
        Value::Texts(texts) => list(out, &texts, 2, |out, text| out.extend_from_slice(text.as_bytes())),
        Value::Alternatives(others) => {
            let is_whole = |other: &Alternative| std::str::from_utf8(&other.url).is_ok();
            list(out, others, 2, |out, other| Value::Bytes(&other.url).push_text(out));
            number(out, others.len());
            for (at, other) in others.iter().enumerate() {
                let repeats = u8::from(at > 0);
                if is_whole(other) {
                    out.extend_from_slice(&[repeats, 2]);
                } else {
                    entry(out, repeats, 3, |out| Value::Base64(&other.url).push_text(out));
                }
            }
            list(out, others, 2, |out, other| out.extend_from_slice(other.reason.as_str().as_bytes()));
        }
        value => {
            number(out, 1);
            entry(out, 0, 1, |out| match value {
                Value::Number(number) => {
                    out.extend_from_slice(&i64::try_from(number).unwrap_or(i64::MAX).to_le_bytes());
                }
                Value::Time(_, seconds) => out.extend_from_slice(&(seconds * 1_000_000).to_le_bytes()),
                Value::Boolean(boolean) => out.push(boolean.into()),
                _ => value.push_text(out),
            });
        }
    }
}

fn list<T>(out: &mut Vec<u8>, items: &[T], defined: u8, item: impl Fn(&mut Vec<u8>, &T)) {
    number(out, items.len());
    for (at, next) in items.iter().enumerate() {
        entry(out, u8::from(at > 0), defined, |out| item(out, next));
    }
}

fn entry(out: &mut Vec<u8>, repeats: u8, defined: u8, value: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&[repeats, defined]);
    sized(out, value);
}
