//! Hits as Arrow record batches, by the interface of PyCapsules. The columns are those of `urlspool --parquet`.

use std::sync::{Arc, LazyLock};
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

/// The columns, in the order of the JSON.
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
    add("precision", text());
    add("line quote_depth", DataType::Int64);
    add("rejoined", DataType::Boolean);
    add("confidence", DataType::Int64);
    add("recovered defanged", DataType::Boolean);
    add("element attribute html_place shown_text", text());
    add("alternatives", readings);
    add("doubtful trimmed", text());
    add("warnings", texts());
    add("dup", DataType::Boolean);
    Arc::new(Schema::new(fields))
});

/// Returns the stream of `first` and the rest.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    first: Vec<urlspool::Hit>,
    batches: Batches,
) -> PyResult<Bound<'py, PyCapsule>> {
    let columns = ArrayBuilder::from_arrow(SCHEMA.fields()).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    let first = Some(first).filter(|first| !first.is_empty());
    let reader = Reader { first, batches: Some(batches), columns, failure: None };
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

pub(crate) fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(SCHEMA.as_ref()).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A record batch with at least this many rows is complete. Each batch has a cost for each of its columns.
const ROWS: usize = 8192;
/// How long a record batch that is not complete waits for more rows.
const PATIENCE: Duration = Duration::from_millis(100);

/// Converts hits to record batches.
struct Reader {
    first: Option<Vec<urlspool::Hit>>,
    /// `None` after the last.
    batches: Option<Batches>,
    columns: ArrayBuilder,
    /// The error to return after the rows before it.
    failure: Option<ArrowError>,
}

impl Reader {
    /// Adds hits to the columns until the record batch is complete. Returns its number of rows. 0 at the end.
    fn fill(&mut self) -> Result<usize, ArrowError> {
        let mut rows = 0;
        while rows < ROWS {
            let hits = match (self.first.take(), &mut self.batches) {
                (Some(first), _) => Ok(Some(first)),
                (None, Some(batches)) => batches.next((rows > 0).then_some(PATIENCE)),
                (None, None) => Ok(None),
            };
            match hits {
                Ok(Some(hits)) => {
                    self.columns.extend(&hits).map_err(external)?;
                    rows += hits.len();
                }
                Ok(None) => {
                    self.batches = None;
                    break;
                }
                Err(Failure::Timeout) => break,
                Err(failure) => {
                    self.batches = None;
                    self.failure = Some(ArrowError::ComputeError(
                        match failure {
                            Failure::Fork => "this search began before a fork, and only the parent can go on with it",
                            Failure::Panic | Failure::Timeout => "an error in urlspool itself; please report it",
                        }
                        .into(),
                    ));
                    break;
                }
            }
        }
        Ok(rows)
    }
}

fn external(why: serde_arrow::Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(why))
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.fill().and_then(|rows| match rows {
            0 => self.failure.take().map_or(Ok(None), Err),
            _ => {
                let columns = self.columns.to_arrow().map_err(external)?;
                RecordBatch::try_new(Arc::clone(&SCHEMA), columns).map(Some)
            }
        });
        batch.transpose()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }
}
