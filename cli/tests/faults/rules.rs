//! The rules for runs with a fault. Each check returns a description of the problem, if there is one.

use std::collections::{BTreeMap, BTreeSet};

use super::scenario::{Rules, Scenario, old_report};
use super::shim::{Fault, Outcome, run};
use crate::world::{Run, World};

/// Checks the rules that apply to every run.
pub(super) fn check(scenario: &Scenario, base: &Run, outcome: &Outcome) -> Option<String> {
    let Some(run) = &outcome.run else { return Some("it hangs".into()) };
    let stderr = String::from_utf8_lossy(&run.stderr);
    let Some(status) = run.status else { return Some("a signal ends it".into()) };
    let allowed: &[i32] = if scenario.rules == Rules::Tee { &[0, 75] } else { &[0, 1, 2] };
    if !allowed.contains(&status) {
        return Some("it has another status".into());
    }
    if stderr.contains("panicked") || stderr.contains("RUST_BACKTRACE") {
        return Some("it panics".into());
    }
    let is_cut_message = outcome.has_disturbed("write", "2");
    let is_message = |line: &str| line.starts_with("urlspool: ");
    let has_table = scenario.arguments.contains("--stats");
    if !is_cut_message && !has_table && !stderr.lines().all(is_message) {
        return Some("a message is not a line of its own".into());
    }
    if scenario.rules == Rules::Tee {
        return check_tee(scenario, base, outcome, status);
    }
    let is_closed = outcome.calls.iter().any(|call| call.is_disturbed && call.name == "write" && call.place == "1");
    // If a file cannot be compared with its record in the state file, urlspool reads the whole file again and prints a
    // message.
    let is_again = scenario.rules == Rules::State && is_noted(&stderr) && has_all(base, run);
    if status < 2 && (run.stdout != base.stdout || base.status != Some(status)) && !is_closed && !is_again {
        return Some(format!("something is missing without an error: {}", first_difference(&base.stdout, &run.stdout)));
    }
    if status == 2 && stderr.is_empty() && !is_cut_message {
        return Some("an error without a message".into());
    }
    match () {
        () if is_again => None,
        () if is_closed => prefix_of(base, run),
        () => part_of(base, run),
    }
}

/// Returns whether standard error has a message that urlspool reads a file again.
pub(super) fn is_noted(stderr: &str) -> bool {
    stderr.contains("the next run reads the file again") || stderr.contains("reading it from the beginning")
}

/// Returns whether `run` has printed all lines that the run without faults printed.
pub(super) fn has_all(base: &Run, run: &Run) -> bool {
    let printed = lines(&run.stdout);
    lines(&base.stdout).iter().all(|(line, count)| printed.get(line).is_some_and(|many| many >= count))
}

fn first_difference(want: &[u8], got: &[u8]) -> String {
    let (want, got) = (String::from_utf8_lossy(want), String::from_utf8_lossy(got));
    let lines: BTreeSet<&str> = got.lines().collect();
    want.lines().find(|line| !lines.contains(line)).unwrap_or_default().to_owned()
}

/// Returns how often each line occurs in a text. Ignores an incomplete last line.
pub(super) fn lines(text: &[u8]) -> BTreeMap<&[u8], usize> {
    let mut lines: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// Checks that the output is a prefix of the output of the run without faults. Output after a failed write can be
/// missing.
fn prefix_of(base: &Run, run: &Run) -> Option<String> {
    (!base.stdout.starts_with(&run.stdout)).then(|| "the output is not a beginning of the output".into())
}

/// Checks that the run without faults also printed each line of the output.
fn part_of(base: &Run, run: &Run) -> Option<String> {
    let want = lines(&base.stdout);
    if !run.stdout.is_empty() && !run.stdout.ends_with(b"\n") {
        return Some("the last line has no end".into());
    }
    // If an input is not read to its end, its last URL can be truncated. urlspool then reports an error.
    let is_cut =
        |line: &[u8]| run.status == Some(2) && want.keys().any(|whole| whole.starts_with(line.trim_ascii_end()));
    let is_wrong = |line: &[u8], count| want.get(line).is_none_or(|many| *many < count) && !is_cut(line);
    let wrong = lines(&run.stdout).into_iter().find(|(line, count)| is_wrong(line, *count));
    wrong.map(|(line, _)| format!("a line is new: {}", line.escape_ascii()))
}

/// If the exit status is 0, checks that the filter passed on the whole mail. Also checks, for every exit status, that
/// the filter read its input to the end, and printed nothing on standard error except that the mail or URLs are lost.
fn check_tee(scenario: &Scenario, base: &Run, outcome: &Outcome, status: i32) -> Option<String> {
    let run = outcome.run.as_ref()?;
    if status == 0 && run.stdout != base.stdout && run.stdout != scenario.input {
        return Some("the mail is not whole".into());
    }
    let is_known = |line: &str| {
        line.starts_with("urlspool: URLs are lost: ")
            || status == 75 && line.starts_with("urlspool: cannot pass the mail on: ")
    };
    if !String::from_utf8_lossy(&run.stderr).lines().all(is_known) {
        return Some("it prints a message".into());
    }
    // The filter reads a duplicate of standard input.
    if !outcome.is_input_read && !outcome.has_disturbed("read", "3") {
        return Some("it does not read its input to the end".into());
    }
    None
}

/// Checks that a harmless fault changes neither the output, the messages, the status nor the written file.
pub(super) fn check_same(base: &Run, outcome: &Outcome, is_written: bool) -> Option<String> {
    let run = outcome.run.as_ref()?;
    if run.stdout != base.stdout || run.status != base.status {
        return Some("the output differs".into());
    }
    if without_time(&run.stderr) != without_time(&base.stderr) {
        return Some("the messages differ".into());
    }
    (!is_written).then(|| "the written file differs".into())
}

/// Returns the lines of `text`, except the line of the statistics that shows the time of the run.
fn without_time(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"time ")).collect()
}

/// Checks that the output file has either its old content from before the run, or the content that the run without
/// faults wrote. After an error, the new content may lack some URLs. Only the files that `--hits` and `-o` write may be
/// truncated.
pub(super) fn check_target(
    scenario: &Scenario,
    fault: &Fault,
    outcome: &Outcome,
    written: &[u8],
    want: &[u8],
) -> Option<String> {
    let (name, before) = scenario.target?;
    let status = outcome.run.as_ref()?.status;
    match name {
        "hits" => {
            // If only a part of the mail was read, the file has only the URLs of that part. If urlspool has no
            // permission to read the file (`EACCES`), it cannot check whether the last record is complete. It then
            // appends to the file without adding a line break.
            let is_fine = match status {
                Some(75) => written.starts_with(before),
                _ => want.starts_with(written) || fault.kind == "EACCES" && written.starts_with(before),
            };
            (!is_fine).then(|| format!("the records are wrong: {}", written.escape_ascii()))
        }
        "out" => {
            if status != Some(2) && written != want {
                return Some("lines of the file are missing without an error".into());
            }
            let is_cut = outcome.calls.iter().any(|call| call.is_disturbed && call.name == "write");
            let all = lines(want);
            let is_part = lines(written).keys().all(|line| all.contains_key(line));
            let is_fine = if is_cut { want.starts_with(written) } else { is_part };
            (!is_fine && written != before).then(|| format!("the file is wrong: {}", written.escape_ascii()))
        }
        // If the status is 2, the URLs of some inputs can be missing from the output file. A report can also lack the
        // link to a file, because a fault can hide the absolute path of the file.
        _ if status == Some(2) || name == "page.html" && written != before => {
            let is_whole = match name {
                "page.html" => written.starts_with(old_report()) && written.trim_ascii_end().ends_with(b"</html>"),
                _ => written.starts_with(b"PAR1") && written.ends_with(b"PAR1"),
            };
            (written != before && !is_whole).then(|| "the file is neither the old nor a whole one".into())
        }
        _ => (written != want).then(|| "the file is not the new one, without an error".into()),
    }
}

/// Checks that the next run prints the lines that the first run did not print. The next run may repeat the lines of at
/// most one file.
pub(super) fn check_next(scenario: &Scenario, world: &World, base: &Run, outcome: &Outcome) -> Option<String> {
    let first = outcome.run.as_ref()?;
    let next = run(world, scenario.arguments, b"", &Fault::NONE);
    let next = next.run?;
    if !matches!(next.status, Some(0 | 1)) {
        return Some(format!("the next run fails: {}", String::from_utf8_lossy(&next.stderr)));
    }
    let is_closed = outcome.has_disturbed("write", "1");
    let stderr = String::from_utf8_lossy(&first.stderr);
    if matches!(first.status, Some(0 | 1)) && !is_closed && !is_noted(&stderr) && !next.stdout.is_empty() {
        return Some(format!("the next run repeats lines without an error: {}", next.stdout.escape_ascii()));
    }
    let (mut printed, again) = (lines(&first.stdout), lines(&next.stdout));
    for (line, count) in again {
        *printed.entry(line).or_default() += count;
    }
    let file = |line: &[u8]| line.split(|&byte| byte == b'\t').next().unwrap_or_default().to_vec();
    let want = lines(&base.stdout);
    if let Some((line, _)) = want.iter().find(|(line, count)| printed.get(*line).is_none_or(|many| many < count)) {
        return Some(format!("a line is lost: {}", line.escape_ascii()));
    }
    let twice: BTreeSet<Vec<u8>> =
        printed.iter().filter(|(line, many)| want.get(*line) != Some(many)).map(|(line, _)| file(line)).collect();
    (twice.len() > 1).then(|| format!("{} files are printed twice", twice.len()))
}
