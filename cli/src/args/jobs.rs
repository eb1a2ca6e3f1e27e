//! The table of jobs: `find`, `count` and the others.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::flags::paragraphs;
use crate::near::nearest;

/// The name of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Find,
    Count,
    Report,
    Check,
    Explain,
    Show,
    Tee,
    Files,
    Plan,
    Run,
    Merge,
    Generate,
}

pub(crate) struct Job {
    pub(crate) name: Name,
    /// The words that select the job on the command line.
    pub(crate) words: &'static [&'static str],
    /// The operands, as the usage line shows them.
    pub(crate) operands: &'static str,
    /// The error if no operand is given. `None` if the job works without operands.
    pub(crate) missing: Option<&'static str>,
    /// The lines of the description. The first line is a summary.
    documentation: &'static str,
}

/// Makes the table of jobs. The documentation of a row is what the help prints.
macro_rules! jobs {
    ($( $(#[doc = $line:literal])* $name:ident, $words:expr, $operands:expr, $missing:expr; )*) => {
        &[$( Job {
            name: Name::$name,
            words: $words,
            operands: $operands,
            missing: $missing,
            documentation: concat!($($line, "\n"),*),
        } ),*]
    };
}

/// All jobs, in the order of the help: the name, the words, the operands, and the error if no operand is given.
pub(crate) const JOBS: &[Job] = jobs! {
    /// List URLs; the word `find` can be omitted
    ///
    /// Finds the URLs in mail and news archives. Prints them one per line, in the order of the input. Reads mbox
    /// files, Maildir and MH folders, news spools, rnews batches, public-inbox repositories, Outlook's .msg, .pst and
    /// .ost files, single messages and plain text. Files can also be compressed, or in tar and zip archives. urlspool
    /// decodes MIME, rejoins URLs that were broken over lines, and validates each URL by RFC 1738, RFC 3986 and RFC
    /// 3987.
    ///
    /// If an option is repeated, the last value is used. Options for several values, such as --scheme, --glob and
    /// --host, use the values of all occurrences.
    Find, &["find"], "[PATH]...", None;

    /// Count URLs by host, year, URL or any other field
    ///
    /// Prints a line for each value of the field BY: the number of URLs, a tab and the value. BY can be any field of
    /// --fields, such as host, domain, url, scheme, from, file, year or month. With several fields, such as host,year,
    /// prints a line for each combination. The highest numbers come first, but dates, years and months are in
    /// ascending order. A missing value is an empty cell. On a terminal, also prints bars. With -u, counts only the
    /// first occurrence of each URL. Hosts
    /// are counted in lower case. Needs about 100 bytes of memory per line.
    Count, &["count"], "BY[,BY]... [PATH]...", Some("count needs the fields to count by, as in urlspool count host archive.mbox");

    /// Write an HTML page with charts
    ///
    /// The page lists the most frequent URLs and hosts, and where they occur. Charts show the URLs by date, scheme,
    /// form and tier. The page also lists invalid URLs, malformed mail, and files that could not be read. The page is
    /// one file that loads nothing from the network. Nothing is printed on standard output. An existing FILE is
    /// replaced only if urlspool wrote it. If FILE is in a directory that urlspool searches, urlspool does not search
    /// FILE. Needs about 500 bytes of memory per distinct URL.
    Report, &["report"], "-o FILE [PATH]...", None;

    /// Parse URLs and print their components
    ///
    /// For a valid URL, prints each component, the tier and the warnings. For an invalid URL, prints the reason and
    /// the offset of the error. With the argument `-`, reads URLs from standard input, one per line, and skips blank
    /// lines. With --json, prints an object per URL. Its field `valid` is true or false. A valid URL also has the
    /// fields url, tier, scheme, fragment, target, targets and warnings, and a field for each component, such as
    /// host. An invalid URL has the fields url, url_bytes, reason and offset. With --tier, URLs of other tiers are
    /// invalid.
    Check, &["check"], "URL...", Some("check needs a URL, as in urlspool check http://host/path");

    /// Say why URLs near a line were found, cut or refused
    ///
    /// For each URL and reject on LINE of FILE, and on the lines next to it, prints the rules that began, joined, cut,
    /// trimmed or refused it, with their evidence. Text that looks like the beginning of a URL but is none is explained,
    /// too. LINE is the field `line` of --json. Without :LINE, explains the whole file. FILE can be `-` for standard
    /// input. The titles of the rules follow; https://docs.rs/urlspool/latest/urlspool/rules has the rules.
    Explain, &["explain"], "FILE[:LINE]...", Some("explain needs a file and a line, as in urlspool explain archive.mbox:120");

    /// Print messages, as they are stored
    ///
    /// Examples of FILE:N are archive.mbox:7 and mail.zip!inbox:7. FILE is the name that -H prints, and N is the
    /// field `message` of --json. Without :N, prints the first message, as for a file of a Maildir. The message is
    /// decompressed, but not changed in any other way. The `From ` line of an mbox is not printed. Several messages are
    /// printed without a separator; --mbox prints them as a mailbox.
    ///
    /// `-` reads a list of messages from standard input: the output of `find` with --json, --fields file,message or
    /// --fields file,member,message, or lines such as FILE:N. Each message is printed once. The messages of a file are
    /// printed together, in the order of the file.
    ///
    /// If one of the operands is a Message-ID in angle brackets, the others are files and directories. urlspool prints
    /// the first message in them that has this Message-ID.
    Show, &["show"], "(FILE[:N] | - | '<ID>' PATH)...", Some("show needs a file and the number of a message, as in urlspool show archive.mbox:7");

    /// Copy mail from stdin to stdout, and record its URLs
    ///
    /// This job is for mail filters. urlspool passes on all input before parsing it, unless you give --add-header. If
    /// recording the URLs fails, urlspool still passes on the mail. Use --hits to write the URLs to a file, and
    /// --add-header to add them to the message. Without -v, urlspool reports only what was lost: the mail, URLs that
    /// could not be recorded, or all fields of the message. If the input is one message, add --format message. Without
    /// --format message, a line that starts with `From ` can count as the beginning of another message.
    Tee, &["tee"], "(--hits FILE | --add-header)", None;

    /// List the files that would be read
    ///
    /// Prints a line per file: its size in bytes, its format, its compression, how `tasks plan` divides it
    /// (`messages`, `members` or empty), and its name. The fields are separated by tabs. With --json, prints an
    /// object per file. Only the beginning of each file is read. The options that select files have the same meaning
    /// as in `find`.
    Files, &["files"], "PATH...", Some("files needs the name of a file or a directory; add a PATH");

    /// Divide a search into tasks for several machines
    ///
    /// Prints each task as a line of JSON. `tasks run` runs these tasks. A task can have several small files. Only
    /// files of more than --size bytes are opened, and only their first 64 KiB are read. In an archive, the list of
    /// members is read, too. Each task contains the paths, sizes and modification times of its files, and the options
    /// of the search. The id of a task is a hash of this content, so the same task has the same id on every machine.
    Plan, &["tasks", "plan"], "PATH...", Some("tasks plan needs the name of a file or a directory; add a PATH");

    /// Run the tasks in FILE, or from stdin with `-`
    ///
    /// For each task, prints its URLs as --json does, and then a line with the totals of the task. If a task is a
    /// range of a mailbox, line and message numbers count from the first message of the range. `tasks merge` converts
    /// these numbers, so that they count from the beginning of the file. If a file has changed since the manifest was
    /// made, its task fails. All other tasks are run. -o overwrites the output of earlier tasks; to keep that output,
    /// use `>> FILE`.
    Run, &["tasks", "run"], "FILE", Some("tasks run needs the output of `tasks plan`; name the file, or use `-` for standard input");

    /// Join the outputs of `tasks run` into one list of URLs
    ///
    /// MANIFEST is the output of `tasks plan`, and each OUTPUT is an output of `tasks run`. All of them must be
    /// regular files. The tasks can be in any order. Prints the same output in the same order as `find --json`. If a
    /// task is missing or has failed, prints only an error that names the task.
    Merge, &["tasks", "merge"], "MANIFEST OUTPUT...", Some("tasks merge needs the outputs of `tasks run`, as in urlspool tasks merge MANIFEST OUTPUT...");

    /// Print the man page, completions, schema or schemes
    ///
    /// For example: urlspool generate bash > /usr/share/bash-completion/completions/urlspool
    Generate, &["generate"], "WHAT", Some("generate needs the name of what to print, as in urlspool generate man; `urlspool generate -h` lists the names");
};

impl Name {
    pub(crate) fn job(self) -> &'static Job {
        JOBS.iter().find(|job| job.name == self).expect("every name has a row")
    }
}

impl Job {
    /// Returns a description on one line.
    pub(crate) fn summary(&self) -> &'static str {
        self.documentation.lines().next().unwrap_or_default().trim()
    }

    /// Returns the complete description.
    pub(crate) fn documentation(&self) -> String {
        paragraphs(self.documentation.split_once('\n').unwrap_or_default().1)
    }

    /// Returns the words of the job with a blank between them, such as `tasks plan`.
    pub(crate) fn title(&self) -> String {
        self.words.join(" ")
    }

    pub(crate) fn usage(&self) -> String {
        match self.name {
            Name::Find => format!("urlspool [find] [OPTIONS] {}", self.operands),
            _ => format!("urlspool {} [OPTIONS] {}", self.title(), self.operands),
        }
    }
}

/// Returns the job that the arguments select, and the arguments after its words. If the first word is the only operand
/// and an existing path, it is a path. `tee` is an exception: if a file named `tee` could turn a mail filter into a
/// search, mail would be lost.
pub(crate) fn selected(arguments: &[OsString]) -> (&'static Job, &[OsString]) {
    let starts = |job: &&Job| {
        let words = arguments.iter().take(job.words.len()).map(OsString::as_os_str);
        words.eq(job.words.iter().map(OsStr::new))
    };
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    let is_path =
        |job: &&Job| job.name != Name::Tee && arguments[1..].iter().all(is_option) && Path::new(job.words[0]).exists();
    match JOBS.iter().find(starts).filter(|job| !is_path(job)) {
        Some(job) => (job, &arguments[job.words.len()..]),
        None => (Name::Find.job(), arguments),
    }
}

/// Returns whether the arguments contain an option that only the mail filter has. The arguments need not be valid:
/// after wrong arguments, the filter exits with the status 75, so that the mail system keeps the mail and tries again
/// later.
pub(crate) fn has_filter_option(arguments: &[OsString]) -> bool {
    let mut arguments =
        arguments.iter().map(|argument| argument.as_encoded_bytes()).take_while(|argument| *argument != b"--");
    arguments.any(|argument| matches!(argument, b"--hits" | b"--add-header") || argument.starts_with(b"--hits="))
}

/// Returns the first word of a job that is the same as `word` or similar to it.
pub(crate) fn similar(word: &str) -> Option<&'static str> {
    nearest(word, JOBS.iter().map(|job| job.words[0]))
}
