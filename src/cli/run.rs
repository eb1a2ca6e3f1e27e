//! Lists the URLs of the paths.

use std::io;

use super::collect::Collector;
use super::config::{List, Output};
use super::print::{Json, Printer, Sheet};
use super::select::Select;
use super::status::Status;

/// Does it.
pub(crate) fn list(list: List) -> Status {
    let List { extractor, paths, select, output } = list;
    let failure = paths.failure();
    let end = match output {
        Output::Plain { layout, unique } => run(&select, Sheet::new(layout, unique), |to| extractor.paths(paths, to)),
        Output::Json { unique } => run(&select, Sheet::new(Json, unique), |to| extractor.paths(paths, to)),
        Output::Count(counts) => run(&select, counts, |to| extractor.paths(paths, to)),
    };
    match failure.take() {
        Some(why) => {
            eprintln!("urlspool: {why}");
            Status::Trouble
        }
        None => end,
    }
}

/// Has `printer` print what `work` finds.
fn run<P: Printer>(select: &Select, printer: P, work: impl FnOnce(&mut Collector<'_, P>) -> io::Result<()>) -> Status {
    let mut collector = Collector::new(select, printer);
    match work(&mut collector) {
        Ok(()) => collector.status(),
        // Who reads our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Found,
        Err(error) => {
            eprintln!("urlspool: standard output cannot be written: {error}");
            Status::Trouble
        }
    }
}
