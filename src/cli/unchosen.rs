//! Messages that were asked for by newsgroup, list or time, and what is none of them: a name may be misspelt, or only the
//! beginning of what was meant; and text that is no message is of none.

use urlspool::{File, Outcome, Unit};

use super::args::Args;

/// What was met, as far as messages were selected.
#[derive(Default)]
pub(crate) struct Unchosen {
    /// Messages that were not asked for.
    others: u64,
    /// Messages that may have been asked for: they have no date that can be read.
    undated: u64,
    /// Files of text that is no message, also empty ones.
    texts: u64,
    /// Whether anything that is no message was passed over.
    has_text: bool,
    /// Whether a message was of such a newsgroup and list.
    is_met: bool,
}

impl Unchosen {
    /// A message, or a part of one, was met.
    pub(crate) fn meet(&mut self, unit: &Unit) {
        let is_passed_over = match unit.outcome() {
            Outcome::NotChosen => {
                self.others += u64::from(unit.is_message());
                true
            }
            Outcome::Read => {
                self.is_met = true;
                false
            }
            Outcome::Undated => {
                self.undated += u64::from(unit.is_message());
                // Its newsgroup and list are as they should be.
                self.is_met = true;
                true
            }
            _ => false,
        };
        self.has_text |= is_passed_over && !unit.is_message() && unit.octets() > 0;
    }

    /// A file has ended.
    pub(crate) fn end(&mut self, file: &File) {
        self.texts += u64::from(file.format() == "text");
    }

    /// Takes what another one has met, and leaves it as new.
    pub(crate) fn take(&mut self, other: &mut Unchosen) {
        let other = std::mem::take(other);
        self.others += other.others;
        self.undated += other.undated;
        self.texts += other.texts;
        self.has_text |= other.has_text;
        self.is_met |= other.is_met;
    }

    /// What is told, a line each; `by` are the options that selected, as [`options`] gives them.
    pub(crate) fn notes(&self, by: &[&str]) -> Vec<String> {
        let is_by = |option| by.contains(&option);
        let (is_dated, is_named) = (is_by("--since") || is_by("--until"), is_by("--newsgroup") || is_by("--list"));
        let is_unmet = is_named && !self.is_met;
        let mut notes = Vec::new();
        if self.undated > 0 {
            let were = were(self.undated, "message", "messages");
            notes.push(format!("{were} left out for want of a date that can be read"));
        }
        // That there is text besides is no surprise to who asks for a newsgroup, and is found.
        let what = match by {
            _ if is_dated => Some("date"),
            _ if !is_unmet || self.others > 0 => None,
            ["--newsgroup"] => Some("newsgroup"),
            ["--list"] => Some("List-Id"),
            _ => Some("newsgroup and no List-Id"),
        };
        if let Some(what) = what.filter(|_| self.texts > 0 && self.has_text) {
            let were = were(self.texts, "file of plain text", "files of plain text");
            notes.push(format!("{were} left out, for text has no {what}"));
        }
        if is_unmet && self.others > 0 {
            let met = match self.others {
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
    use super::Unchosen;

    #[test]
    fn what_is_told() {
        let met = |others, undated, texts, is_met| Unchosen { others, undated, texts, has_text: true, is_met };
        let table: &[(Unchosen, &[&str], &[&str])] = &[
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
                    "2 files of plain text were left out, for text has no date",
                    "9 messages were looked at, and none is asked for by --list and --since",
                ],
            ),
            (met(0, 0, 1, false), &["--newsgroup"], &["1 file of plain text was left out, for text has no newsgroup"]),
            (met(0, 0, 2, false), &["--list"], &["2 files of plain text were left out, for text has no List-Id"]),
            (
                met(0, 0, 1, false),
                &["--newsgroup", "--list"],
                &["1 file of plain text was left out, for text has no newsgroup and no List-Id"],
            ),
            (
                met(0, 2, 1, true),
                &["--list", "--until"],
                &[
                    "2 messages were left out for want of a date that can be read",
                    "1 file of plain text was left out, for text has no date",
                ],
            ),
        ];
        for (unchosen, by, want) in table {
            assert_eq!(unchosen.notes(by), *want, "{by:?}");
        }
        let empty = Unchosen { texts: 1, ..Unchosen::default() };
        assert!(empty.notes(&["--newsgroup"]).is_empty() && empty.notes(&["--since"]).is_empty());
    }
}
