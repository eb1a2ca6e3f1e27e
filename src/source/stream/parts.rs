//! Divides the rest of a large mailbox into parts after the first batch was read. Several workers read these parts and
//! cut them into messages at the same time.
//!
//! Each part has a byte range of the file, and contains the messages that begin in this range. A worker first cuts its
//! part into messages, and counts the messages and lines. The worker then waits until all earlier parts are counted,
//! and adds the totals of these parts to its own message and line numbers. The messages and lines then have the same
//! numbers as if one worker had read the whole file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use memchr::memchr_iter;

use super::{Batch, Input, Layer, Options, Slicer, Stream, StreamEvent};
use crate::container::LOOKBACK;

/// The last message of a part can end after the end of the part. So the first read of a worker also includes bytes
/// after its part. The number of these bytes is the chunk size divided by `PAST`, which is more than the size of most
/// messages.
const PAST: usize = 16;

/// The parts of a large mailbox. [`next`](Self::next) returns them one after another.
pub(crate) struct Parts {
    mailbox: Arc<Mailbox>,
    /// Number of parts that were returned.
    number: u64,
    /// Offset at which the next part begins. `None` after the last part was returned.
    start: Option<u64>,
}

/// A part of a large mailbox.
pub(crate) struct Part {
    mailbox: Arc<Mailbox>,
    /// Number of parts before this part.
    number: u64,
    range: Range<u64>,
    /// `None` until the worker begins to read.
    stream: Option<Box<Stream>>,
    /// Whether the messages and lines of this part were added to the totals.
    is_counted: bool,
}

/// A mailbox that is read in parts.
struct Mailbox {
    file: Arc<File>,
    input: Arc<Input>,
    options: Options,
    size: u64,
    totals: Mutex<Totals>,
    /// Notified when `totals` changes.
    counted: Condvar,
}

/// The totals of the parts that were counted. They include the messages and lines before the first part.
struct Totals {
    /// Number of parts that were counted.
    parts: u64,
    messages: u64,
    lines: u64,
    /// Whether a part could not be read to its end. If so, the messages of later parts are not returned.
    has_failed: bool,
    /// Whether a part has reported an error.
    is_reported: bool,
}

impl Stream {
    /// Returns the rest of the file as parts. Returns `None` if the file is not a mailbox that can be read in parts, or
    /// if the rest is too small. After this function has returned parts, the stream must not be used.
    pub(crate) fn parts(&mut self) -> Option<Parts> {
        let file = self.plain.as_ref()?;
        let input = self.file.as_ref()?;
        let slicer = self.slicer.as_ref()?;
        let whole = self.options.range.is_none() && self.options.resume.is_none();
        let is_plain = !self.is_unpacked() && !self.window.lines_end_in_cr && !self.is_searched && self.live.is_none();
        if !(whole && is_plain && input.format.is_local() && cfg!(any(unix, windows))) || self.window.eof {
            return None;
        }
        let (start, messages) = slicer.at_message()?;
        let size = file.metadata().ok()?.len();
        if size.saturating_sub(start) <= self.options.chunk as u64 {
            return None;
        }
        let lines = self.window.lines_before(&self.window.carry, self.window.base, start);
        let mailbox = Mailbox {
            file: file.clone(),
            input: input.clone(),
            options: Options { chunk: self.options.chunk + self.options.chunk / PAST, ..self.options.clone() },
            size,
            totals: Mutex::new(Totals { parts: 0, messages, lines, has_failed: false, is_reported: false }),
            counted: Condvar::new(),
        };
        Some(Parts { mailbox: Arc::new(mailbox), number: 0, start: Some(start) })
    }
}

impl Stream {
    /// Renumbers the messages and lines of a part, so that they count from the beginning of the file. `batch` is the
    /// first batch of the part. `messages` is the number of messages before the part. `lines` is the number of line
    /// breaks before the first byte that was read.
    fn add(&mut self, batch: &mut Batch, messages: u64, lines: u64) {
        for segment in batch.segments.iter_mut().filter(|segment| segment.number > 0) {
            segment.number += messages;
        }
        if batch.line > 0 {
            batch.line += lines;
        }
        self.window.line += lines;
        if let Some(slicer) = &mut self.slicer {
            slicer.add(messages);
        }
    }
}

impl Parts {
    /// Returns the next part, which has `size` bytes. The last part extends to the end of the file. If the file grows
    /// before the last part is read, that part includes the new bytes.
    pub(crate) fn next(&mut self, size: usize) -> Option<Part> {
        let start = self.start?;
        let end = start + size as u64;
        self.start = (end < self.mailbox.size).then_some(end);
        self.number += 1;
        Some(Part {
            mailbox: self.mailbox.clone(),
            number: self.number - 1,
            range: start..self.start.unwrap_or(u64::MAX),
            stream: None,
            is_counted: false,
        })
    }
}

impl Part {
    /// Does the same as [`Stream::next`] for the messages that begin in this part. The end of the file is reported only
    /// by the last part, or by a part that could not be read to its end.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> Option<StreamEvent> {
        let mut breaks = None;
        let stream = self.stream.get_or_insert_with(|| {
            let counter = Arc::new(Breaks::default());
            breaks = Some(counter.clone());
            self.mailbox.part(self.range.clone(), counter)
        });
        let event = stream.next(batch);
        if let Some(breaks) = breaks {
            self.is_counted = true;
            let has_failed = stream.window.failed.is_some() || matches!(event, Some(StreamEvent::End(_, Some(_))));
            let messages = stream.messages;
            let (lines, context) = (breaks.within.load(Ordering::Relaxed), breaks.before.load(Ordering::Relaxed));
            let before = self.mailbox.count(self.number, messages, lines, has_failed)?;
            stream.add(batch, before.0, before.1 - context);
        }
        if matches!(event, Some(StreamEvent::End(_, Some(_)))) && !self.mailbox.fail_with_error() {
            return None;
        }
        let is_last = self.range.end == u64::MAX;
        event.filter(|event| is_last || !matches!(event, StreamEvent::End(_, None)))
    }
}

impl Drop for Part {
    /// If the worker panicked before it counted this part, wakes the workers with later parts. Otherwise, these workers
    /// would wait for the count forever.
    fn drop(&mut self) {
        if !self.is_counted {
            self.mailbox.fail();
        }
    }
}

impl Mailbox {
    /// Opens the part with the messages that begin in `range`. `breaks` counts the line breaks that the stream reads.
    fn part(self: &Arc<Mailbox>, range: Range<u64>, breaks: Arc<Breaks>) -> Box<Stream> {
        let at = range.start.saturating_sub(LOOKBACK);
        let slicer = Slicer::new(self.input.format, self.options.limits).beginning_within(range.clone());
        let reader = PartReader { mailbox: self.clone(), at, range: range.clone(), breaks };
        // No part waits for the number of messages in the last part, so its first batch is returned at once.
        let find_until = if range.end == u64::MAX { 0 } else { range.end };
        let options = Options { range: Some(range), ..self.options.clone() };
        let layer = Layer::new(Box::new(reader) as Box<dyn Read + Send>);
        let mut stream = Stream::new(layer, self.input.path.clone(), &options);
        stream.file = Some(self.input.clone());
        stream.slicer = Some(slicer);
        stream.window.base = at;
        stream.find_until = find_until;
        Box::new(stream)
    }

    /// Stops reading the mailbox. The messages of parts that were not counted yet are not returned.
    fn fail(&self) {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).has_failed = true;
        self.counted.notify_all();
    }

    /// Stops reading the mailbox because of an error. Returns `true` only for the first error of the mailbox, which is
    /// reported. Later errors are not reported, because several parts can read the same unreadable bytes.
    fn fail_with_error(&self) -> bool {
        self.fail();
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut totals.is_reported, true)
    }

    /// Waits until all parts before part `number` are counted, and then adds the messages and lines of part `number` to
    /// the totals. Returns the numbers of messages and lines before part `number`, or `None` if an earlier part could
    /// not be read.
    fn count(&self, number: u64, messages: u64, lines: u64, has_failed: bool) -> Option<(u64, u64)> {
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |totals: &mut Totals| totals.parts != number && !totals.has_failed;
        let mut totals = self.counted.wait_while(totals, must_wait).unwrap_or_else(PoisonError::into_inner);
        if totals.has_failed {
            return None;
        }
        let before = (totals.messages, totals.lines);
        totals.has_failed = has_failed;
        totals.parts += 1;
        totals.messages += messages;
        totals.lines += lines;
        drop(totals);
        self.counted.notify_all();
        Some(before)
    }
}

/// Numbers of line breaks that were read for a part.
#[derive(Default)]
struct Breaks {
    /// Line breaks in the context. The context is the bytes that are read before the range of the part.
    before: AtomicU64,
    /// Line breaks in the range of the part.
    within: AtomicU64,
}

/// Reads a mailbox, beginning at the offset `at`.
struct PartReader {
    mailbox: Arc<Mailbox>,
    at: u64,
    range: Range<u64>,
    breaks: Arc<Breaks>,
}

impl Read for PartReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = read_at(&self.mailbox.file, bytes, self.at)?;
        if self.mailbox.options.count_lines {
            let index = |offset: u64| (offset.clamp(self.at, self.at + length as u64) - self.at) as usize;
            let (start, end) = (index(self.range.start), index(self.range.end));
            let count = |range: Range<usize>| memchr_iter(b'\n', &bytes[range]).count() as u64;
            self.breaks.before.fetch_add(count(0..start), Ordering::Relaxed);
            self.breaks.within.fetch_add(count(start..end), Ordering::Relaxed);
        }
        self.at += length as u64;
        Ok(length)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::TEXT;
    use crate::source::{DetectedBy, Temp};

    fn mailbox(file: File) -> Arc<Mailbox> {
        let stream = Stream::from_reader(io::empty(), "box", &Options::default());
        Arc::new(Mailbox {
            file: Arc::new(file),
            input: Arc::new(stream.describe(TEXT, DetectedBy::Content)),
            options: Options::default(),
            size: 1000,
            totals: Mutex::new(Totals { parts: 0, messages: 0, lines: 0, has_failed: false, is_reported: false }),
            counted: Condvar::new(),
        })
    }

    #[test]
    fn only_the_first_error_of_a_mailbox_is_reported() {
        let mailbox = mailbox(File::open(std::env::current_exe().expect("a path")).expect("the test program"));
        assert_eq!([(); 3].map(|()| mailbox.fail_with_error()), [true, false, false]);
    }

    #[test]
    fn a_part_that_cannot_be_read_is_the_last() {
        let temp = Temp::new("parts-failed");
        // The file is open only for writing, so each read fails.
        let file = File::options().write(true).open(temp.write("box", b"")).expect("a file");
        let mut parts = Parts { mailbox: mailbox(file), number: 0, start: Some(0) };
        let ends = [(); 3].map(|()| parts.next(300).expect("a part").next(&mut Batch::default()));
        assert!(matches!(ends, [Some(StreamEvent::End(_, Some(_))), None, None]), "{ends:?}");
    }
}
