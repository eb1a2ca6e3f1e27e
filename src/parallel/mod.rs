//! Runs jobs in several threads, in bounded memory. The results are passed on in the order of the jobs. This module
//! does not depend on mail or URLs.
//!
//! No separate thread reads the input. Each worker locks the input, reads the bytes of one job, unlocks the input, and
//! processes the bytes. So the bytes are still in the cache of the worker's core when the worker processes them. A
//! result is passed on when the results of all earlier jobs have been passed on. Until then, the result waits. At most
//! six results per worker can wait. The buffers of jobs and results are reused.

#[cfg(feature = "parallel")]
mod several;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Maximum number of finished results per worker that wait for earlier results. One job can take ten times as long as
/// another, and meanwhile the other workers must not stall.
const EARLY: usize = 6;

/// Returns the number of result buffers that `threads` workers need. Each worker fills one buffer. For each worker,
/// [`EARLY`] further buffers hold results that wait for earlier results.
pub(crate) fn results(threads: usize) -> usize {
    threads * (1 + EARLY)
}

/// Runs `work` in `threads` workers on every job that `fill` fills, and passes the results to `drain` in the order of
/// the jobs.
///
/// - `fill` returns `false` if there are no more jobs.
/// - `work` returns [`ControlFlow::Break`] if later jobs are not needed. The result of this job is then the last result
///   that `drain` receives.
/// - `drain` must leave the result empty, because later jobs reuse it.
/// - The run also ends when `drain` returns [`ControlFlow::Break`].
/// - If `threads` is 1, all jobs run in the calling thread.
///
/// The argument `results` must contain empty result buffers. The function [`results`] returns how many are needed.
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
        let mut stopped = false;
        let flow = work(&mut job, &mut result, &mut |result| {
            let flow = drain(result);
            stopped |= flow.is_break();
            flow
        });
        if stopped || drain(&mut result).is_break() || flow.is_break() {
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

    /// Runs one job for each number below `count`, and returns each number and its square. The function `drain` returns
    /// `Break` when it receives a number of at least `last`. The function `work` returns `Break` in job number `enough`.
    /// Every third job passes its number to `drain` before it computes the square.
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
    fn nothing_is_drained_after_a_break() {
        for threads in [1, 2, 8] {
            let mut drained = 0;
            let results = Mutex::new(vec![0; super::results(threads)]);
            let drain = |_: &mut i32| {
                drained += 1;
                ControlFlow::Break(())
            };
            ordered(threads, &results, || (), |()| true, |(), result, drain| drain(result), drain);
            assert_eq!(drained, 1, "{threads} threads");
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
