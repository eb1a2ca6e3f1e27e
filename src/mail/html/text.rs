//! Collects the text between tags, and passes it to the caller in large blocks.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::super::map::{Map, Run};
use super::tag::{Break, Name};
use super::{HtmlItem, reference};

/// Collected HTML of at least this number of bytes is converted to text at the next line break (`br`), and the text is
/// passed to the caller.
const ENOUGH: usize = 16 * 1024;
/// Collected text of at least this number of bytes is passed to the caller at the next blank.
const PLENTY: usize = 64 * 1024;
/// Collected text of at least this number of bytes is passed to the caller immediately.
const MOST: usize = 256 * 1024;
/// Text that was collected from at least this number of ranges is passed to the caller immediately.
const PIECES: usize = 32 * 1024;
/// Maximum number of blanks, and of a CR, between a `br` and the line end after it.
const BLANKS: usize = 4;
/// Maximum length in bytes of a scheme name.
const SCHEME: usize = 64;

/// The text collected so far, with its map to the HTML.
///
/// Each paragraph is first held as a list of ranges. Only paragraphs with a colon are copied to `text`. Most paragraphs
/// have no colon and therefore no URL.
pub(super) struct Text<'h> {
    html: &'h [u8],
    /// The ranges of HTML since the last blank line.
    held: &'h mut Vec<(Range<usize>, Becomes)>,
    /// Total length of the held ranges in bytes.
    length: usize,
    /// Whether the held ranges may contain a part of a URL. They may if they have a colon or a character reference that
    /// may be a colon, or if they follow text that is already in `text`.
    promising: bool,
    text: &'h mut Vec<u8>,
    runs: &'h mut Vec<Run>,
}

/// Buffers for [`Text`].
#[derive(Debug, Default)]
pub(super) struct Buffers {
    held: Vec<(Range<usize>, Becomes)>,
    text: Vec<u8>,
    runs: Vec<Run>,
}

/// How a range of HTML is converted to text.
#[derive(Clone, Copy, Debug)]
enum Becomes {
    /// The text is the same as the HTML.
    Itself,
    /// Character references are decoded.
    Decoded,
    /// The range is a tag, and is replaced with this white space.
    White(&'static [u8]),
}

type Visit<'v> = dyn FnMut(HtmlItem<'_>) -> ControlFlow<()> + 'v;

impl<'h> Text<'h> {
    pub(super) fn new(html: &'h [u8], buffers: &'h mut Buffers) -> Self {
        let Buffers { held, text, runs } = buffers;
        held.clear();
        text.clear();
        runs.clear();
        Self { html, held, length: 0, promising: false, text, runs }
    }

    /// Whether the text since the last blank line has no colon.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.promising
    }

    /// Drops the held ranges. Called at a tag that becomes a blank line, if the paragraph before the tag has no colon.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.length = 0;
    }

    /// Adds a range of text. Character references are decoded later.
    #[inline]
    pub(super) fn add(&mut self, range: Range<usize>, seen: Seen, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.promising |= seen.colon;
        let becomes = if seen.reference { Becomes::Decoded } else { Becomes::Itself };
        // A range with character references is not split, because the split could be inside a reference.
        if range.len() > PLENTY && !seen.reference {
            return self.add_much(range, seen, visit);
        }
        self.hold(range, becomes);
        self.relieve(visit)
    }

    /// Adds a long text without character references as several ranges.
    #[cold]
    fn add_much(&mut self, range: Range<usize>, seen: Seen, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for at in range.clone().step_by(PLENTY) {
            // The colon of the text may be in any of the ranges. So set `promising` for each range, because `relieve`
            // may have cleared `promising` after the previous range.
            self.promising |= seen.colon;
            self.hold(at..range.end.min(at + PLENTY), Becomes::Itself);
            self.relieve(visit)?;
        }
        ControlFlow::Continue(())
    }

    fn hold(&mut self, range: Range<usize>, becomes: Becomes) {
        self.length += range.len();
        self.held.push((range, becomes));
    }

    /// Adds a tag. Depending on its name, the tag is removed, or becomes a blank, a line break or a blank line.
    #[inline]
    pub(super) fn tag(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.held.is_empty() && self.text.is_empty() {
            return ControlFlow::Continue(());
        }
        self.separate(name, range, visit)
    }

    /// Does the work of [`tag`](Self::tag). Called only if text was added before the tag.
    fn separate(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match name.breaks() {
            Break::None => ControlFlow::Continue(()),
            Break::Link => {
                // Add a blank after a link if a letter, a digit or another tag follows directly. Without this blank,
                // the text after the link would continue the last word of the link.
                let runs_on = matches!(self.html.get(range.end), Some(b'<' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'));
                if runs_on && self.html[range.start + 1] == b'/' {
                    self.hold(range, Becomes::White(b" "));
                }
                ControlFlow::Continue(())
            }
            Break::Line => {
                self.hold(range, Becomes::White(b"\n"));
                if self.length < ENOUGH {
                    return ControlFlow::Continue(());
                }
                self.flush(visit)
            }
            Break::Block if self.promising => {
                self.hold(range, Becomes::White(b"\n\n"));
                self.flush(visit)
            }
            Break::Block => {
                self.clear();
                ControlFlow::Continue(())
            }
        }
    }

    /// Copies the held ranges to `text` if they may contain a part of a URL. Otherwise, drops the ranges.
    fn settle(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let (html, mut held) = (self.html, std::mem::take(self.held));
        if self.promising {
            let mut is_after_break = true;
            for (range, becomes) in held.drain(..) {
                let is_break = matches!(becomes, Becomes::White(b"\n"));
                let is_line = is_break && !is_after_break && html[..range.start].ends_with(b"\n");
                is_after_break = is_break || is_after_break && html[range.clone()].trim_ascii().is_empty();
                match becomes {
                    Becomes::Itself => self.put(range.clone(), &html[range]),
                    Becomes::Decoded => self.decode(range, visit)?,
                    // A line break after or before a `br` is white space, and not a second line break.
                    Becomes::White(b"\n") if is_line || is_line_end(&html[range.end..]) => {}
                    Becomes::White(white) => self.put(range, white),
                }
            }
        }
        held.clear();
        // If `text` is not empty, it may end with a part of a URL that the next ranges continue. So the next ranges
        // must be copied even if they have no colon.
        (*self.held, self.length, self.promising) = (held, 0, !self.text.is_empty());
        ControlFlow::Continue(())
    }

    /// Appends the range to `text`, and decodes its character references.
    fn decode(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let html = self.html;
        let mut at = range.start;
        while at < range.end {
            let stop = memchr(b'&', &html[at..range.end]).map_or(range.end, |i| at + i);
            while at < stop {
                let upto = stop.min(at + PLENTY);
                self.put(at..upto, &html[at..upto]);
                at = upto;
                self.limit(visit)?;
            }
            if at < range.end {
                let before = self.text.len();
                let len = reference::at_start(&html[at..range.end], false, self.text);
                if len.is_none() {
                    self.text.push(b'&');
                }
                let len = len.unwrap_or(1);
                let made = self.text.len() - before;
                self.record(before, at..at + len, made);
                at += len;
                self.limit(visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Appends `text`, which is the result of converting `raw`.
    #[inline]
    fn put(&mut self, raw: Range<usize>, text: &[u8]) {
        self.record(self.text.len(), raw, text.len());
        self.text.extend_from_slice(text);
    }

    /// Adds an entry to the map: the `made` bytes at the offset `text` of the collected text come from the range `raw`
    /// of the HTML.
    fn record(&mut self, text: usize, raw: Range<usize>, made: usize) {
        if let Some(last) = self.runs.last_mut() {
            let straight = text - last.text as usize == last.len as usize;
            if straight && (last.raw + last.len) as usize == raw.start && made == raw.len() {
                last.len += made as u32;
                return;
            }
        }
        self.runs.push(Run { text: text as u32, raw: raw.start as u32, len: raw.len() as u32 });
    }

    /// Copies or drops the held ranges if their number or their total length reaches a limit.
    #[inline]
    fn relieve(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.length < PLENTY && self.held.len() < PIECES {
            return ControlFlow::Continue(());
        }
        self.let_go(visit)
    }

    #[cold]
    fn let_go(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        // If the ranges have no colon, only the last range is kept, because it may be a scheme whose colon is in the
        // next range.
        let last = self.held.last().filter(|(range, _)| !self.promising && range.len() <= SCHEME).cloned();
        self.settle(visit)?;
        if let Some((range, becomes)) = last {
            self.hold(range, becomes);
        }
        self.limit(visit)
    }

    /// Passes the collected text to the caller in these cases:
    ///
    /// - The text has at least [`PLENTY`] bytes and ends in a blank.
    /// - The text has at least [`MOST`] bytes.
    /// - The text came from at least [`PIECES`] ranges.
    fn limit(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let len = self.text.len();
        let blank = self.text.last().is_some_and(u8::is_ascii_whitespace);
        if (len >= PLENTY && blank) || len >= MOST || self.runs.len() >= PIECES {
            return self.visit(visit);
        }
        ControlFlow::Continue(())
    }

    /// Passes all text collected so far to the caller.
    pub(super) fn flush(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.settle(visit)?;
        self.visit(visit)
    }

    fn visit(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        self.promising = false;
        if !self.text.is_empty() {
            let map = Map::Runs(self.runs, self.text.len());
            flow = visit(HtmlItem::Text { text: self.text, map });
        }
        self.text.clear();
        self.runs.clear();
        flow
    }
}

/// Whether `rest` begins with a line break, perhaps after a few blanks.
fn is_line_end(rest: &[u8]) -> bool {
    rest.iter().take(BLANKS + 1).find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
}

/// The special characters that a range of text has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Whether the range has a colon, or a character reference that may be a colon.
    pub(super) colon: bool,
    /// Whether the range may have a character reference, which begins with `&`.
    pub(super) reference: bool,
}

impl Seen {
    /// Records the colon or the ampersand at `at`.
    #[inline]
    pub(super) fn add(&mut self, html: &[u8], at: usize) {
        let is_reference = html[at] == b'&';
        self.reference |= is_reference;
        self.colon |= !is_reference || matches!(html.get(at + 1), Some(b'#' | b'c'));
    }
}
