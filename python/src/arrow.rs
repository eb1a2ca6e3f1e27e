//! Converts hits to Arrow record batches, and passes the batches to other Python packages by Arrow's PyCapsule
//! interface. The batches have the same columns as the output of `urlspool --parquet`.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_arrow::ArrayBuilder;

use crate::hits::{Batches, Failure};

/// The columns, in the order of the fields of `urlspool --json`.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = || DataType::Utf8;
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let texts = || DataType::List(Arc::new(Field::new("element", DataType::Utf8, false)));
    let reading = Fields::from(vec![
        Field::new("url", text(), false),
        Field::new("url_bytes", text(), true),
        Field::new("reason", text(), false),
    ]);
    let readings = DataType::List(Arc::new(Field::new("element", DataType::Struct(reading), false)));
    let mut fields = Vec::new();
    let mut add = |names: &str, kind: DataType| {
        for name in names.split(' ') {
            fields.push(Field::new(name, kind.clone(), true));
        }
    };
    add("url url_bytes form tier scheme host fragment target", text());
    add("targets", texts());
    add("reason", text());
    add("reason_offset", DataType::Int64);
    add("file file_bytes member member_bytes", text());
    add("message message_offset message_length", DataType::Int64);
    add("message_id message_id_bytes", text());
    add("date", time);
    add("from subject newsgroups newsgroups_bytes list_id list_id_bytes part header", text());
    add("offset length", DataType::Int64);
    add("exact", DataType::Boolean);
    add("line quote_depth", DataType::Int64);
    add("rejoined", DataType::Boolean);
    add("confidence", DataType::Int64);
    add("recovered defanged", DataType::Boolean);
    add("element attribute html_place link_text", text());
    add("alternatives", readings);
    add("doubt trimmed", text());
    add("warnings", texts());
    add("repeat", DataType::Boolean);
    Arc::new(Schema::new(fields))
});

/// Returns an Arrow stream of the hits in `first`, followed by the hits that `batches` receives.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    first: Vec<urlspool::Hit<'static>>,
    batches: Batches,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = Reader::new(first, batches).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

pub(crate) fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(SCHEMA.as_ref()).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// How many hits are collected for each record batch. Many small batches would be slow, because each batch has a fixed
/// cost for each of its columns.
const ROWS: usize = 8192;
/// If no hits arrive for this time, the hits so far are converted, so that Python does not wait for a slow input.
const PATIENCE: Duration = Duration::from_millis(100);
/// The largest number of threads that convert hits.
const THREADS: usize = 4;

/// Converts hits to record batches.
struct Reader {
    first: Option<Vec<urlspool::Hit<'static>>>,
    /// `None` after the last batch.
    batches: Option<Batches>,
    /// One builder for each thread that converts hits. Each builder has all columns.
    columns: Vec<ArrayBuilder>,
    ready: VecDeque<Result<RecordBatch, ArrowError>>,
}

impl Reader {
    fn new(first: Vec<urlspool::Hit<'static>>, batches: Batches) -> serde_arrow::Result<Reader> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
        let columns = (0..threads).map(|_| ArrayBuilder::from_arrow(SCHEMA.fields())).collect::<Result<_, _>>()?;
        let first = Some(first).filter(|first| !first.is_empty());
        Ok(Reader { first, batches: Some(batches), columns, ready: VecDeque::new() })
    }

    /// Receives enough hits for one record batch per thread, and converts them in these threads.
    fn fill(&mut self) {
        let mut received: Vec<_> = self.first.take().into_iter().collect();
        let mut rows = 0;
        let mut failure = None;
        while let Some(batches) = &mut self.batches
            && rows < ROWS * self.columns.len()
        {
            match batches.next((!received.is_empty()).then_some(PATIENCE)) {
                Ok(Some(hits)) => {
                    rows += hits.len();
                    received.push(hits);
                }
                Ok(None) => self.batches = None,
                Err(Failure::Timeout) => break,
                Err(why) => {
                    self.batches = None;
                    failure = Some(Err(ArrowError::ComputeError(why.about().into())));
                }
            }
        }
        let share = received.len().div_ceil(self.columns.len()).max(1);
        thread::scope(|scope| {
            let threads = self.columns.iter_mut().zip(received.chunks(share));
            let threads: Vec<_> = threads.map(|(columns, hits)| scope.spawn(|| convert(columns, hits))).collect();
            let panicked = || Err(ArrowError::ComputeError(Failure::Panic.about().into()));
            self.ready.extend(threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())));
        });
        self.ready.extend(failure);
    }
}

fn convert(columns: &mut ArrayBuilder, hits: &[Vec<urlspool::Hit<'static>>]) -> Result<RecordBatch, ArrowError> {
    let external = |why: serde_arrow::Error| ArrowError::ExternalError(Box::new(why));
    for hits in hits {
        columns.extend(hits).map_err(external)?;
    }
    RecordBatch::try_new(Arc::clone(&SCHEMA), columns.to_arrow().map_err(external)?)
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
