//! Detects a pause in standard input.

/// Returns whether no bytes arrive on standard input for 250 ms. Returns `false` if the system cannot tell.
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
