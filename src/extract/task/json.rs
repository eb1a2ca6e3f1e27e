//! Writes a task as a line of JSON. The keys are in a fixed order. A key without a value is omitted.

use std::fmt::{self, Display, Write as _};

use data_encoding::BASE64;
use serde_json::Value;

use super::{Settings, Task};
use crate::container::Limits;
use crate::extract::HeaderScan;
use crate::extract::work::{TaskFile, Work};
use crate::scan::{Hyphen, Rejoin};

/// Prints the task as a line of JSON, without a line break.
impl Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = content(&self.work, &self.settings, &self.arguments);
        write!(f, "{{\"id\":\"{}\",{}", self.id, &content[1..])
    }
}

/// Returns the JSON of a task without the field `id`.
pub(super) fn content(work: &Work, settings: &Settings, arguments: &[String]) -> String {
    let mut json = Object::new();
    match work {
        Work::Files(files) => json.list("files", files.iter().map(file)),
        Work::Messages(one, range) => {
            json.list("files", [file(one)]);
            json.field("message_range", format_args!("[{},{}]", range.start, range.end));
        }
        Work::Members(one, archive, range) => {
            json.list("files", [file(one)]);
            json.text("archive", archive.as_str());
            json.field("member_range", format_args!("[{},{}]", range.start, range.end));
        }
        Work::Inbox(repositories) => json.list(
            "repositories",
            repositories.iter().map(|(path, head)| {
                let mut json = Object::new();
                json.bytes("file", path.as_os_str().as_encoded_bytes());
                json.text("head", head);
                json.close()
            }),
        ),
    }
    let options = options(settings);
    if options != "{}" {
        json.field("options", options);
    }
    if !arguments.is_empty() {
        json.list("arguments", arguments.iter().map(|argument| quoted(argument)));
    }
    json.close()
}

fn file(file: &TaskFile) -> String {
    let mut json = Object::new();
    json.bytes("file", file.path.as_os_str().as_encoded_bytes());
    json.field("size", file.stamp.size);
    json.field("mtime", file.stamp.mtime);
    for (name, flag) in [("message", file.message), ("named", file.named)] {
        if flag {
            json.field(name, flag);
        }
    }
    if let Some(member) = &file.member {
        json.bytes("member", member);
    }
    json.close()
}

/// Returns the options that differ from the defaults, as a JSON object.
fn options(settings: &Settings) -> String {
    let Settings { extractor, filter, format, mail_only, max_message } = settings;
    let (rejoin, min_confidence, hyphen) = extractor.scanner.options();
    let mut json = Object::new();
    let mut text = |name, value: &str, default: &str| {
        if value != default {
            json.text(name, value);
        }
    };
    text("format", format.map_or("", |format| format.name), "");
    text("headers", extractor.headers.as_str(), HeaderScan::default().as_str());
    text("rejoin", rejoin.as_str(), Rejoin::default().as_str());
    text("hyphen", hyphen.as_str(), Hyphen::default().as_str());
    text("newsgroups", &filter.newsgroups.as_ref().map(ToString::to_string).unwrap_or_default(), "");
    text("list_id", &filter.list.as_ref().map(ToString::to_string).unwrap_or_default(), "");
    for (name, flag, default) in [
        ("html", extractor.html, true),
        ("defanged", extractor.defanged, false),
        ("twins", extractor.twins, true),
        ("mail_only", *mail_only, false),
    ] {
        if flag != default {
            json.field(name, flag);
        }
    }
    if min_confidence > 0 {
        json.field("min_confidence", min_confidence);
    }
    if *max_message != Limits::default().message {
        json.field("max_message", max_message);
    }
    for (name, seconds) in [("since", filter.since), ("before", filter.before)] {
        if let Some(seconds) = seconds {
            json.field(name, seconds);
        }
    }
    json.close()
}

/// Returns the identifier of a task: the 128-bit FNV-1a hash of `content` in hexadecimal digits. `content` is the JSON
/// of the task without the identifier.
pub(super) fn id(content: &str) -> String {
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let hash = content.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

struct Object(String);

impl Object {
    fn new() -> Object {
        Object("{".into())
    }

    fn field(&mut self, name: &str, value: impl Display) {
        let comma = if self.0.len() > 1 { "," } else { "" };
        write!(self.0, "{comma}\"{name}\":{value}").expect("writing to a String cannot fail");
    }

    fn text(&mut self, name: &str, value: &str) {
        self.field(name, quoted(value));
    }

    /// Adds a field whose value is `value` as text. If `value` is not UTF-8, it is encoded in base64, and `_bytes` is
    /// appended to the name of the field.
    fn bytes(&mut self, name: &str, value: &[u8]) {
        match std::str::from_utf8(value) {
            Ok(text) => self.text(name, text),
            Err(_) => self.text(&format!("{name}_bytes"), &BASE64.encode(value)),
        }
    }

    fn list(&mut self, name: &str, items: impl IntoIterator<Item = String>) {
        let items: Vec<_> = items.into_iter().collect();
        self.field(name, format_args!("[{}]", items.join(",")));
    }

    fn close(self) -> String {
        self.0 + "}"
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
