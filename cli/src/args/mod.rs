//! The options of the command line: their definitions for clap, and the help text.

pub(crate) mod conflicts;
pub(crate) mod foreign_flags;
pub(crate) mod values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Command, CommandFactory, Parser, ValueEnum};
use urlspool::fields::{FIELDS, Field};
use urlspool::{Form, InvalidValue, Tier, Wildmat};

use crate::glossary;
use crate::print::Kind;

const ABOUT: &str = "Finds the URLs in mail and news archives";

const LONG_ABOUT: &str = "\
Finds the URLs in mail and news archives. Prints them one per line, in the order of the input. Reads mbox files, \
Maildir and MH folders, news spools, rnews batches, public-inbox repositories, Outlook's .msg, .pst and .ost files, \
single messages and plain text. Files can also be compressed, or in tar and zip archives. urlspool decodes MIME, \
rejoins URLs that were broken over lines, and validates each URL by RFC 1738 and its successors.

If an option is repeated, the last value is used. Options for several values, such as --scheme, --glob and \
--files-from, use the values of all occurrences.";

/// The usage lines, one for each way to use the command.
pub(crate) const USAGE: [&str; 6] = [
    "urlspool [OPTIONS] [PATH]...",
    "urlspool --manifest SIZE [OPTIONS] PATH... | urlspool --task -",
    "urlspool --merge MANIFEST OUTPUT...",
    "urlspool --tee [--hits FILE] [--add-header] [OPTIONS]",
    "urlspool --show FILE:N",
    "urlspool --check [--strict] [--base BASE] [--json] URL...",
];

/// Example commands, each with a description of its output.
pub(crate) const EXAMPLES: [(&str, &str); 9] = [
    ("urlspool archive.mbox", "every URL, one per line"),
    ("urlspool --sort -u ~/Maildir", "each URL once, sorted"),
    ("urlspool -Hn --scheme ftp,gopher lists/", "file, line and URL"),
    ("urlspool --since 1994 --until 1996 news/", "URLs in messages from 1994 to 1996"),
    ("urlspool --histogram hosts archive.mbox", "the most frequent hosts"),
    ("urlspool --sort=count -m 10 archive.mbox", "the ten most frequent URLs"),
    ("urlspool --json news/ | jq -r .host", "the host of each URL"),
    ("urlspool --report page.html archive.mbox", "a page with charts"),
    ("urlspool --check http://host:99999/", "what is wrong with a URL"),
];

pub(crate) const INPUT_NOTES: &str = "\
Without PATH, urlspool reads standard input, unless standard input is a terminal. If PATH is a directory, urlspool \
reads all files below it, except hidden files. urlspool detects formats, compression and archives by content, not by \
the ending of a name. The output does not depend on the number of threads.

FILE!MEMBER means a member of an archive. A pipe or a device is read only if it is given as PATH. In directories, \
urlspool skips pipes and devices.

On a slow pipe, such as `tail -F mbox | urlspool`, URLs are printed after each message, or after each line of plain \
text. A URL at the end of a line can continue on the next line. urlspool waits a quarter of a second for the next \
line, and then prints the URL.";

pub(crate) const OUTPUT_NOTES: &str = "\
-H, -n, -b and -M add fields before the URL, always in this order: FILE, LINE, OFFSET, <MESSAGE-ID>. The fields are \
separated by tabs, so `cut -f` and `awk -F'\\t'` can select them. A field without a value is empty.";

/// The exit statuses, each with its meaning.
pub(crate) const EXIT_STATUS: [(&str, &str); 4] = [
    ("0", "urlspool found something. With --check, all URLs are valid. With --tee, the mail was passed on."),
    ("1", "urlspool found nothing. With --check, at least one URL is invalid."),
    ("2", "The options are wrong, or some input could not be read, or the output could not be written."),
    (
        "75",
        "The mail was not passed on, or the options are wrong. The mail system will try again. Used only with --tee, \
         --hits and --add-header.",
    ),
];

pub(crate) const EXIT_NOTE: &str = "\
If the program that reads the output closes the pipe, urlspool stops without an error message. If standard output is \
already closed when a search starts (`>&-`), urlspool prints a warning. The exit status does not change, except with \
--tee, which then passes no mail on.";

const WHAT: &str = "Output";
const WHICH: &str = "Selection of URLs";
const INPUT: &str = "Input and selection of messages";
const HOW: &str = "General";
const CHECK: &str = "Checking URLs";
const FILTER: &str = "Mail filter";
const TASKS: &str = "Several processes and machines";

/// The headings of the groups of options, in the order of the help.
pub(crate) const GROUPS: [&str; 7] = [WHAT, WHICH, INPUT, HOW, CHECK, FILTER, TASKS];

/// The parsed arguments.
#[derive(Debug, Parser)]
#[command(
    name = "urlspool",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    override_usage = USAGE.join("\n       "),
    after_help = examples(),
    max_term_width = 100,
    args_override_self = true
)]
pub(crate) struct Args {
    /// Files and directories; `-` means standard input
    ///
    /// FILE!MEMBER means a member of an archive.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the file name before each URL
    #[arg(short = 'H', long, help_heading = WHAT)]
    pub(crate) with_filename: bool,

    /// Print the line number, from 1
    ///
    /// Prints the number of the line on which the URL begins. In a compressed file, counts the lines of the
    /// decompressed text.
    #[arg(short = 'n', long, help_heading = WHAT)]
    pub(crate) line_number: bool,

    /// Print the byte offset in the file, from 0
    ///
    /// In a compressed file, the offset counts decompressed bytes. If the text of a URL is in a charset such as UTF-16,
    /// urlspool does not know the exact offset. In this case, urlspool prints the offset of the MIME part, and --json
    /// prints "exact":false.
    #[arg(short = 'b', long, help_heading = WHAT)]
    pub(crate) byte_offset: bool,

    /// Print the Message-ID in angle brackets
    #[arg(short = 'M', long, help_heading = WHAT)]
    pub(crate) message_id: bool,

    /// End each line with NUL, for `xargs -0`
    #[arg(short = '0', long, help_heading = WHAT)]
    pub(crate) null: bool,

    /// Print the number of URLs per file, as FILE:COUNT
    ///
    /// For a single file, prints only COUNT, unless -H is given. For an archive, prints one line per member:
    /// FILE!MEMBER:COUNT.
    #[arg(short = 'c', long, help_heading = WHAT)]
    pub(crate) count: bool,

    /// Print only the names of files with URLs
    ///
    /// A member of an archive is printed as FILE!MEMBER.
    #[arg(short = 'l', long, help_heading = WHAT)]
    pub(crate) files_with_matches: bool,

    /// Stop after NUM lines of output
    ///
    /// By default, prints the first NUM URLs of the input. NUM is the limit for all files together, not for each file.
    /// With -l, urlspool stops after NUM file names. With --sort or --histogram, urlspool reads all input, and prints
    /// the first NUM lines of the result.
    #[arg(
        short = 'm',
        long,
        value_name = "NUM",
        allow_negative_numbers = true,
        value_parser = values::most,
        help_heading = WHAT
    )]
    pub(crate) max_count: Option<u64>,

    /// Print a JSON object per URL, with every field
    ///
    /// Every object has the same fields in the same order. A field without a value is null. Bytes that are not UTF-8
    /// are replaced by U+FFFD. In this case, a second field, such as file_bytes, has the original bytes in base64.
    #[arg(long, help_heading = WHAT)]
    pub(crate) json: bool,

    /// Print comma-separated values, a column per field
    ///
    /// The output is CSV as in RFC 4180. The columns are the fields of --json, and the first line has their names. An
    /// empty cell means no value. If a cell has several alternatives, targets or warnings, spaces separate them.
    #[arg(long, help_heading = WHAT)]
    pub(crate) csv: bool,

    /// Print tab-separated values, a column per field
    ///
    /// The columns are the same as with --csv. In values, tabs, line ends and backslashes are written as \t, \n, \r and
    /// \\.
    #[arg(long, help_heading = WHAT)]
    pub(crate) tsv: bool,

    /// Write a Parquet file with a column per field
    ///
    /// DuckDB, pandas, polars and Spark can read the file. Each column has a type; for example, the date is a timestamp
    /// in UTC. The columns are compressed with zstd. The output is first written to a hidden file in the directory of
    /// FILE. When the hidden file is complete, it is renamed to FILE. Nothing is printed on standard output.
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) parquet: Option<PathBuf>,

    /// Print only these fields, such as url,date,subject
    ///
    /// The fields are printed in the order that you give, separated by tabs as in --tsv, but without a header line.
    /// With --json, --csv or --tsv, the option selects the fields of that format. If url is among the fields, -u and
    /// --sort compare the URLs. Otherwise, -u and --sort compare whole lines. `all` means every field. The fields
    /// host_ascii, domain, normalized and wayback are printed only if --fields selects them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = field_names(), help_heading = WHAT)]
    pub(crate) fields: Vec<String>,

    /// Count URLs by host, domain, year and the like
    ///
    /// With `--histogram hosts`, prints a line for each host: the number of URLs, a tab and the host. The other values,
    /// such as domains and years, work in the same way. The most frequent names come first, but years are in ascending
    /// order. On a terminal, also prints bars. With -u, counts only the first occurrence of each URL. With --csv or
    /// --tsv, prints a table with a header line.
    #[arg(long, value_name = "OF", help_heading = WHAT)]
    pub(crate) histogram: Option<Kind>,

    /// Also print NUM lines before and after each URL
    ///
    /// Below each URL, prints the lines of text that contain the URL, with NUM lines before and after them. A blank
    /// line follows. The lines are decoded and indented. `>` marks the lines that contain the URL.
    #[arg(
        short = 'C',
        long,
        value_name = "NUM",
        allow_negative_numbers = true,
        value_parser = values::lines,
        help_heading = WHAT
    )]
    pub(crate) context: Option<usize>,

    /// Like -C, but only lines after each URL
    ///
    /// If -C is also given, -A sets the number of lines after each URL.
    #[arg(
        short = 'A',
        long,
        value_name = "NUM",
        allow_negative_numbers = true,
        value_parser = values::lines,
        help_heading = WHAT
    )]
    pub(crate) after_context: Option<usize>,

    /// Like -C, but only lines before each URL
    ///
    /// If -C is also given, -B sets the number of lines before each URL.
    #[arg(
        short = 'B',
        long,
        value_name = "NUM",
        allow_negative_numbers = true,
        value_parser = values::lines,
        help_heading = WHAT
    )]
    pub(crate) before_context: Option<usize>,

    /// Write the output to FILE
    ///
    /// An existing FILE is overwritten. If FILE is also a PATH, contains mail or is compressed, urlspool refuses to
    /// overwrite it. urlspool does not check whether the list of --files-from names FILE. If FILE is in a directory
    /// that urlspool searches, urlspool does not search FILE. `-` is standard output. The option also works with
    /// --files, --manifest, --task and --merge, but not with --check, --show and --tee.
    #[arg(short = 'o', long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) output: Option<PathBuf>,

    /// Write an HTML page with charts to FILE
    ///
    /// The page lists the most frequent URLs and hosts, and where they occur. Charts show the URLs by date, scheme,
    /// form and tier. The page also lists invalid URLs, malformed mail, and files that could not be read. The page is
    /// one file that loads nothing from the network. Nothing is printed on standard output. An existing FILE is
    /// replaced only if urlspool wrote it. If FILE is in a directory that urlspool searches, urlspool does not search
    /// FILE. Needs about 500 bytes of memory per distinct URL.
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) report: Option<PathBuf>,

    /// Print statistics on stderr at the end
    ///
    /// Prints the number of files in each format, the number of files that could not be read, and the numbers of
    /// messages, MIME parts and bytes. Then prints the number of URLs of each form and tier, the number of rejects
    /// (invalid URLs) for each reason, and the number of errors of each kind in malformed input. Also prints the time
    /// and the speed.
    #[arg(long, help_heading = WHAT)]
    pub(crate) stats: bool,

    /// Print only the first occurrence of each URL
    ///
    /// Compares URLs byte by byte. Needs about 100 bytes of memory per distinct URL: 1 GB for ten million.
    /// `urlspool ... | sort -u` needs less memory, but does not keep the order.
    #[arg(short = 'u', long, help_heading = WHAT)]
    pub(crate) unique: bool,

    /// Sort by URL, bytewise, or by count [default: url]
    ///
    /// `url` sorts by URL, byte by byte, and keeps all lines in memory until the end. Add -u to print only the first
    /// occurrence of each URL. `count` prints each URL once, with the most frequent URLs first. With `count`, each line
    /// is the number of occurrences, a tab and the URL.
    #[arg(
        long,
        value_name = "BY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "url",
        hide_default_value = true,
        help_heading = WHAT
    )]
    pub(crate) sort: Option<SortBy>,

    /// Also print other readings of ambiguous URLs
    ///
    /// A URL at the end of a line may or may not continue on the next line. If the line ends with a hyphen, the hyphen
    /// may or may not be part of the URL. urlspool prints the likeliest reading first, and each other valid reading on
    /// a line of its own. The field "alternatives" of --json always has the other readings.
    #[arg(long, help_heading = WHAT)]
    pub(crate) alternatives: bool,

    /// Print the target of rewritten links (SafeLinks)
    ///
    /// Mail gateways (Outlook's SafeLinks, Proofpoint's urldefense, Barracuda, Sophos, ...), search engines and social
    /// networks rewrite links. The rewritten link contains the original URL, which is called the target. urlspool
    /// decodes the target, and never uses the network. If the target is also a rewritten link, urlspool decodes that
    /// link, too, but not more than eight links in a row. URLs that are not rewritten links are printed unchanged. The
    /// options -u and --sort compare the printed targets; --host, --scheme and --tier check the rewritten links. --json
    /// always has both URLs: "url" and "target".
    #[arg(long, help_heading = WHAT)]
    pub(crate) unwrap: bool,

    /// List text that looks like a URL but is invalid
    ///
    /// Prints no URLs. Each line is the invalid text, a tab and the reason. With --strict, also lists URLs that RFC
    /// 1738 does not allow.
    #[arg(long, help_heading = WHAT)]
    pub(crate) rejects: bool,

    /// Only URLs of these schemes, such as http,ftp
    ///
    /// Case does not matter. Use --list-schemes to list the schemes that urlspool knows. URLs of other schemes, such as
    /// steam, are found only in angle brackets and in HTML attributes. If urlspool does not know a scheme in NAMES and
    /// finds no URL with this scheme, it prints a warning.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::scheme, help_heading = WHICH)]
    pub(crate) scheme: Vec<String>,

    /// Only these forms: wrapped,angle,bare,prefixed,href
    ///
    /// The form says how the text marks the URL, for example with angle brackets.
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = named(Form::ALL, Form::as_str, Form::about), help_heading = WHICH)]
    pub(crate) form: Vec<Form>,

    /// Only these hosts and sub-domains: example.org
    ///
    /// `=example.org` means only that host, without its sub-domains. In a pattern, such as *.example.*, `*` matches any
    /// text, `?` matches one character, and [a-z] matches one character of the set. `!` before a host or a pattern
    /// excludes it. If several hosts and patterns match, the last one decides. Case does not matter. You can write
    /// international names in Unicode or in Punycode. Patterns for international names must be in Punycode. Write IPv6
    /// addresses in brackets, such as [::1]. URLs without a host are omitted.
    #[arg(long, value_name = "HOSTS", value_parser = values::hosts, help_heading = WHICH)]
    pub(crate) host: Vec<Wildmat>,

    /// Only these tiers: rfc1738,relaxed,rfc3986,iri
    ///
    /// The tier says which grammar allows the URL. If several of these grammars allow the URL, the tier is the first of
    /// them, in the order above.
    #[arg(long, value_name = "TIERS", value_delimiter = ',', value_parser = named(Tier::ALL, Tier::as_str, Tier::about), help_heading = WHICH)]
    pub(crate) tier: Vec<Tier>,

    /// Also find defanged URLs: hxxp://evil[.]example/
    ///
    /// Prints the restored URLs. Restores [dot] to a dot, [at] to an @, and the schemes hxxp, hxxps and fxp to http,
    /// https and ftp. Also removes the brackets around dots, colons, slashes and @. In hosts, also removes blanks
    /// around [.], and restores \. to a dot. With --json, restored URLs have "defanged":true. If only the path of a URL
    /// looks defanged, urlspool prints the URL as written, and lists the restored URL in "alternatives". With this
    /// option, the search takes up to twice as long.
    #[arg(long, help_heading = WHICH)]
    pub(crate) defanged: bool,

    /// Skip a URL in plain text if the HTML also has it
    ///
    /// Many messages have the same text twice, as plain text and as HTML, in one multipart/alternative. Two URLs count
    /// as the same if they are equal after normalization. For example, http://A.example and http://a.example/ are the
    /// same.
    #[arg(long, help_heading = WHICH)]
    pub(crate) no_twins: bool,

    /// Only URLs of the tier rfc1738
    ///
    /// Omits URLs with unsafe characters such as ~, and URLs that only RFC 3986 or RFC 3987 allows.
    #[arg(long, help_heading = WHICH)]
    pub(crate) strict: bool,

    /// Search header fields: yes, no or only [default: yes]
    #[arg(long, value_name = "WHICH", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) headers: Headers,

    /// Search HTML parts: yes or no [default: yes]
    #[arg(long, value_name = "WHETHER", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) html: Html,

    /// Line-end hyphens: keep, drop or both [default: keep]
    ///
    /// Applies to URLs in brackets that are broken over two lines after a hyphen. The hyphen may be part of the URL, or
    /// the sender may have added it at the break.
    #[arg(long, value_name = "READING", hide_default_value = true, default_value = "keep", help_heading = WHICH)]
    pub(crate) hyphen: Hyphen,

    /// Rejoin bare URLs: likely or never [default: likely]
    ///
    /// A bare URL has no brackets around it. If a bare URL reaches the end of a line, this option says when urlspool
    /// joins the URL with the text on the next line.
    #[arg(
        long,
        value_name = "WHEN",
        hide_default_value = true,
        default_value = "likely",
        help_heading = WHICH
    )]
    pub(crate) rejoin: Rejoin,

    /// Minimum confidence for rejoining, in % [default: 0]
    ///
    /// Applies to URLs without brackets around them. If urlspool is less than N percent sure that the URL continues on
    /// the next line, urlspool ends the URL at the end of the line. In this case, --alternatives also prints the
    /// rejoined URL.
    #[arg(
        long,
        value_name = "N",
        hide_default_value = true,
        default_value = "0",
        value_parser = values::percent,
        help_heading = WHICH
    )]
    pub(crate) min_confidence: u8,

    /// Format of the input, such as mbox [default: auto]
    ///
    /// `auto` detects the format of each file by its content. `maildir`, `mh` and `spool` read every file as exactly
    /// one message, so do not use them if some files are mailboxes or rnews batches. The option does not change which
    /// files of a directory are read.
    #[arg(
        long,
        value_name = "FORMAT",
        hide_default_value = true,
        default_value = "auto",
        value_parser = formats(),
        help_heading = INPUT
    )]
    pub(crate) format: String,

    /// Also read the paths in FILE, one per line
    ///
    /// `-` is standard input, as in `find ... | urlspool --files-from -`. The PATH arguments are searched first. The
    /// paths in the list are then searched as they arrive, without waiting for the end of the list. A CR at the end of
    /// a line is ignored. If a path is a pipe or a device, urlspool reports an error and does not read it.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files_from: Vec<PathBuf>,

    /// Like --files-from, but a NUL ends each path
    ///
    /// `-` is standard input, as in `find ... -print0 | urlspool --files0-from -`.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files0_from: Vec<PathBuf>,

    /// Only files whose path matches GLOB: '*.mbox'
    ///
    /// Globs work as in ripgrep. A GLOB without a slash matches names in any directory. A slash at the end restricts
    /// the GLOB to directories: '!mail/' excludes a directory, and '**/mail/**' selects the files in it. A slash at the start makes the GLOB relative to the current directory. `**` matches
    /// any number of directories. `!` before a GLOB excludes the files and directories that it matches. If several
    /// globs match, the last one decides. Directories are searched unless a GLOB with `!` excludes them. Hidden files
    /// are read if a GLOB matches them. The option does not apply to a PATH, to paths in lists, or to members of
    /// archives.
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) glob: Vec<String>,

    /// Skip files and directories that match GLOB: 'spam/'
    ///
    /// Has the same effect as --glob '!GLOB' at the end of the command line.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) exclude: Vec<String>,

    /// Only files that are mail or news
    ///
    /// Skips plain text, such as READMEs and logs. Mail is recognized by its headers, or by the format of the mailbox.
    /// Files in a Maildir, and files whose name is a number, always count as mail.
    #[arg(long, help_heading = INPUT)]
    pub(crate) mail_only: bool,

    /// Count each message once, by its Message-ID
    ///
    /// If several messages have the same Message-ID, even in different files, urlspool reads only the first one. Two
    /// messages without a Message-ID count as the same if all their bytes are equal. Text outside messages is always
    /// read. Needs 20 to 40 MB of memory for a million messages; --stats prints the exact amount.
    #[arg(long, help_heading = INPUT)]
    pub(crate) once: bool,

    /// Read only what is new since the last run with FILE
    ///
    /// FILE is a text file in which urlspool records the files that it has read. If messages were appended to a
    /// mailbox, urlspool reads only the new messages. If a file has changed in any other way, urlspool reads the whole
    /// file again and prints a warning. Message numbers, line numbers and offsets still count from the beginning of the
    /// file. A file that cannot be read to its end is read again in the next run. If a run is killed, the next run
    /// repeats the URLs of at most one file: the file that was being read. Give the same options in every run with the
    /// same FILE. Only options that change the layout of the output, such as --json and --sort, can differ between
    /// runs.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) state: Option<PathBuf>,

    /// Only messages since DATE, such as 1995 or 1995-02-17
    ///
    /// DATE is a year (1995), a month (1995-02), a day (1995-02-17) or a time (1995-02-17T10:00:00Z), in UTC. DATE can
    /// also be a time before now: 30m is 30 minutes ago, and 12h, 7d, 2w, 3mo and 1y are hours, days, weeks, months and
    /// years ago. DATE can also be `today` or `yesterday`. The date of a message comes from its Date field. Text
    /// outside messages is skipped, and so are messages without a valid date. At the end, a warning says how many text
    /// files and messages were skipped.
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, value_parser = values::since, help_heading = INPUT)]
    pub(crate) since: Option<i64>,

    /// Only messages up to and including DATE
    ///
    /// DATE has the same forms as with --since. `--since 1995 --until 1995` selects the whole year 1995.
    #[arg(long, value_name = "DATE", allow_hyphen_values = true, value_parser = values::until, help_heading = INPUT)]
    pub(crate) until: Option<i64>,

    /// Only messages in these groups: comp.*,!comp.lang.*
    ///
    /// The patterns are those of RFC 3977, section 4.1: `*` matches any text, and `?` matches one character. `!` before
    /// a pattern excludes groups. If several patterns match, the last one decides. As in INN, [a-z] matches one
    /// character of a set, [^a-z] matches one character that is not in the set, and a backslash makes the next
    /// character literal. Case does not matter. A message is read if at least one of its groups matches. If no message
    /// matches, urlspool prints a warning.
    #[arg(long, value_name = "GROUPS", value_parser = values::of_library("newsgroup"), help_heading = INPUT)]
    pub(crate) newsgroup: Vec<String>,

    /// Only these mailing lists: announce,*.example.org
    ///
    /// Selects messages by the List-Id field, with the same patterns as --newsgroup. A name without a dot matches the
    /// part of the List-Id before its first dot. Mail from before 2001 has no List-Id, so this option skips it.
    #[arg(long, value_name = "LISTS", value_parser = values::of_library("list"), help_heading = INPUT)]
    pub(crate) list: Vec<String>,

    /// Only messages that begin in this range: 0-1G, 1G-
    ///
    /// With this option, several machines can share one large file. PATH must be a single file. A and B are byte
    /// offsets, from 0. The suffixes K, M and G mean KiB, MiB and GiB. B is not part of the range, so 0-1G and 1G-
    /// together select every message once. An mbox is read from A on. But if it is compressed, or if lines must be
    /// counted, as for --json and -n, it is read from its beginning. In an archive, the range applies to each member.
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = values::of_library("byte-range"), help_heading = INPUT)]
    pub(crate) byte_range: Option<String>,

    /// Only the files in share I of N, such as 1/4
    ///
    /// With this option, you can divide the files among several machines. A hash of the path of a file decides which
    /// share the file is in, so give the same paths on every machine. Each file is in exactly one share, and stays in
    /// this share in every run.
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, value_parser = values::of_library("shard"), help_heading = INPUT)]
    pub(crate) shard: Option<String>,

    /// Decode messages up to this size [default: 4M]
    ///
    /// If a message is larger, urlspool decodes its beginning, searches the rest as plain text, and prints a warning.
    /// SIZE is at most 1G. A larger SIZE can need more memory, because urlspool keeps each message in memory, and makes
    /// several copies to decode the message.
    #[arg(
        long,
        value_name = "SIZE",
        allow_hyphen_values = true,
        value_parser = values::of_library("max-message"),
        help_heading = HOW
    )]
    pub(crate) max_message: Option<String>,

    /// Follow symbolic links in directories
    ///
    /// A link that leads back to a directory above it is skipped, and no file is read twice. A PATH that is a link is
    /// followed even without this option.
    #[arg(long, help_heading = INPUT)]
    pub(crate) follow: bool,

    /// Number of threads, 0 for one per core [default: 0]
    ///
    /// urlspool uses at most 256 threads, even if N is larger. N above 1024 is an error.
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        hide_default_value = true,
        default_value = "0",
        allow_negative_numbers = true,
        value_parser = values::threads,
        help_heading = HOW
    )]
    pub(crate) threads: u16,

    /// Also report malformed mail, formats, skipped files
    ///
    /// For each file, prints the format and how it was detected. For each malformed message, prints the file, the
    /// offset of the message or MIME part, the error, and how urlspool read the message. In a compressed file, the
    /// offset counts decompressed bytes. Malformed messages are common in old mail and do not change the exit status.
    /// Without -v, urlspool reports damaged archives and files that it cannot read, but not malformed messages.
    #[arg(short = 'v', long, help_heading = HOW)]
    pub(crate) verbose: bool,

    /// Show a progress line: auto or never [default: auto]
    ///
    /// `auto` prints the line if stderr is a terminal and the run takes longer than a second. The line shows the
    /// numbers of bytes, messages and URLs so far.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) progress: Bar,

    /// Colours: auto, always or never [default: auto]
    ///
    /// `auto` prints colours on a terminal, unless NO_COLOR is set to a value that is not empty. The output of --json,
    /// --csv and --tsv never has colours.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) color: When,

    /// Print URLs as terminal links [default: auto]
    ///
    /// `auto` prints links on a terminal, unless TERM is empty, dumb or linux. The links are OSC 8 escape sequences.
    /// Only http, https, ftp and mailto URLs in printable ASCII become links. The output of --json, --csv and --tsv
    /// never has links.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) hyperlink: When,

    /// Print message N of FILE as it is stored
    ///
    /// Examples of FILE:N are archive.mbox:7 and mail.zip!inbox:7. FILE is the name that -H prints, and N is the field
    /// `message` of --json. The message is decompressed, but not changed in any other way. The `From ` line of an mbox
    /// is not printed. Without :N, prints the first message. A file of a Maildir has only one message, so it needs no
    /// :N.
    #[arg(long, value_name = "FILE:N", help_heading = HOW)]
    pub(crate) show: Option<PathBuf>,

    /// Print the man page, completions or JSON Schema
    ///
    /// For example: urlspool --generate bash > /usr/share/bash-completion/completions/urlspool
    #[arg(exclusive = true, long, value_name = "WHAT", help_heading = HOW)]
    pub(crate) generate: Option<Generate>,

    /// Parse the arguments as URLs and print their components
    ///
    /// For a valid URL, prints each component, the tier and the warnings. For an invalid URL, prints the reason and the
    /// offset of the error. With the argument `-`, reads URLs from standard input, one per line, and skips blank lines.
    /// With --json, prints an object per URL. Its field `valid` is true or false. A valid URL also has the fields url,
    /// tier, scheme, fragment, target, targets and warnings, and a field for each component, such as host. An invalid
    /// URL has the fields url, url_bytes, reason and offset.
    #[arg(long, help_heading = CHECK)]
    pub(crate) check: bool,

    /// With --check: resolve each URL against BASE first
    #[arg(long, value_name = "BASE", help_heading = CHECK)]
    pub(crate) base: Option<String>,

    /// List the known schemes, with their default ports
    ///
    /// Each line has three fields, separated by tabs: the name of the scheme, the default port, and the beginning of a
    /// URL of this scheme, such as `ftp://`. For some schemes, the third field also says where urlspool finds the URLs.
    #[arg(exclusive = true, long, help_heading = CHECK)]
    pub(crate) list_schemes: bool,

    /// Copy stdin to stdout unchanged, and record the URLs
    ///
    /// This option is for mail filters. urlspool passes on all input before parsing it, unless you give --add-header.
    /// If recording the URLs fails, urlspool still passes on the mail. Use --hits to write the URLs to a file, and
    /// --add-header to add them to the message. Without -v, nothing is printed on stderr. If the input is one message,
    /// add --format message. Without --format message, a line that starts with `From ` can count as the beginning of
    /// another message.
    #[arg(long, help_heading = FILTER)]
    pub(crate) tee: bool,

    /// With --tee: append the URLs to FILE, or write to fd:3
    ///
    /// The URLs are written as they would be printed without --tee; --json is recommended. Each record is written with
    /// a single system call, so several filters can append to the same file. In a pipe, records of more than 4 KiB from
    /// several filters can be mixed. A new file gets mode 600. If FILE cannot be written, the URLs are lost, but the
    /// mail is still passed on. With fd:N, the URLs are written to the file or pipe that is open as descriptor N. On
    /// Linux, the descriptor cannot be a socket. For a file named fd:3, write ./fd:3.
    #[arg(long, value_name = "FILE", help_heading = FILTER)]
    pub(crate) hits: Option<PathBuf>,

    /// With --tee: add an X-URL field per URL to the message
    ///
    /// Standard input must be one message. Each distinct URL gets one field. If the message already has an X-URL field
    /// for a URL, urlspool adds no second one. Bytes other than printable ASCII are percent-encoded. Messages larger
    /// than 32 MiB get no fields. Mail systems refuse messages with long headers, so urlspool adds at most 16 KiB of
    /// fields and omits the other URLs.
    #[arg(long, help_heading = FILTER)]
    pub(crate) add_header: bool,

    /// List the files that would be read, instead of URLs
    ///
    /// Prints a line per file: its size in bytes, its format, its compression, how --manifest divides it (`messages`,
    /// `members` or empty), and its name. The fields are separated by tabs. With --json, prints an object per file.
    /// Only the beginning of each file is read. The options that select files have the same meaning as without --files.
    #[arg(long, help_heading = TASKS)]
    pub(crate) files: bool,

    /// Divide a search into tasks of SIZE bytes, such as 64M
    ///
    /// Prints each task as a line of JSON. --task runs these tasks. A task can have several small files. Files of more
    /// than SIZE bytes are divided: an mbox into ranges, and a zip or tar archive into groups of members. Any other
    /// file, such as a compressed mailbox, is one task. Only files of more than SIZE bytes are opened, and only their
    /// first 64 KiB are read. In an archive, the list of members is read, too. Each task contains the paths, sizes and
    /// modification times of its files, and the options of the search. The id of a task is a hash of this content, so
    /// the same task has the same id on every machine.
    #[arg(
        long,
        value_name = "SIZE",
        allow_hyphen_values = true,
        value_parser = values::task_size,
        help_heading = TASKS
    )]
    pub(crate) manifest: Option<u64>,

    /// Run the tasks in FILE, or from stdin with `-`
    ///
    /// For each task, prints its URLs as --json does, and then a line with the totals of the task. If a task is a range
    /// of a mailbox, line and message numbers count from the first message of the range. --merge converts these
    /// numbers, so that they count from the beginning of the file. If a file has changed since the manifest was made,
    /// its task fails. All other tasks are run. Only the options -j, -o and -v work with --task. -o overwrites the
    /// output of earlier tasks; to keep that output, use `>> FILE`.
    #[arg(long, value_name = "FILE", help_heading = TASKS)]
    pub(crate) task: Option<PathBuf>,

    /// Join the outputs of --task into one list of URLs
    ///
    /// MANIFEST is the output of --manifest, and each PATH is an output of --task. All of them must be regular files.
    /// The tasks can be in any order. Prints the same output in the same order as --json without tasks. If a task is
    /// missing or has failed, prints only an error that names the task.
    #[arg(long, value_name = "MANIFEST", help_heading = TASKS)]
    pub(crate) merge: Option<PathBuf>,

    /// The options on the command line that the HTML report shows, in their long form.
    #[arg(skip)]
    pub(crate) given: Vec<String>,

    /// All arguments, unchanged. Error messages use them to name each option in the form that the user wrote.
    #[arg(skip)]
    pub(crate) arguments: Vec<OsString>,
}

impl Args {
    /// Whether the arguments can name several files. A list or a directory counts as several.
    pub(crate) fn has_several_files(&self) -> bool {
        self.list_of_files().is_some() || self.paths.len() > 1 || self.paths.iter().any(|path| path.is_dir())
    }

    /// Returns the numbers of context lines before and after each URL. Returns `None` without `-A`, `-B` and `-C`.
    pub(crate) fn context(&self) -> Option<(usize, usize)> {
        let (before, after) = (self.before_context.or(self.context), self.after_context.or(self.context));
        (before.is_some() || after.is_some()).then(|| (before.unwrap_or(0), after.unwrap_or(0)))
    }

    /// Returns the file of `--parquet`. Returns `None` if the build does not support Parquet.
    pub(crate) fn parquet(&self) -> Option<&Path> {
        #[cfg(feature = "parquet")]
        return self.parquet.as_deref();
        #[cfg(not(feature = "parquet"))]
        None
    }

    /// Returns the fields that `--fields` selects. Returns `None` without `--fields`.
    pub(crate) fn output_fields(&self) -> Option<Vec<Field>> {
        let named = |name: &String| Field::find(name).copied();
        match self.fields.as_slice() {
            [] => None,
            [name] if name == ALL => Some(FIELDS.to_vec()),
            names => Some(names.iter().filter_map(named).collect()),
        }
    }

    /// Returns an error message if a name in `--fields` is repeated, or if `all` is not the only name.
    pub(crate) fn wrong_field(&self) -> Option<String> {
        let names = &self.fields;
        if names.len() > 1 && names.iter().any(|name| name == ALL) {
            return Some("--fields: `all` means every field; remove the other names".into());
        }
        let (_, name) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))?;
        Some(format!("--fields: {name} is named twice; name each field once"))
    }

    /// Whether line or message numbers are printed. If they are not, urlspool does not count lines and messages.
    pub(crate) fn counts_lines(&self) -> bool {
        let is_number = |name: &String| [ALL, "line", "message"].contains(&name.as_str());
        let has_all = (self.json || self.csv || self.tsv || self.parquet().is_some()) && self.fields.is_empty();
        has_all || self.fields.iter().any(is_number) || self.line_number || self.report.is_some()
    }

    /// Returns the file of `--files-from` or `--files0-from`, and the byte that ends each path in it.
    pub(crate) fn list_of_files(&self) -> Option<(&Path, u8)> {
        let lines = self.files_from.first().map(|file| (file.as_path(), b'\n'));
        lines.or(self.files0_from.first().map(|file| (file.as_path(), 0)))
    }
}

/// The value of `--fields` that selects all fields.
const ALL: &str = "all";

/// Returns a parser that accepts the name of a field, or [`ALL`].
fn field_names() -> PossibleValuesParser {
    PossibleValuesParser::new([ALL].into_iter().chain(FIELDS.iter().map(Field::name)))
}

/// Joins the lists of patterns of a repeated option. Returns `None` if the option was not given.
pub(crate) fn joined(lists: &[Wildmat]) -> Option<Wildmat> {
    let text = lists.iter().map(Wildmat::to_string).collect::<Vec<_>>().join(",");
    (!lists.is_empty()).then(|| Wildmat::new(&text).expect("joining valid lists gives a valid list"))
}

/// Returns the definitions of the options for clap. Only `--help` lists the possible values of each option; `-h` does
/// not.
pub(crate) fn command(arguments: &[OsString]) -> Command {
    let is_long = arguments.iter().any(|argument| argument == "--help");
    let command = Args::command().mut_args(|argument| {
        let is_hidden = !is_long && argument.get_action().takes_values();
        argument.hide_possible_values(is_hidden)
    });
    // Building the notes takes as long as the rest of the startup, so they are built only for `--help`.
    if is_long { command.after_long_help(notes()) } else { command }
}

/// Returns the examples as text, one per line.
fn examples() -> String {
    let lines = EXAMPLES.map(|(command, result)| format!("\n  {command:<42} {result}"));
    format!("Examples:{}", lines.concat())
}

/// Returns the text that `--help` prints after the options: examples, notes, exit statuses and definitions.
fn notes() -> String {
    let statuses = EXIT_STATUS.map(|(status, meaning)| format!("\n  {status:>2}  {meaning}")).concat();
    let mut text = format!(
        "{}\n\nInput:\n{INPUT_NOTES}\n\nPlain output:\n{OUTPUT_NOTES}\n\nExit status:{statuses}\n{EXIT_NOTE}",
        examples()
    );
    // clap already prints the definitions of forms and tiers, in the help of `--form` and `--tier`.
    for section in glossary::sections().iter().filter(|section| section.option.is_none()) {
        text += &format!("\n\n{section}");
    }
    text
}

/// Returns the short help that urlspool prints if it runs in a terminal without arguments.
pub(crate) fn first_help() -> String {
    format!(
        "{ABOUT}.\n\n{}\n\nUsage: {}\n\n`urlspool -h` lists all options, and `urlspool --help` explains them.\n",
        examples(),
        USAGE.join("\n       ")
    )
}

/// The values of `--headers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Headers {
    /// Headers and bodies
    Yes,
    /// Bodies only
    No,
    /// Headers only
    Only,
}

/// The values of `--sort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// URLs, byte by byte
    Url,
    /// Number of occurrences
    Count,
}

/// The values of `--color` and `--hyperlink`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The values of `--progress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bar {
    /// On a terminal, after a second
    Auto,
    /// Never
    Never,
}

/// The values of `--generate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generate {
    /// The man page, for man(1)
    Man,
    /// The JSON Schema of the objects of --json
    Schema,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for elvish
    Elvish,
    /// Completions for PowerShell
    Powershell,
}

/// The values of `--html`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Html {
    /// All parts
    Yes,
    /// Only parts that are not HTML
    No,
}

/// The values of `--hyphen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hyphen {
    /// The hyphen is part of the URL
    Keep,
    /// The hyphen is not part of the URL
    Drop,
    /// Print the URL with and without the hyphen, on two lines
    Both,
}

/// The values of `--rejoin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rejoin {
    /// the URL ends at the end of the line
    Never,
    /// the URL is joined with the next line if the evidence is strong
    Likely,
}

/// The value of `--format` that means detection by content.
pub(crate) const AUTO: &str = "auto";

fn formats() -> PossibleValuesParser {
    let row = urlspool::OPTIONS.iter().find(|row| row.name == "format").expect("an option");
    PossibleValuesParser::new(row.values().into_iter().map(|(name, about)| PossibleValue::new(name).help(about)))
}

/// Returns a parser that accepts the names of the values in `all`. `about` returns the help text of a value.
fn named<T>(
    all: &[T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Copy + Send + Sync + FromStr<Err = InvalidValue> + 'static,
{
    let value = |value: &T| PossibleValue::new(name(*value)).help(about(*value));
    PossibleValuesParser::new(all.iter().map(value)).try_map(|name| name.parse::<T>())
}

#[cfg(test)]
mod tests {
    use super::{Args, command};
    use clap::CommandFactory;

    #[test]
    fn the_short_help_has_one_line_per_option_in_80_columns() {
        let help = command(&["urlspool".into(), "-h".into()]).term_width(80).render_help().to_string();
        let is_option = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
        let (_, options) = help.split_once("\nOptions:\n").expect("options");
        let (options, _) = options.split_once("\nExamples:\n").expect("examples");
        for line in options.lines().filter(|line| line.starts_with(' ')) {
            assert!(is_option(&line), "{line:?} continues the line before");
        }
        // The arguments of `Args` include the operand PATH, which is not an option. clap adds the options --help and
        // --version.
        let count = Args::command().get_arguments().count() - 1 + 2;
        assert_eq!(options.lines().filter(is_option).count(), count);
    }
}
