//! Fills batches with the segments of the current file or member.

use std::io::Read;
use std::sync::Arc;

use super::window::step;
use super::{Step, Stream};
use crate::container::{Format, HEAD, LineCut, Slicer, TEXT, first_message};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::source::{Batch, DetectedBy};

/// An input that can be slow, such as a pipe. A segment is returned as soon as it is complete, before a batch is full.
///
/// The function waits a moment for more bytes, and returns `true` if no bytes arrive. If there is a function, complete
/// lines of text are also returned as soon as they arrive.
pub(super) struct Live(pub(super) Option<fn() -> bool>);

impl<R: Read> Stream<R> {
    /// Whether the bytes that arrive are the bytes of the current input, and can be slow.
    pub(super) fn is_live(&self) -> bool {
        self.live.is_some() && !self.is_unpacked()
    }

    /// Returns the function that waits a moment for more bytes, if complete lines are returned as soon as they arrive.
    pub(super) fn prompt(&self) -> Option<fn() -> bool> {
        self.live.as_ref().and_then(|live| live.0).filter(|_| !self.is_unpacked())
    }

    /// Fills the batch with the next segments of the current file or member. Returns `false` at the end of the file or
    /// member.
    pub(super) fn segments(&mut self, batch: &mut Batch) -> Step<bool> {
        while self.fill(batch)? {
            if !batch.segments.is_empty() || !batch.notes.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fills the batch with the next bytes of the current file or member. If no wanted message or text begins in these
    /// bytes, the batch has no segments. Returns `false` if there are no more bytes.
    fn fill(&mut self, batch: &mut Batch) -> Step<bool> {
        let target = self.window.open(batch, &self.options);
        let is_first = self.file.is_none();
        if is_first && !self.start(batch, target)? {
            return Ok(false);
        }
        let Some(mut slicer) = self.slicer.take() else { return Ok(false) };
        batch.file.clone_from(&self.file);
        let keep = self.slice(&mut slicer, batch, target, is_first);
        let keep = self.window.begin_range(batch, keep);
        self.messages = slicer.messages();
        self.progress.reach(&slicer, batch, &self.window);
        if slicer.is_finished() {
            self.end(batch, slicer.has_met_any());
        } else {
            self.window.keep(batch, keep, self.options.count_lines);
            self.slicer = Some(slicer);
        }
        Ok(true)
    }

    /// Reads the beginning of an input, and detects its format. Returns `false` if the input has no segments of its
    /// own, or if its bytes are skipped.
    fn start(&mut self, batch: &mut Batch, target: usize) -> Step<bool> {
        let Some((format, detected_by)) = self.begin(batch, target)? else { return Ok(false) };
        if self.unpack.skips_to_member(&self.path)? {
            self.window.eof = true;
            return Ok(false);
        }
        if format == TEXT && detected_by == DetectedBy::Content {
            let after = first_message(&batch.bytes()[..batch.bytes().len().min(HEAD)]).map(|at| at as u64);
            // Several machines can each read a range of the same file. Only the machine whose range contains the first
            // message adds the diagnostic.
            let reported = after.filter(|at| self.options.range.as_ref().is_none_or(|range| range.contains(at)));
            batch.notes.extend(reported.map(|offset| Diagnostic::new(DiagnosticKind::MailboxNotAtStart, offset)));
        }
        self.file = Some(Arc::new(self.describe(format, detected_by)));
        self.slicer = Some(self.slicer_of(format));
        Ok(true)
    }

    /// Makes the slicer for an input that is read from its beginning.
    fn slicer_of(&mut self, format: &'static Format) -> Slicer {
        let mut slicer = Slicer::new(format, self.options.limits);
        if let Some(range) = &self.options.range {
            slicer = slicer.within(range.clone());
        }
        if self.options.is_relative {
            slicer = slicer.relative();
        }
        // A later run resumes at an offset in the file. A compressed file or an archive cannot be read from such an
        // offset. A file whose lines end in CR alone is not supported either.
        if self.progress.will_finish && format.is_mailbox() && !self.is_unpacked() && !self.window.lines_end_in_cr {
            slicer = self.progress.track(slicer, format, false);
        }
        slicer
    }

    /// Reads bytes into `batch` and cuts them, until the batch has a segment, or until the input or the wanted range
    /// ends. Returns the offset at which the next batch begins. `target` is the number of bytes to read first.
    /// `is_first` is true for the first batch of an input.
    fn slice(&mut self, slicer: &mut Slicer, batch: &mut Batch, mut target: usize, is_first: bool) -> u64 {
        let prompt = self.prompt().filter(|_| self.options.range.is_none());
        batch.is_prompt = prompt.is_some();
        // The bytes that were read to detect the format are searched before more bytes are read, because reading may
        // take long.
        let mut has_unsearched = is_first && prompt.is_some() && batch.bytes().len() < HEAD;
        let mut may_be_quiet = !batch.bytes().is_empty();
        loop {
            let mut cut = LineCut::Never;
            if std::mem::take(&mut has_unsearched) && !self.window.eof {
                cut = LineCut::Complete;
            } else if !self.window.eof && may_be_quiet && prompt.is_some_and(|is_quiet| is_quiet()) {
                cut = LineCut::Any;
                may_be_quiet = false;
            } else if !self.window.eof {
                // In a live input, a single new byte can complete a segment, so this read waits for only one byte.
                let least = if self.is_live() { batch.bytes().len() + 1 } else { target };
                self.window.read(batch, &mut self.unpack.layer, least..target, prompt.unwrap_or(|| false));
                may_be_quiet = true;
                if prompt.is_some() && batch.bytes().len() < target {
                    cut = LineCut::Complete;
                }
            }
            let keep = batch.slice(slicer, self.window.eof, cut);
            if self.window.eof || slicer.is_finished() || self.is_enough(slicer, batch, keep) {
                return keep;
            }
            target = batch.bytes().len().saturating_add(step(&self.options));
        }
    }

    /// Whether the bytes of the batch can be returned or dropped before more bytes are read.
    fn is_enough(&self, slicer: &Slicer, batch: &Batch, keep: u64) -> bool {
        if batch.segments.is_empty() {
            // Bytes before the first wanted message are in no segment. These bytes are dropped now. Otherwise, they
            // would stay in memory until the first wanted segment is complete.
            (self.options.range.is_some() || self.progress.from.is_some()) && keep > batch.base
        } else {
            slicer.has_decided(self.find_until)
        }
    }

    /// Adds diagnostics to the last batch of a file or member. `has_met_any` is true if the file has any message, or
    /// any other data that belongs to its container format.
    fn end(&mut self, batch: &mut Batch, has_met_any: bool) {
        let end = batch.base + batch.bytes().len() as u64;
        batch.notes.extend(self.unpack.note().map(|kind| Diagnostic::new(kind, end)));
        batch.notes.extend(self.archive_end().map(|offset| Diagnostic::new(DiagnosticKind::ArchiveEnd, offset)));
        batch.is_cut = self.window.failed.is_some() || batch.notes.iter().any(|note| note.kind().is_loss());
        let is_asked =
            self.file.as_ref().is_some_and(|file| file.detected_by == DetectedBy::Explicit && file.format != TEXT);
        if is_asked && !self.window.is_all_blank(batch) && self.options.range.is_none() && !has_met_any {
            batch.notes.push(Diagnostic::new(DiagnosticKind::OtherFormat, 0));
            self.file = Some(Arc::new(self.describe(TEXT, DetectedBy::Mismatch)));
        }
    }
}
