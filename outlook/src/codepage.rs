//! Decodes text by its code page. A code page is the number by which Windows identifies a charset.

use std::borrow::Cow;

use ::charset::Charset;

/// The code page of files that state no code page: windows-1252, which is Western European.
pub(super) const DEFAULT: u32 = 1252;

pub(super) const UTF_8: u32 = 65001;

/// MIME names of code pages that [`name`] cannot derive from the number.
const NAMES: &[(u32, &str)] = &[
    (437, "ibm437"),
    (708, "iso-8859-6"),
    (866, "ibm866"),
    (874, "windows-874"),
    (932, "shift_jis"),
    (936, "gbk"),
    (949, "euc-kr"),
    (950, "big5"),
    (1200, "utf-16le"),
    (1201, "utf-16be"),
    (10000, "macintosh"),
    (10007, "x-mac-cyrillic"),
    (20127, "us-ascii"),
    (20866, "koi8-r"),
    (20932, "euc-jp"),
    (20936, "gbk"),
    (21866, "koi8-u"),
    (50220, "iso-2022-jp"),
    (50221, "iso-2022-jp"),
    (50222, "iso-2022-jp"),
    (50225, "iso-2022-kr"),
    (51932, "euc-jp"),
    (51936, "gbk"),
    (51949, "euc-kr"),
    (52936, "hz-gb-2312"),
    (54936, "gb18030"),
    (65000, "utf-7"),
    (UTF_8, "utf-8"),
];

/// Returns the MIME name of the charset of a code page. Treats an unknown code page as windows-1252.
pub(super) fn name(page: u32) -> Cow<'static, str> {
    match page {
        1250..=1258 => format!("windows-{page}").into(),
        28591..=28606 => format!("iso-8859-{}", page - 28590).into(),
        _ => NAMES.iter().find(|(known, _)| *known == page).map_or("windows-1252", |(_, name)| name).into(),
    }
}

/// Decodes text. Invalid bytes become U+FFFD.
pub(super) fn decode(page: u32, text: &[u8]) -> String {
    match Charset::for_label(name(page).as_bytes()) {
        Some(charset) => charset.decode_without_bom_handling(text).0.into_owned(),
        None => String::from_utf8_lossy(text).into_owned(),
    }
}

/// Returns the code page for the `\fcharset` number of an RTF font. Returns `None` for an unknown number, and for a
/// font that uses the code page of the whole text.
pub(super) fn of_font(charset: i32) -> Option<u32> {
    const FONTS: [(i32, u32); 17] = [
        (0, 1252),
        (77, 10000),
        (128, 932),
        (129, 949),
        (134, 936),
        (136, 950),
        (161, 1253),
        (162, 1254),
        (163, 1258),
        (177, 1255),
        (178, 1256),
        (186, 1257),
        (204, 1251),
        (222, 874),
        (238, 1250),
        (254, 437),
        (255, 437),
    ];
    FONTS.iter().find(|(known, _)| *known == charset).map(|&(_, page)| page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        let table: &[(u32, &[u8], &str)] = &[
            (1252, b"caf\xE9", "café"),
            (1251, b"\xEF\xF0", "пр"),
            (28592, b"\xB1", "ą"),
            (932, b"\x83\x65", "テ"),
            (UTF_8, b"caf\xC3\xA9", "café"),
            (50220, b"\x1B$B%F\x1B(B", "テ"),
            (1200, b"a\0b\0", "ab"),
            (99999, b"caf\xE9", "café"),
        ];
        for (page, bytes, want) in table {
            assert_eq!(decode(*page, bytes), *want, "{page}");
        }
        assert_eq!((of_font(204), of_font(1)), (Some(1251), None));
    }
}
