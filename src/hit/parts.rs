//! Converts a hit to values of plain types, and back to an equal hit. The Python package sends hits to other processes
//! in this form. Do not store the values in files, because another version of the library may not be able to read them.

use std::sync::Arc;

use super::Hit;
use super::kept::{Kept, Rare, static_name};
use super::location::{Location, Place};
use super::message::{KeptMessage, MessageFacts};
use crate::mail::{HeaderIndex, Section, html};
use crate::scan::Alternative;
use crate::source::Input;
use crate::url::{ParseError, Url, Warning, Warnings};

/// The texts and the numbers of a hit.
#[doc(hidden)]
pub type Parts = (Vec<Option<Vec<u8>>>, Vec<Option<u64>>);

impl Hit<'_> {
    /// Returns the values of the hit, for bindings to other languages. See [`from_parts`](Hit::from_parts).
    #[doc(hidden)]
    #[must_use]
    pub fn to_parts(&self) -> Parts {
        let hit = self.to_owned();
        let Place::Kept(kept) = &hit.location.0 else { return Parts::default() };
        let KeptMessage { file, range, facts } = &*kept.message;
        let why = kept.url.departure();
        let name = |name: &str| Some(name.as_bytes().to_vec());
        let warnings: Vec<_> = hit.warnings.iter().map(Warning::as_str).collect();
        let mut texts = vec![
            name(kept.url.as_str()),
            why.and_then(|_| name(kept.url.tier().as_str())),
            why.and_then(|why| name(why.kind().as_str())),
            Some(facts.headers.to_vec()),
            name(&kept.part.to_string()),
            kept.header.as_deref().map(<[u8]>::to_vec),
            name(kept.form.as_str()),
            kept.element.as_deref().and_then(name),
            kept.attribute.and_then(name),
            kept.html_place.and_then(|place| name(place.as_str())),
            kept.link_text.as_deref().and_then(name),
            name(&warnings.join(" ")),
            hit.doubt().and_then(|reason| name(reason.as_str())),
            Some(hit.trimmed().to_vec()),
            kept.part.attachment().map(<[u8]>::to_vec),
            kept.zone.and_then(|zone| name(zone.as_str())),
        ];
        let flags = [kept.exact, kept.recovered, kept.defanged, kept.rejoined, hit.repeat];
        let mut numbers = vec![why.map(|why| why.offset() as u64), Some(facts.number)];
        numbers.extend([kept.offset, kept.length, kept.line, kept.quote_depth as u64].map(Some));
        numbers.push(kept.confidence.map(u64::from));
        numbers.extend(flags.map(|flag| Some(flag.into())));
        numbers.extend([range.as_ref().map(|range| range.start), range.as_ref().map(|range| range.end)]);
        for offsets in facts.index().offsets() {
            numbers.extend([offsets.map(|(start, _)| start), offsets.map(|(_, end)| end)]);
        }
        numbers.push(file.as_deref().map(|file| file.is_git_object().into()));
        if let Some(file) = file.as_deref() {
            let path = file.name().as_os_str().as_encoded_bytes().to_vec();
            let codec = file.codec().and_then(name);
            let member = file.member().map(<[u8]>::to_vec);
            texts.extend([Some(path), member, name(file.format()), codec, name(file.detected_by())]);
        }
        texts
            .extend(hit.alternatives().iter().flat_map(|other| [Some(other.url.clone()), name(other.reason.as_str())]));
        numbers.extend(
            kept.rare.iter().flat_map(|rare| &rare.pieces).flat_map(|piece| [piece.start, piece.end]).map(Some),
        );
        (texts, numbers)
    }

    /// Makes a hit from the values that [`to_parts`](Self::to_parts) returned. Returns `None` if a value is invalid.
    #[doc(hidden)]
    #[must_use]
    pub fn from_parts((texts, numbers): Parts) -> Option<Hit<'static>> {
        let (mut texts, mut numbers) = (texts.into_iter(), numbers.into_iter());
        let mut bytes = || texts.next();
        let text = |bytes: Option<Vec<u8>>| bytes.map(String::from_utf8).transpose().ok();
        let mut url = Url::try_from(text(bytes()?)??).ok()?;
        let (tier, why) = (text(bytes()?)?, text(bytes()?)?);
        let headers = bytes()??;
        let part: Section = text(bytes()?)??.parse().ok()?;
        let header = bytes()?.map(Into::into);
        let form = text(bytes()?)??.parse().ok()?;
        let element = text(bytes()?)?.map(|name| static_name(name.into()));
        let attribute = match text(bytes()?)? {
            None => None,
            Some(name) => Some(html::attribute_name(&name)?),
        };
        let html_place = parsed(text(bytes()?)?)?;
        let link_text = text(bytes()?)?.map(Into::into);
        let mut warnings = Warnings::default();
        for name in text(bytes()?)??.split_whitespace() {
            warnings.add(name.parse().ok()?, true);
        }
        let (doubt, trimmed) = (parsed(text(bytes()?)?)?, bytes()??);
        let part = Arc::new(part.within(bytes()?.map(Into::into)));
        let zone = parsed(text(bytes()?)?)?;

        let mut next = || numbers.next();
        if let (Some(tier), Some(why), Some(offset)) = (tier, why, next()?) {
            // A URL that was repaired in an HTML attribute has the tier `relaxed`. `try_from` parses the repaired URL,
            // which can have a stricter tier. So the tier is raised again.
            url.widen(tier.parse().ok()?, ParseError::new(why.parse().ok()?, usize::try_from(offset).ok()?));
        }
        let number = next()??;
        let (offset, length, line, quote_depth) = (next()??, next()??, next()??, usize::try_from(next()??).ok()?);
        let confidence = next()?.map(u8::try_from).transpose().ok()?;
        let mut flag = || Some(next()?? != 0);
        let (exact, recovered, defanged, rejoined, repeat) = (flag()?, flag()?, flag()?, flag()?, flag()?);
        offset.checked_add(length)?;
        let range = next()?.zip(next()?).map(|(start, end)| start..end);
        if range.as_ref().is_some_and(|range| range.start > range.end) {
            return None;
        }
        let mut offsets = [None; HeaderIndex::LENGTH];
        for pair in &mut offsets {
            *pair = next()?.zip(next()?);
        }
        let index = HeaderIndex::from_offsets(offsets, headers.len())?;
        let file = match next()? {
            None => None,
            Some(is_git_object) => {
                let (path, member, format) = (bytes()??, bytes()?.map(Into::into), text(bytes()?)??);
                let (codec, how) = (parsed(text(bytes()?)?)?, text(bytes()?)??.parse().ok()?);
                let path = crate::shared::path(&path).into_owned();
                Some(Arc::new(Input::new(path, member, &format, codec, how, is_git_object != 0)?))
            }
        };
        let mut alternatives = Vec::new();
        while let (Some(url), Some(reason)) = (texts.next(), texts.next()) {
            alternatives.push(Alternative { url: url?, reason: text(reason)??.parse().ok()? });
        }
        let mut pieces = Vec::new();
        while let (Some(start), Some(end)) = (numbers.next(), numbers.next()) {
            pieces.push(start?..end?);
        }
        if pieces.iter().any(|piece| piece.start > piece.end) {
            return None;
        }
        let rare = Rare { alternatives, doubt, trimmed, pieces }.boxed(rejoined);
        let facts = MessageFacts::owned(number, headers, index);
        let message = Arc::new(KeptMessage { file, range, facts });
        let kept = Kept {
            url,
            message,
            part,
            header,
            offset,
            length,
            line,
            zone,
            quote_depth,
            form,
            confidence,
            element,
            attribute,
            html_place,
            exact,
            recovered,
            defanged,
            rejoined,
            link_text,
            rare,
        };
        Some(Hit::new(Location(Place::Kept(Arc::new(kept))), warnings, repeat))
    }
}

/// Parses a name if there is one. Returns `None` if the name is invalid, and `Some(None)` if there is no name.
fn parsed<T: std::str::FromStr>(name: Option<String>) -> Option<Option<T>> {
    match name {
        None => Some(None),
        Some(name) => name.parse().ok().map(Some),
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
            let again = Hit::from_parts(hit.to_parts()).expect("a hit");
            assert_eq!((again.url().tier(), again.url().departure()), (hit.url().tier(), hit.url().departure()));
            assert_eq!(again, hit);
        }
        assert!(count > 1000, "{count} hits");
    }

    #[test]
    fn invalid_values_make_no_hit() {
        let hit = Extractor::new().message("Message-ID: <a@b>\n\nhttp://a.example/").remove(0);
        let (texts, numbers) = hit.to_parts();
        for (at, text) in [(0, "no URL"), (6, "no form"), (8, "onclick"), (11, "no-warning")] {
            let mut wrong = texts.clone();
            wrong[at] = Some(text.into());
            assert_eq!(Hit::from_parts((wrong, numbers.clone())), None, "{text}");
        }
        for at in 0..numbers.len() {
            let mut wrong = numbers.clone();
            wrong[at] = Some(1 << 40);
            let _ = Hit::from_parts((texts.clone(), wrong));
            let _ = Hit::from_parts((texts.clone(), numbers[..at].to_vec()));
        }
        for length in 0..texts.len() {
            assert_eq!(Hit::from_parts((texts[..length].to_vec(), numbers.clone())), None, "{length} texts");
        }
    }
}
