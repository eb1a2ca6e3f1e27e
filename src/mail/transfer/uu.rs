//! Decodes uuencode, in which files were sent before MIME.

use memchr::memchr;

/// Maximum number of bytes that are unpacked from a file in uuencode, or from all attachments of a message. The rest of
/// the file is read as text. A row without its blanks is much shorter than its content.
pub(crate) const UNPACKED_MAX: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// The bytes before a line that is quoted or indented.
pub(crate) const QUOTE: &[u8] = b" \t>|";

/// Returns a line without the marks of a quote.
pub(crate) fn unquoted(line: &[u8]) -> &[u8] {
    &line[line.iter().take_while(|byte| QUOTE.contains(byte)).count()..]
}

/// A file in uuencode or yEnc.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EncodedFile<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) content: Vec<u8>,
    /// Number of bytes up to the end of the line `end`, or of the last line of the file.
    pub(crate) length: usize,
    /// Whether rows are damaged, or the line `end` is missing.
    pub(crate) is_damaged: bool,
}

/// Decodes the file that begins in the first line of `text`, which can be a full row if the line `begin` is in another
/// message. All lines can have the marks of a quote. Returns `None` if no file begins there. A line that is not
/// uuencode, or is shorter than a row, ends the file if `has_url` returns true for it.
pub(crate) fn decode_uu<'t>(text: &'t [u8], has_url: &dyn Fn(&[u8]) -> bool) -> Option<EncodedFile<'t>> {
    let (quote, text) = text.split_at(text.len() - unquoted(text).len());
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
    let row_of = |line: &'t [u8]| line.strip_prefix(quote).unwrap_or(line).trim_ascii_end();
    let (mut content, mut length) = (Vec::new(), quote.len());
    let (mut is_over, mut is_damaged) = (false, is_full_row(lines.peek()?.trim_ascii_end()));
    let name = match is_damaged {
        true => ROWS,
        false => {
            let first = lines.next()?;
            length += first.len();
            begin(first)?
        }
    };
    while let Some(line) = lines.next() {
        let row = row_of(line);
        // The last row is empty: a grave accent, or a blank that a mail program removed.
        let is_last = matches!(row, b"" | b"`" | b"end");
        // After an empty row, only a full row continues the file. Other lines can be text in capital letters.
        let may_continue = content.len() <= UNPACKED_MAX && (!is_over || is_full_row(row));
        if !(is_last || may_continue && decode_row(row, &mut content, has_url)) {
            // A damaged row is between other rows.
            let is_between = lines.peek().is_some_and(|next| is_full_row(row_of(next)));
            if is_over || !may_continue || !is_between || has_url(row) {
                break;
            }
            is_damaged = true;
        }
        is_over = is_last && !content.is_empty();
        length += line.len();
        if row == b"end" {
            return (!content.is_empty()).then_some(EncodedFile { name, content, length, is_damaged });
        }
    }
    (!content.is_empty()).then_some(EncodedFile { name, content, length, is_damaged: true })
}

/// The name of a file whose first line is missing.
pub(crate) const ROWS: &[u8] = b"application/x-uuencode";

/// Returns the name of the file that begins with this line.
fn begin(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"begin ")?;
    let (mode, name) = rest.split_at(memchr(b' ', rest)?);
    let is_mode = matches!(mode.len(), 3..=4) && mode.iter().all(|byte| matches!(byte, b'0'..=b'7'));
    Some(name.trim_ascii()).filter(|name| is_mode && !name.is_empty())
}

/// Whether `row` is a row of the greatest usual length.
pub(crate) fn is_full_row(row: &[u8]) -> bool {
    row.len() > 60 && row[0] == b'M' && is_uu_row(row)
}

/// Whether `row` has the length that its first byte says, and no byte that uuencode does not have.
pub(crate) fn is_uu_row(row: &[u8]) -> bool {
    row.len() > 3 && row.iter().all(|byte| matches!(byte, b' '..=b'`')) && {
        let needed = usize::from(row[0] - b' ').div_ceil(3) * 4;
        (needed + 1..=needed + 3).contains(&row.len())
    }
}

/// Decodes a line. Its first byte is the number of bytes that the other bytes encode. Returns `false` if the line is not
/// uuencode.
fn decode_row(row: &[u8], content: &mut Vec<u8>, has_url: &dyn Fn(&[u8]) -> bool) -> bool {
    let value = |byte: u8| byte.wrapping_sub(b' ') & 0x3F;
    let Some((&count, row)) = row.split_first() else { return false };
    let count = usize::from(value(count));
    let needed = count.div_ceil(3) * 4;
    // Mail programs remove blanks, which are zeros, from the end of a line. Some programs add a checksum.
    // So a short row can be text in capital letters. Text with a URL is not decoded.
    let is_row = count > 0
        && row.len() <= needed + 2
        && row.iter().all(|byte| matches!(byte, b' '..=b'`'))
        && (row.len() >= needed || !has_url(row));
    if is_row {
        let end = content.len() + count;
        for four in row[..row.len().min(needed)].chunks(4) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| four.get(at).map_or(0, |&byte| value(byte)));
            content.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        }
        content.resize(end, 0);
    }
    is_row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_uuencode() {
        let full = format!("M{}\n", "0V%T".repeat(15));
        let cats = b"Cat".repeat(15);
        let (lower, url) = (full.replace('V', "v"), "http://a.example/\n");
        let two = full.repeat(2);
        let damaged = format!("begin 644 a\n{full}{lower}{full}`\nend\n");
        let with_url = format!("begin 644 a\n{full}{url}{full}`\nend\n");
        let rest = format!("{url}{full}`\nend\n");
        let mail = format!("mailto:ann@a.example\n{full}`\nend\n");
        let with_mail = format!("begin 644 a\n{full}{mail}");
        type Case<'a> = (&'a str, Option<(&'a [u8], &'a str)>);
        let table: &[Case<'_>] = &[
            ("begin 644 a.txt\n#0V%T\n`\nend\nrest\n", Some((b"Cat", "rest\n"))),
            ("begin 644 a b.txt\r\n#0V%T\r\n`\r\nend\r\n", Some((b"Cat", ""))),
            ("begin 0644 a\n#0V%T\n#0V%T\n", Some((b"CatCat", ""))),
            ("begin 644 a\n#0V%T\nThe rest.\n", Some((b"Cat", "The rest.\n"))),
            ("begin 644 a\n%:&5L;&\\\n \nend\n", Some((b"hello", ""))),
            // The zeros at the end of a row are blanks, and were removed.
            ("begin 644 a\n%:&4\n \nend\nrest\n", Some((b"he\0\0\0", "rest\n"))),
            ("begin 644 a\n#\n#0V%T\nend\n", Some((b"\0\0\0Cat", ""))),
            ("begin 644 a\n#0V%T\n\nTHE REST\n", Some((b"Cat", "THE REST\n"))),
            ("begin 644 a\n#0V%T\nSEE HTTP://A.EXAMPLE/\n`\nend\n", Some((b"Cat", "SEE HTTP://A.EXAMPLE/\n`\nend\n"))),
            (&two, Some((&cats.repeat(2), ""))),
            ("> begin 644 a\n> #0V%T\n> `\n> end\n> rest\n", Some((b"Cat", "> rest\n"))),
            (&damaged, Some((&cats.repeat(2), ""))),
            (&with_url, Some((&cats, &rest))),
            (&with_mail, Some((&cats, &mail))),
            ("begin with a word\n#0V%T\n", None),
            ("begin 644\n#0V%T\n", None),
            ("begin 644 the day\nwith tea\n", None),
            ("begin 888 a\n#0V%T\n", None),
        ];
        for (text, want) in table {
            let found = decode_uu(text.as_bytes(), &|row| {
                memchr::memmem::find(row, b":/").is_some() || row.starts_with(b"mailto:")
            });
            let got = found.as_ref().map(|file| (&*file.content, &text[file.length..]));
            assert_eq!(got, *want, "{text}");
            let is_whole = (text.contains("\nend") || text.contains("> end"))
                && !text.contains("://")
                && !text.contains('v')
                && !text.contains("mailto");
            assert!(found.is_none_or(|file| file.is_damaged != is_whole), "{text}");
        }
    }
}
