//! Writes parameters of Content-Type and Content-Disposition in the ways that mail programs use, and reads them again.

use super::super::content::{Reading, Role, file_name, role};

const CAP: usize = 64 << 10;

/// Returns `value` with each byte that is not a letter or digit as an escape (RFC 2231, section 4).
fn percent(value: &str) -> String {
    let escape = |&byte: &u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    value.as_bytes().iter().map(escape).collect()
}

/// Returns `value` in quotation marks.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the parameter in each way in which it can be written. `value` is ASCII.
fn written(name: &str, value: &str) -> Vec<String> {
    let upper = name.to_uppercase();
    let (one, two) = value.split_at(value.len() / 2);
    let (escaped, two_escaped) = (percent(value), percent(two));
    let (one, two) = (quoted(one), quoted(two));
    let mut all = vec![
        format!("{name}={}", quoted(value)),
        format!("{upper}={}", quoted(value)),
        format!("{name} = {}", quoted(value)),
        format!("{name}*=utf-8''{escaped}"),
        format!("{name}*=us-ascii'en-us'{escaped}"),
        format!("{name}*0={one}; {name}*1={two}"),
        format!("{upper}*0={one};\n\t{name}*1={two}"),
        format!("{name}*1={two}; {name}*0={one}"),
        format!("{name}*0*=utf-8''{}; {name}*1*={two_escaped}", percent(&value[..value.len() / 2])),
        format!("{name}*0*=us-ascii''{}; {name}*1={two}", percent(&value[..value.len() / 2])),
    ];
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&+-.^_`{|}~".contains(&byte);
    if value.bytes().all(is_token) {
        all.extend([format!("{name}={value}"), format!("{name}= {value} "), format!("{upper}={value}")]);
    }
    all
}

/// Other parameters. Their values can look like parameters.
const OTHERS: &[&str] = &[
    "",
    "; x=y",
    "; type=\"text/html\"",
    "; x=\"it is; \"",
    "; x=\"a \\\"b\\\" c\"",
    "; x=\"C:\\\\\"",
    "; micalg=pgp-sha256; protocol=\"application/pgp-signature\"",
    "; report-type=delivery-status",
    "; title*=utf-8'de'%C3%BC",
    "; x-mac-type=\"54455854\"; x-mac-creator=\"522A6368\"",
    ";",
];

/// Returns values with the parameter between other parameters, in each way in which it can be written.
fn values(media: &str, name: &str, value: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (i, parameter) in written(name, value).into_iter().enumerate() {
        for (j, before) in OTHERS.iter().enumerate() {
            let after = OTHERS[(i + 3 * j) % OTHERS.len()];
            let blank = ["", " ", "\n ", "\r\n\t"][(i + j) % 4];
            all.push(format!("{media}{before};{blank}{parameter}{after}"));
        }
    }
    all
}

#[test]
fn boundaries_are_read_as_they_were_written() {
    for boundary in [
        "abc",
        "----=_NextPart_000_0012_01C0F0B9.9B1A2C30",
        "=-=-=",
        "Apple-Mail=_5B0D3C1E-7C6E-4B7C-9B5E-0A1B2C3D4E5F",
        "0-1804289383-846930886=:1681692777",
        "a (b) c",
        "x=y;z",
        "100%25",
        "it's",
        "a*0",
        "_a\\b\"c_",
        "====boundary=x====",
        "b",
    ] {
        for (i, media) in
            ["multipart/mixed", "MULTIPART/Alternative", " multipart/digest", "mulitpart/mixed"].iter().enumerate()
        {
            for value in values(media, "boundary", boundary).into_iter().skip(i).step_by(4) {
                let Role::Multipart { boundary: found, digest, alternative } = role(value.as_bytes(), CAP) else {
                    panic!("{value} is no multipart");
                };
                assert_eq!(found.as_deref(), Some(boundary.as_bytes()), "{value}");
                assert_eq!((digest, alternative), (media.ends_with("digest"), media.ends_with("Alternative")));
                // Comments do not matter.
                let value = value.replacen(';', " (a \"comment; (boundary=no\\) ));", 1);
                let is_same = matches!(role(value.as_bytes(), CAP), Role::Multipart { boundary: Some(again), .. } if again == boundary.as_bytes());
                assert!(is_same, "{value}");
            }
        }
    }
}

#[test]
fn charsets_and_forms_of_text_are_read_as_they_were_written() {
    for media in ["text/plain", "text/enriched", "TEXT/PLAIN", "text/html", "text/calendar"] {
        for (charset, is_opaque) in
            [("us-ascii", false), ("ISO-8859-1", false), ("utf-8", false), ("utf-16le", true), ("ISO-2022-JP", true)]
        {
            for (i, value) in values(media, "charset", charset).iter().enumerate() {
                let form =
                    ["", "; format=flowed", "; format=\"Flowed\"; DelSp=Yes", "; delsp=yes; format=fixed"][i % 4];
                let value = value.trim_end_matches(';').to_owned() + form;
                let want = Reading {
                    charset: is_opaque.then(|| charset.to_owned()),
                    delsp: form.contains("DelSp"),
                    folded: media == "text/calendar",
                    ..Reading::default()
                };
                let found = match role(value.as_bytes(), CAP) {
                    Role::Text(reading) if media != "text/html" => reading,
                    Role::Html(reading) if media == "text/html" => reading,
                    role => panic!("{value} is {role:?}"),
                };
                assert_eq!(found, want, "{value}");
            }
        }
    }
}

#[test]
fn only_the_first_fragment_begins_with_headers() {
    for (number, role_of) in [("1", Role::Message), ("2", Role::Text(Reading::default())), ("x", Role::Message)] {
        for value in values("message/partial; id=\"a@b.example\"; total=3", "number", number) {
            assert_eq!(role(value.as_bytes(), CAP), role_of, "{value}");
        }
    }
    assert_eq!(role(b"message/partial; id=x", CAP), Role::Message);
}

#[test]
fn file_names_are_read_as_they_were_written() {
    for name in ["a.pdf", "the minutes of May.doc", "a;b=c.txt", "100% (final).zip", "it's.txt", "a=b.tar.gz"] {
        for (media, parameter) in [("attachment", "filename"), ("application/octet-stream", "name")] {
            for value in values(media, parameter, name) {
                assert_eq!(file_name(value.as_bytes(), parameter, CAP).as_deref(), Some(name), "{value}");
            }
        }
    }
    // Names that are not ASCII.
    for (value, want) in [
        ("attachment; filename=\"=?utf-8?B?w7xiZXIucGRm?=\"", "\u{fc}ber.pdf"),
        ("attachment; filename==?iso-8859-1?Q?=FCber.pdf?=", "\u{fc}ber.pdf"),
        ("attachment; filename=\"=?utf-8?Q?=C3=BCb?=\n =?utf-8?Q?er.pdf?=\"", "\u{fc}ber.pdf"),
        ("attachment; filename=\"\u{fc}ber.pdf\"", "\u{fc}ber.pdf"),
        ("attachment; filename*=utf-8''%C3%BCber.pdf", "\u{fc}ber.pdf"),
        ("attachment; filename*=iso-8859-1'de'%FCber.pdf", "\u{fc}ber.pdf"),
        ("attachment; filename*0*=utf-8''%C3%BCb; filename*1=er.pdf", "\u{fc}ber.pdf"),
    ] {
        assert_eq!(file_name(value.as_bytes(), "filename", CAP).as_deref(), Some(want), "{value}");
    }
    for value in ["attachment", "attachment; filename=\"\"", "attachment; filename=\" \"", "attachment; x-filename=a"] {
        assert_eq!(file_name(value.as_bytes(), "filename", CAP), None, "{value}");
    }
    let long = format!("attachment; filename=\"{}\"", "a".repeat(99));
    assert!(file_name(long.as_bytes(), "filename", long.len()).is_some());
    assert_eq!(file_name(long.as_bytes(), "filename", long.len() - 1), None);
}

/// How parts are read whose type is rare, unknown or misspelt.
#[test]
fn media_types() {
    let text = || Role::Text(Reading::default());
    let folded = || Role::Text(Reading { folded: true, ..Reading::default() });
    let html = || Role::Html(Reading::default());
    for (value, want) in [
        ("text/plain", text()),
        ("TEXT/plain;", text()),
        ("text", text()),
        ("", text()),
        ("plain; charset=us-ascii", text()),
        ("text/plain; boundary=x", text()),
        ("text/x-patch; name=a.diff", text()),
        ("text/markdown", text()),
        ("message/delivery-status", text()),
        ("message/external-body; access-type=URL", text()),
        ("application/pgp; x-action=sign", text()),
        ("text/calendar; method=REQUEST", folded()),
        ("text/x-vcard", folded()),
        ("text/directory; profile=vCard", folded()),
        ("text/html", html()),
        ("Text/HTML(a page)", html()),
        ("application/xhtml+xml", html()),
        ("text/x-amp-html", html()),
        ("message/rfc822", Role::Message),
        ("Message/RFC822; name=a", Role::Message),
        ("text/rfc822-headers", Role::Message),
        ("application/octet-stream; boundary=x", Role::Attachment),
        ("application/x-zip; name=a.zip", Role::Attachment),
        ("image/svg+xml", Role::Attachment),
        ("text/rtf", Role::Attachment),
        ("x-unknown/type", Role::Attachment),
        ("x-unknown/type; charset=utf-8", Role::Attachment),
        ("mixed/multipart", Role::Attachment),
        ("image/png; name=a.png", Role::Skipped("a picture")),
        ("IMAGE/jpeg", Role::Skipped("a picture")),
        ("audio/x-wav", Role::Skipped("a sound")),
        ("video/mp4", Role::Skipped("a video")),
        ("font/woff2", Role::Skipped("a font")),
        ("application/pgp-signature", Role::Skipped("a signature")),
        ("application/x-pkcs7-signature; name=smime.p7s", Role::Skipped("a signature")),
        ("application/pgp-keys", Role::Skipped("a key")),
        ("application/pkix-cert", Role::Skipped("a key")),
    ] {
        assert_eq!(role(value.as_bytes(), CAP), want, "{value}");
    }
    for (value, wanted) in [
        ("multipart/mixed", None),
        ("multipart/mixed; boundary=\"\"", None),
        ("mulitpart/mixed", None),
        ("multipart", None),
        ("Multi-Part/related", None),
        ("mulitpart/mixed; boundary=b", Some("b")),
        ("mutlipart/mixed; boundary=b", Some("b")),
        ("mixed; boundary=b", Some("b")),
        ("multipart/mixed; x=\"y; boundary=\"; boundary=\"abc\"", Some("abc")),
        ("multipart/mixed; x=\"yy; boundary=\"; boundary=\"abc\"", Some("abc")),
        ("related/x; boundary=b", Some("b")),
    ] {
        let Role::Multipart { boundary, .. } = role(value.as_bytes(), CAP) else { panic!("{value} is no multipart") };
        assert_eq!(boundary.as_deref(), wanted.map(str::as_bytes), "{value}");
    }
}
