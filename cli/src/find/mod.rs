//! `find`: lists the URLs in files and directories, which is the main job of the command. `count` and `report` make the
//! same search, and print something else.

pub(crate) mod collect;
mod common;
mod filter_report;
pub(crate) mod globs;
pub(crate) mod input;
mod once;
pub(crate) mod output;
pub(crate) mod problems;
mod progress;
pub(crate) mod select;
pub(crate) mod skip_report;
mod unseen_schemes;
pub(crate) mod with_hint;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

use urlspool::{Extractor, FromPaths, Hits, Options};

use self::collect::Collector;
use self::common::FirstSearch;
use self::globs::Globs;
use self::input::{List, STDIN, is_stdin};
use self::output::Output as Target;
use self::problems::Problems;
use self::progress::Progress;
use self::select::Select;
use crate::args::jobs::Name;
use crate::args::{Given, Wrong};
use crate::escaped::Escaped;
use crate::print::{Arrow, Parquet, Rows};
use crate::print::{Json, Layout, Names, Order, Output, Plain, Printer, Separator, Sheet, Sorted, Style, Table};
use crate::standard_streams::{self, CLOSED_INPUT, CLOSED_OUTPUT};
use crate::state::State;
use crate::status::{self, Status};
use urlspool::fields::{FIELDS, Field};

/// Makes the search of `find`, `count` or `report`, and prints its result.
pub(crate) fn search(given: &Given, mut printer: Printer) -> Result<Status, Wrong> {
    if given.paths().next().is_none() && given.reads_stdin() && io::stdin().is_terminal() {
        let why = "no PATH is given, and standard input is a terminal";
        return Err(format!("{why}; name a file or a directory, or use `-` to type a message").into());
    }
    // The user may be typing the input on the same terminal, so there is no progress line.
    // To show a percentage, the progress line needs the total size of the files. This size is unknown if the paths come
    // from a list.
    let known = || if !given.has("files-from") { given.paths().map(PathBuf::from).collect() } else { Vec::new() };
    let is_shown = io::stderr().is_terminal() && !(reads_stdin(given) && io::stdin().is_terminal());
    let progress = || Progress::new(is_shown.then(known), is_terminal(given));
    warn_if_input_is_closed(given);
    let output = output(given, given.has_any(&["json", "csv"]))?;
    let problems = Problems::of(given)?;
    // The files exist now, so that two names of one new file are recognized even if they differ in case.
    output::check(given)?;
    let state = state(given, &printer)?;
    if state.as_ref().is_some_and(|state| state.is_continued) {
        printer.omit_header();
    }
    let mut options = given.options()?;
    if !has_numbers(given)? {
        // Counting lines takes a second pass over the input.
        options.set("count-lines", "false").expect("a value of this option");
    }
    let mut select = Select::new(given, Extractor::with(options.clone()));
    if given.reads_twice().is_some() {
        let (first, _) = hits(given, options.clone(), &output, None)?;
        select.common = Some(first.parallel(FirstSearch::new(given, progress())?).finish());
    }
    let (mut hits, failures) = hits(given, options, &output, printer.file().map(|file| &*file.path))?;
    if let Some(file) = problems.file() {
        hits = hits.output(file);
    }
    if let Some(state) = &state {
        hits = hits.resume(state.decide());
    }
    let mut collector = Collector::new(select, given.has("once"), printer, progress(), output, failures, state);
    collector.problems = problems;
    Ok(hits.parallel(collector).finish())
}

/// Returns an error if an option or a field needs the input twice, and it is read once, or some input is a pipe.
pub(crate) fn check_second_search(given: &Given) -> Result<(), Wrong> {
    let Some(option) = given.reads_twice() else { return Ok(()) };
    let (why, other) = match given.job.name {
        _ if given.has("state") => ("--state reads only new messages", " or --state"),
        _ if given.has("rejects") => ("--rejects prints text that is not a URL", " or --rejects"),
        Name::Find | Name::Count | Name::Report => ("", ""),
        _ => ("this job reads the input once", ""),
    };
    if !why.is_empty() {
        return Err(
            format!("{option} counts the messages with each URL first, and {why}; remove {option}{other}").into()
        );
    }
    let is_pipe = |path: &Path| path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir());
    let pipe = given.paths().chain(given.path("files-from")).find(|path| is_stdin(path) || is_pipe(path));
    match pipe.or(given.reads_stdin().then_some(Path::new(STDIN))) {
        Some(pipe) => {
            let pipe = if is_stdin(pipe) { "standard input".into() } else { Escaped::path(pipe).to_string() };
            let next = format!("write it to a file, or remove {option}");
            Err(format!("{option} reads the input twice, and {pipe} can be read once; {next}").into())
        }
        None => Ok(()),
    }
}

/// Returns the printer of `find` and `tee`.
pub(crate) fn printer(given: &Given, style: Style) -> Result<Printer, Wrong> {
    let sheet = |layout| {
        let unique = given.has("unique");
        let order = if given.has("sort") { Order::Url(Sorted::new(unique)) } else { Order::Input };
        Sheet::new(layout, order, unique, given.number("max-count"))
    };
    let fields = given.fields()?;
    let columns =
        || fields.clone().unwrap_or_else(|| FIELDS.iter().copied().filter(|field| !field.is_extra()).collect());
    let table = |separator, style| Output::Lines(sheet(Layout::Table(Table::new(separator, columns(), style))));
    let rows = |batches| Output::Rows(sheet(Layout::Rows(Rows::new(columns()))), batches);
    let output = if let Some(file) = given.path("parquet") {
        rows(Parquet::batches(file, columns()).map_err(|error| not_written(file, "Parquet file", &error))?)
    } else if given.has("arrow") {
        rows(Arrow::batches(columns()))
    } else if given.has("files-with-matches") {
        Output::Names(Names { end: end(given), style, left: given.number("max-count").unwrap_or(u64::MAX) })
    } else if given.has("json") {
        Output::Lines(sheet(Layout::Json(Json::new(fields))))
    } else if given.has("csv") {
        table(Separator::Comma, Style::Raw)
    } else if fields.is_some() {
        table(Separator::Tab, style)
    } else {
        Output::Lines(sheet(Layout::Plain(Plain {
            file: given.has("with-filename"),
            line: given.has("line-number"),
            unwrap: given.has("unwrap"),
            end: end(given),
            style,
            links: has_links(given),
        })))
    };
    Ok(Printer::new(output, given.has("stats")))
}

/// Returns the byte after each line of output.
pub(crate) fn end(given: &Given) -> u8 {
    if given.has("null") { 0 } else { b'\n' }
}

/// Returns whether the output has line or message numbers.
fn has_numbers(given: &Given) -> Result<bool, Wrong> {
    let is_number = |field: &Field| ["line", "message"].contains(&field.name());
    Ok(match given.fields()? {
        _ if given.job.name == Name::Report => true,
        Some(fields) => fields.iter().any(is_number),
        None => given.has_any(&["json", "csv", "arrow", "parquet", "line-number"]),
    })
}

pub(crate) fn not_written(file: &Path, what: &str, why: &io::Error) -> Wrong {
    format!("{}: cannot write the {what}: {}", Escaped::path(file), status::unwritten(why)).into()
}

pub(crate) fn is_terminal(given: &Given) -> bool {
    given.path("output").is_none_or(is_stdin) && io::stdout().is_terminal()
}

/// Returns whether URLs are printed as links that can be clicked in a terminal.
fn has_links(given: &Given) -> bool {
    let term = std::env::var_os("TERM").unwrap_or_default();
    is_terminal(given) && style(given) == Style::Coloured && !["", "dumb", "linux"].iter().any(|plain| term == *plain)
}

/// Returns whether the output is coloured, and whether control characters are escaped for a terminal.
pub(crate) fn style(given: &Given) -> Style {
    let is_terminal = is_terminal(given);
    // By the convention of no-color.org, `NO_COLOR` disables colour, but not if its value is empty.
    let is_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    match given.text("color").as_deref() {
        Some("always") => Style::Coloured,
        None | Some("auto") if is_terminal && is_wanted => Style::Coloured,
        _ if is_terminal => Style::Shown,
        _ => Style::Raw,
    }
}

fn state(given: &Given, printer: &Printer) -> Result<Option<State>, Wrong> {
    let Some(file) = given.path("state") else { return Ok(None) };
    if standard_streams::is_closed_output() {
        let why = "the URLs would be lost, because no later run prints them";
        return Err(format!("{CLOSED_OUTPUT}, and {why}; to discard them, use > /dev/null").into());
    }
    let options: Vec<_> = given.flags().filter(|flag| flag.is_search).map(|flag| given.as_argument(&flag)).collect();
    let output = standard_streams::output().ok();
    Ok(Some(State::open(file, &options.join(&b' '), printer.is_streamed(), output)?))
}

/// Returns whether standard input is searched, or is the list of files.
fn reads_stdin(given: &Given) -> bool {
    given.reads_stdin() || given.path("files-from").is_some_and(is_stdin)
}

pub(crate) fn warn_if_input_is_closed(given: &Given) {
    if reads_stdin(given) && standard_streams::is_closed_input() {
        status::print_message(format_args!("{CLOSED_INPUT}; for an empty input, use < /dev/null"));
    }
}

/// Opens the output. If `is_for_programs` is true, the printer does not escape its output for a terminal.
pub(crate) fn output(given: &Given, is_for_programs: bool) -> Result<Target, Wrong> {
    if is_terminal(given) && is_for_programs {
        return Ok(Target::Terminal);
    }
    let path = given.path("output").filter(|_| given.job.name != Name::Report);
    path.map_or(Ok(Target::Stdout), |path| open(given, path, "output"))
}

/// Opens the file at `path` for writing. `what` says in error messages what is written.
fn open(given: &Given, path: &Path, what: &str) -> Result<Target, Wrong> {
    let stdin = given.reads_stdin().then_some(Path::new(STDIN));
    let inputs = given.paths().chain(given.path("files-from")).chain(stdin);
    Target::open(path, inputs).map_err(|error| not_written(path, what, &error))
}

/// Returns the hits of the files, and a receiver of messages about the list of `--files-from`. The report or the
/// Parquet file of an earlier run is not part of the archive.
pub(crate) fn hits(
    given: &Given,
    options: Options,
    output: &Target,
    report: Option<&Path>,
) -> Result<(Hits<FromPaths>, Receiver<String>), Wrong> {
    let (to_failures, failures) = mpsc::channel();
    let mut paths: Vec<_> = given.paths().map(PathBuf::from).collect();
    let extractor = Extractor::with(options);
    let hits = match given.path("files-from") {
        Some(file) => {
            let list = List::open(file, to_failures).map_err(|error| {
                let next = if error.kind() == io::ErrorKind::NotFound { "; check the name" } else { "" };
                format!("{}: cannot open the list of files: {error}{next}", Escaped::path(file))
            })?;
            extractor.lazy_paths(paths.into_iter().chain(list))
        }
        None => {
            if paths.is_empty() {
                paths.push(STDIN.into());
            }
            extractor.paths(paths)
        }
    };
    let globs = Globs::new(&given.texts("glob"))?;
    let hits = if globs.is_empty() { hits } else { hits.filter_files(move |path, is_dir| globs.select(path, is_dir)) };
    let report = report.filter(|path| path.is_file()).and_then(|path| File::open(path).ok());
    let hits = match (output.file().or(report.as_ref()), standard_streams::output()) {
        (Some(file), _) => hits.output(file),
        (None, Ok(file)) => hits.output(&file),
        (None, Err(_)) => hits,
    };
    Ok((hits, failures))
}
