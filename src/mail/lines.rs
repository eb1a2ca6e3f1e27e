//! Finds header fields in a well-formed header block.

#[cfg(feature = "perf")]
use crate::simd::prelude::*;
#[cfg(feature = "perf")]
use crate::simd::{BLOCK, Level, dispatch, padded, u8x64};

/// Calls `found` with the offset of each header field whose name begins with one of `letters`. `message` begins with
/// the header block. `letters` must be lower-case letters. Upper-case letters in `message` match, too.
///
/// Returns `None` if the header block is not well-formed. In this case, `found` may already have been called. A
/// well-formed block has only fields and continuation lines, and ends with a blank line. Two kinds of valid blocks also
/// count as not well-formed. In the first kind, a slash directly follows the colon of a field. In the second kind, a
/// control character directly follows the indentation of a continuation line.
///
/// Costs one SIMD pass over the header block.
#[cfg(feature = "perf")]
pub(super) fn fields<const N: usize>(message: &[u8], letters: [u8; N], mut found: impl FnMut(usize)) -> Option<()> {
    dispatch!(Level::new(), simd => walk(simd, message, letters, &mut found))
}

/// Does the same as the SIMD version, but line by line. If the SIMD version were compiled without SIMD instructions, it
/// would take three times as long as this function.
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
                // A field name is printable ASCII (RFC 5322, section 3.6.8). A line such as `http://…`, with a slash
                // after the colon, is probably a URL in the body.
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
    // How the previous 64 bytes end: with a line end, inside a field name, inside an indentation, or with the colon of
    // a field.
    let (mut line_end, mut name, mut indent, mut colon) = (true, Runs::default(), Runs::default(), false);
    for (i, block) in blocks.iter().chain([&last]).enumerate() {
        let bytes = u8x64::from_slice(simd, block);
        let splat = |byte| u8x64::splat(simd, byte);
        let equals = |byte| bytes.simd_eq(splat(byte));
        let line_ends = equals(b'\n').to_bitmask();
        let colons = equals(b':').to_bitmask();
        let blanks = (equals(b' ') | equals(b'\t')).to_bitmask();
        // A field name is printable ASCII (RFC 5322, section 3.6.8).
        let in_name = (bytes - splat(33)).simd_le(splat(93)).to_bitmask() & !colons;

        let starts = line_ends << 1 | u64::from(line_end);
        line_end = line_ends >> 63 != 0;
        // A colon must follow each field name. A line such as `http://…`, with a slash after the colon, is probably a
        // URL in the body.
        let after_name = name.ends(starts, in_name);
        let field_colons = after_name & colons;
        let mut odd = after_name & !colons | starts & blanks & u64::from(i == 0);
        let values = field_colons << 1 | u64::from(colon);
        colon = field_colons >> 63 != 0;
        if values & in_name != 0 {
            odd |= values & equals(b'/').to_bitmask();
        }
        // Each continuation line must have text after its indentation.
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

/// Finds the ends of the field names, or of the indentations, at the beginning of lines. The `bool` is `true` if a name
/// or indentation may continue in the next 64 bytes.
#[cfg(feature = "perf")]
#[derive(Default)]
struct Runs(bool);

#[cfg(feature = "perf")]
impl Runs {
    /// Returns a mask of the bytes that directly follow a name or indentation. `starts` is the mask of line starts.
    /// `kind` is the mask of the bytes that a name or indentation consists of.
    #[inline(always)]
    fn ends(&mut self, starts: u64, kind: u64) -> u64 {
        // In a row of set bits, adding 1 to the lowest bit clears the row and sets the bit after it: `0b0111 + 1` is
        // `0b1000`.
        let (sum, continues) = kind.overflowing_add(starts & kind | u64::from(self.0));
        self.0 = continues;
        sum & !kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference implementation that reads line by line.
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
            "X: a:/b",
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
        // The first 64 bytes end with an indentation. The next 64 bytes have only one byte that no name can contain.
        let message = format!("X: {}\n \u{c}{}\nDate: x\n\n", "y".repeat(59), "z".repeat(63));
        assert_eq!(fields(message.as_bytes(), [b'd'], |_| {}), None);
        // The second 64 bytes begin with a colon, and have only one byte that a name can contain: a slash.
        let message = format!("X: {}\nDate:/{}\nDate: x\n\n", "y".repeat(56), " ".repeat(62));
        assert_eq!(fields(message.as_bytes(), [b'd'], |_| {}), None);
    }
}
