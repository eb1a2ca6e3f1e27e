//! What a reader sees of a link.

use super::reference;
use super::tag::{self, Name};
use crate::simd::html::{Mark, REACH, StructuralIndex};

/// The text of the link whose tag ends at `from`, if it is one word, into `shown`; else that is left empty. Character
/// references are decoded, tags gone. Its end is looked for within [`REACH`] octets: links whose text could be a URL are short.
///
/// Cost: the text up to the second word or the link's end, and what the marks read ahead, which the
/// walk looks at next.
pub(super) fn word(html: &[u8], from: usize, marks: &mut StructuralIndex<'_>, shown: &mut Vec<u8>) {
    shown.clear();
    if read(&html[..html.len().min(from + REACH)], from, marks, shown).is_none() {
        shown.clear();
    }
}

fn read(html: &[u8], mut at: usize, marks: &mut StructuralIndex<'_>, shown: &mut Vec<u8>) -> Option<()> {
    let mut behind = false;
    loop {
        let stop = marks.next(Mark::Word, at).map_or(html.len(), |stop| stop.min(html.len()));
        if stop > at {
            if behind {
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
            b'&' if behind => return None,
            b'&' => at += reference::at_start(&html[at..], false, shown)?,
            octet if tag::is_blank(octet) => {
                behind = !shown.is_empty();
                at += 1;
            }
            _ if behind => return None,
            control => {
                shown.push(control);
                at += 1;
            }
        }
    }
}
