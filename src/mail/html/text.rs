//! Collects the text between tags until there is enough to visit.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::super::map::{Map, Run};
use super::tag::{Break, Name};
use super::{HtmlItem, reference};

/// After this many bytes of text, the next line break ends it.
const ENOUGH: usize = 16 * 1024;
/// After this many bytes without a line break, a blank ends it.
const PLENTY: usize = 64 * 1024;
/// The most bytes and pieces of text that are collected.
const MOST: usize = 256 * 1024;
const PIECES: usize = 32 * 1024;
/// The longest name of a scheme.
const SCHEME: usize = 64;

/// Text and its source.
///
/// It is handled up to a blank line at a time, and joined only if it has a colon, because most text has no URL.
pub(super) struct Text<'h> {
    html: &'h [u8],
    /// The ranges since the last blank line, and what each becomes.
    held: &'h mut Vec<(Range<usize>, Becomes)>,
    /// Their length in bytes.
    length: usize,
    /// Whether they have a colon, or may have one after references are decoded.
    promising: bool,
    text: &'h mut Vec<u8>,
    runs: &'h mut Vec<Run>,
}

/// Its buffers.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    held: Vec<(Range<usize>, Becomes)>,
    text: Vec<u8>,
    runs: Vec<Run>,
}

/// What a range of HTML becomes in the text.
#[derive(Clone, Copy, Debug)]
enum Becomes {
    /// Unchanged.
    Itself,
    /// Unchanged, but with references decoded.
    Decoded,
    /// A tag's white space.
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

    /// Whether there was no colon since the last blank line.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.promising
    }

    /// Forgets the text, as a blank line does if there was no colon.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.length = 0;
    }

    /// Adds text as written in the HTML. References are decoded later.
    #[inline]
    pub(super) fn add(&mut self, range: Range<usize>, seen: Seen, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.promising |= seen.colon;
        let becomes = if seen.reference { Becomes::Decoded } else { Becomes::Itself };
        // A reference must not be split.
        if range.len() > PLENTY && !seen.reference {
            return self.add_much(range, seen, visit);
        }
        self.hold(range, becomes);
        self.relieve(visit)
    }

    /// Adds text without references that is too long for one piece.
    #[cold]
    fn add_much(&mut self, range: Range<usize>, seen: Seen, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for at in range.clone().step_by(PLENTY) {
            // Visiting the pieces before this one reset it. This piece may have a colon, too.
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

    /// Adds a tag: as nothing, a blank, a line break, or a blank line.
    #[inline]
    pub(super) fn tag(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.held.is_empty() && self.text.is_empty() {
            return ControlFlow::Continue(());
        }
        self.separate(name, range, visit)
    }

    /// Adds a tag after text.
    fn separate(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match name.breaks() {
            Break::None => ControlFlow::Continue(()),
            Break::Link => {
                // The end of a link separates it from text that would continue its last word, or from the next link.
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

    /// Joins the ranges, if they have a colon.
    fn settle(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let (html, mut held) = (self.html, std::mem::take(self.held));
        if self.promising {
            for (range, becomes) in held.drain(..) {
                match becomes {
                    Becomes::Itself => self.put(range.clone(), &html[range]),
                    Becomes::Decoded => self.decode(range, visit)?,
                    Becomes::White(white) => self.put(range, white),
                }
            }
        }
        held.clear();
        // If there is text already, what continues it is kept as well.
        (*self.held, self.length, self.promising) = (held, 0, !self.text.is_empty());
        ControlFlow::Continue(())
    }

    /// Adds text with references.
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

    /// Adds the result of decoding `raw`.
    #[inline]
    fn put(&mut self, raw: Range<usize>, text: &[u8]) {
        self.record(self.text.len(), raw, text.len());
        self.text.extend_from_slice(text);
    }

    /// Records that `made` bytes at `text` came from `raw`.
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

    /// Joins the ranges if there are too many.
    #[inline]
    fn relieve(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.length < PLENTY && self.held.len() < PIECES {
            return ControlFlow::Continue(());
        }
        self.let_go(visit)
    }

    #[cold]
    fn let_go(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        // Text without a colon is dropped, but the end may belong to the next colon.
        let last = self.held.last().filter(|(range, _)| !self.promising && range.len() <= SCHEME).cloned();
        self.settle(visit)?;
        if let Some((range, becomes)) = last {
            self.hold(range, becomes);
        }
        self.limit(visit)
    }

    /// Ends the text if it is too long, at a blank if there is one.
    fn limit(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let len = self.text.len();
        let blank = self.text.last().is_some_and(u8::is_ascii_whitespace);
        if (len >= PLENTY && blank) || len >= MOST || self.runs.len() >= PIECES {
            return self.visit(visit);
        }
        ControlFlow::Continue(())
    }

    /// Visits all text so far.
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

/// What a range of text has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// A colon, or a reference that may be one.
    pub(super) colon: bool,
    /// A reference.
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
