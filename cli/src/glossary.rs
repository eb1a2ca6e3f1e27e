//! Definitions of the names that occur in the output, such as forms and tiers. The man page prints them.
//! The names and definitions come from the library.

use std::borrow::Cow;

use urlspool::{DiagnosticKind, Form, ParseErrorKind, Reason, Tier, Warning};

/// The definitions of one kind of name, such as the forms.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// An introductory sentence about the names.
    pub(crate) about: &'static str,
    pub(crate) names: Vec<(&'static str, Cow<'static, str>)>,
}

/// Returns all sections, in the order of the man page.
pub(crate) fn sections() -> [Section; 6] {
    [
        Section {
            title: "Forms",
            about: "The form says how the text marks the URL.",
            names: Form::ALL.iter().map(|form| (form.as_str(), form.about().into())).collect(),
        },
        Section {
            title: "Tiers",
            about: "The tier says which grammar allows the URL. If several grammars allow a URL, the first of them in \
                    this list is the tier of the URL.",
            names: Tier::ALL.iter().map(|tier| (tier.as_str(), tier.about().into())).collect(),
        },
        Section {
            title: "Alternatives",
            about: "The field \"alternatives\" lists other URLs that the text can mean, each with one of these \
                    reasons.",
            names: Reason::ALL.iter().map(|reason| (reason.as_str(), reason.about().into())).collect(),
        },
        Section {
            title: "Reasons",
            about: "The reason says why a text is not a valid URL. --rejects and `check` print reasons. The reasons \
                    after `too-long` in this list occur only with --tier rfc1738.",
            names: ParseErrorKind::ALL.iter().map(|kind| (kind.as_str(), reason(*kind).into())).collect(),
        },
        Section {
            title: "Warnings",
            about: "A valid URL can have warnings. The field \"warnings\" contains their names.",
            names: Warning::ALL.iter().map(|warning| (warning.as_str(), warning.about().into())).collect(),
        },
        Section {
            title: "Diagnostics",
            about: "--stats and `report` count malformed input by these names. Messages on stderr contain the \
                    definitions instead of the names.",
            names: DiagnosticKind::ALL.iter().map(|kind| (kind.as_str(), kind.about().into())).collect(),
        },
    ]
}

/// Returns the definition of a reason for a reject, followed by the section of the standard that the text violates.
fn reason(kind: ParseErrorKind) -> String {
    format!("{} ({})", kind.about(), kind.clause())
}
