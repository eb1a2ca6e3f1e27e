//! Unwraps S/MIME messages that are signed but not encrypted (RFC 8551, section 3.5.2). The signature is not checked.

use std::borrow::Cow;

/// What a CMS structure contains (RFC 5652, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cms {
    Signed,
    /// Encrypted or compressed.
    Sealed,
}

/// The object identifier of the CMS types in PKCS #7, without its last byte.
const PKCS_7: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7];
/// The object identifier of the CMS types in S/MIME, without its last byte.
const SMIME: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 16, 1];

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OID: u8 = 0x06;
const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const SPLIT_OCTETS: u8 = 0x24;
const EXPLICIT: u8 = 0xA0;
const END: u8 = 0;

/// The first lines of a CMS structure in base64 (RFC 7468, sections 8 and 9).
const ARMORED: [&[u8]; 2] = [b"-----BEGIN PKCS7-----", b"-----BEGIN CMS-----"];

/// Decodes a CMS structure in base64. Returns other bytes unchanged.
fn unarmored(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(base64) = ARMORED.iter().find_map(|line| bytes.strip_prefix(*line)) else { return bytes.into() };
    let digits = base64.iter().copied().take_while(|byte| *byte != b'-').filter(|byte| !byte.is_ascii_whitespace());
    let digits: Vec<u8> = digits.collect();
    // The first bytes of a file can end within a group of four digits.
    data_encoding::BASE64.decode(&digits[..digits.len() / 4 * 4]).unwrap_or_default().into()
}

/// Recognizes a CMS structure from its first bytes.
pub(crate) fn look(head: &[u8]) -> Option<Cms> {
    let head = unarmored(head);
    let mut ber = Ber(&head);
    ber.enter(SEQUENCE)?;
    let oid = ber.primitive(OID)?;
    if oid.strip_prefix(PKCS_7) == Some(&[2]) {
        return Some(Cms::Signed);
    }
    (oid.starts_with(PKCS_7) || oid.starts_with(SMIME)).then_some(Cms::Sealed)
}

/// Returns the content of signed data. It is empty if there is no content, as in a detached signature. Returns `None` if the
/// data is damaged.
pub(crate) fn content(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = unarmored(bytes);
    let mut ber = Ber(&bytes);
    ber.enter(SEQUENCE)?;
    ber.primitive(OID)?;
    ber.enter(EXPLICIT)?;
    ber.enter(SEQUENCE)?;
    ber.primitive(INTEGER)?;
    ber.skip(SET)?;
    ber.enter(SEQUENCE)?;
    ber.primitive(OID)?;
    if ber.0.first() != Some(&EXPLICIT) {
        return (!ber.0.is_empty()).then(Vec::new);
    }
    ber.enter(EXPLICIT)?;
    let mut content = Vec::new();
    // The content is one string, or a tree of strings. Only the strings matter, in their order.
    while let Some((tag, length)) = ber.header() {
        match tag {
            OCTETS => content.extend_from_slice(ber.take(length.unwrap_or(usize::MAX))),
            SPLIT_OCTETS => {}
            // The end of a string of indefinite length.
            END => {}
            _ => break,
        }
    }
    Some(content)
}

/// The rest of data in BER (X.690), in which lengths can be indefinite. Truncated data is read as far as possible.
struct Ber<'b>(&'b [u8]);

impl<'b> Ber<'b> {
    /// Reads the tag and the length of the next element. The length is `None` if it is indefinite.
    fn header(&mut self) -> Option<(u8, Option<usize>)> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        if first <= 0x80 {
            self.0 = rest;
            return Some((tag, (first < 0x80).then_some(usize::from(first))));
        }
        let (length, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
        self.0 = rest;
        let length = length.iter().fold(0_usize, |all, byte| all.saturating_mul(256).saturating_add((*byte).into()));
        Some((tag, Some(length)))
    }

    fn take(&mut self, length: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Reads the header of a constructed element.
    fn enter(&mut self, wanted: u8) -> Option<()> {
        self.header().filter(|&(tag, _)| tag == wanted).map(drop)
    }

    fn primitive(&mut self, wanted: u8) -> Option<&'b [u8]> {
        let (_, length) = self.header().filter(|&(tag, _)| tag == wanted)?;
        Some(self.take(length?))
    }

    /// Skips an element and everything in it.
    fn skip(&mut self, wanted: u8) -> Option<()> {
        let (_, mut length) = self.header().filter(|&(tag, _)| tag == wanted)?;
        let mut open = 0_usize;
        loop {
            match length {
                Some(length) => drop(self.take(length)),
                None => open += 1,
            }
            if open == 0 {
                return Some(());
            }
            let (tag, next) = self.header()?;
            if tag == END {
                open -= 1;
            }
            length = if tag == END { Some(0) } else { next };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an element of definite length, or of indefinite length.
    fn element(tag: u8, content: &[u8], is_definite: bool) -> Vec<u8> {
        let length: Vec<u8> = match content.len() {
            _ if !is_definite => vec![0x80],
            short @ ..0x80 => vec![short as u8],
            long => vec![0x82, (long >> 8) as u8, long as u8],
        };
        let end: &[u8] = if is_definite { &[] } else { &[0, 0] };
        [&[tag], &*length, content, end].concat()
    }

    fn signed(strings: &[u8], is_definite: bool, kind: u8) -> Vec<u8> {
        let oid = |last| element(OID, &[PKCS_7, &[last]].concat(), true);
        let element = |tag, content: &[u8]| element(tag, content, is_definite);
        let algorithms = element(SET, &element(SEQUENCE, &oid(9)));
        let inner = element(SEQUENCE, &[oid(1), element(EXPLICIT, strings)].concat());
        let body = element(SEQUENCE, &[vec![INTEGER, 1, 1], algorithms, inner, vec![SET, 0]].concat());
        element(SEQUENCE, &[oid(kind), element(EXPLICIT, &body)].concat())
    }

    #[test]
    fn signed_data_is_unwrapped() {
        let long = [b'x'; 300];
        for is_definite in [true, false] {
            let one = element(OCTETS, &long, true);
            let split = element(
                SPLIT_OCTETS,
                &[element(OCTETS, b"ab", true), element(OCTETS, b"c", true)].concat(),
                is_definite,
            );
            for (strings, want) in [(&one, &long[..]), (&split, b"abc")] {
                let bytes = signed(strings, is_definite, 2);
                assert_eq!(look(&bytes), Some(Cms::Signed));
                assert_eq!(content(&bytes).as_deref(), Some(want), "{is_definite}");
                let base64 = data_encoding::BASE64.encode(&bytes);
                let armored = format!("-----BEGIN CMS-----\n{base64}\n-----END CMS-----\n");
                assert_eq!(look(armored.as_bytes()), Some(Cms::Signed));
                assert_eq!(content(armored.as_bytes()).as_deref(), Some(want));
                for end in 0..bytes.len() {
                    let cut = content(&bytes[..end]).unwrap_or_default();
                    assert!(want.starts_with(&cut), "{end}");
                }
            }
            assert_eq!(content(&signed(&[], is_definite, 2)).as_deref(), Some(&b""[..]));
            assert_eq!(look(&signed(&one, is_definite, 3)), Some(Cms::Sealed));
        }
        assert_eq!(look(b"0 is a number"), None);
    }
}
