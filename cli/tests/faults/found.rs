//! Bugs that the tests with faults have found. Each test repeats the fault that revealed a bug.

use super::shim::{self, Fault};
use super::{Stage, fail};

/// Runs a scenario with a fault of the kind `kind`. The fault begins at the first call of `name` whose descriptor or
/// path ends with `place`. It disturbs this call and the following calls of `name`: `times` calls in total, or all if
/// `times` is 0.
fn first(scenario: &str, kind: &'static str, (name, place): (&'static str, &str), times: usize, is_harmless: bool) {
    if !shim::is_here() {
        return;
    }
    let stage =
        Stage::new(scenario, std::thread::current().name().unwrap().rsplit("::").next().unwrap().to_owned().leak());
    let calls: Vec<_> = stage.undisturbed.calls.iter().filter(|call| call.name == name).collect();
    let at = 1 + calls.iter().position(|call| call.place.ends_with(place)).expect("such a call");
    let fault = Fault { calls: name, kind, at, times, ..Fault::NONE };
    fail(&stage.disturb(&(fault, is_harmless)).into_iter().collect::<Vec<_>>());
}

#[test]
fn locking_the_state_is_repeated_after_a_signal() {
    first("state", "EINTR", ("lock", ""), 1, true);
}

/// Before the fix, the next run printed the URLs of the file again, without a message.
#[test]
fn a_file_is_recorded_even_if_its_hash_is_unknown() {
    first("state", "EMFILE", ("open", "text"), 1, false);
    first("state", "EIO", ("open", "box"), 1, false);
}

/// Before the fix, the next run printed the URLs of the file again, without a message.
#[test]
fn a_file_that_cannot_be_recorded_is_reported() {
    first("state", "ESTALE", ("stat", "text"), 1, false);
    first("state", "EACCES", ("stat", "/maildir/new"), 1, false);
}

/// Before the fix, error messages were lost or incomplete.
#[test]
fn messages_wait_for_a_standard_error_that_does_not_block() {
    first("state-next", "EAGAIN", ("write", "2"), 1, true);
    first("sorted", "EAGAIN", ("write", "2"), 1, true);
}

#[test]
fn a_list_of_files_may_come_from_a_pipe_that_does_not_block() {
    first("listed", "EAGAIN", ("read", "3"), 3, true);
}

/// Before the fix, a failed filter did not read the rest of the mail.
#[test]
fn a_filter_reads_mail_that_it_has_no_output_for() {
    first("tee", "EMFILE", ("duplicate", "1"), 0, false);
}

/// Before the fix, if the file of `--hits` ended with an incomplete record, urlspool added the next record to the same
/// line.
#[test]
fn a_cut_record_is_ended_even_if_the_file_cannot_be_read() {
    first("tee-hits", "EMFILE", ("open", "hits"), 1, false);
}

/// Before the fix, urlspool wrote the table of `--stats` with hundreds of small writes.
#[test]
fn the_statistics_are_one_write() {
    if shim::is_here() {
        let stage = Stage::new("sorted", "faults-statistics");
        let writes = stage.undisturbed.calls.iter().filter(|call| call.name == "write" && call.place == "2");
        assert_eq!(writes.count(), 1);
    }
}
