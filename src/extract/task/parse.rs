//! Parses a task.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::{Settings, Task};
use crate::container::Limits;
use crate::extract::message_filter::MessageFilter;
use crate::extract::work::{TaskFile, Work};
use crate::extract::{Extractor, Format, MAX_MESSAGE};
use crate::source::Stamp;

/// The error for a text that is not a [`Task`]. The message says what is wrong.
///
/// ```
/// use urlspool::Task;
///
/// let error = "{}".parse::<Task>().unwrap_err();
/// assert_eq!(error.to_string(), "not a task: the field `id` is missing or wrong");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskError(String);

impl Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a task: {}", self.0)
    }
}

impl std::error::Error for TaskError {}

impl FromStr for Task {
    type Err = TaskError;

    /// Parses a task. White space and the order of the keys do not matter.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a task. Also returns an error if the identifier does not match the content,
    /// because the task was edited or another version of the library made it.
    fn from_str(text: &str) -> Result<Task, TaskError> {
        // Remove "line 1" from the error. A task is usually one line of a list, and its line number in the list is
        // usually not 1.
        let not_json = |why: serde_json::Error| TaskError(why.to_string().replace(" at line 1 column ", " at column "));
        let value: Value = serde_json::from_str(text.trim_end()).map_err(not_json)?;
        let task = value.as_object().ok_or_else(|| wrong("id"))?;
        let id = string(task, "id")?.ok_or_else(|| wrong("id"))?;
        let arguments = match list(task, "arguments")? {
            None => Vec::new(),
            Some(items) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().ok_or_else(|| wrong("arguments"))?
            }
        };
        let parsed = Task::new(work(task)?, Arc::new(settings(task)?), arguments.into());
        if parsed.id == id {
            Ok(parsed)
        } else {
            Err(TaskError(
                "the id does not match the content, because the task was edited or another version of urlspool made \
                 it; make a new manifest"
                    .into(),
            ))
        }
    }
}

fn wrong(name: &str) -> TaskError {
    TaskError(format!("the field `{name}` is missing or wrong"))
}

/// Returns the value of a field, converted by `of`. If the field is missing, returns `None`. If `of` returns `None`,
/// returns an error.
fn value<'v, T>(
    object: &'v Map<String, Value>,
    name: &str,
    of: impl FnOnce(&'v Value) -> Option<T>,
) -> Result<Option<T>, TaskError> {
    object.get(name).map(|value| of(value).ok_or_else(|| wrong(name))).transpose()
}

fn string<'v>(object: &'v Map<String, Value>, name: &str) -> Result<Option<&'v str>, TaskError> {
    value(object, name, Value::as_str)
}

fn list<'v>(object: &'v Map<String, Value>, name: &str) -> Result<Option<&'v Vec<Value>>, TaskError> {
    value(object, name, Value::as_array)
}

fn named<T: FromStr>(object: &Map<String, Value>, name: &str) -> Result<Option<T>, TaskError> {
    value(object, name, |value| value.as_str()?.parse().ok())
}

fn range(object: &Map<String, Value>, name: &str) -> Result<Option<Range<u64>>, TaskError> {
    value(object, name, |value| match value.as_array()?.as_slice() {
        [start, end] => Some(start.as_u64()?..end.as_u64()?).filter(|range| range.start <= range.end),
        _ => None,
    })
}

fn bytes(object: &Map<String, Value>, name: &str) -> Result<Option<Vec<u8>>, TaskError> {
    let encoded = value(object, &format!("{name}_bytes"), |value| BASE64.decode(value.as_str()?.as_bytes()).ok())?;
    Ok(encoded.or(string(object, name)?.map(|text| text.as_bytes().to_vec())))
}

fn path(object: &Map<String, Value>) -> Result<PathBuf, TaskError> {
    path_of(bytes(object, "file")?.ok_or_else(|| wrong("file"))?).ok_or_else(|| wrong("file"))
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(&bytes)).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(Path::new(OsStr::new(std::str::from_utf8(&bytes).ok()?)).into())
}

fn work(task: &Map<String, Value>) -> Result<Work, TaskError> {
    if let Some(repositories) = list(task, "repositories")? {
        let repository = |value: &Value| {
            let object = value.as_object().ok_or_else(|| wrong("repositories"))?;
            Ok((path(object)?, string(object, "head")?.ok_or_else(|| wrong("head"))?.to_owned()))
        };
        return Ok(Work::Inbox(repositories.iter().map(repository).collect::<Result<_, _>>()?));
    }
    let files = list(task, "files")?.ok_or_else(|| wrong("files"))?;
    let mut files = files.iter().map(task_file).collect::<Result<Vec<_>, _>>()?;
    let only = |files: &mut Vec<TaskFile>| files.pop().filter(|_| files.is_empty()).ok_or_else(|| wrong("files"));
    match (range(task, "message_range")?, range(task, "member_range")?, named(task, "archive")?) {
        (None, None, None) => Ok(Work::Files(files)),
        (Some(range), None, None) => Ok(Work::Messages(only(&mut files)?, range)),
        (None, Some(range), Some(archive)) => Ok(Work::Members(only(&mut files)?, archive, range)),
        _ => Err(wrong("member_range")),
    }
}

fn task_file(value: &Value) -> Result<TaskFile, TaskError> {
    let file = value.as_object().ok_or_else(|| wrong("files"))?;
    let size = self::value(file, "size", Value::as_u64)?.ok_or_else(|| wrong("size"))?;
    let mtime = self::value(file, "mtime", Value::as_i64)?.ok_or_else(|| wrong("mtime"))?;
    Ok(TaskFile {
        path: path(file)?,
        stamp: Stamp { size, mtime },
        message: flag(file, "message", false)?,
        named: flag(file, "named", false)?,
        member: bytes(file, "member")?,
    })
}

fn flag(object: &Map<String, Value>, name: &str, default: bool) -> Result<bool, TaskError> {
    Ok(value(object, name, Value::as_bool)?.unwrap_or(default))
}

fn settings(task: &Map<String, Value>) -> Result<Settings, TaskError> {
    let none = Map::new();
    let options = value(task, "options", Value::as_object)?.unwrap_or(&none);
    let filter = MessageFilter {
        since: value(options, "since", Value::as_i64)?,
        before: value(options, "before", Value::as_i64)?,
        newsgroups: named(options, "newsgroups")?,
        list: named(options, "list_id")?,
    };
    let max_message = value(options, "max_message", |value| usize::try_from(value.as_u64()?).ok())?;
    let min_confidence = value(options, "min_confidence", |value| u8::try_from(value.as_u64()?).ok())?;
    let extractor = Extractor::new()
        .headers(named(options, "headers")?.unwrap_or_default())
        .rejoin(named(options, "rejoin")?.unwrap_or_default())
        .hyphen(named(options, "hyphen")?.unwrap_or_default())
        .min_confidence(min_confidence.unwrap_or_default())
        .html(flag(options, "html", true)?)
        .defanged(flag(options, "defanged", false)?)
        .twins(flag(options, "twins", true)?);
    Ok(Settings {
        extractor,
        filter,
        format: named::<Format>(options, "format")?.map(|format| format.0),
        mail_only: flag(options, "mail_only", false)?,
        max_message: max_message.unwrap_or(Limits::default().message).clamp(1, MAX_MESSAGE),
    })
}
