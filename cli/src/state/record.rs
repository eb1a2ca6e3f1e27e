//! The lines of a state file. Tabs separate the fields of a line. In names, tabs, line ends and backslashes are written
//! as `\t`, `\n`, `\r` and `\\`. Bytes that are not UTF-8 are written in hexadecimal, such as `\xFF`.

use std::io::Write as _;
use std::str::{self, FromStr};

use urlspool::Position;

use super::fingerprint::Fingerprint;
use crate::escaped::{push_escaped, unescape};
use crate::tally;

/// The first line of a state file, with the version of its format.
pub(super) const MARK: &str = "urlspool state 1";
/// The beginning of the first line of a state file, in every version of the format.
pub(super) const ANY_MARK: &str = "urlspool state ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// `options TEXT`: the options of the run that affect which URLs are found.
    Options(Vec<u8>),
    /// `run BOOT TIME`: a new run wrote the following lines. BOOT is an id that changes with every boot of the system.
    Run(Vec<u8>),
    /// `synced`: all lines before this line are on the disk, and so are the URLs of the files in these lines.
    Synced,
    /// `dir PATH`: the names in the following lines are in this directory. For a Maildir, PATH is the directory that
    /// contains `cur` and `new`.
    Dir(Vec<u8>),
    /// `message NAME`: a message in a Maildir, or a git object. For a message, NAME is the part of the file name that
    /// never changes.
    Message(Vec<u8>),
    /// `whole NAME DEVICE INODE SIZE MTIME [HEAD TAIL]`: a file that was read as a whole.
    ///
    /// `mailbox NAME DEVICE INODE SIZE MTIME HEAD TAIL OFFSET END MESSAGES LINES`: a mailbox that was read up to the
    /// offset END. A later run can read only the rest of the mailbox.
    File(Vec<u8>, Stat, Option<Content>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    /// The modification time, in nanoseconds since 1970-01-01 UTC.
    pub(super) modified: i64,
}

/// Fingerprints of the content of a file, and the position up to which the file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The fingerprint of the first bytes of the file.
    pub(super) head: Fingerprint,
    /// The fingerprint of the bytes directly before `Position::end`, or of the last bytes of the file if `position`
    /// is `None`.
    pub(super) tail: Fingerprint,
    /// `None` if the file is not a mailbox, because only a mailbox can be read in part.
    pub(super) position: Option<Position>,
}

impl Record {
    /// Parses a line without its line break.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is malformed. The error text is for the user.
    pub(super) fn parse(line: &[u8]) -> Result<Record, &'static str> {
        let mut fields = line.split(|&byte| byte == b'\t');
        let kind = fields.next().unwrap_or_default();
        let mut name = || fields.next().ok_or("a field is missing").and_then(unescape);
        let record = match kind {
            b"options" => Record::Options(name()?),
            b"run" => {
                let boot = name()?;
                name()?;
                Record::Run(boot)
            }
            b"synced" => Record::Synced,
            b"dir" => Record::Dir(name()?),
            b"message" => Record::Message(name()?),
            b"whole" | b"mailbox" => {
                let name = name()?;
                let mut next = || number(fields.next());
                let (device, inode, size) = (next()?, next()?, next()?);
                let stat = Stat { device, inode, size, modified: number(fields.next())? };
                let content = match fields.next() {
                    None if kind == b"whole" => None,
                    head => {
                        let (head, tail) = (fingerprint(head)?, fingerprint(fields.next())?);
                        let position = (kind == b"mailbox").then(|| position(|| number(fields.next()))).transpose()?;
                        Some(Content { head, tail, position })
                    }
                };
                Record::File(name, stat, content)
            }
            _ => return Err("the first word must be one of these: options, run, synced, dir, message, whole, mailbox"),
        };
        if fields.next().is_some() { Err("the line has too many fields") } else { Ok(record) }
    }

    /// Appends the record to `out`, as a line with a line break.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Record::Options(text) => name(out, "options", text),
            Record::Run(boot) => {
                name(out, "run", boot);
                out.push(b'\t');
                out.extend_from_slice(tally::now().as_bytes());
            }
            Record::Synced => out.extend_from_slice(b"synced"),
            Record::Dir(path) => name(out, "dir", path),
            Record::Message(unique) => name(out, "message", unique),
            Record::File(file, stat, content) => {
                let position = content.and_then(|content| content.position);
                name(out, if position.is_some() { "mailbox" } else { "whole" }, file);
                let Stat { device, inode, size, modified } = stat;
                let mut fields = format!("\t{device}\t{inode}\t{size}\t{modified}");
                for Fingerprint { length, hash } in content.iter().flat_map(|content| [content.head, content.tail]) {
                    fields += &format!("\t{length}-{hash:016x}");
                }
                if let Some(Position { offset, end, messages, lines }) = position {
                    fields += &format!("\t{offset}\t{end}\t{messages}\t{lines}");
                }
                out.extend_from_slice(fields.as_bytes());
            }
        }
        out.push(b'\n');
    }
}

fn name(out: &mut Vec<u8>, kind: &str, name: &[u8]) {
    out.extend_from_slice(kind.as_bytes());
    out.push(b'\t');
    for chunk in name.utf8_chunks() {
        push_escaped(out, chunk.valid().bytes());
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}").expect("writing to a Vec cannot fail");
        }
    }
}

fn number<N: FromStr>(field: Option<&[u8]>) -> Result<N, &'static str> {
    let text = str::from_utf8(field.ok_or("a field is missing")?).ok();
    text.and_then(|text| text.parse().ok()).ok_or("a field should be a number")
}

fn position(mut next: impl FnMut() -> Result<u64, &'static str>) -> Result<Position, &'static str> {
    let position = Position { offset: next()?, end: next()?, messages: next()?, lines: next()? };
    Some(position).filter(|position| position.offset <= position.end).ok_or("the message begins after its end")
}

fn fingerprint(field: Option<&[u8]>) -> Result<Fingerprint, &'static str> {
    let field = field.ok_or("a field is missing")?;
    let parse = || {
        let (length, hash) = str::from_utf8(field).ok()?.split_once('-')?;
        Some(Fingerprint { length: length.parse().ok()?, hash: u64::from_str_radix(hash, 16).ok()? })
    };
    parse().ok_or("a field should be a length and a hash, as in 4096-0123456789abcdef")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_what_they_say() {
        let stat = Stat { device: 1, inode: 2, size: 3, modified: -4 };
        let (head, tail) = (Fingerprint { length: 3, hash: 10 }, Fingerprint { length: 2, hash: 0x00FF });
        let position = Some(Position { offset: 5, end: 6, messages: 7, lines: 8 });
        let table = [
            ("options\t--in=text", Record::Options(b"--in=text".into())),
            ("synced", Record::Synced),
            ("dir\t/a\\tb\\n\\\\\\r", Record::Dir(b"/a\tb\n\\\r".into())),
            ("message\t1.M1P1.\u{e4}\\xff", Record::Message(b"1.M1P1.\xC3\xA4\xFF".into())),
            ("whole\t12\t1\t2\t3\t-4", Record::File(b"12".into(), stat, None)),
            (
                "whole\ta.gz\t1\t2\t3\t-4\t3-000000000000000a\t2-00000000000000ff",
                Record::File(b"a.gz".into(), stat, Some(Content { head, tail, position: None })),
            ),
            (
                "mailbox\tbox\t1\t2\t3\t-4\t3-000000000000000a\t2-00000000000000ff\t5\t6\t7\t8",
                Record::File(b"box".into(), stat, Some(Content { head, tail, position })),
            ),
        ];
        for (line, record) in table {
            assert_eq!(Record::parse(line.as_bytes()).as_ref(), Ok(&record), "{line}");
            let mut out = Vec::new();
            record.write(&mut out);
            assert_eq!(out.strip_suffix(b"\n"), Some(line.as_bytes()), "{line}");
        }
        assert_eq!(Record::parse(b"run\tid\t2026-01-01T00:00:00Z"), Ok(Record::Run(b"id".into())));
    }

    #[test]
    fn damaged_lines() {
        for (line, why) in [
            ("", "the first word must be one of these"),
            ("mesage\tx", "the first word must be one of these"),
            ("message", "a field is missing"),
            ("message\ta\tb", "too many fields"),
            ("message\ta\\", "does not begin an escape"),
            ("message\ta\\x+1", "does not begin an escape"),
            ("message\ta\\q", "does not begin an escape"),
            ("whole\t12\t1\t2\t3", "a field is missing"),
            ("whole\t12\t1\t2\tx\t4", "should be a number"),
            ("whole\t12\t1\t2\t3\t4\t5-6", "a field is missing"),
            ("whole\t12\t1\t2\t3\t4\t5\t6", "a length and a hash"),
            ("mailbox\t12\t1\t2\t3\t4", "a field is missing"),
            ("mailbox\t12\t1\t2\t3\t4\t5-6\t7-8\t9\t10\t1", "a field is missing"),
            ("mailbox\t12\t1\t2\t3\t4\t5-6\t7-8\t9\t8\t1\t1", "the message begins after its end"),
        ] {
            let error = Record::parse(line.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
