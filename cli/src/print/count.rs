//! `-c` and `-l`: prints a line per file. As in grep, the line is `FILE:COUNT` with `-c`, and `FILE` with `-l`. A
//! member of an archive is `FILE!MEMBER`.

use std::io::{self, Write};

use urlspool::fields::push_number;

use super::Style;
use crate::tally::Tally;

pub(crate) struct Counts {
    /// Whether `-c` prints the names of files. `-c` always prints the names of members of archives.
    pub(crate) names: bool,
    /// The byte that ends each line: a newline or NUL.
    pub(crate) end: u8,
    pub(crate) style: Style,
    /// How many more names `-m` allows for `-l`. `None` if the option is `-c`, not `-l`.
    pub(crate) names_left: Option<u64>,
}

impl Counts {
    /// Prints a line for each file in `tally.ended`, and empties this list.
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
            push_number(&mut text, count);
            text.push(self.end);
        }
        out.write_all(&text)
    }
}
