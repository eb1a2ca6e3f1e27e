//! A layer that decodes a compressed file or member, which consists of one or more streams.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, Read};

use super::base::Base;
use super::decoder::{self, Decoder};
use crate::magic::Codec;
use crate::source::member::Carrier;

/// The bytes after the header of an empty bzip2 stream: the marker for the end of a stream, and the checksum of no
/// data.
const BZIP2_END: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];
const BZIP2_EMPTY: usize = 4 + BZIP2_END.len();

/// Decompresses a file or member. If the data is malformed, the output ends before the malformed part, without an
/// error. `base.note` then states what is malformed.
pub(in crate::source) struct CodecLayer<R: Read> {
    codec: Codec,
    pub(super) base: Base<R>,
    /// Number of decoded bytes that were returned.
    returned: u64,
}

impl<R: Read> CodecLayer<R> {
    pub(super) fn new(codec: Codec, mut base: Base<R>) -> CodecLayer<R> {
        base.input.begin(codec);
        CodecLayer { codec, base, returned: 0 }
    }

    /// Skips padding between streams and returns the next byte. Padding consists of zeros. For example, tapes pad a
    /// file with zeros, and the xz format allows zeros between streams. Empty bzip2 streams are also skipped, because a
    /// decoder would allocate its maximum memory for each of them.
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

impl<R: Read> Carrier for CodecLayer<R> {
    fn offset(&mut self) -> u64 {
        self.returned
    }

    fn note(&mut self) -> Option<DiagnosticKind> {
        self.base.take_note()
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
                // Reading the input failed. The data may be intact, so it is not reported as malformed.
                Err(e) if self.base.failed() => return Err(e),
                Err(e) => {
                    let note = self.base.input.is_cut(&e)?.then_some(DiagnosticKind::TruncatedCompression);
                    return self.stop(note.or(Some(decoder::damage(&e))));
                }
            }
        }
    }
}
