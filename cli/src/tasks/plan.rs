//! `tasks plan`: divides a search into tasks and prints them, one per line.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use urlspool::{Event, problem, shared};

use crate::args::{Given, Wrong};
use crate::find::problems::Problems;
use crate::find::{self, skip_report};
use crate::status::{Status, print_message};
use crate::tally::Tally;

/// The options that each task stores as arguments, because they are not options of the search itself.
pub(super) const OF_ROWS: [&str; 2] = ["rejects", "fields"];

/// The size of a task in bytes, unless `--size` sets another.
const SIZE: u64 = 64 << 20;

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    given.fields()?;
    find::warn_if_input_is_closed(given);
    let output = find::output(given, true)?;
    let size = given.text("size").and_then(|size| shared::size(&size)).unwrap_or(SIZE);
    let problems = Problems::of(given)?;
    // The files exist now, so that two names of one new file are recognized even if they differ in case.
    find::output::check(given)?;
    let (mut hits, failures) = find::hits(given, given.options()?, &output, None)?;
    if let Some(file) = problems.file() {
        hits = hits.output(file);
    }
    let rows = given.flags().filter(|flag| OF_ROWS.contains(&flag.name));
    let arguments: Vec<_> = rows.map(|flag| String::from_utf8_lossy(&given.as_argument(&flag)).into_owned()).collect();
    let ledger = Ledger { is_verbose: given.has("verbose"), tally: Tally::default(), problems };
    let ledger = Arc::new(Mutex::new(ledger));
    let of_walk = Arc::clone(&ledger);
    let skipped = move |path: &Path, why| of_walk.lock().expect(NO_PANIC).event(Event::Skipped { path, why });
    let mut has_tasks = false;
    let tasks = hits.manifest(size, skipped).map(|task| {
        match &task {
            Ok(_) => has_tasks = true,
            Err(error) => ledger.lock().expect(NO_PANIC).event(Event::Error(error)),
        }
        task.map(|task| task.with_arguments(&arguments))
    });
    let status = super::print(tasks, &output, &failures, |line, task| {
        writeln!(line, "{task}").expect("writing to a Vec cannot fail");
    });
    let mut ledger = ledger.lock().expect(NO_PANIC);
    ledger.problems.record(Some(&mut Vec::new()));
    if has_tasks {
        // Only a search without mail looks for mail in hidden files.
        ledger.tally.hidden.clear();
    }
    skip_report::warnings(&ledger.tally, "-v or --problems").into_iter().for_each(print_message);
    Ok(if ledger.problems.is_lost { Status::Failed } else { status })
}

const NO_PANIC: &str = "no thread panics with the ledger";

/// Reports what is in no task, as `find` reports it.
struct Ledger {
    is_verbose: bool,
    tally: Tally,
    problems: Problems,
}

impl Ledger {
    fn event(&mut self, event: Event<'_>) {
        self.tally.event(event);
        let mut lines = self.problems.lines();
        if let Some(lines) = &mut lines {
            problem(event, lines);
        }
        self.problems.record(lines.as_mut());
        if let Event::Skipped { path, why } = event
            && self.is_verbose
        {
            print_message(skip_report::skipped(path, why));
        }
    }
}
