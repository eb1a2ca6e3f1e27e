//! The texts around the options in the help and the man page.

use super::jobs::{JOBS, Job, Name};

/// Example commands, each with a description of its output.
pub(crate) const EXAMPLES: [(&str, &str); 9] = [
    ("urlspool archive.mbox", "every URL, one per line"),
    ("urlspool --sort -u ~/Maildir", "each URL once, sorted"),
    ("urlspool -Hn --scheme ftp,gopher lists/", "file, line and URL"),
    ("urlspool --since 1994 --until 1996 news/", "URLs in messages from 1994 to 1996"),
    ("urlspool count host archive.mbox", "the most frequent hosts"),
    ("urlspool count url -m 10 archive.mbox", "the ten most frequent URLs"),
    ("urlspool --json news/ | jq -r .host", "the host of each URL"),
    ("urlspool report -o page.html archive.mbox", "a page with charts"),
    ("urlspool check http://host:99999/", "what is wrong with a URL"),
];

pub(crate) const INPUT_NOTES: &str = "\
Without PATH, urlspool reads standard input, unless standard input is a terminal. If PATH is a directory, urlspool \
reads all files below it, except hidden files. urlspool detects formats, compression and archives by content, not by \
the ending of a name. The output does not depend on the number of threads.

FILE!MEMBER means a member of an archive. A pipe or a device is read only if it is given as PATH. In directories, \
urlspool skips pipes and devices. If the first word is the only operand and an \
existing path, it is a path and not a job. `urlspool ./count` always searches a file, and `tee` is always the mail \
filter.

On a slow pipe, such as `tail -F mbox | urlspool`, URLs are printed after each message, or after each line of plain \
text. A URL at the end of a line can continue on the next line. urlspool waits a quarter of a second for the next \
line, and then prints the URL.";

pub(crate) const OUTPUT_NOTES: &str = "\
-H and -n add fields before the URL, the FILE before the LINE. The fields are separated by tabs, so \
`cut -f` and `awk -F'\\t'` can select them. A field without a value is empty. --fields selects any other fields.";

/// The exit statuses, each with its meaning.
pub(crate) const EXIT_STATUS: [(&str, &str); 4] = [
    ("0", "urlspool found something. For `check`, all URLs are valid. For `tee`, the mail was passed on."),
    ("1", "urlspool found nothing. For `check`, at least one URL is invalid."),
    ("2", "The options are wrong, or some input could not be read, or the output could not be written."),
    ("75", "The mail was not passed on, or the options are wrong. The mail system will try again. Used only by `tee`."),
];

pub(crate) const EXIT_NOTE: &str = "\
If the program that reads the output closes the pipe, urlspool stops without an error message. If standard output is \
already closed when a search starts (`>&-`), urlspool prints a warning. The exit status does not change, except for \
`tee`, which then passes no mail on.";

/// Returns the text after the options of a job: the other jobs and the examples.
pub(super) fn after(job: &Job) -> String {
    match job.name {
        Name::Find => format!("{}\n\n{}", jobs(), examples()),
        Name::Generate => {
            let names = crate::generate::NAMES.iter().map(|(name, about)| format!("\n  {name:<12} {about}"));
            format!("WHAT is one of these names:{}", names.collect::<String>())
        }
        _ => String::new(),
    }
}

fn jobs() -> String {
    let line = |job: &Job| format!("\n  {:<12} {}", job.title(), job.summary());
    format!("Jobs (`urlspool JOB -h` lists the options of a job):{}", JOBS.iter().map(line).collect::<String>())
}

fn examples() -> String {
    let lines = EXAMPLES.map(|(command, result)| format!("\n  {command:<42} {result}"));
    format!("Examples:{}", lines.concat())
}

/// Returns the text that `--help` prints after the options.
pub(super) fn help(job: &Job) -> String {
    if job.name != Name::Find {
        return after(job);
    }
    let statuses = EXIT_STATUS.map(|(status, meaning)| format!("\n  {status:>2}  {meaning}")).concat();
    format!(
        "{}\n\nInput:\n{INPUT_NOTES}\n\nPlain output:\n{OUTPUT_NOTES}\n\nExit status:{statuses}\n{EXIT_NOTE}\n\nThe man page \
         also lists the fields, reasons, warnings and diagnostics: urlspool generate man | man -l -",
        after(job)
    )
}

/// Returns the short help that urlspool prints if it runs in a terminal without arguments. It fits in a terminal of 25
/// lines, so it has only the jobs of one word that most people need.
pub(crate) fn first_help() -> String {
    let is_shown = |job: &&Job| job.words.len() == 1 && job.name != Name::Generate;
    let usage: Vec<_> = JOBS.iter().filter(is_shown).map(Job::usage).collect();
    format!(
        "Finds the URLs in mail and news archives.\n\n{}\n\nUsage: {}\n\n`urlspool -h` lists all jobs and options, and \
         `urlspool --help` explains them.\n",
        examples(),
        usage.join("\n       ")
    )
}
