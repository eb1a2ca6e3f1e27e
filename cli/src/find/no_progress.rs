//! Takes the place of the progress line in WebAssembly, where there is no terminal.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use crate::tally::Tally;

pub(crate) struct Progress;

impl Progress {
    pub(crate) fn new(_: Option<Vec<PathBuf>>, _: bool) -> Progress {
        Progress
    }

    pub(crate) fn show(&mut self, _: (&Tally, Duration)) {}

    pub(crate) fn print(
        &self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        print(out)?;
        out.flush()
    }

    pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(crate) fn end(&self) {}
}
