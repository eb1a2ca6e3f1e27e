//! `--arrow`: prints an Arrow IPC stream with a typed column per field. The stream has the schema, batches of rows, and
//! an end mark. The head of each is a FlatBuffers table. The tables, and the numbers of their fields and types, are those
//! of `Schema.fbs` and `Message.fbs` in the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format).

use std::io::{self, Write};

use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, VOffsetT, Vector, WIPOffset};
use urlspool::columns::{Column, Values};
use urlspool::fields::Field;

use super::rows::{Batches, Rows, Target};

/// `MetadataVersion`
const V5: i16 = 4;
/// `MessageHeader`
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
/// `Type`
const INT: u8 = 2;
const UTF8: u8 = 5;
const BOOL: u8 = 6;
const TIMESTAMP: u8 = 10;
const LIST: u8 = 12;
const STRUCT: u8 = 13;
/// `TimeUnit`
const MICROSECOND: i16 = 2;

type Builder = FlatBufferBuilder<'static>;
type Table = WIPOffset<TableFinishedWIPOffset>;

pub(crate) struct Arrow {
    /// Whether the schema has been printed.
    begun: bool,
}

impl Arrow {
    pub(crate) fn batches(fields: Vec<Field>) -> Batches {
        // Offsets in a batch have 32 bits.
        Batches::new(Rows::new(fields), 4 << 20, Arrow { begun: false })
    }

    /// Prints the schema, once.
    fn begin(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        match std::mem::replace(&mut self.begun, true) {
            true => Ok(()),
            false => message(out, SCHEMA, &[], |builder| schema(builder, columns)),
        }
    }
}

impl Target for Arrow {
    fn batch(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        self.begin(columns, out)?;
        let mut body = Body::default();
        columns.iter().try_for_each(|column| body.column(column))?;
        let rows = columns.first().map_or(0, |column| column.valid.len());
        message(out, RECORD_BATCH, &body.bytes, |builder| {
            let (nodes, buffers) = (structs(builder, &body.nodes), structs(builder, &body.buffers));
            table(builder, |builder| {
                builder.push_slot_always(slot(0), rows as i64);
                builder.push_slot_always(slot(1), nodes);
                builder.push_slot_always(slot(2), buffers);
            })
        })
    }

    /// Prints the end mark.
    fn finish(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        self.begin(columns, out)?;
        out.write_all(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
    }
}

/// Prints a message: its head and its body, each with a length that is a multiple of 8. `kind` is the type of the table
/// that `header` builds.
fn message(out: &mut dyn Write, kind: u8, body: &[u8], header: impl FnOnce(&mut Builder) -> Table) -> io::Result<()> {
    let mut builder = Builder::new();
    let header = header(&mut builder);
    let root = table(&mut builder, |builder| {
        builder.push_slot_always(slot(3), body.len() as i64);
        builder.push_slot_always(slot(2), header);
        builder.push_slot_always(slot(0), V5);
        builder.push_slot_always(slot(1), kind);
    });
    builder.finish(root, None);
    let head = builder.finished_data();
    let padding = head.len().next_multiple_of(8) - head.len();
    out.write_all(&[0xff; 4])?;
    out.write_all(&((head.len() + padding) as u32).to_le_bytes())?;
    out.write_all(head)?;
    out.write_all(&[0; 8][..padding])?;
    out.write_all(body)
}

/// Returns the place of field `number` of a table.
fn slot(number: VOffsetT) -> VOffsetT {
    4 + 2 * number
}

fn table(builder: &mut Builder, fields: impl FnOnce(&mut Builder)) -> Table {
    let start = builder.start_table();
    fields(builder);
    WIPOffset::new(builder.end_table(start).value())
}

/// Builds a vector of structs of two numbers.
fn structs(builder: &mut Builder, numbers: &[i64]) -> WIPOffset<Vector<'static, i64>> {
    builder.start_vector::<i64>(numbers.len());
    for number in numbers.iter().rev() {
        builder.push(*number);
    }
    builder.end_vector(numbers.len() / 2)
}

fn schema(builder: &mut Builder, columns: &[Column]) -> Table {
    let fields: Vec<_> = columns.iter().map(|column| field(builder, column)).collect();
    let fields = builder.create_vector(&fields);
    table(builder, |builder| builder.push_slot_always(slot(1), fields))
}

/// Builds the table `Field` of a column.
fn field(builder: &mut Builder, column: &Column) -> Table {
    let none = |_: &mut Builder| ();
    let (kind, type_table, children) = match &column.values {
        Values::Texts(..) => (UTF8, table(builder, none), Vec::new()),
        Values::Integers(_) => {
            let fields = |builder: &mut Builder| {
                builder.push_slot_always(slot(0), 64_i32);
                builder.push_slot_always(slot(1), true);
            };
            (INT, table(builder, fields), Vec::new())
        }
        Values::Times(_) => {
            let zone = builder.create_string("UTC");
            let fields = |builder: &mut Builder| {
                builder.push_slot_always(slot(0), MICROSECOND);
                builder.push_slot_always(slot(1), zone);
            };
            (TIMESTAMP, table(builder, fields), Vec::new())
        }
        Values::Booleans(_) => (BOOL, table(builder, none), Vec::new()),
        Values::Lists(_, items) => {
            let items: Vec<_> = items.iter().map(|item| field(builder, item)).collect();
            let element = match items[..] {
                [item] => item,
                _ => {
                    let type_table = table(builder, none);
                    named(builder, "element", false, STRUCT, type_table, &items)
                }
            };
            (LIST, table(builder, none), vec![element])
        }
    };
    named(builder, column.name, column.is_nullable, kind, type_table, &children)
}

fn named(
    builder: &mut Builder,
    name: &str,
    is_nullable: bool,
    kind: u8,
    type_table: Table,
    children: &[Table],
) -> Table {
    let (name, children) = (builder.create_string(name), builder.create_vector(children));
    table(builder, |builder| {
        builder.push_slot_always(slot(0), name);
        builder.push_slot_always(slot(3), type_table);
        builder.push_slot_always(slot(5), children);
        builder.push_slot_always(slot(1), is_nullable);
        builder.push_slot_always(slot(2), kind);
    })
}

/// The values of a batch.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    /// For each column, the numbers of its rows and of its nulls.
    nodes: Vec<i64>,
    /// The offset and the length of each buffer in `bytes`.
    buffers: Vec<i64>,
}

impl Body {
    /// Adds the rows of a column.
    ///
    /// # Errors
    ///
    /// If its texts have 2 GiB or more.
    fn column(&mut self, column: &Column) -> io::Result<()> {
        let nulls = column.valid.iter().filter(|valid| !**valid).count();
        self.node(column.valid.len(), nulls);
        self.bits(if nulls > 0 { &column.valid } else { &[] });
        match &column.values {
            Values::Texts(bytes, ends) => {
                self.offsets(ends)?;
                self.buffer(bytes.iter().copied());
            }
            Values::Integers(numbers) | Values::Times(numbers) => {
                self.buffer(numbers.iter().copied().flat_map(i64::to_le_bytes));
            }
            Values::Booleans(booleans) => self.bits(booleans),
            Values::Lists(ends, items) => {
                self.offsets(ends)?;
                if items.len() > 1 {
                    self.node(items[0].valid.len(), 0);
                    self.bits(&[]);
                }
                items.iter().try_for_each(|item| self.column(item))?;
            }
        }
        Ok(())
    }

    fn node(&mut self, rows: usize, nulls: usize) {
        self.nodes.extend([rows as i64, nulls as i64]);
    }

    fn offsets(&mut self, ends: &[usize]) -> io::Result<()> {
        let offsets: Result<Vec<i32>, _> = [0].iter().chain(ends).map(|&end| i32::try_from(end)).collect();
        self.buffer(offsets.map_err(io::Error::other)?.into_iter().flat_map(i32::to_le_bytes));
        Ok(())
    }

    fn bits(&mut self, bits: &[bool]) {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        self.buffer(bits.chunks(8).map(byte));
    }

    /// Adds a buffer, and zeros up to a multiple of 8 bytes.
    fn buffer(&mut self, bytes: impl Iterator<Item = u8>) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.buffers.extend([start as i64, (self.bytes.len() - start) as i64]);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }
}
