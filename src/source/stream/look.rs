//! Detects the compression and the format of an input from its first bytes. Adds a decoder (a layer) for each
//! compression and each archive.

use std::io::{self, Read};

use super::unpack::LAYERS_MAX;
use super::{Hint, Step, Stream, StreamEvent};
use crate::container::{Format, HEAD, MESSAGE, TEXT, counted_begins_at, line_ends};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::error::{Error, Remedy};
use crate::magic::{self, Kind, MAGIC_LEN, Magic, sfx_prefix};
use crate::source::entry::open_file;
use crate::source::{Batch, DetectedBy, SkipReason, binary, seek};

impl<R: Read> Stream<R> {
    /// Adds a layer for each compression of the input, and reads enough decoded bytes to detect the format. Returns the
    /// format, and how the format was determined. Returns `None` if the input is an archive, whose members come next.
    pub(super) fn begin(&mut self, batch: &mut Batch, target: usize) -> Step<Option<(&'static Format, DetectedBy)>> {
        batch.set_lines_end_in_cr(false);
        if let Hint::Format(format) = self.hint {
            return Ok(Some((format, DetectedBy::Content)));
        }
        #[cfg(feature = "tasks")]
        if let Some((archive, range)) = self.options.members.take() {
            self.unpack.put(archive, Vec::new());
            self.unpack.layer.limit(range);
            self.enter();
            return Ok(None);
        }
        match self.decode(batch, target)? {
            Magic::Plain => self.detect(batch).map(Some),
            Magic::Packed(..) => {
                self.enter();
                Ok(None)
            }
            #[cfg(feature = "outlook")]
            Magic::Ole => self.outlook(batch, outlook_mime::from_msg).map(|format| Some((format, DetectedBy::Content))),
            #[cfg(feature = "outlook")]
            Magic::Tnef => {
                self.outlook(batch, outlook_mime::from_tnef).map(|format| Some((format, DetectedBy::Content)))
            }
            Magic::Signed => self.unwrap(batch).map(|format| Some((format, DetectedBy::Content))),
            #[cfg(feature = "outlook")]
            Magic::Pst => {
                self.folders(batch)?;
                Ok(None)
            }
            Magic::Document => Err(self.skip(batch, SkipReason::Document)),
            Magic::Unsupported(what, hint) => {
                self.stop(batch);
                let hint = if self.unpack.is_packed() { hint.on_packed() } else { hint };
                Err(Error::unsupported(&self.place(), what, hint).into())
            }
        }
    }

    /// Adds a layer for each compression of the input, and for an archive. Returns what the first decoded bytes are.
    /// For an archive, returns [`Magic::Packed`].
    fn decode(&mut self, batch: &mut Batch, target: usize) -> Step<Magic> {
        // The input can be a member of an archive. If the archive states the compression of this member, the member is
        // already being decoded. Such a compression adds 1 to the nesting depth.
        let mut layers = usize::from(self.unpack.codec.is_some());
        loop {
            // A pipe may be slow, so the loop waits only for the bytes that are needed to recognize a compression or an
            // archive. From a file, and from decoded data, the loop reads a whole chunk.
            let least = if self.is_live() { MAGIC_LEN } else { target };
            let magic = self.look(batch, least);
            let Magic::Packed(kind, line) = magic else { return Ok(magic) };
            if cfg!(not(feature = "compression")) {
                self.window.eof = true;
                let hint = Remedy::Feature("compression");
                return Err(Error::unsupported(&self.place(), kind.what(line), hint).into());
            }
            if self.unpack.is_too_deep(layers) {
                let why = format!(
                    "it is nested too deeply (more than {LAYERS_MAX} layers; a compression is 1 layer, an archive is \
                     2); unpack the outer layers first"
                );
                self.stop(batch);
                return Err(Error::open(&self.place(), io::Error::other(why)).into());
            }
            layers += 1;
            self.unpack.put(kind, batch.take().split_off(line));
            self.window.eof = false;
            match kind {
                Kind::Packed(codec) => self.unpack.codec = Some(codec),
                // A self-extracting archive. First, the program before the first member is searched for URLs. Then the
                // members are searched.
                Kind::Zip(1..) => self.unpack.has_sfx_prefix = true,
                Kind::Tar | Kind::Zip(0) => return Ok(magic),
            }
        }
    }

    /// Detects the format of an input that is not an archive, from its first decoded bytes.
    fn detect(&mut self, batch: &mut Batch) -> Step<(&'static Format, DetectedBy)> {
        self.window.lines_end_in_cr = line_ends::are_cr(batch.bytes());
        batch.set_lines_end_in_cr(self.window.lines_end_in_cr);
        if let Some(format) = self.options.format {
            let detected = format.of_file(batch.bytes());
            self.restart(batch, detected, &|head| format.of_file(head));
            return Ok((detected, DetectedBy::Explicit));
        }
        self.head(batch, HEAD);
        let settled = self.prompt().and_then(|_| self.settled(batch.bytes()));
        let format = settled.unwrap_or_else(|| Format::detect(batch.bytes()));
        self.restart(batch, format, &Format::detect);
        if self.options.mail_only && !format.media.is_empty() {
            return Err(self.skip(batch, SkipReason::NotMail));
        }
        if format != TEXT || self.unpack.has_sfx_prefix {
            return Ok((format, DetectedBy::Content));
        }
        let is_message = matches!(self.hint, Hint::Message);
        match binary::find(batch.bytes(), is_message) {
            // If the user named the binary file, an error is reported. A binary file in a directory or an archive is
            // skipped without an error. But a file with the end of a zip archive is an error, even in a directory.
            Some(what) => Err(match self.archive_end() {
                Some(offset) => {
                    self.stop(batch);
                    let end = Diagnostic::new(DiagnosticKind::ArchiveEnd, offset);
                    Error::incomplete(&self.place(), end, false).into()
                }
                None if self.named && !self.unpack.is_member() => {
                    self.stop(batch);
                    Error::unsupported(&self.place(), what, Remedy::Format("text")).into()
                }
                None => self.skip(batch, SkipReason::Binary),
            }),
            None if is_message => Ok((MESSAGE, DetectedBy::Location)),
            None if self.options.mail_only => Err(self.skip(batch, SkipReason::NotMail)),
            None => Ok((TEXT, DetectedBy::Content)),
        }
    }

    /// Reads the file from its beginning if what an earlier run has read has another format without the rest. With a
    /// `Content-Length` that leads over all messages, for example, new messages are a part of an old one. In an honest
    /// mailbox, the new format also has a message where the earlier run ended.
    fn restart(&mut self, batch: &mut Batch, format: &Format, detect: &dyn Fn(&[u8]) -> &'static Format) {
        let Some(from) = self.progress.from.filter(|from| from.end > 0) else { return };
        let known = batch.bytes().get(..usize::try_from(from.end).unwrap_or(usize::MAX));
        let is_other = known.is_some_and(|known| detect(known) != format);
        if is_other && !(format.name == "mboxcl2" && counted_begins_at(batch.bytes(), from.offset)) {
            self.progress.from = None;
            batch.notes.push(Diagnostic::new(DiagnosticKind::Grown, 0));
        }
    }

    /// Skips the rest of the current file or member, for the given reason. Returns the event to report.
    pub(super) fn skip(&mut self, batch: &mut Batch, why: SkipReason) -> StreamEvent {
        self.stop(batch);
        StreamEvent::Skipped(self.place(), why)
    }

    /// Stops reading the current file or member. If the data is unpacked, first reads until the batch has [`HEAD`]
    /// bytes, and then drops the note about damage unless the data ended before. So the chunk size does not determine
    /// which damage is reported.
    pub(super) fn stop(&mut self, batch: &mut Batch) {
        if self.is_unpacked() {
            self.head(batch, HEAD);
        }
        self.window.stop();
        if self.unpack.layer.carrier().offset() >= HEAD as u64 {
            self.unpack.layer.drop_notes();
        }
    }

    /// Reads enough bytes to recognize compression and archives.
    fn look(&mut self, batch: &mut Batch, target: usize) -> Magic {
        self.head(batch, MAGIC_LEN.max(target));
        let magic = magic::look(batch.bytes());
        if magic != Magic::Plain || self.unpack.has_sfx_prefix {
            return magic;
        }
        let reach = magic::reach(batch.bytes());
        if reach == 0 {
            return magic;
        }
        self.head(batch, HEAD);
        // A message with an archive as an unencoded attachment is read as a message, not as an archive.
        if Format::detect(batch.bytes()) != TEXT {
            return magic;
        }
        self.head(batch, reach);
        let magic = magic::look_after(&batch.bytes()[..batch.bytes().len().min(reach)]);
        self.is_searched = magic == Magic::Plain;
        magic
    }

    /// Returns the offset of the end record of a zip archive whose members were not found. The members are too far from
    /// the beginning of the file, or in another file. Checks only regular files that are not in an archive and are read
    /// from the beginning to the end.
    pub(super) fn archive_end(&self) -> Option<u64> {
        if !self.is_searched || self.live.is_some() || self.is_unpacked() || self.options.range.is_some() {
            return None;
        }
        // The file is opened a second time. If that fails, for example because the file was removed, nothing is reported.
        let mut file = open_file(&self.path, false).ok()?;
        let (bytes, start) = seek::tail(&mut file, sfx_prefix::END_MAX).ok()?;
        sfx_prefix::end(&bytes).map(|at| start + at as u64)
    }

    /// Reads until the batch has `target` bytes, or until the input ends or reading fails. If complete lines must be
    /// returned as soon as they arrive, also stops when later bytes cannot change the format.
    fn head(&mut self, batch: &mut Batch, target: usize) {
        let prompt = self.prompt();
        while !self.window.eof
            && batch.bytes().len() < target
            && (prompt.is_none() || self.settled(batch.bytes()).is_none())
        {
            let sizes = if prompt.is_some() { batch.bytes().len() + 1..target.max(HEAD) } else { target..target };
            self.window.read(batch, &mut self.unpack.layer, sizes, prompt.unwrap_or(|| false));
        }
    }

    /// Returns the format if `head` is enough to determine it. The input must be neither compressed nor an archive, and
    /// the format must be the same whatever bytes follow. If `head` has a NUL, returns `None`, because `head` can be
    /// the beginning of a tar header, which has NULs.
    fn settled(&self, head: &[u8]) -> Option<&'static Format> {
        let is_text = memchr::memchr(0, head).is_none() && magic::look(head) == Magic::Plain && magic::reach(head) == 0;
        let format = is_text.then(|| Format::settled(head))??;
        Some(self.options.format.unwrap_or(format))
    }
}
