//! Converts Outlook files to mail.

use std::io::{self, Read};

use super::{Step, Stream};
use crate::container::{Format, MSG};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::error::Error;
use crate::source::{Batch, SkipReason};
#[cfg(feature = "outlook")]
use crate::source::{folders::Folders, magic};

/// Maximum size in bytes of a compound file, the format of one Outlook message. The file is read into memory as a
/// whole. Messages are smaller than this limit, because Exchange limits them to 150 MB.
const OLE_MAX: u64 = 256 << 20;

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
        let file = std::fs::File::open(&self.path).map_err(|error| Error::open(&self.path, error))?;
        let folders = Folders::open(file).map_err(|error| match error {
            outlook_mime::Error::Io(error) => Error::read(&self.path, error),
            _ => Error::incomplete(&self.path, Diagnostic::new(DiagnosticKind::BadOutlook, 0), false),
        })?;
        self.unpack.layer.put_folders(folders);
        self.enter();
        Ok(())
    }

    /// Converts the Outlook message whose first bytes are in `batch`. Replaces these bytes by the converted message,
    /// and returns its format.
    ///
    /// The message is a compound file. The streams of a compound file can be in any order, so the whole file is read
    /// into memory.
    pub(super) fn ole(&mut self, batch: &mut Batch) -> Step<&'static Format> {
        let mut bytes = batch.take();
        if !self.window.eof {
            let most = OLE_MAX.saturating_sub(bytes.len() as u64);
            if let Err(error) = self.unpack.layer.by_ref().take(most).read_to_end(&mut bytes) {
                self.window.failed = Some(error);
            }
        }
        self.window.eof = true;
        if bytes.len() as u64 >= OLE_MAX {
            let why = io::Error::other("it is larger than 256 MiB; convert it with `msgconvert` first");
            return Err(Error::open(&self.place(), why).into());
        }
        let note = Diagnostic::new(DiagnosticKind::BadOutlook, 0);
        match outlook_mime::from_msg(&bytes) {
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
}
