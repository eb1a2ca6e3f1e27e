//! Runs jobs in several worker threads and puts their results in order.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use super::EARLY;

/// Runs the jobs in threads of their own, so that this thread need not wait for them if the run is stopped.
pub(super) fn ordered<J, R: Send + 'static>(
    threads: usize,
    results: Vec<R>,
    new: impl Fn() -> J + Send + Sync + 'static,
    fill: impl FnMut(&mut J) -> bool + Send + 'static,
    work: impl Fn(&mut J, &mut R, &mut dyn FnMut(&mut R) -> ControlFlow<()>) -> ControlFlow<()> + Send + Sync + 'static,
    drain: impl FnMut(&mut R) -> ControlFlow<()> + Send + 'static,
) {
    let source = Mutex::new(JobSource { fill: Some(fill), number: 0 });
    let state = State { drain, next: 0, early: BTreeMap::new(), empty: results, stopped: false, ended: 0, panic: None };
    let order = Arc::new(Order { state: Mutex::new(state), moved: Condvar::new(), room: (EARLY * threads) as u64 });
    let of_workers = Arc::clone(&order);
    let run = move |order: &Order<_, _>| {
        let Some(mut result) = order.lock().empty.pop() else { return };
        let mut job = new();
        loop {
            // The lock is released at the end of this statement, before the work begins.
            let number = lock_with_spin(&source).next(&mut job);
            let Some(number) = number else { break };
            let flow = work(&mut job, &mut result, &mut |result| order.drain_now(number, result));
            if order.finish(number, &mut result, flow).is_break() {
                order.stop();
                break;
            }
        }
    };
    // If a worker panics, the other workers must not wait for its result.
    let worker = move || of_workers.end(catch_unwind(AssertUnwindSafe(|| run(&of_workers))).err());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let started = match pool {
        Ok(pool) => {
            pool.spawn_broadcast(move |_| worker());
            threads
        }
        // If no thread can be started, this thread runs all jobs.
        Err(_) => {
            worker();
            1
        }
    };
    let panic = order.wait(|state| state.ended == started).panic.take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// Locks `mutex`. Other threads hold the lock for tens of microseconds. The operating system needs about the same time
/// to put a thread to sleep and wake it again. So this function spins first, and sleeps only if the lock is held longer
/// than usual.
fn lock_with_spin<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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

struct JobSource<F> {
    /// `None` after the last job, so that whatever the function owns is dropped before the run ends.
    fill: Option<F>,
    number: u64,
}

impl<F> JobSource<F> {
    /// Fills the next job and returns its number.
    fn next<J>(&mut self, job: &mut J) -> Option<u64>
    where
        F: FnMut(&mut J) -> bool,
    {
        if !self.fill.as_mut()?(job) {
            self.fill = None;
            return None;
        }
        self.number += 1;
        Some(self.number - 1)
    }
}

/// Puts results in the order of their jobs.
struct Order<R, D> {
    state: Mutex<State<R, D>>,
    /// Notified when [`State::next`] changes or the run stops.
    moved: Condvar,
    /// Results are accepted only for this number of jobs, counted from [`State::next`]. A worker that has finished a
    /// later job waits until [`State::next`] increases.
    room: u64,
}

struct State<R, D> {
    drain: D,
    /// Number of the job whose result is drained next.
    next: u64,
    /// Finished results of jobs after `next`, each with the value that `work` returned. After a result with `Break`, no
    /// further results are drained.
    early: BTreeMap<u64, (R, ControlFlow<()>)>,
    /// Empty results.
    empty: Vec<R>,
    stopped: bool,
    /// Number of workers that have ended.
    ended: usize,
    /// The value of the first panic in a worker.
    panic: Option<Box<dyn Any + Send>>,
}

impl<R, D: FnMut(&mut R) -> ControlFlow<()>> Order<R, D> {
    fn lock(&self) -> MutexGuard<'_, State<R, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready` returns true, or until the run is stopped.
    fn wait(&self, ready: impl Fn(&State<R, D>) -> bool) -> MutexGuard<'_, State<R, D>> {
        self.moved
            .wait_while(self.lock(), |state| !state.stopped && !ready(state))
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the results of all jobs before job `number` are drained. Then drains `result`, a part of the result
    /// of job `number`.
    fn drain_now(&self, number: u64, result: &mut R) -> ControlFlow<()> {
        self.wait(|state| state.next == number).drain(result)
    }

    /// Passes the result of job `number` to `drain`, or stores it until all earlier results are drained. Leaves an
    /// empty result in `result`. If `flow` is `Break`, the results of later jobs are dropped.
    fn finish(&self, number: u64, result: &mut R, flow: ControlFlow<()>) -> ControlFlow<()> {
        let mut state = self.wait(|state| number < state.next + self.room);
        if state.next != number && !state.stopped {
            if let Some(empty) = state.empty.pop() {
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
            state.empty.push(early);
        }
        drop(state);
        self.moved.notify_all();
        ControlFlow::Continue(())
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }

    /// Ends a worker. `panic` is the value with which the worker panicked.
    fn end(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.lock();
        state.ended += 1;
        state.stopped |= panic.is_some();
        state.panic = state.panic.take().or(panic);
        self.moved.notify_all();
    }
}

impl<R, D: FnMut(&mut R) -> ControlFlow<()>> State<R, D> {
    fn drain(&mut self, result: &mut R) -> ControlFlow<()> {
        if self.stopped || (self.drain)(result).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
