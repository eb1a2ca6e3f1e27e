//! Detects the compression and the format of an input from its first bytes. Adds a decoder (a layer) for each
//! compression and each archive.

use std::io::{self, Read};

use super::Stream;
use crate::container::{Format, HEAD, MESSAGE, TEXT, line_ends};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::error::{Error, Remedy};
use crate::source::magic::{self, Kind, MAGIC_LEN, Magic};
use crate::source::{Batch, DetectedBy, SkipReason, binary, seek, sfx_prefix};

/// Maximum nesting depth of archives and compressions. A compression counts as 1. An archive counts as 2, because the
/// archive itself can be compressed: its own compression does not count for its members.
const LAYERS_MAX: usize = 6;

impl<R: Read> Stream<R> {
    /// Adds a layer for each compression of the input, and reads enough decoded bytes to detect the format. Returns the
    /// format, and how the format was determined. Returns `None` if the input is an archive or is skipped.
    pub(super) fn begin(
        &mut self,
        batch: &mut Batch,
        target: usize,
    ) -> Result<Option<(&'static Format, DetectedBy)>, Error> {
        batch.set_lines_end_in_cr(false);
        if let Some(format) = self.known.take() {
            return Ok(Some((format, DetectedBy::Content)));
        }
        if let Some((archive, range)) = self.options.members.take() {
            self.layer.put_members(archive, range);
            self.enter();
            return Ok(None);
        }
        // The input can be a member of an archive. If the archive states the compression of this member, the member is
        // already being decoded. Such a compression adds 1 to the nesting depth, which is at most [`LAYERS_MAX`].
        let mut layers = usize::from(self.codec.is_some());
        loop {
            // A pipe may be slow, so the loop waits only for the bytes that are needed to recognize a compression or an
            // archive. From a file, and from decoded data, the loop reads a whole chunk.
            let least = if self.live && !self.is_unpacked() { MAGIC_LEN } else { target };
            match self.look(batch, least) {
                Magic::Plain => break,
                #[cfg(feature = "outlook")]
                Magic::Ole => return Ok(self.ole(batch)?.map(|format| (format, DetectedBy::Content))),
                #[cfg(feature = "pst")]
                Magic::Pst => {
                    self.folders(batch)?;
                    return Ok(None);
                }
                Magic::Document => return Ok(self.skip(batch, SkipReason::Document)),
                Magic::Unsupported(what, hint) => {
                    self.stop(batch);
                    let is_packed = layers > 0 || !self.names.is_empty();
                    let hint = if is_packed { hint.on_packed() } else { hint };
                    return Err(Error::unsupported(&self.place(), what, hint));
                }
                Magic::Packed(kind, line) if cfg!(not(feature = "compression")) => {
                    self.eof = true;
                    return Err(Error::unsupported(&self.place(), kind.what(line), Remedy::Feature("compression")));
                }
                Magic::Packed(..) if layers + 2 * self.names.len() >= LAYERS_MAX => {
                    let why = format!(
                        "it is nested too deeply (more than {LAYERS_MAX} layers; a compression is 1 layer, an archive is \
                         2); unpack the outer layers first"
                    );
                    self.stop(batch);
                    return Err(Error::open(&self.place(), io::Error::other(why)));
                }
                Magic::Packed(kind, line) => {
                    layers += 1;
                    self.layer.put(kind, batch.take().split_off(line), self.decoded);
                    self.eof = false;
                    match kind {
                        Kind::Packed(codec) => self.codec = Some(codec),
                        // A self-extracting archive. First, the program before the first member is searched for URLs.
                        // Then the members are searched.
                        Kind::Zip(1..) => self.has_sfx_prefix = true,
                        Kind::Tar | Kind::Zip(0) => {
                            self.enter();
                            return Ok(None);
                        }
                    }
                }
            }
        }
        self.lines_end_in_cr = line_ends::are_cr(batch.bytes());
        batch.set_lines_end_in_cr(self.lines_end_in_cr);
        if let Some(format) = self.options.format {
            return Ok(Some((format, DetectedBy::Explicit)));
        }
        self.head(batch, HEAD);
        let settled = self.prompt.and_then(|_| self.settled(batch.bytes()));
        let format = settled.unwrap_or_else(|| Format::detect(batch.bytes()));
        if format != TEXT || self.has_sfx_prefix {
            return Ok(Some((format, DetectedBy::Content)));
        }
        match binary::find(batch.bytes(), self.message) {
            // If the user named the binary file, an error is reported. A binary file in a directory or an archive is
            // skipped without an error. But a file with the end of a zip archive is an error, even in a directory.
            Some(what) => match self.archive_end() {
                Some(offset) => {
                    self.stop(batch);
                    let end = Diagnostic::new(DiagnosticKind::ArchiveEnd, offset);
                    Err(Error::incomplete(&self.place(), end, false))
                }
                None if self.named && self.names.is_empty() => {
                    self.stop(batch);
                    Err(Error::unsupported(&self.place(), what, Remedy::Format("text")))
                }
                None => Ok(self.skip(batch, SkipReason::Binary)),
            },
            None if self.message => Ok(Some((MESSAGE, DetectedBy::Location))),
            None if self.options.mail_only => Ok(self.skip(batch, SkipReason::NotMail)),
            None => Ok(Some((TEXT, DetectedBy::Content))),
        }
    }

    /// Skips the rest of the current file or member.
    pub(super) fn skip<T>(&mut self, batch: &mut Batch, why: SkipReason) -> Option<T> {
        self.skipped = Some(why);
        self.stop(batch);
        None
    }

    /// Stops reading the current file or member. If the data is unpacked, first reads until the batch has [`HEAD`]
    /// bytes, and then drops the note about damage unless the data ended before. So the chunk size does not determine
    /// which damage is reported.
    pub(super) fn stop(&mut self, batch: &mut Batch) {
        if self.is_unpacked() {
            self.head(batch, HEAD);
        }
        self.eof = true;
        if self.layer.offset() >= HEAD as u64 {
            self.layer.drop_notes();
        }
        // The input is skipped, or has an error already. Its read error must not be reported for the next input.
        self.failed = None;
    }

    /// Reads enough bytes to recognize compression and archives.
    fn look(&mut self, batch: &mut Batch, target: usize) -> Magic {
        self.head(batch, MAGIC_LEN.max(target));
        let magic = magic::look(batch.bytes());
        if magic != Magic::Plain || self.has_sfx_prefix {
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
        if !self.is_searched || self.live || self.is_unpacked() || self.options.range.is_some() {
            return None;
        }
        // `tail` opens the file a second time. If `tail` fails, for example because the file was removed, nothing is
        // reported.
        let (bytes, start) = seek::tail(&self.path, sfx_prefix::END_MAX).ok()?;
        sfx_prefix::end(&bytes).map(|at| start + at as u64)
    }

    /// Reads until the batch has `target` bytes, or until the input ends or reading fails. If complete lines must be
    /// returned as soon as they arrive, also stops when later bytes cannot change the format.
    fn head(&mut self, batch: &mut Batch, target: usize) {
        let prompt = self.prompt.filter(|_| !self.is_unpacked());
        let (is_prompt, is_quiet) = (prompt.is_some(), prompt.unwrap_or(|| false));
        while !self.eof && batch.bytes().len() < target && !(is_prompt && self.settled(batch.bytes()).is_some()) {
            let (least, most) = if is_prompt { (batch.bytes().len() + 1, target.max(HEAD)) } else { (target, target) };
            match batch.fill(&mut self.layer, least, most, is_quiet) {
                Ok(more) => self.eof = !more,
                Err(e) => (self.eof, self.failed) = (true, Some(e)),
            }
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
