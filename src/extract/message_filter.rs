//! Selects messages by their headers, before any body is decoded.

use crate::mail;
use crate::sink::Outcome;
use crate::wildmat::Wildmat;

/// The conditions that a message must meet. A field that is `None` sets no condition.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageFilter {
    /// The earliest date, in seconds since 1970-01-01 UTC.
    pub(super) since: Option<i64>,
    /// The date must be earlier than this time, in seconds since 1970-01-01 UTC.
    pub(super) before: Option<i64>,
    /// At least one of the newsgroups must match.
    pub(super) newsgroups: Option<Wildmat>,
    /// The List-Id must match.
    pub(super) list: Option<Wildmat>,
}

impl MessageFilter {
    /// A filter that matches every message and all text outside messages.
    pub(super) const EVERYTHING: MessageFilter =
        MessageFilter { since: None, before: None, newsgroups: None, list: None };

    pub(super) fn is_all(&self) -> bool {
        self.since.is_none() && self.before.is_none() && self.newsgroups.is_none() && self.list.is_none()
    }

    /// Decides whether to read the message that begins with `head`. For text outside messages, `head` is empty. Such
    /// text is skipped if the filter has any condition.
    ///
    /// Reads the header block once. The date is checked last, because a date takes longest to parse.
    pub(super) fn outcome(&self, head: &[u8]) -> Outcome {
        let fields = mail::HeaderIndex::of(head);
        let groups = |patterns: &Wildmat| {
            let is_meant = |group: &[u8]| !group.is_empty() && patterns.matches(group);
            fields
                .newsgroups(head)
                .is_some_and(|groups| groups.split(|&byte| byte == b',').any(|group| is_meant(group.trim_ascii())))
        };
        let list = |patterns: &Wildmat| fields.list_id(head).is_some_and(|id| patterns.matches(&id));
        if !self.newsgroups.as_ref().is_none_or(groups) || !self.list.as_ref().is_none_or(list) {
            return Outcome::NotChosen;
        }
        if self.since.is_none() && self.before.is_none() {
            return Outcome::Read;
        }
        match fields.date(head).and_then(|date| mail::seconds(&date)) {
            None => Outcome::Undated,
            Some(date) if self.since.is_some_and(|since| date < since) => Outcome::NotChosen,
            Some(date) if self.before.is_some_and(|before| date >= before) => Outcome::NotChosen,
            Some(_) => Outcome::Read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extractor;

    #[test]
    fn messages_are_filtered_by_date_group_and_list() {
        let head = b"Date: 9 Nov 95 13:04:06 GMT\nNewsgroups: alt.test, comp.mail\nList-Id: Us <us.example.org>\n\nx\n";
        let wildmat = |text: &str| Some(Wildmat::new(text).expect("a pattern"));
        let at = 815_922_246;
        let table = [
            (MessageFilter::default(), Outcome::Read),
            (MessageFilter { since: Some(at), ..MessageFilter::default() }, Outcome::Read),
            (MessageFilter { since: Some(at + 1), ..MessageFilter::default() }, Outcome::NotChosen),
            (MessageFilter { before: Some(at + 1), ..MessageFilter::default() }, Outcome::Read),
            (MessageFilter { before: Some(at), ..MessageFilter::default() }, Outcome::NotChosen),
            (MessageFilter { newsgroups: wildmat("comp.*"), ..MessageFilter::default() }, Outcome::Read),
            (MessageFilter { newsgroups: wildmat("sci.*"), ..MessageFilter::default() }, Outcome::NotChosen),
            (MessageFilter { list: wildmat("us.*"), ..MessageFilter::default() }, Outcome::Read),
            (MessageFilter { list: wildmat("us"), ..MessageFilter::default() }, Outcome::NotChosen),
        ];
        for (choice, want) in table {
            assert_eq!(choice.outcome(head), want, "{choice:?}");
        }
        let undated = b"Date: some day\nNewsgroups: alt.test\n\n";
        assert_eq!(MessageFilter { since: Some(0), ..MessageFilter::default() }.outcome(undated), Outcome::Undated);
        // A message without a date is not reported as undated if it fails another condition.
        let choice = MessageFilter { since: Some(0), newsgroups: wildmat("sci.*"), ..MessageFilter::default() };
        assert_eq!(choice.outcome(undated), Outcome::NotChosen);
        assert_eq!(MessageFilter { list: wildmat("*"), ..MessageFilter::default() }.outcome(b""), Outcome::NotChosen);
    }

    #[test]
    fn only_the_chosen_messages_of_a_mailbox_are_searched() {
        let mbox = b"From a Thu Nov  9 13:04:06 1995\nNewsgroups: alt.test\n\nhttp://alt.example/\n\n\
            From a Thu Nov  9 13:04:06 1995\nNewsgroups: comp.mail\n\nhttp://comp.example/\n";
        let all = ["http://alt.example/", "http://comp.example/"];
        for (groups, want) in [(None, &all[..]), (Some("alt.*"), &all[..1]), (Some("*"), &all), (Some("sci.*"), &[])] {
            let groups = groups.map(|text| Wildmat::new(text).expect("a pattern"));
            let hits = Extractor::new().read(&mbox[..]).newsgroups(groups.clone());
            let urls: Vec<_> = hits.map(|hit| hit.expect("a hit").url().to_string()).collect();
            assert_eq!(urls, want, "{groups:?}");
        }
    }
}
