//! Divides a file into pieces that can be read independently. To find the pieces, this module reads only the first
//! bytes of a mailbox, the headers of a tar archive, or the directory of a zip archive.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::{Options, seek, tar_cuts, zip_cuts};
use crate::container::HEAD;
use crate::magic::{self, Codec, Kind, Magic};

/// Where a file can be divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// The file is always read as a whole.
    Nowhere,
    /// The file can be divided at any offset. A message belongs to the piece in which the message begins.
    Messages,
    /// The file can be divided at the beginning of any member.
    Members(Archive),
}

named! {
    /// An archive whose members can be read independently.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum Archive {
        Zip = "zip",
        Tar = "tar",
    }
}

impl Archive {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Archive::Zip => Kind::Zip(0),
            Archive::Tar => Kind::Tar,
        }
    }

    /// Returns the offsets at which the pieces of the archive begin. Each piece begins with a member, and the first
    /// offset is 0. Every piece except the last has at least `size` bytes. If a tar archive has a member of unusual
    /// structure, such as a sparse file, the archive is not divided after the beginning of that member. If a zip
    /// archive has an unusual structure, for example because other bytes precede the first member, the archive is one
    /// piece.
    pub(crate) fn cuts(self, file: &mut File, size: u64) -> io::Result<Vec<u64>> {
        let mut cuts = vec![0];
        let mut member = |offset: u64| {
            if cuts.last().is_some_and(|last| offset - last >= size) {
                cuts.push(offset);
            }
        };
        let is_whole = match self {
            Archive::Zip => zip_cuts::find(file, &mut member)?,
            Archive::Tar => {
                file.seek(SeekFrom::Start(0))?;
                tar_cuts::find(&mut BufReader::new(file), &mut member)?;
                true
            }
        };
        if !is_whole {
            cuts.truncate(1);
        }
        Ok(cuts)
    }
}

/// Decides where `file` can be divided. Also returns the compression of the file, if it is compressed. Reads the first
/// [`HEAD`] bytes, and detects the format by the same rules as a search.
pub(crate) fn divide(file: &mut File, options: &Options) -> io::Result<(Division, Option<Codec>)> {
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head)?;
    let mut codec = None;
    let division = match magic::look(&head) {
        Magic::Packed(Kind::Zip(0), 0) => Division::Members(Archive::Zip),
        Magic::Packed(Kind::Tar, 0) => Division::Members(Archive::Tar),
        Magic::Packed(Kind::Packed(found), _) => {
            codec = Some(found);
            Division::Nowhere
        }
        _ if seek::local_format(&head, options).is_some() => Division::Messages,
        _ => Division::Nowhere,
    };
    Ok((division, codec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Temp, tar};

    #[test]
    fn archives_and_mailboxes_can_be_divided() {
        let temp = Temp::new("divide");
        let mailbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nbody\n";
        let table: [(&str, &[u8], Division, Option<Codec>); 5] = [
            ("a zip archive", b"PK\x03\x04", Division::Members(Archive::Zip), None),
            ("a tar archive", &tar(&[("a", b"text")]), Division::Members(Archive::Tar), None),
            ("a compressed file", b"\x1F\x8B\x08\0", Division::Nowhere, Some(Codec::Gzip)),
            ("a mailbox", mailbox, Division::Messages, None),
            ("a text", b"text\n", Division::Nowhere, None),
        ];
        for (what, content, division, codec) in table {
            let mut file = File::open(temp.write("file", content)).expect("a file");
            assert_eq!(divide(&mut file, &Options::default()).expect("bytes"), (division, codec), "{what}");
        }
    }
}
