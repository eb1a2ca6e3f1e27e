//! `files`: lists the files that a search would read.

use urlspool::ListedFile;
use urlspool::fields::{Value, base64};
use urlspool::json::Object;

use crate::args::{Given, Wrong};
use crate::escaped::Escaped;
use crate::find;
use crate::status::Status;
use crate::tasks;

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    find::warn_if_input_is_closed(given);
    let (is_json, is_terminal, end) = (given.has("json"), find::is_terminal(given), find::end(given));
    let output = find::output(given, is_json)?;
    let (hits, failures) = find::hits(given, given.options()?, &output, None)?;
    Ok(tasks::print(hits.files(), &output, &failures, |line, file| {
        match is_json {
            true => object(line, &file),
            false => columns(line, &file, is_terminal),
        }
        line.push(end);
    }))
}

fn object(line: &mut Vec<u8>, file: &ListedFile) {
    let name = file.path.as_os_str().as_encoded_bytes();
    let mut object = Object::open(line);
    object.field("file", Value::Bytes(name));
    object.field("file_bytes", base64(Some(name)));
    object.field("size", file.size);
    object.field("format", file.format);
    object.field("codec", file.codec);
    object.field("splits", file.splits);
    object.close();
}

fn columns(line: &mut Vec<u8>, file: &ListedFile, is_terminal: bool) {
    let size = file.size.map(|size| size.to_string()).unwrap_or_default();
    for field in [Some(size.as_str()), file.format, file.codec, file.splits] {
        line.extend_from_slice(field.unwrap_or_default().as_bytes());
        line.push(b'\t');
    }
    match is_terminal {
        true => line.extend_from_slice(Escaped::path(&file.path).to_string().as_bytes()),
        false => line.extend_from_slice(file.path.as_os_str().as_encoded_bytes()),
    }
}
