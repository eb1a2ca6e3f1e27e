//! Fits the weights of [`evidence`](super::evidence) to the labelled decisions of `corpus/joins.tsv`, by logistic
//! regression.
//!
//! The tests check that the weights in `evidence.rs` are the result of this fit, and that the confidence is right on
//! sources to which nothing was fitted. The test `label`, which is ignored by default, writes `corpus/joins.tsv` from
//! labelled text. corpus/README.md describes how to run it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use super::evidence::{BASE, QUESTIONS, chance};
use super::view::View;
use super::{LIKELY, NEVER, SETTLED, vetoes, weigh};
use crate::scan::bare::{self, Brackets};
use crate::scan::emphasis::EmphasisState;

/// The fitted weights are multiplied by this number and rounded.
const SCALE: f64 = 10.0;

/// The penalty for large weights. Some questions are answered with yes only for joins. Without this penalty, their
/// weights would grow without limit.
const L2: f64 = 0.1;

/// The number of groups of sources for the cross-validation.
const FOLDS: usize = 10;

/// All labelled decisions with the same label, the same result of the scanner and the same answers to all questions: a
/// row of `corpus/joins.tsv`.
struct Row {
    /// `weighed`, `settled`, the name of a veto, or the reason for which the scanner did not look further.
    result: String,
    join: bool,
    /// The questions whose answer is yes, as indices of [`QUESTIONS`].
    holds: Vec<usize>,
    /// For each fold, the number of decisions of its sources.
    counts: [usize; FOLDS],
}

/// A decision of the regression: the values of the variables that are not 0, the label, and the weight of the row.
type Item = (Vec<(usize, f64)>, bool, f64);

/// A hundred messages from one template are less evidence than a hundred different messages, so the weight of a row
/// grows only with the logarithm of its count.
fn weight(count: usize) -> f64 {
    1.0 + (count as f64).ln()
}

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/joins.tsv")
}

/// Returns the rows and the names of the sources. All sources of a family, such as the lists of one project, are in one
/// fold. The family is the name up to the first hyphen.
fn read() -> (Vec<Row>, Vec<String>) {
    let text = fs::read_to_string(table()).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut names = |key: &str| -> Vec<String> {
        let names = lines.next().and_then(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("no {key}"));
        names.split_whitespace().map(str::to_owned).collect()
    };
    let (sources, questions) = (names("sources"), names("questions"));
    let family = |source: &str| source.split('-').next().unwrap().to_owned();
    let families: BTreeSet<String> = sources.iter().map(|source| family(source)).collect();
    let fold = |source: usize| families.iter().position(|name| *name == family(&sources[source])).unwrap() % FOLDS;
    let place: Vec<usize> = questions
        .iter()
        .map(|name| QUESTIONS.iter().position(|q| q.name == name).unwrap_or_else(|| panic!("no question {name}")))
        .collect();
    assert_eq!(place.len(), QUESTIONS.len(), "corpus/joins.tsv lacks a question");
    let row = |line: &str| {
        let [result, bits, verdict, from] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let bits = u128::from_str_radix(bits, 16).unwrap();
        let mut counts = [0; FOLDS];
        for source in from.split(' ') {
            let (source, count) = source.split_once('*').unwrap_or((source, "1"));
            counts[fold(source.parse().unwrap())] += count.parse::<usize>().unwrap();
        }
        let holds = (0..place.len()).filter(|i| bits >> i & 1 == 1).map(|i| place[i]).collect();
        Row { result: result.to_owned(), join: verdict == "join", holds, counts }
    };
    (lines.map(row).collect(), sources)
}

fn weighed() -> Vec<Row> {
    let mut rows = read().0;
    rows.retain(|row| row.result == "weighed");
    rows
}

/// Returns the weights of `n` variables that maximize the likelihood, with a penalty for large weights. Uses Newton's
/// method. The last weight is the intercept.
fn fit(items: &[Item], n: usize) -> Vec<f64> {
    let n = n + 1;
    let mut weights = vec![0.0; n];
    for _ in 0..12 {
        let (mut hessian, mut gradient) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for (i, row) in hessian.iter_mut().enumerate() {
            let penalty = if i + 1 < n { L2 } else { 1e-6 };
            row[i] = penalty;
            gradient[i] = -penalty * weights[i];
        }
        for (values, join, weight) in items {
            let chance = 1.0 / (1.0 + (-value(values, &weights)).exp());
            let error = weight * (f64::from(u8::from(*join)) - chance);
            let curvature = weight * chance * (1.0 - chance);
            let columns = || values.iter().copied().chain([(n - 1, 1.0)]);
            for (i, x) in columns() {
                gradient[i] += error * x;
                columns().for_each(|(j, y)| hessian[i][j] += curvature * x * y);
            }
        }
        for (weight, step) in weights.iter_mut().zip(solve(hessian, gradient)) {
            *weight += step;
        }
    }
    weights
}

/// Solves a system of linear equations by Gaussian elimination. The matrix must be positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        let pivot = matrix[i].clone();
        for j in i + 1..n {
            let factor = matrix[j][i] / pivot[i];
            matrix[j].iter_mut().zip(&pivot).skip(i).for_each(|(to, from)| *to -= factor * from);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

fn value(values: &[(usize, f64)], weights: &[f64]) -> f64 {
    values.iter().map(|(i, x)| weights[*i] * x).sum::<f64>() + weights[weights.len() - 1]
}

/// Fits the questions to the rows, without the sources of the fold `without`.
fn fit_questions(rows: &[Row], without: Option<usize>) -> Vec<f64> {
    let count = |row: &Row| row.counts.iter().enumerate().filter(|(i, _)| Some(*i) != without).map(|(_, n)| n).sum();
    let items: Vec<Item> = rows
        .iter()
        .filter(|row| count(row) > 0)
        .map(|row| (row.holds.iter().map(|i| (*i, 1.0)).collect(), row.join, weight(count(row))))
        .collect();
    fit(&items, QUESTIONS.len())
}

/// Cross-validation: for each fold, fits the weights to the sources of all other folds, and applies them to the sources
/// of this fold. Returns the sums, the labels and the weights of the decisions, as items of a regression with one
/// variable.
fn crossed(rows: &[Row]) -> Vec<Item> {
    let mut items = Vec::new();
    for fold in 0..FOLDS {
        let weights = fit_questions(rows, Some(fold));
        for row in rows.iter().filter(|row| row.counts[fold] > 0) {
            let sum = row.holds.iter().map(|i| weights[*i]).sum::<f64>() + weights[QUESTIONS.len()];
            items.push((vec![(0, sum)], row.join, weight(row.counts[fold])));
        }
    }
    items
}

/// The weights are fitted to all decisions. A second regression then corrects the sums (Platt scaling): it is fitted to
/// the sums of the cross-validation, so that the confidence is right on sources to which the weights are not fitted.
#[test]
fn the_weights_are_what_the_fit_gives() {
    let rows = weighed();
    let weights = fit_questions(&rows, None);
    let platt = fit(&crossed(&rows), 1);
    let scaled = |weight: f64| (weight * SCALE).round() as i32;
    let base = scaled(weights[QUESTIONS.len()] * platt[0] + platt[1]);
    let mut report = format!("base {base}\n");
    let mut same = base == BASE;
    for (question, weight) in QUESTIONS.iter().zip(&weights) {
        let fitted = scaled(weight * platt[0]);
        same &= fitted == question.weight;
        let _ = writeln!(report, "{} {fitted}", question.name);
    }
    assert!(same, "the table in evidence.rs should have\n{report}");
}

/// In every bin of ten points that has at least 30 joins, the share of right joins is within five points of what the
/// confidence says, and over all joins within three. Below 50 %, where nothing is joined by default, it is within 12. At
/// the default threshold, the lines are joined at 95 % of the breaks, and 96 % of the joins are right.
#[test]
fn the_confidence_is_right_on_other_sources() {
    let rows = weighed();
    let items = crossed(&rows);
    let platt = fit(&items, 1);
    let (mut bins, mut report) = ([[0.0; 3]; 10], String::new());
    let [mut joins, mut joined, mut promised, mut right] = [0.0; 4];
    for (values, join, weight) in &items {
        let said = 1.0 / (1.0 + (-value(values, &platt)).exp());
        let bin = &mut bins[((said * 10.0) as usize).min(9)];
        let is_join = if *join { *weight } else { 0.0 };
        for (sum, value) in bin.iter_mut().zip([*weight, weight * said, is_join]) {
            *sum += value;
        }
        joins += is_join;
        if said >= f64::from(LIKELY) / 100.0 {
            joined += weight;
            promised += weight * said;
            right += is_join;
        }
    }
    let mut within = (promised - right).abs() < 0.03 * joined;
    for (i, [total, said, right]) in bins.into_iter().enumerate() {
        let _ = writeln!(report, "{total:.0}: said {:.3}, right {:.3}", said / total, right / total);
        within &= total < 30.0 || (said - right).abs() < total * if i >= 5 { 0.05 } else { 0.12 };
    }
    let _ = writeln!(report, "precision {:.3}, recall {:.3}", right / joined, right / joins);
    assert!(within && right > 0.96 * joined && right > 0.95 * joins, "{report}");
}

#[test]
fn there_are_enough_decisions() {
    let (rows, sources) = read();
    let count: usize = rows.iter().flat_map(|row| row.counts).sum();
    assert!(count >= 12_000 && sources.len() >= 130, "{count} decisions of {} sources", sources.len());
}

/// Returns how many decisions with this result are joins, and how many are not.
fn held(rows: &[Row], result: &str) -> (usize, usize) {
    let count = |join| {
        rows.iter().filter(|row| row.result == result && row.join == join).flat_map(|row| row.counts).sum::<usize>()
    };
    (count(true), count(false))
}

/// The signs that decide alone are the ones that the labels do not contradict, except for a few errors of the labels.
#[test]
fn the_labels_do_not_contradict_the_signs_that_decide_alone() {
    let rows = read().0;
    let ends = ["stopped", "nothing", "short", "blank", "prose"];
    for name in vetoes::VETOES.iter().map(|veto| veto.name).chain(ends) {
        let (lost, kept) = held(&rows, name);
        assert!(lost * 100 <= kept + 200, "{name}: {lost} joins and {kept} others");
    }
    let (right, wrong) = held(&rows, "settled");
    assert!(right > 0 && wrong * 50 <= right + 50, "settled: {right} joins and {wrong} others");
    assert!((0.98..0.985).contains(&chance(SETTLED)));
}

/// A labelled decision with the lines around the break, read from a line of JSON.
#[derive(serde::Deserialize)]
struct Decision {
    source: String,
    /// `join` or `none`.
    verdict: String,
    /// The URL up to the break. `piece` is the last piece of this URL, at the end of `line`.
    before: String,
    piece: String,
    above: String,
    line: String,
    next: String,
    after: String,
    after2: String,
}

impl Decision {
    /// Returns the result of the scanner, and the answers to the questions: bit `i` is the answer to question `i`.
    fn see(&self) -> (String, u128) {
        let before = format!("{}\n{}", self.above, self.line.trim_ascii_end());
        let start = before
            .strip_suffix(&self.piece)
            .unwrap_or_else(|| panic!("the line does not end with the piece: {before}"))
            .len();
        let text = [&self.above, &self.line, &self.next, &self.after, &self.after2].map(String::as_str).join("\n");
        let joined = self.before.strip_suffix(&self.piece).unwrap();
        let from = self.piece.find("//").filter(|_| joined.is_empty()).map_or(0, |slashes| slashes + 2);
        let extent = bare::extent(text.as_bytes(), start, start + from, Brackets::default());
        let piece = start..start + self.piece.len();
        if extent.end != piece.end {
            return ("stopped".to_owned(), 0);
        }
        let seen =
            View::at(text.as_bytes(), start, joined.as_bytes(), piece, extent.open, &mut EmphasisState::default());
        let view = match &seen {
            Ok((view, _)) => view,
            Err(end) => return (format!("{end:?}").to_ascii_lowercase(), 0),
        };
        let result = match weigh(view) {
            Ok(_) => {
                let bit = |(i, question): (usize, &super::evidence::Question)| u128::from((question.holds)(view)) << i;
                return ("weighed".to_owned(), QUESTIONS.iter().enumerate().map(bit).sum());
            }
            Err(SETTLED) => "settled",
            Err(NEVER) => vetoes::VETOES.iter().find(|veto| (veto.holds)(view)).unwrap().name,
            Err(_) => "unknowable",
        };
        (result.to_owned(), 0)
    }
}

/// `URLSPOOL_LABELS=FILE cargo test --lib label -- --ignored` writes `corpus/joins.tsv`.
#[test]
#[ignore = "needs labels with text"]
fn label() {
    let labels = fs::read_to_string(std::env::var("URLSPOOL_LABELS").expect("URLSPOOL_LABELS")).unwrap();
    let decisions: Vec<Decision> = labels.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sources: BTreeSet<&str> = decisions.iter().map(|decision| decision.source.as_str()).collect();
    let sources: Vec<&str> = sources.into_iter().collect();
    let mut rows = BTreeMap::<_, BTreeMap<usize, usize>>::new();
    for decision in &decisions {
        let source = sources.binary_search(&decision.source.as_str()).unwrap();
        let (result, bits) = decision.see();
        *rows.entry((result, bits, &decision.verdict)).or_default().entry(source).or_default() += 1;
    }
    let old = fs::read_to_string(table()).unwrap();
    let mut new: String = old.split_inclusive('\n').take_while(|line| line.starts_with('#')).collect();
    let names: Vec<_> = QUESTIONS.iter().map(|question| question.name).collect();
    let _ = writeln!(new, "sources {}\nquestions {}", sources.join(" "), names.join(" "));
    for ((result, bits, verdict), counts) in rows {
        let count = |(source, n): (&usize, &usize)| if *n == 1 { format!("{source}") } else { format!("{source}*{n}") };
        let counts: Vec<_> = counts.iter().map(count).collect();
        let _ = writeln!(new, "{result}\t{bits:x}\t{verdict}\t{}", counts.join(" "));
    }
    fs::write(table(), new).unwrap();
}
