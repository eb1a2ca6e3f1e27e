//! Warnings about files that urlspool skipped in directories, although the user probably expects urlspool to read them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use urlspool::fields::Value;
use urlspool::{Event, Extractor, SkipReason};

use crate::escaped::Escaped;
use crate::tally::{Tally, fact};

/// If files were skipped for one of these reasons, a warning at the end of the run reports them. Each row has the
/// reason, the warning for one file, the warning for several files, and a hint that says how to read the files.
const REASONS: &[(SkipReason, &str, &str, &str)] = &[
    (
        SkipReason::Packed,
        "compressed file was skipped, because its directory also has the uncompressed file",
        "compressed files were skipped, because their directories also have the uncompressed files",
        "to read a compressed file too, give its name as an argument",
    ),
    (
        SkipReason::Binary,
        "binary file was skipped",
        "binary files were skipped",
        "to read a binary file, give its name as an argument, with --format text",
    ),
    (
        SkipReason::Gone,
        "message was deleted before urlspool could read it",
        "messages were deleted before urlspool could read them",
        "this is normal in a Maildir that is in use",
    ),
    (
        SkipReason::Repository,
        "git repository was skipped, because it is not a public-inbox",
        "git repositories were skipped, because none of them is a public-inbox",
        "to search the history, use `git -C REPOSITORY log -p | urlspool`",
    ),
];

/// The formats in which list archives offer their messages for download, beside their pages.
const MAILBOXES: &[&str] = &["mbox", "mboxcl2", "mmdf", "babyl", "listserv", "rnews", "digest"];

/// Minimum number of HTML pages of a list archive.
const PAGES: u64 = 2;

/// Returns the warnings at the end of a run. `options` are the options that list what was not searched.
pub(crate) fn warnings(tally: &Tally, options: &str) -> Vec<String> {
    let mut notes = Vec::new();
    for (why, one, several, remedy) in REASONS {
        if let Some((count, first)) = tally.skipped.get(why.as_str()) {
            let first = Escaped::path(first);
            notes.push(match count {
                1 => format!("{first}: 1 {one}; {remedy}"),
                _ => format!("{first} and others: {count} {several}; {remedy}; -v lists them"),
            });
        }
    }
    let read = |is_one: fn(&str) -> bool| -> u64 {
        tally.files.iter().filter(|((format, _), _)| is_one(format)).map(|(_, count)| count).sum()
    };
    let (pages, mailboxes) = (read(|format| format == "html"), read(|format| MAILBOXES.contains(&format)));
    if pages >= PAGES && mailboxes > 0 {
        let mailboxes = counted("a mailbox", mailboxes).replace("boxs", "boxes");
        notes.push(format!(
            "{pages} HTML pages and {mailboxes} were read; if the pages show the messages of the mailboxes, their URLs are \
             counted twice; to skip pages, use --format mail"
        ));
    }
    if tally.messages() == 0
        && let Some(hidden) = tally.hidden.iter().find(|path| has_mail(path))
    {
        let hidden = Escaped::path(hidden);
        notes.push(format!(
            "{hidden}: contains mail, but was skipped because it is hidden; to read it, give its name as an argument"
        ));
    }
    notes.extend(unsearched(&tally.unsearched, options));
    notes
}

/// What attachments are that rarely have URLs.
const SILENT: &[&str] = &["signature", "picture", "sound", "video", "font", "key", "program", "hidden file"];

/// Returns a line about the attachments that were not searched, although they may have URLs. `counts` says how many there
/// are of each kind. `options` are the options that list them.
pub(crate) fn unsearched(counts: &BTreeMap<String, u64>, options: &str) -> Option<String> {
    let may_have_urls = |what: &str| !SILENT.iter().any(|silent| what.ends_with(silent));
    let kinds = counts.iter().filter(|(what, _)| may_have_urls(what));
    let kinds: Vec<_> = kinds.map(|(what, count)| counted(what, *count)).collect();
    (!kinds.is_empty()).then(|| format!("not searched in mail: {}; {options} lists them", kinds.join(", ")))
}

/// Returns a count and a noun: `a PDF document` becomes `3 PDF documents`.
pub(crate) fn counted(what: &str, count: u64) -> String {
    const AFTER: [&str; 4] = [" (", " in ", " compressed", " over "];
    let Some(noun) = what.strip_prefix("a ").or(what.strip_prefix("an ")) else { return format!("{count} {what}") };
    let end = AFTER.iter().filter_map(|after| noun.find(after)).min().unwrap_or(noun.len());
    let (noun, rest) = noun.split_at(end);
    format!("{count} {noun}{}{rest}", if count == 1 { "" } else { "s" })
}

/// Returns the message about a file or directory that was skipped.
pub(crate) fn skipped(path: &Path, why: SkipReason) -> String {
    format!("{}: skipped: {}", Escaped::path(path), why.about())
}

/// Returns the message about an attachment that was not searched.
pub(super) fn attachment(facts: &[(&str, Value<'_>)]) -> String {
    let fact = |name: &str| Escaped(fact(facts, name).as_bytes()).to_string();
    let (name, media) = (fact("attachment"), fact("type"));
    let is_named = media.is_empty() || media.eq_ignore_ascii_case(&name);
    let media = if is_named { String::new() } else { format!(", {media}") };
    format!("offset {}: not searched: {} ({name}{media})", fact("offset"), fact("what"))
}

/// How many files of a hidden directory are checked. A hidden directory can be a large cache, and checking all of it
/// could take minutes.
const FILES: usize = 500;

/// Returns whether a hidden file, or one of the first [`FILES`] files of a hidden directory, contains mail.
fn has_mail(path: &Path) -> bool {
    let (mut left, mut found) = (FILES, false);
    let mail = Extractor::new().set("format", "mail").expect("a valid value");
    let _ = mail.paths([path]).each(&mut |event: Event<'_>| {
        match event {
            Event::Segment { segment, .. } => found |= segment.is_message(),
            Event::Error(_) | Event::Skipped { .. } | Event::End(_) => left -= 1,
            _ => {}
        }
        if found || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}
