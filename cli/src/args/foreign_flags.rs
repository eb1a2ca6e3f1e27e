//! Replaces clap's error messages for options that only other commands or other jobs have.

use std::ffi::OsString;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::flags;
use super::jobs::{JOBS, Job};

/// Options of grep(1), rg(1), urlscan(1), lynx(1) and find(1) that urlspool does not have, each with an alternative.
const FOREIGN_FLAGS: &[(&str, &str)] = &[
    ("-r -R --recursive", "urlspool always searches directories recursively"),
    ("-i -y --ignore-case -S --smart-case", "--scheme, --host and --newsgroup always ignore case"),
    (
        "-e -E -F -G -P -w -x -f --regexp --fixed-strings --word-regexp --regex --file",
        "to select URLs, use --scheme and --host, or urlspool PATH | grep PATTERN",
    ),
    ("--invert-match", "--host '*,!www.*' excludes hosts, and --rejects lists text that is not a URL"),
    ("--list-files --list-urls", "urlspool lists URLs by default; -l lists the files that have URLs"),
    (
        "-L --files-without-match",
        "to follow symbolic links, use --follow; to list the files that are read, use urlspool files PATH",
    ),
    ("-U --multiline", "urlspool always rejoins URLs that are broken over lines"),
    (
        "-1 -2 -3 -4 -5 -6 -7 -8 -9",
        "to print NUM lines of context, use -C NUM; to print only the first NUM URLs, use -m NUM",
    ),
    ("-A -B --after-context --before-context", "to print NUM lines before and after each URL, use -C NUM"),
    ("-c --count", "urlspool count file PATH prints the number of URLs of each file"),
    ("-M --message-id", "to print the Message-ID, use --fields message_id,url"),
    ("--histogram --top", "urlspool count host PATH counts URLs by host, and urlspool count url PATH by URL"),
    ("--limit --max-results --head", "-m NUM stops after NUM URLs"),
    (
        "--domain --domains --site",
        "--host example.org selects this host and its sub-domains; urlspool count domain counts URLs by domain",
    ),
    ("--before --after --newer --older", "--since DATE and --until DATE select messages, as in --since 7d"),
    (
        "--exec --exec-batch -exec",
        "to pass URLs to a command, use urlspool -0 PATH | xargs -0 COMMAND; to pass the names of files with URLs, use \
         urlspool -l0 PATH | xargs -0 COMMAND",
    ),
    ("--only-matching", "urlspool prints only URLs by default; -o FILE writes them to a file"),
    ("-q --quiet --silent", "to get only the exit status, use > /dev/null"),
    ("-s --no-messages", "urlspool prints error messages on standard error; to hide them, use 2> /dev/null"),
    (
        "-I --no-filename -N --no-line-number",
        "a list of URLs has file names only with -H, and line numbers only with -n",
    ),
    ("-a -t --text --type --binary-files", "urlspool detects formats by content; --format turns this detection off"),
    ("-z -Z --search-zip", "urlspool always reads compressed files; -0 ends lines with NUL"),
    (
        "--include --exclude --exclude-dir -d --max-depth -name -iname -type -print0",
        "to select files, use --glob '*.mbox' and --glob '!spam/', or find DIR -print0 | urlspool --files-from -",
    ),
    (
        "--hidden --no-ignore",
        "hidden files are read if you name them, as in find DIR -print0 | urlspool --files-from -",
    ),
    ("--dedup --dedupe --uniq", "-u prints each URL once"),
    ("--line-buffered", "on a slow pipe, urlspool always prints URLs after each line or message"),
    ("-? --usage", "-h lists all options, and --help explains them"),
    ("-version", "use --version or -V"),
    #[cfg(not(feature = "parquet"))]
    ("--parquet", "this build of urlspool cannot write Parquet; build urlspool with the feature `parquet`"),
    (
        "--schemeless --www --fuzzy-link",
        "to find addresses without a scheme, too, use --form +www, +www,path or +www,path,domain",
    ),
    (
        "--also-scheme --schemes --custom-scheme",
        "--scheme +NAME also finds URLs that begin with NAME://; in angle brackets and in HTML, all schemes are found",
    ),
    ("--no-browser --compact -dump --dump -listonly", "urlspool always lists URLs, one per line"),
];

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
        let (_, instead) = FOREIGN_FLAGS.iter().find(|(options, _)| options.split(' ').any(|known| known == option))?;
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

    use super::{FOREIGN_FLAGS, advice};
    use crate::args::command;
    use crate::args::jobs::Name;

    #[test]
    fn each_foreign_flag_gets_its_own_hint() {
        for (options, instead) in FOREIGN_FLAGS {
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
        for line in ["-C -1 --bogus", "--bogus -r", "-K -r", "--bogus -- -r"] {
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
