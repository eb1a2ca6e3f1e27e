//! Time that does not depend on what else the machine does.

use std::time::{Duration, Instant};

/// How long this thread takes for `work`: its time on a processor where the system tells it, wall time elsewhere.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let (start, cpu) = (Instant::now(), on_cpu());
    std::hint::black_box(work());
    let wall = start.elapsed();
    match (cpu, on_cpu()) {
        (Some(before), Some(after)) if after > before => after - before,
        _ => wall,
    }
}

/// The time that this thread has been on a processor, from Linux' scheduler.
fn on_cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split(' ').next()?.parse().ok()?))
}
