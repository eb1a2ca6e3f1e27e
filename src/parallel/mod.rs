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
/// - The run also ends when `drain` returns [`ControlFlow::Break`]. The function then returns at once, even if a worker
///   waits in `fill` or `work`, for example for a pipe. Such a worker ends as soon as it need not wait any more, and
///   its result is dropped.
/// - If `threads` is 1, all jobs run in the calling thread.
/// - A panic in a worker ends the run, and is propagated to the caller.
///
/// `results` must contain empty result buffers. The function [`results`] returns how many are needed.
pub(crate) fn ordered<J, R: Send + 'static>(
    threads: usize,
    mut results: Vec<R>,
    new: impl Fn() -> J + Send + Sync + 'static,
    mut fill: impl FnMut(&mut J) -> bool + Send + 'static,
    work: impl Fn(&mut J, &mut R, &mut dyn FnMut(&mut R) -> ControlFlow<()>) -> ControlFlow<()> + Send + Sync + 'static,
    mut drain: impl FnMut(&mut R) -> ControlFlow<()> + Send + 'static,
) {
    #[cfg(feature = "parallel")]
    if threads > 1 {
        return several::ordered(threads, results, new, fill, work, drain);
    }
    let _ = threads;
    let Some(mut result) = results.pop() else { return };
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::mpsc::channel;

    use super::ordered;

    /// Runs one job for each number below `count`, and returns each number and its square. The function `drain` returns
    /// `Break` when it receives a number of at least `last`. The function `work` returns `Break` in job number
    /// `enough`. Every third job passes its number to `drain` before it computes the square.
    fn squares(threads: usize, count: u64, last: u64, enough: u64) -> Vec<u64> {
        let mut next = 0;
        let (sender, out) = channel();
        ordered(
            threads,
            vec![Vec::new(); super::results(threads)],
            || 0_u64,
            move |job| {
                *job = next;
                next += 1;
                next <= count
            },
            move |job, result, drain| {
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
            move |result: &mut Vec<u64>| {
                let is_last = result.last().is_some_and(|number| *number >= last);
                result.drain(..).for_each(|number| sender.send(number).expect("a receiver"));
                if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        out.try_iter().collect()
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
            let (sender, drained) = channel();
            let drain = move |(): &mut ()| {
                sender.send(()).expect("a receiver");
                ControlFlow::Break(())
            };
            ordered(
                threads,
                vec![(); super::results(threads)],
                || (),
                |()| true,
                |(), result, drain| drain(result),
                drain,
            );
            assert_eq!(drained.iter().count(), 1, "{threads} threads");
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

    /// The second job waits until the end of the test.
    #[cfg(feature = "parallel")]
    #[test]
    fn a_break_does_not_wait_for_other_workers() {
        let (end, wait) = channel::<()>();
        let wait = std::sync::Mutex::new(wait);
        let mut next = 0;
        let fill = move |job: &mut u64| {
            *job = next;
            next += 1;
            true
        };
        let work = move |job: &mut u64, (): &mut (), _: &mut dyn FnMut(&mut ()) -> ControlFlow<()>| {
            if *job > 0 {
                let _ = wait.lock().expect("no panic").recv();
            }
            ControlFlow::Continue(())
        };
        ordered(2, vec![(); super::results(2)], || 0, fill, work, |()| ControlFlow::Break(()));
        end.send(()).expect("a worker that waits");
    }

    #[test]
    fn a_panic_is_propagated() {
        for threads in [1, 2] {
            let run = move || {
                let results = vec![(); super::results(threads)];
                let work =
                    |(): &mut (), (): &mut (), _: &mut dyn FnMut(&mut ()) -> ControlFlow<()>| panic!("for a test");
                ordered(threads, results, || (), |()| true, work, |()| ControlFlow::Continue(()));
            };
            let panic = std::panic::catch_unwind(run).expect_err("a panic");
            assert_eq!(panic.downcast_ref(), Some(&"for a test"), "{threads} threads");
        }
    }

    #[test]
    fn no_jobs() {
        for threads in [1, 2] {
            assert!(squares(threads, 0, 0, 0).is_empty());
        }
    }
}
