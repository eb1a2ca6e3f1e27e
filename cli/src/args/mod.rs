//! What can be asked for: clap's table, and the help.

pub(crate) mod conflicts;
pub(crate) mod foreign_flags;
pub(crate) mod values;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use urlspool::{Form, Format, Rejoin, Shard, Tier, UnknownName, Wildmat};

use crate::print::Kind;
use crate::print::fields::{self, Field};

const ABOUT: &str = "Finds the URLs in mail and news archives";

const LONG_ABOUT: &str = "\
Finds the URLs in mail and news archives: mbox files, Maildir and MH folders, news spools, rnews batches, single \
messages, plain text; compressed, or in tar and zip archives. MIME is decoded, URLs that are broken over lines are put together, and each is \
validated by RFC 1738 and its successors. They are listed one per line, in the order of the input.";

const USAGE: &str = "\
urlspool [OPTIONS] [PATH]...
       urlspool --tee [--hits FILE] [--add-header] [OPTIONS]
       urlspool --show FILE:N
       urlspool --check [--strict] [--base BASE] [--json] URL...";

pub(crate) const EXAMPLES: &str = "\
Examples:
  urlspool archive.mbox                         every URL, one per line
  urlspool --sort -u ~/Maildir                  each once, in order
  urlspool -Hn --scheme ftp,gopher lists/       file, line and URL, with tabs between
  urlspool --since 1994 --until 1996 news/      of the messages of three years
  urlspool --histogram hosts archive.mbox       which hosts, and how often
  urlspool --json news/ | jq -r .host           all that is known of each, for programs
  urlspool --report page.html archive.mbox      a page with charts, for a browser
  urlspool --check http://host:99999/           what is wrong with it";

pub(crate) const NOTES: &str = "\
Input: without PATH, urlspool reads standard input (unless it is a terminal). It walks directories. It detects format, \
compression and archives from the content, never from the name. A member of an archive is FILE!MEMBER. A pipe or device is \
read if it is a PATH, and skipped in directories and lists. On a slow pipe, URLs are printed after each message, as in \
`tail -F mbox | urlspool --format mbox`. Without --format, urlspool first reads up to 64 KiB to detect the format. Plain \
text is processed in blocks of 256 KiB. Output never depends on the number of threads.

Plain output: -H, -n, -b and -m add fields in this order: FILE, LINE, OFFSET, <MESSAGE-ID>. The URL comes last. Fields are \
separated by tabs, for `cut -f` and `awk -F'\\t'`. A field without a value is empty.

Exit status: 0 if something was found, 1 if nothing was, 2 if something could not be read or the options are wrong; \
everything else was still done. With --check: 0 if every URL is valid, 1 if not. With --tee: 0 if the mail was passed on, \
whatever else failed; 75 if not, or if the options are wrong, so that the mail system tries again. A closed pipe ends the \
run without a message.";

const WHAT: &str = "What is printed";
const WHICH: &str = "Which URLs";
const INPUT: &str = "Which input";
const HOW: &str = "How";
const CHECK: &str = "Checking URLs";
const FILTER: &str = "As a mail filter";

/// The arguments as they were given.
#[derive(Debug, Parser)]
#[command(
    name = "urlspool",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    override_usage = USAGE,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{NOTES}"),
    max_term_width = 100,
    args_override_self = true
)]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input, FILE!MEMBER a member of an archive
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the file's name before each URL
    #[arg(short = 'H', long, help_heading = WHAT)]
    pub(crate) with_filename: bool,

    /// Print the line's number, from 1
    ///
    /// It is the line of the file as stored (or as decompressed) on which the URL begins.
    #[arg(short = 'n', long, help_heading = WHAT)]
    pub(crate) line_number: bool,

    /// Print the offset in the file, in bytes from 0
    ///
    /// It is the offset in the file as stored (or as decompressed). Where an encoding leaves no exact one, it is that of
    /// the MIME part; --json says so.
    #[arg(short = 'b', long, help_heading = WHAT)]
    pub(crate) byte_offset: bool,

    /// Print the Message-ID, in angle brackets
    #[arg(short = 'm', long, help_heading = WHAT)]
    pub(crate) message_id: bool,

    /// End each line with NUL instead of a newline, for `xargs -0`
    #[arg(short = '0', long, help_heading = WHAT)]
    pub(crate) null: bool,

    /// Print how many URLs each file has, as FILE:COUNT
    ///
    /// FILE is omitted if there is only one file, unless -H is given. An archive has a line for each of its members,
    /// FILE!MEMBER:COUNT.
    #[arg(short = 'c', long, help_heading = WHAT)]
    pub(crate) count: bool,

    /// Print a JSON object per URL, with all that is known about it
    ///
    /// Every object has every field, in the order of --fields, null where there is no value. Bytes that are not UTF-8 are
    /// replaced in texts, and given whole, in base64, in fields such as file_bytes.
    #[arg(long, help_heading = WHAT)]
    pub(crate) json: bool,

    /// Print comma-separated values, a column for each field of --json
    ///
    /// The first line has the columns' names (RFC 4180). An empty cell is no value; alternatives, targets and warnings
    /// have spaces between them.
    #[arg(long, help_heading = WHAT)]
    pub(crate) csv: bool,

    /// The same, with tabs between
    ///
    /// In values, tabs, line ends and backslashes are \t, \n, \r and \\.
    #[arg(long, help_heading = WHAT)]
    pub(crate) tsv: bool,

    /// Write the fields as columns of a Parquet file, FILE
    ///
    /// For DuckDB, pandas, polars and Spark: columns have types, time is a timestamp in UTC. Compressed by zstd. FILE is
    /// written as a hidden file beside it first, and put in its place at the end. Nothing else is printed.
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) parquet: Option<PathBuf>,

    /// Print these fields of each URL: url,date,subject
    ///
    /// In this order, with tabs between, as --tsv writes them but without the line of names; or as --json, --csv or --tsv.
    /// With -u and --sort, lines are told apart by the url, or by the whole line if it is not among the fields. Only
    /// what is asked for is computed. `all` stands for all fields, with host_ascii, domain and normalized, which --json,
    /// --csv and --tsv have only if they are named.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = field_names(), help_heading = WHAT)]
    pub(crate) fields: Vec<String>,

    /// Print how many URLs there are of each host, scheme, year, tier or form
    ///
    /// The number, a tab, and the name; the most frequent first, years in their order. On a terminal with bars.
    #[arg(long, value_name = "OF", help_heading = WHAT)]
    pub(crate) histogram: Option<Kind>,

    /// Also print NUM lines of the text around each URL
    ///
    /// The lines are decoded and indented below the URL, with a mark at those that contain it. A blank line follows.
    #[arg(
        short = 'C',
        long,
        value_name = "NUM",
        allow_negative_numbers = true,
        value_parser = values::lines,
        help_heading = WHAT
    )]
    pub(crate) context: Option<usize>,

    /// Write an HTML page with charts about the archive to FILE
    ///
    /// URLs over the years, by scheme, host and form, broken wrappers, rejects, damage, and a table of hosts that can be
    /// searched. One file of HTML that loads nothing from anywhere. Nothing else is printed. Keeps every host in memory: some
    /// 1 KiB each.
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) report: Option<PathBuf>,

    /// Print a table of statistics on stderr at the end
    ///
    /// Files by format, what could not be read, messages, parts, bytes, URLs by form and tier, rejects by reason, damage by
    /// kind, time and rate.
    #[arg(long, help_heading = WHAT)]
    pub(crate) stats: bool,

    /// Print only the first occurrence of each URL
    ///
    /// Compared byte by byte. Keeps every distinct URL in memory: some 100 bytes each, 1 GB for ten millions;
    /// `urlspool ... | sort -u` does it in less, without the order.
    #[arg(short = 'u', long, help_heading = WHAT)]
    pub(crate) unique: bool,

    /// Sort the output by URL, bytewise (buffers everything)
    ///
    /// Keeps every line in memory. With -u, prints each URL once, with the line of its first occurrence.
    #[arg(long, help_heading = WHAT)]
    pub(crate) sort: bool,

    /// Also print other readings of ambiguous URLs, each on a line after its URL
    ///
    /// A hyphen at a line's end, or a line break in a URL without brackets, can be read in two ways; the likelier one is
    /// printed. Only other readings that are URLs are printed. --json lists them all in any case.
    #[arg(long, help_heading = WHAT)]
    pub(crate) alternatives: bool,

    /// Print the target of rewritten links (SafeLinks and the like) instead of the link
    ///
    /// Mail gateways (Outlook's SafeLinks, Proofpoint's urldefense, Barracuda, Sophos, ...), searches (google.com/url) and
    /// networks rewrite links. The target is read from the URL, and a target's target, up to eight; nothing is fetched.
    /// URLs of other services stay as they are. -u and --sort go by what is printed; --host, --scheme and --tier by the URL
    /// that was found. --json has both in any case: "target".
    #[arg(long, help_heading = WHAT)]
    pub(crate) unwrap: bool,

    /// List text that looks like a URL but is invalid, with the reason
    ///
    /// Printed instead of URLs: the text, a tab, and the reason. With --strict, URLs that RFC 1738 refuses are among them.
    #[arg(long, help_heading = WHAT)]
    pub(crate) rejects: bool,

    /// Only URLs of these schemes, such as http,ftp
    ///
    /// In any mix of case. Schemes that this program does not know (--scheme steam) are found between angle brackets and in
    /// HTML attributes only; if nothing is found for a scheme, a message says so. --list-schemes has those that it knows.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::scheme, help_heading = WHICH)]
    pub(crate) scheme: Vec<String>,

    /// Only URLs of these forms: wrapped,angle,bare,prefixed,href
    ///
    /// wrapped: <URL:...>. angle: <scheme:...>. bare: with nothing around it. prefixed: URL:... without brackets.
    /// href: in an HTML attribute.
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = named(Form::ALL, Form::as_str), help_heading = WHICH)]
    pub(crate) form: Vec<Form>,

    /// Only URLs of such hosts: *.example.org,!www.*
    ///
    /// `*` stands for anything, `?` for one character, [a-z] for one of a set, in any mix of case; the last of the patterns
    /// that matches decides, and one with `!` before it says no. An address of IPv6 has its own brackets. URLs without a
    /// host are omitted.
    #[arg(long, value_name = "HOSTS", value_parser = values::hosts, help_heading = WHICH)]
    pub(crate) host: Option<Wildmat>,

    /// Only URLs of these tiers: rfc1738,relaxed,rfc3986,iri
    #[arg(long, value_name = "TIERS", value_delimiter = ',', value_parser = named(Tier::ALL, Tier::as_str), help_heading = WHICH)]
    pub(crate) tier: Vec<Tier>,

    /// Also find defanged URLs, and restore them: hxxp://evil[.]example/
    ///
    /// hxxp, hxxps and fxp; dots, colons, slashes and @ in brackets; [dot], [at]; in hosts blanks around [.], and \. too.
    /// --json marks them: "defanged":true. A URL that was sound up to its path stays as written; put right, it is one of
    /// its "alternatives". Takes more passes over everything: up to twice as long.
    #[arg(long, help_heading = WHICH)]
    pub(crate) defanged: bool,

    /// Only URLs of the tier rfc1738
    ///
    /// Omits URLs with unsafe characters such as ~, and those that only RFC 3986 or RFC 3987 allows.
    #[arg(long, help_heading = WHICH)]
    pub(crate) strict: bool,

    /// Search header fields: yes, no, or only them [default: yes]
    #[arg(long, value_name = "WHICH", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) headers: Headers,

    /// Search HTML parts [default: yes]
    #[arg(long, value_name = "WHETHER", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) html: Html,

    /// How to read a hyphen at the end of a line inside a URL [default: keep]
    ///
    /// keep: part of the URL. drop: put there by a typesetter. both: print both readings, each on its line.
    #[arg(long, value_name = "READING", hide_default_value = true, default_value = "keep", help_heading = WHICH)]
    pub(crate) hyphen: Hyphen,

    /// Whether a URL without brackets continues on the next line [default: likely]
    ///
    /// likely: where the evidence is strong. never: it ends with its line.
    #[arg(
        long,
        value_name = "WHEN",
        hide_default_value = true,
        default_value = "likely",
        value_parser = named(Rejoin::ALL, Rejoin::as_str),
        help_heading = WHICH
    )]
    pub(crate) rejoin: Rejoin,

    /// Rejoin only URLs whose confidence is at least PERCENT [default: 0]
    ///
    /// This is about URLs without brackets. One below PERCENT is printed as far as its line goes. --alternatives prints the
    /// rejoined reading too.
    #[arg(
        long,
        value_name = "PERCENT",
        hide_default_value = true,
        default_value = "0",
        value_parser = clap::value_parser!(u8).range(..=100),
        help_heading = WHICH
    )]
    pub(crate) min_confidence: u8,

    /// How the input is stored [default: auto]
    ///
    /// auto: known by content, each file for itself. maildir, mh and spool are ways to lay out directories: every file is
    /// one message then, whatever it looks like; leave this out where mailboxes or rnews batches lie among them.
    /// Directories are walked in the same way whatever is said here.
    #[arg(
        long,
        value_name = "FORMAT",
        hide_default_value = true,
        default_value = "auto",
        value_parser = formats(),
        help_heading = INPUT
    )]
    pub(crate) format: String,

    /// Also read the paths in FILE, one per line; `-` is standard input
    ///
    /// They are read as they come, after those of the command line, and worked on without waiting for more:
    /// `find ... | urlspool --files-from -`. A CR before a line's end is not part of the name. A pipe or device in the list
    /// is skipped, with a warning; one that is a PATH is read.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files_from: Option<PathBuf>,

    /// The same, with a NUL after each path: `find ... -print0`
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files0_from: Option<PathBuf>,

    /// Only messages of this day or later: 1995, 1995-02 or 1995-02-17
    ///
    /// A message's date is that of its Date field, in UTC, the one that --json shows. Old forms are read too. Messages
    /// without a date that can be read are skipped, with a message on stderr, and so is text outside messages.
    /// A point of time can be given too: 1995-02-17T10:00:00Z.
    #[arg(long, value_name = "DATE", value_parser = values::since, help_heading = INPUT)]
    pub(crate) since: Option<i64>,

    /// Only messages of this day or earlier, this month, this year
    ///
    /// The whole of it counts: `--since 1995 --until 1995` is the year 1995.
    #[arg(long, value_name = "DATE", value_parser = values::until, help_heading = INPUT)]
    pub(crate) until: Option<i64>,

    /// Only messages to such newsgroups: comp.*,!comp.lang.*
    ///
    /// `*` stands for anything, `?` for one character, in any mix of case; the last of the patterns that matches decides,
    /// and one with `!` before it says no (RFC 3977, section 4.1). As in INN, [a-z] stands for one of a set, [^a-z] for one
    /// that is not in it, and a backslash takes what follows as it is. It is enough if one of a message's groups is meant.
    /// If no message is in such a group, urlspool prints a message.
    #[arg(long, value_name = "GROUPS", value_parser = values::groups, help_heading = INPUT)]
    pub(crate) newsgroup: Option<Wildmat>,

    /// Only messages of such mailing lists, by their List-Id: announce,*.example.org
    ///
    /// Patterns are those of --newsgroup. A name without a dot is the first word of an id. Lists before 2001
    /// have none.
    #[arg(long, value_name = "LISTS", value_parser = values::lists, help_heading = INPUT)]
    pub(crate) list: Option<Wildmat>,

    /// Only messages that begin at these bytes of the file: 0-1G, 1G-2G, 2G-
    ///
    /// The end is not part of the range, so that ranges that meet have every message once: several machines can share
    /// one large file. Numbers are bytes, from 0; K, M and G stand for powers of 1024. An mbox is read from there on; with
    /// --json or -n what comes before has to be read too, to count lines and messages, and so has what is compressed. Of an
    /// archive the bytes are those of each member.
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = values::range, help_heading = INPUT)]
    pub(crate) byte_range: Option<std::ops::Range<u64>>,

    /// Only the files of share I of N, such as 1/4: the other machines take 2/4, 3/4 and 4/4
    ///
    /// A file's path, as it was given or found, says which share it is in, the same in every run. All shares together have
    /// every file once.
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, value_parser = values::shard, help_heading = INPUT)]
    pub(crate) shard: Option<Shard>,

    /// Size of the largest message that is decoded [default: 4M]
    ///
    /// The rest of a larger message is searched as plain text, with a warning. At most 1G. Memory grows with it: a message of
    /// this size is in memory as a whole, and several times while it is decoded.
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
    /// A link to a directory that contains it is skipped, and no file is read twice. A link that is a PATH is always followed.
    #[arg(long, help_heading = INPUT)]
    pub(crate) follow: bool,

    /// How many threads work; 0 is one per core [default: 0]
    ///
    /// From 1 to 1024; more than 256 are 256.
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

    /// Also report malformed messages, detected formats and skipped files, on stderr
    ///
    /// Of each file its format and why it was taken for that. Of malformed messages a line each: the file, the offset of the message or
    /// part (the decompressed one, where a file is compressed), and what was done about it. It is common in old mail, and
    /// what could be read was read; so without this option only malformed archives are reported. The exit status is the same.
    #[arg(short = 'v', long, help_heading = HOW)]
    pub(crate) verbose: bool,

    /// Show a progress line [default: auto]
    ///
    /// auto: on stderr, if that is a terminal and the run takes longer than a second. The line has the bytes, messages and
    /// URLs so far.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) progress: Bar,

    /// Print in colours [default: auto]
    ///
    /// auto: on a terminal, unless the environment has NO_COLOR. --json, --csv and --tsv have none in any case.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "auto", help_heading = HOW)]
    pub(crate) color: When,

    /// Print message N of FILE as it is stored, as in archive.mbox:7 or mail.zip!inbox:7
    ///
    /// FILE is what -H prints, and N the field `message` of --json. The message is printed byte for byte (decompressed, if
    /// FILE is), without the line that an mbox has before it. A FILE without :N is message 1, as in a Maildir.
    #[arg(long, value_name = "FILE:N", help_heading = HOW)]
    pub(crate) show: Option<PathBuf>,

    /// Print the man page, a shell's completions, or the schema of --json
    ///
    /// Such as: urlspool --generate bash > /usr/share/bash-completion/completions/urlspool
    #[arg(exclusive = true, long, value_name = "WHAT", help_heading = HOW)]
    pub(crate) generate: Option<Generate>,

    /// Parse the arguments as URLs, and print the components of each
    ///
    /// Its components, tier and warnings; or the reason why it is no URL, and the place. The argument - stands for the
    /// URLs on standard input, one a line; blank lines are skipped. With --json, an object each:
    /// url, valid, tier, scheme, the components, fragment, warnings; or url, valid, reason, offset.
    #[arg(long, help_heading = CHECK)]
    pub(crate) check: bool,

    /// With --check: resolve each URL in the context of BASE first
    #[arg(long, value_name = "BASE", help_heading = CHECK)]
    pub(crate) base: Option<String>,

    /// Print the schemes that are known by name, their default ports, and what they begin with in a text
    #[arg(exclusive = true, long, help_heading = CHECK)]
    pub(crate) list_schemes: bool,

    /// Copy standard input to standard output unchanged, and record the URLs elsewhere
    ///
    /// For mail filters. The mail is passed on before anything looks at it, to its last byte, whatever happens to the
    /// rest. What is found goes where --hits and --add-header say; without -v, nothing is printed on stderr. Where it is
    /// one message, say --format message too, so that no line of it that starts with `From ` begins another.
    #[arg(long, help_heading = FILTER)]
    pub(crate) tee: bool,

    /// With --tee: append the findings to FILE, or write them to a descriptor, as fd:3
    ///
    /// Laid out as without --tee, best with --json; one write each, so that several filters can share a file. It is made
    /// with mode 600. If it cannot be written, the findings are lost and the mail is not. A descriptor is opened anew where
    /// the system does so (on Linux, where it cannot be a socket). For a file of that name, say ./fd:3.
    #[arg(long, value_name = "FILE", help_heading = FILTER)]
    pub(crate) hits: Option<PathBuf>,

    /// With --tee: put each URL above the message, as an X-URL field
    ///
    /// Standard input is one message then. Each URL has one field, unless the message has one for it already; other bytes
    /// than printable ASCII are percent-encoded. A message above 32 MiB and what is no message get no fields; nor do
    /// URLs that would make the fields longer than 16 KiB together, for mail systems refuse messages with long headers.
    #[arg(long, help_heading = FILTER)]
    pub(crate) add_header: bool,
}

impl Args {
    /// Whether several files may be read: lists and directories may have any number.
    pub(crate) fn has_several_files(&self) -> bool {
        self.list_of_files().is_some() || self.paths.len() > 1 || self.paths.iter().any(|path| path.is_dir())
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

    /// What is wrong with the names of `--fields` together.
    pub(crate) fn wrong_field(&self) -> Option<String> {
        let names = &self.fields;
        if names.len() > 1 && names.iter().any(|name| name == ALL) {
            return Some("--fields: `all` names every field; name no others with it".into());
        }
        let (_, name) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))?;
        Some(format!("--fields: {name} is named twice; name each field once"))
    }

    /// Whether a line's or a message's number is printed: only then are they counted.
    pub(crate) fn counts_lines(&self) -> bool {
        let is_number = |name: &String| [ALL, "line", "message"].contains(&name.as_str());
        let has_all = (self.json || self.csv || self.tsv || self.parquet().is_some()) && self.fields.is_empty();
        has_all || self.fields.iter().any(is_number) || self.line_number || self.report.is_some()
    }

    /// The file that paths are listed in, and what each ends with.
    pub(crate) fn list_of_files(&self) -> Option<(&Path, u8)> {
        let lines = self.files_from.as_deref().map(|file| (file, b'\n'));
        lines.or(self.files0_from.as_deref().map(|file| (file, 0)))
    }
}

/// The name that stands for all fields.
const ALL: &str = "all";

/// The names of all fields, and [`ALL`].
fn field_names() -> PossibleValuesParser {
    PossibleValuesParser::new([ALL].into_iter().chain(fields::all().iter().map(Field::name)))
}

/// Which header fields are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Headers {
    /// Headers and bodies
    Yes,
    /// Bodies only
    No,
    /// Headers only
    Only,
}

/// Whether to do what only a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// In any case
    Always,
    /// Not at all
    Never,
}

/// Whether there is a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bar {
    /// On a terminal, after a second
    Auto,
    /// None
    Never,
}

/// What can be made out of the table of arguments.
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

/// Whether HTML parts are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Html {
    /// HTML parts too
    Yes,
    /// No HTML parts
    No,
}

/// Which reading of a hyphen is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hyphen {
    Keep,
    Drop,
    Both,
}

/// What `--format` says when nothing is known.
pub(crate) const AUTO: &str = "auto";

/// A way to lay out messages in directories, a file each.
struct Layout {
    name: &'static str,
    about: &'static str,
    /// The format of each file.
    file: &'static str,
}

const LAYOUTS: [Layout; 3] = [
    Layout { name: "maildir", about: "a Maildir: one mail message a file", file: "message" },
    Layout { name: "mh", about: "an MH folder: one mail message a file", file: "message" },
    Layout { name: "spool", about: "a news spool: one news article a file", file: "article" },
];

/// The format of that name, or of the files in a layout of that name; `None` for [`AUTO`].
pub(crate) fn format(name: &str) -> Option<Format> {
    let layout = LAYOUTS.iter().find(|layout| layout.name == name);
    layout.map_or(name, |layout| layout.file).parse().ok()
}

fn formats() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("known by content");
    let rows = Format::all().map(|format| PossibleValue::new(format.as_str()).help(format.about()));
    let layouts = LAYOUTS.map(|layout| PossibleValue::new(layout.name).help(layout.about));
    PossibleValuesParser::new([auto].into_iter().chain(rows).chain(layouts))
}

/// One of these, by its name.
fn named<T>(all: &[T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Copy + Send + Sync + FromStr<Err = UnknownName> + 'static,
{
    PossibleValuesParser::new(all.iter().map(|one| name(*one))).try_map(|name| name.parse::<T>())
}
