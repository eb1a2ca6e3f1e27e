//! What compress(1) wrote: LZW with codes of 9 to 16 bits.
//!
//! No crate that is kept up reads it: its codes come in groups of eight, and what is left of a group is thrown away when
//! their width changes, as no other user of LZW does.

use std::io::{self, BufRead, ErrorKind, Read};

/// Behind the magic: how wide codes get, and whether the table may be cleared.
const MAX_BITS: u8 = 0x1F;
const BLOCK_MODE: u8 = 0x80;

const MIN_BITS: u32 = 9;
/// In block mode this code clears the table.
const CLEAR: u16 = 256;

pub(super) struct Lzw<I> {
    input: I,
    begun: bool,
    max_bits: u32,
    /// The first code that is free once the table is cleared.
    first: u32,
    bits: u32,
    /// The code that the next entry gets.
    next: u32,
    /// For each code the one of all octets but the last, and the last.
    prefix: Vec<u16>,
    suffix: Vec<u8>,
    /// The code before, and the first octet of what it stood for.
    old: Option<(u16, u8)>,
    group: Group,
    /// Decoded and not handed out yet, the last octet first.
    pending: Vec<u8>,
    /// What was met behind what is handed out first.
    failed: Option<io::Error>,
}

/// Eight codes, as many octets as each has bits.
#[derive(Default)]
struct Group {
    octets: [u8; 16],
    len: usize,
    /// The bit where the next code begins.
    at: usize,
}

impl<I: BufRead> Lzw<I> {
    pub(super) fn new(input: I) -> Lzw<I> {
        Lzw {
            input,
            begun: false,
            max_bits: 0,
            first: 0,
            bits: MIN_BITS,
            next: 0,
            prefix: Vec::new(),
            suffix: Vec::new(),
            old: None,
            group: Group::default(),
            pending: Vec::new(),
            failed: None,
        }
    }

    pub(super) fn get_ref(&self) -> &I {
        &self.input
    }

    pub(super) fn get_mut(&mut self) -> &mut I {
        &mut self.input
    }

    pub(super) fn into_inner(self) -> I {
        self.input
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut head = [0; 3];
        self.input.read_exact(&mut head)?;
        self.begun = true;
        self.max_bits = u32::from(head[2] & MAX_BITS);
        if !(MIN_BITS..=16).contains(&self.max_bits) {
            return Err(ErrorKind::InvalidData.into());
        }
        self.first = if head[2] & BLOCK_MODE != 0 { u32::from(CLEAR) + 1 } else { u32::from(CLEAR) };
        self.next = self.first;
        self.prefix = vec![0; 1 << self.max_bits];
        self.suffix = vec![0; 1 << self.max_bits];
        Ok(())
    }

    /// The next code; `None` at the end, where less than a code's bits may be left.
    fn code(&mut self) -> io::Result<Option<u16>> {
        if self.next >= 1 << self.bits && self.bits < self.max_bits {
            self.bits += 1;
            self.group = Group::default();
        }
        let bits = self.bits as usize;
        if self.group.at + bits > self.group.len * 8 {
            self.group = Group::default();
            let mut group = (&mut self.input).take(bits as u64);
            while let n @ 1.. = group.read(&mut self.group.octets[self.group.len..])? {
                self.group.len += n;
            }
            if self.group.len * 8 < bits {
                return Ok(None);
            }
        }
        let byte = self.group.at / 8;
        let wide = (0..3).fold(0, |wide, i| {
            let octet = self.group.octets.get(byte + i).copied().unwrap_or(0);
            wide | u32::from(octet) << (8 * i)
        });
        let code = wide >> (self.group.at % 8) & ((1 << bits) - 1);
        self.group.at += bits;
        // A code has 16 bits at most.
        Ok(Some(code as u16))
    }

    /// Decodes one code into `pending`. `false` at the end.
    fn step(&mut self) -> io::Result<bool> {
        let Some(code) = self.code()? else { return Ok(false) };
        let block_mode = self.first > u32::from(CLEAR);
        let Some((old, old_first)) = self.old else {
            // The first code, at the beginning and behind a clearing, is an octet.
            if block_mode && code == CLEAR {
                self.clear();
                return Ok(true);
            }
            let octet = u8::try_from(code).map_err(|_| ErrorKind::InvalidData)?;
            self.pending.push(octet);
            self.old = Some((code, octet));
            return Ok(true);
        };
        if block_mode && code == CLEAR {
            self.clear();
            return Ok(true);
        }
        let mut at = code;
        if u32::from(code) >= self.next {
            // The entry that is about to be made.
            if u32::from(code) > self.next {
                return Err(ErrorKind::InvalidData.into());
            }
            self.pending.push(old_first);
            at = old;
        }
        while at >= CLEAR {
            self.pending.push(self.suffix[usize::from(at)]);
            at = self.prefix[usize::from(at)];
        }
        // Below 256.
        let first = at as u8;
        self.pending.push(first);
        if let Some(entry) = self.prefix.get_mut(self.next as usize) {
            *entry = old;
            self.suffix[self.next as usize] = first;
            self.next += 1;
        }
        self.old = Some((code, first));
        Ok(true)
    }

    fn clear(&mut self) {
        (self.next, self.bits, self.old) = (self.first, MIN_BITS, None);
        self.group = Group::default();
    }
}

impl<I: BufRead> Read for Lzw<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.begun {
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
            while let (Some(slot), Some(octet)) = (buf.get_mut(filled), self.pending.last()) {
                *slot = *octet;
                filled += 1;
                self.pending.pop();
            }
        }
        Ok(filled)
    }
}
