//! Distributes the inputs among worker threads, and passes on the results in the order of the inputs. A file is read in
//! batches. A batch contains whole messages, or blocks of text that is not in messages.

use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::message::page_headers;
use super::search::Search;
use super::{Buffers, FromPaths, Hits, InputContext, Worker};
use crate::container::{ArchiveSegment, SegmentKind};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::event::{Collect, Event, Outcome, PassOn, Segment, Sink};
use crate::hit::{Gaps, Lines};
use crate::mail;
use crate::parallel;
use crate::source::{Batch, Entry, Input, Options, Part, Parts, SMALL_FILE, Stream, StreamEvent, Walk};

/// A batch of more than this number of bytes is heavy: it takes much memory to decode the batch.
const HEAVY: usize = 1 << 20;

/// Maximum size in bytes of a file that a single worker reads if other files follow. The workers share the work for a
/// larger file.
const MEDIUM_FILE: u64 = 1 << 20;

/// Maximum number of heavy batches that are processed at the same time.
const MAX_HEAVY: usize = 2;

/// A unit of work. Its events come from one of four sources, and the others are empty. Only after the event of a large
/// file can more follow: those of the rest of that file.
#[derive(Default)]
struct Job {
    /// An event of a large file. If it is [`StreamEvent::Batch`], the batch is in [`Job::batch`].
    event: Option<StreamEvent>,
    /// The rest of a file.
    stream: Option<Stream>,
    /// A part of a large mailbox.
    part: Option<Part>,
    /// Small files, the last one first.
    group: Vec<Entry>,
    batch: Batch,
    /// Held while the worker processes a heavy batch that [`Inputs::fill`] has read.
    pass: Option<Pass>,
}

impl Job {
    /// Removes what is left of the last unit of work. Keeps the buffers.
    fn clear(&mut self) {
        (self.event, self.stream, self.part, self.pass) = (None, None, None, None);
        self.group.clear();
    }

    /// Returns the next event. If it is [`StreamEvent::Batch`], the batch is in [`Job::batch`].
    fn next(&mut self, options: &Options) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.event.take() {
                return Some(event);
            }
            if let Some(stream) = &mut self.stream {
                match stream.next(&mut self.batch) {
                    None => self.stream = None,
                    event => return event,
                }
            }
            if let Some(part) = &mut self.part {
                match part.next(&mut self.batch) {
                    None => self.part = None,
                    event => return event,
                }
            }
            match Stream::open(self.group.pop()?, options) {
                Ok(stream) => self.stream = Some(stream),
                Err(event) => return Some(event),
            }
        }
    }

    /// Returns a pass, if the batch is a heavy one of a part. If no pass is free, calls `wait`, which waits until the
    /// results of all earlier inputs have been passed on. Then the worker processes the batch without a pass. Waiting
    /// for a pass instead could cause a deadlock: the workers that have the passes may be waiting for the results of
    /// this worker.
    fn pass_for_part(&self, gate: &Arc<Gate>, wait: impl FnOnce() -> ControlFlow<()>) -> ControlFlow<(), Option<Pass>> {
        if self.part.is_none() || self.batch.bytes().len() <= HEAVY {
            return ControlFlow::Continue(None);
        }
        let pass = gate.try_enter();
        if pass.is_none() {
            wait()?;
        }
        ControlFlow::Continue(pass)
    }
}

/// The source of the jobs for all workers. A lock protects the source: only the worker that holds the lock can take the
/// next job.
struct Inputs {
    search: Arc<Search>,
    walk: Walk,
    /// The large file that is being read. The worker that holds the lock reads the next batch.
    stream: Option<Stream>,
    /// The rest of a large mailbox, divided into parts. The workers read the parts without the lock.
    parts: Option<Parts>,
    threads: usize,
    gate: Arc<Gate>,
}

impl Inputs {
    /// Fills `job` with the next unit of work. Returns `false` at the end of the input.
    fn fill(&mut self, job: &mut Job) -> bool {
        job.clear();
        loop {
            if let Some(parts) = &mut self.parts {
                job.part = parts.next(self.search.source.chunk);
                if job.part.is_some() {
                    return true;
                }
                self.parts = None;
            }
            if let Some(stream) = &mut self.stream {
                job.event = stream.next(&mut job.batch);
                if job.event.is_none() {
                    self.stream = None;
                    continue;
                }
                if matches!(job.event, Some(StreamEvent::Batch)) {
                    // While a worker decompresses this file in `fill`, the worker holds the lock of the inputs, and the
                    // other workers must wait. Therefore, if other files follow, one worker reads the rest of this file
                    // alone, without the lock. If this file is the last, the workers share the batches of this file.
                    if stream.is_unpacked() && self.walk.has_more() {
                        job.stream = self.stream.take();
                    } else if job.batch.bytes().len() > HEAVY {
                        job.pass = Some(self.gate.enter());
                    }
                    if self.threads > 1
                        && let Some(parts) = self.stream.as_mut().and_then(Stream::parts)
                    {
                        (self.parts, self.stream) = (Some(parts), None);
                    }
                }
                return true;
            }
            if !self.walk.next_group(&mut job.group) {
                return false;
            }
            let alone = matches!(job.group.as_slice(), [Entry::File(_) | Entry::Inbox(_) | Entry::Stdin]);
            let walk = &mut self.walk;
            let mut is_shared = |entry: &mut Entry| match entry.size() {
                // If other files follow a file of this size, the workers do not share the file. Instead, one worker
                // reads the whole file, and does not hold the lock of the inputs while it reads. A small file is never
                // shared.
                Some(size) if size <= MEDIUM_FILE => size > SMALL_FILE && !walk.has_more(),
                _ => true,
            };
            let Some(entry) = job.group.pop_if(|entry| alone && is_shared(entry)) else {
                job.group.reverse();
                return true;
            };
            match Stream::open(entry, &self.search.source) {
                Ok(stream) => self.stream = Some(stream),
                Err(event) => {
                    job.event = Some(event);
                    return true;
                }
            }
        }
    }
}

impl Hits<FromPaths> {
    /// Searches all files in several [threads](super::Extractor::threads), and passes all [events](Event) to the local
    /// sinks of `collect` without copying them. Otherwise, this method does the same as [`each`](Self::each).
    ///
    /// Returns `collect` at the end of the search. If [`Collect::collect`] stops the search, this method returns at
    /// once. A thread that is waiting for a pipe then ends as soon as its read returns.
    ///
    /// A panic in a sink or in `collect` ends the search and is propagated to the caller.
    pub fn parallel<C: Collect>(self, collect: C) -> C {
        let search = Arc::new(self.search);
        let threads = search.threads();
        let paths = self.from.paths;
        #[cfg(feature = "parallel")]
        let paths = if threads > 1 { paths.ahead() } else { paths };
        let gate = Arc::new(Gate::new(MAX_HEAVY));
        let walk = search.walk(paths);
        let mut inputs =
            Inputs { search: Arc::clone(&search), walk, stream: None, parts: None, threads, gate: Arc::clone(&gate) };
        let locals = (0..parallel::results(threads)).map(|_| collect.new_local()).collect();
        // If the run is stopped, workers can outlive this function. So the receiver is taken from them at the end.
        let receiver = Arc::new(Mutex::new(Some(collect)));
        let for_workers = Arc::clone(&receiver);
        parallel::ordered(
            threads,
            locals,
            || (Job::default(), Buffers::default()),
            move |(job, _)| inputs.fill(job),
            move |(job, buffers), local, pass_on| {
                // Released at the end of this job, also if the sink stops the search.
                let _pass = job.pass.take();
                let mut worker = search.worker(buffers);
                while let Some(event) = job.next(&search.source) {
                    let _pass = job.pass_for_part(&gate, || pass_on(local))?;
                    worker.event(&job.batch, &event, &mut PassOn::<C> { local, pass_on })?;
                }
                ControlFlow::Continue(())
            },
            move |local| lock(&for_workers).as_mut().map_or(ControlFlow::Break(()), |collect| collect.collect(local)),
        );
        let collect = lock(&receiver).take();
        collect.expect("only this function takes the receiver")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker<'_> {
    /// Passes an event of a stream to `sink`. For [`StreamEvent::Batch`], passes the hits in `batch` to `sink`.
    pub(super) fn event(&mut self, batch: &Batch, event: &StreamEvent, sink: &mut dyn Sink) -> ControlFlow<()> {
        if !matches!(event, StreamEvent::Batch) {
            return end(batch, event, sink);
        }
        sink.event(Event::Check)?;
        let file = batch.file.as_deref();
        let lines = (batch.line > 0).then(|| Lines::new(batch.bytes(), batch.base, batch.line));
        let mut cuts = Vec::new();
        // A diagnostic is reported before the hits of its segment and after all earlier hits. So the order does not
        // depend on the size of the batch.
        let mut notes = batch.notes.as_slice();
        for segment in &batch.segments {
            if !notes.is_empty() {
                notes = notes_before(notes, batch.base + segment.starts.end as u64, file, sink)?;
            }
            let (text, input) = placed(batch, segment, lines.as_ref());
            let is_message = segment.kind == SegmentKind::Message;
            let outcome = self.outcome(segment, text, &input);
            match outcome {
                Outcome::Read if is_message => {
                    batch.cuts(text, &mut cuts);
                    let (gaps, text) = Gaps::cut(text, &cuts);
                    self.message(&text, InputContext { gaps: gaps.as_ref(), ..input }, sink)?;
                }
                Outcome::Read => self.plain_text(batch, segment, text, input, sink)?,
                _ => {}
            }
            self.pass_over(segment.envelope as usize);
            let message = if is_message { text } else { segment.head.as_deref().unwrap_or_default() };
            let segment = &Segment { stored: &batch.bytes()[segment.starts.clone()], is_message, outcome, message };
            sink.event(Event::Segment { file, segment })?;
        }
        notes_before(notes, u64::MAX, file, sink)?;
        if let (Some(file), Some(position)) = (file, &batch.reached) {
            // `before` is the part of the batch before `position`. If the batch begins at or after `position`, `before`
            // is empty. This occurs in a run that resumes a file, because such a run does not read the text before
            // `position` again.
            let before = batch.bytes().get(..position.end.saturating_sub(batch.base) as usize).unwrap_or_default();
            sink.event(Event::Reached { file, position, before })?;
        }
        errors(batch, event, sink)
    }

    /// Searches text that is not in a message, and decodes the files in it. Text from a pipe is not decoded, nor text that
    /// was cut where it has no blank line, nor text that the user declares as plain text.
    fn plain_text(
        &mut self,
        batch: &Batch,
        segment: &ArchiveSegment,
        text: &[u8],
        input: InputContext<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let is_declared = segment.kind != SegmentKind::Text || self.config.options.format.is_some();
        if !is_declared && mail::may_have_files(text) {
            if segment.starts == segment.range && !batch.is_prompt {
                return self.message(text, InputContext { has_files: true, ..input }, sink);
            }
            let at = batch.base + segment.starts.start as u64;
            let diagnostic = &Diagnostic::new(DiagnosticKind::EncodedText, at);
            sink.event(Event::Diagnostic { file: batch.file.as_deref(), diagnostic })?;
        }
        self.text(text, starts(segment), input, sink)
    }

    /// Decides whether to search `segment`. `text` is the text of the segment without its envelope.
    #[inline]
    pub(super) fn outcome(&self, segment: &ArchiveSegment, text: &[u8], input: &InputContext<'_>) -> Outcome {
        let (media, envelope) = (input.file.map_or("", |file| file.media()), input.envelope);
        match segment.kind {
            SegmentKind::Meta => Outcome::NoMail,
            _ if self.filter.is_all() => Outcome::Read,
            SegmentKind::Message => match page_headers(media, text) {
                Some(head) => self.filter.outcome(&head, b""),
                None => self.filter.outcome(text, envelope),
            },
            SegmentKind::Text | SegmentKind::Rest => {
                self.filter.outcome(segment.head.as_deref().unwrap_or_default(), b"")
            }
        }
    }
}

/// Reports the end of an input, or what is between two inputs.
fn end(batch: &Batch, event: &StreamEvent, sink: &mut dyn Sink) -> ControlFlow<()> {
    errors(batch, event, sink)?;
    match event {
        StreamEvent::End(Some(file), _) => sink.event(Event::End(file)),
        StreamEvent::Batch | StreamEvent::End(None, _) => ControlFlow::Continue(()),
        StreamEvent::Skipped(path, why) => sink.event(Event::Skipped { path, why: *why }),
        StreamEvent::Finished(path) => sink.event(Event::Finished(path)),
    }
}

/// Reports losses. A loss is at the end of an input or between two inputs. It is reported after the hits of the batch,
/// so the order does not depend on the size of the batch.
fn errors(batch: &Batch, event: &StreamEvent, sink: &mut dyn Sink) -> ControlFlow<()> {
    event.errors(batch).try_for_each(|error| sink.event(Event::Error(&error)))
}

/// Passes those of `notes` to `sink` that are before the offset `end` and are no losses. Returns the other notes.
#[cold]
fn notes_before<'n>(
    mut notes: &'n [Diagnostic],
    end: u64,
    file: Option<&Input>,
    sink: &mut dyn Sink,
) -> ControlFlow<(), &'n [Diagnostic]> {
    while let [diagnostic, rest @ ..] = notes {
        if !diagnostic.kind().is_loss() {
            if diagnostic.offset() >= end {
                break;
            }
            sink.event(Event::Diagnostic { file, diagnostic })?;
        }
        notes = rest;
    }
    ControlFlow::Continue(notes)
}

/// Returns the text of a segment without its envelope, and the position of this text in the input.
#[inline]
pub(super) fn placed<'b>(
    batch: &'b Batch,
    segment: &'b ArchiveSegment,
    lines: Option<&'b Lines<'b>>,
) -> (&'b [u8], InputContext<'b>) {
    let start = match segment.kind {
        SegmentKind::Message => segment.range.start + segment.envelope as usize,
        _ => segment.range.start,
    };
    let input = InputContext {
        file: batch.file.as_ref(),
        base: batch.base + start as u64,
        number: segment.number,
        head: segment.head.as_deref().unwrap_or_default(),
        envelope: &batch.bytes()[segment.range.start..start],
        lines,
        gaps: None,
        is_cut: batch.is_cut && segment.range.end == batch.bytes().len(),
        has_files: false,
    };
    (&batch.bytes()[start..segment.range.end], input)
}

/// Returns the range of `segment` in which a reported URL must begin. The offsets of the range count from the start of
/// the segment.
fn starts(segment: &ArchiveSegment) -> std::ops::Range<usize> {
    segment.starts.start - segment.range.start..segment.starts.end - segment.range.start
}

/// A semaphore that limits how many heavy batches are processed at the same time.
struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    fn new(free: usize) -> Gate {
        Gate { free: Mutex::new(free), freed: Condvar::new() }
    }

    /// Returns a pass. If all [`MAX_HEAVY`] passes are in use, waits until one is dropped.
    fn enter(self: &Arc<Gate>) -> Pass {
        let free = self.freed.wait_while(lock(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Pass(Arc::clone(self))
    }

    fn try_enter(self: &Arc<Gate>) -> Option<Pass> {
        let mut free = lock(&self.free);
        *free = free.checked_sub(1)?;
        Some(Pass(Arc::clone(self)))
    }
}

/// The right to process one heavy batch. When the pass is dropped, another thread can get a pass.
struct Pass(Arc<Gate>);

impl Drop for Pass {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    #[cfg(feature = "parallel")]
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::container::HEAD;
    use crate::extract::Extractor;
    use std::path::PathBuf;

    use crate::source::{Paths, Temp};

    #[test]
    fn only_heavy_batches_have_a_pass() {
        let temp = Temp::new("heavy");
        let gate = Arc::new(Gate::new(MAX_HEAVY));
        for (size, want) in [(HEAVY / 2, false), (HEAVY, false), (HEAVY + 1, true)] {
            let message = [b"From: a\n\n", &*vec![b'x'; size - 9]].concat();
            let path = temp.write("file", &message);
            let mut search = Search::new(Extractor::new());
            search.source.chunk = 4 * HEAVY;
            let mut inputs = inputs(search, vec![path.clone()], &gate);
            let mut job = Job::default();
            let mut passes = Vec::new();
            while inputs.fill(&mut job) {
                if matches!(job.event, Some(StreamEvent::Batch)) {
                    passes.push(job.pass.is_some());
                    assert_eq!(*gate.free.lock().unwrap(), MAX_HEAVY - usize::from(job.pass.is_some()));
                }
            }
            assert_eq!(passes, [want], "{size} bytes");
            assert_eq!(*gate.free.lock().unwrap(), MAX_HEAVY, "the pass was not returned");
        }
    }

    #[test]
    fn a_pass_is_waited_for() {
        let gate = Arc::new(Gate::new(2));
        let (first, second) = (gate.enter(), gate.enter());
        let is_returned = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _third = gate.enter();
                assert!(is_returned.load(Ordering::SeqCst), "three passes at a time");
            });
            std::thread::sleep(std::time::Duration::from_millis(50));
            is_returned.store(true, Ordering::SeqCst);
            drop(first);
        });
        drop(second);
        assert_eq!(*gate.free.lock().unwrap(), 2);
    }

    /// Several workers share a file only if they would otherwise have nothing to do, or if the file is large. Then
    /// each of them takes a batch of the file. Otherwise one worker takes the whole file.
    #[test]
    fn large_files_and_the_last_file_are_shared() {
        let temp = Temp::new("shared");
        let gate = Arc::new(Gate::new(MAX_HEAVY));
        for (size, others_follow, want) in [
            (SMALL_FILE, false, false),
            (SMALL_FILE, true, false),
            (SMALL_FILE + 1, false, true),
            (SMALL_FILE + 1, true, false),
            (MEDIUM_FILE, true, false),
            (MEDIUM_FILE + 1, true, true),
        ] {
            let path = temp.write("file", b"From: a\n\n");
            fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(size)).expect("the file");
            let paths = vec![path.clone(); 1 + usize::from(others_follow)];
            let mut inputs = inputs(Search::new(Extractor::new()), paths, &gate);
            let mut job = Job::default();
            assert!(inputs.fill(&mut job));
            assert_eq!(job.event.is_some(), want, "{size} bytes, others follow: {others_follow}");
        }
    }

    fn inputs(search: Search, paths: Vec<PathBuf>, gate: &Arc<Gate>) -> Inputs {
        let (walk, search) = (search.walk(Paths::Known(paths.into_iter())), Arc::new(search));
        Inputs { search, walk, stream: None, parts: None, threads: 1, gate: Arc::clone(gate) }
    }

    /// A worker whose result waits for those of earlier jobs takes another job, even if its sink has stopped the search.
    /// With two passes in such workers, a third worker waited for a pass for ever.
    #[cfg(feature = "parallel")]
    #[test]
    fn a_stopped_search_releases_its_passes() {
        struct Stops(Arc<AtomicUsize>);

        impl Sink for Stops {
            fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
                match event {
                    Event::Hit(hit) if hit.url().as_str() == "http://first.example/" => {
                        // Waits until the other workers have stopped, but at most 60 s.
                        for _ in 0..1200 {
                            if self.0.load(Ordering::SeqCst) >= MAX_HEAVY {
                                break;
                            }
                            std::thread::sleep(std::time::Duration::from_millis(50));
                        }
                        ControlFlow::Continue(())
                    }
                    Event::Hit(_) => {
                        self.0.fetch_add(1, Ordering::SeqCst);
                        ControlFlow::Break(())
                    }
                    _ => ControlFlow::Continue(()),
                }
            }
        }

        impl Collect for Stops {
            type Local = Stops;

            fn new_local(&self) -> Stops {
                Stops(Arc::clone(&self.0))
            }

            fn collect(&mut self, _: &mut Stops) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
        }

        let temp = Temp::new("stopped");
        let message =
            |url: &str, size| ["From a@b Mon Jan  1 00:00:00 2001\n\n", url, &"\n".repeat(size), "\n\n"].concat();
        let heavy = message("http://other.example/ ", HEAVY + 1).repeat(8);
        let path = temp.write("file", (message("http://first.example/ ", 9) + &heavy).as_bytes());
        let token = Arc::new(());
        let (held, hits) = (Arc::clone(&token), Extractor::new().threads(4).paths([path]).chunk(64 << 10));
        // The function makes the workers share the batches, not the parts, of the file. It is dropped with the last worker.
        let hits = hits.resume(move |_| {
            let _ = &held;
            crate::source::Resume::Read { from: None, is_settled: true }
        });
        hits.parallel(Stops(Arc::default()));
        let begun = std::time::Instant::now();
        while Arc::strong_count(&token) > 1 {
            assert!(begun.elapsed().as_secs() < 60, "a worker waits for a pass");
            std::thread::yield_now();
        }
    }

    /// A worker that reads a part of a mailbox waits for the results of earlier inputs only if its batch is heavy and
    /// no pass is free.
    #[test]
    fn only_a_heavy_batch_without_a_pass_waits_for_its_turn() {
        let temp = Temp::new("turn");
        // `want` says whether a worker reads a part of the mailbox, and whether it waits.
        for (threads, size, free, want) in
            [(1, HEAD, 0, [0, 0]), (2, HEAD, 0, [1, 0]), (2, HEAD, MAX_HEAVY, [1, 0]), (2, HEAVY, 0, [1, 1])]
        {
            let message = ["From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\n", &"x".repeat(size), "\n\n"].concat();
            let path = temp.write("file", message.repeat(3).as_bytes());
            let gate = Arc::new(Gate::new(free));
            let mut search = Search::new(Extractor::new());
            search.source.chunk = size;
            let mut inputs = Inputs { threads, ..inputs(search, vec![path.clone()], &gate) };
            let search = Arc::clone(&inputs.search);
            let mut job = Job::default();
            let (mut parts, mut waits) = (0, 0);
            loop {
                *gate.free.lock().unwrap() = MAX_HEAVY;
                if !inputs.fill(&mut job) {
                    break;
                }
                *gate.free.lock().unwrap() = free;
                parts = parts.max(usize::from(job.part.is_some()));
                while job.next(&search.source).is_some() {
                    let _pass = job.pass_for_part(&gate, || {
                        waits = 1;
                        ControlFlow::Continue(())
                    });
                }
            }
            assert_eq!([parts, waits], want, "{threads} threads, {size} bytes, {free} passes");
        }
    }
}
