//! Creates the [`Job`] for `--files`, `--manifest`, `--task` or `--merge`. Another option that does not work with it is
//! an error.

use std::ffi::OsStr;
use std::sync::mpsc::Receiver;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Error, FromArgMatches};

use super::{
    Job, as_written, conflict, end, error, hits, is_terminal, long, missing, other_option, output, paths, printer,
    select,
};
use crate::args::Args;
use crate::args::conflicts::conflict_of;
use crate::list::input::Paths;
use crate::list::select::Select;
use crate::print::{Printer, Style};
use crate::tasks::{Files, Manifest, Merge, Run, Tasks};

/// The options that select files, and `--output`.
const OF_WALK: &str = "paths files_from files0_from glob exclude follow shard mail_only format output";

/// The options that affect which URLs are found. `--manifest` stores their values in every task.
const OF_SEARCH: &str =
    "since until newsgroup list max_message headers html hyphen rejoin min_confidence defanged no_twins";

/// The options that select which URLs and fields a task prints. `--manifest` stores them in every task, as arguments of
/// a command line.
const OF_ROWS: &str = "scheme form host tier strict rejects fields";

/// Like [`paths`], but returns an error that names `option` if the command line has neither a path nor a list of files.
fn named_paths(args: &Args, option: &str) -> Result<(Paths, Receiver<String>), Error> {
    if args.paths.is_empty() && args.list_of_files().is_none() {
        return Err(missing(&format!("{option} needs the name of a file or a directory; add a PATH")));
    }
    paths(args)
}

pub(super) fn files(args: &Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, &format!("files json null {OF_WALK}")) {
        let option = as_written(args, option);
        return Err(conflict(&format!("{option} does not work with --files; remove one of them")));
    }
    if args.json && args.null {
        return Err(conflict("--json cannot end lines with NUL; remove --null or --json"));
    }
    let (paths, failures) = named_paths(args, "--files")?;
    let (is_terminal, output) = (is_terminal(args), output(args)?);
    let files = Box::new(hits(args, paths, &output)?.files());
    let files = Files { files, failures, output, is_json: args.json, is_terminal, end: end(args) };
    Ok(Job::Tasks(Tasks::Files(Box::new(files))))
}

pub(super) fn manifest(mut args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, &format!("manifest {OF_WALK} {OF_SEARCH} {OF_ROWS}")) {
        let why = "each task runs on its own and prints JSON";
        let option = as_written(&args, option);
        return Err(conflict(&format!("{option} does not work with --manifest, because {why}; remove {option}")));
    }
    // Tasks always print JSON, so check the other options as if `--json` were given.
    args.json = true;
    if let Some(message) = conflict_of(&args) {
        return Err(conflict(message));
    }
    if let Some(wrong) = args.wrong_field() {
        return Err(error(ErrorKind::ValueValidation, &wrong));
    }
    let (paths, failures) = named_paths(&args, "--manifest")?;
    let output = output(&args)?;
    let tasks = hits(&args, paths, &output)?.manifest(args.manifest.unwrap_or_default());
    let arguments = arguments(matches, OF_ROWS);
    let tasks = Box::new(tasks.map(move |task| task.map(|task| task.with_arguments(&arguments))));
    Ok(Job::Tasks(Tasks::Manifest(Box::new(Manifest { tasks, failures, output }))))
}

/// Returns the options on the command line whose names are in `names`, each as `--option=value`. [`of_task`] parses
/// them.
fn arguments(matches: &ArgMatches, names: &str) -> Vec<String> {
    let command = Args::command();
    let argument = |id: &str| {
        let argument = command.get_arguments().find(|argument| argument.get_id() == id)?;
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<_> = values.map(OsStr::to_string_lossy).collect();
        let text = if argument.get_action().takes_values() { format!("={}", values.join(",")) } else { String::new() };
        is_given.then(|| long(id) + &text)
    };
    names.split(' ').filter_map(argument).collect()
}

/// Parses the arguments that a task stores. Returns the selection of URLs and the printer of the task. The error is a
/// message about an invalid argument.
pub(crate) fn of_task(arguments: &[String], is_verbose: bool) -> Result<(Select, Printer), String> {
    let words = ["urlspool".to_owned(), "--json".to_owned()].into_iter().chain(arguments.iter().cloned());
    let parsed = Args::command().try_get_matches_from(words).and_then(|matches| {
        let is_other = other_option(&matches, &format!("json {OF_ROWS}")).is_some();
        Ok((Args::from_arg_matches(&matches)?, is_other))
    });
    let wrong = || format!("the arguments of the task are wrong: {}; make a new manifest", arguments.join(" "));
    let (mut args, is_other) = parsed.map_err(|_| wrong())?;
    if is_other || conflict_of(&args).is_some() {
        return Err(wrong());
    }
    args.verbose = is_verbose;
    let printer = printer(&args, Style::Raw).map_err(|_| wrong())?;
    Ok((select(&args), printer))
}

pub(super) fn run(args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, "task threads verbose output") {
        let other = if option == "paths" { "the PATH".to_owned() } else { as_written(&args, option) };
        let why = "the manifest already gives each task its files and options";
        return Err(conflict(&format!("{other} does not work with --task, because {why}; remove {other}")));
    }
    let output = output(&args)?;
    let (threads, is_verbose) = (usize::from(args.threads), args.verbose);
    let run = Run { list: args.task.unwrap_or_default(), threads, is_verbose, output: output.into() };
    Ok(Job::Tasks(Tasks::Run(run)))
}

pub(super) fn merge(args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, "merge paths output") {
        let option = as_written(&args, option);
        return Err(conflict(&format!("{option} does not work with --merge; remove one of them")));
    }
    if args.paths.is_empty() {
        return Err(missing("--merge needs the outputs of --task, as in urlspool --merge MANIFEST OUTPUT..."));
    }
    let output = output(&args)?;
    let merge = Merge { manifest: args.merge.unwrap_or_default(), outputs: args.paths, output };
    Ok(Job::Tasks(Tasks::Merge(merge)))
}
