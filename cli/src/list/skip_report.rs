//! Reports files in directories that were skipped although a user may expect them to be read.

use std::ops::ControlFlow;
use std::path::Path;

use urlspool::{Collect, Extractor, HitRef, Input, Segment, Sink, SkipReason};

use crate::escaped::Escaped;
use crate::tally::Tally;

/// The reasons that are reported at the end. Each has the message for one file, the message for several, and what to do to
/// have them read.
const REASONS: &[(SkipReason, &str, &str, &str)] = &[
    (
        SkipReason::Packed,
        "compressed file was skipped, because the same file is beside it, not compressed",
        "compressed files were skipped, because the same files are beside them, not compressed",
        "name a file to read it too",
    ),
    (
        SkipReason::Binary,
        "binary file was skipped",
        "binary files were skipped",
        "--format text reads one that is named",
    ),
    (
        SkipReason::Repository,
        "git repository was skipped, because it is not a public-inbox",
        "git repositories were skipped, because they are not a public-inbox",
        "`git -C REPOSITORY log -p | urlspool` reads a history",
    ),
];

/// Returns the messages, one line each.
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
        notes.push(format!("{hidden}: there is mail, and it was skipped because it is hidden; name it to read it"));
    }
    notes
}

/// Whether there is mail in a hidden file, or in the first [`FILES`] files of a hidden directory.
fn has_mail(path: &Path) -> bool {
    let mut look = Look { left: FILES, found: false };
    let _ = Extractor::new().paths([path]).mail_only(true).threads(1).each(&mut look);
    look.found
}

/// At most this many files are checked in a hidden directory, because it may be a large cache.
const FILES: usize = 500;

/// Looks for the first message.
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
