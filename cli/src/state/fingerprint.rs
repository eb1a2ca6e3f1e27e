//! Hashes of parts of a file. If the hashes are unchanged, urlspool treats the file as the one that an earlier run has
//! read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use urlspool::shared::{FNV_BASIS, fnv1a};

/// The maximum number of bytes that a fingerprint covers.
pub(super) const MOST: u64 = 4096;

/// The beginnings of header lines in which mail programs store flags, such as `Status: RO`. A program that marks a
/// message as read overwrites the flags, and the line keeps its length. The hash does not include these lines, so the
/// mailbox is not searched again.
const FLAGS: &[&[u8]] =
    &[b"X-Mozilla-Status", b"X-Mozilla-Keys:", b"Status:", b"X-Status:", b"X-Keywords:", b"X-UID:", b"X-IMAP"];

/// The hash and the length of a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(super) length: u64,
    pub(super) hash: u64,
}

impl Fingerprint {
    /// Returns the fingerprint of the last [`MOST`] bytes of `bytes`, or of all bytes if there are fewer.
    pub(super) fn of_end(bytes: &[u8]) -> Fingerprint {
        Fingerprint::of(&bytes[bytes.len().saturating_sub(MOST as usize)..])
    }

    fn of(bytes: &[u8]) -> Fingerprint {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let stable = lines.filter(|line| !FLAGS.iter().any(|flag| line.starts_with(flag)));
        // FNV-1a is enough to notice the changes that mail programs make.
        let hash = stable.flatten().fold(FNV_BASIS, |hash, &byte| fnv1a(hash, byte));
        Fingerprint { length: bytes.len() as u64, hash }
    }

    /// Returns the fingerprint of `length` bytes of the file from the offset `start`, or of fewer bytes if the file
    /// ends earlier.
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
            // Only the flags in the `X-Mozilla-Status` and `Status` fields differ. Both lines are as long as before.
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
