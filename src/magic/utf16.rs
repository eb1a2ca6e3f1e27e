//! Recognizes text in UTF-16 and UTF-32 without a byte order mark.
//!
//! The beginning of the file is decoded in each encoding, and the resulting characters are checked. Binary data, such
//! as sound or programs, decodes to characters that do not occur in text, most often NUL. Single-byte text with NULs,
//! such as the output of `find -print0`, decodes mostly to Chinese characters.

use std::iter;

use memchr::memchr;

/// An encoding with a byte order. The fields are:
///
/// - a description of the text for error messages;
/// - the command that converts text in this encoding to UTF-8. The command states the byte order, because iconv(1)
///   cannot know the byte order without a byte order mark;
/// - the name of the charset;
/// - a function that recognizes text in this encoding.
type Wide = (&'static str, &'static str, &'static str, fn(&[u8]) -> bool);

static ALL: [Wide; 4] = [
    ("text in UTF-16", "iconv -f utf-16le -t utf-8", "utf-16le", |head| is_utf_16(head, u16::from_le_bytes)),
    ("text in UTF-16", "iconv -f utf-16be -t utf-8", "utf-16be", |head| is_utf_16(head, u16::from_be_bytes)),
    ("text in UTF-32", "iconv -f utf-32le -t utf-8", "utf-32le", |head| is_utf_32(head, u32::from_le_bytes)),
    ("text in UTF-32", "iconv -f utf-32be -t utf-8", "utf-32be", |head| is_utf_32(head, u32::from_be_bytes)),
];

/// Minimum number of ASCII characters in text. The URL `http://a` has this length. A smaller number would not be
/// enough, because a few numbers in binary data can look like ASCII characters.
const ASCII_MIN: usize = 8;

/// Returns the encoding if a file that begins with `head` looks like text in UTF-16 or UTF-32.
pub(super) fn find(head: &[u8]) -> Option<&'static Wide> {
    // In UTF-16 and UTF-32, every ASCII character contains a NUL byte. Text without ASCII characters is not recognized.
    memchr(0, head)?;
    ALL.iter().find(|(.., is_in)| is_in(head))
}

fn is_utf_16(head: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let units = head.as_chunks().0.iter().map(|&bytes| unit(bytes));
    // If `head` ends inside a character, that character is ignored.
    let mut characters = char::decode_utf16(units).map(Result::ok).peekable();
    let end = iter::from_fn(|| characters.next().filter(|c| c.is_some() || characters.peek().is_some()));
    is_text(end)
}

fn is_utf_32(head: &[u8], unit: fn([u8; 4]) -> u32) -> bool {
    is_text(head.as_chunks().0.iter().map(|&bytes| char::from_u32(unit(bytes))))
}

/// Whether these characters can be the beginning of a text. `None` is an invalid character.
///
/// Every character must pass [`is_of_text`]. In addition, one of these conditions must be true:
///
/// - At least three quarters of the characters are below U+2000, and at least eight characters are ASCII. Most
///   alphabets are below U+2000. Text in other alphabets than ASCII has ASCII characters, too: in Russian, one
///   character in seven is a space. Single-byte text does not meet this condition: every second byte would have to be a
///   NUL or another control character.
/// - The text has eight ASCII characters in a row, as in a URL, or a CR followed by an LF. In addition, at most three
///   quarters of the characters from U+2000 on look like two ASCII characters (see [`is_two_bytes`]). A larger share
///   means that the file is probably single-byte text. Chinese and Japanese text meets this condition.
fn is_text(characters: impl Iterator<Item = Option<char>>) -> bool {
    let (mut all, mut others, mut bytes, mut ascii, mut run) = (0, 0, 0, 0, 0);
    let mut is_sure = false;
    let mut before = ' ';
    for character in characters {
        let Some(character) = character.filter(|&c| is_of_text(c)) else { return false };
        all += 1;
        // Chinese, Japanese and most punctuation outside ASCII are above U+2000.
        others += usize::from(character >= '\u{2000}');
        bytes += usize::from(is_two_bytes(character));
        ascii += usize::from(character.is_ascii());
        run = if character.is_ascii() { run + 1 } else { 0 };
        is_sure |= run == ASCII_MIN || (before, character) == ('\r', '\n');
        before = character;
    }
    ascii >= ASCII_MIN && others <= all / 4 || is_sure && bytes <= others / 4 * 3
}

/// Whether the character can occur in text. Text has no control characters except tabs, line ends and form feeds. Text
/// has no noncharacters either: code points that Unicode never assigns to a character.
fn is_of_text(c: char) -> bool {
    let is_free = matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE;
    matches!(c, '\t' | '\n' | '\r' | '\x0C') || !c.is_control() && !is_free
}

/// Whether the two low bytes of the character could also be two printable ASCII characters. The digit zero (0x30) is
/// not accepted as the first byte, because 0x30 is the high byte of all kana in UTF-16.
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
    fn utf16_text_is_recognized() {
        let table = [
            "http://a",
            "See http://a.example/\r\n",
            "From: Müller",
            "\r\nFrom a@",
            "Здравствуйте! Список рассылки переехал: http://a.example/, смотрите сами.\n",
            "Привет, Анна и Борис, а где же вы были вчера вечером?",
            // A dash is above U+2000, but most characters are below.
            "Анна — и Борис, а где же вы были вчера вечером?",
            "Η λίστα μεταφέρθηκε εδώ και λίγες ημέρες στο Παρίσι.",
            "הרשימה עברה לפני כמה ימים למקום אחר, ראו למטה פרטים.",
            "“See http://a.example/” — it’s there…",
            "– http://a.example/",
            "メーリングリストは http://a.example/ に移りました。",
            "邮件列表已经搬家了。\r\n请看下面的地址。\r\n",
            // The two bytes of most of these characters are also two ASCII letters.
            "\r\n乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎乎一一一一一一一一一一一一",
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
                // The last character is truncated.
                let longer = [bytes.clone(), bytes[..bytes.len().min(7)].to_vec()].concat();
                assert_eq!(find(&longer).map(|wide| wide.1), found, "{text}");
            }
            assert!(find(text.as_bytes()).is_none(), "{text}");
        }
    }

    /// The checked bytes can end inside a character that consists of two UTF-16 units.
    #[test]
    fn the_last_character_can_be_half() {
        let half = |bytes| {
            let mut text = utf_16("http://a.example/ \u{1F600}", bytes);
            text.truncate(text.len() - 2);
            text
        };
        for text in [half(u16::to_le_bytes), half(u16::to_be_bytes)] {
            assert!(find(&text).is_some());
            // Other characters follow the incomplete character, so this is not UTF-16.
            assert!(find(&[text, vec![b'a'; 2]].concat()).is_none());
        }
    }

    #[test]
    fn binary_data_is_not_utf16() {
        let numbers: Vec<u8> = (0..256_u16).flat_map(u16::to_le_bytes).collect();
        let steps: Vec<u8> = (4..132_u32).flat_map(|n| (n * 8).to_le_bytes()).collect();
        // Mailboxes in which a crash left NULs: at the beginning, and in the middle.
        let crash = [&[0; 300][..], b"From ann@example.org Mon Jan  5 10:00:00 1998\nSubject: one\n\n"].concat();
        let holes = [b"F\0rom ann@example.org Mon Jan  5\n".as_slice(), &[0; 40], b"Subject: one\n\n"].concat();
        // Text that begins in UTF-16 and continues in ASCII. Both parts are within the bytes that are checked.
        let mixed = [b"S\0u\0b\0j\0e\0c\0t\0:\0 \0".as_slice(), b"and the rest is in bytes\n"].concat();
        // In half of these names, the NULs are where UTF-16 text would have them.
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
            // 0xFFFF is no character in UTF-16.
            ("numbers that look like letters, and the number -1", b"h\0t\0t\0p\0:\0/\0/\0a\0\xFF\xFF"),
            ("Japanese in UTF-16, and nothing of ASCII", b"\x530\x930\x6B0\x610\x6F0\x010\x530\x930\x6B0"),
            ("names with a NUL after each", b"a\0b\0c\0dd\0e\0f\0g\0h\0"),
            ("paths with a NUL after each", &names),
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
