//! A compressed file or member: stream after stream, and how each can be malformed.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, Read};

use super::Base;
use super::decoder::{self, Decoder};
use crate::source::Codec;

/// What ends a stream of bzip2 without a block: a mark, and a checksum of nothing.
const BZIP2_END: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];
/// The length of an empty stream.
const BZIP2_EMPTY: usize = 4 + BZIP2_END.len();

/// Decompresses. Malformed data ends the output like the end of the file. The note has the reason.
pub(in crate::source) struct CodecLayer<R: Read> {
    codec: Codec,
    pub(super) base: Base<R>,
    /// How many bytes it has returned.
    pub(super) returned: u64,
}

impl<R: Read> CodecLayer<R> {
    /// Decodes `codec`.
    pub(super) fn new(codec: Codec, mut base: Base<R>) -> CodecLayer<R> {
        base.input.begin(codec);
        CodecLayer { codec, base, returned: 0 }
    }

    /// Skips what may be between streams, and returns the byte that follows: zeros, with which tapes pad and which xz allows, and
    /// empty streams of bzip2, for which a decoder would allocate its largest memory each time.
    fn between(&mut self) -> io::Result<Option<u8>> {
        let input = self.base.input();
        loop {
            input.skip_zeros()?;
            match input.look(BZIP2_EMPTY)? {
                [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if rest.starts_with(&BZIP2_END) => {
                    input.consume(BZIP2_EMPTY);
                }
                _ => break,
            }
        }
        Ok(input.buffer().first().copied())
    }

    fn stop(&mut self, note: Option<DiagnosticKind>) -> io::Result<usize> {
        self.base.input.end();
        self.base.note = note;
        Ok(0)
    }
}

impl<R: Read> Read for CodecLayer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if matches!(self.base.input, Decoder::Idle(_)) {
                return Ok(0);
            }
            match self.base.input.read(buf) {
                Ok(0) if !buf.is_empty() => match self.between()? {
                    None => return self.stop(None),
                    Some(first) if self.codec.begins(first) => self.base.input.begin(self.codec),
                    Some(_) => return self.stop(Some(DiagnosticKind::TrailingGarbage)),
                },
                Ok(n) => {
                    self.returned += n as u64;
                    if self.base.expands_too_much(n) {
                        self.stop(Some(DiagnosticKind::ExpansionLimit))?;
                    }
                    return Ok(n);
                }
                // The input failed, not the data.
                Err(e) if self.base.failed() => return Err(e),
                Err(e) => {
                    let note = self.base.input.is_cut(&e)?.then_some(DiagnosticKind::TruncatedCompression);
                    return self.stop(note.or(Some(decoder::damage(&e))));
                }
            }
        }
    }
}
