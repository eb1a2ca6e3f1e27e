//! One field of a message's header, by its name.

/// The value of the first field called `name` in the header block that `message` begins with, unfolded, without the
/// white space around it. Encoded words are left as they are.
///
/// Cost: the header block up to that field.
pub fn field(message: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut rest = message;
    while !rest.is_empty() {
        let line = rest.split_inclusive(|b| *b == b'\n').next()?;
        rest = &rest[line.len()..];
        if line.trim_ascii().is_empty() {
            return None;
        }
        if line.len() <= name.len() || line[name.len()] != b':' || !line[..name.len()].eq_ignore_ascii_case(name) {
            continue;
        }
        let mut value = line[name.len() + 1..].trim_ascii().to_vec();
        while let [b' ' | b'\t', ..] = rest {
            let fold = rest.split_inclusive(|b| *b == b'\n').next()?;
            rest = &rest[fold.len()..];
            if !value.is_empty() {
                value.push(b' ');
            }
            value.extend_from_slice(fold.trim_ascii());
        }
        return Some(value);
    }
    None
}

/// The date in `field`, which is a Date field's value (RFC 5322, section 3.3, and the obsolete forms), as RFC 3339
/// writes it, in UTC; `None` if there is none in it. mailparse reads what old mail has for dates, and says 0 to
/// what it cannot read: no mail is that old.
pub fn date(field: &[u8]) -> Option<String> {
    let seconds = mailparse::dateparse(std::str::from_utf8(field).ok()?).ok()?;
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
    fn dates() {
        let table: &[(&str, Option<&str>)] = &[
            ("Thu, 9 Nov 1995 13:04:06 -0800", Some("1995-11-09T21:04:06Z")),
            ("9 Nov 95 13:04:06 GMT", Some("1995-11-09T13:04:06Z")),
            ("some day", None),
        ];
        for (text, want) in table {
            assert_eq!(date(text.as_bytes()).as_deref(), *want, "{text}");
        }
    }
}
