//! Definitions of the names that occur in the output, such as forms and tiers. The help and the man page print them.
//! The names and definitions come from the library.

use std::borrow::Cow;
use std::fmt;

use urlspool::{DiagnosticKind, Form, ParseErrorKind, Reason, Tier, Warning};

/// The column of the help, counted from 0, in which the definitions begin.
const COLUMN: usize = 30;
/// The maximum width of a line in the help, in characters.
const WIDTH: usize = 98;

/// The definitions of one kind of name, such as the forms.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// An introductory sentence about the names.
    pub(crate) about: &'static str,
    /// The option that takes the names as values, if there is one. The help of the option has the same definitions.
    pub(crate) option: Option<&'static str>,
    pub(crate) names: Vec<(&'static str, Cow<'static, str>)>,
}

/// Returns all sections, in the order of the man page.
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
            about: "The tier says which grammar allows the URL. If several grammars allow a URL, the first of them in \
                    this list is the tier of the URL.",
            option: Some("--tier"),
            names: Tier::ALL.iter().map(|tier| (tier.as_str(), tier.about().into())).collect(),
        },
        Section {
            title: "Alternatives",
            about: "The field \"alternatives\" lists other URLs that the text can mean, each with one of these \
                    reasons.",
            option: None,
            names: Reason::ALL.iter().map(|reason| (reason.as_str(), reason.about().into())).collect(),
        },
        Section {
            title: "Reasons",
            about: "The reason says why a text is not a valid URL. --rejects and --check print reasons. The reasons \
                    after `too-long` in this list occur only with --strict.",
            option: None,
            names: ParseErrorKind::ALL.iter().map(|kind| (kind.as_str(), reason(*kind).into())).collect(),
        },
        Section {
            title: "Warnings",
            about: "A valid URL can have warnings. The field \"warnings\" contains their names.",
            option: None,
            names: Warning::ALL.iter().map(|warning| (warning.as_str(), warning.about().into())).collect(),
        },
        Section {
            title: "Diagnostics",
            about: "--stats and --report count malformed input by these names. Messages on stderr contain the \
                    definitions instead of the names.",
            option: None,
            names: DiagnosticKind::ALL.iter().map(|kind| (kind.as_str(), kind.about().into())).collect(),
        },
    ]
}

/// Returns the definition of a reason for a reject, followed by the section of the standard that the text violates.
fn reason(kind: ParseErrorKind) -> String {
    format!("{} ({})", kind.about(), kind.clause())
}

/// Formats the section as a paragraph of the help.
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
