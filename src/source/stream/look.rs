//! Recognizes an input by its first bytes, and by those of what is packed in it.

use std::io::{self, Read};

use super::Stream;
use crate::container::{Format, HEAD, MESSAGE, TEXT};
use crate::error::{Error, Remedy};
use crate::source::magic::{self, Kind, MAGIC_LEN, Magic};
use crate::source::{Batch, DetectedBy, seek, sfx_prefix};

/// How many layers are unpacked at most: archives in archives, compressed files in them, and so on.
const LAYERS_MAX: usize = 6;

impl<R: Read> Stream<R> {
    /// Reads enough to detect the format, and the reason for it. Decodes the input's compression. `None` if it is an
    /// archive.
    pub(super) fn begin(
        &mut self,
        batch: &mut Batch,
        target: usize,
    ) -> Result<Option<(&'static Format, DetectedBy)>, Error> {
        batch.set_lines_end_in_cr(false);
        // The archive may have named the compression of a member.
        let mut layers = usize::from(self.codec.is_some());
        loop {
            // Do not wait for more of a live input than is needed. Only unpacked inputs need more.
            let least = if self.live && !self.is_unpacked() { MAGIC_LEN } else { target };
            match self.look(batch, least) {
                Magic::Plain => break,
                Magic::Unsupported(what, hint) => {
                    self.eof = true;
                    let is_packed = layers > 0 || !self.names.is_empty();
                    let hint = if is_packed { hint.on_packed() } else { hint };
                    return Err(Error::unsupported(&self.place(), what, hint));
                }
                Magic::Packed(kind, line) if cfg!(not(feature = "compression")) => {
                    self.eof = true;
                    return Err(Error::unsupported(&self.place(), kind.what(line), Remedy::Feature("compression")));
                }
                Magic::Packed(..) if layers + 2 * self.names.len() >= LAYERS_MAX => {
                    let why = io::Error::other("it is in too many nested archives");
                    return Err(Error::open(&self.place(), why));
                }
                Magic::Packed(kind, line) => {
                    layers += 1;
                    self.layer.put(kind, batch.take().split_off(line), self.decoded);
                    self.eof = false;
                    match kind {
                        Kind::Packed(codec) => self.codec = Some(codec),
                        // The program before the archive is read first.
                        Kind::Zip(1..) => self.has_sfx_prefix = true,
                        Kind::Tar | Kind::Zip(0) => {
                            self.enter();
                            return Ok(None);
                        }
                    }
                }
            }
        }
        self.lines_end_in_cr = magic::lines_end_in_cr(batch.bytes());
        batch.set_lines_end_in_cr(self.lines_end_in_cr);
        if let Some(format) = self.options.format {
            return Ok(Some((format, DetectedBy::Explicit)));
        }
        self.head(batch, HEAD);
        Ok(Some(match Format::detect(batch.bytes()) {
            format if format == TEXT && self.message => (MESSAGE, DetectedBy::Location),
            format => (format, DetectedBy::Content),
        }))
    }

    /// Reads enough to recognize compression and archives, and returns what it is.
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
        // A message can have an unencoded archive as an attachment.
        if Format::detect(batch.bytes()) != TEXT {
            return magic;
        }
        self.head(batch, reach);
        let magic = magic::look_after(&batch.bytes()[..batch.bytes().len().min(reach)]);
        self.is_searched = magic == Magic::Plain;
        magic
    }

    /// Returns where a zip archive ends whose members were not found, because it begins after the bytes that are
    /// searched for one, or in another file. Only regular files that are read as a whole, and are not in an archive,
    /// are checked.
    pub(super) fn archive_end(&self) -> Option<u64> {
        if !self.is_searched || self.live || self.is_unpacked() || self.options.range.is_some() {
            return None;
        }
        // The file's bytes were read before. An error here, because it was removed since, does no harm.
        let (bytes, start) = seek::tail(&self.path, sfx_prefix::END_MAX).ok()?;
        sfx_prefix::end(&bytes).map(|at| start + at as u64)
    }

    /// Reads until there are `target` bytes, or the input ends or fails.
    fn head(&mut self, batch: &mut Batch, target: usize) {
        if self.eof {
            return;
        }
        match batch.fill(&mut self.layer, target, target) {
            Ok(more) => self.eof = !more,
            Err(e) => (self.eof, self.failed) = (true, Some(e)),
        }
    }
}
