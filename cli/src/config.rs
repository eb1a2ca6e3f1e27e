//! Parses the command line, checks that the options work together, and creates the [`Job`] to run.

mod tasks;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory, Error, FromArgMatches, ValueEnum};
use urlspool::fields::FIELDS;
use urlspool::{Extractor, FromPaths, Hits, InvalidValue, Url};

use crate::args::conflicts::conflict_of;
use crate::args::foreign_flags;
use crate::args::{self, Args, values};
use crate::check::Check;
use crate::escaped::Escaped;
use crate::filter::hits::Target;
use crate::globs::Globs;
use crate::list::filter_report;
use crate::list::input::{self, List as FileList, Paths};
use crate::list::output;
use crate::list::progress::Progress;
use crate::list::select::{Readings, Select};
use crate::print::{
    Context, Counts, Histogram, Json, Layout, Order, Output, Plain, Printer, Separator, Sheet, Style, Table,
};
#[cfg(feature = "parquet")]
use crate::print::{Parquet, Row};
use crate::report::{About, Report};
use crate::show::Show;
use crate::standard_streams::{self, CLOSED_INPUT, CLOSED_OUTPUT};
use crate::state::State;
use crate::status;
use crate::tasks::Tasks;

pub(crate) use self::tasks::of_task;

pub(crate) enum Job {
    List(Box<List>),
    Filter(Box<Filter>),
    Check(Check),
    Show(Show),
    Tasks(Tasks),
    Generate(args::Generate),
    Schemes,
    /// Prints the short help. This is the job if urlspool is called without arguments and standard input is a terminal.
    Help,
}

/// Lists the URLs in files and directories.
pub(crate) struct List {
    pub(crate) hits: Hits<FromPaths>,
    /// Receives warnings and errors about the list of `--files-from`, each as one line.
    pub(crate) failures: Receiver<String>,
    pub(crate) select: Select,
    /// Whether the URLs of a repeated message are skipped (`--once`).
    pub(crate) once: bool,
    pub(crate) printer: Printer,
    pub(crate) progress: Progress,
    pub(crate) output: output::Output,
    pub(crate) state: Option<State>,
}

/// Copies a message from standard input to standard output and records its URLs (`--tee`).
pub(crate) struct Filter {
    pub(crate) extractor: Extractor,
    pub(crate) select: Select,
    pub(crate) printer: Printer,
    /// Where the URLs are written (`--hits`).
    pub(crate) hits: Option<Target>,
    /// The byte after each line of output: a line feed, or with `--null` a null byte.
    pub(crate) end: u8,
    /// Whether the URLs are added to the message as header fields (`--add-header`).
    pub(crate) add_header: bool,
    /// Whether errors and diagnostics are printed on standard error.
    pub(crate) verbose: bool,
}

fn end(args: &Args) -> u8 {
    if args.null { 0 } else { b'\n' }
}

fn printer(args: &Args, style: Style) -> Result<Printer, Error> {
    let plain = Plain {
        file: args.with_filename,
        line: args.line_number,
        offset: args.byte_offset,
        message_id: args.message_id,
        unwrap: args.unwrap,
        end: end(args),
        style,
        links: links(args),
    };
    let order = match args.sort {
        None => Order::Input,
        Some(args::SortBy::Url) => Order::Url,
        Some(args::SortBy::Count) => Order::Count,
    };
    let lines = |layout| Output::Lines(Sheet::new(layout, order, args.unique, args.max_count));
    let separator = match () {
        () if args.csv => Some(Separator::Comma),
        () if args.tsv => Some(Separator::Tab),
        () => None,
    };
    let fields = args.output_fields();
    if let Some(wrong) = args.wrong_field() {
        return Err(error(ErrorKind::ValueValidation, &wrong));
    }
    let columns =
        || fields.clone().unwrap_or_else(|| FIELDS.iter().filter(|field| !field.is_extra()).copied().collect());
    let table =
        |separator| lines(Layout::Table(Table { separator, columns: columns(), has_header: true, style: Style::Raw }));
    #[cfg(feature = "parquet")]
    if let Some(file) = &args.parquet {
        let fields = columns();
        let parquet = Parquet::new(file, &fields).map_err(|e| not_written(file, "Parquet file", &e))?;
        let sheet = Sheet::new(Layout::Row(Row { fields }), order, args.unique, args.max_count);
        return Ok(Printer::new(Output::Parquet(sheet, Box::new(parquet)), args.stats));
    }
    let output = match (&args.report, args.histogram, args.context()) {
        (Some(file), ..) => Output::Report(report(file, args)?),
        (_, Some(kind), _) => Output::Histogram(Histogram::new(kind, style, separator, args.unique, args.max_count)),
        (.., Some((before, after))) => lines(Layout::Context(Context { plain, before, after })),
        _ if args.count || args.files_with_matches => {
            let names = args.with_filename || args.has_several_files();
            let names_left = args.files_with_matches.then(|| args.max_count.unwrap_or(u64::MAX));
            Output::Counts(Counts { names, end: end(args), style, names_left })
        }
        _ if args.json => lines(Layout::Json(Json::new(fields))),
        _ => match separator {
            Some(separator) => table(separator),
            None if fields.is_some() => {
                lines(Layout::Table(Table { separator: Separator::Tab, columns: columns(), has_header: false, style }))
            }
            None => lines(Layout::Plain(plain)),
        },
    };
    Ok(Printer::new(output, args.stats))
}

fn report(file: &Path, args: &Args) -> Result<Report, Error> {
    let has_list = args.list_of_files().is_some();
    let about = About { paths: args.paths.clone(), has_list, options: args.given.clone() };
    Report::new(file, about).map_err(|e| not_written(file, "report", &e))
}

fn not_written(file: &Path, what: &str, why: &io::Error) -> Error {
    let name = Escaped::path(file);
    let next = if why.kind() == io::ErrorKind::NotFound { "; create its directory first" } else { "" };
    error(ErrorKind::Io, &format!("{name}: cannot write the {what}: {why}{next}"))
}

fn is_terminal(args: &Args) -> bool {
    args.output.as_deref().is_none_or(|path| path == Path::new(input::STDIN)) && io::stdout().is_terminal()
}

/// Returns whether URLs are printed as links that can be clicked in a terminal.
fn links(args: &Args) -> bool {
    match args.hyperlink {
        args::When::Always => true,
        args::When::Auto => {
            let term = std::env::var_os("TERM").unwrap_or_default();
            is_terminal(args) && !["", "dumb", "linux"].iter().any(|plain| term == *plain)
        }
        args::When::Never => false,
    }
}

/// Returns whether the output is coloured, and whether control characters are escaped for a terminal.
fn style(args: &Args) -> Style {
    let terminal = is_terminal(args);
    // By the convention of no-color.org, `NO_COLOR` disables colour, but not if its value is empty.
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    match args.color {
        args::When::Always => Style::Coloured,
        args::When::Auto if terminal && wanted => Style::Coloured,
        _ if terminal => Style::Shown,
        _ => Style::Raw,
    }
}

/// Parses the arguments.
///
/// # Errors
///
/// If an option is wrong, or if options cannot be used together. clap also returns `--help` and `--version` as errors.
pub(crate) fn read(arguments: &[OsString]) -> Result<Job, Error> {
    let with_advice = |wrong: Error| match foreign_flags::advice(&wrong, arguments) {
        Some(advice) => error(ErrorKind::ValueValidation, &advice),
        None => wrong,
    };
    let matches = args::command(arguments).try_get_matches_from(arguments).map_err(with_advice)?;
    let args = Args { given: given(&matches), arguments: arguments.to_vec(), ..Args::from_arg_matches(&matches)? };
    match args.generate {
        Some(what) => Ok(Job::Generate(what)),
        None if args.list_schemes => Ok(Job::Schemes),
        None if args.check => check(args, &matches),
        None if args.show.is_some() => show(args, &matches),
        None if args.files => tasks::files(&args, &matches),
        None if args.manifest.is_some() => tasks::manifest(args, &matches),
        None if args.task.is_some() => tasks::run(args, &matches),
        None if args.merge.is_some() => tasks::merge(args, &matches),
        None if !matches.args_present() && io::stdin().is_terminal() => Ok(Job::Help),
        None => match conflict_of(&args) {
            Some(message) => Err(conflict(message)),
            None if args.tee => filter(&args, &matches),
            None => list(&args, &matches),
        },
    }
}

/// Returns whether the arguments contain an option of the mail filter, such as `--tee`. The arguments need not be
/// valid: after invalid arguments, the filter exits with the status 75, so that the mail system keeps the message and
/// tries again later.
pub(crate) fn is_filter(arguments: &[OsString]) -> bool {
    let options =
        arguments.iter().map(|argument| argument.as_encoded_bytes()).take_while(|argument| *argument != b"--");
    options.into_iter().any(|argument| {
        [&b"--tee"[..], b"--hits", b"--add-header"].contains(&argument) || argument.starts_with(b"--hits=")
    })
}

/// The options that can differ between runs with the same state file, because they do not affect which URLs are found.
/// The state file records the values of all other options.
const LAYOUT: &str = "paths state files_from files0_from with_filename line_number byte_offset message_id null json csv tsv fields parquet \
                      count histogram context before_context after_context report stats unique sort hyperlink threads verbose progress color";

fn state(args: &Args, matches: &ArgMatches, printer: &Printer) -> Result<Option<State>, Error> {
    let Some(file) = &args.state else { return Ok(None) };
    if standard_streams::is_closed_output() {
        let why = "the URLs would be lost, because no later run prints them";
        return Err(error(ErrorKind::Io, &format!("{CLOSED_OUTPUT}, and {why}; to discard them, use > /dev/null")));
    }
    let command = Args::command();
    let mut options = Vec::new();
    for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
        let id = argument.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given || LAYOUT.split_ascii_whitespace().any(|layout| layout == id) {
            continue;
        }
        let values: Vec<_> = matches.get_raw(id).into_iter().flatten().map(OsStr::as_encoded_bytes).collect();
        let separator: &[u8] = if options.is_empty() { b"--" } else { b" --" };
        options.extend_from_slice(separator);
        options.extend_from_slice(id.replace('_', "-").as_bytes());
        if argument.get_action().takes_values() {
            options.push(b'=');
            options.extend_from_slice(&values.join(&b','));
        }
    }
    let state = State::open(file, &options, printer.is_streamed(), standard_streams::output().ok());
    state.map(Some).map_err(|why| error(ErrorKind::Io, &why))
}

fn list(args: &Args, matches: &ArgMatches) -> Result<Job, Error> {
    let list = args.list_of_files();
    if args.paths.is_empty() && list.is_none() && io::stdin().is_terminal() {
        return Err(missing(
            "no PATH is given, and standard input is a terminal; name a file or a directory, or use `-` to type a \
             message",
        ));
    }
    if let Some(value) = separate_value_of_sort(args) {
        let message = format!("{value}: no such file or directory; to sort by {value}, use --sort={value}");
        return Err(error(ErrorKind::ValueValidation, &message));
    }
    let (select, printer) = (select(args), printer(args, style(args))?);
    let is_watched = args.progress == args::Bar::Auto && io::stderr().is_terminal();
    // To show a percentage, the progress line needs the total size of the files. This size is unknown if the paths come
    // from a list, or if urlspool reads only a part of the files.
    let is_known = list.is_none() && args.byte_range.is_none() && args.shard.is_none();
    let progress =
        Progress::new(is_watched.then(|| if is_known { args.paths.clone() } else { Vec::new() }), is_terminal(args));
    if args.paths.iter().any(|path| is_stdin(path)) || list.map_or(args.paths.is_empty(), |(file, _)| is_stdin(file)) {
        warn_if_input_is_closed();
    }
    let (paths, failures) = paths(args)?;
    let (output, state) = (output(args)?, state(args, matches, &printer)?);
    let hits = hits(args, paths, &output)?;
    let hits = match &state {
        Some(state) => hits.resume(state.decide()),
        None => hits,
    };
    let once = args.once;
    Ok(Job::List(Box::new(List { hits, failures, select, once, printer, progress, output, state })))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new(input::STDIN)
}

fn warn_if_input_is_closed() {
    if standard_streams::is_closed_input() {
        status::print_message(format_args!("{CLOSED_INPUT}; for an empty input, use < /dev/null"));
    }
}

/// Returns the first PATH that was probably meant as the value of `--sort`, such as `count` in `--sort count`. Such a
/// PATH is the name of a sort order, and no file has this name. clap reads it as a PATH, because a value of `--sort`
/// needs `=`.
fn separate_value_of_sort(args: &Args) -> Option<&str> {
    let is_value = |name: &str| args::SortBy::from_str(name, false).is_ok() && !Path::new(name).exists();
    let is_given = args.arguments.iter().any(|argument| argument == "--sort");
    args.paths.iter().filter_map(|path| path.to_str()).find(|name| is_given && is_value(name))
}

/// Returns the paths to read, and a receiver of messages about the list of `--files-from`.
fn paths(args: &Args) -> Result<(Paths, Receiver<String>), Error> {
    let (to_failures, failures) = mpsc::channel();
    let mut paths = Paths { named: args.paths.clone(), list: None };
    match args.list_of_files() {
        None if args.paths.is_empty() => paths.named = vec![input::STDIN.into()],
        None => {}
        Some((file, end)) => {
            let name = Escaped::path(file);
            let why = |e: io::Error| {
                let next = if e.kind() == io::ErrorKind::NotFound { "; check the name" } else { "" };
                error(ErrorKind::Io, &format!("{name}: cannot open the list of files: {e}{next}"))
            };
            paths.list = Some(FileList::open(file, end, to_failures).map_err(why)?);
        }
    }
    Ok((paths, failures))
}

/// The options that can be used with `--tee`.
const OF_FILTER: &str = "tee hits add_header verbose scheme form host tier strict headers html hyphen rejoin min_confidence defanged no_twins format";

/// The additional options that can be used if both `--tee` and `--hits` are given.
const OF_HITS: &str =
    "with_filename line_number byte_offset message_id json fields null count unique unwrap alternatives rejects";

fn filter(args: &Args, matches: &ArgMatches) -> Result<Job, Error> {
    if !args.paths.is_empty() {
        return Err(conflict("--tee reads only standard input; remove the PATH or --tee"));
    }
    if args.hits.is_none() && !args.add_header {
        return Err(missing("--tee needs a place for the URLs; add --hits FILE or --add-header"));
    }
    let accepted = if args.hits.is_some() { &format!("{OF_FILTER} {OF_HITS}") } else { OF_FILTER };
    match other_option(matches, accepted) {
        Some(option) if OF_HITS.split(' ').any(|of_hits| of_hits == option) => {
            return Err(conflict(&format!("{} needs --hits; add --hits FILE", as_written(args, option))));
        }
        Some(option) => {
            let option = as_written(args, option);
            return Err(conflict(&format!("{option} does not work with --tee; remove one of them")));
        }
        None => {}
    }
    let wrong = |message| error(ErrorKind::ValueValidation, message);
    let hits = args.hits.as_deref().map(Target::new).transpose().map_err(wrong)?;
    Ok(Job::Filter(Box::new(Filter {
        extractor: set(extractor(args), "format", if args.add_header { "message" } else { &args.format }),
        select: select(args),
        printer: printer(args, Style::Raw)?,
        hits,
        end: end(args),
        add_header: args.add_header,
        verbose: args.verbose,
    })))
}

fn select(args: &Args) -> Select {
    Select {
        schemes: args.scheme.clone(),
        forms: args.form.clone(),
        hosts: args::joined(&args.host),
        tiers: args.tier.clone(),
        strict: args.strict,
        rejects: args.rejects,
        messages: filter_report::options(args),
        damage: args.verbose,
        readings: match (args.alternatives, args.hyphen) {
            (true, _) => Readings::All,
            (false, args::Hyphen::Both) => Readings::Hyphen,
            (false, _) => Readings::Best,
        },
    }
}

fn extractor(args: &Args) -> Extractor {
    let parts = match (&args.headers, args.html == args::Html::Yes) {
        (args::Headers::Yes, true) => "headers,text,html",
        (args::Headers::Yes, false) => "headers,text",
        (args::Headers::No, true) => "text,html",
        (args::Headers::No, false) => "text",
        (args::Headers::Only, _) => "headers",
    };
    let join = match args.rejoin {
        args::Rejoin::Never => "never",
        args::Rejoin::Likely => &args.min_confidence.min(100).to_string(),
    };
    let values = [
        ("in", parts),
        ("defanged", &args.defanged.to_string()),
        ("twins", &(!args.no_twins).to_string()),
        ("join", join),
        ("hyphen", if args.hyphen == args::Hyphen::Drop { "drop" } else { "keep" }),
        ("count-lines", &args.counts_lines().to_string()),
    ];
    values.into_iter().fold(Extractor::new(), |extractor, (name, value)| set(extractor, name, value))
}

/// Sets an option to a value that is known to be valid.
fn set(extractor: Extractor, name: &str, value: &str) -> Extractor {
    extractor.set(name, value).unwrap_or_else(|why| panic!("{why}"))
}

fn globs(args: &Args) -> Result<Globs, Error> {
    let mut globs = Globs::new();
    let exclude = args.exclude.iter().map(|glob| format!("!{glob}"));
    for (option, glob) in
        args.glob.iter().map(|glob| ("--glob", glob.clone())).chain(exclude.map(|glob| ("--exclude", glob)))
    {
        globs.add(&glob).map_err(|why| error(ErrorKind::ValueValidation, &format!("{option}: {why}")))?;
    }
    Ok(globs)
}

fn output(args: &Args) -> Result<output::Output, Error> {
    let is_for_programs = args.json || args.csv || args.tsv || args.manifest.is_some();
    if is_terminal(args) && (is_for_programs || args.task.is_some() || args.merge.is_some()) {
        return Ok(output::Output::Terminal);
    }
    let Some(path) = &args.output else { return Ok(output::Output::Stdout) };
    let list = args.list_of_files().map(|(file, _)| file);
    let stdin = (args.paths.is_empty() && list.is_none()).then_some(Path::new(input::STDIN));
    let tasks = [&args.task, &args.merge].into_iter().flatten().map(PathBuf::as_path);
    let inputs = args.paths.iter().map(PathBuf::as_path).chain(list).chain(stdin).chain(tasks);
    output::Output::open(path, inputs).map_err(|e| {
        let next = if e.kind() == io::ErrorKind::NotFound { "; create its directory first" } else { "" };
        error(ErrorKind::Io, &format!("{}: cannot write the output: {e}{next}", Escaped::path(path)))
    })
}

/// Joins the values of a repeated option. Returns `None` if the option was not given.
fn joined(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(","))
}

fn hits(args: &Args, paths: Paths, output: &output::Output) -> Result<Hits<FromPaths>, Error> {
    let mut extractor = extractor(args).threads(usize::from(args.threads));
    let texts = [
        ("format", Some(args.format.clone())),
        ("follow", Some(args.follow.to_string())),
        ("since", args.since.map(|seconds| format!("@{seconds}"))),
        ("until", args.until.map(|seconds| format!("@{seconds}"))),
        ("mail-only", Some(args.mail_only.to_string())),
        ("newsgroup", joined(&args.newsgroup)),
        ("list", joined(&args.list)),
        ("byte-range", args.byte_range.clone()),
        ("shard", args.shard.clone()),
        ("max-message", args.max_message.clone()),
    ];
    for (name, value) in texts {
        let Some(value) = value else { continue };
        let wrong = |why: InvalidValue| error(ErrorKind::ValueValidation, &why.to_string());
        extractor = extractor.set(name, &value).map_err(wrong)?;
    }
    let hits = match paths {
        Paths { named, list: None } => extractor.paths(named),
        Paths { named, list: Some(list) } => extractor.lazy_paths(named.into_iter().chain(list)),
    };
    let globs = globs(args)?;
    let hits = match globs.is_empty() {
        false => hits.filter_files(move |path, is_directory| globs.select(path, is_directory)),
        true => hits,
    };
    // The report of an earlier run is not part of the archive.
    let report = args.report.as_ref().filter(|path| path.is_file()).and_then(|path| File::open(path).ok());
    Ok(match (output.file().or(report.as_ref()), standard_streams::output()) {
        (Some(file), _) => hits.output(file),
        (None, Ok(file)) => hits.output(&file),
        (None, Err(_)) => hits,
    })
}

fn check(args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, "paths check base json strict") {
        let option = as_written(&args, option);
        return Err(conflict(&format!("{option} does not work with --check; remove one of them")));
    }
    if args.paths.is_empty() {
        return Err(missing("--check needs a URL, as in urlspool --check http://host/path"));
    }
    if let Some(Err(wrong)) = args.base.as_deref().map(|base| Url::parse(base.as_bytes())) {
        let message = format!("--base is not a URL: {wrong}; give an absolute URL, with its scheme");
        return Err(error(ErrorKind::ValueValidation, &message));
    }
    if args.paths.iter().any(|path| is_stdin(path)) {
        warn_if_input_is_closed();
    }
    let urls = args.paths.into_iter().map(|path| path.into_os_string().into_encoded_bytes()).collect();
    Ok(Job::Check(Check { urls, base: args.base, strict: args.strict, json: args.json }))
}

fn show(args: Args, matches: &ArgMatches) -> Result<Job, Error> {
    if let Some(option) = other_option(matches, "show format") {
        let option = if option == "paths" { "the other PATH".to_owned() } else { as_written(&args, option) };
        return Err(conflict(&format!("--show prints one message and nothing else; remove {option} or --show")));
    }
    let (file, number) = values::message(&args.show.unwrap_or_default());
    if let Some((before, _)) = file.to_str().and_then(|name| name.rsplit_once(':'))
        && !file.exists()
        && Path::new(before).is_file()
    {
        let (file, before) = (Escaped::path(&file), Escaped(before.as_bytes()));
        let why = format!("--show: {file}: wrong message number; numbers count from 1, as in {before}:1");
        return Err(error(ErrorKind::ValueValidation, &why));
    }
    if file.is_dir() {
        let why = format!("--show: {} is a directory; name one of the files in it", Escaped::path(&file));
        return Err(error(ErrorKind::ValueValidation, &why));
    }
    // Only the boundaries of messages are needed, so parse as little as possible.
    let values = [("in", "headers"), ("format", &args.format), ("max-message", "1G")];
    let extractor = values.into_iter().fold(Extractor::new(), |extractor, (name, value)| set(extractor, name, value));
    Ok(Job::Show(Show { file, number, extractor }))
}

/// Returns the first option on the command line whose name is not in `accepted`. The names in `accepted` are separated
/// by spaces.
fn other_option<'m>(matches: &'m ArgMatches, accepted: &str) -> Option<&'m str> {
    let given = |id: &clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let command = Args::command();
    let is_option = |id: &&clap::Id| command.get_arguments().any(|argument| argument.get_id() == *id);
    let other =
        matches.ids().filter(is_option).find(|id| given(id) && accepted.split(' ').all(|name| name != id.as_str()));
    other.map(clap::Id::as_str)
}

/// Returns the options on the command line that `--report` shows on its page, each with its values.
fn given(matches: &ArgMatches) -> Vec<String> {
    const OTHERS: [&str; 7] = ["paths", "report", "threads", "stats", "verbose", "progress", "color"];
    let command = Args::command();
    let options = command.get_arguments().filter(|option| {
        let id = option.get_id().as_str();
        !OTHERS.contains(&id) && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    let text = |option: &Arg| {
        let values = matches.get_raw(option.get_id().as_str()).into_iter().flatten();
        let values: Vec<_> = values.map(|value| Escaped(value.as_encoded_bytes()).to_string()).collect();
        let name = long(option.get_id().as_str());
        if option.get_action().takes_values() { format!("{name} {}", values.join(",")) } else { name }
    };
    options.map(text).collect()
}

/// Returns the long form of an option: `--line-number` for the id `line_number`.
fn long(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Returns an option as the user wrote it, for error messages: `--unique` or `-u`, for example.
fn as_written(args: &Args, id: &str) -> String {
    let long = long(id);
    let is_long = |argument: &OsString| {
        let rest = argument.as_encoded_bytes().strip_prefix(long.as_bytes());
        rest.is_some_and(|rest| matches!(rest, [] | [b'=', ..]))
    };
    let command = Args::command();
    let option = command.get_arguments().find(|argument| argument.get_id() == id);
    match option.and_then(Arg::get_short) {
        Some(short) if !args.arguments.iter().any(is_long) => format!("-{short}"),
        _ => long,
    }
}

fn conflict(message: &str) -> Error {
    error(ErrorKind::ArgumentConflict, message)
}

fn missing(message: &str) -> Error {
    error(ErrorKind::MissingRequiredArgument, message)
}

/// Creates an error for clap to print. clap prints the usage after the message, except if the error is in a value or a
/// file.
fn error(kind: ErrorKind, message: &str) -> Error {
    let mut command = Args::command();
    match kind {
        ErrorKind::Io | ErrorKind::ValueValidation => Error::raw(kind, format!("{message}\n")).with_cmd(&command),
        _ => command.error(kind, message),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
