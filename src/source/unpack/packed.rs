//! One file or member that is compressed: stream after stream, with all that can be wrong with it.

use std::io::{self, Read};

use super::decoder::Decoder;
use super::{Expansion, Input, Layer, consumed};
use crate::container::NoteKind;
use crate::source::Codec;

/// Decompresses. Damage ends the data, as the end of the file would; [`Packed::note`] says what it was.
pub(in crate::source) struct Packed<R: Read> {
    codec: Codec,
    decoder: Decoder<Input<R>>,
    /// Octets that came out.
    given: u64,
    expansion: Expansion,
    note: Option<NoteKind>,
}

impl<R: Read> Packed<R> {
    /// Undoes `codec`, beginning with `input`. `expansion` has what was decoded of the file so far.
    pub(super) fn new(codec: Codec, input: Input<R>, expansion: Expansion) -> Packed<R> {
        Packed { codec, decoder: Decoder::new(codec, input), given: 0, expansion, note: None }
    }

    pub(super) fn below(&self) -> &Layer<R> {
        self.decoder.input().get_ref().get_ref().1
    }

    pub(super) fn below_mut(&mut self) -> &mut Layer<R> {
        self.decoder.input_mut().get_mut().get_mut().1
    }

    /// What it lies on, and what was decoded.
    pub(super) fn into_below(self) -> (Layer<R>, Expansion) {
        (self.decoder.into_input().into_inner().into_inner().1, self.expansion)
    }

    /// How many octets came out.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// What was wrong at the end of the data.
    pub(super) fn note(&mut self) -> Option<NoteKind> {
        self.note.take()
    }

    fn stop(&mut self, note: Option<NoteKind>) -> io::Result<usize> {
        self.decoder.end();
        self.note = note;
        Ok(0)
    }

    /// What follows a stream. Zeros, which tapes pad with and xz allows, may stand before another one, and before the end.
    fn after(&mut self) -> io::Result<After> {
        Ok(match self.decoder.input_mut().skip_zeros()? {
            [] => After::End,
            [first, ..] if self.codec.begins(*first) => After::Stream,
            _ => After::Garbage,
        })
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if matches!(self.decoder, Decoder::Ended(_)) {
                return Ok(0);
            }
            match self.decoder.read(buf) {
                Ok(0) if !buf.is_empty() => match self.after()? {
                    After::End => return self.stop(None),
                    After::Garbage => return self.stop(Some(NoteKind::TrailingGarbage)),
                    After::Stream => self.decoder.begin(self.codec),
                },
                Ok(n) => {
                    self.given += n as u64;
                    if self.expansion.is_too_much(n, consumed(self.decoder.input())) {
                        self.stop(Some(NoteKind::ExpansionLimit))?;
                    }
                    return Ok(n);
                }
                // The disk, not the data.
                Err(e) if self.below().failed() => return Err(e),
                Err(e) => {
                    let note = if self.decoder.is_cut(&e)? {
                        NoteKind::TruncatedCompression
                    } else {
                        NoteKind::BadCompression
                    };
                    return self.stop(Some(note));
                }
            }
        }
    }
}

enum After {
    End,
    Stream,
    Garbage,
}
