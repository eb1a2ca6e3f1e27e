//! A task as a line of JSON. The keys are in alphabetical order after `id`. A key without a value is omitted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use data_encoding::BASE64;
use serde_json::{Map, Value, json};

use super::Task;
use crate::extract::work::{TaskFile, Work};
use crate::named::InvalidValue;
use crate::options::Options;
use crate::shared::{self, FNV_BASIS, fnv1a};
use crate::source::Stamp;

type Object = Map<String, Value>;

fn not_a_task(why: impl Into<Cow<'static, str>>) -> InvalidValue {
    InvalidValue::new("not a task: ", why)
}

/// Prints the task as a line of JSON, without a line break.
impl Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = content(&self.work, &self.options, &self.arguments);
        write!(f, "{{\"id\":\"{}\",{}", self.id, &content[1..])
    }
}

/// Returns the options that a task stores, without the options of the walk and of the run.
pub(super) fn stored(options: &Options) -> Options {
    let Options { follow, threads, byte_range, shard, count_lines, .. } = Options::default();
    Options { follow, threads, byte_range, shard, count_lines, ..options.clone() }
}

/// Returns the JSON of a task without the field `id`. The keys are inserted in alphabetical order, because serde_json
/// keeps or sorts them, depending on its features.
pub(super) fn content(work: &Work, options: &Options, arguments: &[String]) -> String {
    let (archive, files, member_range, message_range, repositories) = match work {
        Work::Files(files) => (None, files.as_slice(), None, None, &[][..]),
        Work::Messages(one, range) => (None, std::slice::from_ref(one), None, Some(range), &[][..]),
        Work::Members(one, archive, range) => (Some(archive), std::slice::from_ref(one), Some(range), None, &[][..]),
        Work::Inbox(repositories) => (None, &[][..], None, None, repositories.as_slice()),
    };
    let repository = |(path, head): &(PathBuf, String)| {
        let mut object = Object::new();
        insert_bytes(&mut object, "file", path.as_os_str().as_encoded_bytes());
        object.insert("head".into(), json!(head));
        Value::from(object)
    };
    let range = |range: &Range<u64>| json!([range.start, range.end]);
    let changed: BTreeMap<_, _> = options.changed().map(|(row, value)| (row.name.to_owned(), value.into())).collect();
    let changed: Object = changed.into_iter().collect();
    let fields = [
        ("archive", archive.map(|archive| json!(archive.as_str()))),
        ("arguments", (!arguments.is_empty()).then(|| json!(arguments))),
        ("files", (!files.is_empty()).then(|| files.iter().map(file).collect())),
        ("member_range", member_range.map(range)),
        ("message_range", message_range.map(range)),
        ("options", (!changed.is_empty()).then(|| changed.into())),
        ("repositories", (!repositories.is_empty()).then(|| repositories.iter().map(repository).collect())),
    ];
    let object: Object = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    Value::from(object).to_string()
}

fn file(file: &TaskFile) -> Value {
    let mut object = Object::new();
    insert_bytes(&mut object, "file", file.path.as_os_str().as_encoded_bytes());
    if let Some(member) = &file.member {
        insert_bytes(&mut object, "member", member);
    }
    let flag = |is_set: bool| is_set.then_some(json!(true));
    let Stamp { size, mtime } = file.stamp;
    let fields = [
        ("message", flag(file.message)),
        ("mtime", mtime.map(Value::from)),
        ("named", flag(file.named)),
        ("size", Some(json!(size))),
    ];
    object.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    object.into()
}

/// Inserts `value` as text. If `value` is not UTF-8, it is encoded in base64, and `_bytes` is appended to the name.
fn insert_bytes(object: &mut Object, name: &str, value: &[u8]) {
    match std::str::from_utf8(value) {
        Ok(text) => object.insert(name.to_owned(), text.into()),
        Err(_) => object.insert(format!("{name}_bytes"), BASE64.encode(value).into()),
    };
}

/// Returns the identifier of a task: the hash of `content` in hexadecimal digits. `content` is the JSON of the task
/// without the identifier.
pub(super) fn id(content: &str) -> String {
    format!("{:016x}", content.bytes().fold(FNV_BASIS, fnv1a))
}

impl FromStr for Task {
    type Err = InvalidValue;

    /// Parses a task. White space and the order of the keys do not matter.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a task. Also returns an error if the identifier does not match the content,
    /// because the task was edited or another version of the library made it.
    fn from_str(text: &str) -> Result<Task, InvalidValue> {
        // Remove "line 1" from the error. A task is usually one line of a list, and its line number in the list is
        // usually not 1.
        let not_json =
            |why: serde_json::Error| not_a_task(why.to_string().replace(" at line 1 column ", " at column "));
        let task: Value = serde_json::from_str(text.trim_end()).map_err(not_json)?;
        let id = required(&task, "id", Value::as_str)?;
        let texts = |items: &Value| items.as_array()?.iter().map(|item| Some(item.as_str()?.to_owned())).collect();
        let arguments: Vec<String> = value(&task, "arguments", texts)?.unwrap_or_default();
        let parsed = Task::new(work(&task)?, options(&task)?, arguments.into());
        if parsed.id == id {
            return Ok(parsed);
        }
        Err(not_a_task(
            "the id does not match the content, because the task was edited or another version of urlspool made it; \
             make a new manifest",
        ))
    }
}

fn wrong(name: &str) -> InvalidValue {
    not_a_task(format!("the field `{name}` is missing or wrong"))
}

/// Returns the value of a field, converted by `of`. If the field is missing, returns `None`. If `of` returns `None`,
/// returns an error.
fn value<'v, T>(
    object: &'v Value,
    name: &str,
    of: impl FnOnce(&'v Value) -> Option<T>,
) -> Result<Option<T>, InvalidValue> {
    object.get(name).map(|value| of(value).ok_or_else(|| wrong(name))).transpose()
}

fn required<'v, T>(object: &'v Value, name: &str, of: impl FnOnce(&'v Value) -> Option<T>) -> Result<T, InvalidValue> {
    value(object, name, of)?.ok_or_else(|| wrong(name))
}

fn range(object: &Value, name: &str) -> Result<Option<Range<u64>>, InvalidValue> {
    value(object, name, |value| match value.as_array()?.as_slice() {
        [start, end] => Some(start.as_u64()?..end.as_u64()?).filter(|range| range.start <= range.end),
        _ => None,
    })
}

fn bytes(object: &Value, name: &str) -> Result<Option<Vec<u8>>, InvalidValue> {
    let encoded = value(object, &format!("{name}_bytes"), |value| BASE64.decode(value.as_str()?.as_bytes()).ok())?;
    Ok(encoded.or(value(object, name, Value::as_str)?.map(|text| text.as_bytes().to_vec())))
}

fn path(object: &Value) -> Result<PathBuf, InvalidValue> {
    Ok(shared::path(&bytes(object, "file")?.ok_or_else(|| wrong("file"))?).into_owned())
}

fn work(task: &Value) -> Result<Work, InvalidValue> {
    if let Some(repositories) = value(task, "repositories", Value::as_array)? {
        let repository = |item: &Value| Ok((path(item)?, required(item, "head", Value::as_str)?.to_owned()));
        return Ok(Work::Inbox(repositories.iter().map(repository).collect::<Result<_, _>>()?));
    }
    let files = required(task, "files", Value::as_array)?;
    let mut files = files.iter().map(task_file).collect::<Result<Vec<_>, _>>()?;
    let only = |files: &mut Vec<TaskFile>| files.pop().filter(|_| files.is_empty()).ok_or_else(|| wrong("files"));
    let archive = value(task, "archive", |archive| archive.as_str()?.parse().ok())?;
    match (range(task, "message_range")?, range(task, "member_range")?, archive) {
        (None, None, None) => Ok(Work::Files(files)),
        (Some(range), None, None) => Ok(Work::Messages(only(&mut files)?, range)),
        (None, Some(range), Some(archive)) => Ok(Work::Members(only(&mut files)?, archive, range)),
        _ => Err(wrong("member_range")),
    }
}

fn task_file(file: &Value) -> Result<TaskFile, InvalidValue> {
    Ok(TaskFile {
        path: path(file)?,
        stamp: Stamp { size: required(file, "size", Value::as_u64)?, mtime: value(file, "mtime", Value::as_i64)? },
        message: value(file, "message", Value::as_bool)?.unwrap_or(false),
        named: value(file, "named", Value::as_bool)?.unwrap_or(false),
        member: bytes(file, "member")?,
    })
}

fn options(task: &Value) -> Result<Options, InvalidValue> {
    let mut options = Options::default();
    for (name, value) in value(task, "options", Value::as_object)?.into_iter().flatten() {
        let value = value.as_str().ok_or_else(|| wrong("options"))?;
        options.set(name, value).map_err(|why| not_a_task(why.to_string()))?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::stored;
    use crate::options::{OPTIONS, Options};

    #[test]
    fn a_task_stores_the_options_of_the_search() {
        let values = [("follow", "true"), ("threads", "2"), ("byte-range", "1-2"), ("count-lines", "false")];
        let values = values.into_iter().chain([("defanged", "true"), ("shard", "1/2"), ("join", "0"), ("in", "text")]);
        let values = values.chain([("since", "@0"), ("until", "@-1"), ("hyphen", "drop")]);
        let mut options = Options::default();
        values.for_each(|(name, value)| options.set(name, value).expect(value));
        let stored = stored(&options);
        for row in OPTIONS {
            let is_stored = ["find", "select", "read"].contains(&row.scope);
            let want = options.get(row.name).filter(|_| is_stored);
            assert_eq!(stored.get(row.name), want, "{}", row.name);
            // The reader of a task computes the id from the options that it has parsed.
            if let Some(value) = want {
                let mut read = Options::default();
                read.set(row.name, &value).expect("a value of the option");
                assert_eq!(read.get(row.name), Some(value), "{}", row.name);
            }
        }
    }
}
