//! Converts a hit to values of plain types, and back to an equal hit. The Python package sends hits to other processes
//! in this form. Do not store the values in files, because another version of the library may not be able to read them.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::owned::{Flags, Hit, MessageInfo, Rare, static_name};
use crate::scan::Alternative;
use crate::source::Input;
use crate::url::{ParseError, Url, Warning, Warnings};

/// The start and the end of a range.
type Span = (u64, u64);
/// The tier of a URL, the name of the error that [`Url::departure`] returns for the URL, and the offset of that
/// error. Used only for a URL whose tier is not `rfc1738`.
type Departure = (String, String, usize);
/// Some values of a hit, in this order: the URL, departure, form, section, header field, offset, length, line, quote
/// depth, confidence, and warnings.
type Place =
    (String, Option<Departure>, String, String, Option<Vec<u8>>, u64, u64, u64, usize, Option<u8>, Vec<String>);
/// Some values of a hit, in this order: the element, attribute, place in HTML, shown text, and flags.
type Html = (Option<String>, Option<String>, Option<String>, Option<String>, [bool; 5]);
/// Some values of a hit, in this order: the alternatives, ambiguity, trimmed text, and pieces.
type RareValues = (Vec<(Vec<u8>, String)>, Option<String>, Vec<u8>, Vec<Span>);
/// The values of an [`Input`], in this order: the path, member, format, compression, how the format was detected, and
/// whether the input is a git object.
type InputValues = (PathBuf, Option<Vec<u8>>, String, Option<String>, String, bool);
/// The values of a message, in this order: the input, number, range, timestamp, joined values of the header fields, and
/// the offset at which each of the joined values ends.
type Message = (Option<InputValues>, u64, Option<Span>, Option<i64>, Vec<u8>, [u32; 5]);
/// All values of a hit.
#[doc(hidden)]
pub type State = (Place, Html, Option<RareValues>, Message);

fn span(range: &Range<u64>) -> Span {
    (range.start, range.end)
}

impl Hit {
    /// Returns all values of the hit, for bindings to other languages. See [`from_state`](Self::from_state).
    #[doc(hidden)]
    #[must_use]
    pub fn to_state(&self) -> State {
        let name = |name: &str| name.to_owned();
        let place = (
            name(self.url.as_str()),
            self.url.departure().map(|why| (name(self.tier().as_str()), name(why.kind().as_str()), why.offset())),
            name(self.form.as_str()),
            self.part.to_string(),
            self.header.as_deref().map(Into::into),
            self.offset,
            self.length,
            self.line,
            self.quote_depth,
            self.confidence,
            self.warnings.iter().map(|warning| name(warning.as_str())).collect(),
        );
        let Flags { exact, recovered, defanged, rejoined, repeated } = self.flags;
        let html = (
            self.element.as_deref().map(name),
            self.attribute.map(name),
            self.html_place.map(|place| name(place.as_str())),
            self.shown.clone(),
            [exact, recovered, defanged, rejoined, repeated],
        );
        let rare = self.rare.as_deref().map(|rare| {
            let alternatives =
                rare.alternatives.iter().map(|other| (other.url.clone(), name(other.reason.as_str()))).collect();
            let ambiguity = rare.ambiguity.map(|reason| name(reason.as_str()));
            (alternatives, ambiguity, rare.trimmed.clone(), rare.pieces.iter().map(span).collect())
        });
        let MessageInfo { file, number, range, timestamp, text, ends } = &*self.message;
        let file = file.as_deref().map(Input::to_values);
        (place, html, rare, (file, *number, range.as_ref().map(span), *timestamp, text.to_vec(), *ends))
    }

    /// Makes a hit from the values that [`to_state`](Self::to_state) returned. Returns `None` if a value is invalid.
    #[doc(hidden)]
    #[must_use]
    pub fn from_state((place, html, rare, message): State) -> Option<Hit> {
        let (url, departure, form, part, header, offset, length, line, quote_depth, confidence, names) = place;
        let mut url = Url::try_from(url).ok()?;
        if let Some((tier, why, offset)) = departure {
            // A URL that was repaired in an HTML attribute has the tier `relaxed`. `try_from` parses the repaired URL,
            // which can have a stricter tier. So the tier is raised again.
            url.widen(tier.parse().ok()?, ParseError::new(why.parse().ok()?, offset));
        }
        let mut warnings = Warnings::default();
        for name in names {
            warnings.add(name.parse::<Warning>().ok()?, true);
        }
        let (element, attribute, html_place, shown, [exact, recovered, defanged, rejoined, repeated]) = html;
        let rare = match rare {
            None => None,
            Some((others, ambiguity, trimmed, pieces)) => {
                let other = |(url, reason): (Vec<u8>, String)| Some(Alternative { url, reason: reason.parse().ok()? });
                let alternatives = others.into_iter().map(other).collect::<Option<_>>()?;
                let ambiguity = parsed(ambiguity)?;
                let pieces = pieces.into_iter().map(|(start, end)| start..end).collect();
                Some(Box::new(Rare { alternatives, ambiguity, trimmed, pieces }))
            }
        };
        let (file, number, range, timestamp, text, ends) = message;
        if ends.last().is_none_or(|end| *end as usize > text.len()) || !ends.is_sorted() {
            return None;
        }
        let file = match file {
            None => None,
            Some(file) => Some(Arc::new(Input::from_values(file)?)),
        };
        let range = range.map(|(start, end)| start..end);
        Some(Hit {
            url,
            message: Arc::new(MessageInfo { file, number, range, timestamp, text: text.into(), ends }),
            part: Arc::new(part.parse().ok()?),
            header: header.map(Into::into),
            offset,
            length,
            line,
            quote_depth,
            form: form.parse().ok()?,
            confidence,
            warnings,
            element: element.map(|name| static_name(name.into())),
            attribute: match attribute {
                None => None,
                Some(name) => Some(attribute_name(&name)?),
            },
            html_place: parsed(html_place)?,
            flags: Flags { exact, recovered, defanged, rejoined, repeated },
            shown,
            rare,
        })
    }
}

/// Parses a name if there is one. Returns `None` if the name is invalid, and `Some(None)` if there is no name.
fn parsed<T: std::str::FromStr>(name: Option<String>) -> Option<Option<T>> {
    match name {
        None => Some(None),
        Some(name) => name.parse().ok().map(Some),
    }
}

fn attribute_name(name: &str) -> Option<&'static str> {
    crate::mail::html::attribute_name(name)
}

impl Input {
    fn to_values(&self) -> InputValues {
        let codec = self.codec().map(Into::into);
        let how = self.detected_by().into();
        (self.name().into(), self.member().map(Into::into), self.format().into(), codec, how, self.is_git_object())
    }

    fn from_values((path, member, format, codec, how, is_git_object): InputValues) -> Option<Input> {
        let codec = parsed(codec)?;
        Input::new(path, member.map(Into::into), &format, codec, how.parse().ok()?, is_git_object)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Extractor, Hit};

    #[test]
    fn a_hit_made_from_the_values_of_another_equals_it() {
        let mut count = 0;
        for hit in Extractor::new().set("defanged", "true").expect("a flag").paths(["corpus"]).filter_map(Result::ok) {
            count += 1;
            let again = Hit::from_state(hit.to_state()).expect("a hit");
            assert_eq!((again.tier(), again.url().departure()), (hit.tier(), hit.url().departure()));
            assert_eq!(again, hit);
        }
        assert!(count > 1000, "{count} hits");
    }

    #[test]
    fn invalid_values_make_no_hit() {
        let hit = Extractor::new().message("Message-ID: <a@b>\n\nhttp://a.example/").remove(0);
        let state = || hit.to_state();
        let mut wrong = [state(), state(), state(), state()];
        wrong[0].0.0 = "no URL".into();
        wrong[1].0.2 = "no form".into();
        wrong[2].1.1 = Some("onclick".into());
        wrong[3].3.5[4] = 1000;
        for state in wrong {
            assert_eq!(Hit::from_state(state), None);
        }
    }
}
