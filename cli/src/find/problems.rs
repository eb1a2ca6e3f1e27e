//! The file of `--problems`.

use std::io::Write;

use super::output::Output;
use super::{not_written, open};
use crate::args::{Given, Wrong};
use crate::status::print_message;

#[derive(Default)]
pub(crate) struct Problems {
    file: Option<Output>,
    /// Whether the file could not be written.
    pub(crate) is_lost: bool,
}

impl Problems {
    /// Opens the file. With `--state`, each run adds its lines to those of the earlier runs.
    pub(crate) fn of(given: &Given) -> Result<Problems, Wrong> {
        let Some(path) = given.path("problems") else { return Ok(Problems::default()) };
        let output = open(given, path, "problems")?;
        output.check_problems(path, given.has("state")).map_err(|error| not_written(path, "problems", &error))?;
        Ok(Problems { file: Some(output), is_lost: false })
    }

    pub(crate) fn file(&self) -> Option<&std::fs::File> {
        self.file.as_ref().and_then(Output::file)
    }

    /// Returns a buffer for the lines of a worker thread, if there is a file.
    pub(crate) fn lines(&self) -> Option<Vec<u8>> {
        self.file.as_ref().map(|_| Vec::new())
    }

    /// Writes the lines of a worker thread, and first removes the lines of an earlier run. An error does not stop the
    /// search.
    pub(crate) fn record(&mut self, lines: Option<&mut Vec<u8>>) {
        let Some((file, lines)) = self.file.as_ref().zip(lines) else { return };
        let written = file.begin().and_then(|()| file.lock().write_all(lines));
        lines.clear();
        if let Err(error) = written {
            print_message(format_args!("cannot write {}: {error}", file.name()));
            *self = Problems { file: None, is_lost: true };
        }
    }
}
