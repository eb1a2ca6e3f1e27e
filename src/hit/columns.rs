//! Columns of output fields, as Arrow and Parquet store them. `--arrow`, `--parquet` and the Python package use this
//! module.

use std::ops::Range;

use super::fields::{self, Field, Value};

/// The values of an output field for several hits and rejects, which are the rows.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name of the field, or of the item.
    pub name: &'static str,
    /// Whether a row can be null.
    pub is_nullable: bool,
    /// Whether each row has a value. A row without a value has an empty text, list or number in `values`.
    pub valid: Vec<bool>,
    /// The values of all rows.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// The texts of all rows, and the offset at which the text of each row ends.
    Texts(Vec<u8>, Vec<usize>),
    /// A number for each row.
    Integers(Vec<i64>),
    /// Unix times in microseconds.
    Times(Vec<i64>),
    /// A boolean for each row.
    Booleans(Vec<bool>),
    /// The number of the item at which the list of each row ends, and the columns of the items. If the items are texts,
    /// they have one column, `element`. Otherwise, they are structs.
    Lists(Vec<usize>, Vec<Column>),
}

/// Returns the range of a row in a column whose rows end at `ends`.
pub fn range(ends: &[usize], row: usize) -> Range<usize> {
    row.checked_sub(1).map_or(0, |before| ends[before])..ends[row]
}

impl Column {
    /// Returns a column without rows for the values of `field`.
    pub fn new(field: &Field) -> Column {
        let text = |name| Column::with(name, false, Values::Texts(Vec::new(), Vec::new()));
        let values = match field.kind() {
            "integer" => Values::Integers(Vec::new()),
            "string, date-time" => Values::Times(Vec::new()),
            "boolean" => Values::Booleans(Vec::new()),
            "array of strings" => Values::Lists(Vec::new(), vec![text("element")]),
            "array of objects" => {
                let bytes = Column { is_nullable: true, ..text("url_bytes") };
                Values::Lists(Vec::new(), vec![text("url"), bytes, text("reason")])
            }
            _ => Values::Texts(Vec::new(), Vec::new()),
        };
        Column::with(field.name(), true, values)
    }

    fn with(name: &'static str, is_nullable: bool, values: Values) -> Column {
        Column { name, is_nullable, valid: Vec::new(), values }
    }

    /// Adds a row. `value` has the type of the field.
    pub fn push(&mut self, value: Value<'_>) {
        self.valid.push(!matches!(value, Value::Absent));
        match &mut self.values {
            Values::Texts(bytes, ends) => {
                value.push_text(bytes);
                ends.push(bytes.len());
            }
            Values::Integers(numbers) => numbers.push(match value {
                Value::Number(number) => i64::try_from(number).unwrap_or(i64::MAX),
                _ => 0,
            }),
            Values::Times(times) => times.push(match value {
                Value::Time(_, seconds) => seconds * 1_000_000,
                _ => 0,
            }),
            Values::Booleans(booleans) => booleans.push(value == Value::Boolean(true)),
            Values::Lists(ends, items) => {
                match value {
                    Value::Texts(texts) => texts.into_iter().for_each(|text| items[0].push(Value::Text(text))),
                    Value::Alternatives(others) => {
                        for other in others {
                            items[0].push(Value::Bytes(&other.url));
                            items[1].push(fields::base64(Some(&other.url)));
                            items[2].push(other.reason.as_str().into());
                        }
                    }
                    _ => {}
                }
                ends.push(items[0].valid.len());
            }
        }
    }
}
