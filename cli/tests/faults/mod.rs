//! Tests the command with system calls that fail, transfer fewer bytes than requested, or are interrupted. Also tests
//! killed runs.
//!
//! Each scenario runs once without faults, and then many times with one fault each. The first of these runs disturbs
//! the first system call, the next run the second call, and so on. `URLSPOOL_FAULTS=5000` sets the total number of runs
//! of all tests, and each test gets an equal share. If there are more faults than runs, the test chooses the faults at
//! random. With `--nocapture`, each test prints its number of runs. The tests need a C compiler for
//! `tests/faults/shim.c`. Without a C compiler, the tests are skipped.

mod changing;
mod found;
mod rules;
mod scenario;
mod shim;

use std::collections::BTreeMap;

use self::rules::{check, check_next, check_same, check_target};
use self::scenario::{Rules, Scenario, scenarios};
use self::shim::{Fault, Outcome};
use crate::support::Random;
use crate::world::{Run, World};

/// The default number of runs of all tests together.
const RUNS: usize = 600;

/// The approximate number of tests among which the runs are divided: one test for each scenario, and the tests in
/// `changing`.
const TESTS: usize = 24;

/// The maximum number of problems that a failed test prints.
const MOST: usize = 20;

/// Faults that must not change the result. Each row has the names of the system calls, the file descriptor (`None`
/// means any), and the kind of the fault.
const HARMLESS: &[(&str, Option<&str>, &str)] = &[
    ("read", None, "EINTR"),
    ("write", None, "EINTR"),
    ("open,create,sync,truncate,chmod,lock,poll", None, "EINTR"),
    ("close", None, "EINTR"),
    ("close", Some("+"), "EIO"),
    ("read", None, "short"),
    ("write", None, "short"),
    ("read", Some("0"), "EAGAIN"),
    ("write", Some("1"), "EAGAIN"),
    ("write", Some("2"), "EAGAIN"),
];

/// Faults that can cause an error. Each row has the names of the system calls, the file descriptor (`None` means any),
/// and the kind of the fault.
const ERRORS: &[(&str, Option<&str>, &str)] = &[
    (
        "read,write,create,open,opendir,readdir,stat,readlink,realpath,getcwd,seek,sync,truncate,chmod,lock,rename,unlink,\
         duplicate",
        None,
        "EIO",
    ),
    ("write,create,sync,truncate,rename,chmod", None, "ENOSPC"),
    ("write", Some("1"), "EPIPE"),
    ("open,create,opendir,stat,rename,unlink,chmod,realpath,readlink,getcwd", None, "EACCES"),
    ("open,create,opendir,duplicate", None, "EMFILE"),
    ("stat,readdir,open,opendir,lock", None, "ENOMEM"),
    ("read,stat,readdir,open", None, "ESTALE"),
    ("open,opendir", None, "ENOENT"),
    ("thread", None, "EAGAIN"),
    ("lock", None, "ENOLCK"),
    ("opendir,stat,readdir", None, "EINTR"),
    ("read", Some("+"), "EAGAIN"),
];

/// Faults that do not end: after the first disturbed call, all later calls that the row describes are disturbed, too.
/// Each row has the names of the system calls, the file descriptor (`None` means any), and the kind of the fault.
const LASTING: &[(&str, Option<&str>, &str)] = &[
    ("read", None, "EIO"),
    ("write", None, "EIO"),
    ("write,create", None, "ENOSPC"),
    ("write", Some("1"), "EPIPE"),
    ("open,create,opendir,duplicate", None, "EMFILE"),
    ("stat", None, "EIO"),
    ("open", None, "EACCES"),
    ("sync", None, "EIO"),
    ("readdir", None, "EIO"),
    ("truncate,rename,unlink", None, "EIO"),
];

/// A fault. The flag is set if the fault must not change the result.
type Trial = (Fault, bool);

/// A scenario, its folder, and its run without faults.
struct Stage {
    scenario: Scenario,
    world: World,
    undisturbed: Outcome,
    /// The content of the file that the run without faults has written.
    want: Vec<u8>,
}

impl Stage {
    /// Sets up and runs the scenario `name`. The name of the scenario's folder begins with `folder`.
    fn new(name: &str, folder: &'static str) -> Stage {
        let scenario = scenarios().into_iter().find(|scenario| scenario.name == name).unwrap();
        let scenario = Scenario { folder, ..scenario };
        let world = scenario.world();
        let undisturbed = scenario.run(&world, &Fault::NONE);
        let base = undisturbed.run.as_ref().unwrap();
        let is_fine = base.status == Some(0) && undisturbed.is_input_read;
        assert!(is_fine, "{name}: {:?} {}", base.status, String::from_utf8_lossy(&base.stderr));
        let want = scenario.written(&world);
        Stage { scenario, world, undisturbed, want }
    }

    /// Returns the run without faults.
    fn base(&self) -> &Run {
        self.undisturbed.run.as_ref().unwrap()
    }

    /// Runs the scenario with a fault. Returns a description of the problem, if there is one.
    fn disturb(&self, (fault, is_harmless): &Trial) -> Option<String> {
        let Stage { scenario, world, want, .. } = self;
        let base = self.base();
        let outcome = scenario.run(world, fault);
        let written = scenario.written(world);
        let problem = check(scenario, base, &outcome)
            .or_else(|| match is_harmless {
                true => check_same(base, &outcome, written == *want),
                false => check_target(scenario, fault, &outcome, &written, want),
            })
            .or_else(|| match scenario.rules {
                Rules::State => check_next(scenario, world, base, &outcome),
                _ => None,
            });
        problem.map(|problem| format!("{}: {problem}: {}", scenario.name, shown(fault, &outcome)))
    }

    /// Returns the faults to try, in two lists. The first list has one fault for each row of [`HARMLESS`]. This fault
    /// disturbs all calls that match the row, or every second one. The second list has faults for all three tables: one
    /// fault for each call that matches a row. This fault begins at that call.
    fn trials(&self) -> (Vec<Trial>, Vec<Trial>) {
        let calls = &self.undisturbed.calls;
        let (mut many, mut single) = (Vec::new(), Vec::new());
        // A filter writes to a duplicate of standard output, which has another descriptor.
        let on = |descriptor: Option<&'static str>| match descriptor {
            Some("1") if self.scenario.rules == Rules::Tee => Some("+"),
            descriptor => descriptor,
        };
        for (table, is_harmless) in [(HARMLESS, true), (ERRORS, false)] {
            for &(calls_of, descriptor, kind) in table {
                let one = Fault { calls: calls_of, descriptor: on(descriptor), kind, ..Fault::NONE };
                let count = one.count(calls);
                single.extend((1..=count).map(|at| (Fault { at, ..one.clone() }, is_harmless)));
                if is_harmless && count > 0 {
                    // urlspool repeats an interrupted call. If every call were interrupted, the run would never end, so
                    // only every second call is disturbed. A short transfer still makes progress, so the fault `short`
                    // disturbs every call.
                    let step = if kind == "short" { 1 } else { 2 };
                    many.push((Fault { at: 1, times: 0, step, ..one }, true));
                }
            }
        }
        for &(calls_of, descriptor, kind) in LASTING {
            let one = Fault { calls: calls_of, descriptor: on(descriptor), kind, times: 0, ..Fault::NONE };
            single.extend((1..=one.count(calls)).map(|at| (Fault { at, ..one.clone() }, false)));
        }
        (many, single)
    }
}

/// Returns how many runs one test may make.
fn budget() -> usize {
    let all = std::env::var("URLSPOOL_FAULTS").map_or(RUNS, |runs| runs.parse().expect("URLSPOOL_FAULTS is a number"));
    all / TESTS
}

/// Returns at most `many` random elements of `all`.
fn some<T>(mut all: Vec<T>, many: usize) -> Vec<T> {
    let mut random = Random(many as u64);
    for at in 0..all.len() {
        let other = at + random.below(all.len() - at);
        all.swap(at, other);
    }
    all.truncate(many);
    all
}

/// Returns a text for an error message: the fault, the first call that it disturbed, and the result of the run.
fn shown(fault: &Fault, outcome: &Outcome) -> String {
    let call = outcome.disturbed().map_or("no call".into(), |call| format!("{} {}", call.name, call.place));
    let (status, stderr) = match &outcome.run {
        Some(run) => (run.status, String::from_utf8_lossy(&run.stderr).into_owned()),
        None => (None, String::new()),
    };
    format!("{fault}: {call}: status {status:?}, {stderr:?}")
}

#[track_caller]
fn fail(problems: &[String]) {
    let shown = problems.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} problems:\n{shown}", problems.len());
}

/// Runs a scenario many times, with one fault each.
fn disturb(name: &str) {
    if !shim::is_here() {
        return;
    }
    let stage = Stage::new(name, "faults");
    let (mut trials, single) = stage.trials();
    let all = trials.len() + single.len();
    let rest = budget().saturating_sub(trials.len());
    trials.extend(some(single, rest));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    trials.iter().for_each(|(fault, _)| *counts.entry(fault.kind).or_default() += 1);
    println!("{name}: {} of {all} runs, {counts:?}", trials.len());
    fail(&trials.iter().filter_map(|trial| stage.disturb(trial)).collect::<Vec<_>>());
}

macro_rules! tests {
    ($($function:ident: $name:literal)*) => {
        $(
            #[test]
            fn $function() {
                disturb($name);
            }
        )*

        #[test]
        fn each_scenario_has_a_test() {
            let tests = [$($name,)* "parquet"];
            for scenario in scenarios() {
                assert!(tests.contains(&scenario.name), "{}", scenario.name);
            }
        }
    };
}

tests! {
    plain: "plain"
    json: "json"
    threads: "threads"
    parts: "parts"
    compressed: "compressed"
    stdin: "stdin"
    listed: "listed"
    sorted: "sorted"
    output: "output"
    tee: "tee"
    tee_hits: "tee-hits"
    tee_header: "tee-header"
    report: "report"
    state: "state"
    state_next: "state-next"
    state_threads: "state-threads"
}

#[test]
fn parquet() {
    disturb("parquet");
}
