//! A compressed file or member: stream after stream, and how each can be malformed.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, Read};

use super::Base;
use super::decoder::Decoder;
use crate::source::Codec;

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
                // Zeros may follow a stream, before another one or the end: tapes pad with them, and xz allows them.
                Ok(0) if !buf.is_empty() => match self.base.input().skip_zeros()? {
                    [] => return self.stop(None),
                    [first, ..] if self.codec.begins(*first) => self.base.input.begin(self.codec),
                    _ => return self.stop(Some(DiagnosticKind::TrailingGarbage)),
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
                    let is_cut = self.base.input.is_cut(&e)?;
                    let note =
                        if is_cut { DiagnosticKind::TruncatedCompression } else { DiagnosticKind::BadCompression };
                    return self.stop(Some(note));
                }
            }
        }
    }
}
