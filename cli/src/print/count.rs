//! Counts per file, as grep has them: `FILE:COUNT`, and per member of an archive: `FILE!MEMBER:COUNT`.

use std::io::{self, Write};

use super::{Style, object};
use crate::tally::Tally;

/// Prints a count per file or member.
pub(crate) struct Counts {
    /// Whether the names of files are printed; those of an archive's members are in any case.
    pub(crate) names: bool,
    /// A newline, or NUL.
    pub(crate) end: u8,
    pub(crate) style: Style,
}

impl Counts {
    /// Prints a line for each file that has ended, and forgets it.
    pub(super) fn print(&self, tally: &mut Tally, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        for (name, count) in tally.ended.drain(..) {
            if self.names || name.member.is_some() {
                self.style.file(&mut text, &name.path, name.member.as_deref());
                text.push(b':');
            }
            object::number(&mut text, count);
            text.push(self.end);
        }
        out.write_all(&text)
    }
}
