//! The text between tags, gathered until there is enough of it to be worth a look.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::super::map::{Map, Run};
use super::tag::{Break, Name};
use super::{Piece, reference};

/// How much text is gathered before the next line break ends it.
const ENOUGH: usize = 16 * 1024;
/// How much is gathered if there is no line break, only blanks.
const PLENTY: usize = 64 * 1024;
/// How much is gathered at most, and how many pieces.
const MOST: usize = 256 * 1024;
const PIECES: usize = 32 * 1024;
/// No scheme's name is longer.
const SCHEME: usize = 64;

/// Text and where it came from.
///
/// It is visited blank line by blank line, and put together only if there is a colon in it: most text holds no URL.
pub(super) struct Text<'h> {
    html: &'h [u8],
    /// What has come since the last blank line: where it is, and what it becomes.
    held: &'h mut Vec<(Range<usize>, Becomes)>,
    /// How many bytes that is.
    length: usize,
    /// Whether there is a colon in it, or may be once references are decoded.
    promising: bool,
    text: &'h mut Vec<u8>,
    runs: &'h mut Vec<Run>,
}

/// The buffers for it.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    held: Vec<(Range<usize>, Becomes)>,
    text: Vec<u8>,
    runs: Vec<Run>,
}

/// What a stretch of HTML is in the text.
#[derive(Clone, Copy, Debug)]
enum Becomes {
    /// Itself.
    Itself,
    /// Itself, but for the references in it.
    Decoded,
    /// A tag's white space.
    White(&'static [u8]),
}

type Visit<'v> = dyn FnMut(Piece<'_>) -> ControlFlow<()> + 'v;

impl<'h> Text<'h> {
    pub(super) fn new(html: &'h [u8], buffers: &'h mut Buffers) -> Self {
        let Buffers { held, text, runs } = buffers;
        held.clear();
        text.clear();
        runs.clear();
        Self { html, held, length: 0, promising: false, text, runs }
    }

    /// Whether there is no colon in what has come since the last blank line.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.promising
    }

    /// Begins anew, as a blank line does where there is no colon.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.length = 0;
    }

    /// Adds text as written in the HTML. Its references, if it has any, are decoded later.
    #[inline]
    pub(super) fn add(&mut self, range: Range<usize>, seen: Seen, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.promising |= seen.colon;
        let becomes = if seen.reference { Becomes::Decoded } else { Becomes::Itself };
        // A reference is not cut in two.
        if range.len() > PLENTY && !seen.reference {
            return self.add_much(range, visit);
        }
        self.hold(range, becomes);
        self.relieve(visit)
    }

    /// Adds text without references that is too much to be held in one piece.
    #[cold]
    fn add_much(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for at in range.clone().step_by(PLENTY) {
            self.hold(at..range.end.min(at + PLENTY), Becomes::Itself);
            self.relieve(visit)?;
        }
        ControlFlow::Continue(())
    }

    fn hold(&mut self, range: Range<usize>, becomes: Becomes) {
        self.length += range.len();
        self.held.push((range, becomes));
    }

    /// A tag: nothing, a blank, a line break, or a blank line.
    #[inline]
    pub(super) fn tag(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.held.is_empty() && self.text.is_empty() {
            return ControlFlow::Continue(());
        }
        self.separate(name, range, visit)
    }

    /// A tag after text.
    fn separate(&mut self, name: Name, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        match name.breaks() {
            Break::None => ControlFlow::Continue(()),
            Break::Link => {
                // A link's end breaks off what would run on into the next word or the next link.
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

    /// Puts together what is held, if it is worth it.
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
        // What goes on goes with it.
        (*self.held, self.length, self.promising) = (held, 0, !self.text.is_empty());
        ControlFlow::Continue(())
    }

    /// Adds text with references in it.
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

    /// Adds what `raw` has become.
    #[inline]
    fn put(&mut self, raw: Range<usize>, text: &[u8]) {
        self.record(self.text.len(), raw, text.len());
        self.text.extend_from_slice(text);
    }

    /// Notes that `made` bytes at `text` came from `raw`.
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

    /// Settles if too much is held.
    #[inline]
    fn relieve(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.length < PLENTY && self.held.len() < PIECES {
            return ControlFlow::Continue(());
        }
        self.let_go(visit)
    }

    #[cold]
    fn let_go(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        // What has no colon goes, but for what the next colon may belong to.
        let last = self.held.last().filter(|(range, _)| !self.promising && range.len() <= SCHEME).cloned();
        self.settle(visit)?;
        if let Some((range, becomes)) = last {
            self.hold(range, becomes);
        }
        self.limit(visit)
    }

    /// Ends the text if there is too much of it, at a blank if there is one.
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
            flow = visit(Piece::Text { text: self.text, map });
        }
        self.text.clear();
        self.runs.clear();
        flow
    }
}

/// What is in a stretch of text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// A colon, or a reference that may be one.
    pub(super) colon: bool,
    /// A reference.
    pub(super) reference: bool,
}

impl Seen {
    /// Takes in the colon or the ampersand at `at`.
    #[inline]
    pub(super) fn add(&mut self, html: &[u8], at: usize) {
        let is_reference = html[at] == b'&';
        self.reference |= is_reference;
        self.colon |= !is_reference || matches!(html.get(at + 1), Some(b'#' | b'c'));
    }
}
