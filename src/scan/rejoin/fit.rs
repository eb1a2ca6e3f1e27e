//! Fits the weights of [`evidence`](super::evidence) to the labelled decisions of `corpus/joins.tsv`, by logistic
//! regression.
//!
//! The tests check that the weights in `evidence.rs` are the result of this fit. The test `label`, which is ignored by
//! default, writes `corpus/joins.tsv` from labelled text. corpus/README.md describes how to run it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use super::evidence::{BASE, QUESTIONS, THRESHOLD};
use super::view::View;
use super::{is_settled, vetoes};
use crate::scan::bare::{self, Brackets};
use crate::scan::emphasis::EmphasisState;

/// The fitted weights are multiplied by this number and rounded.
const SCALE: f64 = 10.0;

/// The penalty for large weights. Some questions are answered with yes only for joins. Without this penalty, their
/// weights would grow without limit.
const L2: f64 = 1.0;

/// A labelled decision: a row of `corpus/joins.tsv`.
struct Row {
    source: String,
    join: bool,
    /// The weight of the row in the fit. The weight grows only with the logarithm of `count`, because a hundred
    /// messages from one template are less evidence than a hundred different messages.
    weight: f64,
    count: usize,
    /// The result of the scanner: the names of the vetoes that apply, then `weighed` or `settled`. If the scanner
    /// decided before it checked the vetoes, the list has only the reason, such as `short`.
    engine: Vec<String>,
    /// The questions whose answer is yes, as indices of [`QUESTIONS`].
    holds: Vec<usize>,
}

fn table() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/joins.tsv")
}

fn rows() -> Vec<Row> {
    let place =
        |name: &str| QUESTIONS.iter().position(|q| q.name == name).unwrap_or_else(|| panic!("no question {name}"));
    let read = |line: &str| {
        let [source, verdict, count, engine, names] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let count = count.parse::<usize>().unwrap();
        Row {
            source: source.to_owned(),
            join: verdict == "join",
            weight: 1.0 + (count as f64).ln(),
            count,
            engine: engine.split(' ').map(str::to_owned).collect(),
            holds: names.split_whitespace().map(place).collect(),
        }
    };
    let table = fs::read_to_string(table()).unwrap();
    table.lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

/// Returns the decisions that depend only on the weights: no veto applies, and no single sign is enough for a join.
fn weighed() -> Vec<Row> {
    let mut rows = rows();
    rows.retain(|row| row.engine == ["weighed"]);
    rows
}

/// Returns the weights that maximize the likelihood of `rows`, with a penalty for large weights. Uses Newton's method.
/// The last weight is the intercept.
fn fit<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Vec<f64> {
    let n = QUESTIONS.len() + 1;
    let mut weights = vec![0.0; n];
    for _ in 0..12 {
        let (mut hessian, mut gradient) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for (i, row) in hessian.iter_mut().enumerate() {
            let penalty = if i + 1 < n { L2 } else { 1e-6 };
            row[i] = penalty;
            gradient[i] = -penalty * weights[i];
        }
        for row in rows.clone() {
            let chance = 1.0 / (1.0 + (-value(row, &weights)).exp());
            let error = row.weight * (f64::from(u8::from(row.join)) - chance);
            let curvature = row.weight * chance * (1.0 - chance);
            let columns = || row.holds.iter().copied().chain([n - 1]);
            for i in columns() {
                gradient[i] += error;
                columns().for_each(|j| hessian[i][j] += curvature);
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

fn value(row: &Row, weights: &[f64]) -> f64 {
    row.holds.iter().map(|i| weights[*i]).sum::<f64>() + weights[QUESTIONS.len()]
}

#[test]
fn the_weights_are_what_the_fit_gives() {
    let rows = weighed();
    let weights = fit(rows.iter());
    let scaled = |weight: f64| (weight * SCALE).round() as i32;
    let mut report = format!("base {}\n", scaled(weights[QUESTIONS.len()]));
    let mut same = scaled(weights[QUESTIONS.len()]) == BASE;
    for (i, question) in QUESTIONS.iter().enumerate() {
        let held = |join: bool| rows.iter().filter(|row| row.join == join && row.holds.contains(&i)).count();
        let fitted = (scaled(weights[i]), (held(true), held(false)));
        same &= fitted == (question.weight, question.held);
        let _ = writeln!(report, "{:16} {fitted:?}", question.name);
    }
    assert!(same, "the table in evidence.rs should have\n{report}");
}

/// Cross-validation: fits the weights to the decisions from all sources except one, and tests them on the decisions
/// from that source. Does this for each source, that is, for each archive or set of messages.
#[test]
fn the_evidence_decides_about_other_sources() {
    let rows = weighed();
    let mut by_source: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for source in rows.iter().map(|row| row.source.as_str()) {
        by_source.entry(source).or_default();
    }
    let (mut total, mut report) = ([0; 4], String::new());
    for (source, counts) in &mut by_source {
        let weights = fit(rows.iter().filter(|row| row.source != *source));
        for row in rows.iter().filter(|row| row.source == *source) {
            let joined = value(row, &weights) * SCALE >= f64::from(THRESHOLD);
            counts[2 * usize::from(!row.join) + usize::from(joined != row.join)] += 1;
        }
        total.iter_mut().zip(*counts).for_each(|(total, count)| *total += count);
        let [joined, missed, left, wrong] = counts;
        let _ =
            writeln!(report, "{source:28} joined {joined}, missed {missed}, not joined {left}, wrongly joined {wrong}");
    }
    let [joined, missed, _, wrong] = total;
    assert!(joined > 20 * wrong && joined > 9 * missed, "{total:?}\n{report}");
}

#[test]
fn there_are_enough_decisions() {
    let rows = rows();
    let sources: BTreeSet<_> = rows.iter().map(|row| &row.source).collect();
    assert!(rows.iter().map(|row| row.count).sum::<usize>() >= 2000 && sources.len() >= 6);
}

/// Returns how many decisions in `rows` are joins, and how many are not.
fn held<'r>(rows: impl Iterator<Item = &'r Row>) -> (usize, usize) {
    rows.fold((0, 0), |(lost, kept), row| if row.join { (lost + row.count, kept) } else { (lost, kept + row.count) })
}

/// A veto must prevent at least as many wrong joins as right joins. The test counts only decisions in which no other
/// veto applies, and which would be joins without this veto. A difference of one decision is allowed, because it can be
/// chance.
#[test]
fn no_veto_loses_more_joins_than_it_prevents() {
    let rows = rows();
    let (mut report, mut same) = (String::new(), true);
    for veto in vetoes::NEVER.iter().chain(vetoes::NOT_HERE) {
        let all = held(rows.iter().filter(|row| row.engine.iter().any(|name| name == veto.name)));
        let alone = |row: &&Row| {
            let sum = || BASE + row.holds.iter().map(|i| QUESTIONS[*i].weight).sum::<i32>();
            row.engine[0] == veto.name
                && (row.engine[1] == "settled" || row.engine[1] == "weighed" && sum() >= THRESHOLD)
        };
        let (lost, kept) = held(rows.iter().filter(alone));
        same &= all == veto.held;
        let _ = writeln!(report, "{:12} {all:?}, joined without the veto: {:?}", veto.name, (lost, kept));
        same &= lost <= kept + 1;
    }
    assert!(same, "the tables in vetoes.rs should have\n{report}");
}

/// The reasons for which the scanner ends a URL before it weighs any evidence. Each reason has two counts: the
/// decisions that are labelled as joins, and all other decisions.
const ENDS: &[(&str, (usize, usize))] = &[
    ("stopped", (0, 23)),
    ("nothing", (1, 448)),
    ("closed", (0, 2)),
    ("short", (0, 505)),
    ("blank", (0, 0)),
    ("prose", (0, 502)),
];

#[test]
fn counts_of_early_results_are_as_recorded() {
    let rows = rows();
    let ends = ENDS.iter().map(|(end, _)| (*end, held(rows.iter().filter(|row| row.engine == [*end]))));
    assert_eq!(ends.collect::<Vec<_>>(), ENDS);
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
    /// Returns two columns of `corpus/joins.tsv`: the result of the scanner, and the names of the questions whose
    /// answer is yes.
    fn see(&self) -> (String, Vec<&'static str>) {
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
            return ("stopped".to_owned(), Vec::new());
        }
        let seen =
            View::at(text.as_bytes(), start, joined.as_bytes(), piece, extent.open, &mut EmphasisState::default());
        let view = match &seen {
            Ok((view, _)) => view,
            Err(end) => return (format!("{end:?}").to_ascii_lowercase(), Vec::new()),
        };
        let settled = is_settled(view);
        let vetoes = vetoes::NEVER.iter().chain(vetoes::NOT_HERE.iter().filter(|_| !settled));
        let mut engine: Vec<_> = vetoes.filter(|veto| (veto.holds)(view)).map(|veto| veto.name).collect();
        engine.push(if settled { "settled" } else { "weighed" });
        let names = QUESTIONS.iter().filter(|q| !settled && (q.holds)(view)).map(|q| q.name);
        (engine.join(" "), names.collect())
    }
}

/// `URLSPOOL_LABELS=FILE cargo test --lib label -- --ignored` writes `corpus/joins.tsv`.
#[test]
#[ignore = "needs labels with text"]
fn label() {
    let labels = fs::read_to_string(std::env::var("URLSPOOL_LABELS").expect("URLSPOOL_LABELS")).unwrap();
    let mut counts = BTreeMap::<_, usize>::new();
    for line in labels.lines() {
        let decision: Decision = serde_json::from_str(line).unwrap();
        let (engine, names) = decision.see();
        *counts.entry((decision.source, decision.verdict, engine, names.join(" "))).or_default() += 1;
    }
    let old = fs::read_to_string(table()).unwrap();
    let mut new: String = old.split_inclusive('\n').take_while(|line| line.starts_with('#')).collect();
    for ((source, verdict, engine, names), count) in counts {
        let _ = writeln!(new, "{source}\t{verdict}\t{count}\t{engine}\t{names}");
    }
    fs::write(table(), new).unwrap();
}
