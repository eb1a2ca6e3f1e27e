//! Decodes one xz stream.

use std::io::{self, BufRead, ErrorKind, Read};

use lzma_rust2::{Action, Status, XzStream};

use super::peek_reader::PeekReader;

/// The largest dictionary of `xz -9` is 64 MiB. A file that needs much more is not from xz(1).
const MEMORY_KIB: u32 = 80 << 10;

/// The decoder loses what it decoded from the input in which it met an error, so it is given little of it at a time.
const STEP: usize = 64;

pub(super) struct Xz<R> {
    stream: XzStream,
    ended: bool,
    pub(super) input: PeekReader<R>,
}

impl<R: Read> Xz<R> {
    pub(super) fn new(input: PeekReader<R>) -> Xz<R> {
        Xz { stream: XzStream::new_mem_limit(false, MEMORY_KIB), ended: false, input }
    }
}

impl<R: Read> Read for Xz<R> {
    /// Reads what one step decodes.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            let ahead = self.input.look(STEP)?;
            let step = &ahead[..ahead.len().min(STEP)];
            let action = if step.is_empty() { Action::Finish } else { Action::Run };
            let result = self.stream.process(step, buf, action)?;
            let is_over = step.is_empty() && result.bytes_produced == 0;
            self.input.consume(result.bytes_consumed);
            self.ended = result.status == Status::StreamEnd;
            match result.bytes_produced {
                0 if buf.is_empty() => break,
                0 if is_over && !self.ended => return Err(ErrorKind::UnexpectedEof.into()),
                0 => {}
                n => return Ok(n),
            }
        }
        Ok(0)
    }
}
