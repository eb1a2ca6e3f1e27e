//! The rows of a table with typed columns, for `--arrow` and `--parquet`.

use std::io::{self, Write};
use std::ops::Range;

use urlspool::columns::{Column, Values};
use urlspool::fields::Field;

use super::URL;
use super::found::Found;
use crate::atomic_file::AtomicFile;

/// The layout of `--arrow` and `--parquet`. A line is the length of its key in bytes, its key, and a row of each column
/// as [`put`] writes it. So `columns` is empty between two lines.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    fields: Vec<Field>,
    pub(super) columns: Vec<Column>,
    /// The number of bytes of the lines whose rows are in `columns`. The rows take about as many bytes in memory.
    size: usize,
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

    /// Adds the row of the first of `lines`. Returns the other lines, or `None` if [`line`](Self::line) has not written
    /// this one.
    fn take<'l>(&mut self, lines: &'l [u8]) -> Option<&'l [u8]> {
        let (length, line) = lines.split_first_chunk()?;
        let row = line.get(usize::from_le_bytes(*length)..)?;
        let rest = self.columns.iter_mut().try_fold(row, |row, column| take(column, 1, row))?;
        self.size += lines.len() - rest.len();
        Some(rest)
    }

    /// Removes all rows.
    fn clear(&mut self) {
        *self = Rows::new(std::mem::take(&mut self.fields));
    }
}

/// A file or a stream of rows.
pub(super) trait Target: Send {
    /// Writes a batch of rows. `out` is the output of the command.
    fn batch(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end, after the last batch.
    fn finish(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()>;

    /// Returns the file, if it is not the output of the command.
    fn file(&self) -> Option<&AtomicFile> {
        None
    }
}

/// Writes rows to a target in batches.
pub(crate) struct Batches {
    /// The rows of the current batch.
    rows: Rows,
    /// A batch is written when its rows take about this number of bytes in memory.
    size: usize,
    pub(super) target: Box<dyn Target>,
}

impl Batches {
    pub(super) fn new(rows: Rows, size: usize, target: impl Target + 'static) -> Batches {
        Batches { rows, size, target: Box::new(target) }
    }

    /// Writes the remaining rows, and the end.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Batches { rows, target, .. } = self;
        if rows.size > 0 {
            target.batch(&rows.columns, out)?;
        }
        target.finish(&rows.columns, out)
    }
}

/// Takes complete lines from [`Rows::line`]. Where a batch ends does not depend on how many lines are written at once.
pub(super) struct Writer<'a>(pub(super) &'a mut Batches, pub(super) &'a mut dyn Write);

impl Write for Writer<'_> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let Writer(Batches { rows, size, target }, out) = self;
        let mut rest = lines;
        while !rest.is_empty() {
            rest = rows.take(rest).ok_or(io::ErrorKind::InvalidData)?;
            if rows.size >= *size {
                target.batch(&rows.columns, out)?;
                rows.clear();
            }
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
