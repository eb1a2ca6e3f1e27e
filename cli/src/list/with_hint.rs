//! Damage in the command's words: what the library says of it, and the option that has a say in it.

use std::fmt;

use urlspool::{Diagnostic, DiagnosticKind};

/// A note as it is told on standard error.
pub(crate) struct WithHint<'n>(pub(crate) &'n Diagnostic);

impl fmt::Display for WithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.to_string();
        match self.0.kind() {
            DiagnosticKind::OversizeMessage => write!(f, "{said}; --max-message sets the limit"),
            DiagnosticKind::MailboxNotAtStart => write!(f, "{said}; --format mbox reads its messages"),
            DiagnosticKind::OtherFormat => write!(f, "{said}; leave out --format"),
            _ => f.write_str(&said),
        }
    }
}
