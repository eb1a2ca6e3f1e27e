//! How far a file was read, so that a later run can resume it.

use super::window::Window;
use crate::container::{Format, Slicer};
use crate::source::{Batch, Position};

/// How far a file was read by an earlier run, and by this one. Nothing is set unless a later run may resume the file.
#[derive(Default)]
pub(super) struct Progress {
    /// The position at which an earlier run ended, if there was one.
    pub(super) from: Option<Position>,
    /// Whether to leave the last message of a mailbox for a later run if this message may be incomplete.
    holds: bool,
    /// The position up to which this run has read the file. `None` if a later run cannot resume there.
    reached: Option<Position>,
    /// Whether to return [`StreamEvent::Finished`](super::StreamEvent::Finished) at the end.
    pub(super) will_finish: bool,
}

impl Progress {
    pub(super) fn new(from: Option<Position>, is_settled: bool) -> Progress {
        Progress { from, holds: !is_settled, reached: None, will_finish: true }
    }

    /// Makes `slicer` skip what an earlier run has read from a mailbox of this format. `is_at_position` says whether
    /// the mailbox is read from the position at which the earlier run ended, not from its beginning.
    pub(super) fn track(&mut self, mut slicer: Slicer, format: &'static Format, is_at_position: bool) -> Slicer {
        if let Some(from) = self.from {
            slicer = slicer.after(from.offset, from.end.max(from.offset), is_at_position.then_some(from.messages));
        }
        if self.holds {
            slicer.hold(format.is_complete());
        }
        self.reached = Some(self.from.unwrap_or_default());
        slicer
    }

    /// Notes how far the file was read, if a later run can resume it. `batch` is complete, but `window` does not count
    /// its lines yet.
    pub(super) fn reach(&mut self, slicer: &Slicer, batch: &mut Batch, window: &Window) {
        let (Some(reached), Some((offset, end, messages))) = (&mut self.reached, slicer.reached()) else { return };
        if offset != reached.offset {
            let lines = window.lines_before(batch.bytes(), batch.base, offset);
            *reached = Position { offset, end, messages, lines };
        }
        reached.end = end.max(reached.end);
        batch.reached = Some(*reached);
    }
}
