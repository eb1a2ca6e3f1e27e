//! The rows of a table with typed columns, for `--arrow` and `--parquet`.

use std::io;
use std::ops::Range;

use urlspool::columns::{Column, Values};
use urlspool::fields::Field;

use super::URL;
use super::found::Found;

/// The layout of `--arrow` and `--parquet`. A line is the length of its key in bytes, its key, and a row of each column as [`put`]
/// writes it. So `columns` is empty between two lines.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    fields: Vec<Field>,
    pub(super) columns: Vec<Column>,
    /// The number of bytes of the lines that [`add`](Self::add) has taken since the last [`clear`](Self::clear). The
    /// rows take about as many bytes in memory.
    pub(super) size: usize,
}

impl Rows {
    pub(crate) fn new(fields: Vec<Field>) -> Rows {
        Rows { columns: fields.iter().map(Column::new).collect(), fields, size: 0 }
    }

    /// Appends a line. Returns the range in `out` that `--sort` and `-u` compare: the URL, or all values if the row has
    /// no field `url`.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let start = out.len() + 8;
        out.extend_from_slice(&[0; 8]);
        let has_url = self.fields.iter().any(|field| field.name() == URL);
        for (field, column) in self.fields.iter().zip(&mut self.columns) {
            let value = found.value(field);
            if !has_url || field.name() == URL {
                value.push_text(out);
                out.push(0);
            }
            column.push(value);
        }
        let key = start..out.len();
        out[start - 8..start].copy_from_slice(&key.len().to_le_bytes());
        self.columns.iter_mut().for_each(|column| put(column, out));
        key
    }

    /// Adds the rows of complete lines, until [`size`](Self::size) is at least `most`. So a batch does not depend on how
    /// many lines are written at once. Returns the lines that are left.
    ///
    /// # Errors
    ///
    /// If [`line`](Self::line) has not written the lines.
    pub(super) fn add<'l>(&mut self, lines: &'l [u8], most: usize) -> io::Result<&'l [u8]> {
        let mut rest = lines;
        while self.size < most
            && let Some((length, line)) = rest.split_first_chunk()
        {
            let row = line.get(usize::from_le_bytes(*length)..);
            let mut columns = self.columns.iter_mut();
            let after = row.and_then(|row| columns.try_fold(row, |row, column| take(column, 1, row)));
            let after = after.ok_or(io::ErrorKind::InvalidData)?;
            self.size += rest.len() - after.len();
            rest = after;
        }
        Ok(rest)
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        *self = Rows::new(std::mem::take(&mut self.fields));
    }
}

/// Moves the rows of a column to `out`. Their number is not written.
fn put(column: &mut Column, out: &mut Vec<u8>) {
    out.extend(column.valid.drain(..).map(u8::from));
    match &mut column.values {
        Values::Texts(bytes, ends) => {
            out.extend(ends.drain(..).flat_map(usize::to_le_bytes));
            out.append(bytes);
        }
        Values::Integers(numbers) | Values::Times(numbers) => out.extend(numbers.drain(..).flat_map(i64::to_le_bytes)),
        Values::Booleans(booleans) => out.extend(booleans.drain(..).map(u8::from)),
        Values::Lists(ends, items) => {
            out.extend(ends.drain(..).flat_map(usize::to_le_bytes));
            items.iter_mut().for_each(|item| put(item, out));
        }
    }
}

/// Adds rows that [`put`] has written to a column of the same field. Returns the bytes after them.
fn take<'b>(column: &mut Column, rows: usize, from: &'b [u8]) -> Option<&'b [u8]> {
    let (valid, from) = from.split_at_checked(rows)?;
    column.valid.extend(valid.iter().map(|&valid| valid != 0));
    match &mut column.values {
        Values::Texts(bytes, ends) => {
            let (length, from) = take_ends(ends, bytes.len(), rows, from)?;
            let (texts, from) = from.split_at_checked(length)?;
            bytes.extend_from_slice(texts);
            Some(from)
        }
        Values::Integers(numbers) | Values::Times(numbers) => {
            let (coded, from) = from.split_at_checked(8 * rows)?;
            numbers.extend(coded.as_chunks().0.iter().copied().map(i64::from_le_bytes));
            Some(from)
        }
        Values::Booleans(booleans) => {
            let (coded, from) = from.split_at_checked(rows)?;
            booleans.extend(coded.iter().map(|&boolean| boolean != 0));
            Some(from)
        }
        Values::Lists(ends, items) => {
            let (length, from) = take_ends(ends, items[0].valid.len(), rows, from)?;
            items.iter_mut().try_fold(from, |from, item| take(item, length, from))
        }
    }
}

/// Adds the ends of rows after `start`. Returns the last of them, counted from `start`, and the bytes after them.
fn take_ends<'b>(ends: &mut Vec<usize>, start: usize, rows: usize, from: &'b [u8]) -> Option<(usize, &'b [u8])> {
    let (coded, from) = from.split_at_checked(size_of::<usize>() * rows)?;
    ends.extend(coded.as_chunks().0.iter().copied().map(|end| start + usize::from_le_bytes(end)));
    Some((ends.last().map_or(0, |end| end - start), from))
}
