//! What can be asked for: clap's table, and the help.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use urlspool::{Form, Format};

const ABOUT: &str = "Finds the URLs in mail and news archives";

const LONG_ABOUT: &str = "\
Finds the URLs in mail and news archives: mbox files, Maildir and MH folders, news spools, rnews batches, single \
messages, plain text; compressed, or in tar and zip archives. MIME is decoded, URLs that are broken over lines are put together, and each is \
validated by RFC 1738 and its successors. They are listed one per line, in the order of the input.";

const USAGE: &str = "\
urlspool [OPTIONS] [PATH]...
       urlspool --check [--strict] [--base BASE] [--json] URL...";

const EXAMPLES: &str = "\
Examples:
  urlspool archive.mbox                    every URL, one per line
  urlspool -u ~/Maildir | sort             each once
  urlspool -Hn --scheme ftp,gopher lists/  file, line and URL, with tabs between
  urlspool --json news/ | jq -r .host      their hosts
  urlspool --check http://host:99999/      what is wrong with it";

const NOTES: &str = "\
Input: without PATH, standard input is read (unless it is a terminal). Directories are walked; format, compression \
and archives are known by content, never by name; a member of an archive is FILE!MEMBER. Output never depends on the number of threads.

Plain output: the fields that -H, -n, -b and -m add come in this order, FILE, LINE, OFFSET, <MESSAGE-ID>, the URL last, \
with a tab between, so that `cut -f` and `awk -F'\\t'` take them apart; a colon would not do, for it is in every Maildir \
name and in every URL. A field that has no value is empty.

Exit status: 0 if something was found, 1 if nothing was, 2 if something could not be read or was asked for wrongly; the \
rest was done. With --check: 0 if every URL is valid, 1 if not. A closed pipe is a quiet end.";

const WHAT: &str = "What is printed";
const WHICH: &str = "Which URLs";
const INPUT: &str = "Which input";
const HOW: &str = "How";

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
    /// Files and directories; `-` is standard input
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

    /// Print the offset in the file, in octets from 0
    ///
    /// It is the offset in the file as stored (or as decompressed). Where an encoding leaves no exact one, it is that of
    /// the MIME part; --json says so.
    #[arg(short = 'b', long, help_heading = WHAT)]
    pub(crate) byte_offset: bool,

    /// Print the Message-ID, in angle brackets
    #[arg(short = 'm', long, help_heading = WHAT)]
    pub(crate) message_id: bool,

    /// Print a JSON object per URL, with all that is known about it
    ///
    /// Fields, absent rather than null: url form tier scheme host fragment file member message message_id date newsgroups
    /// list_id part header offset length line quote_depth rejoined recovered precision alternatives doubtful trimmed
    /// warnings dup. A value that is not UTF-8 is {"base64": "..."}.
    #[arg(long, help_heading = WHAT)]
    pub(crate) json: bool,

    /// End each line with NUL instead of a newline, for `xargs -0`
    #[arg(short = '0', long, help_heading = WHAT)]
    pub(crate) null: bool,

    /// Print how many URLs each file has, as FILE:COUNT
    ///
    /// The name is left out if there is one file only, unless -H is given.
    #[arg(short = 'c', long, help_heading = WHAT)]
    pub(crate) count: bool,

    /// Print each URL once, at its first sight
    ///
    /// Compared octet by octet. Keeps every distinct URL in memory: some 100 octets each, 1 GB for ten millions;
    /// `urlspool ... | sort -u` does it in less, without the order.
    #[arg(short = 'u', long, help_heading = WHAT)]
    pub(crate) unique: bool,

    /// Print the other readings of doubtful places too, each on a line after its URL
    ///
    /// A hyphen at a line's end, or a line break in a URL without brackets, can be read in two ways; the likelier one is
    /// printed. Only other readings that are URLs are printed. --json lists them all in any case.
    #[arg(long, help_heading = WHAT)]
    pub(crate) alternatives: bool,

    /// List what looked like a URL and is none, with the reason
    ///
    /// Printed instead of URLs: the text, a tab, and the reason. With --json: url, form, reason, reason_offset and the
    /// place. With --strict, URLs that RFC 1738 refuses are among them.
    #[arg(long, help_heading = WHAT)]
    pub(crate) rejects: bool,

    /// Only URLs of these schemes, such as http,ftp
    ///
    /// In any mix of case. Schemes that this program does not know (--scheme steam) are found between angle brackets and in
    /// HTML attributes only.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = scheme, help_heading = WHICH)]
    pub(crate) scheme: Vec<String>,

    /// Only URLs that stood in the text like this
    ///
    /// wrapped: <URL:...>. angle: <scheme:...>. bare: with nothing around it. prefixed: URL:... without brackets.
    /// href: in an HTML attribute.
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = forms(), help_heading = WHICH)]
    pub(crate) form: Vec<Form>,

    /// Only URLs that RFC 1738 allows, to the letter
    ///
    /// Leaves out those with unsafe characters such as ~, and those that only RFC 3986 or RFC 3987 allows.
    #[arg(long, help_heading = WHICH)]
    pub(crate) strict: bool,

    /// Look at header fields, or at nothing else [default: yes]
    #[arg(long, value_name = "WHICH", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) headers: Headers,

    /// Look at HTML parts [default: yes]
    #[arg(long, value_name = "WHETHER", hide_default_value = true, default_value = "yes", help_heading = WHICH)]
    pub(crate) html: Html,

    /// What a hyphen at a line's end inside a URL is [default: keep]
    ///
    /// keep: part of the URL. drop: put there by a typesetter. both: print both readings, each on its line.
    #[arg(long, value_name = "READING", hide_default_value = true, default_value = "keep", help_heading = WHICH)]
    pub(crate) hyphen: Hyphen,

    /// Whether a URL without brackets goes on in the next line [default: likely]
    ///
    /// likely: where the evidence is strong. never: it ends with its line.
    #[arg(long, value_name = "WHEN", hide_default_value = true, default_value = "likely", help_heading = WHICH)]
    pub(crate) rejoin: Rejoin,

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

    /// Read the paths in FILE too, one per line; `-` is standard input
    ///
    /// They are read as they come, after those of the command line, and worked on without waiting for more:
    /// `find ... | urlspool --files-from -`. A CR before a line's end is not part of the name.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files_from: Option<PathBuf>,

    /// The same, with a NUL after each path: `find ... -print0`
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) files0_from: Option<PathBuf>,

    /// Follow symbolic links in directories
    ///
    /// A link that leads back to where it lies is left out, and no file is read twice; that takes some 20 octets of memory
    /// for each. A link that is named as a PATH is followed without this.
    #[arg(long, help_heading = INPUT)]
    pub(crate) follow: bool,

    /// How many threads work; 0 is one per core [default: 0]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        hide_default_value = true,
        default_value = "0",
        value_parser = clap::value_parser!(u16).range(0..=1024),
        help_heading = HOW
    )]
    pub(crate) threads: u16,

    /// Tell of damage inside messages too, and of what a walk left out, on standard error
    ///
    /// A line each: the file, the offset of the message or part, and what was done about it. It is common in old mail, and
    /// what could be read was read; so without this only damaged archives are told of. The exit status is the same.
    #[arg(short = 'v', long, help_heading = HOW)]
    pub(crate) verbose: bool,

    /// Take the arguments for URLs, and show what the parser makes of each
    ///
    /// Its components, tier and warnings; or the reason why it is no URL, and the place. With --json, an object each:
    /// url, valid, tier, scheme, the components, fragment, warnings; or url, valid, reason, offset.
    #[arg(long, help_heading = "Checking URLs")]
    pub(crate) check: bool,

    /// With --check: resolve each URL in the context of BASE first
    #[arg(long, value_name = "BASE", help_heading = "Checking URLs")]
    pub(crate) base: Option<String>,
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

/// Whether a bare URL goes on in the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rejoin {
    Never,
    Likely,
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
    Format::from_name(layout.map_or(name, |layout| layout.file))
}

fn formats() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("known by content");
    let rows = Format::all().map(|format| PossibleValue::new(format.name()).help(format.about()));
    let layouts = LAYOUTS.map(|layout| PossibleValue::new(layout.name).help(layout.about));
    PossibleValuesParser::new([auto].into_iter().chain(rows).chain(layouts))
}

fn forms() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.iter().map(|form| form.as_str()))
        .try_map(|name| Form::ALL.iter().copied().find(|form| form.as_str() == name).ok_or("no such form"))
}

/// A scheme's name as RFC 1738, section 2.1, has it.
fn scheme(name: &str) -> Result<String, &'static str> {
    let is_scheme_octet = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
    if name.is_empty() {
        return Err("a name is missing");
    }
    if !name.bytes().all(is_scheme_octet) {
        return Err("give the names alone, with commas between: http,ftp");
    }
    Ok(name.to_ascii_lowercase())
}
