//! `--files`: lists the files that a search would read.

use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use urlspool::fields::{Value, base64};
use urlspool::json::Object;
use urlspool::{Error, ListedFile};

use super::print_error;
use crate::escaped::Escaped;
use crate::list::output::Output;
use crate::status::Status;

/// The files to list.
pub(crate) struct Files {
    pub(crate) files: Box<dyn Iterator<Item = Result<ListedFile, Error>>>,
    /// Receives warnings and errors about the list of `--files-from`, each as one line.
    pub(crate) failures: Receiver<String>,
    pub(crate) output: Output,
    pub(crate) is_json: bool,
    /// Whether the output is a terminal. On a terminal, control characters in names are escaped.
    pub(crate) is_terminal: bool,
    /// The byte after each line of output.
    pub(crate) end: u8,
}

/// Lists the files and returns the exit status.
pub(super) fn files(job: Files) -> Status {
    let Files { files, failures, output, is_json, is_terminal, end } = job;
    let (mut found, mut has_failed) = (false, false);
    let mut line = Vec::new();
    let print = || -> io::Result<()> {
        let mut out = io::BufWriter::new(output.lock());
        for file in files {
            let file = match file {
                Ok(file) => file,
                Err(error) => {
                    has_failed = true;
                    print_error(&error);
                    continue;
                }
            };
            found = true;
            line.clear();
            match is_json {
                true => object(&mut line, &file),
                false => columns(&mut line, &file, is_terminal),
            }
            line.push(end);
            out.write_all(&line)?;
        }
        out.flush()
    };
    let written = print();
    let status = if has_failed { Status::Failed } else { Status::found(found) };
    super::status(written, &output, &failures, status)
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
    let codec = file.codec;
    let splits = file.splits;
    for field in [Some(size.as_str()), file.format, codec, splits] {
        line.extend_from_slice(field.unwrap_or_default().as_bytes());
        line.push(b'\t');
    }
    match is_terminal {
        true => line.extend_from_slice(Escaped::path(&file.path).to_string().as_bytes()),
        false => line.extend_from_slice(file.path.as_os_str().as_encoded_bytes()),
    }
}
