//! Decodes one xz stream.

use std::io::{self, BufRead, ErrorKind, Read};

use lzma_rust2::{Action, Status, XzStream};

use super::peek_reader::PeekReader;

/// Maximum memory of the decoder in KiB. `xz -9` needs a dictionary of 64 MiB. Only files that were made with unusual
/// options need a much larger dictionary.
const MEMORY_KIB: u32 = 80 << 10;

/// Number of compressed bytes that are passed to the decoder at a time. The number is small, because the decoder loses
/// the output for these bytes if an error occurs.
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
    /// Passes steps of at most [`STEP`] bytes to the decoder, until a step produces output.
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
