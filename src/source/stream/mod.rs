//! Reads one input from its first byte to its last, batch by batch.

mod look;
#[cfg(feature = "outlook")]
mod outlook;
mod parts;
mod quiet;

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr_iter;

use super::entry::FileEntry;
use super::inbox::Inbox;
#[cfg(not(feature = "compression"))]
use super::layer::Layer;
use super::magic::Kind;
use super::member::{Member, Unread};
#[cfg(feature = "compression")]
use super::unpack::Layer;
use super::{Batch, Codec, DetectedBy, Entry, Input, Options, Position, Resume, SkipReason, id, layout, seek};
use crate::container::{ARCHIVE, Format, HEAD, LOOKBACK, LineCut, Slicer, TEXT, first_message};
use crate::error::Error;
pub(crate) use parts::{Part, Parts};

/// An input that is being read. The members of an archive are read one after another.
pub(crate) struct Stream<R: Read = Box<dyn Read + Send>> {
    path: PathBuf,
    /// Whether the file or member is one message by convention, for example because it is in a Maildir. If its content
    /// looks like plain text, such a file or member is read as a message.
    message: bool,
    /// Whether the user named the path. `false` for a file that was found in a directory, and for a public-inbox.
    named: bool,
    /// The public-inbox that is being read. Each message of the public-inbox is read like a file.
    inbox: Option<Inbox>,
    /// The reason why the current file or member is skipped, if its first bytes show a reason.
    skipped: Option<SkipReason>,
    /// The only member to read, if the user named one.
    only: Option<Only>,
    /// Whether the first segment of the wanted range is still to be returned. The first line of this segment gets the
    /// number 1.
    is_before_range: bool,
    /// Whether the input is a pipe or another input that can be slow.
    live: bool,
    /// A function that waits a moment for more bytes, and returns `true` if no bytes arrive. If this function is set,
    /// complete messages and lines are returned as soon as they arrive, before a batch is full.
    prompt: Option<fn() -> bool>,
    /// Whether to look for a pause before the next read.
    may_be_quiet: bool,
    options: Options,
    layer: Layer<R>,
    /// The file, if the input is a regular file.
    plain: Option<Arc<File>>,
    /// The names of the archives around the current member, from the outermost to the innermost, and then the name of
    /// the member.
    names: Vec<Vec<u8>>,
    /// The compression of each open archive, such as gzip for `mail.tar.gz`.
    codecs: Vec<Option<Codec>>,
    /// The compression of the current file or member.
    codec: Option<Codec>,
    /// Number of bytes decoded by layers that are no longer in use. These bytes count towards the limit on decoded
    /// bytes.
    decoded: u64,
    /// Whether the current input is the data before the first member of a zip archive, such as the program of a
    /// self-extracting archive.
    has_sfx_prefix: bool,
    /// The format of the current member, if the kind of the archive determines this format.
    known: Option<&'static Format>,
    /// Whether the first bytes of the file were searched for a self-extracting archive, and none was found.
    is_searched: bool,
    /// The unreadable members of the open archives. The unreadable members of an archive are reported when the archive
    /// ends.
    unread: Unread,
    state: State,
    /// The current file or member. `None` until its format is known.
    file: Option<Arc<Input>>,
    slicer: Option<Slicer>,
    /// Number of messages of the current file or member that were found, complete or not.
    messages: u64,
    /// Offset up to which all messages must be found before the first batch is returned. 0 for all streams except the
    /// parts of a mailbox.
    find_until: u64,
    /// Whether the lines of the current file or member end in CR alone.
    lines_end_in_cr: bool,
    /// Whether the bytes before `carry` are only white space.
    is_blank: bool,
    /// Bytes that were read but are in no segment yet.
    carry: Vec<u8>,
    /// Offset of `carry` in the file.
    base: u64,
    /// Number of the line in which `carry` begins, starting at 1.
    line: u64,
    eof: bool,
    failed: Option<io::Error>,
    /// The position at which an earlier run ended, if there was one.
    from: Option<Position>,
    /// Whether to leave the last message of a mailbox for a later run if this message may be incomplete.
    holds: bool,
    /// The position up to which the file was read, if a later run can resume there.
    reached: Option<Position>,
    /// Whether to return [`StreamEvent::Finished`] at the end.
    will_finish: bool,
}

/// The only member of an archive that is read.
struct Only {
    name: Vec<u8>,
    is_met: bool,
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

impl Stream {
    /// Opens a file or standard input.
    ///
    /// # Errors
    ///
    /// Returns an event if the entry cannot be opened, if the entry is skipped, or if the entry is an error. The caller
    /// must report this event.
    pub(crate) fn open(entry: Entry, options: &Options) -> Result<Stream, StreamEvent> {
        match entry {
            Entry::File(input) => {
                let (from, is_settled) = match options.resume.as_ref().map(|decide| (decide.0)(&input.path)) {
                    None => (None, true),
                    Some(Resume::Read { from, is_settled }) => (from, is_settled),
                    Some(Resume::Skip) => return Err(StreamEvent::Skipped(input.path, SkipReason::Known)),
                };
                let file = input.open().map_err(|e| StreamEvent::End(None, Some(Error::open(&input.path, e))))?;
                let file = file.map_err(|why| StreamEvent::Skipped(input.path.clone(), why))?;
                input.check(&file).map_err(|error| StreamEvent::End(None, Some(error)))?;
                let is_output = |file: &File| file.metadata().ok().and_then(|data| id(&data)) == options.output;
                if !input.named && options.output.is_some() && is_output(&file) {
                    return Err(StreamEvent::Skipped(input.path, SkipReason::Output));
                }
                let stream = Stream::of_file(file, input, from, options);
                let stream = stream.map_err(|error| StreamEvent::End(None, Some(error)))?;
                Ok(Stream { from, holds: !is_settled, will_finish: options.resume.is_some(), ..stream })
            }
            Entry::Inbox(repositories) => Stream::of_inbox(repositories, options),
            Entry::Stdin => {
                let stream: Stream = Stream::from_reader(Box::new(quiet::Stdin::new()), "-", options);
                Ok(Stream { prompt: Some(quiet::stdin_is_quiet), ..stream })
            }
            Entry::Skipped(path, why) => Err(StreamEvent::Skipped(path, why)),
            Entry::Problem(error) => Err(StreamEvent::End(None, Some(error))),
        }
    }

    fn of_inbox(repositories: Vec<PathBuf>, options: &Options) -> Result<Stream, StreamEvent> {
        let first = repositories.first().cloned().unwrap_or_default();
        let inbox = if cfg!(feature = "git") { Inbox::open(repositories, options.heads.as_deref()) } else { Ok(None) };
        match inbox {
            Ok(Some(inbox)) => Ok(Stream {
                inbox: Some(inbox.clone()),
                state: State::Between,
                live: false,
                named: false,
                ..Stream::new(Box::new(inbox), first, true, options)
            }),
            Ok(None) => Err(StreamEvent::Skipped(first, SkipReason::Repository)),
            Err(error) => Err(StreamEvent::End(None, Some(error))),
        }
    }

    /// Opens a file. If the format allows it, reading starts at the wanted range or at the position where an earlier
    /// run ended. Otherwise, reading starts at the beginning of the file.
    fn of_file(mut file: File, input: FileEntry, from: Option<Position>, options: &Options) -> Result<Stream, Error> {
        if options.output.is_some() && file.metadata().ok().and_then(|data| id(&data)) == options.output {
            let why = io::Error::other("it is the output of urlspool");
            return Err(Error::open(&input.path, why));
        }
        let resumed = from.map(|from| seek::resume(&mut file, &from, options).map(|found| Some((from, found?))));
        let resumed = resumed.transpose().map_err(|e| Error::read(&input.path, e))?.flatten();
        let skipped = match from {
            Some(_) => None,
            None => seek::skip(&mut file, options).map_err(|e| Error::read(&input.path, e))?,
        };
        if let Some((_, members)) = &options.members {
            file.seek(SeekFrom::Start(members.start)).map_err(|e| Error::read(&input.path, e))?;
        }
        let file = Arc::new(file);
        let mut stream: Stream = Stream::new(Box::new(file.clone()), input.path, input.message, options);
        stream.live = input.size.is_none();
        stream.plain = input.size.map(|_| file);
        stream.named = input.named;
        stream.prompt = stream.live.then_some(|| false);
        if let Some((from, (format, line))) = resumed {
            let detected_by = if options.format.is_some() { DetectedBy::Explicit } else { DetectedBy::Content };
            stream.file = Some(Arc::new(stream.describe(format, detected_by)));
            stream.slicer = Some(Slicer::new(format, options.limits).after(from.offset, from.end, Some(from.messages)));
            (stream.base, stream.line, stream.reached) = (from.offset - LOOKBACK, line, Some(from));
        }
        stream.only = input.member.map(|name| Only { name, is_met: false });
        if let (Some(format), Some(range)) = (skipped, &options.range) {
            let detected_by = if options.format.is_some() { DetectedBy::Explicit } else { DetectedBy::Content };
            stream.file = Some(Arc::new(stream.describe(format, detected_by)));
            let slicer = Slicer::new(format, options.limits).beginning_within(range.clone());
            stream.slicer = Some(if options.is_relative { slicer.relative() } else { slicer.unnumbered() });
            stream.base = range.start - LOOKBACK;
        }
        Ok(stream)
    }
}

impl<R: Read> Stream<R> {
    /// Makes a stream that reads from `reader`. `name` is used as the path, for example in error messages.
    pub(crate) fn from_reader(reader: R, name: impl AsRef<Path>, options: &Options) -> Stream<R> {
        Stream::new(reader, name.as_ref().into(), false, options)
    }

    fn new(reader: R, path: PathBuf, message: bool, options: &Options) -> Stream<R> {
        Stream {
            path,
            message,
            named: true,
            inbox: None,
            skipped: None,
            only: None,
            is_before_range: options.is_relative && options.range.as_ref().is_some_and(|range| range.start > 0),
            live: true,
            prompt: None,
            may_be_quiet: false,
            options: options.clone(),
            layer: Layer::new(reader),
            plain: None,
            names: Vec::new(),
            codecs: Vec::new(),
            codec: None,
            decoded: 0,
            has_sfx_prefix: false,
            known: None,
            is_searched: false,
            unread: Unread::default(),
            state: State::Within,
            file: None,
            slicer: None,
            messages: 0,
            find_until: 0,
            lines_end_in_cr: false,
            is_blank: true,
            carry: Vec::new(),
            base: 0,
            line: 1,
            eof: false,
            failed: None,
            from: None,
            holds: false,
            reached: None,
            will_finish: false,
        }
    }

    /// Whether the bytes are decoded or come from an archive or a public-inbox. Before the first batch was read, the
    /// result can be wrong, because the compression is not known yet.
    pub(crate) fn is_unpacked(&self) -> bool {
        self.codec.is_some() || !self.names.is_empty() || self.has_sfx_prefix || self.inbox.is_some()
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
                State::Ended => {
                    let error = self.unread.next(0).map(|error| StreamEvent::End(None, Some(error)));
                    let finished = std::mem::take(&mut self.will_finish);
                    self.will_finish = finished && error.is_some();
                    return error.or_else(|| finished.then(|| StreamEvent::Finished(self.path.clone())));
                }
                State::Between => self.between(batch),
                State::Within => match self.segments(batch) {
                    Ok(true) => Ok(Some(StreamEvent::Batch)),
                    // The file is an archive, whose members come next.
                    Ok(false) if self.state == State::Between => Ok(None),
                    end => {
                        self.state = State::Between;
                        if let Some(why) = self.skipped.take() {
                            return Some(StreamEvent::Skipped(self.place(), why));
                        }
                        end.map(|_| {
                            let error = self.failed.take().map(|e| Error::read(&self.place(), e));
                            Some(StreamEvent::End(self.file.take(), error))
                        })
                    }
                },
            };
            match step {
                Ok(None) => {}
                Ok(event) => return event,
                Err(error) => return Some(StreamEvent::End(None, Some(error))),
            }
        }
    }

    /// Moves to the next member of an archive, or to the next message of a public-inbox. If an event about the previous
    /// input must be reported first, returns this event instead.
    fn between(&mut self, batch: &mut Batch) -> Result<Option<StreamEvent>, Error> {
        batch.clear();
        if let Some(error) = self.unread.next(self.names.len()) {
            return Err(error);
        }
        if let Some(file) = self.file.take() {
            return Ok(Some(StreamEvent::End(Some(file), None)));
        }
        if std::mem::take(&mut self.has_sfx_prefix) {
            self.enter();
        }
        if self.inbox.is_some() && std::mem::take(&mut self.will_finish) {
            return Ok(Some(StreamEvent::Finished(self.path.clone())));
        }
        match &self.inbox {
            // The layer that decoded a compressed message is removed before the next message is read.
            Some(_) if self.layer.take_off(&mut self.decoded) => Ok(None),
            Some(inbox) => {
                let next = inbox.next();
                self.object_begins(next)
            }
            None => self.advance(batch),
        }
    }

    /// Begins the next message of a public-inbox. `name` is the name of the message, or an error.
    fn object_begins(&mut self, name: Option<Result<PathBuf, Error>>) -> Result<Option<StreamEvent>, Error> {
        match name.transpose()? {
            None => self.state = State::Ended,
            Some(name) => {
                if self.options.resume.as_ref().is_some_and(|decide| matches!((decide.0)(&name), Resume::Skip)) {
                    return Ok(Some(StreamEvent::Skipped(name, SkipReason::Known)));
                }
                self.will_finish = self.options.resume.is_some();
                (self.path, self.state, self.message, self.codec) = (name, State::Within, true, None);
                (self.base, self.line, self.eof) = (0, 1, false);
                self.carry.clear();
            }
        }
        Ok(None)
    }

    /// Returns the name for error messages: the path, and the name of the member if there is one.
    fn place(&self) -> PathBuf {
        match self.member() {
            Some(member) => Input::join(&self.path, &member),
            None => self.path.clone(),
        }
    }

    /// Returns the full name of the current member, including the archives around it.
    fn member(&self) -> Option<Box<[u8]>> {
        (!self.names.is_empty()).then(|| self.names.join(&b'!').into())
    }

    /// Begins to read the members of the archive whose layer was added last.
    fn enter(&mut self) {
        self.names.push(Vec::new());
        self.codecs.push(self.codec.take());
        self.state = State::Between;
    }

    /// Moves to the next wanted member of the archive that is read by the top layer. If there is no further member,
    /// removes the layer. Returns the event to report, if any.
    fn advance(&mut self, batch: &mut Batch) -> Result<Option<StreamEvent>, Error> {
        match self.layer.next_member() {
            Ok(Some(Member { damage: Some(offset), .. })) => {
                Ok(self.report_between(batch, Diagnostic::new(DiagnosticKind::BadArchive, offset)))
            }
            Ok(Some(member)) => Ok(self.member_begins(member, batch)),
            Ok(None) => {
                let is_archive = self.layer.is_archive();
                if is_archive {
                    self.names.pop();
                    self.codec = self.codecs.pop().flatten();
                }
                let note = self.layer.note().map(|kind| Diagnostic::new(kind, self.layer.offset()));
                let is_input = !self.layer.take_off(&mut self.decoded);
                if is_archive {
                    self.file = Some(Arc::new(self.describe(ARCHIVE, DetectedBy::Content)));
                } else if is_input {
                    self.state = State::Ended;
                    if let Some(only) = self.only.take_if(|only| !only.is_met) {
                        return Err(self.no_member(&only, "the archive has no member of that name"));
                    }
                }
                Ok(self.report(batch, note))
            }
            Err(e) => {
                self.state = State::Ended;
                Err(Error::read(&self.path, e))
            }
        }
    }

    fn member_begins(&mut self, member: Member, batch: &mut Batch) -> Option<StreamEvent> {
        let mut reported = None;
        if member.name.is_empty() {
            let note = Diagnostic::new(DiagnosticKind::NoName, self.layer.offset());
            reported = self.report_between(batch, note);
        }
        let by_name = match member.format {
            Some(_) => Ok(false),
            None => layout::of_member(&member.name),
        };
        self.known = member.format;
        self.names.pop();
        self.names.push(member.name);
        if self.is_other() {
            return reported;
        }
        let message = match by_name {
            Ok(message) => message,
            Err(why) => return Some(StreamEvent::Skipped(self.place(), why)),
        };
        if let Some(why) = member.unreadable {
            self.unread.add(self.names.len(), why, self.place());
            return None;
        }
        if let Some(codec) = member.codec.filter(|_| !member.is_undone) {
            self.layer.put(Kind::Packed(codec), Vec::new(), self.decoded);
        }
        (self.state, self.message, self.codec) = (State::Within, message, member.codec);
        (self.base, self.line, self.eof) = (0, 1, false);
        self.carry.clear();
        reported
    }

    /// Whether the current member can be skipped. Returns `false` for the wanted member, for a member inside the wanted
    /// member, and for an archive that may contain the wanted member.
    fn is_other(&mut self) -> bool {
        let name = self.names.join(&b'!');
        let Some(only) = &mut self.only else { return false };
        let is_in = |inner: &[u8], outer: &[u8]| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(b"!"));
        let is_meant = name == only.name || is_in(&name, &only.name);
        only.is_met |= is_meant;
        !is_meant && !is_in(&only.name, &name)
    }

    /// Skips the bytes of the current file or member if they cannot contain the wanted member. For example, the member
    /// `a` can contain the wanted member `a!b` only if `a` is an archive. The data before the first member of an
    /// archive contains no member. Returns `false` if the bytes must be read.
    fn skips_to_member(&mut self) -> Result<bool, Error> {
        let name = self.names.join(&b'!');
        let Some(only) = &self.only else { return Ok(false) };
        if !self.names.is_empty() && name.len() >= only.name.len() {
            return Ok(false);
        }
        if self.names.is_empty() && !self.has_sfx_prefix {
            let error = self.no_member(only, "the file before the `!` is not an archive");
            self.only = None;
            return Err(error);
        }
        io::copy(&mut self.layer, &mut io::sink()).map_err(|e| Error::read(&self.path, e))?;
        self.eof = true;
        Ok(true)
    }

    fn no_member(&self, only: &Only, why: &str) -> Error {
        Error::open(&Input::join(&self.path, &only.name), io::Error::new(io::ErrorKind::NotFound, why))
    }

    /// Adds a diagnostic about an archive to the batch.
    fn report(&self, batch: &mut Batch, note: Option<Diagnostic>) -> Option<StreamEvent> {
        batch.notes.push(note?);
        batch.file = Some(Arc::new(self.describe(ARCHIVE, DetectedBy::Content)));
        Some(StreamEvent::Batch)
    }

    /// Adds a diagnostic about the innermost open archive to the batch, before the next member of the archive begins.
    fn report_between(&mut self, batch: &mut Batch, note: Diagnostic) -> Option<StreamEvent> {
        self.names.pop();
        self.codec = self.codecs.last().copied().flatten();
        let reported = self.report(batch, Some(note));
        self.names.push(Vec::new());
        reported
    }

    fn describe(&self, format: &'static Format, detected_by: DetectedBy) -> Input {
        let (path, member, codec) = (self.path.clone(), self.member(), self.codec);
        Input { path, member, format, codec, detected_by, is_git_object: self.inbox.is_some() }
    }

    /// Fills the batch with the next segments of the current file or member. Returns `false` at the end of the file or
    /// member.
    fn segments(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        while self.fill(batch)? {
            if !batch.segments.is_empty() || !batch.notes.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fills the batch with the next bytes of the current file or member. If no wanted message or text begins in these
    /// bytes, the batch has no segments. Returns `false` if there are no more bytes.
    fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let chunk = self.options.chunk.max(1);
        batch.begin(&self.carry, chunk);
        batch.set_lines_end_in_cr(self.lines_end_in_cr);
        (batch.base, batch.line) = (self.base, if self.options.count_lines { self.line } else { 0 });
        let step = (chunk / 8).max(1);
        let mut target = chunk.max(self.carry.len().saturating_add(step));
        self.carry.clear();
        let mut is_first = self.file.is_none() && !self.eof;
        if is_first {
            let Some((format, detected_by)) = self.begin(batch, target)? else { return Ok(false) };
            if self.skips_to_member()? {
                return Ok(false);
            }
            if format == TEXT && detected_by == DetectedBy::Content {
                let after = first_message(&batch.bytes()[..batch.bytes().len().min(HEAD)]).map(|at| at as u64);
                // Several machines can each read a range of the same file. Only the machine whose range contains the
                // first message adds the diagnostic.
                let reported = after.filter(|at| self.options.range.as_ref().is_none_or(|range| range.contains(at)));
                batch.notes.extend(reported.map(|offset| Diagnostic::new(DiagnosticKind::MailboxNotAtStart, offset)));
            }
            self.file = Some(Arc::new(self.describe(format, detected_by)));
            let slicer = Slicer::new(format, self.options.limits);
            let mut slicer = self.options.range.clone().into_iter().fold(slicer, Slicer::within);
            if self.options.is_relative {
                slicer = slicer.relative();
            }
            // A later run resumes at an offset in the file. A compressed file or an archive cannot be read from such an
            // offset. A file whose lines end in CR alone is not supported either.
            if self.will_finish && format.is_mailbox() && !self.is_unpacked() && !self.lines_end_in_cr {
                if let Some(from) = self.from {
                    slicer = slicer.after(from.offset, from.end, None);
                }
                self.reached = Some(self.from.unwrap_or_default());
            }
            self.slicer = Some(slicer);
            self.is_blank = true;
        }
        let is_live = self.live && !self.is_unpacked();
        let prompt = self.prompt.filter(|_| is_live && self.options.range.is_none());
        let mut may_be_quiet = (self.may_be_quiet || is_first) && !batch.bytes().is_empty();
        // The bytes that were read to detect the format are searched before more bytes are read, because reading may
        // take long.
        is_first &= prompt.is_some() && batch.bytes().len() < HEAD;
        let Some(slicer) = &mut self.slicer else { return Ok(false) };
        if let Some(file) = self.file.as_ref().filter(|_| self.reached.is_some() && std::mem::take(&mut self.holds)) {
            slicer.hold(file.format.is_complete());
        }
        batch.file.clone_from(&self.file);
        let keep = loop {
            let mut cut = LineCut::Never;
            if std::mem::take(&mut is_first) && !self.eof {
                cut = LineCut::Complete;
            } else if !self.eof && may_be_quiet && prompt.is_some_and(|is_quiet| is_quiet()) {
                (cut, may_be_quiet) = (LineCut::Any, false);
            } else if !self.eof {
                // In a live input, a single new byte can complete a segment, so `fill` waits for only one byte.
                let least = if is_live { batch.bytes().len() + 1 } else { target };
                let more = batch.fill(&mut self.layer, least, target, prompt.unwrap_or(|| false));
                self.eof = !more.unwrap_or_else(|e| {
                    self.failed = Some(e);
                    false
                });
                may_be_quiet = true;
                if prompt.is_some() && batch.bytes().len() < target {
                    cut = LineCut::Complete;
                }
            }
            let keep = batch.slice(slicer, self.eof, cut);
            let is_enough = if batch.segments.is_empty() {
                // Bytes before the first wanted message are in no segment. These bytes are dropped now. Otherwise, they
                // would stay in memory until the first wanted segment is complete.
                (self.options.range.is_some() || self.from.is_some()) && keep > batch.base
            } else {
                slicer.has_decided(self.find_until)
            };
            if self.eof || is_enough || slicer.is_finished() {
                break keep;
            }
            target = batch.bytes().len().saturating_add(step);
        };
        let mut keep = keep;
        if self.is_before_range && !batch.segments.is_empty() {
            batch.begin_at_first_segment();
            (self.is_before_range, self.line) = (false, 1);
            (batch.line, keep) = (batch.line.min(1), keep.max(batch.base));
        }
        self.may_be_quiet = may_be_quiet;
        self.messages = slicer.messages();
        if let (Some(reached), Some((offset, end, messages))) = (&mut self.reached, slicer.reached()) {
            if offset != reached.offset {
                let before = &batch.bytes()[..(offset - batch.base) as usize];
                let lines = self.line - 1 + memchr_iter(b'\n', before).count() as u64;
                *reached = Position { offset, end, messages, lines };
            }
            reached.end = end.max(reached.end);
            batch.reached = Some(*reached);
        }
        let keep = (keep - batch.base) as usize;
        if slicer.is_finished() {
            let has_met_any = slicer.has_met_any();
            self.end(batch, has_met_any);
        } else {
            self.is_blank = self.is_blank && batch.bytes()[..keep].trim_ascii().is_empty();
            self.carry.extend_from_slice(&batch.bytes()[keep..]);
            self.base = batch.base + keep as u64;
            if self.options.count_lines {
                self.line += memchr_iter(b'\n', &batch.bytes()[..keep]).count() as u64;
            }
        }
        Ok(true)
    }

    /// Adds diagnostics to the last batch of a file or member. `has_met_any` is true if the file has any message, or
    /// any other data that belongs to its container format.
    fn end(&mut self, batch: &mut Batch, has_met_any: bool) {
        let end = batch.base + batch.bytes().len() as u64;
        batch.notes.extend(self.layer.note().map(|kind| Diagnostic::new(kind, end)));
        batch.notes.extend(self.archive_end().map(|offset| Diagnostic::new(DiagnosticKind::ArchiveEnd, offset)));
        let is_asked =
            self.file.as_ref().is_some_and(|file| file.detected_by == DetectedBy::Explicit && file.format != TEXT);
        let is_blank = self.is_blank && batch.bytes().trim_ascii().is_empty();
        if is_asked && !is_blank && self.options.range.is_none() && !has_met_any {
            batch.notes.push(Diagnostic::new(DiagnosticKind::OtherFormat, 0));
            self.file = Some(Arc::new(self.describe(TEXT, DetectedBy::Mismatch)));
        }
        self.slicer = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

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
            let mut stream = Stream { prompt: *prompt, ..Stream::from_reader(pieces(input), "test", &options) };
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
        stream.prompt = Some(|| {
            WAITS.fetch_add(1, Ordering::Relaxed);
            false
        });
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
        stream.prompt = Some(|| true);
        let mut batch = Batch::default();
        assert!(matches!(stream.next(&mut batch), Some(StreamEvent::Batch)));
        assert_eq!(batch.base + batch.bytes().len() as u64, HEAD as u64);
    }

    #[test]
    fn pauses_of_standard_input_are_noticed() {
        let opened = Stream::open(Entry::Stdin, &Options::default());
        assert!(opened.is_ok_and(|stream| stream.prompt.is_some()));
    }
}
