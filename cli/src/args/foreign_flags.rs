//! Replaces clap's error messages for options that only other commands or other jobs have.

use std::ffi::OsString;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::flags;
use super::jobs::{JOBS, Job};

/// Options of grep(1), rg(1), urlscan(1), lynx(1) and find(1) that urlspool does not have, with an alternative in each
/// row.
const FOREIGN_FLAGS: &str = include_str!("foreign_flags.txt");

/// Returns the rows of the table: names with blanks between them, and the alternative.
fn foreign_flags() -> impl Iterator<Item = (&'static str, &'static str)> {
    FOREIGN_FLAGS.lines().filter_map(|row| row.split_once(": "))
}

/// Returns an error message that is clearer than clap's message. Returns `None` if clap's message is clear enough.
pub(crate) fn advice(error: &Error, job: &Job, arguments: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    // For an argument such as `-listonly`, clap names only the first unknown letter. So this code searches for the
    // argument that contains the letter.
    let letter = named.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    let has_it = |word: &&str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.zip(letter).is_some_and(|(letters, letter)| letters.contains(letter))
    };
    let words = arguments.iter().filter_map(|argument| argument.to_str()).take_while(|word| *word != "--");
    let advice = |option: &str| {
        let (_, instead) = foreign_flags().find(|(options, _)| options.split(' ').any(|known| known == option))?;
        Some(format!("unknown option {option}; {instead}"))
    };
    words.filter(has_it).chain([named.as_str()]).find_map(advice).or_else(|| of_other_jobs(named, job))
}

/// Returns an error message for an option that only other jobs have.
fn of_other_jobs(option: &str, job: &Job) -> Option<String> {
    let is_it = |flag: &flags::Flag| match option.strip_prefix("--") {
        Some(name) => flag.name == name,
        None => flag.short.is_some_and(|short| option.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4]))),
    };
    let flag = flags::all().find(is_it)?;
    let jobs: Vec<_> = JOBS.iter().filter(|job| flag.is_of(job.name)).map(Job::title).collect();
    let jobs = match &jobs[..] {
        [jobs @ .., last] if !jobs.is_empty() => format!("{} and {last}", jobs.join(", ")),
        jobs => jobs.join(", "),
    };
    Some(format!("{option} is an option of {jobs}, not of {}; remove it", job.title()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{advice, foreign_flags};
    use crate::args::command;
    use crate::args::jobs::Name;

    #[test]
    fn each_foreign_flag_gets_its_own_hint() {
        for (options, instead) in foreign_flags() {
            for option in options.split(' ') {
                let arguments = ["urlspool", "-n", option, "a", "--", "-r"].map(Into::into);
                let error = command(Name::Find.job()).try_get_matches_from(&arguments).expect_err(option);
                assert_eq!(
                    advice(&error, Name::Find.job(), &arguments),
                    Some(format!("unknown option {option}; {instead}"))
                );
            }
        }
    }

    /// In `--bogus -r`, the unknown option is `--bogus`, and `-r` can be its value. So there is no hint about `-r`.
    #[test]
    fn a_foreign_flag_beside_an_unknown_option_gets_no_hint() {
        for line in ["-m -1 --bogus", "--bogus -r", "-K -r", "--bogus -- -r"] {
            let arguments: Vec<OsString> = ["urlspool"].into_iter().chain(line.split(' ')).map(Into::into).collect();
            let error = command(Name::Find.job()).try_get_matches_from(&arguments).expect_err(line);
            assert_eq!(advice(&error, Name::Find.job(), &arguments), None, "{line}");
        }
    }

    #[test]
    fn an_option_of_another_job_gets_the_names_of_its_jobs() {
        let table = [
            (Name::Find, "--hits=x", "--hits is an option of tee, not of find; remove it"),
            (Name::Check, "--stats", "--stats is an option of find and count, not of check; remove it"),
            (Name::Plan, "-j2", "-j is an option of find, count, report and tasks run, not of tasks plan; remove it"),
        ];
        for (name, option, want) in table {
            let arguments = [OsString::from(option)];
            let command = command(name.job()).no_binary_name(true);
            let error = command.try_get_matches_from(&arguments).expect_err(option);
            assert_eq!(advice(&error, name.job(), &arguments).as_deref(), Some(want));
        }
    }
}
