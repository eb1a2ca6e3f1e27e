//! The folders of an Outlook mailbox, as members of an archive.

use std::fs::File;
use std::io::{self, Read};

use outlook_mime::{Error, Mailbox};

/// Reads the messages of the current folder as a news batch. Before each message, the batch has a line with the length
/// of the message.
pub(super) struct Folders {
    mailbox: Mailbox<File>,
    /// The line before the last converted message, and then the message. The caller has already read the first `read`
    /// bytes of this buffer.
    out: Vec<u8>,
    read: usize,
}

impl Folders {
    pub(super) fn open(file: File) -> Result<Folders, Error> {
        Ok(Folders { mailbox: Mailbox::open(file)?, out: Vec::new(), read: 0 })
    }

    /// Moves to the next folder that has messages. Returns the path of the folder.
    pub(super) fn next_folder(&mut self) -> Option<String> {
        self.out.clear();
        self.read = 0;
        self.mailbox.next_folder()
    }

    /// Returns whether damaged data was found since the last call of this function.
    pub(super) fn take_damage(&mut self) -> bool {
        self.mailbox.take_damage()
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
        Ok(n)
    }
}
