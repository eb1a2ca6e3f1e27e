//! An ordered map over jobs, in bounded memory. Knows neither mail nor URLs.
//!
//! There is no reading thread: each worker fills its own job under the source's lock, so that what was read is
//! still in its core's cache when it is worked on, works on it, and hands the result in by turn. Results that
//! are early wait, a few for each worker; buffers go round and are used again.

#[cfg(feature = "parallel")]
use std::collections::BTreeMap;
use std::ops::ControlFlow;
#[cfg(feature = "parallel")]
use std::sync::{Condvar, MutexGuard, TryLockError};
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
        return several(threads, results, new, fill, work, drain);
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

#[cfg(feature = "parallel")]
fn several<J: Send, R: Send>(
    threads: usize,
    results: &Mutex<Vec<R>>,
    new: impl Fn() -> J + Sync,
    fill: impl FnMut(&mut J) -> bool + Send,
    work: impl Fn(&mut J, &mut R, &mut dyn FnMut(&mut R) -> ControlFlow<()>) -> ControlFlow<()> + Sync,
    drain: impl FnMut(&mut R) -> ControlFlow<()> + Send,
) {
    let source = Mutex::new(Source { fill, number: 0, ended: false });
    let order = Order {
        state: Mutex::new(State { drain, next: 0, early: BTreeMap::new(), stopped: false }),
        moved: Condvar::new(),
        room: (EARLY * threads) as u64,
    };
    let worker = || {
        let Some(mut result) = take(results) else { return };
        let mut job = new();
        // If a worker panics the others must not wait for its turn.
        let guard = StopOnPanic(&order);
        loop {
            // A statement of its own, so that the lock is not held over the work.
            let number = patiently(&source).next(&mut job);
            let Some(number) = number else { break };
            let flow = work(&mut job, &mut result, &mut |result| order.drain_now(number, result));
            if order.finish(number, &mut result, results, flow).is_break() {
                order.stop();
                source.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
                break;
            }
        }
        std::mem::forget(guard);
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    match pool {
        Ok(pool) => {
            pool.broadcast(|_| worker());
        }
        // No threads to be had: one worker does it all.
        Err(_) => worker(),
    }
}

/// Locks `mutex`, which others hold for some tens of microseconds at a time: about as long as it takes to put a thread to
/// sleep and wake it again, so that is left for when they hold it longer.
#[cfg(feature = "parallel")]
fn patiently<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    const LOOKS: usize = 64;
    const PAUSES: usize = 32;
    for _ in 0..LOOKS {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => (0..PAUSES).for_each(|_| std::hint::spin_loop()),
        }
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the workers take jobs from.
#[cfg(feature = "parallel")]
struct Source<F> {
    fill: F,
    number: u64,
    ended: bool,
}

#[cfg(feature = "parallel")]
impl<F> Source<F> {
    /// Fills the next job and gives its number.
    fn next<J>(&mut self, job: &mut J) -> Option<u64>
    where
        F: FnMut(&mut J) -> bool,
    {
        if self.ended || !(self.fill)(job) {
            self.ended = true;
            return None;
        }
        self.number += 1;
        Some(self.number - 1)
    }
}

/// Brings results into the order of their jobs.
#[cfg(feature = "parallel")]
struct Order<R, D> {
    state: Mutex<State<R, D>>,
    /// Notified whenever the turn goes on.
    moved: Condvar,
    /// How many results may wait.
    room: u64,
}

#[cfg(feature = "parallel")]
struct State<R, D> {
    drain: D,
    /// The number of the job whose turn it is.
    next: u64,
    /// Results of later jobs, and whether each is the last.
    early: BTreeMap<u64, (R, ControlFlow<()>)>,
    stopped: bool,
}

#[cfg(feature = "parallel")]
impl<R, D: FnMut(&mut R) -> ControlFlow<()>> Order<R, D> {
    fn lock(&self) -> MutexGuard<'_, State<R, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready`, or until the run was stopped.
    fn wait(&self, ready: impl Fn(&State<R, D>) -> bool) -> MutexGuard<'_, State<R, D>> {
        self.moved
            .wait_while(self.lock(), |state| !state.stopped && !ready(state))
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Drains what job `number` has so far; waits for its turn. Only later jobs can wait meanwhile.
    fn drain_now(&self, number: u64, result: &mut R) -> ControlFlow<()> {
        self.wait(|state| state.next == number).drain(result)
    }

    /// Hands in the result of job `number`, the last one if `flow` says so, and leaves an empty one in its place.
    fn finish(&self, number: u64, result: &mut R, results: &Mutex<Vec<R>>, flow: ControlFlow<()>) -> ControlFlow<()> {
        let mut state = self.wait(|state| number < state.next + self.room);
        if state.next != number && !state.stopped {
            if let Some(empty) = take(results) {
                state.early.insert(number, (std::mem::replace(result, empty), flow));
                return ControlFlow::Continue(());
            }
            drop(state);
            state = self.wait(|state| state.next == number);
        }
        state.drain(result)?;
        flow?;
        state.next += 1;
        while let Some((mut early, flow)) = {
            let next = state.next;
            state.early.remove(&next)
        } {
            state.drain(&mut early)?;
            flow?;
            state.next += 1;
            results.lock().unwrap_or_else(PoisonError::into_inner).push(early);
        }
        drop(state);
        self.moved.notify_all();
        ControlFlow::Continue(())
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }
}

#[cfg(feature = "parallel")]
impl<R, D: FnMut(&mut R) -> ControlFlow<()>> State<R, D> {
    fn drain(&mut self, result: &mut R) -> ControlFlow<()> {
        if self.stopped || (self.drain)(result).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Stops the run when it is dropped, which it is only when a worker panics.
#[cfg(feature = "parallel")]
struct StopOnPanic<'a, R, D: FnMut(&mut R) -> ControlFlow<()>>(&'a Order<R, D>);

#[cfg(feature = "parallel")]
impl<R, D: FnMut(&mut R) -> ControlFlow<()>> Drop for StopOnPanic<'_, R, D> {
    fn drop(&mut self) {
        self.0.stop();
    }
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
