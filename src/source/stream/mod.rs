//! Reads one input from its first byte to its last, batch by batch.
//!
//! A stream has four parts: the [`Window`] is the bytes in memory, [`Unpack`] is the compressions and archives around
//! the input, [`Progress`] is how far runs have read the file, and [`Live`] is there if the bytes arrive slowly.

mod convert;
mod fill;
mod look;
mod parts;
mod progress;
mod quiet;
mod unpack;
mod window;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::fill::Live;
pub(crate) use self::parts::{Part, Parts};
use self::progress::Progress;
use self::unpack::Unpack;
use self::window::Window;
use super::entry::FileEntry;
use super::inbox::Inbox;
use super::member::{Member, Next};
use super::unpack::Layer;
use super::{Batch, DetectedBy, Entry, Input, Options, Resume, SkipReason, id, layout, seek};
use crate::container::{ARCHIVE, Format, LOOKBACK, Slicer};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::error::Error;
use crate::magic::Kind;
use crate::shared::{FIELD_MAX, cut_field};

/// An input that is being read. The members of an archive and the objects of a git repository are read one after
/// another.
pub(crate) struct Stream<R: Read = Box<dyn Read + Send>> {
    options: Options,
    state: State,
    /// The path of the file, or the name of the git object.
    path: PathBuf,
    /// Whether the user named the path. `false` for a file that was found in a directory, and for a public-inbox.
    named: bool,
    /// What is known about the current file or member before it is read.
    hint: Hint,
    /// The current file or member. `None` until its format is known.
    file: Option<Arc<Input>>,
    /// Cuts the current file or member. `None` until its format is known, and after its last segment.
    slicer: Option<Slicer>,
    window: Window,
    unpack: Unpack<R>,
    progress: Progress,
    /// `None` for a regular file, a part of a file, and a public-inbox.
    live: Option<Live>,
    /// The file, if the input is a regular file.
    plain: Option<Arc<File>>,
    /// Whether the first bytes of the file were searched for a self-extracting archive, and none was found.
    is_searched: bool,
    /// Number of messages of the current file or member that were found, complete or not.
    messages: u64,
    /// Offset up to which all messages must be found before the first batch is returned. 0 for all streams except the
    /// parts of a mailbox.
    find_until: u64,
}

/// What is known about an input before it is read.
#[derive(Clone, Copy)]
enum Hint {
    Nothing,
    /// The input is one message by convention, for example because it is in a Maildir. If its content looks like plain
    /// text, it is read as a message.
    Message,
    /// The kind of the archive determines the format of the member.
    Format(&'static Format),
}

impl Hint {
    fn message(is_message: bool) -> Hint {
        if is_message { Hint::Message } else { Hint::Nothing }
    }
}

/// State of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Inside a file or a member.
    Within,
    /// Before the next member of an archive, or at the end of an input that is not an archive.
    Between,
    Ended,
}

/// The result of a step. `Err` has an event that the stream returns before the next step.
type Step<T = ()> = Result<T, StreamEvent>;

/// The next event of a stream.
#[derive(Debug)]
pub(crate) enum StreamEvent {
    /// The batch has segments or diagnostics.
    Batch,
    /// A file or a member of an archive ended. If there is an error, the file or member was not read to its end. The
    /// input is `None` if the file could not be opened or its format is not supported.
    End(Option<Arc<Input>>, Option<Error>),
    /// A file, a directory or a member of an archive was skipped, for the given reason.
    Skipped(PathBuf, SkipReason),
    /// All events of the file with this path were returned. This event occurs only if a later run may resume the file.
    Finished(PathBuf),
}

impl StreamEvent {
    /// Returns an error for each input that could not be read to its end.
    pub(crate) fn errors(&self, batch: &Batch) -> impl Iterator<Item = Error> {
        let (error, notes) = match self {
            StreamEvent::Batch => (None, &batch.notes[..]),
            StreamEvent::End(_, error) => (error.clone(), &[][..]),
            StreamEvent::Skipped(..) | StreamEvent::Finished(_) => (None, &[][..]),
        };
        let losses = notes.iter().filter(|note| note.kind().is_loss()).map(|note| {
            let file = batch.file.as_deref();
            let path = file.map_or_else(PathBuf::new, Input::place);
            Error::incomplete(&path, *note, file.is_some_and(|file| file.codec().is_some()))
        });
        error.into_iter().chain(losses)
    }
}

impl From<Error> for StreamEvent {
    fn from(error: Error) -> StreamEvent {
        StreamEvent::End(None, Some(error))
    }
}

impl Stream {
    /// Opens a file or standard input.
    ///
    /// # Errors
    ///
    /// Returns an event if the entry cannot be opened, if the entry is skipped, or if the entry is an error. The caller
    /// must report this event.
    pub(crate) fn open(entry: Entry, options: &Options) -> Result<Stream, StreamEvent> {
        match entry {
            Entry::File(input) => Stream::of_file(input, options),
            Entry::Inbox(repositories) => Stream::of_inbox(repositories, options),
            Entry::Stdin => {
                let stream: Stream = Stream::from_reader(Box::new(quiet::Stdin::new()), "-", options);
                Ok(Stream { live: Some(Live(Some(quiet::stdin_is_quiet))), ..stream })
            }
            Entry::Skipped(path, why) => Err(StreamEvent::Skipped(path, why)),
            Entry::Problem(error) => Err(error.into()),
        }
    }

    fn of_inbox(repositories: Vec<PathBuf>, options: &Options) -> Result<Stream, StreamEvent> {
        let first = repositories.first().cloned().unwrap_or_default();
        let inbox = if cfg!(feature = "git") { Inbox::open(repositories, options.heads.as_deref())? } else { None };
        let Some(inbox) = inbox else { return Err(StreamEvent::Skipped(first, SkipReason::Repository)) };
        let stream = Stream::new(Layer::Git(Box::new(inbox)), first, options);
        Ok(Stream { state: State::Between, named: false, ..stream })
    }

    fn of_file(input: FileEntry, options: &Options) -> Result<Stream, StreamEvent> {
        let progress = match options.resume.as_ref().map(|decide| (decide.0)(&input.path)) {
            None => Progress::default(),
            Some(Resume::Read { from, is_settled }) => Progress::new(from, is_settled),
            Some(Resume::Skip) => return Err(StreamEvent::Skipped(input.path, SkipReason::Known)),
        };
        let file = input.open();
        if file.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            if let Some(path) = input.renamed(&options.present) {
                // With its present name, the message is also recorded as read.
                return Stream::of_file(FileEntry { path, ..input }, options);
            }
            if input.may_be_gone() {
                return Err(StreamEvent::Skipped(input.path, SkipReason::Gone));
            }
        }
        let file = file.map_err(|e| Error::open(&input.path, e))?;
        let mut file = file.map_err(|why| StreamEvent::Skipped(input.path.clone(), why))?;
        input.check(&file)?;
        let is_output = |own| options.outputs.contains(&own);
        if !options.outputs.is_empty() && file.metadata().ok().and_then(|data| id(&data)).is_some_and(is_output) {
            if !input.named {
                return Err(StreamEvent::Skipped(input.path, SkipReason::Output));
            }
            let why = io::Error::other("it is the output of urlspool");
            return Err(Error::open(&input.path, why).into());
        }
        let start = seek::start(&mut file, progress.from, options).map_err(|e| Error::read(&input.path, e))?;
        if let Some((_, members)) = &options.members {
            file.seek(SeekFrom::Start(members.start)).map_err(|e| Error::read(&input.path, e))?;
        }
        let file = Arc::new(file);
        let mut stream: Stream = Stream::new(Layer::new(Box::new(file.clone())), input.path, options);
        stream.named = input.named;
        stream.hint = Hint::message(input.message);
        stream.unpack.restrict(input.member);
        stream.progress = progress;
        match input.size {
            Some(_) => stream.plain = Some(file),
            None => stream.live = Some(Live(Some(|| false))),
        }
        if let Some(start) = start {
            stream.begin_at(start);
        }
        Ok(stream)
    }

    /// Begins in the middle of a file: at the message at which an earlier run ended, or else at the wanted range.
    fn begin_at(&mut self, start: seek::Start) {
        let seek::Start { format, offset, line } = start;
        let detected_by = if self.options.format.is_some() { DetectedBy::Explicit } else { DetectedBy::Content };
        self.file = Some(Arc::new(self.describe(format, detected_by)));
        self.window.base = offset - LOOKBACK;
        self.window.line = line;
        let slicer = Slicer::new(format, self.options.limits);
        self.slicer = Some(match (self.progress.from, &self.options.range) {
            (None, Some(range)) => {
                let slicer = slicer.beginning_within(range.clone());
                if self.options.is_relative { slicer.relative() } else { slicer.unnumbered() }
            }
            _ => self.progress.track(slicer, format, true),
        });
    }
}

impl<R: Read> Stream<R> {
    /// Makes a stream that reads from `reader`. `name` is used as the path, for example in error messages.
    pub(crate) fn from_reader(reader: R, name: impl AsRef<Path>, options: &Options) -> Stream<R> {
        Stream { live: Some(Live(None)), ..Stream::new(Layer::new(reader), name.as_ref().into(), options) }
    }

    fn new(layer: Layer<R>, path: PathBuf, options: &Options) -> Stream<R> {
        Stream {
            options: options.clone(),
            state: State::Within,
            path,
            named: true,
            hint: Hint::Nothing,
            file: None,
            slicer: None,
            window: Window::new(options),
            unpack: Unpack::new(layer),
            progress: Progress::default(),
            live: None,
            plain: None,
            is_searched: false,
            messages: 0,
            find_until: 0,
        }
    }

    /// Whether the bytes are decoded or come from an archive or a public-inbox. Before the first batch was read, the
    /// result can be wrong, because the compression is not known yet.
    pub(crate) fn is_unpacked(&self) -> bool {
        self.unpack.is_packed() || self.unpack.is_git
    }

    /// Fills the batch with the next segments, or reports the end of a file or member. Returns `None` after the last
    /// event.
    ///
    /// - Reads about [`Options::chunk`] bytes. If these bytes do not contain a whole segment, also reads the rest of
    ///   the segment. A segment is a message up to the size limit, or at most 1 MiB of plain text. Finding the end of a
    ///   segment can take about 20 KiB more.
    /// - From a pipe or a connection, reads less if the bytes that have arrived contain a whole segment.
    /// - The number of bytes that are read at a time does not change the segments.
    /// - If reading fails, returns the segments before the error, and then an event with the error. Later members of an
    ///   archive are still read.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> Option<StreamEvent> {
        loop {
            let step = match self.state {
                State::Within => self.within(batch),
                State::Between => self.between(batch),
                State::Ended => {
                    if let Some(error) = self.unpack.next_unread() {
                        return Some(error.into());
                    }
                    let finished = std::mem::take(&mut self.progress.will_finish);
                    return finished.then(|| StreamEvent::Finished(self.path.clone()));
                }
            };
            if let Err(event) = step {
                return Some(event);
            }
        }
    }

    /// Reads the next segments of the current file or member, or ends it.
    fn within(&mut self, batch: &mut Batch) -> Step {
        match self.segments(batch) {
            Ok(true) => Err(StreamEvent::Batch),
            // The file is an archive, whose members come next.
            Ok(false) if self.state == State::Between => Ok(()),
            end => {
                self.state = State::Between;
                end?;
                let error = self.window.failed.take().map(|e| Error::read(&self.place(), e));
                Err(StreamEvent::End(self.file.take(), error))
            }
        }
    }

    /// Moves to the next member of an archive, or to the next message of a public-inbox. If an event about the previous
    /// input must be reported first, returns this event instead.
    fn between(&mut self, batch: &mut Batch) -> Step {
        batch.clear();
        if let Some(error) = self.unpack.next_unread() {
            return Err(error.into());
        }
        if let Some(file) = self.file.take() {
            return Err(StreamEvent::End(Some(file), None));
        }
        if std::mem::take(&mut self.unpack.has_sfx_prefix) {
            self.enter();
        }
        if matches!(self.unpack.layer, Layer::Git(_)) && std::mem::take(&mut self.progress.will_finish) {
            return Err(StreamEvent::Finished(self.path.clone()));
        }
        match self.unpack.layer.carrier().advance() {
            Ok(Some(Next::Member(member))) => self.member_begins(member, batch),
            Ok(Some(Next::Object(name))) => self.object_begins(name),
            Ok(Some(Next::Damage(offset))) => {
                self.note_between(batch, Diagnostic::new(DiagnosticKind::BadArchive, offset));
                Err(StreamEvent::Batch)
            }
            Ok(Some(Next::Problem(error))) => Err(error.into()),
            Ok(None) => self.layer_ends(batch),
            Err(e) => {
                self.state = State::Ended;
                self.unpack.leave_all();
                Err(Error::read(&self.path, e).into())
            }
        }
    }

    /// Begins the message of a public-inbox that has the name `name`.
    fn object_begins(&mut self, name: PathBuf) -> Step {
        if self.options.resume.as_ref().is_some_and(|decide| matches!((decide.0)(&name), Resume::Skip)) {
            return Err(StreamEvent::Skipped(name, SkipReason::Known));
        }
        self.progress.will_finish = self.options.resume.is_some();
        self.path = name;
        self.unpack.codec = None;
        self.input_begins(Hint::Message);
        Ok(())
    }

    fn member_begins(&mut self, member: Member, batch: &mut Batch) -> Step {
        let problem = match member.name.len() {
            0 => Some(DiagnosticKind::NoName),
            length => (self.unpack.outer_length() + length > FIELD_MAX || cut_field(&member.name).len() < length)
                .then_some(DiagnosticKind::LongName),
        };
        if let Some(kind) = problem {
            let note = Diagnostic::new(kind, self.unpack.layer.carrier().offset());
            self.note_between(batch, note);
        }
        let hint = match member.format {
            Some(format) => Ok(Hint::Format(format)),
            None => layout::of_member(&member.name).map(Hint::message),
        };
        self.unpack.begin_member(member.name, member.codec);
        if !self.unpack.is_other() {
            let hint = hint.map_err(|why| StreamEvent::Skipped(self.place(), why))?;
            if let Some(why) = member.unreadable {
                self.unpack.add_unread(why, &self.path);
            } else {
                if let Some(codec) = member.codec.filter(|_| !member.is_undone) {
                    self.unpack.put(Kind::Packed(codec), Vec::new());
                }
                self.input_begins(hint);
            }
        }
        if problem.is_some() { Err(StreamEvent::Batch) } else { Ok(()) }
    }

    fn input_begins(&mut self, hint: Hint) {
        self.state = State::Within;
        self.hint = hint;
        self.window.restart();
    }

    /// Begins to read the members of the archive whose layer was added last.
    fn enter(&mut self) {
        self.unpack.enter();
        self.state = State::Between;
    }

    /// Removes the top layer, whose inputs were all read.
    fn layer_ends(&mut self, batch: &mut Batch) -> Step {
        let is_archive = self.unpack.layer.is_archive();
        if is_archive {
            self.unpack.leave();
        }
        let note = self.unpack.note().map(|kind| Diagnostic::new(kind, self.unpack.layer.carrier().offset()));
        let is_lowest = !self.unpack.take_off();
        if is_archive {
            self.file = Some(Arc::new(self.describe(ARCHIVE, DetectedBy::Content)));
        } else if is_lowest {
            self.state = State::Ended;
            self.unpack.check_met(&self.path)?;
        }
        match note {
            Some(note) => {
                self.note_archive(batch, note);
                Err(StreamEvent::Batch)
            }
            None => Ok(()),
        }
    }

    /// Adds a diagnostic about an archive to the batch.
    fn note_archive(&self, batch: &mut Batch, note: Diagnostic) {
        batch.notes.push(note);
        batch.file = Some(Arc::new(self.describe(ARCHIVE, DetectedBy::Content)));
    }

    /// Adds a diagnostic about the innermost open archive to the batch, before the next member of the archive begins.
    fn note_between(&mut self, batch: &mut Batch, note: Diagnostic) {
        self.unpack.leave();
        self.note_archive(batch, note);
        self.unpack.enter();
    }

    /// Returns the name for error messages: the path, and the name of the member if there is one.
    fn place(&self) -> PathBuf {
        self.unpack.place(&self.path)
    }

    fn describe(&self, format: &'static Format, detected_by: DetectedBy) -> Input {
        Input {
            path: self.path.clone(),
            member: self.unpack.member(),
            format,
            codec: self.unpack.codec,
            detected_by,
            is_git_object: self.unpack.is_git,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::container::{HEAD, TEXT};

    /// Makes a reader of several pieces. Each read returns bytes of only one piece.
    fn pieces(pieces: &[&'static [u8]]) -> Box<dyn Read + Send> {
        pieces.iter().fold(Box::new(io::empty()), |all, piece| Box::new(all.chain(*piece)))
    }

    /// If lines are wanted as they arrive, complete lines are returned before the next piece of the input is read. In a
    /// pause, the last line is returned even if a URL may continue on the next line.
    #[test]
    fn lines_are_returned_as_they_arrive() {
        let busy: Option<fn() -> bool> = Some(|| false);
        let quiet: Option<fn() -> bool> = Some(|| true);
        let [one, two] = [&b"See http://a.example/ there\n"[..], b"and http://b.example/ too\n"];
        let open = b"Text.\nSee http://a.example/\n";
        let (many, all) = (leak("some words\n".repeat(60)), leak("some words\n".repeat(61)));
        // Columns: the requested format, the function that waits for more bytes, the pieces of the input, and the
        // batches. A batch has the number of bytes that were read so far, and the text of its segments.
        type Row<'r> = (Option<&'static Format>, Option<fn() -> bool>, &'r [&'static [u8]], &'r [(u64, &'r [u8])]);
        let table: &[Row<'_>] = &[
            (None, busy, &[one, two, one], &[(28, one), (54, two), (82, one)]),
            (None, quiet, &[open, b"x\n"], &[(28, &open[..6]), (28, &open[6..]), (30, b"x\n")]),
            (None, None, &[one, two], &[(54, &[one, two].concat())]),
            (Some(TEXT), None, &[many, b"some words\n"], &[(671, all)]),
            // The first line does not show yet which compression follows.
            #[cfg(feature = "compression")]
            (None, busy, &[b"#! gunbatch\n", gzip(one)], &[(28, one)]),
        ];
        for (format, prompt, input, want) in table {
            let options = Options { format: *format, ..Options::default() };
            let mut stream = Stream::from_reader(pieces(input), "test", &options);
            stream.live = Some(Live(*prompt));
            let (mut batch, mut got) = (Batch::default(), Vec::new());
            while matches!(stream.next(&mut batch), Some(StreamEvent::Batch)) {
                let text: Vec<_> =
                    batch.segments.iter().flat_map(|s| &batch.bytes()[s.starts.clone()]).copied().collect();
                got.push((batch.base + batch.bytes().len() as u64, text));
            }
            let got: Vec<_> = got.iter().map(|(read, text)| (*read, text.as_slice())).collect();
            assert_eq!(got, *want, "{}", input.concat().escape_ascii());
        }
    }

    fn leak(text: String) -> &'static [u8] {
        text.into_bytes().leak()
    }

    #[cfg(feature = "compression")]
    fn gzip(text: &[u8]) -> &'static [u8] {
        use std::io::Write as _;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory").leak()
    }

    /// The stream looks for a pause before each read except the first.
    #[test]
    fn a_pause_is_expected_before_each_read() {
        static WAITS: AtomicU32 = AtomicU32::new(0);
        let body = "x".repeat(52);
        let message = format!("From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\n{body}\n\n");
        let input = pieces(&[leak(message.clone()), leak(message.repeat(9))]);
        let options = Options { chunk: 280, ..Options::default() };
        let mut stream = Stream::from_reader(input, "test", &options);
        stream.live = Some(Live(Some(|| {
            WAITS.fetch_add(1, Ordering::Relaxed);
            false
        })));
        let mut batch = Batch::default();
        while matches!(stream.next(&mut batch), Some(StreamEvent::Batch)) {}
        assert_eq!((WAITS.load(Ordering::Relaxed), stream.messages), (7, 10));
    }

    /// If exactly as many bytes arrive as the stream reads at a time, these bytes are searched before the next bytes
    /// arrive.
    #[test]
    fn a_full_read_can_be_followed_by_a_pause() {
        let burst = leak("word\n".repeat(13_102) + "x\nSee http://a.example/ x\n");
        assert_eq!(burst.len(), HEAD);
        let mut stream = Stream::from_reader(pieces(&[burst, b"later\n"]), "test", &Options::default());
        stream.live = Some(Live(Some(|| true)));
        let mut batch = Batch::default();
        assert!(matches!(stream.next(&mut batch), Some(StreamEvent::Batch)));
        assert_eq!(batch.base + batch.bytes().len() as u64, HEAD as u64);
    }

    #[test]
    fn pauses_of_standard_input_are_noticed() {
        let opened = Stream::open(Entry::Stdin, &Options::default());
        assert!(opened.is_ok_and(|stream| stream.prompt().is_some()));
    }
}
