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

/// Makes a section for each type of names.
macro_rules! sections {
    ($($title:literal, $type:ident, $about:literal;)*) => {
        [$(Section {
            title: $title,
            about: $about,
            names: $type::ALL.iter().map(|name| (name.as_str(), name.about().into())).collect(),
        }),*]
    };
}

/// Returns all sections, in the order of the man page.
pub(crate) fn sections() -> [Section; 6] {
    let mut sections = sections! {
        "Forms", Form, "The form says how the text marks the URL.";
        "Tiers", Tier, "The tier says which grammar allows the URL. If several grammars allow a URL, the first of them in \
            this list is the tier of the URL.";
        "Alternatives", Reason, "The field \"alternatives\" lists other URLs that the text can mean, each with one of \
            these reasons.";
        "Reasons", ParseErrorKind, "The reason says why a text is not a valid URL. --rejects and `check` print reasons. \
            The reasons after `too-long` in this list occur only with --tier rfc1738.";
        "Warnings", Warning, "A valid URL can have warnings. The field \"warnings\" contains their names.";
        "Diagnostics", DiagnosticKind, "--stats and `report` count malformed input by these names. Messages on stderr \
            contain the definitions instead of the names.";
    };
    // The section of the standard that the text violates follows the definition of a reason.
    for ((_, about), kind) in sections[3].names.iter_mut().zip(ParseErrorKind::ALL) {
        *about = format!("{about} ({})", kind.clause()).into();
    }
    sections
}
