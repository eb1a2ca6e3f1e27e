//! Warnings about options that exclude files, messages or URLs:
//!
//! - `--newsgroup`, `--list`, `--from` and `--subject` cause a warning if they match no message.
//! - `--since` and `--until` cause a warning if they skip messages without a valid date.
//! - All these options can cause a warning if they skip plain text.
//! - If no URL is printed, one warning says how many messages `--since` and `--until` skipped. Another warning says how
//!   many URLs each option removed.
//! - If no URL is found at all, a warning says that `--in` selects the parts of messages.
//! - `--glob` and `--format mail` cause a warning if they exclude all files.

use urlspool::SkipReason;

use super::select::{NAMED, Removed};
use crate::tally::Tally;

/// Returns the warnings, one line each. `by` has the options on the command line that select messages. `has_in` says
/// whether `--in` selects their parts. `removed` has the number of URLs that each option removed.
pub(crate) fn warnings(tally: &Tally, by: &[&str], has_in: bool, removed: &Removed) -> Vec<String> {
    let is_by = |option| by.contains(&option);
    let is_dated = is_by("since") || is_by("until");
    let named = NAMED.iter().filter(|(option, _)| is_by(option)).map(|(_, field)| *field).collect::<Vec<_>>();
    let is_named = !named.is_empty();
    let is_unmet = is_named && !tally.is_met;
    let texts = tally.files.iter().filter(|((format, _), _)| *format == "text").map(|(_, count)| count).sum();
    let mut warnings = Vec::new();
    if tally.undated > 0 {
        let were = were(tally.undated, "message", "messages");
        warnings.push(format!("{were} skipped, because the date is missing or invalid"));
    }
    // Plain text has no header fields, so these options skip it. If the input also has messages, the user probably wanted
    // to search only the messages, and gets no warning about the text.
    let what = match () {
        () if is_dated => Some("date".to_owned()),
        () if !is_unmet || tally.not_chosen > 0 => None,
        () => Some(named.join(" and no ")),
    };
    if let Some(what) = what.filter(|_| texts > 0 && tally.has_text) {
        let were = were(texts, "file of plain text", "files of plain text");
        warnings.push(format!("{were} skipped, because plain text has no {what}"));
    }
    if is_unmet && tally.not_chosen > 0 {
        let hint = match by {
            ["newsgroup"] => "; a pattern must match the whole name of a newsgroup, as in comp.*",
            ["list"] => {
                "; a pattern must match the whole List-Id, as in *.example.org, or be the part before the first dot"
            }
            _ => "",
        };
        warnings.push(format!("no message matches {} ({} checked){hint}", options(by), tally.not_chosen));
    }
    let is_empty = tally.hits + tally.refused == 0;
    if is_empty && is_dated && !is_named && tally.not_chosen > 0 {
        let were = were(tally.not_chosen, "message", "messages");
        warnings.push(format!("{were} skipped by {}", options(by)));
    }
    warnings.extend(removal(removed).filter(|_| is_empty));
    if is_empty && removed.is_empty() && has_in && tally.read > 0 {
        warnings.push("no URL is in the parts that --in selects; to search all parts, remove --in".into());
    }
    let skipped = |why: SkipReason| tally.skipped.get(why.as_str()).map_or(0, |(count, _)| *count);
    let (excluded, not_mail) = (skipped(SkipReason::Excluded), skipped(SkipReason::NotMail));
    let by = match (excluded, not_mail) {
        (_, 0) => "--glob",
        (0, _) => "--format mail",
        _ => "--glob and --format mail",
    };
    if excluded + not_mail > 0 && tally.files.is_empty() {
        warnings.push(format!("{by} excluded all files ({} in total)", excluded + not_mail));
    }
    warnings
}

/// Returns a warning that says how many URLs each option removed.
fn removal(removed: &Removed) -> Option<String> {
    let list: Vec<_> = removed.iter().map(|(option, count)| format!("--{option} removed {count}")).collect();
    match (removed.keys().collect::<Vec<_>>().as_slice(), removed.values().sum::<u64>()) {
        ([], _) => None,
        ([option], 1) => Some(format!("1 URL was found, and --{option} removed it")),
        ([option], all) => Some(format!("{all} URLs were found, and --{option} removed them all")),
        (_, all) => Some(format!("{all} URLs were found, and all were removed: {}", list.join(", "))),
    }
}

/// Returns text such as `--since and --until`.
fn options(names: &[&str]) -> String {
    names.iter().map(|name| format!("--{name}")).collect::<Vec<_>>().join(" and ")
}

/// Returns the beginning of a warning, such as `1 message was` or `2 messages were`.
fn were(count: u64, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one} was") } else { format!("{count} {several} were") }
}

#[cfg(test)]
mod tests {
    use super::{Removed, warnings};
    use crate::tally::Tally;

    #[test]
    fn warnings_name_the_options_and_the_numbers() {
        let met = |not_chosen, undated, texts, is_met| {
            let files = [(("text", None), texts), (("mbox", None), 7)].into();
            Tally { not_chosen, undated, files, has_text: true, is_met, ..Tally::default() }
        };
        let table: &[(Tally, &[&str], &[&str])] = &[
            (met(0, 0, 0, false), &["newsgroup"], &[]),
            (met(9, 0, 9, false), &[], &[]),
            (met(9, 0, 9, true), &["newsgroup"], &[]),
            (
                met(1, 0, 9, false),
                &["newsgroup"],
                &["no message matches --newsgroup (1 checked); a pattern must match the whole name of a newsgroup, \
                   as in comp.*"],
            ),
            (met(9, 0, 0, false), &["since"], &["9 messages were skipped by --since"]),
            (
                Tally { read: 1, ..met(0, 0, 0, true) },
                &["in"],
                &["no URL is in the parts that --in selects; to search all parts, remove --in"],
            ),
            (Tally { read: 1, hits: 1, ..met(0, 0, 0, true) }, &["in"], &[]),
            (met(9, 0, 0, false), &["since", "in"], &["9 messages were skipped by --since"]),
            (Tally { hits: 1, ..met(9, 0, 0, false) }, &["since"], &[]),
            (
                met(9, 0, 2, false),
                &["list", "since"],
                &[
                    "2 files of plain text were skipped, because plain text has no date",
                    "no message matches --list and --since (9 checked)",
                ],
            ),
            (
                met(0, 0, 1, false),
                &["newsgroup"],
                &["1 file of plain text was skipped, because plain text has no newsgroup"],
            ),
            (
                met(0, 0, 2, false),
                &["list"],
                &["2 files of plain text were skipped, because plain text has no List-Id"],
            ),
            (
                met(0, 0, 1, false),
                &["newsgroup", "list"],
                &["1 file of plain text was skipped, because plain text has no newsgroup and no List-Id"],
            ),
            (met(2, 0, 1, false), &["from", "subject"], &["no message matches --from and --subject (2 checked)"]),
            (
                met(0, 2, 1, true),
                &["list", "until"],
                &[
                    "2 messages were skipped, because the date is missing or invalid",
                    "1 file of plain text was skipped, because plain text has no date",
                ],
            ),
        ];
        for (tally, by, want) in table {
            let (messages, parts): (Vec<&str>, Vec<_>) = by.iter().partition(|name| **name != "in");
            assert_eq!(warnings(tally, &messages, !parts.is_empty(), &Removed::new()), *want, "{by:?}");
        }
        let empty = Tally { has_text: false, ..met(0, 0, 1, false) };
        assert!(
            warnings(&empty, &["newsgroup"], false, &Removed::new()).is_empty()
                && warnings(&empty, &["since"], false, &Removed::new()).is_empty()
        );
    }

    #[test]
    fn options_that_removed_everything() {
        type Row<'r> = (&'r [(&'static str, u64)], &'r [&'r str]);
        let table: &[Row<'_>] = &[
            (&[], &[]),
            (&[("host", 1)], &["1 URL was found, and --host removed it"]),
            (&[("host", 7)], &["7 URLs were found, and --host removed them all"]),
            (
                &[("form", 1), ("scheme", 2), ("tier", 4)],
                &["7 URLs were found, and all were removed: --form removed 1, --scheme removed 2, --tier removed 4"],
            ),
        ];
        for (removed, want) in table {
            let removed = removed.iter().copied().collect();
            assert_eq!(warnings(&Tally::default(), &[], false, &removed), *want);
            for some in [Tally { hits: 1, ..Tally::default() }, Tally { refused: 1, ..Tally::default() }] {
                assert!(warnings(&some, &[], false, &removed).is_empty());
            }
        }
    }
}
