//! The header fields that tell one message from another, found in one walk.

use std::ops::Range;

use super::header::Fields;

/// Where the values of the fields that provenance asks for stand in a message: of each name the first.
/// They are asked for with that message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    message_id: Option<Range<usize>>,
    date: Option<Range<usize>>,
    newsgroups: Option<Range<usize>>,
    list_id: Option<Range<usize>>,
}

impl Lookup {
    /// Looks through the header block that `message` begins with.
    ///
    /// The block is what [`super::regions`] takes for one: it may begin with blank lines or an mbox's own, and blanks may
    /// stand before a colon. Cost: one walk over the header block.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut lookup = Lookup::default();
        let mut fields = Fields::new(message, 0, true);
        while let Some(field) = fields.next(&mut |_| false) {
            let name = field.name.map_or(&b""[..], |name| &message[name]);
            let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
            let place = match name.len() {
                4 if is(b"Date") => &mut lookup.date,
                7 if is(b"List-Id") => &mut lookup.list_id,
                10 if is(b"Message-ID") => &mut lookup.message_id,
                10 if is(b"Newsgroups") => &mut lookup.newsgroups,
                _ => continue,
            };
            place.get_or_insert(field.value);
        }
        lookup
    }

    /// The Message-ID, without its brackets.
    pub(crate) fn message_id(&self, message: &[u8]) -> Option<Vec<u8>> {
        Some(between_brackets(value(message, &self.message_id)?, memchr::memchr))
    }

    /// What the List-Id field has between its brackets, or the whole if it has none (RFC 2919).
    pub(crate) fn list_id(&self, message: &[u8]) -> Option<Vec<u8>> {
        // A phrase may come before the brackets, with brackets of its own.
        Some(between_brackets(value(message, &self.list_id)?, memchr::memrchr))
    }

    /// The Date field.
    pub(crate) fn date(&self, message: &[u8]) -> Option<Vec<u8>> {
        value(message, &self.date)
    }

    /// The Newsgroups field.
    pub(crate) fn newsgroups(&self, message: &[u8]) -> Option<Vec<u8>> {
        value(message, &self.newsgroups)
    }
}

/// The value at `place`, unfolded, without the white space around it. Encoded words are left as they are.
fn value(message: &[u8], place: &Option<Range<usize>>) -> Option<Vec<u8>> {
    let lines = message[place.clone()?].split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii);
    let mut value = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        if !value.is_empty() {
            value.push(b' ');
        }
        value.extend_from_slice(line);
    }
    Some(value)
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
