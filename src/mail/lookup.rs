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

/// The Message-ID of the message, without its brackets.
pub(crate) fn message_id(message: &[u8]) -> Option<Vec<u8>> {
    Some(between_brackets(field(message, b"Message-ID")?, memchr::memchr))
}

/// What the List-Id field has between its brackets, or the whole if it has none (RFC 2919).
pub(crate) fn list_id(message: &[u8]) -> Option<Vec<u8>> {
    // A phrase may come before the brackets, with brackets of its own.
    Some(between_brackets(field(message, b"List-Id")?, memchr::memrchr))
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
    use super::field;

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
}
