//! Why less is printed than there is: messages that no --newsgroup, --list, --since or --until matched, where a name may be
//! misspelt or only the beginning of what was meant; text outside messages; and, if nothing is printed at all, the
//! options that removed URLs.

use super::select::Filter;
use crate::args::Args;
use crate::tally::Tally;

/// What is told, a line each; `by` are the options that selected, as [`options`] gives them, and `removed` is how many URLs
/// each [`Filter`] removed.
pub(crate) fn notes(tally: &Tally, by: &[&str], removed: &[u64]) -> Vec<String> {
    let is_by = |option| by.contains(&option);
    let (is_dated, is_named) = (is_by("--since") || is_by("--until"), is_by("--newsgroup") || is_by("--list"));
    let is_unmet = is_named && !tally.is_met;
    let texts = tally.files.iter().filter(|((format, _), _)| *format == "text").map(|(_, count)| count).sum();
    let mut notes = Vec::new();
    if tally.undated > 0 {
        let were = were(tally.undated, "message", "messages");
        notes.push(format!("{were} skipped for lack of a valid date"));
    }
    // That there is text besides is no surprise to who asks for a newsgroup, and is found.
    let what = match by {
        _ if is_dated => Some("date"),
        _ if !is_unmet || tally.not_chosen > 0 => None,
        ["--newsgroup"] => Some("newsgroup"),
        ["--list"] => Some("List-Id"),
        _ => Some("newsgroup and no List-Id"),
    };
    if let Some(what) = what.filter(|_| texts > 0 && tally.has_text) {
        let were = were(texts, "file of plain text", "files of plain text");
        notes.push(format!("{were} skipped, because text has no {what}"));
    }
    if is_unmet && tally.not_chosen > 0 {
        let met = match tally.not_chosen {
            1 => "1 message was looked at, and it is not".to_owned(),
            others => format!("{others} messages were looked at, and none is"),
        };
        let hint = match by {
            ["--newsgroup"] => "; a pattern is of the whole name, as in comp.*",
            ["--list"] => "; a pattern is of the whole List-Id, as in *.example.org, or of its first word",
            _ => "",
        };
        notes.push(format!("{met} asked for by {}{hint}", by.join(" and ")));
    }
    let is_empty = tally.hits + tally.refused == 0;
    if is_empty && is_dated && !is_named && tally.not_chosen > 0 {
        let were = were(tally.not_chosen, "message", "messages");
        notes.push(format!("{were} skipped by {}", by.join(" and ")));
    }
    notes.extend(removal(removed).filter(|_| is_empty));
    notes
}

/// Which options removed URLs, and how many.
fn removal(removed: &[u64]) -> Option<String> {
    let by: Vec<_> = Filter::ALL.iter().zip(removed).filter(|(_, count)| **count > 0).collect();
    let list: Vec<_> = by.iter().map(|(filter, count)| format!("{} removed {count}", filter.option())).collect();
    match (by.as_slice(), removed.iter().sum::<u64>()) {
        ([], _) => None,
        ([(filter, _)], 1) => Some(format!("1 URL was found, and {} removed it", filter.option())),
        ([(filter, _)], all) => Some(format!("{all} URLs were found, and {} removed them all", filter.option())),
        (_, all) => Some(format!("{all} URLs were found, and all were removed: {}", list.join(", "))),
    }
}

/// So many of them were, in words.
fn were(count: u64, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one} was") } else { format!("{count} {several} were") }
}

/// The options given that say which messages are meant. That there is none of some time is no surprise, that there is none
/// of a newsgroup or list is one.
pub(crate) fn options(args: &Args) -> Vec<&'static str> {
    let all = [
        ("--newsgroup", args.newsgroup.is_some()),
        ("--list", args.list.is_some()),
        ("--since", args.since.is_some()),
        ("--until", args.until.is_some()),
    ];
    all.into_iter().filter_map(|(option, is_given)| is_given.then_some(option)).collect()
}

#[cfg(test)]
mod tests {
    use super::notes;
    use crate::tally::Tally;

    #[test]
    fn what_is_told() {
        let met = |not_chosen, undated, texts, is_met| {
            let files = [(("text", None), texts), (("mbox", None), 7)].into();
            Tally { not_chosen, undated, files, has_text: true, is_met, ..Tally::default() }
        };
        let table: &[(Tally, &[&str], &[&str])] = &[
            (met(0, 0, 0, false), &["--newsgroup"], &[]),
            (met(9, 0, 9, false), &[], &[]),
            (met(9, 0, 9, true), &["--newsgroup"], &[]),
            (
                met(1, 0, 9, false),
                &["--newsgroup"],
                &[
                    "1 message was looked at, and it is not asked for by --newsgroup; a pattern is of the whole name, as in \
                   comp.*",
                ],
            ),
            (met(9, 0, 0, false), &["--since"], &["9 messages were skipped by --since"]),
            (Tally { hits: 1, ..met(9, 0, 0, false) }, &["--since"], &[]),
            (
                met(9, 0, 2, false),
                &["--list", "--since"],
                &[
                    "2 files of plain text were skipped, because text has no date",
                    "9 messages were looked at, and none is asked for by --list and --since",
                ],
            ),
            (
                met(0, 0, 1, false),
                &["--newsgroup"],
                &["1 file of plain text was skipped, because text has no newsgroup"],
            ),
            (met(0, 0, 2, false), &["--list"], &["2 files of plain text were skipped, because text has no List-Id"]),
            (
                met(0, 0, 1, false),
                &["--newsgroup", "--list"],
                &["1 file of plain text was skipped, because text has no newsgroup and no List-Id"],
            ),
            (
                met(0, 2, 1, true),
                &["--list", "--until"],
                &[
                    "2 messages were skipped for lack of a valid date",
                    "1 file of plain text was skipped, because text has no date",
                ],
            ),
        ];
        for (tally, by, want) in table {
            assert_eq!(notes(tally, by, &[]), *want, "{by:?}");
        }
        let empty = Tally { has_text: false, ..met(0, 0, 1, false) };
        assert!(notes(&empty, &["--newsgroup"], &[]).is_empty() && notes(&empty, &["--since"], &[]).is_empty());
    }

    #[test]
    fn options_that_removed_everything() {
        let table: &[(&[u64], &[&str])] = &[
            (&[0, 0, 0, 0, 0], &[]),
            (&[0, 0, 1, 0, 0], &["1 URL was found, and --host removed it"]),
            (&[0, 0, 7, 0, 0], &["7 URLs were found, and --host removed them all"]),
            (
                &[1, 2, 0, 0, 4],
                &["7 URLs were found, and all were removed: --form removed 1, --scheme removed 2, --strict removed 4"],
            ),
        ];
        for (removed, want) in table {
            assert_eq!(notes(&Tally::default(), &[], removed), *want);
            for some in [Tally { hits: 1, ..Tally::default() }, Tally { refused: 1, ..Tally::default() }] {
                assert!(notes(&some, &[], removed).is_empty());
            }
        }
    }
}
