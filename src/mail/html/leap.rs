//! Most of HTML is leapt over, as long as nothing in the text at hand promises a URL: what was leapt over is read only if
//! the text goes on with something that does.

use std::ops::{ControlFlow, Range};

use memchr::memrchr;

use super::Walk;
use super::marks::Mark;
use super::tag::{Break, Name, Opening};
use super::text::Seen;

impl Walk<'_> {
    /// Goes from `at` to what has to be looked at next, or to the end.
    #[inline]
    pub(super) fn leap(&mut self, at: usize) -> usize {
        self.unread.get_or_insert(at);
        self.marks.leap(at)
    }

    /// Tells the text of the tag at `range`, or leaps over that, too.
    #[inline]
    pub(super) fn tag(&mut self, name: Name, range: Range<usize>) -> ControlFlow<()> {
        if self.unread.is_some() {
            if name.breaks() == Break::Block {
                self.unread = None;
                self.text.clear();
                return ControlFlow::Continue(());
            }
            if self.marks.next(Mark::Bound, range.start + 1) == Some(range.end - 1) {
                return ControlFlow::Continue(());
            }
            self.catch_up(range.start)?;
        }
        self.text.tag(name, range, self.visit)
    }

    /// If the tag before the one at `open` has been leapt over and ends a link: that goes on if the next one leads to the
    /// same place.
    pub(super) fn join(&mut self, open: usize) -> ControlFlow<()> {
        let html = self.html;
        if let Some(begin) = self.unread
            && html[..open].ends_with(b">")
            && let Some(before) = self.last_open(begin..open)
            && html[before + 1] == b'/'
            && Name::at(html, before + 2).0 == Name::A
            && self.goes_on(open)
        {
            return self.catch_up(before);
        }
        ControlFlow::Continue(())
    }

    /// Reads what was leapt over, which ends at `end`, as far as it can matter: from the last blank line on.
    #[inline]
    pub(super) fn catch_up(&mut self, end: usize) -> ControlFlow<()> {
        match self.unread.take() {
            Some(begin) if begin < end => self.read(begin, end),
            _ => ControlFlow::Continue(()),
        }
    }

    fn read(&mut self, mut at: usize, end: usize) -> ControlFlow<()> {
        let html = self.html;
        let mut upto = end;
        while let Some(open) = self.last_open(at..upto) {
            if let Opening::Start(name) | Opening::End(name) = Opening::at(html, open)
                && Name::at(html, name).0.breaks() == Break::Block
            {
                self.text.clear();
                at = self.behind(open, end);
                break;
            }
            upto = open;
        }
        while at < end {
            let open = self.marks.next(Mark::Open, at).map_or(end, |open| open.min(end));
            if open > at {
                let reference = self.marks.hint(at..open).is_some();
                self.text.add(at..open, Seen { colon: false, reference }, self.visit)?;
            }
            if open == end {
                break;
            }
            at = self.behind(open, end);
            match Opening::at(html, open) {
                Opening::Start(name) | Opening::End(name) => {
                    self.text.tag(Name::at(html, name).0, open..at, self.visit)?;
                }
                Opening::Text => {
                    at = open + 1;
                    self.text.add(open..at, Seen::default(), self.visit)?;
                }
                Opening::Declaration | Opening::Other => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// The last `<` in `range`.
    #[inline]
    fn last_open(&self, range: Range<usize>) -> Option<usize> {
        let (html, start) = (self.html, range.start);
        self.marks.last(Mark::Open, range.clone()).or_else(|| memrchr(b'<', &html[range]).map(|i| start + i))
    }

    /// Where the tag at `open` ends, which ends with the first `>`.
    fn behind(&mut self, open: usize, end: usize) -> usize {
        self.marks.next(Mark::Close, open).map_or(end, |close| close + 1)
    }
}
