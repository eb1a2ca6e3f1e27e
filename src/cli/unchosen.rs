//! Messages that were asked for by newsgroup or list, where there are others and none of these: a name may be misspelt,
//! or only the beginning of what was meant.

use urlspool::{Outcome, Unit};

use super::args::Args;

/// Which messages were met, as far as they were selected by newsgroup or list.
#[derive(Default)]
pub(crate) struct Unchosen {
    /// Messages that were not asked for.
    others: u64,
    /// Whether a message was of such a newsgroup and list.
    is_met: bool,
}

impl Unchosen {
    /// A message, or a part of one, was met.
    pub(crate) fn meet(&mut self, unit: &Unit) {
        match unit.outcome() {
            Outcome::NotChosen => self.others += u64::from(unit.is_message()),
            // Of an undated one, newsgroup and list were as they should be.
            Outcome::Read | Outcome::Undated => self.is_met = true,
            _ => {}
        }
    }

    /// Takes what another one has met, and leaves it as new.
    pub(crate) fn take(&mut self, other: &mut Unchosen) {
        let other = std::mem::take(other);
        self.others += other.others;
        self.is_met |= other.is_met;
    }

    /// What is told, if there is something to tell; `by` are the options that selected, as [`options`] gives them.
    pub(crate) fn note(&self, by: &[&str]) -> Option<String> {
        if by.is_empty() || self.is_met || self.others == 0 {
            return None;
        }
        let met = match self.others {
            1 => "1 message was looked at, and it is not".to_owned(),
            others => format!("{others} messages were looked at, and none is"),
        };
        let hint = match by {
            ["--newsgroup"] => "; a pattern is of the whole name, as in comp.*",
            ["--list"] => "; a pattern is of the whole List-Id, as in *.example.org, or of its first word",
            _ => "",
        };
        Some(format!("{met} asked for by {}{hint}", by.join(" and ")))
    }
}

/// The options given that say which messages are meant; none, if newsgroup and list are not among what they go by: that
/// there is no message of some time is no surprise.
pub(crate) fn options(args: &Args) -> Vec<&'static str> {
    if args.newsgroup.is_none() && args.list.is_none() {
        return Vec::new();
    }
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
        let table: &[(u64, bool, &[&str], Option<&str>)] = &[
            (0, false, &["--newsgroup"], None),
            (9, false, &[], None),
            (9, true, &["--newsgroup"], None),
            (
                1,
                false,
                &["--newsgroup"],
                Some(
                    "1 message was looked at, and it is not asked for by --newsgroup; a pattern is of the whole name, as in \
                     comp.*",
                ),
            ),
            (
                9,
                false,
                &["--list", "--since"],
                Some("9 messages were looked at, and none is asked for by --list and --since"),
            ),
        ];
        for &(others, is_met, by, want) in table {
            assert_eq!(Unchosen { others, is_met }.note(by).as_deref(), want);
        }
    }
}
