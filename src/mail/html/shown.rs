//! Extracts the visible text of a link.

use memchr::memchr;

use super::super::{HtmlPlace, Link, Tag};
use super::reference;
use super::tag::{self, Break, Name, Opening};
use crate::simd::html::{Mark, REACH, StructuralIndex};

/// The text of the current link.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The text of the link, if it is a single word. Otherwise empty.
    pub(crate) word: Vec<u8>,
    /// The end of the link's opening tag, from which [`text`] reads. `None` if there is no current link.
    pub(crate) from: Option<usize>,
}

impl Shown {
    pub(super) fn link(&self, tag: Tag, no_scheme: bool, place: Option<HtmlPlace>) -> Link<'_> {
        Link { word: &self.word, from: self.from, tag: Some(tag), no_scheme, place }
    }

    pub(super) fn clear(&mut self) {
        self.word.clear();
        self.from = None;
    }
}

/// Maximum number of bytes of HTML that are read for the text of a link. Without a limit, the text could be very long,
/// because a link can enclose a whole table.
const LONGEST: usize = 4096;

/// Returns the text of the link whose opening tag ends at `from`. Character references are decoded, tags are removed,
/// and each run of white space becomes a single blank. Reads at most [`LONGEST`] bytes of HTML.
pub(crate) fn text(html: &[u8], from: usize) -> Vec<u8> {
    // The text of most links has only a few words.
    let mut shown = Vec::with_capacity(64);
    let mut rest = &html[from..html.len().min(from + LONGEST)];
    let is_special = |byte: &u8| matches!(byte, b'<' | b'&') || tag::is_blank(*byte);
    loop {
        let plain;
        (plain, rest) = rest.split_at(rest.iter().position(is_special).unwrap_or(rest.len()));
        shown.extend_from_slice(plain);
        let Some((&byte, tail)) = rest.split_first() else { break };
        let opening = if byte == b'<' { Opening::at(rest, 0) } else { Opening::Text };
        let mut blank = tag::is_blank(byte);
        rest = match (opening, byte) {
            (Opening::Text, b'&') => match reference::at_start(rest, false, &mut shown) {
                Some(length) => &rest[length..],
                None => {
                    shown.push(byte);
                    tail
                }
            },
            (Opening::Text, _) => {
                if !blank {
                    shown.push(byte);
                }
                tail
            }
            (opening, _) => {
                if let Opening::Start(name) | Opening::End(name) = opening {
                    let name = Name::at(rest, name).0;
                    if name == Name::A {
                        break;
                    }
                    blank = name.breaks() != Break::None;
                }
                let Some(close) = memchr(b'>', tail) else { break };
                &tail[close + 1..]
            }
        };
        if blank && !shown.is_empty() && !shown.ends_with(b" ") {
            shown.push(b' ');
        }
    }
    shown.truncate(shown.trim_ascii_end().len());
    shown
}

/// Writes the text of a link to `shown.word`, if the text is a single word. Otherwise leaves `shown.word` empty. The
/// opening tag of the link ends at `from`. Character references are decoded, and tags are removed. `shown.word` is also
/// empty if the link does not end within [`REACH`] bytes, because the text of a long link is rarely a URL.
///
/// Costs one pass over the text, up to the second word or the end of the link. The search can extend the index `marks`
/// beyond the link. This costs nothing extra, because the caller needs that part of the index next.
pub(super) fn word(html: &[u8], from: usize, marks: &mut StructuralIndex<'_>, shown: &mut Shown) {
    shown.clear();
    shown.from = Some(from);
    if read(&html[..html.len().min(from + REACH)], from, marks, &mut shown.word).is_none() {
        shown.word.clear();
    }
}

fn read(html: &[u8], mut at: usize, marks: &mut StructuralIndex<'_>, shown: &mut Vec<u8>) -> Option<()> {
    let mut after = false;
    loop {
        let stop = marks.next(Mark::Word, at).map_or(html.len(), |stop| stop.min(html.len()));
        if stop > at {
            if after {
                return None;
            }
            shown.extend_from_slice(&html[at..stop]);
            at = stop;
        }
        match *html.get(at)? {
            b'<' => {
                let closes = usize::from(html.get(at + 1) == Some(&b'/'));
                if Name::at(html, at + 1 + closes).0 == Name::A {
                    return Some(());
                }
                at = marks.next(Mark::Close, at).filter(|close| *close < html.len())? + 1;
            }
            byte if tag::is_blank(byte) => {
                after = !shown.is_empty();
                at += 1;
            }
            _ if after => return None,
            b'&' => at += reference::at_start(&html[at..], false, shown)?,
            control => {
                shown.push(control);
                at += 1;
            }
        }
    }
}
