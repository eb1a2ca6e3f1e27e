//! The folders of an Outlook mailbox, as members of an archive.

use std::fs::File;
use std::io::{self, Read};

use outlook_mime::{Error, Mailbox};

use super::member::{Carrier, Member, Next};
use crate::container::PST;
use crate::diagnostic::DiagnosticKind;

/// Reads the messages of the current folder as a news batch. Before each message, the batch has a line with the length
/// of the message.
pub(super) struct Folders {
    mailbox: Mailbox<File>,
    /// The line before the last converted message, and then the message. The caller has already read the first `read`
    /// bytes of this buffer.
    out: Vec<u8>,
    read: usize,
    /// Number of bytes that were returned in all folders.
    given: u64,
}

impl Folders {
    pub(super) fn open(file: File) -> Result<Folders, Error> {
        Ok(Folders { mailbox: Mailbox::open(file)?, out: Vec::new(), read: 0, given: 0 })
    }
}

impl Carrier for Folders {
    /// Moves to the next folder that has messages. The name of the folder is its path.
    fn advance(&mut self) -> io::Result<Option<Next>> {
        self.out.clear();
        self.read = 0;
        let name = self.mailbox.next_folder().map(String::into_bytes);
        Ok(name.map(|name| Next::Member(Member { name, format: Some(PST), ..Member::default() })))
    }

    fn offset(&mut self) -> u64 {
        self.given
    }

    /// Returns whether damaged data was found since the last call of this function.
    fn note(&mut self) -> Option<DiagnosticKind> {
        self.mailbox.take_damage().then_some(DiagnosticKind::BadOutlook)
    }
}

impl Read for Folders {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.read == self.out.len() {
            let Some(message) = self.mailbox.next_message().transpose()? else { return Ok(0) };
            self.out = format!("#! rnews {}\n", message.bytes.len()).into_bytes();
            self.out.extend(message.bytes);
            self.read = 0;
        }
        let n = (&self.out[self.read..]).read(buf)?;
        self.read += n;
        self.given += n as u64;
        Ok(n)
    }
}
