//! Decodes the format of compress(1), which is LZW with codes of 9 to 16 bits.
//!
//! Codes come in groups of eight. When the width of codes changes, the rest of the group is discarded. Other LZW
//! formats do not discard codes. This module exists because no maintained crate decodes this format.

use std::io::{self, BufRead, ErrorKind, Read};

/// Masks for the byte after the magic number. `MAX_BITS` selects the maximum width of codes in bits. `BLOCK_MODE`
/// selects the bit that is set if the table can be cleared.
const MAX_BITS: u8 = 0x1F;
const BLOCK_MODE: u8 = 0x80;

const MIN_BITS: u32 = 9;
/// The code that clears the table in block mode.
const CLEAR: u16 = 256;

pub(super) struct Lzw<I> {
    pub(super) input: I,
    max_bits: u32,
    /// The first free code after the table is cleared.
    first: u32,
    bits: u32,
    /// Code of the entry that is added next.
    next: u32,
    /// Table with an entry for each code. A code represents a string of bytes. Its entry is a pair: the code for all
    /// bytes of this string except the last byte, and the last byte. The table is empty until the header is read.
    entries: Vec<(u16, u8)>,
    /// The previous code, and the first byte of the string for that code.
    old: Option<(u16, u8)>,
    /// The remaining codes of a group, with the next code in the lowest bits. `left` is the number of remaining bits.
    group: u128,
    left: u32,
    /// Decoded bytes that were not returned yet, in reverse order.
    pending: Vec<u8>,
    /// An error that is returned after the pending bytes.
    failed: Option<io::Error>,
}

impl<I: BufRead> Lzw<I> {
    pub(super) fn new(input: I) -> Lzw<I> {
        Lzw {
            input,
            max_bits: 0,
            first: 0,
            bits: MIN_BITS,
            next: 0,
            entries: Vec::new(),
            old: None,
            group: 0,
            left: 0,
            pending: Vec::new(),
            failed: None,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut head = [0; 3];
        self.input.read_exact(&mut head)?;
        self.max_bits = u32::from(head[2] & MAX_BITS);
        if !(MIN_BITS..=16).contains(&self.max_bits) {
            return Err(ErrorKind::InvalidData.into());
        }
        // compress and gzip write and read codes of up to 10 bits if the header states a maximum of 9.
        self.max_bits = self.max_bits.max(MIN_BITS + 1);
        self.first = if head[2] & BLOCK_MODE != 0 { u32::from(CLEAR) + 1 } else { u32::from(CLEAR) };
        self.next = self.first;
        self.entries = vec![(0, 0); self.first as usize];
        Ok(())
    }

    /// Reads the next code. Returns `None` if no complete code is left.
    fn code(&mut self) -> io::Result<Option<u16>> {
        if self.next >= 1 << self.bits && self.bits < self.max_bits {
            self.bits += 1;
            self.left = 0;
        }
        if self.left < self.bits {
            // A group is eight codes of `bits` bits each, so it has `bits` bytes.
            let (mut bytes, mut len) = ([0; 16], 0);
            let mut group = (&mut self.input).take(u64::from(self.bits));
            while let n @ 1.. = group.read(&mut bytes[len..])? {
                len += n;
            }
            (self.group, self.left) = (u128::from_le_bytes(bytes), len as u32 * 8);
            if self.left < self.bits {
                return Ok(None);
            }
        }
        // The cast cannot truncate: a code has at most 16 bits.
        let code = (self.group & ((1 << self.bits) - 1)) as u16;
        self.group >>= self.bits;
        self.left -= self.bits;
        Ok(Some(code))
    }

    /// Decodes one code into `pending`. Returns `false` at the end of the data.
    fn step(&mut self) -> io::Result<bool> {
        let Some(code) = self.code()? else { return Ok(false) };
        let block_mode = self.first > u32::from(CLEAR);
        if block_mode && code == CLEAR {
            (self.next, self.bits, self.old, self.left) = (self.first, MIN_BITS, None, 0);
            return Ok(true);
        }
        let Some((old, old_first)) = self.old else {
            // The first code of the data, and the first code after the table is cleared, must represent a single byte.
            let byte = u8::try_from(code).map_err(|_| ErrorKind::InvalidData)?;
            self.pending.push(byte);
            self.old = Some((code, byte));
            return Ok(true);
        };
        let mut at = code;
        if u32::from(code) >= self.next {
            // A code can refer to the entry that this step adds to the table, but not to a later entry.
            if u32::from(code) > self.next {
                return Err(ErrorKind::InvalidData.into());
            }
            self.pending.push(old_first);
            at = old;
        }
        while at >= CLEAR {
            let (prefix, last) = self.entries[usize::from(at)];
            self.pending.push(last);
            at = prefix;
        }
        // The cast cannot truncate: `at` is less than 256 here.
        let first = at as u8;
        self.pending.push(first);
        // The table grows with the data, because a mail can have thousands of short streams.
        if self.next < 1 << self.max_bits {
            self.entries.truncate(self.next as usize);
            self.entries.push((old, first));
            self.next += 1;
        }
        self.old = Some((code, first));
        Ok(true)
    }
}

impl<I: BufRead> Read for Lzw<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.entries.is_empty() {
            self.begin()?;
        }
        let mut filled = 0;
        while filled < buf.len() {
            if self.pending.is_empty() {
                match self.step() {
                    Ok(true) => continue,
                    Ok(false) => break,
                    Err(error) if filled > 0 => {
                        self.failed = Some(error);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            while let (Some(slot), Some(byte)) = (buf.get_mut(filled), self.pending.last()) {
                *slot = *byte;
                filled += 1;
                self.pending.pop();
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of the same width. The width is in bits.
    type Run<'r> = (usize, &'r [u16]);

    /// Returns a compressed file. `kind` is the byte after the magic number. When the width of codes changes and after
    /// code 256 in block mode, the last group is filled up to its full size.
    fn compressed(kind: u8, runs: &[Run<'_>]) -> Vec<u8> {
        let mut file = vec![0x1F, 0x9D, kind];
        for (i, &(width, codes)) in runs.iter().enumerate() {
            let bits = codes.iter().flat_map(|code| (0..width).map(move |bit| (code >> bit & 1) as u8));
            let mut bits: Vec<u8> = bits.collect();
            let unit = if i + 1 < runs.len() { 8 * width } else { 8 };
            bits.resize(bits.len().next_multiple_of(unit), 0);
            file.extend(bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |n, bit| n << 1 | bit)));
        }
        file
    }

    #[test]
    fn codes_are_decoded() {
        let [a, b, c] = [b'a', b'b', b'c'].map(u16::from);
        // In block mode, 256 codes of 9 bits fill the table up to code 511. Without block mode, one more code does so.
        let (many, one_more) = ([a; 256], [a; 257]);
        // 512 codes of 10 bits fill the table up to code 1023.
        let full = [&[a; 513][..], &[b, c, 257]].concat();
        // Each width has as many codes as the table has room for. Then come nine codes of 16 bits. The last is alone in
        // its group.
        let wide: Vec<_> = (8..15).map(|bits| (bits + 1, vec![a; 1 << bits])).chain([(16, vec![b; 9])]).collect();
        let wide: Vec<_> = wide.iter().map(|(bits, codes)| (*bits, &codes[..])).collect();
        let letters = "a".repeat(256);
        let bad = Some(ErrorKind::InvalidData);
        type Row<'r> = (&'r str, u8, &'r [Run<'r>], String, Option<ErrorKind>);
        let table: &[Row<'_>] = &[
            ("no code", 0x90, &[], String::new(), None),
            ("more than one group", 0x90, &[(9, &[a, b, c, a, b, c, a, b, c, a])], "abcabcabca".into(), None),
            ("strings of the table", 0x90, &[(9, &[a, b, 257, 258, c])], "ababbac".into(), None),
            ("a string that is not complete yet", 0x90, &[(9, &[a, 257, 258])], "aaaaaa".into(), None),
            ("no block mode", 0x10, &[(9, &[a, 256, 257])], "aaaaaa".into(), None),
            ("a cleared table", 0x90, &[(9, &[a, b, 257, 256]), (9, &[c, 257])], "ababccc".into(), None),
            ("codes of 10 bits", 0x90, &[(9, &many), (10, &[b, 257])], letters.clone() + "baa", None),
            (
                "codes of 10 bits, no block mode",
                0x10,
                &[(9, &one_more), (10, &[b, 256])],
                letters.clone() + "abaa",
                None,
            ),
            ("one code in the last group", 0x90, &wide, "a".repeat((1 << 15) - (1 << 8)) + "bbbbbbbbb", None),
            ("a full table", 0x8A, &[(9, &many), (10, &full)], "a".repeat(256 + 513) + "bcaa", None),
            // gzip(1) decompresses this file in the same way.
            ("codes of 10 bits, stated maximum of 9", 0x89, &[(9, &many), (10, &[b, 257])], letters + "baa", None),
            ("a code that is not in the table", 0x90, &[(9, &[a, 300])], "a".into(), bad),
            ("a string at the beginning", 0x90, &[(9, &[257])], String::new(), bad),
            ("codes of 17 bits", 0x91, &[(9, &[a])], String::new(), bad),
        ];
        for (what, kind, runs, text, error) in table {
            let file = compressed(*kind, runs);
            let (mut lzw, mut decoded) = (Lzw::new(&file[..]), Vec::new());
            let result = lzw.read_to_end(&mut decoded);
            assert_eq!(String::from_utf8_lossy(&decoded), *text, "{what}");
            assert_eq!(result.map_err(|e| e.kind()).err(), *error, "{what}");
            // One byte at a time.
            let single = io::BufReader::with_capacity(1, Lzw::new(&file[..]));
            let bytes: Vec<u8> = single.bytes().map_while(Result::ok).collect();
            assert_eq!(String::from_utf8_lossy(&bytes), *text, "{what}");
        }
    }
}
