//! Encodes files in uuencode, for the tests.

/// Encodes `content` in uuencode. `zero` is the digit 0: a grave accent, or a blank.
pub(crate) fn uuencode(name: &str, content: &[u8], zero: char) -> String {
    let digit = |value: u8| if value == 0 { zero } else { char::from(value + b' ') };
    let mut text = format!("begin 644 {name}\n");
    for row in content.chunks(45) {
        text.push(digit(row.len() as u8));
        for three in row.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|at| three.get(at).copied().unwrap_or(0));
            text.extend([a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63].map(digit));
        }
        text.push('\n');
    }
    text.push(zero);
    text + "\nend\n"
}
