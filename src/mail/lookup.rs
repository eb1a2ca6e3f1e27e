//! The header fields that tell one message from another, found in one walk.

use std::ops::Range;

use super::header::{self, Fields};

/// The fields that provenance asks for.
#[derive(Clone, Copy)]
enum Wanted {
    MessageId,
    Date,
    Newsgroups,
    ListId,
}

impl Wanted {
    /// The one of this name.
    fn of(name: &[u8]) -> Option<Self> {
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        match name.len() {
            4 if is(b"Date") => Some(Wanted::Date),
            7 if is(b"List-Id") => Some(Wanted::ListId),
            10 if is(b"Message-ID") => Some(Wanted::MessageId),
            10 if is(b"Newsgroups") => Some(Wanted::Newsgroups),
            _ => None,
        }
    }
}

/// Where the values of the fields that provenance asks for stand in a message: of each name the first.
/// They are asked for with that message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup([Option<Range<usize>>; 4]);

impl Lookup {
    /// Looks through the header block that `message` begins with.
    ///
    /// The block is what [`super::regions`] takes for one: it may begin with blank lines or an mbox's own, and blanks may
    /// stand before a colon. Cost: one walk over the header block, or two if there is anything odd about it.
    pub(crate) fn of(message: &[u8]) -> Self {
        Lookup::ordinary(message).unwrap_or_else(|| {
            let mut lookup = Lookup::default();
            let mut fields = Fields::new(message, 0, true);
            while let Some(field) = fields.next(&mut |_| false) {
                if let Some(wanted) = field.name.and_then(|name| Wanted::of(&message[name])) {
                    lookup.0[wanted as usize].get_or_insert(field.value);
                }
            }
            lookup
        })
    }

    /// The same for a block of nothing but fields and their folds, with a blank line behind it.
    fn ordinary(message: &[u8]) -> Option<Self> {
        let mut lookup = Lookup::default();
        let mut open = None;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', message) {
            let line = &message[start..end];
            match line {
                [] | [b'\r'] => return (start > 0).then_some(lookup),
                [b' ' | b'\t', ..] if start == 0 || line.trim_ascii().is_empty() => return None,
                [b' ' | b'\t', ..] => {}
                _ => {
                    let (name, colon) = header::name(line)?;
                    open = Wanted::of(&line[..name]).filter(|wanted| lookup.0[*wanted as usize].is_none());
                    if let Some(wanted) = open {
                        lookup.0[wanted as usize] = Some(start + colon + 1..end);
                    }
                }
            }
            if let Some(value) = open.and_then(|wanted| lookup.0[wanted as usize].as_mut()) {
                value.end = end - usize::from(line.ends_with(b"\r"));
            }
            start = end + 1;
        }
        None
    }

    /// The Message-ID, without its brackets; none if there is nothing between them.
    pub(crate) fn message_id(&self, message: &[u8]) -> Option<Vec<u8>> {
        Some(between_brackets(self.value(message, Wanted::MessageId)?, memchr::memchr)).filter(|id| !id.is_empty())
    }

    /// What the List-Id field has between its brackets, or the whole if it has none (RFC 2919).
    pub(crate) fn list_id(&self, message: &[u8]) -> Option<Vec<u8>> {
        // A phrase may come before the brackets, with brackets of its own.
        Some(between_brackets(self.value(message, Wanted::ListId)?, memchr::memrchr))
    }

    /// The Date field.
    pub(crate) fn date(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.value(message, Wanted::Date)
    }

    /// The Newsgroups field.
    pub(crate) fn newsgroups(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.value(message, Wanted::Newsgroups)
    }

    /// A field's value, unfolded, without the white space around it. Encoded words are left as they are.
    fn value(&self, message: &[u8], wanted: Wanted) -> Option<Vec<u8>> {
        let place = self.0[wanted as usize].clone()?;
        let mut value = Vec::new();
        for line in message[place].split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii) {
            if !value.is_empty() && !line.is_empty() {
                value.push(b' ');
            }
            value.extend_from_slice(line);
        }
        Some(value)
    }
}

/// What stands behind the `<` that `find` finds, up to the next `>`; the whole field if there is none.
fn between_brackets(mut field: Vec<u8>, find: impl Fn(u8, &[u8]) -> Option<usize>) -> Vec<u8> {
    if let Some(open) = find(b'<', &field) {
        field.drain(..=open);
        if let Some(close) = memchr::memchr(b'>', &field) {
            field.truncate(close);
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use super::Lookup;

    #[test]
    fn fields() {
        let message = b"From: a\r\nMessage-ID:\r\n <1@a.example>\r\nnewsgroups: x.y,\n\tz\nList-ID: a <b> <c.d>\nNEWSGROUPS: no\n\nDate: no\n";
        let lookup = Lookup::of(message);
        assert_eq!(lookup.message_id(message).as_deref(), Some(&b"1@a.example"[..]));
        assert_eq!(lookup.newsgroups(message).as_deref(), Some(&b"x.y, z"[..]));
        assert_eq!(lookup.list_id(message).as_deref(), Some(&b"c.d"[..]));
        assert_eq!(lookup.date(message), None);
    }

    #[test]
    fn an_empty_message_id_is_none() {
        for (field, want) in
            [("<>", None), ("", None), (" ", None), ("<", None), ("< >", Some(" ")), ("<a>", Some("a"))]
        {
            let message = format!("Message-ID: {field}\nTo: y\n\nx\n");
            let id = Lookup::of(message.as_bytes()).message_id(message.as_bytes());
            assert_eq!(id.as_deref(), want.map(str::as_bytes), "{message:?}");
        }
    }

    #[test]
    fn blocks_that_begin_oddly() {
        let id = |message: &str| Lookup::of(message.as_bytes()).message_id(message.as_bytes());
        for before in ["", "\n\n", "\r\n", " \n", "From me Mon Jan  1 00:00:00 2001\n", ">From you\nno field\n"] {
            for line in ["Message-ID: <1@x>", "Message-ID : <1@x>", "message-id\t:<1@x>", "Message-ID: \n \t<1@x>\n "] {
                let message = format!("{before}To: y\n{line}\n\nx\n");
                assert_eq!(id(&message).as_deref(), Some(&b"1@x"[..]), "{message:?}");
            }
        }
        assert_eq!(id("To: y\n\nMessage-ID: <1@x>\n"), None);
        assert_eq!(id("\n\nx\nMessage-ID: <1@x>\n"), None);
    }
}
