//! The definitions of the names in the output, for the help and the man page. The library has the names and their meanings.

use std::borrow::Cow;
use std::fmt;

use urlspool::{DiagnosticKind, Form, ParseErrorKind, Reason, Tier, Warning};

/// The column of the meanings in the help, and the longest line. Both in characters.
const COLUMN: usize = 30;
const WIDTH: usize = 98;

/// Names of one kind.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// What the names are.
    pub(crate) about: &'static str,
    /// The option that takes the names and defines them in its help, if there is one.
    pub(crate) option: Option<&'static str>,
    /// Each name, and its meaning.
    pub(crate) names: Vec<(&'static str, Cow<'static, str>)>,
}

/// All sections, in the order of the man page.
pub(crate) fn sections() -> [Section; 6] {
    [
        Section {
            title: "Forms",
            about: "The form says how the text marks the URL.",
            option: Some("--form"),
            names: Form::ALL.iter().map(|form| (form.as_str(), form.about().into())).collect(),
        },
        Section {
            title: "Tiers",
            about: "The tier says which grammar allows the URL. A URL has the first of these tiers that allows it.",
            option: Some("--tier"),
            names: Tier::ALL.iter().map(|tier| (tier.as_str(), tier.about().into())).collect(),
        },
        Section {
            title: "Alternatives",
            about: "The field alternatives has other readings of the URL, each with one of these reasons.",
            option: None,
            names: Reason::ALL.iter().map(|reason| (reason.as_str(), reason.about().into())).collect(),
        },
        Section {
            title: "Reasons",
            about: "The reason says why --rejects or --check refuses a text. Those after too-long occur with --strict only.",
            option: None,
            names: ParseErrorKind::ALL.iter().map(|kind| (kind.as_str(), reason(*kind).into())).collect(),
        },
        Section {
            title: "Warnings",
            about: "The field warnings has these names.",
            option: None,
            names: Warning::ALL.iter().map(|warning| (warning.as_str(), warning.about().into())).collect(),
        },
        Section {
            title: "Diagnostics",
            about: "--stats and --report count malformed input by these names. Messages on stderr have the meaning instead.",
            option: None,
            names: DiagnosticKind::ALL.iter().map(|kind| (kind.as_str(), kind.about().into())).collect(),
        },
    ]
}

/// The words and the clause of a reason.
fn reason(kind: ParseErrorKind) -> String {
    format!("{} ({})", kind.about(), kind.clause())
}

/// Prints the section as a paragraph of the help.
impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n{}", self.title, self.about)?;
        for (name, meaning) in &self.names {
            write!(f, "\n  {name:<width$}", width = COLUMN - 3)?;
            let mut column = COLUMN - 1;
            for word in meaning.split(' ') {
                if column + 1 + word.len() > WIDTH {
                    write!(f, "\n{:COLUMN$}{word}", "")?;
                    column = COLUMN + word.len();
                } else {
                    write!(f, " {word}")?;
                    column += 1 + word.len();
                }
            }
        }
        Ok(())
    }
}
