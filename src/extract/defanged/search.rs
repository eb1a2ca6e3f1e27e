//! Searches a text for candidates, both in its restored form and as written.

use std::ops::{ControlFlow, Range};

use super::{Reading, Refanged};
use crate::hit::RegionContext;
use crate::mail::Map;
use crate::scan::{Addresses, Candidate, Form, Reason, Scanner};
use crate::url::Url;

impl Refanged<'_> {
    /// Calls `verdict` for each candidate that begins within the range `starts` of the original text. A candidate comes
    /// from the restored text, unless the URL was already valid in the original text (rule 6.5).
    ///
    /// `verdict` also receives the range of the candidate, and the context of the text that contains the candidate.
    /// `in_region` is the context of the original text.
    pub(in crate::extract) fn search<V>(
        &self,
        scanner: &Scanner,
        starts: Range<usize>,
        forms: &[bool; Form::ALL.len()],
        in_region: &RegionContext<'_>,
        mut verdict: V,
    ) -> ControlFlow<()>
    where
        V: FnMut(&Candidate<'_>, Range<usize>, &RegionContext<'_>) -> ControlFlow<()>,
    {
        let (map, text) = (self.joined.map(), self.joined.text.as_slice());
        let map_of_both = Map::Composed(&map, in_region.map);
        let context =
            |defanged| RegionContext { text, map: &map_of_both, defanged, restored: Some(&map), ..*in_region };
        let end = if starts.end == self.written.len() { text.len() } else { self.offset(starts.end) };
        let within = self.offset(starts.start)..end;
        let mut addresses = Addresses::new(text, within.clone(), forms, None, in_region.header);
        let now = scanner.find_within(text, within);
        let mut before = scanner.find_within(self.written, starts).peekable();
        // Calls `verdict` for each address without a scheme before `url`.
        let mut report_before = |url, verdict: &mut V| {
            addresses.as_mut().map_or(ControlFlow::Continue(()), |addresses| {
                addresses.before(url, |address| {
                    let span = address.span();
                    let reading = self.reading(&span, span.end);
                    verdict(&or_cut(address, &reading), span, &context(!matches!(reading, Reading::Same)))
                })
            })
        };
        for candidate in now {
            let span = candidate.span();
            report_before(span.clone(), &mut verdict)?;
            let after = span.end + candidate.trimmed().len();
            let reading = self.reading(&span, after);
            // The original text can have a valid URL at the same place. This URL is used in two cases: if the restored
            // candidate is not a valid URL, or if the reading is `Reading::Sound`.
            let is_not_a_url = !matches!(reading, Reading::Same) && candidate.parse().is_err();
            if is_not_a_url || matches!(reading, Reading::Sound) {
                let place = map.raw(span.start..after);
                while before.next_if(|other| other.span().start < place.start).is_some() {}
                if let Some(written) = before.next_if(|other| is_sound(other, &place)) {
                    let span = written.span();
                    verdict(&or_restored(written, candidate.text()), span, in_region)?;
                    // The URL of the original text can end before the restored URL. The text between the two ends can
                    // then contain more candidates of the original text.
                    while let Some(other) = before.next_if(|other| other.span().start < place.end) {
                        verdict(&other, other.span(), in_region)?;
                    }
                    continue;
                }
            }
            let defanged = !matches!(reading, Reading::Same);
            verdict(&or_cut(candidate, &reading), span, &context(defanged))?;
        }
        report_before(text.len()..text.len(), &mut verdict)
    }

    /// Does the same as [`search`](Self::search) for a text that is the whole value of an HTML attribute.
    pub(in crate::extract) fn attribute(
        &self,
        in_region: &RegionContext<'_>,
        mut verdict: impl FnMut(&Candidate<'_>, &RegionContext<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let text = self.joined.text.as_slice();
        let Some(candidate) = Candidate::of_attribute(text) else { return ControlFlow::Continue(()) };
        let reading = self.reading(&(0..text.len()), text.len());
        if let (Reading::Sound, Some(written)) = (&reading, Candidate::of_attribute(self.written))
            && is_sound(&written, &(0..self.written.len()))
        {
            return verdict(&or_restored(written, text), in_region);
        }
        verdict(&or_cut(candidate, &reading), &RegionContext { defanged: true, ..*in_region })
    }
}

/// Whether `written`, a candidate of the original text, is a valid URL that begins at the start of `place` and ends
/// within `place`.
fn is_sound(written: &Candidate<'_>, place: &Range<usize>) -> bool {
    let span = written.span();
    span.start == place.start && span.end <= place.end && written.parse().is_ok()
}

/// Adds `restored` to `written` as an alternative if `restored` is a valid URL and differs from `written`.
fn or_restored<'t>(written: Candidate<'t>, restored: &[u8]) -> Candidate<'t> {
    let is_other = written.text() != restored && Url::parse(restored).is_ok();
    if is_other { written.or(restored, Reason::Defanged) } else { written }
}

/// Marks `candidate` as doubtful if `reading` is [`Reading::Doubtful`] or [`Reading::Unsure`]. For
/// [`Reading::Doubtful`], also adds an alternative: the URL that ends before the first mark.
fn or_cut<'t>(candidate: Candidate<'t>, reading: &Reading<'_>) -> Candidate<'t> {
    match reading {
        Reading::Doubtful(cut) => candidate.or(cut, Reason::Defanged).in_doubt(Reason::Defanged),
        Reading::Unsure => candidate.in_doubt(Reason::Defanged),
        _ => candidate,
    }
}
