//! Files that change while they are read, and runs that are killed.

use std::collections::BTreeSet;
use std::fs;

use super::rules::{check_next, lines};
use super::scenario::{Rules, Scenario, settle};
use super::shim::{self, Fault, Outcome};
use super::{Stage, budget, fail, shown, some};
use crate::world::World;

/// The system calls before which `change` changes a file.
const READING: &str = "open,read,stat,seek,close,readdir,opendir";

/// The system calls before which `kill` kills the run.
const WRITING: &str = "read,write,create,open,sync,truncate,chmod,rename,unlink,close";

/// Returns the URLs that are in the files now, each with the name of its file.
fn now(world: &World, paths: &str) -> BTreeSet<Vec<u8>> {
    lines(&world.run(&format!("-H {paths}")).stdout).into_keys().map(<[u8]>::to_vec).collect()
}

/// Returns a description of the problem if the run hangs, panics or has an unexpected status.
fn ended(outcome: &Outcome) -> Option<String> {
    let Some(run) = &outcome.run else { return Some("it hangs".into()) };
    let stderr = String::from_utf8_lossy(&run.stderr);
    let is_fine = matches!(run.status, Some(0..=2)) && stderr.lines().all(|line| line.starts_with("urlspool: "));
    (!is_fine).then(|| "it does not end well".into())
}

/// Runs urlspool with `arguments` many times. In each run, one of `files` changes before one of the calls in `READING`.
fn change(name: &'static str, arguments: &'static str, paths: &str, files: &[&'static str]) {
    if !shim::is_here() {
        return;
    }
    let scenario = Scenario::list(name, arguments).rules(Rules::State);
    let world = scenario.world();
    let base = scenario.run(&world, &Fault { calls: READING, ..Fault::NONE });
    let before = now(&world, paths);
    let mut faults = Vec::new();
    for &file in files {
        for kind in ["shrink", "grow", "replace", "remove"] {
            let one = Fault { calls: READING, kind, file, ..Fault::NONE };
            faults.extend((1..=base.calls.len()).map(|at| Fault { at, ..one.clone() }));
        }
    }
    let faults = some(faults, budget());
    let mut problems = Vec::new();
    for fault in &faults {
        let path = world.path(fault.file);
        let original = fs::read(&path).unwrap();
        fs::copy(world.path("box.new"), world.path("new")).unwrap();
        let outcome = scenario.run(&world, fault);
        let mut problem = ended(&outcome);
        if let (None, Some(run)) = (&problem, &outcome.run) {
            settle(world.dir());
            let after = now(&world, paths);
            let mut printed: BTreeSet<Vec<u8>> = lines(&run.stdout).into_keys().map(<[u8]>::to_vec).collect();
            // If the file was truncated inside a URL, the printed URL can be truncated, too.
            let is_known = |line: &Vec<u8>| {
                let url = line.trim_ascii_end();
                before
                    .iter()
                    .chain(&after)
                    .any(|other| other == line || fault.kind == "shrink" && other.starts_with(url))
            };
            if let Some(line) = printed.iter().find(|line| !is_known(line)) {
                problem = Some(format!("a line is new: {}", line.escape_ascii()));
            }
            if arguments.contains("--state") {
                let next = shim::run(&world, arguments, b"", &Fault::NONE);
                problem = problem.or_else(|| ended(&next));
                printed.extend(next.run.iter().flat_map(|run| lines(&run.stdout).into_keys().map(<[u8]>::to_vec)));
            }
            let is_error = run.status == Some(2) && !arguments.contains("--state");
            if let Some(line) = after.intersection(&before).find(|line| !printed.contains(*line) && !is_error) {
                problem = problem.or(Some(format!("a line is lost: {}", line.escape_ascii())));
            }
            if let Some(line) = after.iter().find(|line| arguments.contains("--state") && !printed.contains(*line)) {
                problem = problem.or(Some(format!("a new line is lost: {}", line.escape_ascii())));
            }
        }
        let file = fault.file;
        fs::write(&path, original).unwrap();
        settle(world.dir());
        problems.extend(problem.map(|problem| format!("{name}: {file}: {problem}: {}", shown(fault, &outcome))));
    }
    println!("{name}: {} runs", faults.len());
    fail(&problems);
}

#[test]
fn files_may_change_while_they_are_read() {
    let files = ["box", "text", "large", "box.gz", "b.tgz", "a.zip", "maildir/cur/3.a.b:2,S"];
    change(
        "changing",
        "-j1 -H box text large box.gz b.tgz a.zip maildir",
        "box text large box.gz b.tgz a.zip maildir",
        &files,
    );
}

#[test]
fn a_state_loses_nothing_of_files_that_change() {
    let files = ["box", "text"];
    change("changing-state", "-j1 -H --state state box text maildir", "box text maildir", &files);
}

/// Runs a scenario many times, and kills each run before one of the calls in `WRITING`.
fn kill(name: &str) {
    if !shim::is_here() {
        return;
    }
    let Stage { scenario, world, undisturbed, want } = Stage::new(name, "faults-kill");
    let base = undisturbed.run.as_ref().unwrap();
    let one = Fault { calls: WRITING, kind: "kill", ..Fault::NONE };
    let faults = (1..=one.count(&undisturbed.calls)).map(|at| Fault { at, ..one.clone() });
    let faults = some(faults.collect(), budget());
    let mut problems = Vec::new();
    for fault in &faults {
        let outcome = scenario.run(&world, fault);
        let written = scenario.written(&world);
        let before = scenario.target.map_or(&b""[..], |(_, before)| before);
        let problem = match scenario.rules {
            Rules::State => check_next(&scenario, &world, base, &outcome),
            Rules::List if written != before && written != want => Some("neither the old nor the new file".into()),
            _ => {
                // Files that the killed run has left behind must not change the result of the next run.
                let next = shim::run(&world, scenario.arguments, &scenario.input, &Fault::NONE);
                let is_same = next.run.is_some_and(|run| run.stdout == base.stdout && run.status == base.status);
                (!is_same || scenario.rules == Rules::List && scenario.written(&world) != want)
                    .then(|| "the next run differs".into())
            }
        };
        problems.extend(problem.map(|problem| format!("{name}: {problem}: {}", shown(fault, &outcome))));
    }
    println!("{name}: {} kills", faults.len());
    fail(&problems);
}

#[test]
fn a_killed_report_leaves_the_old_one() {
    kill("report");
}

#[test]
fn a_killed_parquet_file_leaves_the_old_one() {
    kill("parquet");
}

#[test]
fn a_killed_run_loses_no_urls() {
    kill("state");
}

#[test]
fn a_killed_later_run_loses_no_urls() {
    kill("state-next");
}

#[test]
fn a_killed_run_with_threads_loses_no_urls() {
    kill("state-threads");
}

#[test]
fn a_killed_filter_leaves_the_records() {
    kill("tee-hits");
}
