//! Makes reads and writes wait, even if the descriptor is non-blocking. Without this module, a read from such a
//! descriptor fails if no data is available, and a write fails if a pipe is full. A descriptor becomes non-blocking if
//! another program sets this mode for the same pipe or terminal.

use std::io::{self, ErrorKind, Read, StderrLock, Write};
use std::thread;
use std::time::Duration;

/// How long to wait before the next attempt to read or write.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns standard error for messages. If standard error is a non-blocking pipe that is full, a write waits, so that
/// no message is lost or truncated.
pub(crate) fn stderr() -> Patient<StderrLock<'static>> {
    Patient(io::stderr().lock())
}

/// A reader or writer that waits instead of failing with [`ErrorKind::WouldBlock`].
pub(crate) struct Patient<T>(pub(crate) T);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        wait(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        wait(|| self.0.flush())
    }
}

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(|| self.0.read(buffer))
    }
}

fn wait<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
            result => return result,
        }
    }
}
