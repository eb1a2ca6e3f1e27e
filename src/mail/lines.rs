//! Finds the fields of a well-formed header block.

#[cfg(feature = "perf")]
use crate::simd::prelude::*;
#[cfg(feature = "perf")]
use crate::simd::{BLOCK, Level, dispatch, padded, u8x64};

/// Gives `found` the offset of each field whose name begins with one of `letters`, which are in lower case, in the
/// header block that `message` begins with.
///
/// Returns `None` if the block is not well-formed: if it has anything but fields with their folds, or no blank line
/// after them. `found` may have got some fields by then. A few well-formed blocks are rejected as well: those with a
/// field whose value begins with a slash, or with a control character in a fold's indentation.
///
/// Costs a SIMD pass over the block, and a call for each of the fields.
#[cfg(feature = "perf")]
pub(super) fn fields<const N: usize>(message: &[u8], letters: [u8; N], mut found: impl FnMut(usize)) -> Option<()> {
    dispatch!(Level::new(), simd => walk(simd, message, letters, &mut found))
}

/// Does the same line by line. Without the vectors of `perf`, a pass over blocks takes three times as long.
#[cfg(not(feature = "perf"))]
pub(super) fn fields<const N: usize>(message: &[u8], letters: [u8; N], mut found: impl FnMut(usize)) -> Option<()> {
    let mut start = 0;
    loop {
        let line = &message[start..];
        match *line {
            [b'\n', ..] | [b'\r', b'\n', ..] => return (start > 0).then_some(()),
            [b' ' | b'\t', ..] => {
                let inside = line.iter().find(|byte| !matches!(byte, b' ' | b'\t'))?;
                if start == 0 || *inside < b' ' {
                    return None;
                }
            }
            [first, ..] => {
                // RFC 5322, section 3.6.8. A line of the body that starts with a URL is not a field.
                let colon = line.iter().position(|byte| !byte.is_ascii_graphic() || *byte == b':')?;
                if colon == 0 || line[colon] != b':' || line.get(colon + 1) == Some(&b'/') {
                    return None;
                }
                if letters.contains(&first.to_ascii_lowercase()) {
                    found(start);
                }
            }
            [] => return None,
        }
        start += memchr::memchr(b'\n', line)? + 1;
    }
}

#[cfg(feature = "perf")]
#[inline(always)]
fn walk<S: Simd, const N: usize>(
    simd: S,
    message: &[u8],
    letters: [u8; N],
    found: &mut impl FnMut(usize),
) -> Option<()> {
    let (blocks, rest) = message.as_chunks::<BLOCK>();
    let last = padded(rest);
    // Whether the byte before a block ends a line; the runs that continue from the block before; and whether that block
    // ends with the colon of a field.
    let (mut line_end, mut name, mut indent, mut colon) = (true, Runs::default(), Runs::default(), false);
    for (i, block) in blocks.iter().chain([&last]).enumerate() {
        let bytes = u8x64::from_slice(simd, block);
        let splat = |byte| u8x64::splat(simd, byte);
        let equals = |byte| bytes.simd_eq(splat(byte));
        let line_ends = equals(b'\n').to_bitmask();
        let colons = equals(b':').to_bitmask();
        let blanks = (equals(b' ') | equals(b'\t')).to_bitmask();
        // RFC 5322, section 3.6.8.
        let in_name = (bytes - splat(33)).simd_le(splat(93)).to_bitmask() & !colons;

        let starts = line_ends << 1 | u64::from(line_end);
        line_end = line_ends >> 63 != 0;
        // Each name has a colon after it. A line of the body that starts with a URL is not a field.
        let after_name = name.ends(starts, in_name);
        let field_colons = after_name & colons;
        let mut odd = after_name & !colons | starts & blanks & u64::from(i == 0);
        let values = field_colons << 1 | u64::from(colon);
        colon = field_colons >> 63 != 0;
        if values & in_name != 0 {
            odd |= values & equals(b'/').to_bitmask();
        }
        // Each fold has text.
        let after_indent = indent.ends(starts, blanks);
        if after_indent & !in_name != 0 {
            odd |= after_indent & bytes.simd_le(splat(31)).to_bitmask();
        }

        let end = starts & !in_name & !blanks;
        let within = (end & end.wrapping_neg()).wrapping_sub(1);
        if odd & within != 0 {
            return None;
        }
        let lower = bytes | splat(0x20);
        let mut wanted = lower.simd_eq(splat(letters[0]));
        for &letter in &letters[1..] {
            wanted |= lower.simd_eq(splat(letter));
        }
        let mut wanted = wanted.to_bitmask() & starts & within;
        while wanted != 0 {
            found(i * BLOCK + wanted.trailing_zeros() as usize);
            wanted &= wanted - 1;
        }
        if end != 0 {
            let end = i * BLOCK + end.trailing_zeros() as usize;
            let blank = &message[end.min(message.len())..];
            return (end > 0 && (blank.starts_with(b"\n") || blank.starts_with(b"\r\n"))).then_some(());
        }
    }
    None
}

/// Runs of bytes of one kind that lines begin with. The value is whether one continues beyond the end of the block.
#[cfg(feature = "perf")]
#[derive(Default)]
struct Runs(bool);

#[cfg(feature = "perf")]
impl Runs {
    /// Returns a bit for each byte directly after a run that begins at `starts`. `kind` is the mask of the bytes that
    /// make runs.
    #[inline(always)]
    fn ends(&mut self, starts: u64, kind: u64) -> u64 {
        // Adding at the beginning of a run carries to its end.
        let (sum, continues) = kind.overflowing_add(starts & kind | u64::from(self.0));
        self.0 = continues;
        sum & !kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the fields line by line.
    fn plainly(message: &str) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        for line in message.split_inclusive('\n') {
            let text = line.strip_suffix('\n')?;
            if matches!(text, "" | "\r") {
                return (at > 0).then_some(found);
            }
            if text.starts_with([' ', '\t']) {
                if at == 0 || text.trim_start_matches([' ', '\t']).bytes().next().is_none_or(|byte| byte < b' ') {
                    return None;
                }
            } else {
                let (name, value) = text.split_once(':')?;
                if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) || value.starts_with('/') {
                    return None;
                }
                if name.to_ascii_lowercase().starts_with(['d', 'm']) {
                    found.push(at);
                }
            }
            at += line.len();
        }
        None
    }

    #[test]
    fn simd_block_borders_do_not_matter() {
        let lines = [
            "Date: x",
            "message-id:",
            " <a@b>",
            "\t y",
            "X: /",
            "",
            "\r",
            " ",
            "\t\r",
            "a:/b",
            "x",
            "d e: f",
            ":",
            "M\u{fc}: x",
            " \u{c}x",
            "Path : x",
        ];
        for one in lines {
            for other in lines {
                for end in ["\n", "\r\n"] {
                    for length in 0..130 {
                        let filler = format!("X: {}{end}", "y".repeat(length));
                        let message = format!(
                            "{filler}{one}{end}{other}{end}Mime: 1{end} {filler}{other}{end}{end}Date: {one}{end}"
                        );
                        for message in [&message[..], &message[filler.len()..]] {
                            let mut found = Vec::new();
                            let got = fields(message.as_bytes(), [b'd', b'm'], |at| found.push(at)).map(|()| found);
                            assert_eq!(got, plainly(message), "{message:?}");
                        }
                    }
                }
            }
        }
        for message in ["", "\n", "Date: x", "Date: x\n", "Date: x\n\r"] {
            assert_eq!(fields(message.as_bytes(), [b'd'], |_| {}), None, "{message:?}");
        }
    }
}
