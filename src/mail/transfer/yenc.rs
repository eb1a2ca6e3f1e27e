//! Decodes yEnc, in which files are posted on Usenet: each byte is the sum of a byte of the file and 42 (yEnc 1.3).

use memchr::memmem;

use super::uu::{UNPACKED_MAX, Uuencoded};

/// Decodes the file that begins in the first line of `text`, or the part of a file. Returns `None` if no file begins
/// there, if the line `=yend` is missing, or if `has_url` returns true for a line: such text describes yEnc.
pub(crate) fn decode_yenc<'t>(text: &'t [u8], has_url: &dyn Fn(&[u8]) -> bool) -> Option<Uuencoded<'t>> {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next()?.trim_ascii_end();
    let name = &first[memmem::find(first, b" name=")? + 6..];
    if !first.starts_with(b"=ybegin ") || name.is_empty() || memmem::find(first, b" size=").is_none() {
        return None;
    }
    // The search ends at the next file, so that many first lines take linear time.
    let mut commands = memmem::find_iter(text, b"\n=y").skip_while(|at| text[*at..].starts_with(b"\n=ypart "));
    let rows = &text[..commands.next().filter(|at| text[*at..].starts_with(b"\n=yend "))? + 1];
    if has_url(rows) {
        return None;
    }
    let (mut content, mut is_damaged) = (Vec::new(), false);
    for row in rows.split(|&byte| byte == b'\n').skip(1).filter(|row| !row.starts_with(b"=ypart ")) {
        let mut bytes = row.strip_suffix(b"\r").unwrap_or(row).iter();
        while let Some(&byte) = bytes.next() {
            content.push(match byte {
                b'=' => bytes.next().map_or(0, |byte| byte.wrapping_sub(64 + 42)),
                byte => byte.wrapping_sub(42),
            });
        }
        is_damaged = content.len() > UNPACKED_MAX;
        if is_damaged {
            break;
        }
    }
    let last = text[rows.len()..].split_inclusive(|&byte| byte == b'\n').next()?;
    let size = memmem::find(last, b" size=").and_then(|at| {
        let digits = last[at + 6..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        str::from_utf8(&last[at + 6..][..digits]).ok()?.parse::<usize>().ok()
    });
    is_damaged |= size != Some(content.len());
    Some(Uuencoded { name, content, length: rows.len() + last.len(), is_damaged })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_yenc() {
        let encoded: Vec<u8> = b"See http://a.example/\0".iter().map(|byte| byte.wrapping_add(42)).collect();
        // `S` is `}`, and the NUL at the end is `*`. The critical byte `=` is escaped.
        let text = |size: &str, rows: &[u8]| {
            let first = format!("=ybegin line=128 size={size} name=a b.txt\r\n");
            [first.as_bytes(), rows, b"\r\n=yend size=", size.as_bytes(), b" crc32=0a\r\nrest\n"].concat()
        };
        let table = [
            (text("22", &encoded), Some((&b"See http://a.example/\0"[..], false))),
            (text("23", &encoded), Some((b"See http://a.example/\0", true))),
            (text("2", b"=}\x93"), Some((b"\x13i", false))),
            (text("1", b"=ypart begin=1 end=1\r\n\x8b"), Some((b"a", false))),
            (text("1", b"http://b.example/"), None),
            (b"=ybegin line=128 size=1 name=a\n\x8b\n".to_vec(), None),
            (b"=ybegin of a post\n\x8b\n=yend \n".to_vec(), None),
        ];
        for (text, want) in table {
            let found = decode_yenc(&text, &|rows| memmem::find(rows, b"://").is_some());
            assert_eq!(found.as_ref().map(|file| (&*file.content, file.is_damaged)), want);
            assert!(found.is_none_or(|file| file.name == b"a b.txt" && text[file.length..] == *b"rest\n"));
        }
    }
}
