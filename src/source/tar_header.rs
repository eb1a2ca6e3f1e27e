//! What tells that a block is the header of a tar archive's member.

/// Octets of a header, and of what everything in the archive is a multiple of.
pub(super) const BLOCK: usize = 512;

/// Whether `block` is a header: whether its sum is right. The name, with which it begins, may be empty.
pub(super) fn is_header(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<BLOCK>() else { return false };
    // Most of what is no header has no number here.
    let Some(told) = number(&block[148..156]) else { return false };
    let sum: u64 =
        block.iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { 32 } else { u64::from(b) }).sum();
    sum == told
}

/// A number in octal digits, between blanks and zeros; or, as GNU has it for large ones, in octets.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        return rest.iter().try_fold(0_u64, |n, &b| n.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|b| !(b'0'..=b'7').contains(b)).unwrap_or(digits.len());
    let fits = end > 0 && digits[end..].iter().all(|b| matches!(b, 0 | b' '));
    fits.then(|| digits[..end].iter().fold(0, |n, &b| n << 3 | u64::from(b - b'0')))
}
