//! Default options from the file that `URLSPOOL_CONFIG_PATH` names. The file has the format of ripgrep's: each line is
//! one argument, without quoting. Blank lines, and lines that begin with `#`, are skipped.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

use clap::Command;
use urlspool::shared;

use super::conflicts::FORMATS;
use super::jobs::{Job, Name};
use super::{Given, Wrong, command, sentence};
use crate::escaped::Escaped;

/// The name of the environment variable.
const VARIABLE: &str = "URLSPOOL_CONFIG_PATH";

/// The jobs that have defaults.
const JOBS: [Name; 3] = [Name::Find, Name::Count, Name::Report];

fn path(job: &Job) -> Option<PathBuf> {
    let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty() && JOBS.contains(&job.name));
    path.map(PathBuf::from)
}

/// Adds to an error about several options that some of them can come from the file of defaults.
pub(crate) fn with_source(Wrong(why): Wrong, job: &Job) -> Wrong {
    match path(job) {
        Some(path) => format!("{why}; {} also has options", Escaped::path(&path)).into(),
        None => Wrong(why),
    }
}

/// Returns the arguments in the file of defaults that `job` has. An option that only another job has is skipped, because
/// one file serves all jobs. So is an option that one in `given`, the arguments on the command line, replaces.
pub(super) fn defaults(job: &Job, given: &[OsString]) -> Result<Vec<OsString>, Wrong> {
    let Some(path) = path(job) else { return Ok(Vec::new()) };
    let name = Escaped::path(&path);
    let text = fs::read(&path).map_err(|error| format!("{name}: cannot read the options of {VARIABLE}: {error}"))?;
    parse(&text, job, given).map_err(|(line, Wrong(why))| format!("{name}:{line}: {why}").into())
}

/// Returns an error with the number of its line, from 1.
fn parse(text: &[u8], job: &Job, given: &[OsString]) -> Result<Vec<OsString>, (usize, Wrong)> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with(b"#"));
    let lines: Vec<_> = lines
        .map(|(line, number)| (shared::path(line).into_owned().into_os_string(), line.starts_with(b"-"), number))
        .collect();
    let mut arguments = Vec::new();
    // An option, and its value on the next line.
    for option in lines.chunk_by(|(_, starts, _), (_, next, _)| *starts && !next) {
        let words = || option.iter().map(|(word, ..)| word.clone());
        let read = |command: Command, words: Vec<OsString>| command.no_binary_name(true).try_get_matches_from(words);
        let check = |command| {
            let matches = read(command, words().collect())?;
            // After `--`, each argument is a PATH.
            Ok::<_, clap::Error>(matches.contains_id(Given::OPERANDS) || option[0].0 == "--")
        };
        let number = option[0].2;
        let own = check(command(job));
        let is_own = own.is_ok();
        // An option that only another job has is not an error.
        match JOBS.iter().fold(own, |checked, other| checked.or_else(|why| check(command(other.job())).or(Err(why)))) {
            Ok(true) => {
                return Err((number, "only options are possible here; name the PATH on the command line".into()));
            }
            Ok(false) if is_own && !given.iter().any(|word| replaces(name_of(word), name_of(&option[0].0))) => {
                arguments.extend(words());
            }
            Ok(false) => {}
            Err(error) => {
                // `--zone body` is one argument.
                let word = option[0].0.to_string_lossy();
                let whole = word.split_once(' ').map(|(name, value)| format!("{name}={}", value.trim_start()));
                let read_whole = |whole: &String| read(command(job), vec![whole.into()]).err();
                let why = match whole.as_ref().map_or(Some(error), read_whole) {
                    Some(error) => sentence(&error, job),
                    None => format!("write {}", whole.unwrap_or_default()),
                };
                return Err((number, why.into()));
            }
        }
    }
    Ok(arguments)
}

/// Whether the option `given` takes the place of the option `default`: it is the same, or both are output formats.
fn replaces(given: &[u8], default: &[u8]) -> bool {
    let is_long = |name: &[u8]| FORMATS.iter().any(|format| name.strip_prefix(b"--") == Some(format.as_bytes()));
    let is_format = |name: &[u8]| name == b"-l" || is_long(name);
    given == default || is_format(given) && is_format(default)
}

/// Returns the name of an option, which can have its value after `=`.
fn name_of(word: &OsStr) -> &[u8] {
    let word = word.as_encoded_bytes();
    word.split(|&byte| byte == b'=').next().unwrap_or_default()
}
