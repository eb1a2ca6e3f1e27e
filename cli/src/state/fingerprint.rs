//! Hashes of parts of a file. They show whether it is still the file that was read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// A fingerprint covers at most this many bytes.
pub(super) const MOST: u64 = 4096;

/// The beginnings of lines with flags. Mail programs overwrite these lines in place, with the same length, so fingerprints
/// skip them.
const FLAGS: &[&[u8]] =
    &[b"X-Mozilla-Status", b"X-Mozilla-Keys:", b"Status:", b"X-Status:", b"X-Keywords:", b"X-UID:", b"X-IMAP"];

/// The hash of some bytes, and how many bytes it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(super) length: u64,
    pub(super) hash: u64,
}

impl Fingerprint {
    /// Makes the fingerprint of the last bytes of `bytes`, at most [`MOST`].
    pub(super) fn of_end(bytes: &[u8]) -> Fingerprint {
        Fingerprint::of(&bytes[bytes.len().saturating_sub(MOST as usize)..])
    }

    fn of(bytes: &[u8]) -> Fingerprint {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let stable = lines.filter(|line| !FLAGS.iter().any(|flag| line.starts_with(flag)));
        // FNV-1a is enough: an attacker gains nothing by a collision.
        let hash = stable.flatten().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Fingerprint { length: bytes.len() as u64, hash }
    }

    /// Makes the fingerprint of `length` bytes of the file from the offset `start` on, or of fewer if the file ends earlier.
    pub(super) fn at(file: &mut File, start: u64, length: u64) -> io::Result<Fingerprint> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(length).read_to_end(&mut bytes)?;
        Ok(Fingerprint::of(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn what_changes_a_fingerprint() {
        let read = b"From - \nX-Mozilla-Status: 0001\nStatus: RO\nSubject: x\n\nbody\n";
        let table: &[(&[u8], bool)] = &[
            (b"From - \nX-Mozilla-Status: 0001\nStatus: RO\nSubject: x\n\nbody\n", true),
            // Flags have changed, and nothing has moved.
            (b"From - \nX-Mozilla-Status: 0013\nStatus: O \nSubject: x\n\nbody\n", true),
            (b"From - \nX-Mozilla-Status: 0001\nStatus: O\nSubject: x\n\nbody\n", false),
            (b"From - \nX-Mozilla-Status: 0001\nStatus: RO\nSubject: y\n\nbody\n", false),
            (b"", false),
        ];
        for (now, is_same) in table {
            assert_eq!(Fingerprint::of(read) == Fingerprint::of(now), *is_same, "{}", now.escape_ascii());
        }
        let long = vec![b'x'; 5000];
        assert_eq!(Fingerprint::of_end(&long), Fingerprint::of_end(&long[..4096]));
    }
}
