//! Tests of whole files. `files.rs` writes the files. The unit tests beside the code test the parts of a file.

mod files;

use std::io::Cursor;

use outlook_mime::{Error, Mailbox, Message, from_msg, from_tnef};

use self::files::{Attached, Folders, Mail, msg, pst, tnef};

const KINDS: [Folders; 3] = [Folders::Ansi, Folders::Unicode, Folders::Large];

/// Returns a message with plain text, HTML, and attachments of several types.
fn full() -> Mail {
    let inner = Mail { subject: "inner", text: "deep\r\n".into(), ..Mail::default() };
    Mail {
        subject: "full",
        text: "caf\u{e9}\r\n".into(),
        html: format!("<p>caf&eacute;</p>{}", "<p>filler, filler</p>\r\n".repeat(1500)),
        attachments: vec![
            Attached::Mail(inner.clone()),
            Attached::File("a.txt", b"--=_mailpart_1_\r\n".to_vec()),
            Attached::File("c.msg", msg(&inner)),
            Attached::File("d.pdf", b"%PDF-1.4 secret".to_vec()),
        ],
        ..Mail::default()
    }
}

/// Returns the messages of a mailbox, each with the path of its folder, and whether the mailbox is damaged.
fn read(bytes: &[u8]) -> (Vec<(String, Message)>, bool) {
    let mut mailbox = Mailbox::open(Cursor::new(bytes)).expect("a mailbox");
    let mut messages = Vec::new();
    while let Some(folder) = mailbox.next_folder() {
        while let Some(message) = mailbox.next_message() {
            messages.push((folder.clone(), message.expect("memory can be read")));
        }
    }
    (messages, mailbox.take_damage())
}

/// Converts a file of any format. Returns the messages, and whether something is damaged.
fn convert(bytes: &[u8]) -> Result<(Vec<Message>, bool), Error> {
    let message = match from_msg(bytes) {
        Err(Error::Format) => from_tnef(bytes),
        other => other,
    };
    match message {
        Ok(message) => Ok((vec![message.clone()], message.is_damaged)),
        Err(Error::Format) => {
            Mailbox::open(Cursor::new(bytes))?;
            let (messages, is_damaged) = read(bytes);
            Ok((messages.into_iter().map(|(_, message)| message).collect(), is_damaged))
        }
        Err(error) => Err(error),
    }
}

#[test]
fn the_same_message_from_every_format() {
    let mail = full();
    let message = from_msg(&msg(&mail)).unwrap();
    let text = String::from_utf8(message.bytes.clone()).unwrap();
    assert!(!message.is_damaged);
    let head = "MIME-Version: 1.0\r\nFrom: \"An Archivist\" <archivist@example.org>\r\nSubject: full\r\n\
                Date: Mon, 1 Mar 2004 10:00:00 +0000\r\nMessage-ID: <full@example.org>\r\n\
                Content-Type: multipart/mixed; boundary=\"";
    assert!(text.starts_with(head), "{text}");
    let wanted = [
        ("Content-Type: text/plain; charset=utf-8\r\n", 3),
        ("caf\u{e9}\r\n", 1),
        ("Content-Type: text/html; charset=windows-1252\r\n", 1),
        ("Content-Type: message/rfc822\r\n", 2),
        ("Subject: inner\r\n", 2),
        ("deep\r\n", 2),
        ("--=_mailpart_1_\r\n", 3),
        ("Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"d.pdf\"\r\n", 1),
        ("%PDF-1.4 secret", 1),
    ];
    for (part, count) in wanted {
        assert_eq!(text.matches(part).count(), count, "{part:?} in {text}");
    }
    let body = |bytes: &[u8]| text_after(bytes, "Content-Type: multipart/mixed");
    let winmail = from_tnef(&tnef(&mail)).unwrap();
    assert_eq!(body(&winmail.bytes), body(&message.bytes));
    assert!(winmail.bytes.starts_with(b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed"));
    for kind in KINDS {
        let (messages, is_damaged) = read(&pst(kind, &[mail.clone(), mail.clone()]));
        assert_eq!((messages.len(), is_damaged), (2, false), "{kind:?}");
        for (folder, other) in messages {
            assert_eq!((folder.as_str(), &other), ("Archive/Inbox", &message), "{kind:?}");
        }
    }
}

fn text_after(bytes: &[u8], mark: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    text[text.find(mark).expect("the mark")..].to_owned()
}

#[test]
fn other_files() {
    let document = {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_stream("WordDocument").unwrap();
        file.into_inner().into_inner()
    };
    assert!(matches!(from_msg(&document), Err(Error::Document)));
    assert!(matches!(from_msg(&msg(&full())[..600]), Err(Error::Damaged)));
    assert!(matches!(Mailbox::open(Cursor::new("!BDN and something else")), Err(Error::Damaged)));
    for bytes in [&b""[..], b"From: a@b\r\n\r\n", b"PK\x03\x04"] {
        assert!(matches!(from_msg(bytes), Err(Error::Format)));
        assert!(matches!(from_tnef(bytes), Err(Error::Format)));
        assert!(matches!(Mailbox::open(Cursor::new(bytes)), Err(Error::Format)));
    }
}

#[test]
fn a_file_whose_end_is_missing() {
    let mail = full();
    let whole = msg(&mail);
    for bytes in [&whole[..whole.len() - 4096], &tnef(&mail)[..2000]] {
        let (messages, is_damaged) = convert(bytes).unwrap();
        assert!(is_damaged && String::from_utf8_lossy(&messages[0].bytes).contains("caf\u{e9}\r\n"));
    }
}

/// Only the first 4096 attachments are read, and the later attachments do not replace the content of number 4096.
#[test]
fn many_attachments() {
    let attached = |i: usize| Attached::File("a.txt", format!("number {i}.\n").into_bytes());
    let mail = Mail { subject: "many", attachments: (1..=4100).map(attached).collect(), ..Mail::default() };
    let message = from_tnef(&tnef(&mail)).unwrap();
    let text = String::from_utf8(message.bytes).unwrap();
    assert_eq!((text.matches("number ").count(), message.is_damaged), (4096, true));
    assert!(text.contains("number 4096.") && !text.contains("number 4097."));
}

#[test]
fn messages_nested_deeply() {
    let mut mail = Mail { subject: "innermost", text: "inner".into(), ..Mail::default() };
    for _ in 0..40 {
        mail = Mail { subject: "x", text: "outer".into(), attachments: vec![Attached::Mail(mail)], ..Mail::default() };
    }
    for bytes in [msg(&mail), tnef(&mail), pst(Folders::Unicode, &[mail.clone()])] {
        let (messages, is_damaged) = convert(&bytes).unwrap();
        let text = String::from_utf8_lossy(&messages[0].bytes);
        assert_eq!((text.matches("outer").count(), text.contains("inner"), is_damaged), (11, false, true));
    }
}

/// Tests that randomly changed files do not cause a panic. `OUTLOOK_MUTATIONS` sets the number of changed files for each
/// format.
#[test]
fn mutated() {
    let count = std::env::var("OUTLOOK_MUTATIONS").map_or(60, |count| count.parse().expect("a number"));
    let mut mail = full();
    let rtf = r#"{\rtf1\ansi {\field{\*\fldinst{HYPERLINK "http://a.example/"}}{\fldrslt this}}.}"#.to_owned();
    mail.attachments.push(Attached::Mail(Mail { subject: "rtf", rtf, ..Mail::default() }));
    let mut state = 1738_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut files = vec![(msg(&mail), 0), (tnef(&mail), 0)];
    files.extend(KINDS.map(|kind| (pst(kind, &[mail.clone(), mail.clone()]), 0x4600)));
    for (whole, from) in files {
        for _ in 0..count {
            let mut bytes = whole.clone();
            for _ in 0..=random(8) {
                let at = match random(4) {
                    0 => random(600),
                    _ => from + random(bytes.len() - from),
                };
                bytes[at] = [0, 0xFF, random(256) as u8, bytes[at] ^ 1 << random(8)][random(4)];
            }
            if random(8) == 0 {
                bytes.truncate(random(bytes.len()));
            }
            // The result does not matter, only that there is one.
            let _ = convert(&bytes);
        }
    }
}
