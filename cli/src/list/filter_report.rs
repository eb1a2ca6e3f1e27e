//! Messages that were asked for by newsgroup, list or time, and what is none of them: a name may be misspelt, or only the
//! beginning of what was meant; and text that is no message is of none.

use crate::args::Args;
use crate::tally::Tally;

/// What is told, a line each; `by` are the options that selected, as [`options`] gives them.
pub(crate) fn notes(tally: &Tally, by: &[&str]) -> Vec<String> {
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
    notes
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
            (met(9, 0, 0, false), &["--since"], &[]),
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
            assert_eq!(notes(tally, by), *want, "{by:?}");
        }
        let empty = Tally { has_text: false, ..met(0, 0, 1, false) };
        assert!(notes(&empty, &["--newsgroup"]).is_empty() && notes(&empty, &["--since"]).is_empty());
    }
}
