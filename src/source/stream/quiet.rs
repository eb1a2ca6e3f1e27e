//! Standard input that is slow, or that does not block.

use std::io::{self, ErrorKind, Read};
use std::thread;
use std::time::Duration;

/// Returns whether nothing comes on standard input for a quarter of a second. `false` if that is unknown.
#[cfg(all(unix, feature = "poll"))]
pub(super) fn stdin_is_quiet() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

    let stdin = io::stdin();
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PATIENCE)) == Ok(0)
}

#[cfg(not(all(unix, feature = "poll")))]
pub(super) fn stdin_is_quiet() -> bool {
    false
}

/// Standard input. A program that has the other end of the pipe, or the same terminal, can set it not to block. Then a
/// read without bytes fails, and this reader waits.
pub(super) struct Stdin;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match io::stdin().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                result => return result,
            }
        }
    }
}
