//! `tasks plan`: divides a search into tasks and prints them, one per line.

use std::io::Write;

use urlspool::shared;

use crate::args::{Given, Wrong};
use crate::find;
use crate::status::Status;

/// The options that each task stores as arguments, because they are not options of the search itself.
pub(super) const OF_ROWS: [&str; 2] = ["rejects", "fields"];

/// The size of a task in bytes, unless `--size` sets another.
const SIZE: u64 = 64 << 20;

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    given.fields()?;
    find::warn_if_input_is_closed(given);
    let output = find::output(given, true)?;
    let size = given.text("size").and_then(|size| shared::size(&size)).unwrap_or(SIZE);
    let (hits, failures) = find::hits(given, given.options()?, &output, None)?;
    let rows = given.flags().filter(|flag| OF_ROWS.contains(&flag.name));
    let arguments: Vec<_> = rows.map(|flag| String::from_utf8_lossy(&given.as_argument(&flag)).into_owned()).collect();
    let tasks = hits.manifest(size).map(|task| task.map(|task| task.with_arguments(&arguments)));
    Ok(super::print(tasks, &output, &failures, |line, task| {
        writeln!(line, "{task}").expect("writing to a Vec cannot fail");
    }))
}
