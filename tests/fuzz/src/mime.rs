//! Writes messages from a short notation. A changed byte in the notation usually changes the structure of the message,
//! and rarely makes its MIME invalid.

/// Texts such as header fields. In the notation, a single byte stands for each of these texts.
const BITS: [&str; 52] = [
    "\n\n",
    "\r\n",
    "Subject: ",
    "From: a@b.example\n",
    "Date: Mon, 1 Mar 2004 10:00:00 +0000\n",
    "Message-ID: <1@b.example>\n",
    "References: <2@b.example>\n <3@b.example>\n",
    "Content-Type: text/html\n",
    "Content-Type: text/plain; charset=iso-2022-jp\n",
    "Content-Type: text/plain; charset=utf-16\n",
    "Content-Type: text/plain; charset=utf-7\n",
    "Content-Type: text/plain; charset=gb2312\n",
    "Content-Type: text/plain; format=flowed; delsp=yes\n",
    "Content-Type: text/enriched\n",
    "Content-Type: text/calendar\n",
    "Content-Type: application/octet-stream; name=x.txt\n",
    "Content-Type: application/ms-tnef\n",
    "Content-Type: message/external-body; access-type=URL; URL=\"",
    "Content-Location: ",
    "Content-Base: ",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Transfer-Encoding: x-uuencode\n",
    "Content-Disposition: attachment; filename*0*=utf-8''http%3A//; filename*1=x\n",
    "=?utf-8?Q?http=3A//a.example/?=",
    "=?iso-8859-1?B?aHR0cDovL2EuZXhhbXBsZS8=?=",
    "http://a.example/b-\nc?d=e",
    "<URL:http://a.example/\n  b>",
    "<ftp://b.example/",
    "hxxp://c[.]example/",
    "www.d.example",
    "mailto:a@b.example",
    "<a href=\"http://e.example/?a&amp;b\">",
    "</a>",
    "<style>a{b:url(http://f.example/)}</style>",
    "<!--[if mso]>",
    "-->",
    "\n> ",
    "\n>> ",
    " \n",
    "=\n",
    "=3D",
    "\x1b$B",
    "\x1b(B",
    "-----BEGIN PGP SIGNED MESSAGE-----\n\n",
    "\n-----BEGIN PGP SIGNATURE-----\n",
    "\nbegin 644 a.txt\n#0V%T\n`\nend\n",
    "\nBEGIN:VCALENDAR\nURL:http://g.example/\n h\nEND:VCALENDAR\n",
    "Content-Type: application/json\n\n{\"raw\":\"",
    "\\u003d",
    "\n=ybegin line=128 size=9 name=a.txt\n",
    "<div class=gmail_quote>",
];

/// Returns the message that `notation` describes. Bytes below 128 and above 239 are copied. The other bytes mean:
///
/// | byte | meaning |
/// |---|---|
/// | 128 to 179 | one of [`BITS`] |
/// | 180 to 183 | the beginning of a multipart, with its first boundary |
/// | 184 to 191 | the next part |
/// | 192 to 199 | the end of the innermost multipart |
/// | 200 to 207 | the beginning of a nested message |
/// | 208 to 223 | data, which is written in base64; the next byte is its length, and then the data follows |
/// | 224 to 239 | data, which is written in quoted-printable; a length and the data follow, as for base64 |
pub fn written(notation: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = notation.get(at) {
        at += 1;
        match byte {
            128..=179 => out.extend_from_slice(BITS[usize::from(byte) - 128].as_bytes()),
            180..=183 => {
                let number = open.len();
                open.push(number);
                let kind = ["mixed", "alternative", "digest", "related"][usize::from(byte) % 4];
                out.extend(
                    format!("Content-Type: multipart/{kind}; boundary=\"b{number}\"\n\n--b{number}\n").into_bytes(),
                );
            }
            184..=191 => out.extend(format!("\n--b{}\n", open.last().unwrap_or(&0)).into_bytes()),
            192..=199 => out.extend(format!("\n--b{}--\n", open.pop().unwrap_or(0)).into_bytes()),
            200..=207 => out.extend_from_slice(b"Content-Type: message/rfc822\n\n"),
            208..=239 => {
                let count = usize::from(notation.get(at).copied().unwrap_or(0));
                let from = (at + 1).min(notation.len());
                let data = &notation[from..(from + count).min(notation.len())];
                at = from + data.len();
                if byte < 224 {
                    base64(data, &mut out);
                } else {
                    quoted(data, &mut out);
                }
            }
            _ => out.push(byte),
        }
    }
    out
}

/// Appends `data` in base64, in lines of 76 symbols.
pub fn base64(data: &[u8], out: &mut Vec<u8>) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (i, three) in data.chunks(3).enumerate() {
        if i > 0 && i % 19 == 0 {
            out.push(b'\n');
        }
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for symbol in 0..4 {
            let value = bits >> (18 - 6 * symbol) & 63;
            out.push(if symbol <= three.len() { ALPHABET[value as usize] } else { b'=' });
        }
    }
}

/// Appends `data` in quoted-printable. Every byte is escaped, and a soft line break follows every 25 bytes.
pub fn quoted(data: &[u8], out: &mut Vec<u8>) {
    for (i, byte) in data.iter().enumerate() {
        if i > 0 && i % 25 == 0 {
            out.extend_from_slice(b"=\n");
        }
        out.extend(format!("={byte:02X}").into_bytes());
    }
}
