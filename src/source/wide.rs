//! Text of two or four bytes a character, without the mark at its beginning that would say so.
//!
//! The first characters are decoded, and judged: what numbers, sound and programs would be decoded to has characters soon
//! that no text has, as a rule NUL. Text in bytes with NULs in it, such as a list of names that each end in one, mostly
//! decodes to what looks like Chinese, for two of its bytes are a character then.

use std::iter;

use memchr::memchr;

/// An encoding in one order of bytes: what is in it, for people; a command that decodes it, because without a mark iconv(1)
/// has to be told the order; and whether text is in it.
type Wide = (&'static str, &'static str, fn(&[u8]) -> bool);

static ALL: [Wide; 4] = [
    ("text in UTF-16", "iconv -f utf-16le -t utf-8", |head| is_utf_16(head, u16::from_le_bytes)),
    ("text in UTF-16", "iconv -f utf-16be -t utf-8", |head| is_utf_16(head, u16::from_be_bytes)),
    ("text in UTF-32", "iconv -f utf-32le -t utf-8", |head| is_utf_32(head, u32::from_le_bytes)),
    ("text in UTF-32", "iconv -f utf-32be -t utf-8", |head| is_utf_32(head, u32::from_be_bytes)),
];

/// `http://a` has as many characters; what has fewer of ASCII may be some numbers.
const ASCII_MIN: usize = 8;

/// The encoding of a file that begins with `head`, if it begins as text in one of these does.
pub(super) fn find(head: &[u8]) -> Option<&'static Wide> {
    // Without one there is nothing of ASCII in it.
    memchr(0, head)?;
    ALL.iter().find(|(.., is_in)| is_in(head))
}

fn is_utf_16(head: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let units = head.as_chunks().0.iter().map(|&bytes| unit(bytes));
    // The second half of the last character may be what was not read any more.
    let mut characters = char::decode_utf16(units).map(Result::ok).peekable();
    let end = iter::from_fn(|| characters.next().filter(|c| c.is_some() || characters.peek().is_some()));
    is_text(end)
}

fn is_utf_32(head: &[u8], unit: fn([u8; 4]) -> u32) -> bool {
    is_text(head.as_chunks().0.iter().map(|&bytes| char::from_u32(unit(bytes))))
}

/// Whether these are the characters that a text begins with; `None` is none.
///
/// Each has to be one that text has. And three of four have to be of an alphabet, eight of them of ASCII (in Russian every
/// seventh is a blank): in bytes that is a NUL or another control character in one of every two, which text does not have.
/// Or else, for Chinese and Japanese, eight of ASCII stand in a row, as in a URL, or the two of a line end, and what is of
/// no alphabet is not mostly what two bytes of ASCII are taken for.
fn is_text(characters: impl Iterator<Item = Option<char>>) -> bool {
    let (mut all, mut others, mut bytes, mut ascii, mut run) = (0, 0, 0, 0, 0);
    let mut is_sure = false;
    let mut before = ' ';
    for character in characters {
        let Some(character) = character.filter(|&c| is_of_text(c)) else { return false };
        all += 1;
        // What is behind the alphabets is punctuation, then Chinese and the like.
        others += usize::from(character >= '\u{2000}');
        bytes += usize::from(is_two_bytes(character));
        ascii += usize::from(character.is_ascii());
        run = if character.is_ascii() { run + 1 } else { 0 };
        is_sure |= run == ASCII_MIN || (before, character) == ('\r', '\n');
        before = character;
    }
    ascii >= ASCII_MIN && others <= all / 4 || is_sure && bytes <= others / 4 * 3
}

/// No control character but those of a line, and nothing that Unicode keeps free of characters.
fn is_of_text(c: char) -> bool {
    let is_free = matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE;
    matches!(c, '\t' | '\n' | '\r' | '\x0C') || !c.is_control() && !is_free
}

/// Whether it is as likely to be two bytes of ASCII. In kana one of them would be a zero, again and again.
fn is_two_bytes(c: char) -> bool {
    let [_, _, high, low] = u32::from(c).to_be_bytes();
    matches!((high, low), (b' '..=b'/' | b'1'..=b'~', b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn text() {
        let table = [
            "http://a",
            "See http://a.example/\r\n",
            "From: Müller",
            "\r\nFrom a@",
            "Здравствуйте! Список рассылки переехал: http://a.example/, смотрите сами.\n",
            "Привет, Анна и Борис, а где же вы были вчера вечером?",
            "Η λίστα μεταφέρθηκε εδώ και λίγες ημέρες στο Παρίσι.",
            "הרשימה עברה לפני כמה ימים למקום אחר, ראו למטה פרטים.",
            "“See http://a.example/” — it’s there…",
            "– http://a.example/",
            "メーリングリストは http://a.example/ に移りました。",
            "邮件列表已经搬家了。\r\n请看下面的地址。\r\n",
            "메일링 리스트가 http://a.example/ 로 옮겼습니다.",
            "http://a.example/ \u{1F600}",
        ];
        for text in table {
            let wide = [
                (utf_16(text, u16::to_le_bytes), "utf-16le"),
                (utf_16(text, u16::to_be_bytes), "utf-16be"),
                (text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(), "utf-32le"),
                (text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(), "utf-32be"),
            ];
            for (bytes, name) in wide {
                let found = find(&bytes).map(|wide| wide.1);
                assert_eq!(found, Some(&*format!("iconv -f {name} -t utf-8")), "{text}");
                // Its last character is cut off.
                let longer = [bytes.clone(), bytes[..bytes.len().min(7)].to_vec()].concat();
                assert_eq!(find(&longer).map(|wide| wide.1), found, "{text}");
            }
            assert!(find(text.as_bytes()).is_none(), "{text}");
        }
    }

    /// What has NULs in it, as text of wide characters does, and is none.
    #[test]
    fn no_text() {
        let numbers: Vec<u8> = (0..256_u16).flat_map(u16::to_le_bytes).collect();
        let steps: Vec<u8> = (4..132_u32).flat_map(|n| (n * 8).to_le_bytes()).collect();
        // A mailbox that a crash left NULs in, at its beginning, in the midst of it, and everywhere.
        let crash = [&[0; 300][..], b"From ann@example.org Mon Jan  5 10:00:00 1998\nSubject: one\n\n"].concat();
        let holes = [b"F\0rom ann@example.org Mon Jan  5\n".as_slice(), &[0; 40], b"Subject: one\n\n"].concat();
        // Text that goes over into bytes within what is looked at.
        let mixed = [b"S\0u\0b\0j\0e\0c\0t\0:\0 \0".as_slice(), b"and the rest is in bytes\n"].concat();
        // In every other one of these the NUL is where an ASCII character has it.
        let names = b"./a\0./bc\0./def\0./de.example/g\0".repeat(16);
        let even = b"abc\0".repeat(128);
        let koi8: Vec<u8> = (0..512).map(|i| if i % 6 == 5 { 0 } else { 0xC0 + (i % 32) as u8 }).collect();
        let table: &[(&str, &[u8])] = &[
            ("nothing", b""),
            ("seven characters", b"f\0t\0p\0:\0/\0/\0a\0"),
            ("NULs", &[0; 512]),
            ("blanks in bytes", &[b' '; 512]),
            ("numbers", &numbers),
            ("places in a file", &steps),
            ("small numbers", b"\x01\0\x02\0\x03\0A\0B\0C\0D\0E\0F\0G\0H\0"),
            ("a sound, of 16 bits", b"A\0B\0?\0/\0(\0 \0\x10\0\xF0\xFF\xD0\xFF"),
            ("Japanese in UTF-16, and nothing of ASCII", b"\x530\x930\x6B0\x610\x6F0\x010\x530\x930\x6B0"),
            ("names with a NUL behind each", b"a\0b\0c\0dd\0e\0f\0g\0h\0"),
            ("paths with a NUL behind each", &names),
            ("names of three letters", &even),
            ("names in KOI8-R", &koi8),
            ("a crash", &crash),
            ("holes", &holes),
            ("mixed", &mixed),
            ("an icon", b"\0\0\x01\0\x01\0  \0\0\x01\0 \0\xA8\x10\0\0\x16\0\0\0"),
        ];
        for (what, head) in table {
            assert!(find(head).is_none(), "{what}");
        }
    }
}
