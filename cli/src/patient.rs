//! Waits for descriptors that do not block. Another program that has the same pipe or terminal can set it not to block, and
//! then a read or a write fails if it would have to wait.

use std::io::{self, ErrorKind, Read, StderrLock, Write};
use std::thread;
use std::time::Duration;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Standard error. A message is one line, and half a line would be no message.
pub(crate) fn stderr() -> Patient<StderrLock<'static>> {
    Patient(io::stderr().lock())
}

/// A reader or writer that waits as long as a blocking one would.
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
