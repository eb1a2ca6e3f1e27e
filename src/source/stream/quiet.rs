//! Whether a slow input pauses.

/// Returns whether nothing comes on standard input for a quarter of a second. `false` if that is unknown.
#[cfg(all(unix, feature = "poll"))]
pub(super) fn stdin_is_quiet() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

    let stdin = std::io::stdin();
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PATIENCE)) == Ok(0)
}

#[cfg(not(all(unix, feature = "poll")))]
pub(super) fn stdin_is_quiet() -> bool {
    false
}
