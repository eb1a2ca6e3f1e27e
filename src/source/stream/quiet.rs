//! Reads standard input and detects pauses in it.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::thread;
use std::time::Duration;

/// Waits up to 250 ms for standard input. Returns `true` if no bytes arrive. Returns `false` if bytes arrive, or if
/// waiting fails.
#[cfg(unix)]
pub(super) fn stdin_is_quiet() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

    let stdin = io::stdin();
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PATIENCE)) == Ok(0)
}

#[cfg(not(unix))]
pub(super) fn stdin_is_quiet() -> bool {
    false
}

/// Reader for standard input that also works in non-blocking mode. A program that shares the pipe or the terminal can
/// set this mode. In this mode, a read fails if no bytes are available, and the reader tries again after a pause.
pub(super) struct Stdin {
    /// Standard input without the buffer of [`io::stdin`], because [`stdin_is_quiet`] does not see the bytes in that
    /// buffer. `None` on Windows, or if the descriptor cannot be duplicated.
    file: Option<File>,
}

/// Pause between two reads in non-blocking mode.
const PAUSE: Duration = Duration::from_millis(5);

impl Stdin {
    pub(super) fn new() -> Stdin {
        #[cfg(unix)]
        let file = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().ok().map(File::from);
        #[cfg(not(unix))]
        let file = None;
        Stdin { file }
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match &mut self.file {
                Some(file) => file.read(buffer),
                None => io::stdin().read(buffer),
            };
            match result {
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                result => return result,
            }
        }
    }
}
