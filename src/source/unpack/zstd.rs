//! Decodes one zstd frame, or skips a skippable frame (RFC 8878).

use std::io::{self, BufRead, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Maximum window size in bytes. `zstd -19` uses 8 MiB, and `zstd --long` uses 128 MiB.
const WINDOW_MAX: u64 = 128 << 20;

/// The end of a frame: an empty last block, and zeros in place of the checksum.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

pub(super) struct Zstd<I> {
    frame: FrameDecoder,
    /// An error that is returned after the decoded bytes.
    failed: Option<io::Error>,
    begun: bool,
    pub(super) input: I,
}

impl<I: BufRead> Zstd<I> {
    pub(super) fn new(input: I) -> Zstd<I> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW_MAX);
        Zstd { frame, failed: None, begun: false, input }
    }

    /// Reads the header of the frame. If the frame is skippable, skips it and returns `false`.
    fn begin(&mut self) -> io::Result<bool> {
        self.begun = true;
        match self.frame.init(&mut self.input) {
            Ok(()) => Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.input).take(length), &mut io::sink())?;
                if skipped < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(false) }
            }
            Err(error @ FrameDecoderError::WindowSizeTooBig { .. }) => {
                Err(io::Error::new(ErrorKind::OutOfMemory, error))
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl<I: BufRead> Read for Zstd<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.begun && !self.begin()? {
            return Ok(0);
        }
        while self.frame.can_collect() == 0 && !self.frame.is_finished() {
            let step = BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.frame.decode_blocks(&mut self.input, step) {
                self.failed = Some(io::Error::other(error));
                // Until the frame ends, the decoder holds back the last bytes of its output. The decoder now gets an
                // empty last block, so that it returns these bytes before the error is returned.
                let step = BlockDecodingStrategy::UptoBlocks(1);
                let _ = self.frame.decode_blocks(&mut END.as_slice(), step);
                break;
            }
        }
        let n = self.frame.read(buf)?;
        if n == 0 && !buf.is_empty() {
            self.failed.take().map_or(Ok(()), Err)?;
        }
        let sums = self.frame.get_checksum_from_data().zip(self.frame.get_calculated_checksum());
        if n == 0 && !buf.is_empty() && sums.is_some_and(|(expected, counted)| expected != counted) {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(n)
    }
}
