//! The parsed arguments of a job.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;
use urlspool::{OptionKind, Options};

use super::Wrong;
use super::flags::{self, ALL, Flag};
use super::jobs::{Job, Name};
use crate::escaped::Escaped;
use crate::find::input::is_stdin;
use crate::near::nearest;
use urlspool::fields::{FIELDS, Field};

pub(crate) struct Given {
    pub(crate) job: &'static Job,
    matches: ArgMatches,
    /// All arguments, unchanged. Error messages use them to name each option in the form that the user wrote.
    arguments: Vec<OsString>,
}

impl Given {
    /// The name of the operands, such as the paths.
    pub(super) const OPERANDS: &'static str = "operands";

    pub(super) fn new(job: &'static Job, matches: ArgMatches, arguments: &[OsString]) -> Result<Given, Wrong> {
        let given = Given { job, matches, arguments: arguments.to_vec() };
        match job.missing {
            Some(_) if given.has("files-from") => Ok(given),
            Some(why) if given.operands().next().is_none() => Err(why.into()),
            _ if given.operands().any(OsStr::is_empty) => {
                Err("an argument is empty; remove it, or check the shell variable that it comes from".into())
            }
            _ => Ok(given),
        }
    }

    /// Parses arguments of `find`. Returns `None` if they are wrong.
    pub(crate) fn of_find(arguments: &[String]) -> Option<Given> {
        let job = Name::Find.job();
        let matches = super::command(job).no_binary_name(true).try_get_matches_from(arguments).ok()?;
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        Given::new(job, matches, &arguments).ok()
    }

    /// Returns the arguments that are not options.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &OsStr> {
        self.values(Given::OPERANDS)
    }

    /// Returns the paths to read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        // The first operand of `count` is not a path.
        self.operands().skip(usize::from(self.job.name == Name::Count)).map(Path::new)
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &OsStr> {
        let values = self.matches.try_get_many::<OsString>(name).ok().flatten();
        values.into_iter().flatten().map(OsString::as_os_str)
    }

    /// Returns whether an option is given. The job need not have this option.
    pub(crate) fn has(&self, name: &str) -> bool {
        matches!(self.matches.try_contains_id(name), Ok(true))
            && self.matches.value_source(name) == Some(ValueSource::CommandLine)
    }

    /// Returns whether one of the options is given.
    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Returns the value of an option, or all values with commas between them.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.values(name).map(OsStr::to_string_lossy).collect();
        (!values.is_empty()).then(|| values.join(","))
    }

    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.values(name).last().map(Path::new)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        self.values(name).map(|value| value.to_string_lossy().into_owned()).collect()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Returns the options of the search.
    pub(crate) fn options(&self) -> Result<Options, Wrong> {
        let mut options = Options::default();
        for flag in self.flags() {
            let Some(row) = flag.row else { continue };
            let value = match row.kind {
                OptionKind::Flag(_) => "true".to_owned(),
                _ => self.text(flag.name).unwrap_or_default(),
            };
            options.set(row.name, &value).map_err(|error| format!("--{}: {}", flag.name, error.why()))?;
        }
        Ok(options)
    }

    /// Returns the options that are given, in the order of the table.
    pub(crate) fn flags(&self) -> impl Iterator<Item = Flag> {
        flags::all().filter(|flag| flag.is_of(self.job.name) && self.has(flag.name))
    }

    /// Returns an option with its values as on a command line, such as `--host=a.example`.
    pub(crate) fn as_argument(&self, flag: &Flag) -> Vec<u8> {
        let name = format!("--{}", flag.name).into_bytes();
        if flag.value.is_empty() {
            return name;
        }
        let values: Vec<_> = self.values(flag.name).map(OsStr::as_encoded_bytes).collect();
        [&name[..], b"=", &values.join(&b',')].concat()
    }

    /// Returns the options that are given, as text for people, except those in `others`.
    pub(crate) fn described(&self, others: &[&str]) -> Vec<String> {
        let text = |flag: Flag| match self.text(flag.name) {
            Some(value) if !flag.value.is_empty() => format!("--{} {}", flag.name, Escaped(value.as_bytes())),
            _ => format!("--{}", flag.name),
        };
        self.flags().filter(|flag| !others.contains(&flag.name)).map(text).collect()
    }

    /// Returns an option as the user wrote it: `--unique` or `-u`, for example.
    pub(crate) fn as_written(&self, flag: &Flag) -> String {
        let long = format!("--{}", flag.name);
        let is_long = |argument: &OsString| {
            let rest = argument.as_encoded_bytes().strip_prefix(long.as_bytes());
            rest.is_some_and(|rest| matches!(rest, [] | [b'=', ..]))
        };
        match flag.short {
            Some(short) if !self.arguments.iter().any(is_long) => format!("-{short}"),
            _ => long,
        }
    }

    /// Whether standard input is searched.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.paths().any(is_stdin) || self.paths().next().is_none() && !self.has("files-from")
    }

    /// Returns the fields that `--fields` selects. Returns `None` without `--fields`.
    pub(crate) fn fields(&self) -> Result<Option<Vec<Field>>, Wrong> {
        let names = self.field_names();
        let of = if self.job.name == Name::Count { "count" } else { "--fields" };
        if names.is_empty() { Ok(None) } else { fields_of(of, &names).map(Some) }
    }

    /// Returns the names in `--fields`, or those that `count` counts by.
    pub(crate) fn field_names(&self) -> Vec<String> {
        match self.job.name {
            Name::Count => {
                let names = self.operands().next().map(OsStr::to_string_lossy).unwrap_or_default();
                names.split(',').map(|name| name.trim().to_owned()).collect()
            }
            _ => self.texts("fields"),
        }
    }

    /// Returns the option or the field for which the input is read twice.
    pub(crate) fn reads_twice(&self) -> Option<&'static str> {
        let field = || {
            let named = self.field_names().into_iter().filter_map(|name| Field::find(&name));
            Some(named.into_iter().find(Field::needs_count)?.name())
        };
        if self.has("skip-common") { Some("--skip-common") } else { field() }
    }
}

/// Returns the fields with these names. `of` is the option or job that has the names.
fn fields_of(of: &str, names: &[String]) -> Result<Vec<Field>, Wrong> {
    if names.iter().any(|name| name == ALL) {
        let is_counted = |name: &String| Field::find(name).is_some_and(|field| field.needs_count());
        let has_counted = names.iter().any(is_counted);
        return match names.len() == 1 + usize::from(has_counted) {
            true => Ok(FIELDS.iter().copied().filter(|field| has_counted || !field.needs_count()).collect()),
            false => Err(format!("{of}: `all` means every field; remove the other names").into()),
        };
    }
    let mut found: Vec<Field> = Vec::new();
    for name in names {
        let Some(field) = Field::find(name) else {
            if of == "count" && Path::new(name).exists() {
                return Err(format!(
                    "count: {} is not a field; the fields come first, as in urlspool count host FILE",
                    Escaped(name.as_bytes())
                )
                .into());
            }
            let known: Vec<_> = FIELDS.iter().map(Field::name).collect();
            return Err(format!("{of}: unknown field {}; {}", Escaped(name.as_bytes()), advice(name, &known)).into());
        };
        if found.iter().any(|other| other.name() == field.name()) {
            return Err(format!("{of}: {} is named twice; name each field once", field.name()).into());
        }
        found.push(field);
    }
    Ok(found)
}

/// Returns advice for an unknown name: a similar name, or all names.
pub(super) fn advice(name: &str, known: &[&str]) -> String {
    match name.split_once(':') {
        Some(("context", _)) => return "write the number of lines, as in context:3".into(),
        Some((field, _)) if known.contains(&field) => return format!("{field} takes no number; only context does"),
        _ => {}
    }
    let longer = || known.iter().copied().find(|known| !name.is_empty() && known.starts_with(name));
    match nearest(name, known.iter().copied()).or_else(longer) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the names are {}", known.join(", ")),
    }
}
