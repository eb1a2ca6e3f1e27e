//! Lists the URLs of the paths.

use std::io;

use super::collect::Collector;
use super::config::{List, Output};
use super::print::{Boxed, Json, Printer, Sheet};
use super::progress::Progress;
use super::select::Select;
use super::status::Status;

/// Does it.
pub(crate) fn list(list: List) -> Status {
    let List { extractor, paths, select, output, progress } = list;
    let failure = paths.failure();
    let end = match output {
        Output::Plain { layout, order } => {
            run(&select, Sheet::new(layout, order), progress, |to| extractor.paths(paths, to))
        }
        Output::Json { order } => {
            run(&select, Sheet::new(Json::default(), order), progress, |to| extractor.paths(paths, to))
        }
        Output::Other(printer) => run(&select, Boxed(printer), progress, |to| extractor.paths(paths, to)),
    };
    let failures = failure.take();
    for why in &failures {
        eprintln!("urlspool: {why}");
    }
    if failures.is_empty() { end } else { Status::Trouble }
}

/// Has `printer` print what `work` finds.
fn run<P: Printer>(
    select: &Select,
    printer: P,
    progress: Progress,
    work: impl FnOnce(&mut Collector<'_, P>) -> io::Result<()>,
) -> Status {
    let mut collector = Collector::new(select, printer, progress);
    match work(&mut collector).and_then(|()| collector.finish()) {
        Ok(()) => collector.status(),
        // Who reads our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Found,
        Err(error) => {
            eprintln!("urlspool: {} cannot be written: {error}", collector.target());
            Status::Trouble
        }
    }
}
