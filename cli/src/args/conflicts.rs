//! The table of options that cannot be used together.

use std::path::Path;

use super::jobs::Name;
use super::{Given, Wrong};
use crate::find::input::is_stdin;
use crate::find::{self, output};

/// The output formats. Only one of them can be used.
pub(super) const FORMATS: &[&str] = &["json", "csv", "arrow", "parquet", "files-with-matches"];
const TABLES: &[&str] = &["csv", "arrow", "parquet"];
const COLUMNS: &[&str] = &["with-filename", "line-number"];

/// An option of the first list cannot be used with an option of the second list, for the given reason.
const CONFLICTS: &[(&[&str], &[&str], &str)] = &[
    (&["fields"], COLUMNS, "--fields decides which fields are printed"),
    (&["fields"], &["unwrap", "null", "alternatives"], "--fields prints only the named fields, one line per URL"),
    (&["fields"], &["files-with-matches"], "--fields works only if the output is a list of URLs"),
    (&["json"], &["null"], "--json cannot end lines with NUL"),
    (&["json"], COLUMNS, "--json already prints the file name and the line"),
    (&["json"], &["unwrap"], "--json already prints the target"),
    (&["json"], &["alternatives"], "--json already prints the alternatives"),
    (TABLES, &["null"], "--csv, --arrow and --parquet cannot end lines with NUL"),
    (TABLES, COLUMNS, "--csv, --arrow and --parquet have a column for each field"),
    (TABLES, &["unwrap"], "--csv, --arrow and --parquet have a column for the target"),
    (TABLES, &["alternatives"], "--csv, --arrow and --parquet have a column for alternatives"),
    (&["parquet"], &["output"], "--parquet already names the output file"),
    (&["stats"], &["max-count"], "--stats counts the whole input, but --max-count stops before the end"),
    (&["files-with-matches"], COLUMNS, NAMES_ONLY),
    (&["files-with-matches"], &["unique", "sort", "alternatives", "unwrap"], NAMES_ONLY),
    (&["rejects"], &["unwrap"], "--rejects prints text that is not a URL, and such text has no target"),
    (&["rejects"], &["alternatives"], "--rejects prints text that is not a URL, and such text has no alternatives"),
    (&["rejects"], &["host"], "--rejects prints text that is not a URL, and such text has no host"),
    (&["rejects"], &["add-header"], "--add-header adds only valid URLs"),
    (&["state"], &["max-count", "files-with-matches"], "--state needs to read each file to its end"),
    (&["state"], &["once"], "--state does not record Message-IDs, so --once cannot know those of earlier runs"),
    (&["state"], &["arrow"], "a program reads one Arrow stream of a file, and each --state run would append another"),
    (&["state"], &["output", "parquet"], "the URLs of earlier --state runs would be lost; append with >> FILE"),
    (&["mbox"], &["decoded"], "--mbox prints the messages as they are stored"),
];
const NAMES_ONLY: &str = "--files-with-matches prints only file names, in the order of the input";

/// Returns an error if some of the options cannot be used together.
pub(crate) fn check(given: &Given) -> Result<(), Wrong> {
    let flags: Vec<_> = given.flags().collect();
    let among = |names: &[&str]| flags.iter().filter(|flag| names.contains(&flag.name)).collect::<Vec<_>>();
    if let [one, other, ..] = among(FORMATS)[..] {
        let (one, other) = (given.as_written(one), given.as_written(other));
        return Err(format!("more than one output format; remove {one} or {other}").into());
    }
    for (some, others, why) in CONFLICTS {
        if let ([one, ..], [other, ..]) = (&among(some)[..], &among(others)[..]) {
            return Err(format!("{why}; remove {} or {}", given.as_written(one), given.as_written(other)).into());
        }
    }
    let list = given.texts("files-from");
    let parts = given.texts("in");
    let is_in = |name: &str| match parts.first().is_some_and(|part| part.starts_with('!')) {
        true => !parts.iter().any(|part| part.strip_prefix('!') == Some(name)),
        false => parts.iter().any(|part| part == name),
    };
    let has_no_links = given.has("in") && !is_in("html") && !is_in("links") && parts != ["attachments"];
    match () {
        () if has_no_links && given.has("form") && given.texts("form").iter().all(|form| form == "href") => {
            Err("--form href needs HTML parts; remove --form, or add html to --in".into())
        }
        () if is_since_after_until(given)? => Err("--since is after --until; swap the dates".into()),
        () if list.len() > 1 => {
            Err("more than one list of files; join the lists, as in `cat LIST... | urlspool --files-from -`".into())
        }
        () if list.iter().any(|file| file == "-") && given.paths().any(is_stdin) => {
            Err("standard input cannot be both the mail and the list of files; remove one `-`".into())
        }
        () if given.has("base") && given.job.name != Name::Check && given.paths().any(Path::is_absolute) => {
            let how = "go to the directory of the mirror, and give relative paths";
            Err(format!("--base is the URL of the current directory, and a path is absolute; {how}").into())
        }
        () if given.has("arrow") && find::is_terminal(given) => {
            Err("--arrow prints bytes for programs, not for a terminal; redirect the output to a program or a file"
                .into())
        }
        () if given.has("state") && given.reads_stdin() => {
            Err("--state does not work with standard input; name files, or remove --state".into())
        }
        () => match ["state", "parquet", "problems"].iter().find(|name| given.path(name).is_some_and(is_stdin)) {
            Some(name) => Err(format!("--{name} needs the name of a file, as in --{name} urls.{name}").into()),
            None => find::check_second_search(given).and_then(|()| output::check(given)),
        },
    }
}

fn is_since_after_until(given: &Given) -> Result<bool, Wrong> {
    let options = given.options()?;
    // The library writes each time like 1995-02-17T10:00:00Z, and only years before 1 or after 9999 in another form.
    let time = |name| options.get(name).filter(|time| !time.starts_with('@'));
    Ok(time("since").zip(time("until")).is_some_and(|(since, until)| since > until))
}
