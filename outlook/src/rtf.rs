//! Converts RTF to HTML. If the RTF encapsulates HTML ([MS-OXRTFEX]), the result is that HTML. If not, the result is
//! the text of the RTF with its links.
//!
//! Links in RTF are fields: `{\field{\*\fldinst HYPERLINK "http://..."}{\fldrslt shown text}}`.

use std::collections::HashMap;

use memchr::memmem;

use super::codepage;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Html {
    pub(super) text: String,
    /// Whether Outlook made the RTF from plain text. If so, every link in the RTF is also in the plain text.
    pub(super) is_from_text: bool,
}

/// Maximum depth of nested groups (`{...}`). Text in deeper groups is treated as text of the group at this depth.
const DEPTH_MAX: usize = 1000;

/// Converts `rtf`. Never fails: input that is not RTF is converted as text.
pub(super) fn html(rtf: &[u8]) -> Html {
    // `\fromhtml` and `\fromtext` must be among the first ten tokens ([MS-OXRTFEX]), so the first 256 bytes are enough.
    let head = &rtf[..rtf.len().min(256)];
    let is_html = memmem::find(head, b"\\fromhtml").is_some();
    let is_from_text = memmem::find(head, b"\\fromtext").is_some();
    let mut writer = Writer { is_html, ..Writer::default() };
    let mut at = 0;
    while let Some(token) = next(rtf, &mut at) {
        writer.token(token);
    }
    writer.flush();
    writer.close_link();
    Html { text: writer.out, is_from_text }
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    /// A control word and its numeric parameter.
    Word(&'a [u8], Option<i32>),
    /// A control symbol: a backslash and this character.
    Symbol(u8),
    /// A byte, written as `\'` and two hexadecimal digits.
    Hex(u8),
    Text(&'a [u8]),
}

/// Returns the token at the index `at`, and moves `at` after the token. Skips binary data (`\bin`).
fn next<'a>(rtf: &'a [u8], at: &mut usize) -> Option<Token<'a>> {
    loop {
        let rest = rtf.get(*at..)?;
        let (token, length) = match *rest.first()? {
            b'{' => (Token::Open, 1),
            b'}' => (Token::Close, 1),
            b'\\' => match *rest.get(1)? {
                b'\'' => {
                    let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
                    match (digit(2), digit(3)) {
                        (Some(high), Some(low)) => (Token::Hex((high << 4 | low) as u8), 4),
                        _ => (Token::Symbol(b'\''), 2),
                    }
                }
                first if first.is_ascii_alphabetic() => {
                    let (word, number, length) = word(&rest[1..]);
                    *at += 1 + length;
                    if word == b"bin" {
                        *at = at.saturating_add(usize::try_from(number.unwrap_or(0)).unwrap_or(0));
                        continue;
                    }
                    return Some(Token::Word(word, number));
                }
                // A backslash before a line end means `\par`.
                b'\r' | b'\n' => (Token::Word(b"par", None), 2),
                symbol => (Token::Symbol(symbol), 2),
            },
            // A line end without a backslash does not belong to the text.
            b'\r' | b'\n' => {
                *at += 1;
                continue;
            }
            _ => {
                let end = rest.iter().position(|b| b"{}\\\r\n".contains(b)).unwrap_or(rest.len());
                (Token::Text(&rest[..end]), end)
            }
        };
        *at += length;
        return Some(token);
    }
}

/// Returns the control word at the beginning of `text`, and its numeric parameter. Also returns the length of both in
/// bytes, including the blank after them, if there is one.
fn word(text: &[u8]) -> (&[u8], Option<i32>, usize) {
    let letters = text.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(text.len());
    let mut end = letters + usize::from(text.get(letters) == Some(&b'-'));
    let digits = text[end..].iter().take_while(|b| b.is_ascii_digit()).count();
    end = if digits > 0 { end + digits } else { letters };
    let number = std::str::from_utf8(&text[letters..end]).ok().and_then(|number| number.parse().ok());
    (&text[..letters], number, end + usize::from(text.get(end) == Some(&b' ')))
}

/// How the text of a group is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// The text is not shown.
    Skipped,
    /// The text is the table of fonts.
    Fonts,
    /// The text is part of the encapsulated HTML.
    Tag,
    /// The text is the instruction of a field, such as `HYPERLINK "..."`.
    Instruction,
    /// The text is the visible result of a field.
    Result,
}

/// State of a group. At the end of a group, the state of the enclosing group is restored.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    place: Place,
    /// Whether `\htmlrtf` marks the text as present only for RTF readers. The encapsulated HTML does not include such
    /// text.
    is_rtf_only: bool,
    /// The parameter of `\uc` minus 1. `\uc` states the number of substitute characters after each `\u`. The default of
    /// `\uc` is 1, so the default of this field is 0.
    fallback: i32,
    font: i32,
    /// Whether the last token was `\*`. At the beginning of a group, `\*` means: ignore this group if the next control
    /// word is unknown.
    is_optional: bool,
}

#[derive(Debug, Default)]
struct Writer {
    out: String,
    /// Whether the RTF encapsulates HTML.
    is_html: bool,
    groups: Vec<Group>,
    group: Group,
    /// Number of open groups beyond [`DEPTH_MAX`].
    too_deep: usize,
    /// Bytes that are not decoded yet. Such bytes are decoded together, because a character can have several bytes.
    bytes: Vec<u8>,
    /// The code page of the text, if the RTF names one.
    page: Option<u32>,
    /// The code pages of the fonts, by font number.
    fonts: HashMap<i32, u32>,
    /// Number of substitute characters after `\u` that must still be skipped.
    skip: i32,
    /// The first unit of a surrogate pair whose second unit has not been read.
    high: Option<u16>,
    /// The instruction of the current field.
    instruction: String,
    /// Number of groups that were open when the current link began. `None` if no link is open.
    link: Option<usize>,
}

/// The text of a group with one of these control words is not shown, even if the group does not begin with `\*`.
const SKIPPED: &[&[u8]] =
    &[b"colortbl", b"stylesheet", b"info", b"pict", b"objdata", b"xe", b"tc", b"listtext", b"nonshppict"];

const CHARACTERS: &[(&[u8], &str)] = &[
    (b"tab", "\t"),
    (b"cell", "\t"),
    (b"lquote", "\u{2018}"),
    (b"rquote", "\u{2019}"),
    (b"ldblquote", "\u{201C}"),
    (b"rdblquote", "\u{201D}"),
    (b"bullet", "\u{2022}"),
    (b"endash", "\u{2013}"),
    (b"emdash", "\u{2014}"),
    (b"enspace", " "),
    (b"emspace", " "),
];

impl Writer {
    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::Symbol(b'*') => self.group.is_optional = true,
            Token::Symbol(symbol) => match symbol {
                b'~' => self.character("\u{A0}"),
                b'_' => self.character("-"),
                b'{' | b'}' | b'\\' => self.byte(symbol),
                _ => {}
            },
            Token::Hex(byte) => self.byte(byte),
            Token::Text(text) => text.iter().for_each(|&byte| self.byte(byte)),
            Token::Word(word, number) => self.word(word, number),
        }
    }

    fn open(&mut self) {
        self.flush();
        self.skip = 0;
        if self.groups.len() < DEPTH_MAX {
            self.groups.push(self.group);
        } else {
            self.too_deep += 1;
        }
        self.group.is_optional = false;
    }

    fn close(&mut self) {
        self.flush();
        self.skip = 0;
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        if self.link == Some(self.groups.len()) {
            self.close_link();
        }
        let inner = self.group.place;
        self.group = self.groups.pop().unwrap_or_default();
        // A field without a result has no text to show. Its URL is still written, as a link without text.
        let is_end = inner != Place::Instruction && inner != Place::Result && self.group.place != Place::Instruction;
        if is_end && !self.instruction.is_empty() {
            self.open_link();
            self.close_link();
        }
    }

    /// Opens a link if the instruction of the current field has a URL.
    fn open_link(&mut self) {
        let instruction = std::mem::take(&mut self.instruction);
        if let Some(url) = hyperlink(&instruction) {
            self.close_link();
            self.out.push_str("<a href=\"");
            self.escape(url);
            self.out.push_str("\">");
            self.link = Some(self.groups.len());
        }
    }

    fn close_link(&mut self) {
        if self.link.take().is_some() {
            self.out.push_str("</a>");
        }
    }

    fn escape(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                c => self.out.push(c),
            }
        }
    }

    fn word(&mut self, word: &[u8], number: Option<i32>) {
        let is_optional = std::mem::take(&mut self.group.is_optional);
        match word {
            b"fonttbl" => self.enter(Place::Fonts),
            b"fldinst" if !self.is_html => {
                self.enter(Place::Instruction);
                self.instruction.clear();
            }
            b"fldrslt" if !self.is_html => {
                self.enter(Place::Result);
                self.open_link();
            }
            b"htmltag" if is_optional => {
                let place = if self.is_html { Place::Tag } else { Place::Skipped };
                self.enter(place);
            }
            b"htmlrtf" => {
                self.flush();
                self.group.is_rtf_only = number != Some(0);
            }
            _ if is_optional || SKIPPED.contains(&word) => self.enter(Place::Skipped),
            b"ansicpg" => self.page = number.and_then(|page| u32::try_from(page).ok()).filter(|&page| page > 0),
            b"mac" => self.page = Some(10000),
            b"f" => {
                self.flush();
                self.group.font = number.unwrap_or(0);
            }
            b"fcharset" if self.group.place == Place::Fonts => {
                if let Some(page) = number.and_then(codepage::of_font) {
                    self.fonts.insert(self.group.font, page);
                }
            }
            b"uc" => self.group.fallback = number.unwrap_or(1).clamp(0, 16) - 1,
            b"u" => {
                self.flush_bytes();
                self.unit(number.unwrap_or(0) as u16);
                self.skip = self.group.fallback + 1;
            }
            b"par" | b"line" | b"row" | b"sect" | b"page" => {
                self.character(if self.is_html { "\r\n" } else { "\n" });
            }
            _ => {
                if let Some((_, text)) = CHARACTERS.iter().find(|(name, _)| *name == word) {
                    self.character(text);
                }
            }
        }
    }

    /// Sets how the text of the group is used, unless the enclosing group is skipped.
    fn enter(&mut self, place: Place) {
        self.flush();
        if self.group.place != Place::Skipped {
            self.group.place = place;
        }
    }

    fn byte(&mut self, byte: u8) {
        self.group.is_optional = false;
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        if self.high.is_some() {
            self.flush();
        }
        self.bytes.push(byte);
    }

    fn character(&mut self, text: &str) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        self.flush();
        self.text(text);
    }

    /// Writes a UTF-16 unit. Keeps the first unit of a surrogate pair until the second unit is read.
    fn unit(&mut self, unit: u16) {
        let units = self.high.take().into_iter().chain([unit]);
        if self.high.is_none() && (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.text(&text);
    }

    /// Decodes and writes the pending bytes. Writes U+FFFD for an incomplete surrogate pair.
    fn flush(&mut self) {
        self.flush_bytes();
        if self.high.take().is_some() {
            self.text("\u{FFFD}");
        }
    }

    fn flush_bytes(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        match std::str::from_utf8(&bytes) {
            Ok(text) if text.is_ascii() => self.text(text),
            _ => {
                let page = self.fonts.get(&self.group.font).copied().or(self.page).unwrap_or(codepage::DEFAULT);
                self.text(&codepage::decode(page, &bytes));
            }
        }
        self.bytes = bytes;
        self.bytes.clear();
    }

    fn text(&mut self, text: &str) {
        match self.group.place {
            Place::Skipped | Place::Fonts => {}
            Place::Instruction => self.instruction.push_str(text),
            Place::Tag => self.out.push_str(text),
            Place::Text | Place::Result if self.is_html => {
                if !self.group.is_rtf_only {
                    self.out.push_str(text);
                }
            }
            Place::Text | Place::Result if text == "\n" => self.out.push_str("<br>\r\n"),
            Place::Text | Place::Result => self.escape(text),
        }
    }
}

/// Iterates over the words of a field's instruction. A word can be in quotation marks.
struct Words<'t>(&'t str);

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.0.trim_start();
        let (word, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// Returns the URL in a field's instruction, `HYPERLINK "URL"`. Switches can be before or after the URL. Drops the
/// fragment, which follows the switch `\l`.
fn hyperlink(instruction: &str) -> Option<&str> {
    let rest = instruction.trim_start();
    let (name, rest) = rest.split_at_checked("HYPERLINK".len())?;
    if !name.eq_ignore_ascii_case("HYPERLINK") {
        return None;
    }
    let mut words = Words(rest);
    let mut url = words.next()?;
    while let Some(switch) = url.strip_prefix('\\') {
        // These switches have a value: `\l` a bookmark, `\t` a window, `\o` a tooltip.
        if matches!(switch, "l" | "t" | "o" | "L" | "T" | "O") {
            words.next()?;
        }
        url = words.next()?;
    }
    Some(url.trim()).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_links() {
        let table = [
            (r"{\rtf1\ansi one\par two}", "one<br>\r\ntwo"),
            (r"{\rtf1{\fonttbl{\f0\fcharset0 Arial;}}{\info{\author x}}{\*\generator y;}a<b & c}", "a&lt;b &amp; c"),
            (
                r#"{\rtf1{\field{\*\fldinst{HYPERLINK "http://www.example.org/?a=1&b=2" }}{\fldrslt{\ul here}}} now}"#,
                r#"<a href="http://www.example.org/?a=1&amp;b=2">here</a> now"#,
            ),
            (
                r"{\rtf1{\field\flddirty{\*\fldinst HYPERLINK http://www.example.org/ }{\fldrslt x{\b y}}}}",
                r#"<a href="http://www.example.org/">xy</a>"#,
            ),
            (r#"{\rtf1{\field{\*\fldinst HYPERLINK "a:b"}} x}"#, r#"<a href="a:b"></a> x"#),
            (
                r#"{\rtf1{\field{\*\fldinst HYPERLINK http://a.example/ \\t "_blank" }{\fldrslt x}}}"#,
                r#"<a href="http://a.example/">x</a>"#,
            ),
            (
                r#"{\rtf1{\field{\*\fldinst HYPERLINK \\l "part" "http://a.example/"}{\fldrslt x}}}"#,
                r#"<a href="http://a.example/">x</a>"#,
            ),
            (r#"{\rtf1{\field{\*\fldinst HYPERLINK \\l "part"}{\fldrslt x}}}"#, "x"),
            (r#"{\rtf1{\field{\*\fldinst PAGE}{\fldrslt 7}}}"#, "7"),
            (r"{\rtf1\ansicpg1251 \'ef\'f0}", "пр"),
            (r"{\rtf1\ansicpg932 \'83\'65\'83e}", "テテ"),
            (r"{\rtf1{\fonttbl{\f3\fcharset204 A;}}\f3\'ef{\f0\'e9}}", "пé"),
            (r"{\rtf1 \u8217 'x\uc0\u233 y\uc2\u-3913 ??z}", "\u{2019}xéy\u{F0B7}z"),
            (r"{\rtf1 \u-10179?\u-8704?!}", "\u{1F600}!"),
            (r"{\rtf1 a\bin3 }}}b\{\}\\}", r"ab{}\"),
            ("no rtf http://www.example.org/", "no rtf http://www.example.org/"),
        ];
        for (rtf, want) in table {
            assert_eq!(html(rtf.as_bytes()).text, *want, "{rtf}");
        }
    }

    #[test]
    fn encapsulated() {
        let rtf = r#"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}}
{\*\htmltag19 <html>}{\*\htmltag64}\htmlrtf {\htmlrtf0 {\*\htmltag148 <a href="http://www.example.org/?a=1&amp;b=2">}\htmlrtf {\field{\*\fldinst{HYPERLINK "http://wrong.example/"}}{\fldrslt\cf1\ul \htmlrtf0 here\htmlrtf }\htmlrtf0 \htmlrtf }\htmlrtf0 {\*\htmltag156 </a>}{\*\mhtmltag84 no}\par
{\*\htmltag84 &nbsp;}caf\'e9 \{x\}{\*\htmltag27 </html>}}"#;
        let want = "<html><a href=\"http://www.example.org/?a=1&amp;b=2\">here</a>\r\n&nbsp;café {x}</html>";
        assert_eq!(html(rtf.as_bytes()), Html { text: want.to_owned(), is_from_text: false });
        assert!(html(br"{\rtf1\ansi\fromtext \deff0 a}").is_from_text);
    }

    #[test]
    fn many_groups() {
        let deep = [&[b'{'; 100_000][..], b"http://www.example.org/", &[b'}'; 100_001]].concat();
        assert_eq!(html(&deep).text, "http://www.example.org/");
    }
}
