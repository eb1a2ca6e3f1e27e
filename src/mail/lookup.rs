//! One field of a message's header, by its name.

use super::header::Fields;

/// The value of the first field called `name` in the header block that `message` begins with, unfolded, without the
/// white space around it. Encoded words are left as they are.
///
/// The block is what [`super::regions`] takes for one: it may begin with blank lines or an mbox's own, and blanks may
/// stand before a colon. Cost: the header block up to that field.
pub(crate) fn field(message: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut fields = Fields::new(message, 0, true);
    while let Some(field) = fields.next(&mut |_| false) {
        if !field.name.is_some_and(|written| message[written].eq_ignore_ascii_case(name)) {
            continue;
        }
        let lines = message[field.value].split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii);
        let mut value = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            if !value.is_empty() {
                value.push(b' ');
            }
            value.extend_from_slice(line);
        }
        return Some(value);
    }
    None
}

/// The date in `field`, which is a Date field's value (RFC 5322, section 3.3, and the obsolete forms), as RFC 3339
/// writes it, in UTC; `None` if there is none in it. mailparse reads what old mail has for dates, and says 0 to
/// what it cannot read: no mail is that old. An octet that is not ASCII is part of no date, but of a zone's name it may be.
pub(crate) fn date(field: &[u8]) -> Option<String> {
    let ascii: String = field.iter().map(|&octet| if octet.is_ascii() { char::from(octet) } else { '?' }).collect();
    let seconds = mailparse::dateparse(&ascii).ok()?;
    let stamp = jiff::Timestamp::from_second(seconds).ok()?;
    (seconds != 0).then(|| stamp.to_string())
}

#[cfg(test)]
mod tests {
    use super::{date, field};

    #[test]
    fn fields() {
        let message = b"From: a\r\nMessage-ID:\r\n <1@a.example>\r\nnewsgroups: x.y,\n\tz\n\nDate: no header\n";
        let table: &[(&[u8], Option<&[u8]>)] = &[
            (b"from", Some(b"a")),
            (b"Message-ID", Some(b"<1@a.example>")),
            (b"Newsgroups", Some(b"x.y, z")),
            (b"Date", None),
            (b"Fro", None),
        ];
        for (name, want) in table {
            assert_eq!(field(message, name).as_deref(), *want);
        }
    }

    #[test]
    fn blocks_that_begin_oddly() {
        for before in ["", "\n\n", "\r\n", " \n", "From me Mon Jan  1 00:00:00 2001\n", ">From you\nno field\n"] {
            for line in ["Message-ID: <1@x>", "Message-ID : <1@x>", "message-id\t:<1@x>", "Message-ID: \n \t<1@x>\n "] {
                let message = format!("{before}To: y\n{line}\n\nx\n");
                assert_eq!(field(message.as_bytes(), b"Message-ID").as_deref(), Some(&b"<1@x>"[..]), "{message:?}");
            }
        }
        assert_eq!(field(b"To: y\n\nMessage-ID: <1@x>\n", b"Message-ID"), None);
        assert_eq!(field(b"\n\nx\nMessage-ID: <1@x>\n", b"Message-ID"), None);
    }

    #[test]
    fn dates() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"Thu, 9 Nov 1995 13:04:06 +0100 (Mitteleurop\xE4ische Zeit)", Some("1995-11-09T12:04:06Z")),
            (b"Thu, 9 Nov 1995 13:04:06 -0800", Some("1995-11-09T21:04:06Z")),
            (b"9 Nov 95 13:04:06 GMT", Some("1995-11-09T13:04:06Z")),
            (b"some day", None),
        ];
        for (text, want) in table {
            assert_eq!(date(text).as_deref(), *want, "{}", text.escape_ascii());
        }
    }
}
