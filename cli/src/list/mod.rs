//! Lists the URLs in files and directories, which is the main task of the command.

pub(crate) mod collect;
pub(crate) mod filter_report;
pub(crate) mod input;
mod once;
pub(crate) mod output;
#[cfg_attr(target_family = "wasm", path = "no_progress.rs")]
pub(crate) mod progress;
pub(crate) mod select;
mod skip_report;
mod unseen_schemes;
pub(crate) mod with_hint;

use self::collect::Collector;
use crate::config::List;
use crate::status::Status;

pub(crate) fn list(list: List) -> Status {
    let collector =
        Collector::new(list.select, list.once, list.printer, list.progress, list.output, list.failures, list.state);
    list.hits.parallel(collector).finish()
}
