//! Decides whether a bare URL at the end of a line continues on the next line (RULES.md, section 3).
//!
//! Some signs are enough to join the lines, such as an opening `"` before the URL and the closing `"` on the next line.
//! Other signs, the vetoes, prevent a join. If there is no sign of either kind, the sum of weighted evidence decides.

mod elsewhere;
mod evidence;
#[cfg(test)]
mod fit;
mod heuristics;
mod vetoes;
mod view;

use alloc::vec::Vec;
use core::ops::Range;

use super::bare::Extent;
use super::emphasis::EmphasisState;
use super::wrapped;
use crate::url::Url;
use evidence::{BAND, THRESHOLD};
use view::View;

pub(crate) use elsewhere::Elsewhere;
use elsewhere::Whole;

/// The maximum number of lines that can follow the first line of a URL.
const MAX_LINES: usize = 8;

/// This number replaces the sum of the evidence if a single sign is enough for a join (see [`is_settled`]), or if the
/// message has another copy of the joined URL. It stands for a probability of 98 %.
const SETTLED: i32 = 40;

/// If the sum of the evidence is in this range, the message is searched for another copy of the URL. Such a copy can
/// change the decision (RULES.md 3.5).
const ASKED: Range<i32> = 3 * BAND..-CUT;

/// This number is added to the sum if another copy shows that the URL ends at the line break: the message has a copy of
/// that URL, but no copy of the joined URL.
const CUT: i32 = -30;

/// A bare URL that continues, or may continue, on further lines.
#[derive(Default)]
pub(super) struct Joined {
    /// The pieces of the URL, one on each line. Punctuation is trimmed from the last piece. The list is empty if no
    /// join is likely enough.
    pub(super) pieces: Vec<Range<usize>>,
    /// The text of `pieces`.
    pub(super) url: Vec<u8>,
    /// The end of the last piece, including the punctuation that was trimmed from it.
    pub(super) after: usize,
    /// The probability that all joins between `pieces` are right, in percent. At most 99.
    pub(super) confidence: u8,
    /// A URL that has further pieces after `pieces`. The further pieces are not likely enough for a join, so this URL
    /// is only an alternative.
    pub(super) longer: Option<Vec<u8>>,
}

/// Joins the bare URL that starts at `start` with the lines on which it continues or may continue. Returns `None` if
/// there are no such lines. `first` is the extent of the URL on its first line. Lines are joined only if the confidence
/// is at least `least` percent.
///
/// Reads the joined lines, one line before them and two lines after them.
pub(super) fn join(
    text: &[u8],
    start: usize,
    first: &Extent,
    least: u8,
    elsewhere: Option<&Elsewhere<'_>>,
    marks: &mut EmphasisState,
) -> Option<Joined> {
    let (mut last, mut open) = (start..first.end, first.open);
    // `last` is the last piece found so far. `pieces` has the pieces before `last`, and `url` is the joined text of
    // `pieces`.
    let (mut pieces, mut url) = (Vec::new(), Vec::new());
    let mut joined = Joined::default();
    let mut chance = 1.0;
    while pieces.len() < MAX_LINES {
        let Ok((view, token)) = View::at(text, start, &url, last.clone(), open, marks) else { break };
        let mut sum = weigh(&view).sum();
        if let Some(elsewhere) = elsewhere
            && ASKED.contains(&sum)
        {
            sum = match elsewhere.whole(&view) {
                Whole::Joined => SETTLED,
                Whole::Cut => sum + CUT,
                Whole::Neither => sum,
            };
        }
        // An alternative can include one line break at which it is doubtful that the URL continues. A URL with two such
        // line breaks is too unlikely to be an alternative.
        if sum < if joined.longer.is_some() { THRESHOLD } else { BAND } {
            break;
        }
        let piece = last.start..last.end - usize::from(view.soft);
        url.extend_from_slice(&text[piece.clone()]);
        let before = url.len();
        url.extend_from_slice(&text[token.piece.start..token.trimmed]);
        if Url::parse(&url).is_err() {
            break;
        }
        pieces.push(piece);
        chance *= evidence::chance(sum);
        let confidence = (chance * 100.0 + 0.5).min(99.0) as u8;
        if joined.longer.is_some() || sum < THRESHOLD || confidence < least {
            joined.longer = Some(url.clone());
        } else {
            joined.after = token.piece.end;
            joined.confidence = confidence;
            joined.pieces.clone_from(&pieces);
            joined.pieces.push(token.piece.start..token.trimmed);
        }
        url.truncate(before);
        (last, open) = (token.piece, token.open);
    }
    if pieces.is_empty() {
        return None;
    }
    joined.url = wrapped::join(text, &joined.pieces);
    Some(joined)
}

/// The decision about a line break.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// One sign is enough: the URL continues on the next line.
    Settled,
    /// A veto prevents the join: the URL ends at the line break.
    Vetoed,
    /// The sum of the weights decides whether the URL continues.
    Weighed(i32),
}

fn weigh(view: &View<'_>) -> Verdict {
    let vetoed = |vetoes: &[vetoes::Veto]| vetoes.iter().any(|veto| (veto.holds)(view));
    if vetoed(vetoes::NEVER) {
        Verdict::Vetoed
    } else if is_settled(view) {
        Verdict::Settled
    } else if vetoed(vetoes::NOT_HERE) {
        Verdict::Vetoed
    } else {
        Verdict::Weighed(evidence::sum(view))
    }
}

/// Whether a single sign near the line break is enough for a join, without further evidence (RULES.md 3.1).
fn is_settled(view: &View<'_>) -> bool {
    let is_host = || view.padding <= 1 && view.indentation.is_eq() && memchr::memchr2(b'.', b':', view.word).is_some();
    view.soft
        || view.closes
        || view.is_confirmed()
        || vetoes::is_scheme(view) && is_host()
        || view.url.ends_with(b"/cgi-") && view.word.starts_with(b"bin")
}

impl Verdict {
    fn sum(&self) -> i32 {
        match self {
            Verdict::Settled => SETTLED,
            Verdict::Vetoed => i32::MIN,
            Verdict::Weighed(sum) => *sum,
        }
    }
}
