//! Finds the header fields of a message that the output has, such as Message-ID and Date.

use std::borrow::Cow;
use std::ops::Range;

use super::words::{decode_value, unfolded};
use super::{content, date};
use crate::header::{Fields, each_field};
use crate::shared::cut;

/// The fields to find.
#[derive(Clone, Copy)]
enum Wanted {
    MessageId,
    Date,
    Newsgroups,
    ListId,
    Subject,
    From,
    /// The oldest Received field. In a copy, only if Date has no valid date, and then rather the date of the envelope.
    Received,
    /// Not a field: the name of the charset of the message, if the subject or the author is not UTF-8.
    Charset,
}

/// The name of each field in lower case, in the order of [`Wanted`].
const NAMES: [&[u8]; 7] = [b"message-id", b"date", b"newsgroups", b"list-id", b"subject", b"from", b"received"];

/// Maximum length in bytes of a value, with its encoded words. The rest of a longer value is ignored, because some
/// values are read again for each hit.
const VALUE_MAX: usize = 64 << 10;

/// For each [`Wanted`] field, the byte range of its value in a message. If a field occurs several times, the first
/// value is used, but the last Received. Callers must pass the same message to [`of`](Self::of) and to all other methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeaderIndex([Option<Range<usize>>; Self::LENGTH]);

impl HeaderIndex {
    /// Number of ranges.
    pub(crate) const LENGTH: usize = Wanted::Charset as usize + 1;

    /// Searches the header block at the beginning of `message`.
    ///
    /// Accepts the same header blocks as [`super::regions`]: the block can begin with blank lines or an mbox line, and
    /// blanks can follow the name of a field.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut index = HeaderIndex::default();
        each_field(message, |field| {
            let Some(name) = field.name.map(|name| &message[name]) else { return };
            if let Some(wanted) = NAMES.iter().position(|wanted| name.eq_ignore_ascii_case(wanted)) {
                let start = field.value.start;
                let value = start..start + cut(&message[field.value], VALUE_MAX).len();
                if wanted == Wanted::Received as usize {
                    index.0[wanted] = Some(value);
                } else {
                    index.0[wanted].get_or_insert(value);
                }
            }
        });
        let people = [Wanted::Subject, Wanted::From].map(|wanted| index.0[wanted as usize].clone().unwrap_or_default());
        if people.into_iter().any(|value| std::str::from_utf8(&message[value]).is_err()) {
            // The first charset in the message: that of its only part, or of its first part with a charset.
            index.0[Wanted::Charset as usize] = content::first_charset(message);
        }
        index
    }

    /// Copies the values, unchanged. If Date has no valid date, also copies the date of `envelope` or the Received field.
    /// Returns the copy and its index.
    pub(crate) fn extract(&self, message: &[u8], envelope: &[u8]) -> (Vec<u8>, HeaderIndex) {
        let mut copy = Vec::with_capacity(self.0.iter().flatten().map(Range::len).sum());
        let mut copied = |bytes: &[u8]| {
            let start = copy.len();
            copy.extend_from_slice(bytes);
            Some(start..copy.len())
        };
        let mut values = self.0.clone();
        let is_dated = self.date(message).is_some();
        values[Wanted::Received as usize].take_if(|_| is_dated);
        let mut index = HeaderIndex(values.map(|value| copied(&message[value?])));
        if !is_dated && let Some(date) = envelope_date(envelope) {
            index.0[Wanted::Received as usize] = copied(date);
        }
        (copy, index)
    }

    /// Returns the date of the message in seconds since 1970-01-01 UTC, and whether it is the date of the envelope line
    /// `envelope` or of a Received field, because the message has no valid Date.
    pub(crate) fn seconds(&self, message: &[u8], envelope: &[u8]) -> Option<(i64, bool)> {
        let received = || {
            // The date follows the last semicolon (RFC 5322, section 3.6.7).
            let value = self.value(message, Wanted::Received)?;
            date::seconds(value.rsplit(|&byte| byte == b';').next()?)
        };
        let other = || envelope_date(envelope).and_then(date::seconds).or_else(received);
        self.date(message).map(|date| (date, false)).or_else(|| Some((other()?, true)))
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

    fn date(&self, message: &[u8]) -> Option<i64> {
        date::seconds(&self.value(message, Wanted::Date)?)
    }

    pub(crate) fn newsgroups<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, [u8]>> {
        self.value(message, Wanted::Newsgroups)
    }

    pub(crate) fn subject<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, str>> {
        self.decoded(message, Wanted::Subject)
    }

    pub(crate) fn from<'m>(&self, message: &'m [u8]) -> Option<Cow<'m, str>> {
        self.decoded(message, Wanted::From)
    }

    fn decoded<'m>(&self, message: &'m [u8], wanted: Wanted) -> Option<Cow<'m, str>> {
        Some(decode_value(self.value(message, wanted)?, self.charset(message)))
    }

    /// Returns the name of the charset of the message. Returns `None` if it is unknown or not needed to read the subject
    /// and the author.
    pub(crate) fn charset<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        Some(&message[self.0[Wanted::Charset as usize].clone()?])
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

/// Returns the name and value of each field in the header block at the beginning of `message`. Names are unchanged.
/// Values are unfolded, and their encoded words are decoded. Lines that are not a field are skipped. Bytes that are not
/// valid UTF-8 are decoded in the charset of the message.
pub(crate) fn decoded_fields(message: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, String)> {
    let mut fields = Fields::new(message, 0, true);
    let index = HeaderIndex::of(message);
    std::iter::from_fn(move || {
        loop {
            let field = fields.next(&mut |_| false)?;
            let Some(name) = field.name else { continue };
            let value = unfolded(message[field.value].trim_ascii());
            let value = decode_value(value, index.charset(message)).into_owned();
            return Some((String::from_utf8_lossy(&message[name]), value));
        }
    })
}

/// Returns the date in the envelope line of an mbox. The date follows the sender, which can have blanks.
fn envelope_date(envelope: &[u8]) -> Option<&[u8]> {
    let line = envelope.strip_prefix(b"From ")?;
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let blanks = memchr::memchr_iter(b' ', line).take(SENDER_WORDS);
    blanks.map(|blank| &line[blank..]).find(|rest| date::seconds(rest).is_some())
}

/// Maximum number of words of the sender in an envelope line.
const SENDER_WORDS: usize = 4;

/// Returns the text between a `<` and the next `>`. `find` selects the first or the last `<`. If the field has no `<`,
/// returns the whole field. If the text to return is empty, returns `None`.
fn between_brackets<'m>(field: Cow<'m, [u8]>, find: impl Fn(u8, &[u8]) -> Option<usize>) -> Option<Cow<'m, [u8]>> {
    // Some programs write two pairs of brackets.
    let brackets = |open: usize| field[open..].iter().take_while(|&&byte| byte == b'<').count();
    let start = find(b'<', &field).map_or(0, |open| open + brackets(open));
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
        assert_eq!(index.seconds(message, b""), None);
    }

    #[test]
    fn an_empty_message_id_is_none() {
        for (field, want) in [
            ("<>", None),
            ("", None),
            (" ", None),
            ("<", None),
            ("< >", Some(" ")),
            ("<a>", Some("a")),
            ("<<a>>", Some("a")),
        ] {
            let message = format!("Message-ID: {field}\nTo: y\n\nx\n");
            let id = HeaderIndex::of(message.as_bytes()).message_id(message.as_bytes());
            assert_eq!(id.as_deref(), want.map(str::as_bytes), "{message:?}");
        }
    }

    #[test]
    fn a_date_can_come_from_received_or_the_envelope() {
        let envelope = b"From a b@c.example Mon Jun  3 10:00:00 2002\n";
        type Case<'a> = (&'a str, &'a [u8], Option<(i64, bool)>);
        let table: &[Case<'_>] = &[
            ("Date: 1 Jan 2001 00:00:00 +0000\n", envelope, Some((978_307_200, false))),
            ("Date: soon\nReceived: by x; 1 Jan 2001 00:00:02 +0000\n", envelope, Some((1_023_098_400, true))),
            (
                "Received: by y; 1 Jan 2001 00:00:03 +0000\nReceived: from x;\n by y; 1 Jan 2001 00:00:02 +0000\n",
                b"From -\n",
                Some((978_307_202, true)),
            ),
            ("To: y\n", b"", None),
        ];
        for (head, envelope, want) in table {
            let message = format!("{head}\nx\n");
            let index = HeaderIndex::of(message.as_bytes());
            assert_eq!(index.seconds(message.as_bytes(), envelope), *want, "{head:?}");
            let (copy, index) = index.extract(message.as_bytes(), envelope);
            assert_eq!(index.seconds(&copy, b""), *want, "a copy of {head:?}");
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
