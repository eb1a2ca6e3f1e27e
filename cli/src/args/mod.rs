//! The options: clap's table, and the help.

pub(crate) mod conflicts;
pub(crate) mod foreign_flags;
pub(crate) mod values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Command, CommandFactory, Parser, ValueEnum};
use urlspool::{Form, Format, Rejoin, Shard, Tier, UnknownName, Wildmat};

use crate::glossary;
use crate::print::Kind;
use crate::print::fields::{self, Field};

const ABOUT: &str = "Finds the URLs in mail and news archives";

const LONG_ABOUT: &str = "\
Finds the URLs in mail and news archives, and prints them one per line, in the order of the input. It reads mbox files, \
Maildir and MH folders, news spools, rnews batches, single messages and plain text, also compressed or in tar and zip \
archives. It decodes MIME, rejoins URLs that were broken over lines, and validates each by RFC 1738 and its successors.";

/// The four ways to use the command, a line each.
pub(crate) const USAGE: [&str; 4] = [
    "urlspool [OPTIONS] [PATH]...",
    "urlspool --tee [--hits FILE] [--add-header] [OPTIONS]",
    "urlspool --show FILE:N",
    "urlspool --check [--strict] [--base BASE] [--json] URL...",
];

/// A command, and what it prints.
pub(crate) const EXAMPLES: [(&str, &str); 9] = [
    ("urlspool archive.mbox", "every URL, one per line"),
    ("urlspool --sort -u ~/Maildir", "each URL once, sorted"),
    ("urlspool -Hn --scheme ftp,gopher lists/", "file, line and URL"),
    ("urlspool --since 1994 --until 1996 news/", "URLs in messages of three years"),
    ("urlspool --histogram hosts archive.mbox", "the most frequent hosts"),
    ("urlspool --sort=count -m 10 archive.mbox", "the ten most frequent URLs"),
    ("urlspool --json news/ | jq -r .host", "every field, for programs"),
    ("urlspool --report page.html archive.mbox", "a page with charts"),
    ("urlspool --check http://host:99999/", "what is wrong with a URL"),
];

pub(crate) const INPUT_NOTES: &str = "\
Without PATH, urlspool reads standard input, unless it is a terminal. It walks directories. It detects formats, \
compression and archives by content, never by name. The output never depends on the number of threads.

The name of an archive's member is FILE!MEMBER. Pipes and devices are read if they are a PATH. In directories and lists \
they are skipped.

On a slow pipe, URLs are printed after each message, as in `tail -F mbox | urlspool`, or after each line of plain text. If \
nothing comes for a quarter of a second, a URL at the end of a line counts as complete.";

pub(crate) const OUTPUT_NOTES: &str = "\
-H, -n, -b and -M add fields before the URL, always in this order: FILE, LINE, OFFSET, <MESSAGE-ID>. Tabs separate the \
fields, for `cut -f` and `awk -F'\\t'`. A field without a value is empty.";

/// The exit statuses, and what each means.
pub(crate) const EXIT_STATUS: [(&str, &str); 4] = [
    ("0", "Found something. With --check: every URL is valid. With --tee: the mail was passed on."),
    ("1", "Found nothing. With --check: some URL is invalid."),
    ("2", "Something could not be read, or the options are wrong. Everything else was done."),
    ("75", "With --tee: the mail was not passed on, or the options are wrong. The mail system tries again."),
];

/// The note after the exit statuses.
pub(crate) const EXIT_NOTE: &str = "If the reader of the output closes the pipe, urlspool ends without a message.";

const WHAT: &str = "Output";
const WHICH: &str = "Selection of URLs";
const INPUT: &str = "Input and selection of messages";
const HOW: &str = "General";
const CHECK: &str = "Checking URLs";
const FILTER: &str = "Mail filter";

/// The groups of options, in their order.
pub(crate) const GROUPS: [&str; 6] = [WHAT, WHICH, INPUT, HOW, CHECK, FILTER];

/// The arguments.
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
    /// Files and directories; `-` is standard input, FILE!MEMBER a member of an archive
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the file name before each URL
    #[arg(short = 'H', long, help_heading = WHAT)]
    pub(crate) with_filename: bool,

    /// Print the line number, from 1
    ///
    /// The line of the file, as stored or decompressed, on which the URL begins.
    #[arg(short = 'n', long, help_heading = WHAT)]
    pub(crate) line_number: bool,

    /// Print the byte offset in the file, from 0
    ///
    /// The offset in the file, as stored or decompressed. Some encodings have no map back to the stored bytes. Then it
    /// is the offset of the MIME part, and --json has "precision":"part".
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
    /// With a single file, only COUNT is printed, unless -H is given. An archive has a line for each member:
    /// FILE!MEMBER:COUNT.
    #[arg(short = 'c', long, help_heading = WHAT)]
    pub(crate) count: bool,

    /// Print only the names of files with URLs
    ///
    /// A member of an archive is FILE!MEMBER.
    #[arg(short = 'l', long, help_heading = WHAT)]
    pub(crate) files_with_matches: bool,

    /// Stop after NUM lines of output
    ///
    /// They are the first NUM URLs of the input. NUM counts for the whole run, not for each file, because a file is often a
    /// single message. With -l, urlspool stops after NUM names of files. With --sort and --histogram, it reads everything
    /// and prints the first NUM lines.
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
    /// Every object has the same fields in the same order, with null where there is no value. Bytes that are not UTF-8
    /// are replaced by U+FFFD. Fields such as file_bytes then have all the bytes, in base64.
    #[arg(long, help_heading = WHAT)]
    pub(crate) json: bool,

    /// Print comma-separated values, a column per field
    ///
    /// The columns are the fields of --json. The first line has their names (RFC 4180). An empty cell means no value.
    /// Spaces separate several alternatives, targets or warnings.
    #[arg(long, help_heading = WHAT)]
    pub(crate) csv: bool,

    /// Print tab-separated values, a column per field
    ///
    /// The columns are those of --csv. In values, tabs, line ends and backslashes are written as \t, \n, \r and \\.
    #[arg(long, help_heading = WHAT)]
    pub(crate) tsv: bool,

    /// Write a Parquet file with a column per field
    ///
    /// For DuckDB, pandas, polars and Spark. The columns have types: the date is a timestamp in UTC. They are compressed
    /// with zstd. urlspool first writes a hidden file beside FILE, which replaces FILE at the end. Nothing is printed.
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) parquet: Option<PathBuf>,

    /// Print these fields of each URL: url,date,subject
    ///
    /// Fields are printed in this order. Tabs separate them, as in --tsv, but there is no line of names. With --json,
    /// --csv or --tsv, the option selects the fields of that layout. -u and --sort compare the url, or the whole line if
    /// url is not among the fields. Only the fields that you name are computed. `all` means all fields, also host_ascii,
    /// domain, normalized and wayback, which are not printed by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = field_names(), help_heading = WHAT)]
    pub(crate) fields: Vec<String>,

    /// Count URLs by hosts, domains, years and the like
    ///
    /// Prints the number, a tab and the name. The most frequent come first, but years are in order. A terminal shows bars.
    /// With -u, each URL counts only at its first occurrence. With --csv or --tsv, prints a table with a header line.
    #[arg(long, value_name = "OF", help_heading = WHAT)]
    pub(crate) histogram: Option<Kind>,

    /// Also print NUM lines of text around each URL
    ///
    /// The lines are decoded and indented below the URL. `>` marks those that contain it. A blank line follows.
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
    /// With -C, replaces its number of lines after each URL.
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
    /// With -C, replaces its number of lines before each URL.
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
    /// FILE is overwritten, unless it is an input, holds mail or is compressed. `-` is standard output.
    #[arg(short = 'o', long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) output: Option<PathBuf>,

    /// Write an HTML page with charts to FILE
    ///
    /// The page has the most frequent URLs and hosts with links to their places, charts by date, scheme, form and tier,
    /// rejects, malformed mail, and the files that could not be read. It is one file that loads nothing from elsewhere.
    /// Nothing else is printed. Keeps every distinct URL in memory, about 500 bytes each.
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) report: Option<PathBuf>,

    /// Print statistics on stderr at the end
    ///
    /// The table has files by format, files that could not be read, messages, parts and bytes. It also has URLs by form
    /// and tier, rejects by reason, malformed input by kind, the time and the rate.
    #[arg(long, help_heading = WHAT)]
    pub(crate) stats: bool,

    /// Print only the first occurrence of each URL
    ///
    /// URLs are compared bytewise. Keeps every distinct URL in memory: about 100 bytes each, or 1 GB for ten million.
    /// `urlspool ... | sort -u` needs less memory, but loses the order.
    #[arg(short = 'u', long, help_heading = WHAT)]
    pub(crate) unique: bool,

    /// Sort by URL, bytewise, or by count [default: url]
    ///
    /// With `url`, urlspool keeps every line in memory. With -u, it prints each URL once, with the line of its first
    /// occurrence. With `count`, it prints each URL once, after the number of its occurrences and a tab. The most frequent
    /// come first.
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
    /// A hyphen at the end of a line can be read in two ways, and so can a line break in a bare URL. The likelier
    /// reading is printed first, and each other one on a line after it. Only readings that are URLs are printed. --json
    /// always lists them.
    #[arg(long, help_heading = WHAT)]
    pub(crate) alternatives: bool,

    /// Print the target of rewritten links (SafeLinks)
    ///
    /// Mail gateways (Outlook's SafeLinks, Proofpoint's urldefense, Barracuda, Sophos, ...), search engines and social
    /// networks rewrite links. urlspool reads the target from the URL alone, also through up to eight links in one
    /// another. It fetches nothing. Other URLs are printed unchanged. -u and --sort use the printed URL; --host,
    /// --scheme and --tier use the URL in the text. --json always has both: "target" is the target.
    #[arg(long, help_heading = WHAT)]
    pub(crate) unwrap: bool,

    /// List text that looks like a URL but is invalid
    ///
    /// Prints the text, a tab and the reason, instead of the URLs. With --strict, the rejects include URLs that RFC 1738
    /// does not allow.
    #[arg(long, help_heading = WHAT)]
    pub(crate) rejects: bool,

    /// Only URLs of these schemes, such as http,ftp
    ///
    /// Case does not matter. Schemes that urlspool does not know, such as steam, are found only in angle brackets and
    /// HTML attributes. If no URL has such a scheme, urlspool prints a warning. --list-schemes lists the schemes that
    /// it knows.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::scheme, help_heading = WHICH)]
    pub(crate) scheme: Vec<String>,

    /// Only these forms: wrapped,angle,bare,prefixed,href
    ///
    /// The form says how the text marks the URL.
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = named(Form::ALL, Form::as_str, Form::about), help_heading = WHICH)]
    pub(crate) form: Vec<Form>,

    /// Only these hosts and sub-domains: example.org
    ///
    /// `=example.org` is only that host. In a pattern, such as *.example.*, `*` matches any text, `?` one character, and
    /// [a-z] one character of a set. Case does not matter. The last match decides, and `!` before a host or a pattern
    /// excludes it. International names match in Unicode and in Punycode. Write an IPv6 address in its brackets. URLs
    /// without a host are omitted.
    #[arg(long, value_name = "HOSTS", value_parser = values::hosts, help_heading = WHICH)]
    pub(crate) host: Option<Wildmat>,

    /// Only these tiers: rfc1738,relaxed,rfc3986,iri
    ///
    /// The tier says which grammar allows the URL. A URL has the first tier that allows it.
    #[arg(long, value_name = "TIERS", value_delimiter = ',', value_parser = named(Tier::ALL, Tier::as_str, Tier::about), help_heading = WHICH)]
    pub(crate) tier: Vec<Tier>,

    /// Also find defanged URLs: hxxp://evil[.]example/
    ///
    /// Restores hxxp, hxxps and fxp; dots, colons, slashes and @ in brackets; [dot] and [at]; in hosts also blanks
    /// around [.], and \. for a dot. --json marks such URLs with "defanged":true. If a URL was valid up to its path, it
    /// stays as written, and the restored URL is one of its "alternatives". Takes up to twice as long.
    #[arg(long, help_heading = WHICH)]
    pub(crate) defanged: bool,

    /// Skip URLs of the plain text that the HTML also has
    ///
    /// Applies to text and HTML in the same multipart/alternative. URLs are the same if their normal forms are equal, such
    /// as http://A.example and http://a.example/.
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
    /// A hyphen at the end of a line inside a URL may belong to the URL, or a typesetter may have added it.
    #[arg(long, value_name = "READING", hide_default_value = true, default_value = "keep", help_heading = WHICH)]
    pub(crate) hyphen: Hyphen,

    /// Rejoin bare URLs: likely or never [default: likely]
    ///
    /// Whether a URL without brackets continues on the next line.
    #[arg(
        long,
        value_name = "WHEN",
        hide_default_value = true,
        default_value = "likely",
        value_parser = named(Rejoin::ALL, Rejoin::as_str, rejoin_about),
        help_heading = WHICH
    )]
    pub(crate) rejoin: Rejoin,

    /// Rejoin bare URLs at N percent or more [default: 0]
    ///
    /// Applies to URLs without brackets. If the confidence is below N percent, the URL ends with its line.
    /// --alternatives also prints the rejoined reading.
    #[arg(
        long,
        value_name = "N",
        hide_default_value = true,
        default_value = "0",
        value_parser = clap::value_parser!(u8).range(..=100),
        help_heading = WHICH
    )]
    pub(crate) min_confidence: u8,

    /// Format of the input, such as mbox [default: auto]
    ///
    /// auto detects the format of each file by content. With maildir, mh or spool, every file is one message, whatever
    /// it looks like; do not use these if mailboxes or rnews batches are among the files. The format does not change
    /// how directories are walked.
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
    /// `-` is standard input, as in `find ... | urlspool --files-from -`. The paths are read as they arrive, after
    /// those of the command line. A CR at the end of a line is not part of the name. A pipe or device in the list is
    /// skipped, with a warning.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files_from: Option<PathBuf>,

    /// Also read the paths in FILE, a NUL after each
    ///
    /// For `find ... -print0 | urlspool --files0-from -`.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files0_from: Option<PathBuf>,

    /// Only files whose path matches GLOB: '*.mbox'
    ///
    /// Globs work as in ripgrep. A GLOB without a slash matches names in any directory. One that ends in a slash matches
    /// only directories. A leading slash means the current directory, and ** any number of directories. The last GLOB that
    /// matches decides. A directory is walked unless a GLOB with ! excludes it. A hidden file is read if a GLOB matches it.
    /// Does not apply to a PATH, to paths in lists, or to members of archives.
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) glob: Vec<String>,

    /// Skip files and directories that match GLOB: 'spam/'
    ///
    /// The same as --glob '!GLOB' after all other globs.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) exclude: Vec<String>,

    /// Only files that are mail or news
    ///
    /// Skips plain text, such as READMEs and logs. urlspool recognizes messages by their headers, and mailboxes by their
    /// content. A file in a Maildir, or with a number as its name, always counts as a message.
    #[arg(long, help_heading = INPUT)]
    pub(crate) mail_only: bool,

    /// Count each message once, by its Message-ID
    ///
    /// Of all messages with the same Message-ID, in any file, only the first in the order of the input counts. Messages
    /// without a Message-ID are compared by their bytes. Text outside messages always counts. Needs 20 to 40 MB of memory
    /// for a million messages; --stats prints the exact size.
    #[arg(long, help_heading = INPUT)]
    pub(crate) once: bool,

    /// Read only what is new since the last run with FILE
    ///
    /// FILE remembers what was read. In a mailbox, urlspool reads the messages after those that were read. A file that has
    /// changed in another way is read whole, with a warning. Messages, lines and offsets count from the beginning of the
    /// file, as without --state. A file that cannot be read to its end is not remembered. After a killed run, the next one
    /// repeats at most the file that was being read. FILE is a text file. It is for one set of options: only options for
    /// the layout of the output may differ.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) state: Option<PathBuf>,

    /// Only messages since DATE, such as 1995 or 1995-02-17
    ///
    /// DATE is a year, a month (1995-02), a day or a point of time (1995-02-17T10:00:00Z), in UTC. It can also be a length
    /// of time before now (12h, 7d, 2w, 3mo, 1y), or today or yesterday. A message's date is that of its Date field, also
    /// in old forms. Messages without a valid date are skipped, and so is text outside messages. A warning reports both.
    #[arg(long, value_name = "DATE", value_parser = values::since, help_heading = INPUT)]
    pub(crate) since: Option<i64>,

    /// Only messages until DATE, which is included
    ///
    /// `--since 1995 --until 1995` selects the whole year 1995.
    #[arg(long, value_name = "DATE", value_parser = values::until, help_heading = INPUT)]
    pub(crate) until: Option<i64>,

    /// Only messages in these groups: comp.*,!comp.lang.*
    ///
    /// Patterns are those of RFC 3977, section 4.1: `*` matches any text and `?` one character. The last matching
    /// pattern decides, and `!` before a pattern excludes groups. As in INN, [a-z] matches one character of a set,
    /// [^a-z] one that is not in the set, and a backslash makes the next character literal. Case does not matter. One
    /// matching group of a message is enough. If no message matches, urlspool prints a warning.
    #[arg(long, value_name = "GROUPS", value_parser = values::groups, help_heading = INPUT)]
    pub(crate) newsgroup: Option<Wildmat>,

    /// Only these mailing lists: announce,*.example.org
    ///
    /// Selects messages by their List-Id, with the patterns of --newsgroup. A name without a dot matches the first word
    /// of a List-Id. Mail from before 2001 has no List-Id.
    #[arg(long, value_name = "LISTS", value_parser = values::lists, help_heading = INPUT)]
    pub(crate) list: Option<Wildmat>,

    /// Only messages that begin in this range: 0-1G, 1G-
    ///
    /// The end is not part of the range, so ranges that meet have every message once. That way, several machines can
    /// share one large file. Numbers are bytes, from 0; K, M and G multiply by 1024. An mbox is read from the start of
    /// the range. With --json or -n, everything before the range is read too, to count lines and messages. The same is
    /// true of compressed input. In an archive, the bytes are those of each member.
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = values::range, help_heading = INPUT)]
    pub(crate) byte_range: Option<std::ops::Range<u64>>,

    /// Only share I of N of the files, such as 1/4
    ///
    /// The path of a file decides its share, so give the same paths on every machine. The shares are the same in every
    /// run, and together they have every file once.
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, value_parser = values::shard, help_heading = INPUT)]
    pub(crate) shard: Option<Shard>,

    /// Decode messages up to this size [default: 4M]
    ///
    /// The rest of a larger message is searched as plain text, with a warning. At most 1G. A message is in memory as a
    /// whole, and several times while it is decoded.
    #[arg(
        long,
        value_name = "SIZE",
        allow_hyphen_values = true,
        value_parser = values::message_size,
        help_heading = HOW
    )]
    pub(crate) max_message: Option<usize>,

    /// Follow symbolic links in directories
    ///
    /// A link to a directory that contains it is skipped, and no file is read twice. A link that is a PATH is always
    /// followed.
    #[arg(long, help_heading = INPUT)]
    pub(crate) follow: bool,

    /// Number of threads, 0 for one per core [default: 0]
    ///
    /// From 1 to 1024; more than 256 count as 256.
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
    /// For each file, prints its format and how it was detected. For malformed messages, prints a line each: the file,
    /// the offset of the message or part, and what was done. In compressed files, the offset is that of the
    /// decompressed data. Malformed messages are common in old mail and do not change the exit status. Without -v, only
    /// damaged archives are reported.
    #[arg(short = 'v', long, help_heading = HOW)]
    pub(crate) verbose: bool,

    /// Show a progress line: auto or never [default: auto]
    ///
    /// auto: on stderr, if that is a terminal and the run takes longer than a second. The line has the bytes, messages
    /// and URLs so far.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) progress: Bar,

    /// Colours: auto, always or never [default: auto]
    ///
    /// auto: on a terminal, unless NO_COLOR is set. --json, --csv and --tsv never have colours.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) color: When,

    /// Make URLs links in the terminal [default: auto]
    ///
    /// auto: on a terminal, unless TERM is dumb or linux. Only http, https, ftp and mailto URLs in printable ASCII are links
    /// (escape sequence OSC 8). --json, --csv and --tsv never have links.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) hyperlink: When,

    /// Print message N of FILE as it is stored
    ///
    /// As in archive.mbox:7 or mail.zip!inbox:7. FILE is what -H prints, and N is the field `message` of --json. The
    /// message is decompressed and otherwise unchanged. The `From ` line of an mbox is not printed. Without :N, prints
    /// message 1, such as the only message in a file of a Maildir.
    #[arg(long, value_name = "FILE:N", help_heading = HOW)]
    pub(crate) show: Option<PathBuf>,

    /// Print the man page, completions or JSON Schema
    ///
    /// For example: urlspool --generate bash > /usr/share/bash-completion/completions/urlspool
    #[arg(exclusive = true, long, value_name = "WHAT", help_heading = HOW)]
    pub(crate) generate: Option<Generate>,

    /// Parse the arguments as URLs and print their components
    ///
    /// Prints each component, the tier and the warnings. For an invalid URL, prints the reason and the place. The
    /// argument `-` reads URLs from standard input, one per line, and skips blank lines. With --json, a valid URL is an
    /// object with url, valid, tier, scheme, the components, fragment, target, targets and warnings. An invalid one has
    /// url, url_bytes, valid, reason and offset.
    #[arg(long, help_heading = CHECK)]
    pub(crate) check: bool,

    /// With --check: resolve each URL against BASE first
    #[arg(long, value_name = "BASE", help_heading = CHECK)]
    pub(crate) base: Option<String>,

    /// List the known schemes, with their default ports
    ///
    /// Prints the name, the default port and the beginning of a URL in text, separated by tabs.
    #[arg(exclusive = true, long, help_heading = CHECK)]
    pub(crate) list_schemes: bool,

    /// Copy stdin to stdout unchanged, and record the URLs
    ///
    /// For mail filters. Each byte is passed on before it is parsed, even if recording fails. --hits and --add-header
    /// say where the URLs go. Without -v, nothing is printed on stderr. If the input is one message, add --format
    /// message; then a line that starts with `From ` does not begin another message.
    #[arg(long, help_heading = FILTER)]
    pub(crate) tee: bool,

    /// With --tee: append the URLs to FILE, or write to fd:3
    ///
    /// The output is the same as without --tee; --json is best. Each record is one write, so several filters can share
    /// a file. A new file gets mode 600. If FILE cannot be written, the URLs are lost, but the mail is not. fd:N opens
    /// the file or pipe behind descriptor N again; on Linux, this does not work for a socket. For a file named fd:3,
    /// use ./fd:3.
    #[arg(long, value_name = "FILE", help_heading = FILTER)]
    pub(crate) hits: Option<PathBuf>,

    /// With --tee: add an X-URL field per URL to the message
    ///
    /// Standard input must be one message. A URL that already has a field gets no other. Bytes other than printable
    /// ASCII are percent-encoded. Messages larger than 32 MiB get no fields. The fields are at most 16 KiB together,
    /// because mail systems refuse messages with long headers; further URLs get no field.
    #[arg(long, help_heading = FILTER)]
    pub(crate) add_header: bool,

    /// The options as given, for the report.
    #[arg(skip)]
    pub(crate) given: Vec<String>,
}

impl Args {
    /// Whether there may be several files. A list or a directory may have any number.
    pub(crate) fn has_several_files(&self) -> bool {
        self.list_of_files().is_some() || self.paths.len() > 1 || self.paths.iter().any(|path| path.is_dir())
    }

    /// Returns how many lines are printed before and after each URL. `None` without `-A`, `-B` and `-C`.
    pub(crate) fn context(&self) -> Option<(usize, usize)> {
        let (before, after) = (self.before_context.or(self.context), self.after_context.or(self.context));
        (before.is_some() || after.is_some()).then(|| (before.unwrap_or(0), after.unwrap_or(0)))
    }

    /// The file of `--parquet`.
    pub(crate) fn parquet(&self) -> Option<&Path> {
        #[cfg(feature = "parquet")]
        return self.parquet.as_deref();
        #[cfg(not(feature = "parquet"))]
        None
    }

    /// The fields of `--fields`.
    pub(crate) fn output_fields(&self) -> Option<Vec<Field>> {
        let all = fields::all();
        let named = |name: &String| all.iter().find(|field| field.name() == name).copied();
        match self.fields.as_slice() {
            [] => None,
            [name] if name == ALL => Some(all),
            names => Some(names.iter().filter_map(named).collect()),
        }
    }

    /// Returns a message if a name in `--fields` is repeated, or `all` is not the only name.
    pub(crate) fn wrong_field(&self) -> Option<String> {
        let names = &self.fields;
        if names.len() > 1 && names.iter().any(|name| name == ALL) {
            return Some("--fields: `all` names every field; name no others with it".into());
        }
        let (_, name) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))?;
        Some(format!("--fields: {name} is named twice; name each field once"))
    }

    /// Whether line or message numbers are printed. urlspool counts lines and messages only then.
    pub(crate) fn counts_lines(&self) -> bool {
        let is_number = |name: &String| [ALL, "line", "message"].contains(&name.as_str());
        let has_all = (self.json || self.csv || self.tsv || self.parquet().is_some()) && self.fields.is_empty();
        has_all || self.fields.iter().any(is_number) || self.line_number || self.report.is_some()
    }

    /// The file of `--files-from` or `--files0-from`, and the byte that ends each path in it.
    pub(crate) fn list_of_files(&self) -> Option<(&Path, u8)> {
        let lines = self.files_from.as_deref().map(|file| (file, b'\n'));
        lines.or(self.files0_from.as_deref().map(|file| (file, 0)))
    }
}

/// The name that means all fields.
const ALL: &str = "all";

/// The names of all fields, and [`ALL`].
fn field_names() -> PossibleValuesParser {
    PossibleValuesParser::new([ALL].into_iter().chain(fields::all().iter().map(Field::name)))
}

/// clap's table for these arguments. `-h` prints a line per option and no possible values; `--help` prints them.
pub(crate) fn command(arguments: &[OsString]) -> Command {
    let is_long = arguments.iter().any(|argument| argument == "--help");
    let command = Args::command().mut_args(|argument| {
        let is_hidden = !is_long && argument.get_action().takes_values();
        argument.hide_possible_values(is_hidden)
    });
    // Making the notes takes as long as the rest of the start, so only `--help` makes them.
    if is_long { command.after_long_help(notes()) } else { command }
}

/// The examples, one per line.
fn examples() -> String {
    let lines = EXAMPLES.map(|(command, result)| format!("\n  {command:<42} {result}"));
    format!("Examples:{}", lines.concat())
}

/// What `--help` prints after the options: examples, notes, exit statuses and definitions.
fn notes() -> String {
    let statuses = EXIT_STATUS.map(|(status, meaning)| format!("\n  {status:>2}  {meaning}")).concat();
    let mut text = format!(
        "{}\n\nInput:\n{INPUT_NOTES}\n\nPlain output:\n{OUTPUT_NOTES}\n\nExit status:{statuses}\n{EXIT_NOTE}",
        examples()
    );
    // The values of `--form` and `--tier` have their definitions in the help, so they are not repeated here.
    for section in glossary::sections().iter().filter(|section| section.option.is_none()) {
        text += &format!("\n\n{section}");
    }
    text
}

/// What urlspool prints at a terminal if there are no arguments.
pub(crate) fn first_help() -> String {
    format!(
        "{ABOUT}.\n\n{}\n\nUsage: {}\n\n`urlspool -h` lists all options, and `urlspool --help` explains them.\n",
        examples(),
        USAGE.join("\n       ")
    )
}

/// Whether header fields are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Headers {
    /// Headers and bodies
    Yes,
    /// Bodies only
    No,
    /// Headers only
    Only,
}

/// What lines are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// URLs, byte by byte
    Url,
    /// Number of occurrences
    Count,
}

/// When the output has colours, or links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// When there is a progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bar {
    /// On a terminal, after a second
    Auto,
    /// Never
    Never,
}

/// What `--generate` prints.
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

/// Whether HTML parts are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Html {
    /// All parts
    Yes,
    /// Only parts that are not HTML
    No,
}

/// Which reading of a hyphen at a line end is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hyphen {
    /// The hyphen is part of the URL
    Keep,
    /// The hyphen is not part of the URL
    Drop,
    /// Print both readings, each on its own line
    Both,
}

/// The meaning of a value of `--rejoin`.
fn rejoin_about(rejoin: Rejoin) -> &'static str {
    match rejoin {
        Rejoin::Never => "the URL ends with its line",
        _ => "the URL continues if the evidence is strong",
    }
}

/// The value of `--format` that detects the format.
pub(crate) const AUTO: &str = "auto";

/// A layout of directories with one message per file.
struct Layout {
    name: &'static str,
    about: &'static str,
    /// The format of each file.
    file: &'static str,
}

const LAYOUTS: [Layout; 3] = [
    Layout { name: "maildir", about: "Maildir: one mail message per file", file: "message" },
    Layout { name: "mh", about: "MH folder: one mail message per file", file: "message" },
    Layout { name: "spool", about: "news spool: one news article per file", file: "article" },
];

/// Returns the format with this name, or the format of the files in the layout with this name. `None` for [`AUTO`].
pub(crate) fn format(name: &str) -> Option<Format> {
    let layout = LAYOUTS.iter().find(|layout| layout.name == name);
    layout.map_or(name, |layout| layout.file).parse().ok()
}

fn formats() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("detected by content");
    let rows = Format::all().map(|format| PossibleValue::new(format.as_str()).help(format.about()));
    let layouts = LAYOUTS.map(|layout| PossibleValue::new(layout.name).help(layout.about));
    PossibleValuesParser::new([auto].into_iter().chain(rows).chain(layouts))
}

/// Parses the name of one of `all`. `about` defines the values in the help.
fn named<T>(
    all: &[T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Copy + Send + Sync + FromStr<Err = UnknownName> + 'static,
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
        // clap adds --help and --version, and the table has the operand PATH.
        let count = Args::command().get_arguments().count() - 1 + 2;
        assert_eq!(options.lines().filter(is_option).count(), count);
    }
}
