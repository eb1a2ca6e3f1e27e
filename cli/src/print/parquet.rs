//! `--parquet`: writes a Parquet file with a typed column per field. The rows are written to a hidden file in the
//! directory of FILE. The hidden file is renamed to FILE at the end.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use urlspool::columns::{self, Column, Values};
use urlspool::fields::Field;

use super::rows::{Batches, Rows, Target};
use crate::atomic_file::{AtomicFile, Draft};

/// The first bytes of every Parquet file. An existing file is replaced only if it is empty or begins with these bytes.
const MARK: &[u8] = b"PAR1";

/// Writes rows to the Parquet file.
pub(crate) struct Parquet {
    file: AtomicFile,
    schema: String,
    writer: Option<SerializedFileWriter<Draft>>,
}

impl Parquet {
    /// Creates a writer for the file at `path`, with these fields as columns.
    ///
    /// # Errors
    ///
    /// If `path` is a file that is neither empty nor a Parquet file, or if no file can be created in its directory.
    pub(crate) fn batches(path: &Path, fields: Vec<Field>) -> io::Result<Batches> {
        let rows = Rows::new(fields);
        let schema = format!("message urls {{ {} }}", rows.columns.iter().map(declaration).collect::<String>());
        // The memory of the encoders is not included.
        Ok(Batches::new(rows, 32 << 20, Parquet { file: AtomicFile::new(path, MARK)?, schema, writer: None }))
    }

    /// Takes the writer out of `self.writer`. If there is no writer yet, creates the writer and the hidden file.
    fn writer(&mut self) -> io::Result<SerializedFileWriter<Draft>> {
        if let Some(writer) = self.writer.take() {
            return Ok(writer);
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(GzipLevel::try_new(3)?))
            // The indexes of pages would stay in memory to the end, between the buffers of the groups.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("urlspool ", env!("CARGO_PKG_VERSION")).into());
        let schema = Arc::new(parse_message_type(&self.schema)?);
        Ok(SerializedFileWriter::new(self.file.draft()?, schema, Arc::new(properties.build()))?)
    }
}

impl Target for Parquet {
    fn batch(&mut self, columns: &[Column], _: &mut dyn Write) -> io::Result<()> {
        let mut writer = self.writer()?;
        let mut group = writer.next_row_group()?;
        for column in columns {
            write_column(&mut group, column)?;
        }
        group.close()?;
        self.writer = Some(writer);
        Ok(())
    }

    /// Renames the hidden file to the final name.
    fn finish(&mut self, _: &[Column], _: &mut dyn Write) -> io::Result<()> {
        let mut writer = self.writer()?;
        writer.finish()?;
        writer.inner().finish()
    }

    fn file(&self) -> Option<&AtomicFile> {
        Some(&self.file)
    }
}

/// Writes a column as the next columns of `group`: one for each column of items if the values are lists.
fn write_column(group: &mut SerializedRowGroupWriter<'_, Draft>, column: &Column) -> Result<()> {
    let Values::Lists(ends, items) = &column.values else {
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

/// Writes the values of a column that are not null.
fn write_values(
    group: &mut SerializedRowGroupWriter<'_, Draft>,
    column: &Column,
    defined: &[i16],
    repeats: Option<&[i16]>,
) -> Result<()> {
    let rows = column.valid.iter().enumerate().filter(|(_, valid)| **valid).map(|(row, _)| row);
    match &column.values {
        Values::Texts(bytes, ends) => {
            let texts = rows.map(|row| ByteArray::from(&bytes[columns::range(ends, row)]));
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
