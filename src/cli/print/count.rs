//! Counts per file, as grep has them: `FILE:COUNT`, and per member of an archive: `FILE!MEMBER:COUNT`.

use std::io::{self, Write};
use std::ops::Range;

use urlspool::{File, Hit};

use super::plain::{FILE, RESET};
use super::{Page, Printer, Style, object, plain};
use crate::cli::select::Refused;

/// Prints a count per file or member. One may go over several pages.
pub(crate) struct Counts {
    /// Whether the names of files are printed; those of an archive's members are in any case.
    names: bool,
    /// A newline, or NUL.
    end: u8,
    style: Style,
    /// What earlier pages counted of the file that is not at its end yet.
    carried: u64,
    out: Vec<u8>,
}

impl Counts {
    pub(crate) fn new(names: bool, end: u8, style: Style) -> Counts {
        Counts { names, end, style, carried: 0, out: Vec::new() }
    }
}

/// What one worker counted.
#[derive(Default)]
pub(crate) struct Tally {
    /// The files and members that ended.
    ended: Vec<Ended>,
    /// Their names.
    names: Vec<u8>,
    /// The count of the file that has not ended.
    open: u64,
}

struct Ended {
    /// The place of its name.
    name: Range<usize>,
    is_member: bool,
    count: u64,
}

impl Page for Tally {
    fn hit(&mut self, _: &Hit<'_>) {
        self.open += 1;
    }

    /// A place counts once, however it is read.
    fn reading(&mut self, _: &Hit<'_>, _: &[u8]) {}

    fn refused(&mut self, _: &Refused<'_>) {
        self.open += 1;
    }

    /// An archive, which ends behind its members, has nothing of its own to count.
    fn end(&mut self, file: &File) {
        if file.is_archive() {
            return;
        }
        let start = self.names.len();
        self.names.extend_from_slice(file.name().as_os_str().as_encoded_bytes());
        if let Some(member) = file.member() {
            // It comes from the archive, and may hold a line end.
            self.names.push(b'!');
            plain::octets(&mut self.names, member, false);
        }
        let (name, count) = (start..self.names.len(), std::mem::take(&mut self.open));
        self.ended.push(Ended { name, is_member: file.member().is_some(), count });
    }

    fn size(&self) -> usize {
        self.names.len()
    }
}

impl Printer for Counts {
    type Page = Tally;

    fn page(&self) -> Tally {
        Tally::default()
    }

    fn print(&mut self, page: &mut Tally, out: &mut dyn Write) -> io::Result<()> {
        for Ended { name, is_member, count } in page.ended.drain(..) {
            if self.names || is_member {
                self.style.colour(&mut self.out, FILE);
                match &page.names[name] {
                    name if self.style == Style::Raw => self.out.extend_from_slice(name),
                    name => plain::octets(&mut self.out, name, true),
                }
                self.style.colour(&mut self.out, RESET);
                self.out.push(b':');
            }
            object::number(&mut self.out, std::mem::take(&mut self.carried) + count);
            self.out.push(self.end);
        }
        self.carried += std::mem::take(&mut page.open);
        page.names.clear();
        out.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}
