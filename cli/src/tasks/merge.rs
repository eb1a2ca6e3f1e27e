//! `tasks merge`: joins the outputs of all tasks of a manifest into one output, as a single search would print it.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memchr::memmem;
use urlspool::Task;

use super::totals::{self, Totals};
use crate::args::{Given, Wrong};
use crate::escaped::Escaped;
use crate::find;
use crate::find::input::STDIN;
use crate::find::skip_report;
use crate::status::{Status, print_message};
use crate::tally::add;

/// The maximum number of incomplete tasks that are reported one by one.
const REPORTED: u64 = 10;

/// Where the rows of a task are, and the totals of the task.
#[derive(Clone)]
struct Rows {
    /// The index of the file with the rows, in [`Merge::outputs`].
    output: usize,
    /// The offset of the first row in this file.
    offset: u64,
    totals: Totals,
}

/// Maps the identifier of each task to the rows of the task.
type Found = HashMap<u128, Rows>;

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let mut outputs: Vec<_> = given.paths().map(PathBuf::from).collect();
    if outputs.len() < 2 {
        return Err(given.job.missing.unwrap_or_default().into());
    }
    let manifest = outputs.remove(0);
    let output = find::output(given, true)?;
    let merged = merge(&manifest, &outputs, BufWriter::new(output.lock()));
    match merged.and_then(|status| output.begin().map(|()| status).map_err(Failure::Output)) {
        Err(Failure::Input(why)) => Err(why.into()),
        Err(Failure::Output(error)) => Ok(Status::Found.with(Err(error), output.name())),
        Ok(status) => Ok(status),
    }
}

enum Failure {
    /// The message for the user.
    Input(String),
    Output(io::Error),
}

fn failure(path: &Path, why: impl Display) -> Failure {
    Failure::Input(format!("{}: {why}", Escaped::path(path)))
}

fn not_read(output: &Path, error: &io::Error) -> Failure {
    failure(output, format_args!("cannot read the output of tasks: {error}"))
}

fn merge(manifest: &Path, outputs: &[PathBuf], mut out: impl Write) -> Result<Status, Failure> {
    for input in outputs.iter().map(PathBuf::as_path).chain([manifest]) {
        if input == Path::new(STDIN) || input.metadata().is_ok_and(|about| !about.is_file()) {
            let why = "not a regular file; `tasks merge` reads its inputs twice, so save the data to a file";
            return Err(failure(input, why));
        }
    }
    let mut found = Found::new();
    for (number, output) in outputs.iter().enumerate() {
        index(number, output, &mut found).map_err(|error| not_read(output, &error))?;
    }
    if !check(manifest, &found)? {
        return Ok(Status::Failed);
    }
    let Totals { rows, problems, unsearched, .. } = join(manifest, outputs, &found, &mut out)?;
    out.flush().map_err(Failure::Output)?;
    if let Some(warning) = skip_report::unsearched(&unsearched, "`tasks run -v`") {
        print_message(warning);
    }
    if problems == 0 {
        return Ok(Status::found(rows > 0));
    }
    let files = if problems == 1 { "file or member" } else { "files or members" };
    print_message(format_args!(
        "{problems} {files} could not be read completely; the error messages of `tasks run` say why"
    ));
    Ok(Status::Failed)
}

/// Adds the tasks in the file `output` to `found`.
fn index(number: usize, output: &Path, found: &mut Found) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(1 << 20, File::open(output)?);
    // `end` is the end of the last totals.
    let (mut line, mut at, mut end) = (Vec::new(), 0_u64, 0);
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(());
        }
        if line.starts_with(totals::BEGIN)
            && let Some((id, totals)) = Totals::parse(&line)
            && let Some(offset) = at.checked_sub(totals.row_bytes).filter(|&offset| offset >= end)
        {
            end = at + length;
            // If a task failed and was run again, `found` can have the rows of the failed run. In this case, the rows
            // of the next run replace the rows of the failed run.
            if found.get(&id).is_none_or(|known| known.totals.is_failed) {
                found.insert(id, Rows { output: number, offset, totals });
            }
        }
        at += length;
    }
}

/// Calls `each` for each task of a manifest.
fn read(manifest: &Path, mut each: impl FnMut(&Task) -> Result<(), Failure>) -> Result<(), Failure> {
    let not_read = |error: io::Error| failure(manifest, format_args!("cannot read the manifest: {error}"));
    let mut lines = BufReader::new(File::open(manifest).map_err(not_read)?);
    let mut line = String::new();
    for number in 1_u64.. {
        line.clear();
        if lines.read_line(&mut line).map_err(not_read)? == 0 {
            break;
        }
        if !line.trim().is_empty() {
            each(&line.parse().map_err(|why| failure(manifest, format_args!("line {number}: {why}")))?)?;
        }
    }
    Ok(())
}

/// Returns whether all tasks of the manifest are complete. Reports incomplete tasks.
fn check(manifest: &Path, found: &Found) -> Result<bool, Failure> {
    let (mut count, mut missing, mut has_failed, mut file) = (0_u64, 0, false, Reached::default());
    read(manifest, |task| {
        if !file.begin(task) {
            let why = "the byte ranges of the file are not in order; do not sort the manifest";
            return Err(failure(manifest, format_args!("{}: {why}", name(task))));
        }
        count += 1;
        let why = match rows(found, task) {
            Some(rows) if !rows.totals.is_failed => return Ok(()),
            Some(_) => {
                has_failed = true;
                "failed"
            }
            None => "is in none of the outputs",
        };
        missing += 1;
        if missing <= REPORTED {
            print_message(format_args!("{} {why}", name(task)));
        }
        Ok(())
    })?;
    if count == 0 {
        return Err(failure(manifest, "the manifest has no tasks; make it again with `urlspool tasks plan`"));
    }
    if missing > 0 {
        let tasks = if missing == 1 { "1 task".into() } else { format!("{missing} tasks") };
        let manifest = Escaped::path(manifest);
        print_message(format_args!(
            "{tasks} must be run before `urlspool tasks merge`; for each task above, run `grep ID {manifest} | urlspool tasks run -` \
             with the id of the task as ID"
        ));
        if has_failed {
            print_message(format_args!("if a task failed because its files have changed, make a new manifest"));
        }
    }
    Ok(missing == 0)
}

fn rows<'f>(found: &'f Found, task: &Task) -> Option<&'f Rows> {
    found.get(&totals::id(task.id())?)
}

/// Returns the description of a task for messages.
fn name(task: &Task) -> String {
    let mut paths = task.paths();
    let first = paths.next().map(|path| Escaped::path(path).to_string()).unwrap_or_default();
    let place = match (task.message_range(), paths.count()) {
        (Some(range), _) => format!(", bytes {} to {}", range.start, range.end),
        (None, 0) => String::new(),
        (None, others) => format!(" and {others} more"),
    };
    format!("task {} ({first}{place})", task.id())
}

/// The file of the current task. If the file is divided among several tasks, `messages` and `lines` are the numbers of
/// messages and line breaks in all earlier tasks of this file.
#[derive(Default)]
struct Reached {
    path: PathBuf,
    /// The offset at which the range of the current task ends.
    end: u64,
    messages: u64,
    lines: u64,
}

impl Reached {
    /// Moves to `task`. Returns whether the range of `task` begins where the range of the previous task ended, in the
    /// same file. A task without a range, or with a range at offset 0, begins a new file.
    fn begin(&mut self, task: &Task) -> bool {
        let range = task.message_range().unwrap_or_default();
        let path = task.paths().next().unwrap_or(Path::new(""));
        if range.start == 0 {
            *self = Reached { path: path.into(), ..Reached::default() };
        }
        let is_next = range.start == self.end && path == self.path;
        self.end = range.end;
        is_next
    }
}

/// Writes the rows of all tasks in the order of the manifest. Returns how many rows were written, how many files and
/// archive members could not be read to their end, and which attachments were not searched.
fn join(manifest: &Path, outputs: &[PathBuf], found: &Found, out: &mut impl Write) -> Result<Totals, Failure> {
    let (mut file, mut sum) = (Reached::default(), Totals::default());
    read(manifest, |task| {
        let Some(Rows { output, offset, totals }) = rows(found, task) else {
            let why = "the manifest was changed during this run; run `urlspool tasks merge` again";
            return Err(failure(manifest, why));
        };
        file.begin(task);
        let output = &outputs[*output];
        let mut copied = 0;
        copy(output, *offset, totals.row_bytes, |line| {
            copied += 1;
            if file.messages > 0 || file.lines > 0 {
                shift(line, &[("message", file.messages), ("line", file.lines)]);
            }
            out.write_all(line)
        })?;
        if copied != totals.rows {
            let why = format!("{} has {copied} rows instead of {}; run the task again", name(task), totals.rows);
            return Err(failure(output, why));
        }
        // The numbers of a damaged output can be any.
        for (sum, number) in [
            (&mut file.messages, totals.messages),
            (&mut file.lines, totals.lines),
            (&mut sum.rows, totals.rows),
            (&mut sum.problems, totals.problems),
        ] {
            *sum = sum.saturating_add(number);
        }
        add(&mut sum.unsearched, totals.unsearched.clone());
        Ok(())
    })?;
    Ok(sum)
}

/// Calls `each` for each line in a byte range of a file.
fn copy(
    path: &Path,
    offset: u64,
    length: u64,
    mut each: impl FnMut(&mut Vec<u8>) -> io::Result<()>,
) -> Result<(), Failure> {
    let wrong = |error: io::Error| not_read(path, &error);
    let mut file = File::open(path).map_err(wrong)?;
    file.seek(SeekFrom::Start(offset)).map_err(wrong)?;
    let mut lines = BufReader::with_capacity(256 << 10, file.take(length));
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(wrong)? == 0 {
            return Ok(());
        }
        each(&mut line).map_err(Failure::Output)?;
    }
}

/// Adds a number to each of the given fields of `line`, a row of JSON. Fields that are null are not changed.
///
/// To find a field, this function searches for a text such as `,"line":`. Such a text is never part of a JSON string,
/// because each quotation mark in a JSON string has a backslash before it.
fn shift(line: &mut Vec<u8>, fields: &[(&str, u64)]) {
    for (name, more) in fields {
        let name = format!("\"{name}\":");
        let is_name = |at: &usize| *at > 0 && matches!(line[at - 1], b',' | b'{');
        let Some(at) = memmem::find_iter(line, name.as_bytes()).find(is_name) else { continue };
        let start = at + name.len();
        let end = start + line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&line[start..end]).ok().and_then(|number| number.parse::<u64>().ok());
        if let Some(number) = number {
            line.splice(start..end, number.saturating_add(*more).to_string().into_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shift;

    #[test]
    fn only_the_numbers_of_fields_are_shifted() {
        let table = [
            (r#"{"url":"x","message":3,"line":40}"#, r#"{"url":"x","message":13,"line":140}"#),
            (r#"{"line":4,"message":99}"#, r#"{"line":104,"message":109}"#),
            (r#"{"message":null,"line":4}"#, r#"{"message":null,"line":104}"#),
            (r#"{"url":"x"}"#, r#"{"url":"x"}"#),
            (r#"{"subject":",\"line\":5,","line":6}"#, r#"{"subject":",\"line\":5,","line":106}"#),
            (r#"{"subject":"line","message":1}"#, r#"{"subject":"line","message":11}"#),
        ];
        for (line, want) in table {
            let mut line = line.as_bytes().to_vec();
            shift(&mut line, &[("message", 10), ("line", 100)]);
            assert_eq!(String::from_utf8(line).unwrap(), want);
        }
    }
}
