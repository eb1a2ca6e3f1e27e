//! The text of a link that a reader sees.

use memchr::memchr;

use super::reference;
use super::tag::{self, Break, Name, Opening};
use crate::simd::html::{Mark, REACH, StructuralIndex};

/// The text of the current link.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Its text, if that is one word. Otherwise empty.
    pub(crate) word: Vec<u8>,
    /// Where its tag ends, for [`text`]. `None` if there is no current link.
    pub(crate) from: Option<usize>,
}

impl Shown {
    pub(super) fn clear(&mut self) {
        self.word.clear();
        self.from = None;
    }
}

/// The longest text of a link, in bytes of HTML. A link around a whole table has no text of its own.
const LONGEST: usize = 4096;

/// Returns the text of the link whose tag ends at `from`. Character references are decoded, tags are removed, white
/// space is one blank. Costs its length, at most [`LONGEST`].
pub(crate) fn text(html: &[u8], from: usize) -> Vec<u8> {
    // Most links are a few words.
    let mut shown = Vec::with_capacity(64);
    let mut rest = &html[from..html.len().min(from + LONGEST)];
    while let Some((&byte, tail)) = rest.split_first() {
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

/// Writes the text of the link whose tag ends at `from` into `shown`, if it is one word. Otherwise leaves it empty.
/// Character references are decoded, tags are removed. Only [`REACH`] bytes are searched for its end, because links
/// whose text could be a URL are short.
///
/// Costs the text up to the second word or the link's end, and what the marks read ahead, which the walk needs next.
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
