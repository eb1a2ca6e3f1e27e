//! What a zip archive is made of, after PKWARE's APPNOTE: sections 4.3.7 (local file header), 4.3.9 (data descriptor) and
//! 4.3.11 to 4.3.16 (the records behind the members).

use crate::source::Codec;

/// A member's local header.
pub(super) const LOCAL: &[u8; 4] = b"PK\x03\x04";
/// What tells the sum and the sizes of a member behind it.
pub(super) const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";
/// A descriptor with sizes of eight bytes, and the signature of what follows it.
pub(super) const DESCRIPTOR_MAX: usize = 28;
/// The end record, the last in an archive.
pub(super) const END: &[u8; 4] = b"PK\x05\x06";

/// What may stand behind the members: its signature, how many bytes follow that, and where in those is the length, of so
/// many bytes, of what follows them.
pub(super) type Record = ([u8; 4], usize, &'static [(usize, usize)]);
/// All of them.
pub(super) const RECORDS: &[Record] = &[
    (*b"PK\x01\x02", 42, &[(24, 2), (26, 2), (28, 2)]),
    (*b"PK\x05\x05", 2, &[(0, 2)]),
    (*END, 18, &[(16, 2)]),
    (*b"PK\x06\x06", 8, &[(0, 8)]),
    (*b"PK\x06\x07", 16, &[]),
    (*b"PK\x06\x08", 4, &[(0, 4)]),
];

/// Of a member's flags: it is encrypted.
pub(super) const ENCRYPTED: u16 = 1;
/// The same: the sum and the sizes come behind it.
pub(super) const STREAMED: u16 = 8;

/// How long the descriptor is that `bytes` begin with, and the sum in it, if it is that of a member of `count` bytes as
/// stored, and `plain` ones. What looks like it within a member, as in an archive that is stored in this one, tells of
/// fewer bytes than came before it, or nothing that can follow a member comes behind it.
pub(super) fn descriptor(bytes: &[u8], count: u64, plain: bool) -> Option<(usize, u32)> {
    let (sum, sizes) = bytes.strip_prefix(DESCRIPTOR)?.split_first_chunk::<4>()?;
    let is_it = |width: &usize| {
        let Some((sizes, behind)) = sizes.split_at_checked(2 * width) else { return false };
        let (stored, size) = sizes.split_at(*width);
        let follows = |signature: &[u8]| behind.starts_with(signature);
        let is_end = behind.is_empty() || follows(LOCAL) || RECORDS.iter().any(|(signature, ..)| follows(signature));
        number(stored) == count && (!plain || number(size) == count) && is_end
    };
    let width = [4, 8].into_iter().find(is_it)?;
    Some((8 + 2 * width, u32::from_le_bytes(*sum)))
}

/// A number as it is stored, the lowest byte first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// The compression that a layer of its own undoes, of a member stored by this method (section 4.4.5); `None` if it is stored
/// as it is, or deflated.
///
/// # Errors
///
/// If the method is not undone here: why, for people.
pub(super) fn codec_of(method: u16) -> Result<Option<Codec>, String> {
    let name = match method {
        0 | 8 => return Ok(None),
        12 => return Ok(Some(Codec::Bzip2)),
        93 => return Ok(Some(Codec::Zstd)),
        95 => return Ok(Some(Codec::Xz)),
        1 => "Shrink",
        2..=5 => "Reduce",
        6 => "Implode",
        9 => "Deflate64",
        10 => "PKWARE DCL Implode",
        14 => "LZMA",
        16 => "IBM CMPSC",
        18 => "IBM TERSE",
        19 => "IBM LZ77",
        20 => "Zstandard under its old number",
        94 => "MP3",
        96 => "JPEG",
        97 => "WavPack",
        98 => "PPMd",
        _ => return Err("it is compressed by a method that is not known".to_owned()),
    };
    Err(format!("it is compressed with {name}"))
}

/// The size as stored, from the extra field of zip64 (section 4.5.3); before it stands the size as it was, if that too
/// is too large for its place.
pub(super) fn large_size(mut extra: &[u8], both: bool) -> Option<u64> {
    loop {
        let (head, rest) = extra.split_first_chunk::<4>()?;
        let field = rest.get(..usize::from(u16::from_le_bytes([head[2], head[3]])))?;
        if head[..2] == [1, 0] {
            let at = if both { 8 } else { 0 };
            return field.get(at..)?.first_chunk().map(|size| u64::from_le_bytes(*size));
        }
        extra = &rest[field.len()..];
    }
}
