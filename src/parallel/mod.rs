//! An ordered map over jobs, in bounded memory. Knows neither mail nor URLs.
//!
//! There is no reading thread: each worker fills its own job under the source's lock, so that what was read is
//! still in its core's cache when it is worked on, works on it, and hands the result in by turn. Results that
//! are early wait, a few for each worker; buffers go round and are used again.

#[cfg(feature = "parallel")]
mod several;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// So many results for each worker may wait for their turn: one job may be ten times the work of the next, and who is done
/// with his should not have to wait for the other.
const EARLY: usize = 6;

/// How many results so many threads need: one to work on for each, and those that wait.
pub(crate) fn results(threads: usize) -> usize {
    threads * (1 + EARLY)
}

/// Runs `work` on every job that `fill` fills, in `threads` workers, and gives the results to `drain` in the order
/// of the jobs.
///
/// `fill` says whether there was another job; `work` breaks if no later job is of interest; `drain` has to leave the
/// result empty, for it is used again. After the first [`ControlFlow::Break`] of either no more jobs are filled and no
/// more results drained. With one thread nothing is started and no lock is taken.
///
/// `results` holds empty results to begin with: [`results`] says how many.
pub(crate) fn ordered<J: Send, R: Send>(
    threads: usize,
    results: &Mutex<Vec<R>>,
    new: impl Fn() -> J + Sync,
    mut fill: impl FnMut(&mut J) -> bool + Send,
    work: impl Fn(&mut J, &mut R, &mut dyn FnMut(&mut R) -> ControlFlow<()>) -> ControlFlow<()> + Sync,
    mut drain: impl FnMut(&mut R) -> ControlFlow<()> + Send,
) {
    #[cfg(feature = "parallel")]
    if threads > 1 {
        return several::ordered(threads, results, new, fill, work, drain);
    }
    let _ = threads;
    let Some(mut result) = take(results) else { return };
    let mut job = new();
    while fill(&mut job) {
        let flow = work(&mut job, &mut result, &mut drain);
        if drain(&mut result).is_break() || flow.is_break() {
            break;
        }
    }
}

/// One of `results`.
fn take<R>(results: &Mutex<Vec<R>>) -> Option<R> {
    results.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use super::ordered;

    /// Squares 0..count with `threads`, drained up to `last`, worked on up to `enough`; every third job drains in between.
    fn squares(threads: usize, count: u64, last: u64, enough: u64) -> Vec<u64> {
        let mut next = 0;
        let mut out = Vec::new();
        ordered(
            threads,
            &Mutex::new(vec![Vec::new(); super::results(threads)]),
            || 0_u64,
            |job| {
                *job = next;
                next += 1;
                next <= count
            },
            |job, result, drain| {
                result.push(*job);
                if *job % 3 == 0 {
                    drain(result)?;
                }
                if *job % 7 == 0 {
                    std::thread::yield_now();
                }
                result.push(*job * *job);
                if *job == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
            |result| {
                out.append(result);
                if out.last().is_some_and(|n| *n >= last) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        out
    }

    #[test]
    fn the_order_is_that_of_the_jobs() {
        let want: Vec<u64> = (0..500).flat_map(|n| [n, n * n]).collect();
        for threads in [1, 2, 3, 8] {
            assert_eq!(squares(threads, 500, u64::MAX, u64::MAX), want, "{threads} threads");
        }
    }

    #[test]
    fn a_break_ends_it() {
        for threads in [1, 2, 8] {
            let drained = squares(threads, 1_000_000, 50 * 50, u64::MAX);
            let worked = squares(threads, 1_000_000, u64::MAX, 50);
            assert_eq!((drained.last(), worked.last()), (Some(&(50 * 50)), Some(&(50 * 50))), "{threads} threads");
        }
    }

    #[test]
    fn no_jobs() {
        for threads in [1, 2] {
            assert!(squares(threads, 0, 0, 0).is_empty());
        }
    }
}
