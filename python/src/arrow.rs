//! Converts hits to Arrow record batches, and exports them by Arrow's PyCapsule interface. The columns are those of
//! `urlspool --parquet`.

use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::hits::{Batches, Failure};

/// The columns, in the order of the JSON.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = || DataType::Utf8;
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
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

/// Returns an Arrow stream of the hits in `first`, and then of those in `batches`.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    first: Vec<urlspool::Hit>,
    batches: Batches,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = Reader { first: Some(first).filter(|first| !first.is_empty()), batches: Some(batches) };
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

pub(crate) fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(SCHEMA.as_ref()).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Converts hits to record batches.
struct Reader {
    first: Option<Vec<urlspool::Hit>>,
    /// `None` after the last batch.
    batches: Option<Batches>,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let hits = match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.batches.as_mut()?.next(None),
        };
        match hits {
            Ok(Some(hits)) => Some(batch(&hits)),
            Ok(None) => {
                self.batches = None;
                None
            }
            Err(Failure::Fork) => {
                self.batches = None;
                Some(Err(ArrowError::ComputeError(
                    "this search began before a fork, and only the parent can continue it".into(),
                )))
            }
            Err(Failure::Panic | Failure::Timeout) => {
                self.batches = None;
                Some(Err(ArrowError::ComputeError("an error in urlspool itself; please report it".into())))
            }
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }
}

fn batch(hits: &[urlspool::Hit]) -> Result<RecordBatch, ArrowError> {
    let mut decoder = ReaderBuilder::new(Arc::clone(&DECODED)).with_batch_size(hits.len()).build_decoder()?;
    decoder.serialize(hits)?;
    let decoded = decoder.flush()?.ok_or_else(|| ArrowError::ComputeError("a batch without rows".into()))?;
    let columns = decoded.columns().iter().map(|column| match column.as_primitive_opt::<TimestampMicrosecondType>() {
        Some(times) => Arc::new(times.clone().with_timezone(UTC)),
        None => Arc::clone(column),
    });
    RecordBatch::try_new(Arc::clone(&SCHEMA), columns.collect())
}

const UTC: &str = "UTC";

/// The schema without the time zone of `date`. The decoder is built without a table of time zones, so it does not know
/// the name `UTC`.
static DECODED: LazyLock<SchemaRef> = LazyLock::new(|| {
    let fields = SCHEMA.fields().iter().map(|field| match field.data_type() {
        DataType::Timestamp(unit, _) => field.as_ref().clone().with_data_type(DataType::Timestamp(*unit, None)),
        _ => field.as_ref().clone(),
    });
    Arc::new(Schema::new(fields.collect::<Fields>()))
});
