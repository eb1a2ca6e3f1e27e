//! [`Extractor::explain`]: says which rules found a URL, ended it, or refused it.

use std::ops::ControlFlow;

use super::Extractor;
use super::compose::is_flowed;
use crate::event::{Event, Segment};
use crate::hit::{Hit, Lines, Location};
use crate::mail::html::{self, HtmlItem, is_preformatted};
use crate::mail::{self, Kind, Map, Prefilter, Region, Scratch};
use crate::scan::{Elsewhere, Step, ignored, shown, steps, title};
use crate::url::Warning;

/// A step of an explanation: a line, the number and the title of a rule, and what the rule did there.
type Explained = (u64, &'static str, String);

impl Extractor {
    /// Says which [rules](crate::rules) began, joined, cut, trimmed or refused the URL of an event, in the order of the
    /// rules. Each step has the line, the number and the title of the rule, and one sentence, or a list of the weighed
    /// evidence.
    ///
    /// The events are [`Event::Hit`], [`Event::Excluded`], [`Event::Reject`], and [`Event::Segment`]. The steps for a
    /// segment describe text in it that looks like the beginning of a URL but is not one, and relative links in HTML
    /// without a base URL. Their lines count from the first line of the segment. Other events have no steps.
    ///
    /// The rules are asked again, so a search without this method takes no longer. An owned hit has no text around it, so
    /// its steps are only those of the parser.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urlspool::{Event, Extractor};
    ///
    /// let (extractor, mut steps) = (Extractor::new(), Vec::new());
    /// let _ = extractor.message_into("Subject: x\n\nSee http://a.example/b.\n", &mut |event: Event<'_>| {
    ///     steps.extend(extractor.explain(event));
    ///     ControlFlow::Continue(())
    /// });
    /// let trim = (3, "2.3 Trim", "`.` after the URL is punctuation, and is removed from its end.".to_owned());
    /// assert!(steps.contains(&trim));
    /// ```
    pub fn explain(&self, event: Event<'_>) -> Vec<(u64, &'static str, String)> {
        let (location, rest) = match event {
            Event::Hit(hit) => (&**hit, grammar(hit)),
            Event::Excluded { hit, option } => {
                let mut steps = grammar(hit);
                steps.push(("4", format!("The option `{option}` excludes the URL.")));
                (&**hit, steps)
            }
            Event::Reject(reject) => (&**reject, vec![("4", format!("The text is not a URL: {}.", reject.reason()))]),
            Event::Segment { file, segment } => {
                return self.explain_rest(file.map_or("", |file| file.media()), segment);
            }
            _ => return Vec::new(),
        };
        let steps = self.steps(location).into_iter().chain(rest).chain(zone(location));
        steps.map(|(rule, sentence)| (location.line(), title(rule), sentence)).collect()
    }

    /// Returns the steps of the scanner.
    fn steps(&self, location: &Location<'_>) -> Vec<Step> {
        let Some((candidate, region, message, _)) = location.scanned() else { return Vec::new() };
        let is_folded = region.header.is_some_and(|name| !name.eq_ignore_ascii_case(b"Content-Type"));
        let is_preformatted = |map: &Map<'_>| is_preformatted(region.zones.text(), map.raw(0..0).start);
        let is_joined = !is_folded && region.in_html.is_none_or(is_preformatted);
        let join = self.options.join.filter(|_| candidate.rejoined() || is_joined);
        let scanner = self.scanner().join(join).flowed(is_flowed(region.media));
        let mut steps = steps(candidate, &scanner, message.elsewhere.map(Elsewhere::explaining));
        steps.splice(..0, element(location));
        if location.defanged() {
            steps.insert(
                0,
                ("6", "The text was defanged, so that nobody follows it by mistake, and is restored.".into()),
            );
        }
        steps
    }

    /// Explains text that looks like the beginning of a URL, but is not one.
    fn explain_rest(&self, media: &str, segment: &Segment<'_>) -> Vec<Explained> {
        let (stored, mut found) = (segment.stored, Vec::new());
        let message = if segment.is_message { segment.message } else { stored };
        let start = memchr::memmem::find(stored, &message[..message.len().min(256)]).unwrap_or(0);
        let lines = Lines::new(stored, 0, 1);
        let ignored = |text: &[u8], header: Option<&[u8]>| {
            let taken: Vec<_> = self.scanner().find_iter(text).map(|candidate| candidate.span()).collect();
            ignored(text, &taken, header)
        };
        let mut add = |steps: Vec<(usize, Step)>, place: &dyn Fn(usize) -> usize| {
            let steps = steps.into_iter();
            found.extend(steps.map(|(at, (rule, sentence))| (lines.at(place(at) as u64), title(rule), sentence)));
        };
        if !segment.is_message {
            add(ignored(stored, None), &|at| at);
            return found;
        }
        let visit = |region: &Region<'_>| {
            let place = |at| if region.map.exact() { region.map.raw(at..at).start } else { region.raw.start };
            let steps = match region.kind {
                Kind::Text | Kind::Raw => ignored(region.text, None),
                Kind::Header { name } => ignored(region.text, Some(name)),
                Kind::Html => relative(region),
                Kind::Skipped(_) => Vec::new(),
            };
            add(steps, &|at| start + place(at));
            ControlFlow::Continue(())
        };
        let prefilter = Prefilter::new(None, &|bytes| (!bytes.is_empty()).then_some(0));
        // The result is always `Continue`, because the function never stops.
        let _ = mail::regions(media, message, &mut Scratch::default(), prefilter, &mut (visit, |_| {}));
        found
    }
}

/// Returns the steps for relative links in HTML without a base URL, and their offsets.
fn relative(region: &Region<'_>) -> Vec<(usize, Step)> {
    let mut steps = Vec::new();
    let _ = html::walk(region.text, region.media, region.part.base(), &mut html::Scratch::default(), &mut |item| {
        if let HtmlItem::Unresolved(span) = item {
            let link = shown(&region.text[span.clone()]);
            steps.push((span.start, ("2.8", format!("The link {link} is relative, and the HTML has no base URL."))));
        }
        ControlFlow::Continue(())
    });
    steps.sort_by_key(|step| step.0);
    steps
}

/// Returns the steps about the HTML element that contains the URL, if there is one.
fn element(location: &Location<'_>) -> Vec<Step> {
    let Some(element) = location.element() else { return Vec::new() };
    let what = location.attribute().map_or("in the style sheet".into(), |name| format!("in the attribute `{name}`"));
    let mut steps: Vec<Step> = vec![("2.8", format!("The URL is {what} of the element `{element}`."))];
    let written = location.context().map_or(&b""[..], |(html, span)| &html[span]).trim_ascii();
    let has_scheme = written.iter().find(|byte| b":&/\\?#".contains(byte)).is_some_and(|byte| b":&".contains(byte));
    if !has_scheme {
        let written = shown(written);
        let base = match location.scanned() {
            Some((.., link)) if link.no_scheme => "The HTML has no `base` element, so the scheme is a guess",
            _ => "The `base` element of the HTML completes it",
        };
        steps.push(("2.8", format!("The value {written} has no scheme. {base}.")));
    }
    if let Some(place) = location.place() {
        steps.push(("2.8", format!("Browsers do not follow the link, because it is in {}.", place.about())));
    }
    steps
}

/// Returns the step about the zone.
fn zone(location: &Location<'_>) -> Option<Step> {
    let zone = location.in_zone()?;
    Some(("8", format!("The zone of the URL is `{}`: {}.", zone.as_str(), zone.about())))
}

/// Returns the steps after the scanner: what the parser and the tables of services say about a URL.
fn grammar(hit: &Hit<'_>) -> Vec<Step> {
    let tier = hit.url().tier();
    let mut steps: Vec<Step> = vec![match hit.url().departure() {
        None => ("4", "RFC 1738 allows the URL.".into()),
        Some(error) => ("4", format!("RFC 1738 does not allow the URL: {error}. Its tier is {tier}.")),
    }];
    if let Some(target) = hit.url().targets().pop() {
        steps.push(("4.1", format!("A service has rewritten the link. The original URL is `{target}`.")));
    }
    steps.extend(hit.warnings().map(|warning| {
        let rule = match warning {
            Warning::ShownAsOtherHost => "4.2",
            Warning::HostLooksLatin => "4.3",
            _ => "4",
        };
        (rule, format!("The URL has the warning `{}`: {}.", warning.as_str(), warning.about()))
    }));
    steps
}
