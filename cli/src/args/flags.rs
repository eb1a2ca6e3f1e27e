//! The table of the command's options. To add an option, add a row here, and use it in the code of its jobs. The
//! options of the search itself are not here: they are rows of the library's table [`OPTIONS`].

use urlspool::{OPTIONS, OptionKind, OptionRow, Options};

use super::given::advice;
use super::jobs::Name::{self, Check, Count, Explain, Files, Find, Merge, Plan, Report, Run, Show, Tee};
use super::values;
use Kind::{Checked, Switch, Text, Texts};
use urlspool::fields::{FIELDS, Field};

/// An option of the command.
#[derive(Clone)]
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    pub(crate) short: Option<char>,
    /// A name for the value, such as `FILE`. Empty if the option has no value.
    pub(crate) value: &'static str,
    pub(crate) kind: Kind,
    /// The heading in the help.
    pub(crate) group: &'static str,
    /// The jobs that have the option.
    pub(crate) jobs: &'static [Name],
    /// The lines of the description. The first line is a summary. Empty if the option has a row in the library's table.
    documentation: &'static str,
    /// Whether the option affects which URLs are found. `--state` refuses a run in which such an option differs.
    pub(crate) is_search: bool,
    /// The row of the library, if the option is an option of the search.
    pub(crate) row: Option<&'static OptionRow>,
}

/// The form of the values of an option.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Switch,
    /// A path or other text. If the option is repeated, the last value counts.
    Text,
    /// Like `Text`, but every value counts.
    Texts,
    /// A value that the function accepts. The error of the function says what to give instead.
    Checked(fn(&str) -> Result<(), String>),
    /// One of these names.
    Name(&'static [(&'static str, &'static str)]),
    /// Names of fields, with commas between them.
    Fields,
    /// The value of an option of the library.
    OfLibrary(&'static OptionRow),
}

pub(crate) const OUTPUT: &str = "Output";
pub(crate) const SELECTION: &str = "Selection of URLs";
pub(crate) const INPUT: &str = "Input and selection of messages";
pub(crate) const GENERAL: &str = "General";

/// The headings of the groups of options, in the order of the help.
pub(crate) const GROUPS: [&str; 4] = [OUTPUT, SELECTION, INPUT, GENERAL];

/// Makes a table of rows. The documentation of a row is what the help prints.
macro_rules! flags {
    ($( $(#[doc = $line:literal])* $name:literal $($short:literal)?, $value:literal, $kind:expr, $group:expr, $jobs:expr $(, $search:literal)?; )*) => {
        &[$( Flag {
            documentation: concat!($($line, "\n"),*),
            name: $name,
            short: first!($(Some($short),)? None),
            value: $value,
            kind: $kind,
            group: $group,
            jobs: $jobs,
            is_search: first!($($search,)? false),
            row: None,
        } ),*]
    };
}

/// Expands to the first of its arguments.
macro_rules! first {
    ($first:expr $(, $other:expr)?) => {
        $first
    };
}

/// The options that are not in the library's table: the name, the letter, a name for the value, the form of the values,
/// the group, the jobs, and [`Flag::is_search`].
const OWN: &[Flag] = flags! {
    /// Print the file name before each URL
    ///
    /// Member M of the archive A has the name A!M.
    "with-filename" 'H', "", Switch, OUTPUT, &[Find];

    /// Print the line number, from 1
    ///
    /// Prints the number of the line on which the URL begins. In a compressed file, counts the lines of the
    /// decompressed text.
    "line-number" 'n', "", Switch, OUTPUT, &[Find, Tee];

    /// End each line with NUL, for `xargs -0`
    "null" '0', "", Switch, OUTPUT, &[Find, Tee, Files];

    /// Print only the names of files with URLs
    ///
    /// A member of an archive is printed as FILE!MEMBER. To count the URLs of each file, use `urlspool count file`,
    /// or `urlspool count file,member` for archives.
    "files-with-matches" 'l', "", Switch, OUTPUT, &[Find];

    /// Print only the first NUM lines
    ///
    /// By default, prints the first NUM URLs of the input, and stops. NUM is the limit for all files together, not for
    /// each file. With -l, urlspool stops after NUM file names. `find --sort` and `count` read all input, and print the
    /// first NUM lines of the result.
    "max-count" 'm', "NUM", Checked(values::most), OUTPUT, &[Find, Count];

    /// Print a JSON object per line
    ///
    /// With `find` and `tee`, every object has the same fields in the same order. A field without a value is null. With
    /// --fields, it is omitted. Bytes that are not UTF-8 are replaced by U+FFFD. In this case, a second field, such as
    /// file_bytes, has the original bytes in base64.
    "json", "", Switch, OUTPUT, &[Find, Count, Check, Tee, Files];

    /// Print comma-separated values, a column per field
    ///
    /// The output is CSV as in RFC 4180. The columns are the fields of --json, and the first line has their names. An
    /// empty cell means no value. If a cell has several alternatives, targets or warnings, spaces separate them.
    "csv", "", Switch, OUTPUT, &[Find];

    /// Print an Arrow IPC stream with a column per field
    ///
    /// polars, pyarrow and DuckDB can read the stream from a pipe. The columns have the same types as those of
    /// --parquet, but are not compressed. The rows are printed in batches of some megabytes, and nothing is printed
    /// before the first batch.
    "arrow", "", Switch, OUTPUT, &[Find];

    /// Write a Parquet file with a column per field
    ///
    /// DuckDB, pandas, polars and Spark can read the file. Each column has a type; for example, the date is a
    /// timestamp in UTC. The columns are compressed with gzip. The output is first written to a hidden file in the
    /// directory of FILE. When the hidden file is complete, it is renamed to FILE. Nothing is printed on standard
    /// output.
    "parquet", "FILE", Text, OUTPUT, &[Find];

    /// Print only these fields, such as url,date,subject
    ///
    /// The fields are printed in the order that you give, separated by tabs, without a header line. In values, tabs,
    /// line ends and backslashes are written as \t, \n, \r and \\. With --json, --csv, --arrow or --parquet, the option
    /// selects the fields of that format. If url is among the fields, -u and --sort compare the URLs. Otherwise, -u and --sort
    /// compare whole lines. `all` means every field but messages_with_url, for which the input is read twice, so that it
    /// cannot be standard input. The fields zone, context, host_ascii, domain, normalized, wayback, year, month and
    /// messages_with_url are printed only if --fields selects them. context:3 has three lines before and after the URL.
    "fields", "NAMES", Kind::Fields, OUTPUT, &[Find, Tee, Plan];

    /// Write the output to FILE
    ///
    /// An existing FILE is overwritten. If FILE is also a PATH, contains mail or is compressed, urlspool refuses to
    /// overwrite it. urlspool does not check whether the list of --files-from names FILE. If FILE is in a directory
    /// that urlspool searches, urlspool does not search FILE. `-` is standard output.
    "output" 'o', "FILE", Text, OUTPUT, &[Find, Count, Report, Files, Plan, Run, Merge];

    /// Write to FILE what was not searched, as JSON lines
    ///
    /// Each line describes an attachment, a message, a member of an archive, a file or a directory that was not searched,
    /// or malformed input, and gives the reason. An existing FILE of an earlier run is overwritten. With --state, the
    /// lines are added to those of the earlier runs.
    "problems", "FILE", Text, OUTPUT, &[Find, Count, Report, Plan];

    /// Print statistics on stderr at the end
    ///
    /// Prints the number of files in each format, the number of files that could not be read, and the numbers of
    /// messages, MIME parts and bytes. Then prints the number of URLs of each form and tier, the number of rejects
    /// (invalid URLs) for each reason, and the number of errors of each kind in malformed input. Also prints the time
    /// and the speed.
    "stats", "", Switch, OUTPUT, &[Find, Count];

    /// Use only the first occurrence of each URL
    ///
    /// Compares URLs byte by byte. Needs about 100 bytes of memory per distinct URL: 1 GB for ten million. `urlspool
    /// ... | sort -u` needs less memory, but does not keep the order. With `count`, counts each URL once.
    "unique" 'u', "", Switch, OUTPUT, &[Find, Count];

    /// Sort by URL, byte by byte
    ///
    /// Prints at the end. Keeps 256 MiB of lines in memory, and the others in temporary files in the directory TMPDIR.
    /// Add -u to print only the first occurrence of each URL. To sort by the number of occurrences, use `urlspool count
    /// url`.
    "sort", "", Switch, OUTPUT, &[Find];

    /// Also print other possible URLs of ambiguous text
    ///
    /// A URL at the end of a line may or may not continue on the next line. If the line ends with a hyphen, the
    /// hyphen may or may not be part of the URL. urlspool prints the likeliest reading first, and each other valid
    /// reading on a line of its own. The field "alternatives" of --json always has the other readings.
    "alternatives", "", Switch, OUTPUT, &[Find, Tee], true;

    /// Print the target of rewritten links (SafeLinks)
    ///
    /// Mail gateways (Outlook's SafeLinks, Proofpoint's urldefense, Barracuda, Sophos, ...), search engines and
    /// social networks rewrite links. The rewritten link contains the original URL, which is called the target.
    /// urlspool decodes the target, and never uses the network. If the target is also a rewritten link, urlspool
    /// decodes that link, too, but not more than eight links in a row. URLs that are not rewritten links are printed
    /// unchanged. The options -u and --sort compare the printed targets; --host, --scheme and --tier check the
    /// rewritten links. --json always has both URLs: "url" and "target".
    "unwrap", "", Switch, OUTPUT, &[Find, Tee], true;

    /// List text that looks like a URL but is invalid
    ///
    /// Prints no URLs. Each line is the invalid text, a tab and the reason. With --tier rfc1738, also lists the URLs of
    /// other tiers, each with the reason why RFC 1738 does not allow it.
    "rejects", "", Switch, OUTPUT, &[Find, Tee, Plan], true;

    /// Leave out URLs in N % of a list's messages
    ///
    /// Such URLs are mostly from the footer of a list, or from a signature. The messages of each mailing list are counted
    /// by their List-Id; messages without a List-Id count as one list. A URL is skipped if it is in at least five
    /// messages, and in at least N percent of the selected messages of the list. The input is read twice, so it cannot be
    /// standard input. Needs 20 to 60 bytes of memory per distinct URL and list. Text outside messages has no common URLs.
    "skip-common", "N%", Checked(values::check_percent), SELECTION, &[Find, Count, Report];

    /// Also read the paths in FILE, one per line
    ///
    /// `-` is standard input, as in `find ... | urlspool --files-from -`. A NUL can end each path instead of a line
    /// end, as in `find ... -print0`. The PATH arguments are searched first. The paths in the list are then searched
    /// as they arrive, without waiting for the end of the list. A CR at the end of a line is ignored. If a path is a
    /// pipe or a device, urlspool reports an error and does not read it.
    "files-from", "FILE", Texts, INPUT, &[Find, Count, Report, Files, Plan];

    /// Only files whose path matches GLOB: '*.mbox'
    ///
    /// Globs work as in ripgrep. A GLOB without a slash matches names in any directory. A slash at the end restricts
    /// the GLOB to directories: '!mail/' excludes a directory, and '**/mail/**' selects the files in it. A slash at
    /// the start makes the GLOB relative to the current directory. `**` matches any number of directories. `!` before
    /// a GLOB excludes the files and directories that it matches. If several globs match, the last one decides.
    /// Directories are searched unless a GLOB with `!` excludes them. Hidden files are read if a GLOB matches them.
    /// The option does not apply to a PATH, to paths in lists, or to members of archives.
    "glob" 'g', "GLOB", Texts, INPUT, &[Find, Count, Report, Files, Plan], true;

    /// Read each message once, by its Message-ID
    ///
    /// If several messages have the same Message-ID, even in different files, urlspool reads only the first one. Two
    /// messages without a Message-ID count as the same if all their bytes are equal. Text outside messages is always
    /// read. Needs 20 to 40 MB of memory for a million messages; --stats prints the exact amount.
    "once", "", Switch, INPUT, &[Find, Count, Report], true;

    /// Read only what is new since the last run with FILE
    ///
    /// FILE is a text file in which urlspool records the files that it has read. If messages were appended to a
    /// mailbox, urlspool reads only the new messages. If a file has changed in any other way, urlspool reads the
    /// whole file again and prints a warning. Message numbers, line numbers and offsets still count from the
    /// beginning of the file. A file that cannot be read to its end is read again in the next run. If a run is
    /// killed, the next run repeats the URLs of at most one file: the file that was being read. Give the same options
    /// in every run with the same FILE. Only options that change the layout of the output, such as --json and --sort,
    /// can differ between runs.
    "state", "FILE", Text, INPUT, &[Find];

    /// Also report malformed mail, formats, skipped files
    ///
    /// For each file, prints the format and how it was detected. For each malformed message, prints the file, the
    /// offset of the message or MIME part, the error, and how urlspool read the message. In a compressed file, the
    /// offset counts decompressed bytes. Malformed messages are common in old mail and do not change the exit status.
    /// Without -v, urlspool reports damaged archives and files that it cannot read, but not malformed messages.
    "verbose" 'v', "", Switch, GENERAL, &[Find, Count, Report, Tee, Plan, Run];

    /// Colours: auto, always or never [default: auto]
    ///
    /// `auto` prints colours on a terminal, unless NO_COLOR is set to a value that is not empty. The output of
    /// --json and --csv never has colours.
    "color", "WHEN", Kind::Name(&[("auto", "on a terminal"), ("always", "always"), ("never", "never")]), GENERAL, &[Find, Count];

    /// Append the URLs to FILE, or write to fd:3
    ///
    /// The URLs are written as `urlspool find` prints them; --json is recommended. Each record is written with a
    /// single system call, so several filters can append to the same file. In a pipe, records of more than 4 KiB from
    /// several filters can be mixed. A new file gets mode 600. If FILE cannot be written, the URLs are lost, but the
    /// mail is still passed on. With fd:N, the URLs are written to the file or pipe that is open as descriptor N. On
    /// Linux, the descriptor cannot be a socket. For a file named fd:3, write ./fd:3.
    "hits", "FILE", Text, OUTPUT, &[Tee];

    /// Add an X-URL field per URL to the message
    ///
    /// Standard input must be one message. Each distinct URL gets one field. If the message already has an X-URL
    /// field for a URL, urlspool adds no second one. Bytes other than printable ASCII are percent-encoded. Messages
    /// larger than 32 MiB get no fields. Mail systems refuse messages with long headers, so urlspool adds at most 16
    /// KiB of fields and omits the other URLs.
    "add-header", "", Switch, OUTPUT, &[Tee];

    /// Decode the header fields and the text to UTF-8
    ///
    /// Prints the header fields of the message, and then each text part, with a blank line before it. HTML parts are
    /// printed as HTML. Attachments that are not text are not printed.
    "decoded", "", Switch, OUTPUT, &[Show];

    /// Print the messages as a mailbox
    ///
    /// The mailbox is an mbox as in RFC 4155. `>` is added to lines that begin with `From `, `>From `, `>>From ` and so
    /// on (mboxrd), so that programs can restore the messages. The `From ` line before each message has the address in
    /// the From field and the date of the message.
    "mbox", "", Switch, OUTPUT, &[Show];

    /// The operand of `generate`
    ///
    /// The operand has a row in this table, so that its values are checked like those of options.
    "operands", "WHAT", Kind::Name(crate::generate::NAMES), OUTPUT, &[];

    /// Approximate size of a task [default: 64M]
    ///
    /// Files of more than SIZE bytes are divided: an mbox into ranges, and a zip or tar archive into groups of
    /// members. Any other file, such as a compressed mailbox, is one task.
    "size", "SIZE", Checked(values::task_size), OUTPUT, &[Plan];
};

/// The options of the library that `tee`, `show`, `explain`, `files` and `check` have, although these jobs do not have
/// the other options of the same scope.
const ALSO: &[(&str, &[Name])] =
    &[("format", &[Tee, Show, Explain, Files]), ("max-message", &[Explain]), ("base", &[Check]), ("tier", &[Check])];

/// An option that only the library has. On the command line, it gave its place to `--arrow`, because a search has at
/// most 45 options, and the field `alternatives` has the same URL.
const OF_LIBRARY_ONLY: &str = "hyphen";

/// Returns all options, in the order of the help.
pub(crate) fn all() -> impl Iterator<Item = Flag> {
    let rows = OPTIONS.iter().filter(|row| row.scope != "part" && row.name != OF_LIBRARY_ONLY).map(of_library);
    let mut flags: Vec<_> = OWN.iter().cloned().chain(rows).collect();
    flags.sort_by_key(|flag| GROUPS.iter().position(|group| *group == flag.group));
    flags.into_iter()
}

fn of_library(row: &'static OptionRow) -> Flag {
    let (group, jobs): (_, &[Name]) = match row.scope {
        "find" | "select" => (SELECTION, &[Find, Count, Report, Tee, Plan, Explain]),
        "read" => (INPUT, &[Find, Count, Report, Plan]),
        "walk" => (INPUT, &[Find, Count, Report, Files, Plan]),
        _ => (GENERAL, &[Find, Count, Report, Run]),
    };
    let kind = match row.kind {
        OptionKind::Flag(_) => Switch,
        _ => Kind::OfLibrary(row),
    };
    Flag {
        name: row.name,
        short: (row.name == "threads").then_some('j'),
        value: row.value_name,
        kind,
        group,
        jobs,
        documentation: "",
        is_search: row.scope != "run",
        row: Some(row),
    }
}

impl Flag {
    pub(crate) fn is_of(&self, job: Name) -> bool {
        let also = |row: &&OptionRow| ALSO.iter().any(|(name, jobs)| *name == row.name && jobs.contains(&job));
        self.jobs.contains(&job) || self.row.as_ref().is_some_and(also)
    }

    /// Returns a description on one line.
    pub(crate) fn summary(&self) -> &'static str {
        let first = self.documentation.lines().next().unwrap_or_default().trim();
        self.row.map_or(first, |row| row.summary)
    }

    /// Returns the complete description, with the summary as its first sentence.
    pub(crate) fn documentation(&self) -> String {
        let text = match self.row {
            Some(row) => row.documentation.to_owned(),
            None => paragraphs(self.documentation.split_once('\n').unwrap_or_default().1),
        };
        if text.is_empty() { self.summary().to_owned() } else { format!("{}. {text}", self.summary()) }
    }

    /// Returns the names that are values of the option, each with a description.
    pub(crate) fn names(&self) -> Vec<(&'static str, &'static str)> {
        match self.kind {
            Kind::Name(names) => names.to_vec(),
            Kind::Fields => {
                let fields = FIELDS.iter().map(|field| (field.name(), field.about()));
                [(ALL, "every field but messages_with_url")].into_iter().chain(fields).collect()
            }
            Kind::OfLibrary(row) => row.values(),
            _ => Vec::new(),
        }
    }

    /// Returns whether commas separate several names in a value.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.kind, Kind::Fields) || self.row.is_some_and(|row| row.kind == OptionKind::Names)
    }

    /// Returns whether all values of a repeated option count.
    pub(crate) fn is_joined(&self) -> bool {
        let is_patterns = self.row.is_some_and(|row| row.kind == OptionKind::Patterns);
        self.is_list() || is_patterns || matches!(self.kind, Texts)
    }

    /// Returns whether not every value is valid.
    pub(crate) fn is_checked(&self) -> bool {
        !matches!(self.kind, Switch | Text | Texts)
    }

    /// Checks a value. The error says what to give instead.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Checked(check) => check(value),
            Kind::OfLibrary(row) => Options::default().set(row.name, value).map_err(|error| error.why().to_owned()),
            Kind::Fields if Field::find(value).is_some() => Ok(()),
            Kind::Name(_) | Kind::Fields => {
                let names = self.names();
                let is_known = names.iter().any(|(name, _)| *name == value);
                let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
                if is_known { Ok(()) } else { Err(advice(value, &known)) }
            }
            _ => Ok(()),
        }
    }
}

/// The value of `--fields` that selects all fields.
pub(crate) const ALL: &str = "all";

/// Joins the lines of each paragraph.
pub(super) fn paragraphs(lines: &str) -> String {
    let paragraphs = lines.trim().split("\n\n");
    paragraphs.map(|text| text.lines().map(str::trim).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n\n")
}
