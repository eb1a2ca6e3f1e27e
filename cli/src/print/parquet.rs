//! `--parquet`: writes a Parquet file with a typed column per field. The rows are written to a hidden file in the
//! directory of FILE. The hidden file is renamed to FILE at the end.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use urlspool::columns::{self, Column, Values};
use urlspool::fields::Field;

use super::URL;
use super::found::Found;
use super::lines::{Layout, Lines};
use crate::atomic_file::{AtomicFile, Draft};

/// A group of rows is written when it takes this number of bytes in memory. This number does not include the memory of
/// the encoders.
const GROUP: usize = 32 << 20;

/// The first bytes of every Parquet file. An existing file is replaced only if it is empty or begins with these bytes.
const MARK: &[u8] = b"PAR1";

/// The layout of `--parquet`, with the rows of one worker thread. The line of a row has the number of the row, which
/// [`Parquet::receive`] sets, the length of its key in bytes, and its key.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    fields: Vec<Field>,
    columns: Vec<Column>,
}

impl Rows {
    pub(crate) fn new(fields: Vec<Field>) -> Rows {
        Rows { columns: fields.iter().map(Column::new).collect(), fields }
    }

    /// Appends a row and its line. Returns the range in `out` that `--sort` and `-u` compare: the URL, or all values if
    /// the row has no field `url`.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let start = out.len() + 16;
        out.extend_from_slice(&[0; 16]);
        let has_url = self.fields.iter().any(|field| field.name() == URL);
        for (field, column) in self.fields.iter().zip(&mut self.columns) {
            let value = found.value(field);
            if !has_url || field.name() == URL {
                value.push_text(out);
                out.push(0);
            }
            column.push(value);
        }
        let length = (out.len() - start) as u64;
        out[start - 8..start].copy_from_slice(&length.to_le_bytes());
        start..out.len()
    }

    pub(super) fn clear(&mut self) {
        self.columns = self.fields.iter().map(Column::new).collect();
    }

    /// Returns the memory use of the rows in bytes.
    pub(super) fn size(&self) -> usize {
        self.columns.iter().map(Column::size).sum()
    }
}

/// Writes rows to the Parquet file.
pub(crate) struct Parquet {
    pub(super) file: AtomicFile,
    schema: String,
    /// The received rows. With `--sort`, all of them.
    rows: Rows,
    /// The rows of the current group.
    group: Rows,
    writer: Option<SerializedFileWriter<Draft>>,
}

impl Parquet {
    /// Creates a writer for the file at `path`, with these fields as columns.
    ///
    /// # Errors
    ///
    /// If `path` is a file that is neither empty nor a Parquet file, or if no file can be created in its directory.
    pub(crate) fn new(path: &Path, fields: &[Field]) -> io::Result<Parquet> {
        let rows = Rows::new(fields.to_vec());
        Ok(Parquet {
            file: AtomicFile::new(path, MARK)?,
            schema: format!("message urls {{ {} }}", rows.columns.iter().map(declaration).collect::<String>()),
            group: rows.clone(),
            rows,
            writer: None,
        })
    }

    /// Moves the rows of `lines` to `self.rows`, and sets their numbers in the lines. If `is_sorted`, keeps the rows of
    /// earlier calls, because the lines are written only at the end.
    pub(super) fn receive(&mut self, lines: &mut Lines, is_sorted: bool) {
        let (Layout::Rows(new), Some(places)) = (&mut lines.layout, &lines.places) else { return };
        let mut first = 0;
        if is_sorted {
            for (column, new) in self.rows.columns.iter_mut().zip(&new.columns) {
                first = column.valid.len();
                (0..new.valid.len()).for_each(|row| column.copy(new, row));
            }
        } else {
            std::mem::swap(&mut self.rows, new);
        }
        new.clear();
        let starts = std::iter::once(0).chain(places.iter().map(|&(_, end)| end));
        for (row, start) in (first..).zip(starts.take(places.len())) {
            lines.out[start..start + 8].copy_from_slice(&(row as u64).to_le_bytes());
        }
    }

    /// Writes the remaining rows, and renames the hidden file to the final name.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or renamed.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.group()?;
        let mut writer = self.writer()?;
        writer.finish()?;
        writer.inner().finish()
    }

    /// Takes the writer out of `self.writer`. If there is no writer yet, creates the writer and the hidden file.
    fn writer(&mut self) -> io::Result<SerializedFileWriter<Draft>> {
        if let Some(writer) = self.writer.take() {
            return Ok(writer);
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(GzipLevel::try_new(3)?))
            .set_created_by(concat!("urlspool ", env!("CARGO_PKG_VERSION")).into());
        let schema = Arc::new(parse_message_type(&self.schema)?);
        Ok(SerializedFileWriter::new(self.file.draft()?, schema, Arc::new(properties.build()))?)
    }

    /// Writes the rows of the group to the file.
    fn group(&mut self) -> io::Result<()> {
        if self.group.size() == 0 {
            return Ok(());
        }
        let mut writer = self.writer()?;
        let mut group = writer.next_row_group()?;
        for column in &mut self.group.columns {
            write_column(&mut group, column)?;
        }
        group.close()?;
        self.group.clear();
        self.writer = Some(writer);
        Ok(())
    }
}

/// Takes complete lines, and copies the rows with their numbers to the group.
impl Write for Parquet {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let mut rest = lines;
        while let Some((row, after)) = take_number(rest) {
            let line = take_number(after).and_then(|(length, key)| key.get(length..));
            rest = line.ok_or(io::ErrorKind::InvalidData)?;
            for (column, rows) in self.group.columns.iter_mut().zip(&self.rows.columns) {
                column.copy(rows, row);
            }
        }
        if self.group.size() >= GROUP {
            self.group()?;
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn take_number(from: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = from.split_first_chunk()?;
    Some((usize::try_from(u64::from_le_bytes(*number)).ok()?, rest))
}

/// Writes a column as the next columns of `group`: one for each column of items if the values are lists.
fn write_column(group: &mut SerializedRowGroupWriter<'_, Draft>, column: &mut Column) -> Result<()> {
    let Values::Lists(ends, items) = &mut column.values else {
        let defined: Vec<_> = column.valid.iter().map(|&valid| i16::from(valid)).collect();
        return write_values(group, column, &defined, None);
    };
    for item in items {
        // In a list, the level of an item is 2, the level of the text in an item that can be null is 3, and the level
        // of a list that is null is 0.
        let (mut defined, mut repeats) = (Vec::new(), Vec::new());
        for row in 0..ends.len() {
            let list = columns::range(ends, row);
            if list.is_empty() {
                defined.push(0);
                repeats.push(0);
            }
            defined.extend(item.valid[list.clone()].iter().map(|&valid| 2 + i16::from(valid && item.is_nullable)));
            repeats.extend(list.clone().map(|at| i16::from(at > list.start)));
        }
        write_values(group, item, &defined, Some(&repeats))?;
    }
    Ok(())
}

/// Writes the values of a column that are not null. Removes its texts.
fn write_values(
    group: &mut SerializedRowGroupWriter<'_, Draft>,
    column: &mut Column,
    defined: &[i16],
    repeats: Option<&[i16]>,
) -> Result<()> {
    let rows = column.valid.iter().enumerate().filter(|(_, valid)| **valid).map(|(row, _)| row);
    match &mut column.values {
        Values::Texts(bytes, ends) => {
            let bytes = Bytes::from(std::mem::take(bytes));
            let texts = rows.map(|row| ByteArray::from(bytes.slice(columns::range(ends, row))));
            write::<ByteArrayType>(group, texts.collect(), defined, repeats)
        }
        Values::Integers(numbers) | Values::Times(numbers) => {
            write::<Int64Type>(group, rows.map(|row| numbers[row]).collect(), defined, repeats)
        }
        Values::Booleans(booleans) => {
            write::<BoolType>(group, rows.map(|row| booleans[row]).collect(), defined, repeats)
        }
        // No field has lists of lists.
        Values::Lists(..) => Ok(()),
    }
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Draft>,
    values: Vec<T::T>,
    defined: &[i16],
    repeats: Option<&[i16]>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(defined), repeats)?;
    column.close()
}

/// Returns the declaration of a column, in Parquet's schema language.
fn declaration(column: &Column) -> String {
    let (name, repetition) = (column.name, if column.is_nullable { "optional" } else { "required" });
    match &column.values {
        Values::Texts(..) => format!("{repetition} binary {name} (STRING); "),
        Values::Integers(_) => format!("{repetition} int64 {name}; "),
        Values::Times(_) => format!("{repetition} int64 {name} (TIMESTAMP(MICROS,true)); "),
        Values::Booleans(_) => format!("{repetition} boolean {name}; "),
        Values::Lists(_, items) => {
            let element: String = items.iter().map(declaration).collect();
            let element = if items.len() > 1 { format!("required group element {{ {element} }}") } else { element };
            format!("{repetition} group {name} (LIST) {{ repeated group list {{ {element} }} }} ")
        }
    }
}
