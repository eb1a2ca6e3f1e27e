//! Decodes the part of a mail file in which a URL was found, and returns the URL. The code is slow and simple. It does
//! not use the library, so that the code and the library cannot have the same mistake.

/// Decodes the encoding `step`. `corpus/README.md` lists the names.
pub(crate) fn undo(step: &str, bytes: &[u8]) -> Vec<u8> {
    match step {
        "qp" => quoted_printable(bytes),
        "base64" => base64(bytes),
        "fold" => bytes.iter().copied().filter(|byte| !b" \t\r\n".contains(byte)).collect(),
        "quote" => quote(bytes),
        "refs" => references(bytes),
        "words" => words(bytes),
        "delsp" => delsp(bytes),
        "tags" => replace(bytes, &[("<b>", ""), ("</b>", "")]),
        "wide" => bytes.iter().copied().filter(|&byte| byte != 0).collect(),
        "utf7" => replace(bytes, &[("+AOQ-", "\u{e4}"), ("+ADo-", ":"), ("+AD0-", "=")]),
        "escapes" => replace(bytes, &[("\\:", ":"), ("\\,", ","), ("\\;", ";")]),
        "blanks" => replace(bytes, &[(" ", "%20"), ("\"", "%22")]),
        "brackets" => replace(bytes, &[("<", ""), (">", "")]),
        "slashes" => slashes(bytes),
        "latin1" => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
        "dash" => replace(bytes, &[("\n- ", "\n")]),
        "dots" => replace(bytes, &[("\n..", "\n.")]),
        _ => panic!("no such step: {step}"),
    }
}

fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'=' {
            text.push(*first);
            continue;
        }
        let blanks = rest.iter().take_while(|&&byte| b" \t".contains(&byte)).count();
        match &rest[blanks..] {
            [b'\n', after @ ..] | [b'\r', b'\n', after @ ..] => rest = after,
            _ => match rest.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
                Some(byte) => {
                    text.push(byte);
                    rest = &rest[2..];
                }
                None => text.push(b'='),
            },
        }
    }
    text
}

/// Decodes a part of a base64 text. Four symbols of base64 encode three bytes, and the part can begin with the first,
/// second or third of these bytes. So this function decodes the part in each of the three ways, and returns the result
/// with the most printable ASCII characters.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let digits: Vec<u32> = bytes.iter().filter_map(|&byte| sextet(byte)).collect();
    let readings = (0..3).map(|skipped| {
        let zeros = std::iter::repeat_n(0, skipped);
        let bits: Vec<u32> =
            zeros.chain(digits.iter().copied()).flat_map(|digit| (0..6).rev().map(move |i| digit >> i & 1)).collect();
        let whole = bits.chunks_exact(8).skip(skipped);
        whole.map(|bits| bits.iter().fold(0, |byte, &bit| byte << 1 | bit as u8)).collect::<Vec<u8>>()
    });
    readings.max_by_key(|text| text.iter().filter(|byte| byte.is_ascii_graphic()).count()).unwrap_or_default()
}

fn sextet(byte: u8) -> Option<u32> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    digits.iter().position(|&digit| digit == byte).map(|i| i as u32)
}

/// Removes each line break, the white space around it, and the quote marks after it.
fn quote(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        let marks = line.iter().rposition(|&byte| b">|:}%#".contains(&byte)).filter(|_| i > 0);
        text.extend(marks.map_or(line, |mark| line[mark + 1..].trim_ascii_start()));
    }
    text
}

fn references(bytes: &[u8]) -> Vec<u8> {
    let text = replace(
        bytes,
        &[
            ("&#58;", ":"),
            ("&#x2f;", "/"),
            ("&#128;", "\u{20ac}"),
            ("&copy", "\u{a9}"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("\n", ""),
        ],
    );
    replace(&text, &[("&amp;", "&")])
}

/// Replaces backslashes by slashes, and writes exactly two slashes before the host.
fn slashes(bytes: &[u8]) -> Vec<u8> {
    let text = replace(bytes, &[("\\", "/")]);
    let colon = text.iter().position(|&byte| byte == b':').map_or(0, |colon| colon + 1);
    let host = text[colon..].iter().position(|&byte| byte != b'/').map_or(colon, |slashes| colon + slashes);
    [&text[..colon], b"//", &text[host..]].concat()
}

/// Decodes encoded words (RFC 2047), in the encodings `Q` and `B`.
fn words(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let value = String::from_utf8_lossy(bytes).replace("?=\n =?", "?= =?").replace("?=\r\n =?", "?= =?");
    let mut rest = value.as_str();
    while let Some((before, word)) = rest.split_once("=?") {
        if before != " " {
            text.extend(before.as_bytes());
        }
        let mut fields = word.splitn(4, '?');
        let (charset, encoding) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let decoded = match encoding {
            "Q" | "q" => quoted_printable(fields.next().unwrap_or_default().replace('_', " ").as_bytes()),
            _ => base64(fields.next().unwrap_or_default().as_bytes()),
        };
        match charset {
            "iso-8859-1" => text.extend(decoded.iter().map(|&byte| char::from(byte)).collect::<String>().as_bytes()),
            _ => text.extend(decoded),
        }
        rest = fields.next().unwrap_or_default().strip_prefix('=').unwrap_or_default();
    }
    text.extend(rest.as_bytes());
    text
}

/// Rejoins a URL in text with `format=flowed` and `DelSp=yes`. Removes each line break, the blank before it, and the
/// quote marks and stuffed space after it.
fn delsp(bytes: &[u8]) -> Vec<u8> {
    let text = replace(bytes, &[(" \r\n", ""), (" \n", "")]);
    replace(&text, &[("> ", ""), (">", "")])
}

fn replace(bytes: &[u8], table: &[(&str, &str)]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        match table.iter().find(|(from, _)| rest.starts_with(from.as_bytes())) {
            Some((from, to)) => {
                text.extend(to.as_bytes());
                rest = &rest[from.len()..];
            }
            None => {
                text.push(*first);
                rest = after;
            }
        }
    }
    text
}
