//! Decodes yEnc, in which files are posted on Usenet: each byte is the sum of a byte of the file and 42 (yEnc 1.3).

use memchr::memmem;

use super::uu::{EncodedFile, UNPACKED_MAX};

/// Decodes the file that begins in the first line of `text`, or the part of a file. Returns `None` if no file begins
/// there, or if all is UTF-8: such text describes yEnc. A file without the line `=yend` ends at an empty line, at the
/// next file, or at its size.
pub(crate) fn decode_yenc(text: &[u8]) -> Option<EncodedFile<'_>> {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next()?;
    if !first.starts_with(b"=ybegin ") {
        return None;
    }
    let size = number(first, b" size=")?;
    let name = memmem::find(first, b" name=").map_or(&b"yEnc"[..], |at| first[at + 6..].trim_ascii());
    let mut file = EncodedFile { name, content: Vec::new(), length: first.len(), is_damaged: true };
    // The search ends at the next file, so that many first lines take linear time.
    let mut commands = memmem::find_iter(text, b"\n=y").skip_while(|at| text[*at..].starts_with(b"\n=ypart "));
    let has_end = commands.next().is_some_and(|at| text[at..].starts_with(b"\n=yend "));
    let mut is_text = true;
    for line in lines {
        let row = line.strip_suffix(b"\n").unwrap_or(line);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        let is_last = row.starts_with(b"=yend ");
        let is_over = !has_end && (row.is_empty() || file.content.len() >= size) || file.content.len() > UNPACKED_MAX;
        if row.starts_with(b"=ybegin ") || is_over && !is_last {
            break;
        }
        file.length += line.len();
        if is_last {
            file.is_damaged = number(row, b" size=") != Some(file.content.len());
            break;
        }
        is_text &= str::from_utf8(row).is_ok();
        let mut bytes = if row.starts_with(b"=ypart ") { [].iter() } else { row.iter() };
        while let Some(&byte) = bytes.next() {
            file.content.push(match byte {
                b'=' => bytes.next().map_or(0, |byte| byte.wrapping_sub(64 + 42)),
                byte => byte.wrapping_sub(42),
            });
        }
    }
    (!is_text).then_some(file)
}

/// Returns the number after `key` in the line.
fn number(line: &[u8], key: &[u8]) -> Option<usize> {
    let digits = &line[memmem::find(line, key)? + key.len()..];
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&digits[..length]).ok()?.parse().ok()
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
            (b"=ybegin line=128 size=9 name=a b.txt\n\x8b\n\nrest\n".to_vec(), Some((b"a", true))),
            (b"=ybegin line=128 size=1 name=a b.txt\n\x8b\nrest\n".to_vec(), Some((b"a", true))),
            (b"=ybegin of a post\n\x8b\n=yend \n".to_vec(), None),
        ];
        for (text, want) in table {
            let found = decode_yenc(&text);
            assert_eq!(found.as_ref().map(|file| (&*file.content, file.is_damaged)), want);
            assert!(found.is_none_or(|file| file.name == b"a b.txt" && text[file.length..].trim_ascii() == *b"rest"));
        }
    }
}
