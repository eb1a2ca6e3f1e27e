//! The table of options. To add an option, add a row here and a field to [`Options`].

use super::{Options, Patterns, SearchIn, Why, patterns, time, values};
use crate::scan::Form;
use crate::url::Tier;
use crate::zone::Zone;

/// The form of the values of an option.
///
/// ```
/// use urlspool::{OPTIONS, OptionKind};
///
/// let row = OPTIONS.iter().find(|row| row.name == "defanged").unwrap();
/// assert_eq!(row.kind, OptionKind::Flag(false)); // The command has the flag `--defanged`.
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// `true` or `false`. The default is the value of this variant.
    Flag(bool),
    /// One of the names that [`OptionRow::values`] returns.
    Name,
    /// A list of the names that [`OptionRow::values`] returns, with commas between them.
    Names,
    /// A list of patterns, with commas between them. The patterns need not be known names.
    Patterns,
    /// A date or a time, in one of the forms that [`OptionRow::values`] has as examples.
    Date,
    /// One of the names that [`OptionRow::values`] returns, or a number.
    Number,
    /// A number of bytes, such as `64M`.
    Size,
    /// A range of bytes, such as `0-1G`.
    Range,
    /// A share, such as `1/4`.
    Share,
    /// An absolute URL, such as `https://www.example.org/`.
    Url,
}

/// A row of [`OPTIONS`]: an option of a search.
///
/// ```
/// use urlspool::OPTIONS;
///
/// for row in OPTIONS.iter().filter(|row| row.name == "hyphen") {
///     assert_eq!(row.value_name, "READING");
///     assert_eq!(row.values()[1], ("drop", "the hyphen is not part of the URL"));
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct OptionRow {
    /// The name of the option, as in a flag of the command, such as `max-message`.
    pub name: &'static str,
    /// A name for the value, such as `DATE`. Empty for a flag, which has no value.
    pub value_name: &'static str,
    /// The form of the values.
    pub kind: OptionKind,
    /// What the option decides:
    ///
    /// - `find`: how URLs are found in a message.
    /// - `select`: which of the URLs that are found are kept.
    /// - `read`: which messages are searched, and how they are read.
    /// - `walk`: which files of directories are read.
    /// - `run`: how the search runs. These options do not affect which URLs are found.
    /// - `part`: a part of the search, for programs that divide a search themselves. The command does not have these
    ///   options.
    pub scope: &'static str,
    /// A description on one line.
    pub summary: &'static str,
    /// A complete description.
    pub documentation: &'static str,
    values: fn() -> Vec<Named>,
    pub(super) set: fn(&mut Options, &str) -> Result<(), Why>,
    pub(super) get: fn(&Options) -> Option<String>,
}

impl OptionRow {
    pub(super) fn find(name: &str) -> Option<&'static OptionRow> {
        OPTIONS.iter().find(|row| row.name == name)
    }

    /// Returns the names or examples that are values of the option, each with a description.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, &'static str)> {
        (self.values)()
    }
}

/// Makes the table. The documentation of a row is what the help prints: a summary on one line, and a complete
/// description.
macro_rules! options {
    ($(
        #[doc = $summary:literal] #[doc = $blank:literal] $(#[doc = $line:literal])*
        $name:literal, $value_name:literal, $kind:ident $(($default:literal))?, $scope:ident,
        $(values: $values:expr,)? set: $set:expr, get: $get:expr;
    )*) => {
        &[$( OptionRow {
            name: $name,
            value_name: $value_name,
            kind: OptionKind::$kind $(($default))?,
            scope: stringify!($scope),
            summary: $summary.trim_ascii_start(),
            documentation: concat!($($line),*).trim_ascii_start(),
            values: first!($($values,)? Vec::new),
            set: $set,
            get: $get,
        } ),*]
    };
}

/// Expands to the first of its arguments.
macro_rules! first {
    ($first:expr $(, $other:expr)?) => {
        $first
    };
}

/// Every option of a search, in the order of the help.
pub static OPTIONS: &[OptionRow] = options! {
    /// Search only these: headers,text,html,links,attachments
    ///
    /// `headers` means the header fields, `text` means plain text, and `html` means the HTML parts. `links` means the
    /// URLs in HTML parts that browsers request or follow, without text and without links that have an `html_place`.
    /// Text outside messages counts as plain text. `attachments` adds the attachments to the other parts. Alone, it means
    /// everything in attachments, and nothing else. By default, everything is searched.
    "in", "PARTS", Names, find,
    values: || named(SearchIn::ALL, SearchIn::as_str, SearchIn::row),
    set: |to, text| values::names(SearchIn::ALL, text, &[true; SearchIn::ALL.len()]).map(|set| to.search_in = set),
    get: |of| values::text_of_names(SearchIn::ALL, &of.search_in, &[true; SearchIn::ALL.len()]);

    /// Join bare URLs: never, likely or N [default: likely]
    ///
    /// A bare URL has no brackets around it. If a bare URL reaches the end of a line, this option says when the URL is
    /// joined with the text on the next line. N is a percentage from 0 to 100: the URL is
    /// joined only if it is at least N percent certain that the joined URL is right. Otherwise, the URL ends at the end
    /// of the line, and the joined URL is an alternative. `likely` is 60. No joined URL is reported with less than 10
    /// percent, nor with more than 99.
    "join", "WHEN", Number, find,
    values: || vec![
        ("never", "the URL ends at the end of the line"),
        ("likely", "the URL is joined with the next line if this is right with a probability of 60 %"),
    ],
    set: |to, text| values::join(text).map(|join| to.join = join),
    get: |of| values::text_of_join(of.join);

    /// Hyphens at line ends: keep or drop [default: keep]
    ///
    /// Applies to URLs in brackets that are broken over two lines after a hyphen. The hyphen may be part of the URL, or
    /// the sender may have added it at the break. The other reading is an alternative.
    "hyphen", "READING", Name, find,
    values: || vec![("keep", "the hyphen is part of the URL"), ("drop", "the hyphen is not part of the URL")],
    set: |to, text| values::hyphen(text).map(|drops| to.drops_hyphens = drops),
    get: |of| of.drops_hyphens.then(|| "drop".into());

    /// Also find defanged URLs: hxxp://evil[.]example/
    ///
    /// Restores [dot] to a dot, [at] to an @, and the schemes hxxp, hxxps and fxp to http, https and ftp. Also removes
    /// the brackets around dots, colons, slashes and @. In hosts, also removes blanks around [.], and restores \. to a
    /// dot. If only the path of a URL looks defanged, the URL is reported as written, and the restored URL is an
    /// alternative. With this option, the search takes up to twice as long.
    "defanged", "", Flag(false), find,
    set: |to, text| values::flag(text).map(|flag| to.defanged = flag),
    get: |of| of.defanged.then(|| "true".into());

    /// Only URLs of these schemes, such as http,ftp
    ///
    /// Case does not matter. `!` before a name excludes the scheme. If urlspool does not know a scheme, such as zoommtg,
    /// URLs of the scheme are found in angle brackets, in HTML attributes, and in text as zoommtg://. +zoommtg finds
    /// these URLs besides all others.
    "scheme", "NAMES", Patterns, select,
    set: |to, text| {
        let more = text.strip_prefix('+');
        let names = more.unwrap_or(text);
        if more.is_some() && names.contains('!') {
            return Err("`+` finds URLs besides all others; remove it, or the `!`".into());
        }
        to.schemes = Some(patterns::schemes(names)?).filter(|_| more.is_none());
        let mut wanted = names.split(',').filter(|name| !name.starts_with('!'));
        to.own_schemes = wanted.any(|name| !crate::url::is_known_scheme(name)).then(|| names.into());
        Ok(())
    },
    get: |of| {
        let own = of.own_schemes.as_ref().map(|names| format!("+{names}"));
        of.schemes.as_ref().map(Patterns::to_string).or(own)
    };

    /// Only these forms, such as angle; or more: +www,path
    ///
    /// The form says how the text marks the URL, for example with angle brackets. `www`, `path` and `domain` are addresses
    /// without a scheme. They are found only with this option: `www` and `path` are nearly always right, and `domain` is
    /// right if the text sends the reader to the host. The URL then has the scheme that a browser would add. `path` and
    /// `domain` skip names that are reserved for examples, such as example.org. A `+` before the first form adds the
    /// forms to those that are found by default.
    "form", "FORMS", Names, select,
    values: || named(Form::ALL, Form::as_str, Form::about),
    set: |to, text| {
        let more = text.strip_prefix('+');
        to.forms = values::names(Form::ALL, more.unwrap_or(text), &Form::DEFAULT)?;
        if more.is_some() {
            to.forms.iter_mut().zip(Form::DEFAULT).for_each(|(form, default)| *form |= default);
        }
        Ok(())
    },
    get: |of| values::text_of_names(Form::ALL, &of.forms, &Form::DEFAULT);

    /// Only these hosts and sub-domains: example.org
    ///
    /// `=example.org` means only that host, without its sub-domains. In a pattern, such as *.example.*, `*` matches any
    /// text, `?` matches one character, and [a-z] matches one character of the set. `!` before a host or a pattern
    /// excludes it; `!*.edu` alone selects all other hosts. If several hosts and patterns match, the last one decides. Case
    /// does not matter. You can write international names in Unicode or in Punycode. Patterns for international names must
    /// be in Punycode. Write IPv6 addresses in brackets, such as [::1]. URLs without a host are excluded.
    "host", "HOSTS", Patterns, select,
    set: |to, text| patterns::hosts(text).map(|hosts| to.hosts = Some(hosts)),
    get: |of| of.hosts.as_ref().map(Patterns::to_string);

    /// Only URLs with one of these words, such as wiki,pdf
    ///
    /// The words can be parts of longer words. A word between slashes, such as `/[.]pdf$/`, is a regular expression in
    /// the syntax of Rust's crate regex, without classes such as `\p{L}`. So `/\bwiki\b/` is a whole word, and
    /// `/[/]wiki[/]/` has slashes. A comma in a regular expression does not end the word. Case does not matter, unless
    /// the expression contains `(?-i)`. `!` before a word excludes the URLs with the word. If several words match, the
    /// last one decides.
    "url", "WORDS", Patterns, select,
    set: |to, text| patterns::words(text).map(|words| to.words = Some(words)),
    get: |of| of.words.as_ref().map(Patterns::to_string);

    /// Only these tiers: rfc1738,relaxed,rfc3986,iri
    ///
    /// The tier says which grammar allows the URL. If several of these grammars allow the URL, the tier is the first of
    /// them, in the order rfc1738, relaxed, rfc3986, iri.
    "tier", "TIERS", Names, select,
    values: || named(Tier::ALL, Tier::as_str, Tier::about),
    set: |to, text| values::names(Tier::ALL, text, &[true; Tier::ALL.len()]).map(|set| to.tiers = set),
    get: |of| values::text_of_names(Tier::ALL, &of.tiers, &[true; Tier::ALL.len()]);

    /// Only URLs in these zones, such as body or !footer
    ///
    /// The zone says whose text the URL is in: the words of the author, an earlier message that is quoted, or the footer
    /// of a mailing list. `!` before a zone excludes it. `signature` is a guess if no line `-- ` is before it. In text
    /// outside messages, only quote marks count. In the library and in Python, a hit that owns its data has a zone only
    /// with this option.
    "zone", "ZONES", Names, select,
    values: || named(Zone::ALL, Zone::as_str, Zone::about),
    set: |to, text| values::names(Zone::ALL, text, &[true; Zone::ALL.len()]).map(|set| to.zones = Some(set)),
    get: |of| values::text_of_names(Zone::ALL, of.zones.as_ref()?, &[false; Zone::ALL.len()]);

    /// Only messages since DATE, such as 1995 or 1995-02-17
    ///
    /// DATE is a year, a month, a day or a time, in UTC. It can also be a time before now, such as 7d for 7 days ago. Then
    /// `1w 2d` and `2 days ago` are valid, too. The date of a message comes from its Date field, or else from its envelope
    /// line or its Received fields. Text outside messages is skipped, and so are messages without a valid date.
    "since", "DATE", Date, read,
    values: time::forms,
    set: |to, text| time::parse(text).map(|span| to.since = Some(*span.start())),
    get: |of| of.since.map(time::text);

    /// Only messages up to and including DATE
    ///
    /// DATE has the same forms as with --since. `--since 1995 --until 1995` selects the whole year 1995.
    "until", "DATE", Date, read,
    set: |to, text| time::parse(text).map(|span| to.until = Some(*span.end())),
    get: |of| of.until.map(time::text);

    /// Only messages in these groups: comp.*,!comp.lang.*
    ///
    /// The patterns are those of RFC 3977, section 4.1: `*` matches any text, and `?` matches one character. `!` before
    /// a pattern excludes groups. If several patterns match, the last one decides. As in INN, [a-z] matches one
    /// character of a set, [^a-z] matches one character that is not in the set, and a backslash makes the next
    /// character literal. Case does not matter. A message is read if at least one of its groups matches. `!alt.*` alone
    /// reads all messages but those in such a group.
    "newsgroup", "GROUPS", Patterns, read,
    set: |to, text| patterns::groups(text).map(|groups| to.newsgroups = Some(groups)),
    get: |of| of.newsgroups.as_ref().map(Patterns::to_string);

    /// Only these mailing lists: announce,*.example.org
    ///
    /// Selects messages by the List-Id field, with the same patterns as --newsgroup. A name without a dot matches the
    /// part of the List-Id before its first dot. Mail from before 2001 has no List-Id, so this option skips it,
    /// unless all patterns begin with `!`.
    "list", "LISTS", Patterns, read,
    set: |to, text| patterns::lists(text).map(|lists| to.lists = Some(lists)),
    get: |of| of.lists.as_ref().map(Patterns::to_string);

    /// Only messages from these: ann,@example.org
    ///
    /// Selects messages whose decoded From field has one of the words. The words have the same form as those of --url.
    /// Text outside messages is skipped.
    "from", "WORDS", Patterns, read,
    set: |to, text| patterns::words(text).map(|words| to.from = Some(words)),
    get: |of| of.from.as_ref().map(Patterns::to_string);

    /// Only messages with these words in their subject
    ///
    /// Selects messages whose decoded Subject field has one of the words. The words have the same form as those of
    /// --url. Text outside messages is skipped.
    "subject", "WORDS", Patterns, read,
    set: |to, text| patterns::words(text).map(|words| to.subject = Some(words)),
    get: |of| of.subject.as_ref().map(Patterns::to_string);

    /// Format of the input, such as mbox [default: auto]
    ///
    /// `auto` detects the format of each file by its content. `mail` detects it in the same way, and skips plain text,
    /// such as READMEs and logs. Mail is recognized by its headers, or by the format of the mailbox. Files in a Maildir,
    /// and files whose name is a number, always count as mail. `maildir`, `mh` and `spool` read every file as exactly one
    /// message, so do not use them if some files are mailboxes or rnews batches. The option does not change which files
    /// of a directory are read.
    "format", "FORMAT", Name, read,
    values: values::formats,
    set: |to, text| {
        to.format = values::format(text)?;
        to.mail_only = text == values::MAIL;
        Ok(())
    },
    get: |of| of.format.map(|format| format.name).or(of.mail_only.then_some(values::MAIL)).map(str::to_owned);

    /// Resolve relative links in HTML files with BASE
    ///
    /// BASE is the URL of the current directory. With `--base https://www.example.org/list/`, the file 1995/a.html has
    /// the URL https://www.example.org/list/1995/a.html, and its links are relative to this URL. For a member of an
    /// archive, its name is used in place of the path. On standard input, and for `check`, the links are relative to
    /// BASE itself. A `base` element in a page overrides BASE. HTML in mail is not affected. Without this option,
    /// relative links are only counted.
    "base", "BASE", Url, read,
    set: |to, text| values::base(text).map(|base| to.base = Some(base)),
    get: |of| of.base.as_deref().map(str::to_owned);

    /// Decode messages up to this size [default: 4M]
    ///
    /// If a message is larger, its beginning is decoded, the rest is searched as plain text, and a diagnostic is
    /// reported. Lines of base64, as in attached pictures, do not count, up to 15 times SIZE. SIZE is at most 1G. A larger SIZE can need more memory, because each message is kept in memory, and
    /// several copies are made to decode it.
    "max-message", "SIZE", Size, read,
    set: |to, text| values::message_size(text).map(|size| to.max_message = size),
    get: |of| (of.max_message != Options::default().max_message).then(|| of.max_message.to_string());

    /// Follow symbolic links in directories
    ///
    /// A link that leads back to a directory above it is skipped, and no file is read twice. A PATH that is a link is
    /// followed even without this option.
    "follow", "", Flag(false), walk,
    set: |to, text| values::flag(text).map(|flag| to.follow = flag),
    get: |of| of.follow.then(|| "true".into());

    /// Number of threads, 0 for one per core [default: 0]
    ///
    /// At most 256 threads are used, even if N is larger. N above 1024 is an error. The number does not affect the
    /// result.
    "threads", "N", Number, run,
    set: |to, text| values::threads(text).map(|threads| to.threads = threads),
    get: |of| (of.threads > 0).then(|| of.threads.to_string());

    /// Only messages that begin in this range: 0-1G, 1G-
    ///
    /// A and B are byte offsets, from 0. The suffixes K, M and G mean KiB, MiB and GiB. B is not part of the range, so
    /// 0-1G and 1G- together select every message once. In a compressed file, the range counts decompressed bytes. In
    /// an archive, the range applies to each member.
    "byte-range", "A-B", Range, part,
    set: |to, text| values::range(text).map(|range| to.byte_range = Some(range)),
    get: |of| of.byte_range.as_ref().map(|range| format!("{}-{}", range.start, range.end));

    /// Only the files in share I of N, such as 1/4
    ///
    /// A hash of the path of a file decides which share the file is in, so give the same paths on every machine. Each
    /// file is in exactly one share, and stays in this share in every run.
    "shard", "I/N", Share, part,
    set: |to, text| values::shard(text).map(|shard| to.shard = Some(shard)),
    get: |of| of.shard.map(|shard| shard.to_string());

    /// Count lines, for the line of each hit
    ///
    /// Counting takes a second, fast pass over the input. With a byte range, all bytes before the range must be read,
    /// too, so lines are counted only if this option is set to true.
    "count-lines", "", Flag(true), part,
    set: |to, text| values::flag(text).map(|count| to.count_lines = Some(count)),
    get: |of| of.count_lines.map(|count| count.to_string());
};

/// The name of a value, and its description.
type Named = (&'static str, &'static str);

/// Returns the names of all values of a type, each with its description.
fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, about: fn(T) -> &'static str) -> Vec<Named> {
    all.iter().map(|value| (name(*value), about(*value))).collect()
}
