//! Converts hits to Arrow record batches, and passes the batches to other Python packages by Arrow's PyCapsule
//! interface. The batches have the same columns as the output of `urlspool --parquet`.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Arc, LazyLock};
use std::thread;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, RecordBatchReader, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use urlspool::columns::{Column, Values};
use urlspool::fields::FIELDS;

use crate::hits::{Batches, Failure, PATIENCE};

/// The fields of `urlspool --json`, in their order.
fn output() -> impl Iterator<Item = &'static urlspool::fields::Field> {
    FIELDS.iter().filter(|field| !field.is_extra())
}

static SCHEMA: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(Fields::from_iter(output().map(|field| arrow_field(&Column::new(field)))))));

fn arrow_field(column: &Column) -> Field {
    let kind = match &column.values {
        Values::Texts(..) => DataType::Utf8,
        Values::Integers(_) => DataType::Int64,
        Values::Times(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        Values::Booleans(_) => DataType::Boolean,
        Values::Lists(_, items) => DataType::List(Arc::new(element(items))),
    };
    Field::new(column.name, kind, column.is_nullable)
}

/// Returns the type of the elements of a list.
fn element(items: &[Column]) -> Field {
    match items {
        [item] => arrow_field(item),
        items => Field::new("element", DataType::Struct(items.iter().map(arrow_field).collect()), false),
    }
}

/// Moves the values of a column to an array.
fn array(column: Column) -> Result<ArrayRef, ArrowError> {
    let nulls = Some(NullBuffer::from(column.valid));
    Ok(match column.values {
        Values::Texts(bytes, ends) => Arc::new(StringArray::try_new(offsets(ends)?, bytes.into(), nulls)?),
        Values::Integers(numbers) => Arc::new(Int64Array::try_new(numbers.into(), nulls)?),
        Values::Times(times) => Arc::new(TimestampMicrosecondArray::try_new(times.into(), nulls)?.with_timezone("UTC")),
        Values::Booleans(booleans) => Arc::new(BooleanArray::new(booleans.into(), nulls)),
        Values::Lists(ends, items) => {
            let element = Arc::new(element(&items));
            let mut arrays = items.into_iter().map(array).collect::<Result<Vec<_>, _>>()?;
            let values = match element.data_type() {
                DataType::Struct(fields) => Arc::new(StructArray::try_new(fields.clone(), arrays, None)?),
                _ => arrays.remove(0),
            };
            Arc::new(ListArray::try_new(element, offsets(ends)?, values, nulls)?)
        }
    })
}

fn offsets(ends: Vec<usize>) -> Result<OffsetBuffer<i32>, ArrowError> {
    let offsets = std::iter::once(0).chain(ends).map(i32::try_from).collect::<Result<Vec<_>, _>>();
    Ok(OffsetBuffer::new(offsets.map_err(|why| ArrowError::ExternalError(Box::new(why)))?.into()))
}

/// Returns an Arrow stream of the hits in `first`, followed by the hits that `batches` receives.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    first: Vec<urlspool::Hit<'static>>,
    batches: Batches,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = Box::new(Reader::new(first, batches));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

pub(crate) fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(SCHEMA.as_ref()).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// How many hits are collected for each record batch. Many small batches would be slow, because each batch has a fixed
/// cost for each of its columns.
const ROWS: usize = 8192;
/// The largest number of threads that convert hits.
const THREADS: usize = 4;

/// Converts hits to record batches.
struct Reader {
    first: Option<Vec<urlspool::Hit<'static>>>,
    /// `None` after the last batch.
    batches: Option<Batches>,
    /// The number of threads that convert hits.
    threads: usize,
    ready: VecDeque<Result<RecordBatch, ArrowError>>,
}

impl Reader {
    fn new(first: Vec<urlspool::Hit<'static>>, batches: Batches) -> Reader {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
        let first = Some(first).filter(|first| !first.is_empty());
        Reader { first, batches: Some(batches), threads, ready: VecDeque::new() }
    }

    /// Receives enough hits for one record batch per thread, and converts them in these threads.
    fn fill(&mut self) {
        let mut received: Vec<_> = self.first.take().into_iter().collect();
        let mut rows = 0;
        let mut failure = None;
        while let Some(batches) = &mut self.batches
            && rows < ROWS * self.threads
        {
            match batches.next(PATIENCE) {
                Ok(Some(hits)) => {
                    rows += hits.len();
                    received.push(hits);
                }
                Ok(None) => {
                    failure = batches.warn().err().map(|why| Err(error(Failure::Raised(why))));
                    self.batches = None;
                }
                Err(Failure::Timeout) if !received.is_empty() => break,
                Err(Failure::Timeout) => {}
                Err(why) => {
                    self.batches = None;
                    failure = Some(Err(error(why)));
                }
            }
        }
        let share = received.len().div_ceil(self.threads).max(1);
        thread::scope(|scope| {
            let threads: Vec<_> = received.chunks(share).map(|hits| scope.spawn(|| convert(hits))).collect();
            let panicked = |_| Err(error(Failure::Panic));
            self.ready.extend(threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)));
        });
        self.ready.extend(failure);
    }
}

fn error(failure: Failure) -> ArrowError {
    ArrowError::ExternalError(Box::new(PyErr::from(failure)))
}

fn convert(hits: &[Vec<urlspool::Hit<'static>>]) -> Result<RecordBatch, ArrowError> {
    let column = |field: &urlspool::fields::Field| {
        let mut column = Column::new(field);
        hits.iter().flatten().for_each(|hit| column.push(field.of(hit)));
        array(column)
    };
    RecordBatch::try_new(Arc::clone(&SCHEMA), output().map(column).collect::<Result<_, _>>()?)
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            self.fill();
        }
        self.ready.pop_front()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }
}
