//! Converts files of Outlook to an mbox on standard output: `.msg`, `.pst` and `.ost` files, and `winmail.dat`.
//!
//! ```sh
//! cargo run --example outlook2mbox archive.pst offer.msg winmail.dat >mail.mbox
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};

use outlook_mime::{Error::Format, Mailbox, Message, from_msg, from_tnef};

/// Appends a message to the mbox `out`. A line of the message that begins with `From `, after any number of `>`, gets
/// another `>`, so that it does not begin a message.
fn append(message: &Message, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"From outlook2mbox Thu Jan  1 00:00:00 1970\n")?;
    for line in message.bytes.split_inclusive(|&byte| byte == b'\n') {
        let quoted = line.iter().position(|&byte| byte != b'>').unwrap_or(line.len());
        if line[quoted..].starts_with(b"From ") {
            out.write_all(b">")?;
        }
        out.write_all(line)?;
    }
    out.write_all(b"\n\n")
}

fn convert(path: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut mailbox = match Mailbox::open(File::open(path)?) {
        Ok(mailbox) => mailbox,
        Err(Format) => {
            let bytes = fs::read(path)?;
            let message = match from_msg(&bytes) {
                Err(Format) => from_tnef(&bytes)?,
                message => message?,
            };
            return Ok(append(&message, out)?);
        }
        Err(error) => return Err(error.into()),
    };
    while mailbox.next_folder().is_some() {
        while let Some(message) = mailbox.next_message() {
            append(&message?, out)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in std::env::args().skip(1) {
        convert(&path, &mut out).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(out.flush()?)
}
