//! An ordered map over jobs, with bounded memory. This module does not depend on mail or URLs.
//!
//! No separate thread reads the input. Each worker fills its own job while it holds the lock of the source. When the
//! worker processes the bytes of the job, they are therefore still in the cache of its core. The worker runs the job
//! and returns the result in order. A few results per worker can wait for earlier results. Buffers are reused.

#[cfg(feature = "parallel")]
mod several;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Maximum number of finished results per worker that wait for earlier results. Jobs differ tenfold in cost, and a fast
/// worker must not stall behind a slow one.
const EARLY: usize = 6;

/// Returns the number of results that `threads` workers need. Each worker needs one result in progress, and [`EARLY`]
/// results that wait.
pub(crate) fn results(threads: usize) -> usize {
    threads * (1 + EARLY)
}

/// Runs `work` in `threads` workers on every job that `fill` fills. Passes the results to `drain` in the order of the
/// jobs.
///
/// - `fill` returns whether there was another job.
/// - `work` breaks if later jobs are not needed.
/// - `drain` must leave the result empty, because the result is reused.
/// - After `work` or `drain` returns [`ControlFlow::Break`], no more jobs are filled and no more results are drained.
/// - With one thread, no other thread is started and only `results` is locked.
///
/// `results` must contain empty results. The function [`results`] returns the number of results that are needed.
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

fn take<R>(results: &Mutex<Vec<R>>) -> Option<R> {
    results.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use super::ordered;

    /// Squares the numbers from 0 to `count`. The drain breaks at a result of `last` or more, and the work breaks at
    /// the job `enough`. Every third job also drains its result early.
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
    fn results_are_in_the_order_of_the_jobs() {
        let want: Vec<u64> = (0..500).flat_map(|n| [n, n * n]).collect();
        for threads in [1, 2, 3, 8] {
            assert_eq!(squares(threads, 500, u64::MAX, u64::MAX), want, "{threads} threads");
        }
    }

    #[test]
    fn a_break_stops_all_workers() {
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
