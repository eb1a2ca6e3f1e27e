//! Wraps a reader or writer, and waits until each read or write is possible, even if the descriptor is non-blocking.
//! Another program with the same pipe or terminal can make the descriptor non-blocking. On a non-blocking descriptor, a
//! read or write fails instead of waiting.

use std::io::{self, ErrorKind, Read, StderrLock, Write};
use std::thread;
use std::time::Duration;

/// The time between two attempts to read or write.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns standard error, for messages that must not be lost or cut.
pub(crate) fn stderr() -> Patient<StderrLock<'static>> {
    Patient(io::stderr().lock())
}

/// A reader or writer that waits like a blocking reader or writer.
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
