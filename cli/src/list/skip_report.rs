//! Warnings about files that urlspool skipped in directories, although the user probably expects urlspool to read them.

use std::ops::ControlFlow;
use std::path::Path;

use urlspool::{Collect, Extractor, HitRef, Input, Segment, Sink, SkipReason};

use crate::escaped::Escaped;
use crate::tally::Tally;

/// If files were skipped for one of these reasons, a warning at the end of the run reports them. Each row has the
/// reason, the warning for one file, the warning for several files, and a hint that says how to read the files.
const REASONS: &[(SkipReason, &str, &str, &str)] = &[
    (
        SkipReason::Packed,
        "compressed file was skipped, because its directory also has the uncompressed file",
        "compressed files were skipped, because their directories also have the uncompressed files",
        "to read a compressed file too, give its name as an argument",
    ),
    (
        SkipReason::Binary,
        "binary file was skipped",
        "binary files were skipped",
        "to read a binary file, give its name as an argument, with --format text",
    ),
    (
        SkipReason::Repository,
        "git repository was skipped, because it is not a public-inbox",
        "git repositories were skipped, because none of them is a public-inbox",
        "to search the history, use `git -C REPOSITORY log -p | urlspool`",
    ),
];

pub(super) fn warnings(tally: &Tally) -> Vec<String> {
    let mut notes = Vec::new();
    for (why, one, several, remedy) in REASONS {
        if let Some((count, first)) = tally.skipped.get(why.as_str()) {
            let first = Escaped::path(first);
            notes.push(match count {
                1 => format!("{first}: 1 {one}; {remedy}"),
                _ => format!("{first} and others: {count} {several}; {remedy}; -v lists them"),
            });
        }
    }
    if tally.messages() == 0
        && let Some(hidden) = tally.hidden.iter().find(|path| has_mail(path))
    {
        let hidden = Escaped::path(hidden);
        notes.push(format!(
            "{hidden}: contains mail, but was skipped because it is hidden; to read it, give its name as an argument"
        ));
    }
    notes
}

/// Returns whether a hidden file, or one of the first [`FILES`] files of a hidden directory, contains mail.
fn has_mail(path: &Path) -> bool {
    let mut look = Look { left: FILES, found: false };
    let _ = Extractor::new().mail_only(true).threads(1).paths([path]).each(&mut look);
    look.found
}

/// How many files of a hidden directory are checked. A hidden directory can be a large cache, and checking all of it
/// could take minutes.
const FILES: usize = 500;

/// A sink that stops at the first message, or after `left` files.
struct Look {
    left: usize,
    found: bool,
}

impl Look {
    fn file(&mut self) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Sink for Look {
    type Flow = ControlFlow<()>;

    fn hit(&mut self, _: &HitRef<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn segment(&mut self, _: Option<&Input>, segment: &Segment<'_>) -> ControlFlow<()> {
        self.found |= segment.is_message();
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, _: &urlspool::Error) -> ControlFlow<()> {
        self.file()
    }

    fn skipped(&mut self, _: &Path, _: SkipReason) -> ControlFlow<()> {
        self.file()
    }

    fn end(&mut self, _: &Input) -> ControlFlow<()> {
        self.file()
    }
}

impl Collect for Look {
    type Local = Look;
    type Flow = ControlFlow<()>;

    fn new_local(&self) -> Look {
        Look { ..*self }
    }

    fn collect(&mut self, local: &mut Look) -> ControlFlow<()> {
        let looked = self.left.min(local.left);
        *self = Look { left: looked, found: self.found || local.found };
        if self.found || self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
