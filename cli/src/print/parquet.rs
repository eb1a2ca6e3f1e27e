//! `--parquet`: writes a Parquet file with a typed column per field. The rows are written to a hidden file in the
//! directory of FILE. The hidden file is renamed to FILE at the end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use urlspool::fields::Field;

use super::row::{self, Physical};
use crate::atomic_file::{AtomicFile, Draft};
use crate::escaped::Escaped;

/// A group of rows is written when it takes this number of bytes in memory. This number does not include the memory of
/// the encoders.
const GROUP: usize = 32 << 20;

/// The first bytes of every Parquet file. An existing file is replaced only if it is empty or begins with these bytes.
const MARK: &[u8] = b"PAR1";

/// Writes rows to the Parquet file. Worker threads have encoded the rows with [`Row`](super::Row).
pub(crate) struct Parquet {
    path: PathBuf,
    file: AtomicFile,
    schema: String,
    leaves: Vec<Leaf>,
    /// How many bytes the rows of the current group take in memory.
    size: usize,
    /// The first bytes of a row whose rest has not arrived yet.
    carry: Vec<u8>,
    writer: Option<SerializedFileWriter<Draft>>,
}

/// A column of texts, numbers or booleans, which Parquet calls a leaf. A field with a list of objects has several such
/// columns.
struct Leaf {
    physical: Physical,
    /// The definition level of an entry that has a value. In Parquet, a null has a lower definition level.
    top: i16,
    repeats: Vec<i16>,
    defined: Vec<i16>,
    /// The values of the column, one after the other. `ends` has the offset at which each value ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Parquet {
    /// Creates a writer for the file at `path`, with these fields as columns.
    ///
    /// # Errors
    ///
    /// If `path` is a file that is neither empty nor a Parquet file, or if no file can be created in its directory.
    pub(crate) fn new(path: &Path, fields: &[Field]) -> io::Result<Parquet> {
        let columns: String = fields.iter().map(column).collect();
        let leaf = |&(physical, top): &(Physical, i16)| Leaf {
            physical,
            top,
            repeats: Vec::new(),
            defined: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        Ok(Parquet {
            path: path.into(),
            file: AtomicFile::new(path, MARK)?,
            schema: format!("message urls {{ {columns} }}"),
            leaves: fields.iter().flat_map(|field| row::leaves(field.kind())).map(leaf).collect(),
            size: 0,
            carry: Vec::new(),
            writer: None,
        })
    }

    /// Returns the name of the file for error messages.
    pub(crate) fn target(&self) -> String {
        Escaped::path(&self.path).to_string()
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
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("urlspool ", env!("CARGO_PKG_VERSION")).into());
        let schema = Arc::new(parse_message_type(&self.schema)?);
        Ok(SerializedFileWriter::new(self.file.draft()?, schema, Arc::new(properties.build()))?)
    }

    /// Adds all complete rows in `rows`. Returns the rest, which is the beginning of an incomplete row.
    fn add<'r>(&mut self, mut rows: &'r [u8]) -> io::Result<&'r [u8]> {
        loop {
            let mut rest = rows;
            let Some(mut row) = take_sized(&mut rest) else { return Ok(rows) };
            rows = rest;
            for leaf in &mut self.leaves {
                self.size += leaf.take(&mut row).ok_or(io::ErrorKind::InvalidData)?;
            }
            if self.size >= GROUP {
                self.group()?;
            }
        }
    }

    /// Writes the rows in memory to the file, as a group of rows.
    fn group(&mut self) -> io::Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        let mut writer = self.writer()?;
        let mut group = writer.next_row_group()?;
        for leaf in &mut self.leaves {
            leaf.write(&mut group)?;
        }
        group.close()?;
        self.size = 0;
        self.writer = Some(writer);
        Ok(())
    }
}

impl Write for Parquet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.carry.is_empty() {
            let rest = self.add(bytes)?;
            self.carry.extend_from_slice(rest);
        } else {
            let mut all = std::mem::take(&mut self.carry);
            all.extend_from_slice(bytes);
            self.carry = self.add(&all)?.to_vec();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Leaf {
    /// Moves the entries of this column from the beginning of `row` to this leaf. Returns how many bytes these entries
    /// take in memory, or `None` if the row is incomplete.
    fn take(&mut self, row: &mut &[u8]) -> Option<usize> {
        let entries = take_number(row)?;
        let before = self.bytes.len();
        for _ in 0..entries {
            let (&[repeats, defined], rest) = row.split_first_chunk()?;
            *row = rest;
            self.repeats.push(repeats.into());
            self.defined.push(defined.into());
            if i16::from(defined) == self.top {
                self.bytes.extend_from_slice(take_sized(row)?);
                self.ends.push(self.bytes.len());
            }
        }
        Some(self.bytes.len() - before + entries * (2 * size_of::<i16>() + size_of::<usize>()))
    }

    /// Writes the entries as the next column of `group`, and clears them.
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, Draft>) -> Result<()> {
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        let bytes = Bytes::from(std::mem::take(&mut self.bytes));
        let mut start = 0;
        let values = self.ends.drain(..).map(|end| std::mem::replace(&mut start, end)..end);
        let repeats = (self.top > 1).then_some(self.repeats.as_slice());
        match self.physical {
            Physical::Bytes => {
                let values: Vec<_> = values.map(|value| ByteArray::from(bytes.slice(value))).collect();
                column.typed::<ByteArrayType>().write_batch(&values, Some(&self.defined), repeats)?;
            }
            Physical::Integer => {
                let number = |value: std::ops::Range<usize>| bytes[value].try_into().map_or(0, i64::from_le_bytes);
                let values: Vec<_> = values.map(number).collect();
                column.typed::<Int64Type>().write_batch(&values, Some(&self.defined), repeats)?;
            }
            Physical::Boolean => {
                let values: Vec<_> = values.map(|value| bytes[value] == [1]).collect();
                column.typed::<BoolType>().write_batch(&values, Some(&self.defined), repeats)?;
            }
        }
        self.repeats.clear();
        self.defined.clear();
        column.close()
    }
}

fn take_number(from: &mut &[u8]) -> Option<usize> {
    let (number, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u32::from_le_bytes(*number) as usize)
}

fn take_sized<'f>(from: &mut &'f [u8]) -> Option<&'f [u8]> {
    let mut rest = *from;
    let length = take_number(&mut rest)?;
    let (value, rest) = rest.split_at_checked(length)?;
    *from = rest;
    Some(value)
}

/// Returns the declaration of a column, in Parquet's schema language.
fn column(field: &Field) -> String {
    let list =
        |element: &str| format!("optional group {} (LIST) {{ repeated group list {{ {element} }} }} ", field.name());
    let simple = |kind: &str, logical: &str| format!("optional {kind} {}{logical}; ", field.name());
    match field.kind() {
        "integer" => simple("int64", ""),
        "boolean" => simple("boolean", ""),
        "string, date-time" => simple("int64", " (TIMESTAMP(MICROS,true))"),
        "array of strings" => list("required binary element (STRING);"),
        "array of objects" => list(
            "required group element { required binary url (STRING); optional binary url_bytes (STRING); \
             required binary reason (STRING); }",
        ),
        _ => simple("binary", " (STRING)"),
    }
}
