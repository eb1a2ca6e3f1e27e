//! `-l`: prints the names of the files that have URLs.

use std::io::{self, Write};

use super::Style;
use crate::tally::Tally;

/// Prints a line for each file with URLs.
pub(crate) struct Names {
    /// The byte that ends each line: a newline or NUL.
    pub(crate) end: u8,
    pub(crate) style: Style,
    /// How many more names `-m` allows.
    pub(crate) left: u64,
}

impl Names {
    /// Prints a line for each file in `tally.ended`, and empties this list.
    pub(super) fn print(&mut self, tally: &mut Tally, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        for (name, count) in tally.ended.drain(..) {
            if count > 0 && self.left > 0 {
                self.left -= 1;
                self.style.file(&mut text, &name.path, name.member.as_deref());
                text.push(self.end);
            }
        }
        out.write_all(&text)
    }
}
