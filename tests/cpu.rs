//! Measures processor time, which does not depend on the load of the machine.

use std::time::{Duration, Instant};

/// Returns the processor time that this thread needs for `work`. If the system does not report processor time, returns
/// the wall time.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let (start, cpu) = (Instant::now(), on_cpu());
    std::hint::black_box(work());
    let wall = start.elapsed();
    match (cpu, on_cpu()) {
        (Some(before), Some(after)) if after > before => after - before,
        _ => wall,
    }
}

/// Returns this thread's processor time, as the Linux scheduler reports it. The scheduler updates this time only at a
/// timer interrupt (every 4 ms on many systems) and when the thread yields, so the thread yields first.
fn on_cpu() -> Option<Duration> {
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split(' ').next()?.parse().ok()?))
}
