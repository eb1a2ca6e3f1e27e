//! Finds six header fields of a message, such as Message-ID and Date.

use std::borrow::Cow;
use std::ops::Range;

use crate::header::Fields;

/// The fields to find.
#[derive(Clone, Copy)]
enum Wanted {
    MessageId,
    Date,
    Newsgroups,
    ListId,
    Subject,
    From,
}

/// The name of each field in lower case, in the order of [`Wanted`].
const NAMES: [&[u8]; 6] = [b"message-id", b"date", b"newsgroups", b"list-id", b"subject", b"from"];

/// For each [`Wanted`] field, the byte range of its value in a message. If a field occurs several times, the first
/// value is used. Callers must pass the same message to [`of`](Self::of) and to all other methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeaderIndex([Option<Range<usize>>; 6]);

impl HeaderIndex {
    /// Searches the header block at the beginning of `message`.
    ///
    /// Accepts the same header blocks as [`super::regions`]: the block can begin with blank lines or an mbox line, and
    /// blanks can follow the name of a field.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut index = HeaderIndex::default();
        let mut fields = Fields::new(message, 0, true);
        while let Some(field) = fields.next(&mut |_| false) {
            let Some(name) = field.name.map(|name| &message[name]) else { continue };
            if let Some(wanted) = NAMES.iter().position(|wanted| name.eq_ignore_ascii_case(wanted)) {
                index.0[wanted].get_or_insert(field.value);
            }
        }
        index
    }

    /// Copies the values, unchanged, and returns the copy and its index.
    pub(crate) fn extract(&self, message: &[u8]) -> (Vec<u8>, HeaderIndex) {
        let mut copy = Vec::with_capacity(self.0.iter().flatten().map(Range::len).sum());
        let index = self.0.clone().map(|value| {
            let start = copy.len();
            copy.extend_from_slice(&message[value?]);
            Some(start..copy.len())
        });
        (copy, HeaderIndex(index))
    }

    /// Returns the offsets at which the values begin and end. [`from_offsets`](Self::from_offsets) returns the index
    /// again.
    #[cfg(feature = "serde")]
    pub(crate) fn offsets(&self) -> impl Iterator<Item = Option<(u64, u64)>> {
        self.0.iter().map(|value| value.as_ref().map(|value| (value.start as u64, value.end as u64)))
    }

    /// Makes an index of a message of `length` bytes. Returns `None` if an offset is not within the message.
    #[cfg(feature = "serde")]
    pub(crate) fn from_offsets(offsets: impl IntoIterator<Item = Option<(u64, u64)>>, length: usize) -> Option<Self> {
        let mut index = HeaderIndex::default();
        for (value, offsets) in index.0.iter_mut().zip(offsets) {
            let Some((start, end)) = offsets else { continue };
            let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
            *value = Some(range).filter(|range| range.start <= range.end && range.end <= length);
            value.as_ref()?;
        }
        Some(index)
    }

    /// Returns the Message-ID without its angle brackets. Returns `None` if the brackets are empty.
    pub(crate) fn message_id<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        between_brackets(self.value(message, Wanted::MessageId)?, memchr::memchr)
    }

    /// Returns the text between the angle brackets of the List-Id field (RFC 2919). Returns the whole value if it has
    /// no brackets.
    pub(crate) fn list_id<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        // Use the last pair of brackets. The description of the list is before this pair, and may contain brackets,
        // too.
        between_brackets(self.value(message, Wanted::ListId)?, memchr::memrchr)
    }

    pub(crate) fn date<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        self.value(message, Wanted::Date)
    }

    pub(crate) fn newsgroups<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        self.value(message, Wanted::Newsgroups)
    }

    pub(crate) fn subject<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        self.value(message, Wanted::Subject)
    }

    pub(crate) fn from<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        self.value(message, Wanted::From)
    }

    /// Returns the value of a field, unfolded and trimmed. Encoded words are not decoded. Returns `None` if the field
    /// is missing or empty.
    fn value<'m>(&self, message: &'m [u8], wanted: Wanted) -> Option<Cow<'m, [u8]>> {
        let value = message[self.0[wanted as usize].clone()?].trim_ascii();
        if memchr::memchr(b'\n', value).is_none() {
            return (!value.is_empty()).then(|| value.into());
        }
        let lines = value.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        Some(lines.collect::<Vec<_>>().join(&b' ').into())
    }
}

/// Returns the text between a `<` and the next `>`. `find` selects the first or the last `<`. If the field has no `<`,
/// returns the whole field. If the text to return is empty, returns `None`.
fn between_brackets<'m>(field: Cow<'m, [u8]>, find: impl Fn(u8, &[u8]) -> Option<usize>) -> Option<Cow<'m, [u8]>> {
    let start = find(b'<', &field).map_or(0, |open| open + 1);
    let close = if start > 0 { memchr::memchr(b'>', &field[start..]) } else { None };
    let inside = start..close.map_or(field.len(), |close| start + close);
    let inside = match field {
        Cow::Borrowed(field) => Cow::Borrowed(&field[inside]),
        Cow::Owned(field) => Cow::Owned(field[inside].to_vec()),
    };
    Some(inside).filter(|inside| !inside.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Cow, HeaderIndex};

    #[test]
    fn the_identifying_fields_are_found() {
        let message = b"From: a\r\nMessage-ID:\r\n <1@a.example>\r\nnewsgroups: x.y,\n\tz\nList-ID: a <b> <c.d>\nNEWSGROUPS: no\n\nDate: no\n";
        let index = HeaderIndex::of(message);
        assert_eq!(index.message_id(message).as_deref(), Some(&b"1@a.example"[..]));
        assert_eq!(index.newsgroups(message).as_deref(), Some(&b"x.y, z"[..]));
        assert_eq!(index.list_id(message).as_deref(), Some(&b"c.d"[..]));
        assert_eq!(index.date(message), None);
    }

    #[test]
    fn an_empty_message_id_is_none() {
        for (field, want) in
            [("<>", None), ("", None), (" ", None), ("<", None), ("< >", Some(" ")), ("<a>", Some("a"))]
        {
            let message = format!("Message-ID: {field}\nTo: y\n\nx\n");
            let id = HeaderIndex::of(message.as_bytes()).message_id(message.as_bytes());
            assert_eq!(id.as_deref(), want.map(str::as_bytes), "{message:?}");
        }
    }

    #[test]
    fn a_message_id_without_an_opening_bracket_is_kept_whole() {
        let message = b"Message-ID: 1@a.example> x\nTo: y\n\nx\n";
        assert_eq!(HeaderIndex::of(message).message_id(message).as_deref(), Some(&b"1@a.example> x"[..]));
    }

    #[test]
    fn malformed_beginnings_of_a_header_are_read() {
        let id =
            |message: &str| HeaderIndex::of(message.as_bytes()).message_id(message.as_bytes()).map(Cow::into_owned);
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
