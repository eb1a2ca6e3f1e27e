//! Lists the URLs of the paths.

pub(crate) mod collect;
pub(crate) mod filter_report;
pub(crate) mod input;
pub(crate) mod progress;
pub(crate) mod select;
mod unseen_schemes;
pub(crate) mod with_hint;

use self::collect::Collector;
use crate::config::List;
use crate::status::{Status, print_message};

/// Runs the job.
pub(crate) fn list(list: List) -> Status {
    let mut collector = Collector::new(&list.select, list.printer, list.progress);
    let end = list.hits.each(&mut collector).and_then(|()| collector.finish());
    let mut status = collector.status(end);
    for why in list.failures.try_iter() {
        print_message(why);
        status = Status::Failed;
    }
    status
}
