//! Parses the names and attributes of tags.

use std::ops::Range;

use memchr::memchr;

use super::Exhausted;
use crate::simd::html::{Mark, StructuralIndex};

/// The names in `$list`, which are separated by blanks.
macro_rules! named_list {
    ($list:literal) => {
        const { &$crate::mail::html::tag::names::<{ $crate::mail::html::tag::count($list) }>($list) }
    };
}
pub(super) use named_list;

/// White space in HTML.
const BLANK: u8 = 1;
/// Bytes that end the name of a tag.
const NAME: u8 = 2;
/// Bytes that end the name of an attribute.
const ATTRIBUTE: u8 = 4;
/// Bytes that end an attribute value without quotation marks.
const BARE: u8 = 8;

/// The classes that each byte belongs to.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let blanks = b" \t\n\r\x0C";
    let mut i = 0;
    while i < blanks.len() {
        classes[blanks[i] as usize] = BLANK | NAME | ATTRIBUTE | BARE;
        i += 1;
    }
    classes[b'/' as usize] = NAME | ATTRIBUTE;
    classes[b'>' as usize] = NAME | ATTRIBUTE | BARE;
    classes[b'=' as usize] = ATTRIBUTE;
    classes
};

fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

pub(super) fn is_blank(byte: u8) -> bool {
    is(byte, BLANK)
}

/// Returns the number of bytes from `at` to the next byte of `class`, or to the end of `html`.
fn until(html: &[u8], at: usize, class: u8) -> usize {
    let rest = html.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| is(byte, class)).unwrap_or(rest.len())
}

/// Returns the number of blanks at `at`.
fn blanks(html: &[u8], at: usize) -> usize {
    let rest = html.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| !is_blank(byte)).unwrap_or(rest.len())
}

/// A byte multiplied by this number is a `u64` that contains the byte eight times.
const EACH: u64 = u64::MAX / 255;

/// Returns the length of the name at the end of an eight-byte text. `bytes` is the text in big-endian order, so the
/// last byte of the text is the lowest byte. The name begins after the last blank, `/`, `=` or `>` in the text. Control
/// characters are treated as blanks.
#[inline]
fn stretch(bytes: u64) -> usize {
    // For each byte of `bytes` that is less than `limit`, sets the high bit of the same byte in the result. Bits above
    // the lowest set bit may be wrong, but only the lowest set bit is used.
    let less = |bytes: u64, limit: u8| bytes.wrapping_sub(EACH * u64::from(limit)) & !bytes & EACH << 7;
    let equal = |byte: u8| less(bytes ^ (EACH * u64::from(byte)), 1);
    let ends = less(bytes, b' ' + 1) | equal(b'/') | equal(b'=') | equal(b'>');
    ends.trailing_zeros() as usize / 8
}

/// The name of an element or attribute as a number. The number consists of the bytes of the name in lower case. The
/// number of a name of more than eight bytes is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name(u64);

/// Returns the number of names in `list`.
pub(super) const fn count(list: &str) -> usize {
    let (mut names, mut i) = (1, 0);
    while i < list.len() {
        names += (list.as_bytes()[i] == b' ') as usize;
        i += 1;
    }
    names
}

/// Returns the names in `list`, which are separated by single blanks.
pub(super) const fn names<const N: usize>(list: &str) -> [Name; N] {
    let (mut names, mut rest) = ([Name::A; N], list.as_bytes());
    let mut i = 0;
    while i < N {
        let mut length = 0;
        while length < rest.len() && rest[length] != b' ' {
            length += 1;
        }
        let (name, after) = rest.split_at(length);
        names[i] = Name::new(name);
        rest = if let [_, after @ ..] = after { after } else { after };
        i += 1;
    }
    names
}

/// The kind of markup or text that begins with a `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// An opening tag whose name is at this offset.
    Start(usize),
    /// A closing tag whose name is at this offset.
    End(usize),
    /// A comment or a doctype.
    Declaration,
    /// Other markup that ends at the next `>`, such as `<?xml version="1.0"?>`.
    Other,
    /// Plain text.
    Text,
}

impl Opening {
    /// Classifies the `<` at `open` (HTML standard, section 13.2.5.6).
    #[inline]
    pub(super) fn at(html: &[u8], open: usize) -> Self {
        match html.get(open + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => Opening::Start(open + 1),
            Some(b'/') if html.get(open + 2).is_some_and(u8::is_ascii_alphabetic) => Opening::End(open + 2),
            Some(b'!') => Opening::Declaration,
            Some(b'?' | b'/') if open + 2 < html.len() => Opening::Other,
            _ => Opening::Text,
        }
    }
}

/// How a tag separates the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Break {
    /// The tag does not separate text, and can be inside a word.
    None,
    Link,
    Line,
    Block,
}

impl Name {
    pub(super) const A: Name = Name::new(b"a");
    pub(super) const BASE: Name = Name::new(b"base");
    pub(super) const IMG: Name = Name::new(b"img");
    pub(super) const META: Name = Name::new(b"meta");
    pub(super) const SCRIPT: Name = Name::new(b"script");
    pub(super) const STYLE: Name = Name::new(b"style");
    pub(super) const HREF: Name = Name::new(b"href");
    pub(super) const SRC: Name = Name::new(b"src");
    const BR: Name = Name::new(b"br");

    /// The elements that do not break a line, sorted by number. Shorter names have smaller numbers.
    const WITHIN_A_LINE: &[Name] = named_list!(
        "b i q s u em tt bdi bdo big del dfn ins kbd o:p st1 sub sup var wbr abbr cite code font mark nobr samp span \
        time blink label small acronym"
    );

    /// Converts `name` to its number.
    pub(super) const fn new(name: &[u8]) -> Name {
        let mut key = 0;
        let mut i = 0;
        while i < name.len() {
            let byte = (name[i] | 0x20) as u64;
            key = if i < 8 { key << 8 | byte } else { (key.rotate_left(5) ^ byte).wrapping_mul(0x9E37_79B9_7F4A_7C15) };
            i += 1;
        }
        Name(key)
    }

    /// Returns the name at `start`, and the end of the name.
    #[inline]
    pub(super) fn at(html: &[u8], start: usize) -> (Name, usize) {
        let end = start + until(html, start, NAME);
        (Name::new(html.get(start..end).unwrap_or_default()), end)
    }

    pub(super) fn breaks(self) -> Break {
        match self {
            Name::A => Break::Link,
            Name::BR => Break::Line,
            name if Name::WITHIN_A_LINE.binary_search(&name).is_ok() => Break::None,
            _ => Break::Block,
        }
    }
}

/// An attribute: the ranges of its name and its value in the HTML. The range of the value is empty if there is no
/// value.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// The range of the name. The range can begin with other attributes that have no value, such as `nowrap` in `<a
    /// nowrap href=x>`: see [`name`](Self::name).
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

impl Attribute {
    /// Returns the attribute with the double-quoted value at the range `value`. The attribute belongs to the tag at
    /// `open`. Also returns the attribute's name as a number.
    ///
    /// Returns `None` if the attribute does not have the common form `name="value"`. In this form, the name has at most
    /// six bytes, and a single blank comes before the name. No equals sign comes before this blank, because the name
    /// would then be part of another value: `a= name="value"`.
    #[inline]
    pub(super) fn quoted(html: &[u8], open: usize, value: Range<usize>) -> Option<(Self, Name)> {
        let end = value.start - 2;
        let bytes = html.get(open..end)?.last_chunk()?;
        let word = u64::from_be_bytes(*bytes);
        let len = stretch(word);
        match bytes.len().checked_sub(len + 2).map(|at| &bytes[at..])? {
            [before, b' ', _, ..] if html[end] == b'=' && !is(*before, BLANK) && *before != b'=' => {
                let name = Name((word | (EACH * 0x20)) & !(!0 << (8 * len)));
                Some((Attribute { name: end - len..end, value }, name))
            }
            _ => None,
        }
    }

    /// Returns the name of the attribute as written.
    pub(super) fn name<'h>(&self, html: &'h [u8]) -> &'h [u8] {
        let names = &html[self.name.clone()];
        let last = names.iter().rposition(|&byte| is(byte, ATTRIBUTE));
        // A `=` before a name belongs to the name: `<a =x=1>` has an attribute named `=x` (HTML standard, section
        // 13.2.5.32).
        let before = last.map_or(0, |i| if names[i] == b'=' { i } else { i + 1 });
        &names[before..]
    }

    /// Whether the name may be `href` or `src`, by its last letter.
    #[inline]
    pub(super) fn may_be_link(&self, html: &[u8]) -> bool {
        matches!(html[self.name.end - 1], b'f' | b'c' | b'F' | b'C')
    }

    /// Returns the name of the attribute as a number.
    pub(super) fn key(&self, html: &[u8]) -> Name {
        Name::new(self.name(html))
    }
}

/// The attributes of one tag.
#[derive(Clone, Debug)]
pub(super) struct Attributes<'h> {
    html: &'h [u8],
    at: usize,
}

impl<'h> Attributes<'h> {
    /// Returns the attributes of a tag whose name ends at `at`.
    pub(super) fn new(html: &'h [u8], at: usize) -> Self {
        Self { html, at }
    }

    /// Returns the end of the tag, after all attributes have been read.
    pub(super) fn end(&self) -> usize {
        self.html.len().min(self.at + 1)
    }

    /// Skips the remaining attributes, and returns the end of the tag.
    pub(super) fn finish(mut self, marks: &mut StructuralIndex<'_>, mut exhausted: Exhausted) -> usize {
        while self.next_of_value(marks, &mut exhausted).is_some() {}
        self.end()
    }

    /// Returns the next attribute that has a value. Returns `None` at the `>` of the tag or at the end of the HTML.
    ///
    /// Nearly all attributes have the form `name="value"`, `name='value'` or `name=value`, without blanks around the
    /// equals sign. This function finds such attributes with `marks`, and parses all others with [`next`](Self::next).
    /// It is inlined, because otherwise the processor would wait for the returned ranges.
    #[inline(always)]
    pub(super) fn next_of_value(
        &mut self,
        marks: &mut StructuralIndex<'_>,
        exhausted: &mut Exhausted,
    ) -> Option<Attribute> {
        let html = self.html;
        loop {
            let stop = marks.next(Mark::Stop, self.at).unwrap_or(html.len());
            if html.get(stop) != Some(&b'=') {
                // There is no equals sign up to the next `>`, so no further attribute has a value. The tag ends at this
                // `>`. If a quotation mark is before the `>`, the mark belongs to the name of an attribute.
                self.at = stop;
                return None;
            }
            let name = self.at..stop;
            if stop > self.at && !is(html[stop - 1], ATTRIBUTE) {
                let start = stop + 1;
                match html.get(start) {
                    Some(&quote @ (b'"' | b'\'')) => {
                        if !*exhausted.of(quote)
                            && let Some(close) = marks.next(Mark::quote(quote), start + 1)
                        {
                            self.at = close + 1;
                            return Some(Attribute { name, value: start + 1..close });
                        }
                    }
                    Some(&byte) if !is(byte, BARE) => {
                        self.at = start + until(html, start, BARE);
                        return Some(Attribute { name, value: start..self.at });
                    }
                    _ => {}
                }
            }
            // Use `next` to parse all attributes up to the equals sign at `stop`. A search in `marks` after each of
            // these attributes would find the same `stop` again, and would take quadratic time.
            while self.at <= stop {
                let attribute = self.next(exhausted)?;
                if !attribute.value.is_empty() {
                    return Some(attribute);
                }
            }
        }
    }

    /// Returns the next attribute, parsed as in the HTML standard. Returns `None` at the `>` of the tag or at the end
    /// of the HTML.
    pub(super) fn next(&mut self, exhausted: &mut Exhausted) -> Option<Attribute> {
        let html = self.html;
        let mut at = self.at;
        while at < html.len() && (is_blank(html[at]) || html[at] == b'/') {
            at += 1;
        }
        self.at = at;
        if at >= html.len() || html[at] == b'>' {
            return None;
        }
        let start = at;
        // A `=` before a name belongs to the name: `<a =x=1>` has an attribute named `=x` (HTML standard, section
        // 13.2.5.32).
        at += 1;
        at += until(html, at, ATTRIBUTE);
        let name = start..at;
        let after = at + blanks(html, at);
        if html.get(after) != Some(&b'=') {
            self.at = at;
            return Some(Attribute { name, value: at..at });
        }
        at = after + 1 + blanks(html, after + 1);
        let quoted = match html.get(at) {
            Some(&quote @ (b'"' | b'\'')) if !*exhausted.of(quote) => {
                let close = memchr(quote, &html[at + 1..]);
                *exhausted.of(quote) = close.is_none();
                close
            }
            _ => None,
        };
        if let Some(len) = quoted {
            self.at = at + 1 + len + 1;
            return Some(Attribute { name, value: at + 1..at + 1 + len });
        }
        // An unclosed quotation mark is skipped, and the value ends at the next blank or `>`.
        let open = usize::from(matches!(html.get(at), Some(b'"' | b'\'')));
        let start = at + open;
        at = start + until(html, start, BARE);
        self.at = at;
        Some(Attribute { name, value: start.min(at)..at })
    }
}

/// Whether the name at `at` is `element`.
pub(super) fn is_named(html: &[u8], at: usize, element: &[u8]) -> bool {
    let name = html.get(at..at + element.len());
    let after = html.get(at + element.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(element)) && after.is_none_or(|&byte| is(byte, NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_by_number() {
        assert!(Name::WITHIN_A_LINE.is_sorted());
    }

    #[test]
    fn names_equal_those_read_bytewise() {
        for len in 0..10 {
            for place in 0..=len {
                for byte in 0..=255u8 {
                    let mut name = b"Xml:LANGuage"[..len].to_vec();
                    name.insert(place, byte);
                    let html = [b"<p ", name.as_slice(), b" and more of it"].concat();
                    let end = 3 + until(&html, 3, NAME);
                    assert_eq!(Name::at(&html, 3), (Name::new(&html[3..end]), end), "{}", html.escape_ascii());

                    let attribute = Attribute { name: 2..3 + name.len(), value: 0..0 };
                    let expected = Name::new(attribute.name(&html));
                    assert_eq!(attribute.key(&html), expected, "{}", html.escape_ascii());
                }
            }
        }
    }

    /// The fast reader of one attribute agrees with the reader of the whole tag.
    #[test]
    fn quoted_attributes_equal_those_read_bytewise() {
        const BEFORE: &[u8] = b"xy =/\n";
        for bits in 0..BEFORE.len().pow(4) {
            let before = [0, 1, 2, 3].map(|at| BEFORE[bits / BEFORE.len().pow(at) % BEFORE.len()]);
            for name in ["", "a", "ID", "src", "href", "Style", "border", "bgcolor"] {
                let html = [b"<p x", &before, name.as_bytes(), b"=\"v\">"].concat();
                let value = html.len() - 3..html.len() - 2;
                let (mut attributes, mut exhausted) = (Attributes::new(&html, 2), Exhausted::default());
                let mut all = std::iter::from_fn(|| attributes.next(&mut exhausted));
                let read = all.find(|attribute| attribute.value == value);
                let quoted = Attribute::quoted(&html, 0, value).map(|(attribute, key)| (attribute.name, key));
                if let Some((range, key)) = &quoted {
                    let read = read.map(|attribute| (attribute.name(&html).to_vec(), attribute.key(&html)));
                    assert_eq!(Some((html[range.clone()].to_vec(), *key)), read, "{}", html.escape_ascii());
                }
                // No common attribute is left to the slow reader.
                let is_common = matches!(before, [.., b'x' | b'y' | b'/', b' ']) && matches!(name.len(), 1..=6);
                assert!(!is_common || quoted.is_some(), "{}", html.escape_ascii());
            }
        }
    }
}
