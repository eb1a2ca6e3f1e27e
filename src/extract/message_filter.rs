//! Selects messages by their headers, before any body is decoded.

use crate::event::Outcome;
use crate::mail;
use crate::options::{Options, Patterns};

/// The conditions that a message must meet. A field that is `None` sets no condition.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageFilter {
    /// The earliest date, in seconds since 1970-01-01 UTC.
    pub(super) since: Option<i64>,
    /// The latest date, in seconds since 1970-01-01 UTC.
    pub(super) until: Option<i64>,
    /// At least one of the newsgroups must match.
    pub(super) newsgroups: Option<Patterns>,
    /// The List-Id must match.
    pub(super) list: Option<Patterns>,
    /// The From field must match.
    pub(super) from: Option<Patterns>,
    /// The Subject field must match.
    pub(super) subject: Option<Patterns>,
}

impl MessageFilter {
    /// A filter that matches every message and all text outside messages.
    pub(super) const EVERYTHING: MessageFilter =
        MessageFilter { since: None, until: None, newsgroups: None, list: None, from: None, subject: None };

    pub(super) fn of(options: &Options) -> MessageFilter {
        let Options { since, until, newsgroups, lists: list, from, subject, .. } = options.clone();
        MessageFilter { since, until, newsgroups, list, from, subject }
    }

    pub(super) fn is_all(&self) -> bool {
        let MessageFilter { since, until, newsgroups, list, from, subject } = self;
        since.is_none()
            && until.is_none()
            && [newsgroups, list, from, subject].iter().all(|patterns| patterns.is_none())
    }

    /// Decides whether to read the message that begins with `head`, after the line `envelope` of an mbox. For text outside
    /// messages, `head` is empty. Such text is skipped if the filter has any condition but negative patterns.
    ///
    /// Reads the header block once. The date is checked last, because a date takes longest to parse.
    pub(super) fn outcome(&self, head: &[u8], envelope: &[u8]) -> Outcome {
        let fields = mail::HeaderIndex::of(head);
        let groups = |patterns: &Patterns| {
            let groups = fields.newsgroups(head).unwrap_or_default();
            let groups = groups.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
            patterns.selects(groups.filter(|group| !group.is_empty()))
        };
        let list = |patterns: &Patterns| patterns.selects(fields.list_id(head).iter().map(|id| &**id));
        let from = |words: &Patterns| words.selects(fields.from(head).iter().map(|from| from.as_bytes()));
        let subject = |words: &Patterns| words.selects(fields.subject(head).iter().map(|subject| subject.as_bytes()));
        let is_chosen = self.newsgroups.as_ref().is_none_or(groups)
            && self.list.as_ref().is_none_or(list)
            && self.from.as_ref().is_none_or(from)
            && self.subject.as_ref().is_none_or(subject);
        if !is_chosen {
            return Outcome::NotChosen;
        }
        if self.since.is_none() && self.until.is_none() {
            return Outcome::Read;
        }
        match fields.seconds(head, envelope).map(|(date, _)| date) {
            None => Outcome::Undated,
            Some(date) if self.since.is_some_and(|since| date < since) => Outcome::NotChosen,
            Some(date) if self.until.is_some_and(|until| date > until) => Outcome::NotChosen,
            Some(_) => Outcome::Read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extractor;

    #[test]
    fn messages_are_filtered_by_their_fields() {
        let head = b"Date: 9 Nov 95 13:04:06 GMT\nNewsgroups: alt.test, comp.mail\nList-Id: Us <us.example.org>\n\
            From: =?iso-8859-1?q?J=F6rg?=,\n Doe <j@a.example>\nSubject: =?utf-8?b?w5xiZXI=?= Tapes\n\nx\n";
        let filter = |options: &[(&str, &str)]| {
            let mut set = Options::default();
            options.iter().for_each(|(name, value)| set.set(name, value).expect("an option"));
            MessageFilter::of(&set)
        };
        let table = [
            (filter(&[]), Outcome::Read),
            (filter(&[("since", "@815922246")]), Outcome::Read),
            (filter(&[("since", "@815922247")]), Outcome::NotChosen),
            (filter(&[("until", "@815922246")]), Outcome::Read),
            (filter(&[("until", "@815922245")]), Outcome::NotChosen),
            (filter(&[("newsgroup", "comp.*")]), Outcome::Read),
            (filter(&[("newsgroup", "sci.*")]), Outcome::NotChosen),
            (filter(&[("list", "us.*")]), Outcome::Read),
            (filter(&[("list", "us.*.com")]), Outcome::NotChosen),
            (filter(&[("newsgroup", "!sci.*")]), Outcome::Read),
            (filter(&[("newsgroup", "!comp.*")]), Outcome::NotChosen),
            (filter(&[("list", "!us")]), Outcome::NotChosen),
            (filter(&[("from", "j\u{f6}rg")]), Outcome::Read),
            (filter(&[("from", "/^J\u{d6}RG, Doe/")]), Outcome::Read),
            (filter(&[("from", "ann")]), Outcome::NotChosen),
            (filter(&[("subject", "\u{fc}ber"), ("from", "!ann")]), Outcome::Read),
            (filter(&[("subject", "tapes,!\u{fc}ber")]), Outcome::NotChosen),
        ];
        for (choice, want) in table {
            assert_eq!(choice.outcome(head, b""), want, "{choice:?}");
        }
        let undated = b"Date: some day\nNewsgroups: alt.test\n\n";
        assert_eq!(filter(&[("since", "@0")]).outcome(undated, b""), Outcome::Undated);
        // A message without a date is not reported as undated if it fails another condition.
        let choice = filter(&[("since", "@0"), ("newsgroup", "sci.*")]);
        assert_eq!(choice.outcome(undated, b""), Outcome::NotChosen);
        assert_eq!(filter(&[("list", "*")]).outcome(b"", b""), Outcome::NotChosen);
        assert_eq!(filter(&[("list", "!us"), ("newsgroup", "!sci.*")]).outcome(b"", b""), Outcome::Read);
        assert_eq!(filter(&[("from", "/^/")]).outcome(b"", b""), Outcome::NotChosen);
        assert_eq!(filter(&[("from", "!ann")]).outcome(b"", b""), Outcome::Read);
    }

    #[test]
    fn only_the_chosen_messages_of_a_mailbox_are_searched() {
        let mbox = b"From a Thu Nov  9 13:04:06 1995\nNewsgroups: alt.test\n\nhttp://alt.example/\n\n\
            From a Thu Nov  9 13:04:06 1995\nNewsgroups: comp.mail\n\nhttp://comp.example/\n";
        let all = ["http://alt.example/", "http://comp.example/"];
        for (groups, want) in [("*", &all[..]), ("alt.*", &all[..1]), ("sci.*", &[])] {
            let hits = Extractor::new().set("newsgroup", groups).expect("a pattern").read(&mbox[..]);
            let urls: Vec<_> = hits.map(|hit| hit.expect("a hit").url().to_string()).collect();
            assert_eq!(urls, want, "{groups:?}");
        }
    }
}
