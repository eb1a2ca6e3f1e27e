//! Converts Outlook files and signed messages in S/MIME to mail.

use std::io::{self, Read};

use super::{Step, Stream};
#[cfg(feature = "outlook")]
use crate::container::MSG;
use crate::container::{Format, SMIME};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::error::{Error, Remedy};
#[cfg(feature = "outlook")]
use crate::magic;
use crate::magic::cms;
#[cfg(feature = "outlook")]
use crate::source::entry::open_file;
#[cfg(feature = "outlook")]
use crate::source::folders::Folders;
use crate::source::{Batch, SkipReason};

/// Maximum size in bytes of one Outlook message, or of a signed message in S/MIME. The file is read into memory as a
/// whole. Messages are smaller than this limit, because Exchange limits them to 150 MB.
const WHOLE_MAX: u64 = 256 << 20;

impl<R: Read> Stream<R> {
    /// Opens an Outlook mailbox. The folders of the mailbox are read like the members of an archive.
    ///
    /// The data of a message is spread over the mailbox file, and must be read out of order. The mailbox must therefore
    /// be a regular file, not a pipe or a member of an archive.
    #[cfg(feature = "outlook")]
    pub(super) fn folders(&mut self, batch: &mut Batch) -> Step {
        self.stop(batch);
        if self.live.is_some() || self.is_unpacked() {
            let what = "an Outlook mailbox (pst, ost) in an archive or a pipe";
            return Err(Error::unsupported(&self.place(), what, magic::READPST).into());
        }
        let file = open_file(&self.path, false).map_err(|error| Error::open(&self.path, error))?;
        let folders = Folders::open(file).map_err(|error| match error {
            outlook_mime::Error::Io(error) => Error::read(&self.path, error),
            _ => Error::incomplete(&self.path, Diagnostic::new(DiagnosticKind::BadOutlook, 0), false),
        })?;
        self.unpack.layer.put_folders(folders);
        self.enter();
        Ok(())
    }

    /// Converts the Outlook file whose first bytes are in `batch`. Replaces these bytes by the converted message, and
    /// returns its format.
    #[cfg(feature = "outlook")]
    pub(super) fn outlook(
        &mut self,
        batch: &mut Batch,
        convert: fn(&[u8]) -> Result<outlook_mime::Message, outlook_mime::Error>,
    ) -> Step<&'static Format> {
        let bytes = self.whole(batch)?;
        let note = Diagnostic::new(DiagnosticKind::BadOutlook, 0);
        match convert(&bytes) {
            Ok(message) => {
                batch.put(&message.bytes);
                batch.notes.extend(message.is_damaged.then_some(note));
                Ok(MSG)
            }
            Err(outlook_mime::Error::Document) => Err(self.skip(batch, SkipReason::Document)),
            Err(_) => Err(match self.window.failed.take() {
                Some(error) => Error::read(&self.place(), error).into(),
                None => Error::incomplete(&self.place(), note, false).into(),
            }),
        }
    }

    /// Does the same for a signed message in S/MIME.
    pub(super) fn unwrap(&mut self, batch: &mut Batch) -> Step<&'static Format> {
        let bytes = self.whole(batch)?;
        let Some(message) = cms::content(&bytes) else {
            let note = Diagnostic::new(DiagnosticKind::BadArchive, 0);
            return Err(Error::incomplete(&self.place(), note, false).into());
        };
        if message.is_empty() {
            return Err(match self.named {
                true => {
                    Error::unsupported(&self.place(), "a signature without a message", Remedy::Format("text")).into()
                }
                false => self.skip(batch, SkipReason::Binary),
            });
        }
        batch.put(&message);
        Ok(SMIME)
    }

    /// Reads the whole file into memory, because it must be converted as a whole. `batch` has the first bytes.
    fn whole(&mut self, batch: &mut Batch) -> Step<Vec<u8>> {
        let mut bytes = batch.take();
        if !self.window.eof {
            let most = WHOLE_MAX.saturating_sub(bytes.len() as u64);
            if let Err(error) = self.unpack.layer.by_ref().take(most).read_to_end(&mut bytes) {
                self.window.failed = Some(error);
            }
        }
        self.window.eof = true;
        if bytes.len() as u64 >= WHOLE_MAX {
            let why = io::Error::other("it is larger than 256 MiB; convert it with another program first");
            return Err(Error::open(&self.place(), why).into());
        }
        Ok(bytes)
    }
}
