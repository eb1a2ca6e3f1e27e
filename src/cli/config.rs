//! What was asked for: checked as a whole, then made into the objects that do it.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Error, FromArgMatches};
use urlspool::Extractor;

use super::args::{self, Args};
use super::check::Check;
use super::harmless::Harmless;
use super::input::{self, Paths};
use super::print::{Counts, Plain};
use super::select::{Readings, Select};

/// What is to be done.
pub(crate) enum Job {
    List(Box<List>),
    Check(Check),
}

/// The URLs of these paths, these of them, in this form.
pub(crate) struct List {
    pub(crate) extractor: Extractor,
    pub(crate) paths: Paths,
    pub(crate) select: Select,
    pub(crate) output: Output,
}

/// A form of output.
pub(crate) enum Output {
    Plain { layout: Plain, unique: bool },
    Json { unique: bool },
    Count(Counts),
}

impl Output {
    fn new(args: &Args) -> Output {
        let unique = args.unique;
        if args.json {
            return Output::Json { unique };
        }
        let end = if args.null { 0 } else { b'\n' };
        let terminal = io::stdout().is_terminal();
        if args.count {
            return Output::Count(Counts::new(args.with_filename || has_several_files(args), end, terminal));
        }
        let layout = Plain {
            file: args.with_filename,
            line: args.line_number,
            offset: args.byte_offset,
            message_id: args.message_id,
            end,
            terminal,
        };
        Output::Plain { layout, unique }
    }
}

/// Reads the arguments.
///
/// # Errors
///
/// If they make no sense, alone or together; the error says what to do. Help and version are errors too.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Job, Error> {
    let matches = Args::command().try_get_matches_from(arguments)?;
    let args = Args::from_arg_matches(&matches)?;
    if args.check { check(args, &matches) } else { list(args) }
}

fn list(args: Args) -> Result<Job, Error> {
    if let Some(message) = contradiction(&args) {
        return Err(conflict(message));
    }
    let list = match (&args.files_from, &args.files0_from) {
        (Some(file), _) => Some((file, b'\n')),
        (None, Some(file)) => Some((file, 0)),
        (None, None) => None,
    };
    if args.paths.is_empty() && list.is_none() && io::stdin().is_terminal() {
        return Err(error(
            ErrorKind::MissingRequiredArgument,
            "there is no PATH, and standard input is a terminal: name a file or a directory, or `-` to type a message",
        ));
    }
    let select = Select {
        schemes: args.scheme.clone(),
        forms: args.form.clone(),
        strict: args.strict,
        rejects: args.rejects,
        damage: args.verbose,
        readings: match (args.alternatives, args.hyphen) {
            (true, _) => Readings::All,
            (false, args::Hyphen::Both) => Readings::Hyphen,
            (false, _) => Readings::Best,
        },
    };
    let (extractor, output) = (extractor(&args), Output::new(&args));
    let paths = match list {
        None if args.paths.is_empty() => Paths::new(vec![PathBuf::from(input::STDIN)]),
        None => Paths::new(args.paths),
        Some((file, end)) => {
            let name = Harmless(file.as_os_str().as_encoded_bytes());
            let why = |e| error(ErrorKind::Io, &format!("{name}: the list of files cannot be opened: {e}"));
            Paths::new(args.paths).and_list(file, end).map_err(why)?
        }
    };
    Ok(Job::List(Box::new(List { extractor, paths, select, output })))
}

fn extractor(args: &Args) -> Extractor {
    Extractor::builder()
        .headers(match args.headers {
            args::Headers::Yes => urlspool::Headers::Yes,
            args::Headers::No => urlspool::Headers::No,
            args::Headers::Only => urlspool::Headers::Only,
        })
        .html(args.html == args::Html::Yes)
        .rejoin(match args.rejoin {
            args::Rejoin::Never => urlspool::Rejoin::Never,
            args::Rejoin::Likely => urlspool::Rejoin::Likely,
        })
        .hyphen(match args.hyphen {
            args::Hyphen::Keep | args::Hyphen::Both => urlspool::Hyphen::Keep,
            args::Hyphen::Drop => urlspool::Hyphen::Drop,
        })
        .format(args::format(&args.format))
        .threads(usize::from(args.threads))
        .follow_links(args.follow)
        .count_lines(args.json || args.line_number)
        .build()
}

/// Whether counts need names to tell them apart.
fn has_several_files(args: &Args) -> bool {
    let listed = args.files_from.is_some() || args.files0_from.is_some();
    listed || args.paths.len() > 1 || args.paths.iter().any(|path| path.is_dir())
}

/// The first two options that contradict each other, and what to do about it.
fn contradiction(args: &Args) -> Option<&'static str> {
    let fields = args.line_number || args.byte_offset || args.message_id;
    let both = args.hyphen == args::Hyphen::Both;
    let readings = args.alternatives || both;
    let is_stdin = |path: &Path| path == Path::new(input::STDIN);
    let list = args.files_from.as_deref().or(args.files0_from.as_deref());
    let rows = [
        (args.base.is_some(), "--base is for --check: urlspool --check --base BASE URL..."),
        (args.json && args.with_filename, "every JSON object has the file's name: leave out -H or --json"),
        (
            args.json && fields,
            "every JSON object has the line, the offset and the Message-ID: leave out -n, -b and -m, or --json",
        ),
        (args.json && args.null, "JSON objects have a line each: leave out --null or --json"),
        (args.json && args.count, "counts are not JSON: leave out --count or --json"),
        (
            args.json && args.alternatives,
            "every JSON object lists its alternatives: leave out --alternatives or --json",
        ),
        (args.json && both, "every JSON object lists its alternatives: leave out --hyphen both or --json"),
        (args.count && fields, "--count prints a line per file: leave out -n, -b and -m, or --count"),
        (args.count && args.unique, "--count counts every sight: leave it out, and use urlspool -u ... | wc -l"),
        (
            args.count && readings,
            "--count counts places, not readings: leave out --alternatives and --hyphen both, or --count",
        ),
        (
            args.rejects && readings,
            "what is no URL has no other readings: leave out --alternatives and --hyphen both, or --rejects",
        ),
        (
            args.files_from.is_some() && args.files0_from.is_some(),
            "there can be one list of files: leave out --files-from or --files0-from",
        ),
        (
            list.is_some_and(is_stdin) && args.paths.iter().any(|path| is_stdin(path)),
            "standard input cannot be both a message and the list of files: leave out one `-`",
        ),
    ];
    rows.into_iter().find_map(|(holds, message)| holds.then_some(message))
}

fn check(args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    const TAKEN: [&str; 5] = ["paths", "check", "base", "json", "strict"];
    let given = |id: &clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let is_option = |id: &&clap::Id| Args::command().get_arguments().any(|argument| argument.get_id() == *id);
    let other = matches.ids().filter(is_option).find(|id| given(id) && !TAKEN.contains(&id.as_str()));
    if let Some(id) = other {
        let option = id.as_str().replace('_', "-");
        return Err(conflict(&format!("--check takes URLs and reads no files: leave out --{option} or --check")));
    }
    if args.paths.is_empty() {
        return Err(error(
            ErrorKind::MissingRequiredArgument,
            "--check needs a URL: urlspool --check http://host/path",
        ));
    }
    let urls = args.paths.into_iter().map(|path| path.into_os_string().into_encoded_bytes()).collect();
    Check::new(urls, args.base, args.strict, args.json)
        .map(Job::Check)
        .map_err(|message| error(ErrorKind::ValueValidation, &message))
}

fn conflict(message: &str) -> Error {
    error(ErrorKind::ArgumentConflict, message)
}

fn error(kind: ErrorKind, message: &str) -> Error {
    Args::command().error(kind, message)
}
