//! Which of the hits, rejects and diagnostics of the library the command prints.

use std::collections::BTreeMap;

use urlspool::{Alternative, Extractor, Url};

use super::common::Common;
use super::unseen_schemes::UnseenSchemes;
use crate::args::Given;

/// For each option that selects URLs, the number of URLs that it excluded.
pub(crate) type Removed = BTreeMap<&'static str, u64>;

/// The options that select messages by a field, and what plain text does not have.
pub(super) const NAMED: &[(&str, &str)] =
    &[("newsgroup", "newsgroup"), ("list", "List-Id"), ("from", "From field"), ("subject", "Subject field")];

/// What the options say about the output. The library itself selects the URLs.
pub(crate) struct Select {
    /// Whether invalid URLs are listed instead of valid URLs (`--rejects`).
    pub(super) rejects: bool,
    /// The unknown schemes of `--scheme`.
    pub(super) unseen: UnseenSchemes,
    /// The options on the command line that select messages, such as `--since`. Warnings name them.
    pub(super) messages: Vec<&'static str>,
    /// Whether `--in` selects the parts of messages.
    pub(super) has_in: bool,
    /// Whether `--form` selects forms.
    pub(super) has_form: bool,
    /// Whether malformed messages are reported (`--verbose`). Damaged archives are always reported.
    pub(super) damage: bool,
    /// Whether the alternatives of an ambiguous URL are printed, too.
    alternatives: bool,
    /// What the first search counted, for `--skip-common` and `messages_with_url`.
    pub(super) common: Option<Common>,
    extractor: Extractor,
}

impl Select {
    /// `extractor` has the options of the search.
    pub(crate) fn new(given: &Given, extractor: Extractor) -> Select {
        let by = NAMED.iter().map(|(option, _)| *option).chain(["since", "until"]).filter(|name| given.has(name));
        let schemes = given.text("scheme").map(|names| names.to_ascii_lowercase()).unwrap_or_default();
        let schemes = schemes.strip_prefix('+').unwrap_or(&schemes);
        Select {
            rejects: given.has("rejects"),
            unseen: UnseenSchemes::of(
                schemes.split(',').map(str::trim).filter(|name| !matches!(name.as_bytes(), [] | [b'!', ..])),
            ),
            messages: by.collect(),
            has_in: given.has("in"),
            has_form: given.has("form"),
            damage: given.has("verbose"),
            alternatives: given.has("alternatives"),
            common: None,
            extractor,
        }
    }

    /// Returns whether `alternative`, another possible URL for a hit, is printed.
    pub(super) fn reading(&self, alternative: &Alternative) -> bool {
        self.alternatives && Url::parse(&alternative.url).is_ok_and(|url| self.extractor.selects(&url))
    }
}

/// Returns the text before the first colon, which is the scheme if the text is a URL.
pub(super) fn scheme(text: &[u8]) -> &[u8] {
    text.split(|b| *b == b':').next().unwrap_or_default()
}
