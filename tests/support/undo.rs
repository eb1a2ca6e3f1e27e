//! Undoes what stands between a URL and the octets that a file has for it, the slow and obvious way: nothing here is
//! taken from the library.

/// Undoes `step`, as `corpus/README.md` names it.
pub(crate) fn undo(step: &str, octets: &[u8]) -> Vec<u8> {
    match step {
        "qp" => quoted_printable(octets),
        "base64" => base64(octets),
        "fold" => octets.iter().copied().filter(|octet| !b" \t\r\n".contains(octet)).collect(),
        "quote" => quote(octets),
        "refs" => references(octets),
        "words" => words(octets),
        "delsp" => delsp(octets),
        "tags" => replace(octets, &[("<b>", ""), ("</b>", "")]),
        "wide" => octets.iter().copied().filter(|&octet| octet != 0).collect(),
        "utf7" => replace(octets, &[("+AOQ-", "\u{e4}"), ("+ADo-", ":"), ("+AD0-", "=")]),
        "escapes" => replace(octets, &[("\\:", ":"), ("\\,", ","), ("\\;", ";")]),
        "blanks" => replace(octets, &[(" ", "%20"), ("\"", "%22")]),
        "brackets" => replace(octets, &[("<", ""), (">", "")]),
        "slashes" => slashes(octets),
        "latin1" => {
            octets.iter().map(|&octet| char::from(octet)).collect::<String>().replace('\u{e9}', "%C3%A9").into()
        }
        "dash" => replace(octets, &[("\n- ", "\n")]),
        "dots" => replace(octets, &[("\n..", "\n.")]),
        _ => panic!("no such step: {step}"),
    }
}

fn quoted_printable(octets: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = octets;
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'=' {
            text.push(*first);
            continue;
        }
        let blanks = rest.iter().take_while(|&&octet| b" \t".contains(&octet)).count();
        match &rest[blanks..] {
            [b'\n', behind @ ..] | [b'\r', b'\n', behind @ ..] => rest = behind,
            _ => match rest.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
                Some(octet) => {
                    text.push(octet);
                    rest = &rest[2..];
                }
                None => text.push(b'='),
            },
        }
    }
    text
}

/// A stretch of base64 may begin and end within a group of four: of the readings, the one that is text counts.
fn base64(octets: &[u8]) -> Vec<u8> {
    let digits: Vec<u32> = octets.iter().filter_map(|&octet| sextet(octet)).collect();
    let readings = (0..3).map(|skipped| {
        let zeros = std::iter::repeat_n(0, skipped);
        let bits: Vec<u32> =
            zeros.chain(digits.iter().copied()).flat_map(|digit| (0..6).rev().map(move |i| digit >> i & 1)).collect();
        let whole = bits.chunks_exact(8).skip(skipped);
        whole.map(|bits| bits.iter().fold(0, |octet, &bit| octet << 1 | bit as u8)).collect::<Vec<u8>>()
    });
    readings.max_by_key(|text| text.iter().filter(|octet| octet.is_ascii_graphic()).count()).unwrap_or_default()
}

fn sextet(octet: u8) -> Option<u32> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    digits.iter().position(|&digit| digit == octet).map(|i| i as u32)
}

/// Takes line breaks with the white space and the quote marks behind them away.
fn quote(octets: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for (i, line) in octets.split(|&octet| octet == b'\n').enumerate() {
        let line = line.trim_ascii();
        let marks = line.iter().rposition(|&octet| b">|:}%#".contains(&octet)).filter(|_| i > 0);
        text.extend(marks.map_or(line, |mark| line[mark + 1..].trim_ascii_start()));
    }
    text
}

fn references(octets: &[u8]) -> Vec<u8> {
    let text = replace(
        octets,
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

/// Backslashes that stand for slashes, and those that are missing before a host, or too many.
fn slashes(octets: &[u8]) -> Vec<u8> {
    let text = replace(octets, &[("\\", "/")]);
    let colon = text.iter().position(|&octet| octet == b':').map_or(0, |colon| colon + 1);
    let host = text[colon..].iter().position(|&octet| octet != b'/').map_or(colon, |slashes| colon + slashes);
    [&text[..colon], b"//", &text[host..]].concat()
}

/// RFC 2047, both encodings.
fn words(octets: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let value = String::from_utf8_lossy(octets).replace("?=\n =?", "?= =?").replace("?=\r\n =?", "?= =?");
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
            "iso-8859-1" => text.extend(decoded.iter().map(|&octet| char::from(octet)).collect::<String>().as_bytes()),
            _ => text.extend(decoded),
        }
        rest = fields.next().unwrap_or_default().strip_prefix('=').unwrap_or_default();
    }
    text.extend(rest.as_bytes());
    text
}

/// `format=flowed`, `DelSp=yes`, as far as one URL goes: the blank before a line end goes, quote marks and one stuffed
/// space behind it.
fn delsp(octets: &[u8]) -> Vec<u8> {
    let text = replace(octets, &[(" \r\n", ""), (" \n", "")]);
    replace(&text, &[("> ", ""), (">", "")])
}

fn replace(octets: &[u8], table: &[(&str, &str)]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = octets;
    while let [first, behind @ ..] = rest {
        match table.iter().find(|(from, _)| rest.starts_with(from.as_bytes())) {
            Some((from, to)) => {
                text.extend(to.as_bytes());
                rest = &rest[from.len()..];
            }
            None => {
                text.push(*first);
                rest = behind;
            }
        }
    }
    text
}
