//! A line per file, as grep has them: `FILE:COUNT` for `-c`, `FILE` for `-l`. A member of an archive is `FILE!MEMBER`.

use std::io::{self, Write};

use super::{Style, object};
use crate::tally::Tally;

/// Prints a line per file or member.
pub(crate) struct Counts {
    /// Whether the names of files are printed; those of an archive's members are in any case.
    pub(crate) names: bool,
    /// A newline, or NUL.
    pub(crate) end: u8,
    pub(crate) style: Style,
    /// If set: prints only the names of files with URLs, at most this number. Otherwise prints the count of every file.
    pub(crate) names_left: Option<u64>,
}

impl Counts {
    /// Prints a line for each file that has ended, and forgets it.
    pub(super) fn print(&mut self, tally: &mut Tally, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        for (name, count) in tally.ended.drain(..) {
            if let Some(left) = &mut self.names_left {
                if count > 0 && *left > 0 {
                    *left -= 1;
                    self.style.file(&mut text, &name.path, name.member.as_deref());
                    text.push(self.end);
                }
                continue;
            }
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
