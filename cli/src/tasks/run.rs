//! `tasks run`: runs tasks, and prints the rows and the totals of each task. A row is a JSON object on a line of its
//! own, such as a URL with its fields.

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use urlspool::{Collect, Event, Extractor, Sink, Task};

use super::plan::OF_ROWS;
use super::totals::Totals;
use crate::args::{Given, Wrong};
use crate::escaped::Escaped;
use crate::find;
use crate::find::collect::{FULL, Part};
use crate::find::input::open;
use crate::find::output::Output;
use crate::find::select::Select;
use crate::find::skip_report;
use crate::print::{Printer, Style};
use crate::status::{Status, print_message};
use crate::tally::Tally;

/// Runs the tasks in a list, which has one per line.
pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let [list] = given.paths().collect::<Vec<_>>()[..] else {
        return Err("tasks run reads one list of tasks; join the lists with cat".into());
    };
    let threads = given.number("threads").and_then(|threads| usize::try_from(threads).ok()).unwrap_or(0);
    let output = Arc::new(find::output(given, true)?);
    let name = Escaped::path(list);
    let not_opened = |error| format!("{name}: cannot open the list of tasks: {error}; check the name");
    let mut list = open(list).map_err(not_opened)?;
    let (mut count, mut rows, mut has_failed) = (0_u64, 0, false);
    let (mut line, mut whole) = (Vec::new(), Tally::default());
    for number in 1_u64.. {
        line.clear();
        let read = list.read_until(b'\n', &mut line);
        if read.map_err(|error| format!("{name}: cannot read the list of tasks: {error}"))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        count += 1;
        if count == 1 && !has_id(&line) {
            return Err(format!("{name}: not a list of tasks; make one with `urlspool tasks plan`").into());
        }
        let parsed = str::from_utf8(&line).map_err(|_| "not a task: the line is not UTF-8".to_owned());
        let parsed = parsed.and_then(|line| line.parse::<Task>().map_err(|why| why.to_string()));
        let ready = parsed.and_then(|task| Ok((of_task(&task, given.has("verbose"))?, task)));
        let ((select, printer), task) = match ready {
            Ok(ready) => ready,
            Err(why) => {
                has_failed = true;
                print_message(format_args!("{name}: line {number}: {}", Escaped(why.as_bytes())));
                continue;
            }
        };
        match run_one(task, select, printer, threads, &output, &mut whole) {
            Ok(totals) => {
                rows += totals.rows;
                has_failed |= totals.problems > 0 || totals.is_failed;
            }
            Err(error) => return Ok(Status::Found.with(Err(error), output.name())),
        }
    }
    if count == 0 {
        return Err(format!("{name}: the list has no tasks; print tasks with `urlspool tasks plan`").into());
    }
    skip_report::warnings(&whole, "-v").into_iter().for_each(print_message);
    Ok(if has_failed { Status::Failed } else { Status::found(rows > 0) })
}

/// Returns the selection of URLs and the printer of a task. The error is a message about an invalid argument.
fn of_task(task: &Task, is_verbose: bool) -> Result<(Select, Printer), String> {
    let verbose = is_verbose.then(|| "--verbose".to_owned());
    let words: Vec<_> =
        ["--json".to_owned()].into_iter().chain(verbose).chain(task.arguments().iter().cloned()).collect();
    let wrong = || format!("the arguments of the task are wrong: {}; make a new manifest", task.arguments().join(" "));
    let known = ["json", "verbose"].into_iter().chain(OF_ROWS).collect::<Vec<_>>();
    let given = Given::of_find(&words).filter(|given| given.flags().all(|flag| known.contains(&flag.name)));
    let given = given.filter(|given| given.operands().next().is_none()).ok_or_else(wrong)?;
    let printer = find::printer(&given, Style::Raw).map_err(|_| wrong())?;
    Ok((Select::new(&given, Extractor::with(task.options().clone())), printer))
}

/// Returns whether a line is a JSON object with an id, as every task is. The task itself can still be wrong.
fn has_id(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|task| task.get("id").is_some())
}

/// Runs a task and prints its output. Adds its counts to `whole`, and returns its totals.
fn run_one(
    task: Task,
    select: Select,
    printer: Printer,
    threads: usize,
    output: &Arc<Output>,
    whole: &mut Tally,
) -> io::Result<Totals> {
    let hits = task.hits(threads);
    let (task, select) = (Arc::new(task), Arc::new(select));
    let rows = Rows { task, select, printer, output: Arc::clone(output), totals: Totals::default(), written: Ok(()) };
    let Rows { task, mut printer, mut totals, written, .. } = hits.parallel(rows);
    written?;
    let mut text = Vec::new();
    printer.finish(&mut text)?;
    totals.row_bytes += text.len() as u64;
    let tally = &printer.tally;
    (totals.messages, totals.bytes) = (tally.messages(), tally.bytes);
    (totals.rows, totals.problems) = (tally.hits + tally.refused, tally.not_read + tally.losses);
    totals.unsearched.clone_from(&tally.unsearched);
    text.extend(totals.line(task.id()));
    let mut out = output.lock();
    out.write_all(&text)?;
    out.flush()?;
    whole.take(&mut printer.tally);
    Ok(totals)
}

/// Prints the rows of all worker threads in the order of the input.
struct Rows {
    task: Arc<Task>,
    select: Arc<Select>,
    printer: Printer,
    output: Arc<Output>,
    totals: Totals,
    /// The error in writing the rows, if there was one. It ends the run.
    written: io::Result<()>,
}

/// The rows of one worker thread.
struct WorkerRows {
    task: Arc<Task>,
    part: Part,
    lines: u64,
    is_failed: bool,
}

impl Sink for WorkerRows {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Segment { segment, .. } => self.lines += segment.lines(),
            Event::Error(error) => self.is_failed |= self.task.is_failed_by(error),
            _ => {}
        }
        self.part.event(event)
    }
}

impl Rows {
    /// Prints the rows of one worker thread.
    fn print(&mut self, rows: &mut WorkerRows) -> io::Result<()> {
        self.totals.lines += std::mem::take(&mut rows.lines);
        self.totals.is_failed |= rows.is_failed;
        let mut text = Vec::new();
        self.printer.print(&mut rows.part.page, &mut text)?;
        self.totals.row_bytes += text.len() as u64;
        self.output.lock().write_all(&text)?;
        rows.part.print_messages();
        Ok(())
    }
}

impl Collect for Rows {
    type Local = WorkerRows;

    fn new_local(&self) -> WorkerRows {
        let part = Part::new(Arc::clone(&self.select), self.printer.page());
        WorkerRows { task: Arc::clone(&self.task), part, lines: 0, is_failed: false }
    }

    fn is_full(rows: &WorkerRows) -> bool {
        rows.part.page.size() >= FULL
    }

    fn collect(&mut self, rows: &mut WorkerRows) -> ControlFlow<()> {
        self.written = self.print(rows);
        if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
