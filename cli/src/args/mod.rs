//! The command line: which jobs and options it has, for clap and the help.

#[cfg(test)]
mod arguments_tests;
pub(crate) mod config;
pub(crate) mod conflicts;
pub(crate) mod flags;
mod foreign_flags;
mod given;
pub(crate) mod jobs;
pub(crate) mod notes;
pub(crate) mod values;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::Path;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};

use self::flags::{Flag, GROUPS};
pub(crate) use self::given::Given;
use self::jobs::{JOBS, Job, Name};
use crate::escaped::Escaped;

/// What the user has to correct: one sentence.
#[derive(Debug)]
pub(crate) struct Wrong(pub(crate) String);

impl<T: Into<String>> From<T> for Wrong {
    fn from(why: T) -> Wrong {
        Wrong(why.into())
    }
}

/// What the arguments ask for.
pub(crate) enum Asked {
    Job(Given),
    /// Text for standard output, such as the help.
    Text(String),
    /// The first help, for a call without arguments.
    FirstHelp,
}

/// Parses the arguments after the name of the program.
pub(crate) fn read(arguments: &[OsString]) -> Result<Asked, Wrong> {
    if arguments.is_empty() && io::stdin().is_terminal() {
        return Ok(Asked::FirstHelp);
    }
    let arguments = &*with_help_as_option(arguments);
    let (job, rest) = jobs::selected(arguments);
    if job.name == Name::Find && jobs::has_filter_option(rest) {
        return Err("`tee` must be the first word, as in urlspool tee -v --hits FILE".into());
    }
    if job.name == Name::Find && rest.first().is_some_and(|word| word == "tasks") && !Path::new("tasks").exists() {
        let steps = "urlspool tasks plan, urlspool tasks run or urlspool tasks merge";
        return match rest.get(1).is_some_and(|word| word == "-h" || word == "--help") {
            true => Ok(Asked::Text(format!("The steps are {steps}. Each has a help, as in urlspool tasks plan -h.\n"))),
            false => Err(format!("tasks needs a step: {steps}").into()),
        };
    }
    // An error in the file of defaults does not prevent the help.
    let (defaults, wrong) =
        config::defaults(job, rest).map_or_else(|wrong| (Vec::new(), Some(wrong)), |all| (all, None));
    let rest = &*match defaults.is_empty() {
        true => with_lines_of_stdin(job, rest),
        false => [defaults, rest.to_vec()].concat().into(),
    };
    let is_long = rest.iter().any(|argument| argument == "--help");
    let mut command = command(job);
    // Building the notes and the descriptions takes as long as the rest of the start, so only `--help` has them.
    if is_long {
        command = detailed(command, job).after_long_help(notes::help(job));
    } else {
        command = without_names(command);
    }
    match (command.no_binary_name(true).try_get_matches_from(rest), wrong) {
        // The help would take the place of the mail.
        (Err(error), _) if !error.use_stderr() && job.name == Name::Tee && rest.len() > 1 => {
            Err("tee prints its help only if -h is the only option; to name the file for the URLs, use --hits FILE"
                .into())
        }
        // clap also returns `--help` and `--version` as errors.
        (Err(error), _) if !error.use_stderr() => Ok(Asked::Text(error.render().to_string())),
        (_, Some(wrong)) => Err(wrong),
        (Ok(matches), None) => Given::new(job, matches, rest).map(Asked::Job),
        (Err(error), None) => Err(match foreign_flags::advice(&error, job, rest) {
            Some(advice) => advice.into(),
            None => sentence(&error, job).into(),
        }),
    }
}

/// Returns `help count` as `count --help`, unless there is a file of the name `help`.
fn with_help_as_option(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let Some((_, job)) = arguments.split_first().filter(|(word, _)| *word == "help" && !Path::new("help").exists())
    else {
        return arguments.into();
    };
    let is_job = |words: &[&str]| words.iter().take(job.len()).map(OsStr::new).eq(job.iter().map(OsString::as_os_str));
    match JOBS.iter().any(|row| is_job(row.words)) {
        true => [job, &["--help".into()]].concat().into(),
        false => arguments.into(),
    }
}

/// Moves an operand of `explain` such as `-:7` after a `--`, because it looks like an option.
fn with_lines_of_stdin<'a>(job: &Job, arguments: &'a [OsString]) -> Cow<'a, [OsString]> {
    let is_line = |argument: &&OsString| argument.as_encoded_bytes().starts_with(b"-:");
    if job.name != Name::Explain || !arguments.iter().any(|argument| is_line(&argument)) {
        return arguments.into();
    }
    let (lines, mut others): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|argument| is_line(&argument));
    if !others.iter().any(|argument| argument == "--") {
        others.push("--".into());
    }
    [others, lines].concat().into()
}

/// Hides the names of values, which only `--help` shows.
fn without_names(command: Command) -> Command {
    command.mut_args(|argument| {
        let has_values = argument.get_action().takes_values();
        argument.hide_possible_values(has_values)
    })
}

/// Returns an error of clap as one sentence.
fn sentence(error: &clap::Error, job: &Job) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(Escaped(text.as_bytes()).to_string()),
        Some(ContextValue::Strings(texts)) => texts.first().map(|text| Escaped(text.as_bytes()).to_string()),
        _ => None,
    };
    let named = context(ContextKind::InvalidArg).unwrap_or_default();
    let option = named.split(' ').next().unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let title = job.title();
            match context(ContextKind::SuggestedArg) {
                Some(other) => format!("unknown option {option}; did you mean {other}?"),
                None => format!("unknown option {option}; `urlspool {title} -h` lists the options"),
            }
        }
        ErrorKind::TooManyValues => format!("{option} takes no value; remove the value"),
        ErrorKind::InvalidValue => format!("{option} needs a value, as in {named}"),
        _ => error.to_string().trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned(),
    }
}

/// Returns the definition of a job for clap.
pub(crate) fn command(job: &Job) -> Command {
    let title = match job.name {
        Name::Find => "urlspool".to_owned(),
        _ => format!("urlspool {}", job.title()),
    };
    let operand = Arg::new(Given::OPERANDS)
        .value_name(job.operands)
        .action(ArgAction::Append)
        .num_args(0..)
        .value_parser(clap::builder::OsStringValueParser::new())
        .hide(true);
    let operand = match flags::all().find(|flag| flag.name == Given::OPERANDS) {
        Some(flag) if job.name == Name::Generate => operand.value_parser(flag),
        _ => operand,
    };
    let mut command = Command::new("urlspool")
        .bin_name(title)
        .version(env!("CARGO_PKG_VERSION"))
        .about(match job.name {
            Name::Find => "Finds the URLs in mail and news archives",
            _ => job.summary(),
        })
        .long_about(job.documentation())
        .override_usage(job.usage())
        .after_help(notes::after(job))
        .max_term_width(100)
        .args_override_self(true)
        .disable_help_subcommand(true)
        .arg(operand);
    for flag in flags::all().filter(|flag| flag.is_of(job.name)) {
        command = command.arg(argument(flag));
    }
    command
}

/// Adds the complete descriptions of the options, for `--help` and the man page.
pub(crate) fn detailed(command: Command, job: &Job) -> Command {
    let flags = flags::all().filter(|flag| flag.is_of(job.name));
    flags.fold(command, |command, flag| command.mut_arg(flag.name, |argument| argument.long_help(flag.documentation())))
}

/// Returns the definition of all jobs, for the completions.
pub(crate) fn all_commands() -> Command {
    // Without a name of its own, `find` would have the name of the whole command, which clap_complete does not support.
    let named = |job: &Job, name: &'static str| command(job).name(name).bin_name(format!("urlspool {}", job.title()));
    let mut tasks = Command::new("tasks").about("Divide a search into tasks for several machines");
    let mut all = command(Name::Find.job());
    for job in JOBS {
        match job.words {
            [name] => all = all.subcommand(named(job, name)),
            [_, name] => tasks = tasks.subcommand(named(job, name)),
            _ => {}
        }
    }
    all.subcommand(tasks)
}

fn argument(flag: Flag) -> Arg {
    let group = GROUPS.iter().find(|group| **group == flag.group).copied();
    let argument = Arg::new(flag.name).long(flag.name).short(flag.short).help_heading(group);
    // The fields are too many for the help. The man page lists them.
    let is_hidden = flag.name == "fields";
    let argument = argument.help(flag.summary()).hide_possible_values(is_hidden);
    if flag.value.is_empty() {
        return argument.action(ArgAction::SetTrue);
    }
    // A value can begin with a hyphen, as in `--since -7d`. The check of the value then says what is wrong.
    let argument = argument.value_name(flag.value).allow_hyphen_values(flag.is_checked());
    let argument = if flag.is_list() { argument.value_delimiter(',') } else { argument };
    let argument = argument.action(if flag.is_joined() { ArgAction::Append } else { ArgAction::Set });
    argument.value_parser(flag)
}

/// Checks the values of an option.
impl TypedValueParser for Flag {
    type Value = OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<OsString, clap::Error> {
        let trimmed = value.to_str().filter(|_| self.is_list()).map(|text| OsStr::new(text.trim()));
        let value = trimmed.unwrap_or(value);
        let checked = match value.to_str() {
            _ if value.is_empty() && self.is_list() => {
                Err("a value is empty; remove the comma, or check the shell variable that it comes from".to_owned())
            }
            _ if value.is_empty() => Err("the value is empty; check the shell variable that it comes from".to_owned()),
            Some(text) => self.check(text),
            None if self.is_checked() => Err("the value is not UTF-8".to_owned()),
            None => Ok(()),
        };
        checked.map(|()| value.to_owned()).map_err(|why| {
            let is_empty = value.is_empty();
            let value = Escaped(value.as_encoded_bytes());
            // The error of the library repeats the value.
            let text = match self.name {
                Given::OPERANDS => format!("unknown name {value}: {why}"),
                name if is_empty => format!("--{name}: {why}"),
                name => format!("--{name} {value}: {why}"),
            };
            clap::Error::raw(ErrorKind::ValueValidation, text)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = self.names();
        // Other values are possible if the option also takes a number or a pattern, but all names are shown.
        (!names.is_empty()).then(|| -> Box<dyn Iterator<Item = PossibleValue>> {
            Box::new(names.into_iter().map(|(name, about)| PossibleValue::new(name).help(about)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::jobs::JOBS;
    use super::{GROUPS, command, flags};

    #[test]
    fn clap_accepts_the_definitions() {
        super::all_commands().debug_assert();
        JOBS.iter().for_each(|job| command(job).debug_assert());
    }

    #[test]
    fn the_short_help_has_one_line_per_option_in_80_columns() {
        for job in JOBS {
            let command = super::without_names(command(job));
            let help = command.term_width(80).render_help().to_string();
            let is_option = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
            let count = flags::all().filter(|flag| flag.is_of(job.name)).count();
            // clap adds `--help` and `--version`.
            assert_eq!(help.lines().filter(is_option).count(), count + 2, "{help}");
            let texts = help.lines().skip_while(|line| !line.ends_with("Options:"));
            let is_group = |line: &&str| {
                line.ends_with("Options:") || GROUPS.iter().any(|group| line.trim_end_matches(':') == *group)
            };
            let mut texts = texts
                .filter(|line| !line.is_empty())
                .take_while(|line| line.starts_with(' ') || is_group(line))
                .filter(|line| line.starts_with(' '));
            assert!(texts.all(|line| is_option(&line)), "{help}");
        }
    }

    #[test]
    fn a_search_has_at_most_45_options() {
        let of_find = flags::all().filter(|flag| flag.is_of(super::Name::Find)).count();
        // Every job also has `--help` and `--version`.
        assert!(of_find <= 45, "{of_find} options");
    }
}
