//! The text between tags, gathered until there is enough of it to be worth a look.

use std::ops::{ControlFlow, Range};

use memchr::memchr;

use super::super::map::{Map, Run};
use super::{Piece, reference};

/// How much text is gathered before the next line break ends it.
const ENOUGH: usize = 16 * 1024;
/// How much is gathered if there is no line break, only blanks.
const PLENTY: usize = 64 * 1024;
/// How much is gathered at most, and how many pieces.
const MOST: usize = 256 * 1024;
const PIECES: usize = 32 * 1024;

/// Text and where it came from.
pub(super) struct Text<'h> {
    html: &'h [u8],
    worth: &'h dyn Fn(&[u8]) -> bool,
    text: Vec<u8>,
    runs: Vec<Run>,
}

type Visit<'v> = dyn FnMut(Piece<'_>) -> ControlFlow<()> + 'v;

impl<'h> Text<'h> {
    pub(super) fn new(html: &'h [u8], worth: &'h dyn Fn(&[u8]) -> bool) -> Self {
        Self { html, worth, text: Vec::new(), runs: Vec::new() }
    }

    /// Adds text as it stands in the HTML, its references decoded.
    pub(super) fn add(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let html = self.html;
        let mut at = range.start;
        while at < range.end {
            let stop = memchr(b'&', &html[at..range.end]).map_or(range.end, |i| at + i);
            // In one piece unless it is large.
            while at < stop {
                let upto = stop.min(at + PLENTY);
                self.run(at..upto, upto - at);
                self.text.extend_from_slice(&html[at..upto]);
                at = upto;
                self.relieve(visit)?;
            }
            if at < range.end {
                let before = self.text.len();
                let len = reference::at_start(&html[at..range.end], false, &mut self.text);
                if len.is_none() {
                    self.text.push(b'&');
                }
                let len = len.unwrap_or(1);
                let made = self.text.len() - before;
                self.record(before, at..at + len, made);
                at += len;
                self.relieve(visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A tag: nothing, a line break, or a blank line.
    pub(super) fn tag(&mut self, name: &[u8], range: Range<usize>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let separator: &[u8] = match break_of(name) {
            Break::None => return ControlFlow::Continue(()),
            // A link's end breaks off what would run on into the next word or the next link.
            Break::Link => match self.html.get(range.end) {
                Some(b'<' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') if self.html[range.start + 1] == b'/' => b" ",
                _ => return ControlFlow::Continue(()),
            },
            Break::Line => b"\n",
            Break::Block => b"\n\n",
        };
        if self.text.is_empty() || (separator.len() == 2 && self.text.ends_with(b"\n\n")) {
            return ControlFlow::Continue(());
        }
        let before = self.text.len();
        self.text.extend_from_slice(separator);
        self.record(before, range, separator.len());
        if self.text.len() >= ENOUGH && separator[0] == b'\n' {
            return self.flush(visit);
        }
        ControlFlow::Continue(())
    }

    fn run(&mut self, raw: Range<usize>, made: usize) {
        self.record(self.text.len(), raw, made);
    }

    /// Notes that `made` octets at `text` came from `raw`.
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

    /// Ends the text if there is too much of it, at a blank if there is one.
    fn relieve(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let len = self.text.len();
        let blank = self.text.last().is_some_and(u8::is_ascii_whitespace);
        if (len >= PLENTY && blank) || len >= MOST || self.runs.len() >= PIECES {
            return self.flush(visit);
        }
        ControlFlow::Continue(())
    }

    /// Visits the text gathered so far, if it is worth it.
    pub(super) fn flush(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        if !self.text.is_empty() && (self.worth)(&self.text) {
            let map = Map::runs(&self.runs, self.text.len());
            flow = visit(Piece::Text { text: &self.text, map });
        }
        self.text.clear();
        self.runs.clear();
        flow
    }
}

/// What a tag does to the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Break {
    /// Nothing: it stands within a line and within a word.
    None,
    Link,
    Line,
    Block,
}

fn break_of(name: &[u8]) -> Break {
    let mut lower = [0; 8];
    let Some(lower) = lower.get_mut(..name.len()) else { return Break::Block };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    match &*lower {
        b"a" => Break::Link,
        b"br" => Break::Line,
        b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"blink" | b"cite" | b"code" | b"del" | b"dfn"
        | b"em" | b"font" | b"i" | b"ins" | b"kbd" | b"label" | b"mark" | b"nobr" | b"o:p" | b"q" | b"s" | b"samp"
        | b"small" | b"span" | b"st1" | b"strike" | b"strong" | b"sub" | b"sup" | b"time" | b"tt" | b"u" | b"var"
        | b"wbr" => Break::None,
        _ => Break::Block,
    }
}
