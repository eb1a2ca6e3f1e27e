//! Records of a zip archive, as defined in PKWARE's APPNOTE. The records are local file headers (section 4.3.7), data
//! descriptors (section 4.3.9), and the records after the members (sections 4.3.11 to 4.3.16).

use crate::magic::Codec;

/// Signature of the local file header of a member.
pub(in crate::source) const LOCAL: &[u8; 4] = b"PK\x03\x04";
/// Signature of a data descriptor, which has the checksum and the sizes of the member before it.
pub(super) const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";
/// Maximum length in bytes of a descriptor, plus the signature of the next record.
pub(super) const DESCRIPTOR_MAX: usize = 28;
/// Possible distances in bytes from the beginning of a descriptor to the next signature. If the descriptor begins with
/// its own signature, the distance is 0. Otherwise, the next signature is the signature of the record after the
/// descriptor. A descriptor without a signature has 12 bytes, or 20 bytes if its two sizes have eight bytes each.
pub(super) const DESCRIPTOR_BEFORE: [usize; 3] = [20, 12, 0];
/// Signature of the record of a member in the directory.
pub(in crate::source) const LISTED: &[u8; 4] = b"PK\x01\x02";
/// Signature of the end record, which is the last record of an archive.
pub(super) const END: &[u8; 4] = b"PK\x05\x06";
/// Signature of the end record of zip64, which precedes the other end record.
pub(super) const END64: &[u8; 4] = b"PK\x06\x06";

/// A record that can follow the members. The three values are:
///
/// - the signature of the record;
/// - the number of bytes in the fixed part, which follows the signature;
/// - the offset and the width in bytes of each length field in the fixed part. A length field states the length of data
///   after the fixed part.
pub(super) type Record = ([u8; 4], usize, &'static [(usize, usize)]);
pub(super) const RECORDS: &[Record] = &[
    (*LISTED, 42, &[(24, 2), (26, 2), (28, 2)]),
    (*b"PK\x05\x05", 2, &[(0, 2)]),
    (*END, 18, &[(16, 2)]),
    (*END64, 8, &[(0, 8)]),
    (*b"PK\x06\x07", 16, &[]),
    (*b"PK\x06\x08", 4, &[(0, 4)]),
];

/// Whether a member or another record begins at the beginning of `bytes`.
pub(super) fn begins_record(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL) || RECORDS.iter().any(|(signature, ..)| bytes.starts_with(signature))
}

/// Flags in a local header. `STREAMED` means that a data descriptor follows the member.
pub(super) const ENCRYPTED: u16 = 1;
pub(super) const STREAMED: u16 = 8;

/// Checks whether a data descriptor of the current member is at the beginning of `bytes`. Returns the length of the
/// descriptor and the checksum in it. The member has `count` stored bytes, and `counted` is their checksum. If `plain`
/// is true, the bytes are stored uncompressed.
///
/// If the member is itself an archive, it contains descriptors of its own members. A descriptor of an inner member does
/// not end the outer member: it states fewer than `count` bytes, or no record follows it.
///
/// Some programs omit the signature. If the signature is missing and the member is stored uncompressed, the checksum in
/// the descriptor must be `counted`.
pub(super) fn descriptor(bytes: &[u8], count: u64, plain: bool, counted: u32) -> Option<(usize, u32)> {
    let unsigned = || unsigned(bytes, count, plain).filter(|(_, sum)| !plain || *sum == counted);
    let signed = bytes.strip_prefix(DESCRIPTOR).and_then(|rest| self::unsigned(rest, count, plain));
    signed.map(|(length, sum)| (DESCRIPTOR.len() + length, sum)).or_else(unsigned)
}

fn unsigned(bytes: &[u8], count: u64, plain: bool) -> Option<(usize, u32)> {
    let (sum, sizes) = bytes.split_first_chunk::<4>()?;
    let is_it = |width: &usize| {
        let Some((sizes, after)) = sizes.split_at_checked(2 * width) else { return false };
        let (stored, size) = sizes.split_at(*width);
        let is_end = after.is_empty() || begins_record(after);
        number(stored) == count && (!plain || number(size) == count) && is_end
    };
    let width = [4, 8].into_iter().find(is_it)?;
    Some((4 + 2 * width, u32::from_le_bytes(*sum)))
}

/// Parses a little-endian number.
pub(in crate::source) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// Returns the codec for the compression method with the number `method` (section 4.4.5). Returns `None` for the
/// methods "stored" and "deflated", which need no separate layer.
///
/// # Errors
///
/// If the method is not supported, returns the reason as a text for the user.
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
        20 => "Zstandard (old method number 20)",
        94 => "MP3",
        96 => "JPEG",
        97 => "WavPack",
        98 => "PPMd",
        _ => return Err("its compression method is unknown".to_owned()),
    };
    Err(format!("it is compressed with {name}"))
}

/// Returns a number from the extra field of zip64 (section 4.5.3). The field has only the numbers that do not fit into
/// 32 bits. `before` is the count of such numbers before the wanted number.
pub(in crate::source) fn zip64(mut extra: &[u8], before: usize) -> Option<u64> {
    loop {
        let (head, rest) = extra.split_first_chunk::<4>()?;
        let field = rest.get(..usize::from(u16::from_le_bytes([head[2], head[3]])))?;
        if head[..2] == [1, 0] {
            return field.get(8 * before..)?.first_chunk().map(|number| u64::from_le_bytes(*number));
        }
        extra = &rest[field.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_ends_the_member_that_it_describes() {
        // Whether the descriptor has a signature, the width of its sizes, its two sizes, the bytes after it, whether the
        // member is stored uncompressed, the checksum of the member, and the length of the descriptor. The member has 3
        // bytes, and the checksum in the descriptor is 7.
        type Row = (bool, usize, [u64; 2], &'static [u8], bool, u32, Option<usize>);
        let table: &[Row] = &[
            (true, 4, [3, 5], b"", false, 7, Some(16)),
            (true, 8, [3, 5], b"", false, 7, Some(24)),
            (false, 4, [3, 5], b"", false, 7, Some(12)),
            (false, 8, [3, 5], b"", false, 7, Some(20)),
            (true, 4, [3, 5], LOCAL, false, 7, Some(16)),
            (true, 4, [3, 5], END, false, 7, Some(16)),
            (true, 4, [3, 5], b"text", false, 7, None),
            (true, 4, [2, 5], b"", false, 7, None),
            (true, 4, [3, 3], b"", true, 7, Some(16)),
            (true, 4, [3, 5], b"", true, 7, None),
            (false, 4, [3, 3], b"", true, 7, Some(12)),
            (false, 4, [3, 5], b"", true, 7, None),
            // Only if the descriptor has no signature, the checksum decides.
            (true, 4, [3, 3], b"", true, 8, Some(16)),
            (false, 4, [3, 3], b"", true, 8, None),
            (false, 4, [3, 5], b"", false, 8, Some(12)),
        ];
        for &(is_signed, width, sizes, after, plain, counted, want) in table {
            let mut bytes = if is_signed { DESCRIPTOR.to_vec() } else { Vec::new() };
            bytes.extend(7_u32.to_le_bytes());
            sizes.iter().for_each(|size| bytes.extend(&size.to_le_bytes()[..width]));
            bytes.extend(after);
            let got = descriptor(&bytes, 3, plain, counted);
            assert_eq!(got, want.map(|length| (length, 7)), "{is_signed} {width} {sizes:?} {plain} {counted}");
        }
    }

    #[test]
    fn compression_methods_have_the_names_of_the_specification() {
        let table: &[(u16, Result<Option<Codec>, &str>)] = &[
            (0, Ok(None)),
            (1, Err("it is compressed with Shrink")),
            (2, Err("it is compressed with Reduce")),
            (5, Err("it is compressed with Reduce")),
            (6, Err("it is compressed with Implode")),
            (7, Err("its compression method is unknown")),
            (8, Ok(None)),
            (9, Err("it is compressed with Deflate64")),
            (10, Err("it is compressed with PKWARE DCL Implode")),
            (12, Ok(Some(Codec::Bzip2))),
            (14, Err("it is compressed with LZMA")),
            (16, Err("it is compressed with IBM CMPSC")),
            (18, Err("it is compressed with IBM TERSE")),
            (19, Err("it is compressed with IBM LZ77")),
            (20, Err("it is compressed with Zstandard (old method number 20)")),
            (93, Ok(Some(Codec::Zstd))),
            (94, Err("it is compressed with MP3")),
            (95, Ok(Some(Codec::Xz))),
            (96, Err("it is compressed with JPEG")),
            (97, Err("it is compressed with WavPack")),
            (98, Err("it is compressed with PPMd")),
        ];
        for (method, want) in table {
            assert_eq!(codec_of(*method), want.map_err(str::to_owned), "{method}");
        }
    }
}
