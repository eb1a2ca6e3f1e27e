//! The table of container formats.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::lines::Form;
use super::message::Whole;
use super::{
    SegmentKind, Splitter, Unknown, Window, babyl, digest, dot_stuffing, emlx, git, header, lines, listserv, mbox, mbx,
    mmdf, page, rnews,
};

/// Number of bytes at the beginning of a file that are used to detect its format.
pub(crate) const HEAD: usize = 64 * 1024;

/// A function that finds the bytes that a format inserted into a message, such as the doubled dots of news in wire
/// format. The function appends the ranges of these bytes in order.
type Cuts = fn(&[u8], &mut Vec<Range<usize>>);

/// A container format. [`FORMATS`] has all formats except those of archives and of converted Outlook files.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// A description in one line.
    pub(crate) about: &'static str,
    detect: fn(&[u8]) -> bool,
    by: By,
    /// Finds the bytes that the format inserted into a message when it was stored. Inserted bytes are not searched for
    /// URLs.
    cuts: Option<Cuts>,
    /// The media type of each unit. Empty if the units are messages or plain text.
    pub(crate) media: &'static str,
}

/// How to find the messages in a file of this format.
enum By {
    Lines(Form),
    /// The file has one message, after a line with the length of the message in bytes.
    Count,
    /// The whole file is one unit.
    Nothing(SegmentKind),
}

/// Makes a format in which each message begins with a line that `form` describes.
const fn form(name: &'static str, about: &'static str, detect: fn(&[u8]) -> bool, form: Form) -> Format {
    Format { name, about, detect, by: By::Lines(form), cuts: None, media: "" }
}

/// Makes a format in which a file is one message or one text. A message can be in the wire format of NNTP, in which
/// dots at the beginning of lines are doubled.
const fn whole(name: &'static str, about: &'static str, detect: fn(&[u8]) -> bool, kind: SegmentKind) -> Format {
    let cuts: Option<Cuts> = if matches!(kind, SegmentKind::Message) { Some(dot_stuffing::cuts) } else { None };
    Format { name, about, detect, by: By::Nothing(kind), cuts, media: "" }
}

/// Makes a format in which a file is one document of the type `media`.
const fn document(name: &'static str, about: &'static str, detect: fn(&[u8]) -> bool, media: &'static str) -> Format {
    Format { name, about, detect, by: By::Nothing(SegmentKind::Message), cuts: None, media }
}

/// The formats that a user can choose, in the order in which detection tries them. The last format accepts every file.
pub(crate) static FORMATS: &[Format] = &[
    form("rnews", "news batch: articles after `#! rnews <bytes>` lines", |head| rnews::FORM.begins(head), rnews::FORM),
    form("mboxcl2", "mailbox whose messages end where their Content-Length says", mbox::is_counted, mbox::COUNTED),
    form(
        mbox::NAME,
        "mailbox: messages after `From ` lines (mboxo, mboxrd, mboxcl, pipermail, Takeout)",
        |head| mbox::PATCHES.begins(head),
        mbox::FORM,
    ),
    form("mbx", "mailbox of c-client and Pine (mbx, MTX, Tenex)", mbx::detect, mbx::FORM),
    form("mmdf", "MMDF mailbox: messages between lines of four ^A", |head| mmdf::FORM.begins(head), mmdf::FORM),
    Format {
        cuts: Some(babyl::cuts),
        ..form("babyl", "Babyl, the mailbox of Emacs' Rmail", babyl::detect, babyl::FORM)
    },
    form(
        "listserv",
        "LISTSERV notebook log, with a line of `=` before each message",
        |head| listserv::FORM.begins(head),
        listserv::FORM,
    ),
    form(
        "git-batch",
        "output of `git cat-file --batch`, for example from a public-inbox",
        |head| git::FORM.begins(head),
        git::FORM,
    ),
    Format {
        name: "emlx",
        about: "one message of Apple Mail, after a line with the length of the message in bytes",
        detect: emlx::detect,
        by: By::Count,
        cuts: None,
        media: "",
    },
    form(
        "digest",
        "a digest (RFC 1153), split into its messages; never detected, because a digest is also a valid single message",
        |_| false,
        digest::FORM,
    ),
    document("html", "an HTML page, for example of a list archive", page::begins_html, "text/html"),
    document("calendar", "a calendar or vCards", page::begins_card, "text/calendar"),
    document("rtf", "RTF", page::begins_rtf, "application/rtf"),
    Format {
        media: "application/json",
        ..form("json-lines", "JSON lines: each line is an object", page::begins_json_lines, page::JSON_LINES)
    },
    document("json", "JSON", page::begins_json, "application/json"),
    whole("article", "one news article, in plain or wire format", header::is_article, SegmentKind::Message),
    MESSAGE_ROW,
    TEXT_ROW,
];

const MESSAGE_ROW: Format = whole("message", "one mail message", header::is_message, SegmentKind::Message);
const TEXT_ROW: Format = whole("text", "plain text", |_| true, SegmentKind::Text);

/// A mailbox of `git format-patch`.
static PATCHES: &Format = &form(mbox::NAME, "", |_| false, mbox::PATCHES);
/// One mail message. Files in a Maildir or an MH folder have this format unless another format is detected from their
/// content.
pub(crate) static MESSAGE: &Format = &MESSAGE_ROW;
/// An archive of files, such as a tar file. Each member has a format of its own.
pub(crate) static ARCHIVE: &Format = &whole("archive", "an archive of files", |_| false, SegmentKind::Text);
/// One Outlook message. The Outlook message is converted to a MIME message, and offsets refer to the MIME message.
#[cfg(feature = "outlook")]
pub(crate) static MSG: &Format =
    &Format { cuts: None, ..whole("msg", "one Outlook message", |_| false, SegmentKind::Message) };
/// One message in S/MIME that is signed but not encrypted. The message is unwrapped, and offsets refer to the result.
pub(crate) static SMIME: &Format =
    &Format { cuts: None, ..whole("smime", "one signed message", |_| false, SegmentKind::Message) };
/// One folder of an Outlook mailbox. The messages of the folder are converted to a news batch, and offsets refer to
/// that batch.
#[cfg(feature = "outlook")]
pub(crate) static PST: &Format = &form("pst", "a folder of Outlook messages", |_| false, rnews::FORM);
/// Plain text. A file has this format if no other format matches.
pub(crate) static TEXT: &Format = &TEXT_ROW;

impl Format {
    /// Returns the format with this name. Also finds the formats of archives and converted files, which are not in
    /// [`FORMATS`].
    #[cfg(feature = "serde")]
    pub(crate) fn of_any_input(name: &str) -> Option<&'static Format> {
        let others = [
            ARCHIVE,
            SMIME,
            #[cfg(feature = "outlook")]
            MSG,
            #[cfg(feature = "outlook")]
            PST,
        ];
        FORMATS.iter().chain(others).find(|format| format.name == name)
    }

    /// Detects the format of a file. `head` is the first [`HEAD`] bytes of the file, or the whole file.
    ///
    /// Uses only the content of the file, never its name. Checks at most about 100 lines.
    pub(crate) fn detect(head: &[u8]) -> &'static Format {
        let head = &head[..head.len().min(HEAD)];
        FORMATS.iter().find(|format| (format.detect)(head)).unwrap_or(TEXT).of_file(head)
    }

    /// Returns the variant of this format for a file that begins with `head`.
    pub(crate) fn of_file(&'static self, head: &[u8]) -> &'static Format {
        let is_of_patches = self.name == mbox::NAME && !mbox::FORM.begins(head) && mbox::PATCHES.begins(head);
        if is_of_patches { PATCHES } else { self }
    }

    /// Detects the format of a file that begins with `head`. Returns `None` if the bytes after `head` could change the
    /// result.
    pub(crate) fn settled(head: &[u8]) -> Option<&'static Format> {
        let head = &head[..memchr::memrchr(b'\n', head)? + 1];
        let start = header::lead(head, false).ok()?;
        let window = Window { bytes: head, base: 0, eof: false };
        for format in FORMATS {
            if let By::Lines(form) = &format.by {
                match form.judge_any(window, start) {
                    Err(Unknown) => return None,
                    Ok(Some(_)) if (format.detect)(head) => return Some(format),
                    // Whether the count is right is not known yet.
                    Ok(Some(unit)) if unit.count.is_some() => return None,
                    Ok(_) => {}
                }
            }
        }
        header::is_settled(&head[start..]).then(|| Format::detect(head))
    }

    /// Whether the bytes near a line are enough to decide whether a message begins with the line. If so, reading can
    /// start in the middle of a file.
    pub(crate) fn is_local(&self) -> bool {
        self.name == mbox::NAME
    }

    /// Whether a file in this format can have several messages. If so, a program can append messages to the file.
    pub(crate) fn is_mailbox(&self) -> bool {
        matches!(self.by, By::Lines(_))
    }

    /// Returns a function that checks whether the last message of a file is complete. The function takes the bytes of
    /// that message. For all formats except mbox, it always returns `false`, because a program may still be writing the
    /// message.
    pub(crate) fn is_complete(&self) -> fn(&[u8]) -> bool {
        if self.name == mbox::NAME { mbox::is_complete } else { |_| false }
    }

    /// Finds the bytes that the format inserted into `message`, which does not include the envelope. Clears `cuts`, and
    /// then adds the ranges of the inserted bytes in order. Most messages have no inserted bytes, and checking for them
    /// is cheap.
    pub(crate) fn cuts(&self, message: &[u8], cuts: &mut Vec<Range<usize>>) {
        cuts.clear();
        if let Some(find) = self.cuts {
            find(message, cuts);
        }
    }

    /// Makes a splitter for one file in this format. To check a byte count, the splitter can look at most `limit` bytes
    /// ahead.
    pub(crate) fn splitter(&self, limit: usize) -> Box<dyn Splitter> {
        match self.by {
            By::Lines(form) => lines::splitter(form, limit),
            By::Count => Box::new(emlx::Emlx::default()),
            By::Nothing(kind) => Box::new(Whole(kind)),
        }
    }
}

/// Prints only the name.
impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_hashed_by_its_name() {
        let detect = |head: &str| Format::detect(head.as_bytes());
        let hash = |format: &Format| {
            let mut state = std::hash::DefaultHasher::new();
            format.hash(&mut state);
            state.finish()
        };
        let [rnews, other, text] = ["#! rnews 12\nPath: a\n", "#! rnews 7\nPath: b\n", "words\n"].map(detect);
        assert_eq!(hash(rnews), hash(other));
        assert_ne!(hash(rnews), hash(text));
    }

    #[test]
    fn formats_are_detected_by_content() {
        let table: &[(&str, &[u8])] = &[
            ("text", b""),
            ("text", b"\n\n\n"),
            ("text", b"\0\0\0\0"),
            ("mbox", b"From a@b Mon Jan  1 00:00:00 2001\n"),
            ("mbox", b"\n\r\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n"),
            ("mbox", b"\xEF\xBB\xBFFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n"),
            ("mbox", b"\xEF\xBB\xBF \n\t\n From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n"),
            ("mbox", b"\xEF\xBB\xBFFrom -8946248053963491671\nX-Google-Language: ENGLISH\n"),
            ("mbox", b" \nFrom -8946248053963491671\nX-Google-Language: ENGLISH\n"),
            ("mmdf", b"\n\x01\x01\x01\x01\nFrom: a\n\n"),
            ("babyl", b"\n\nBABYL OPTIONS:\n"),
            ("rnews", b"\n#! rnews 12\nPath: a\n"),
            ("message", b"\n \r\n\tReceived: from a\n by b\nSubject: x\n\nbody\n"),
            ("message", b"\n  Subject: x\n\nbody\n"),
            ("article", b"\nPath: a!b\nFrom: c\nNewsgroups: alt.test\nSubject: x\n\nbody\n"),
            ("text", b"\nNote: see http://example.org/ for\nmore about this.\n"),
            ("text", b"\n\nSubject matter: prose\nand more\n"),
            ("mbox", b"From -8946248053963491671\nX-Google-Language: ENGLISH\n"),
            ("text", b"From here on everything is prose.\nNothing else.\n"),
            ("text", b"From here on\n"),
            ("mbox", b"From - Mon Jan  1 00:00:00 2001\nX-Mozilla-Status: 0001\n"),
            ("mbox", b"From - \nX-Mozilla-Status: 0001\nFrom: a@b\n"),
            ("mbox", b"From 1500@xxx Thu Jan 01 00:00:00 +0000 2015\nX-GM-THRID: 1500\n"),
            ("mmdf", b"\x01\x01\x01\x01\nFrom: a\n\n"),
            ("mmdf", b"\x01\x01\x01\x01\r\nFrom: a\r\n\r\n"),
            ("text", b"\x01\x01\x01\nFrom: a\n\n"),
            ("babyl", b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\n"),
            ("babyl", b"Babyl Options:\n"),
            ("listserv", b"=========================================================================\nDate: x\n"),
            ("text", b"=========================================================================\nA title\n"),
            ("listserv", b"======================================================================\nDate: x\n"),
            ("text", b"=====================================================================\nDate: x\n"),
            ("text", b"=====\nDate: x\n"),
            ("git-batch", b"0123456789abcdef0123456789abcdef01234567 blob 12\nFrom: a\n"),
            ("git-batch", b"0123456789abcdef0123456789abcdef01234567 commit 300\ntree 0\n"),
            ("text", b"0123456789abcdef0123456789abcdef01234567 missing\n"),
            ("text", b"0123456789abcdef0123456789abcdef0123456 blob 12\n"),
            ("emlx", b"1234      \nReceived: from a\n by b\nSubject: x\n\n"),
            ("text", b"1234\nis a number\n"),
            ("rnews", b"#! rnews 12\nPath: a\n"),
            ("rnews", b"#! rnews 12"),
            ("text", b"#! rnews twelve\nPath: a\n"),
            ("text", b"#!/bin/sh\necho\n"),
            ("message", b"Received: from a\n by b\nSubject: x\n\nbody\n"),
            ("message", b"Return-Path: <a@b>\r\nSubject: x\r\n\r\nbody\r\n"),
            ("message", b"X-Foo: 1\nX-Bar: 2\nSubject: 3\n\n"),
            ("message", b">From a Mon Jan  1 00:00:00 2001 remote from b\nReceived: x\nDate: y\n"),
            ("message", b"\xEF\xBB\xBFFrom: a\nDate: b\n"),
            ("message", b"From  : a\r\nTo    : b\r\n"),
            ("message", b"Subject: only this\n\nbody\n"),
            ("message", b"subject: only this"),
            ("article", b"Path: a!b\nFrom: c\nNewsgroups: alt.test\nSubject: x\n\nbody\n"),
            ("message", b"From: c\nSubject: x\n\nbody\nNewsgroups: alt.test\n"),
            ("message", b"Foo: 1\nBar: 2\nSubject: 3\n\n"),
            ("message", b"Subject: 1\nBar: 2\nBaz: 3\n\n"),
            ("message", b"Foo: 1\n folded\nSubject: 3\n\n"),
            ("message", b"Foo: 1\nSubject: 2\nprose\n"),
            ("text", b"Foo: 1\nBar: 2\nBaz: 3\nSubject: 4\n\n"),
            ("text", b"Foo: 1\n\nSubject: 3\n"),
            ("text", b"Diagnostic: see http://example.org/ for\nmore about this.\n"),
            ("text", b"12:34:56 server: started\n12:34:57 server: stopped\n"),
            ("text", b"Error: no such file\nError: no such file\nError: x\n"),
            ("text", b"Subject matter: prose\nand more\n"),
            ("text", b"Subject: prose that goes on like this\nand more prose\n"),
            ("text", b"http://example.org/\nhttp://example.com/\n"),
            ("text", b"http://example.org/\nhttp://example.com/\nSubject: x\n"),
        ];
        for (name, head) in table {
            assert_eq!(Format::detect(head).name, *name, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn format_names_are_distinct() {
        for (i, format) in FORMATS.iter().enumerate() {
            assert_eq!(FORMATS.iter().position(|other| other.name == format.name), Some(i));
        }
        assert_eq!((MESSAGE.name, TEXT.name), ("message", "text"));
    }

    #[test]
    fn only_mailboxes_grow_and_only_an_mbox_is_read_from_the_middle() {
        let table = FORMATS.iter().map(|format| (format.name, (format.is_mailbox(), format.is_local())));
        for (name, got) in table {
            let is_single = ["emlx", "html", "calendar", "rtf", "json", "article", "message", "text"].contains(&name);
            assert_eq!(got, (!is_single, name == "mbox"), "{name}");
        }
    }

    #[test]
    fn only_a_message_of_an_mbox_can_be_complete() {
        let message = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nbody\n\n";
        for format in FORMATS {
            assert_eq!((format.is_complete())(message), format.name == "mbox", "{format:?}");
        }
    }

    /// If [`Format::settled`] returns a format, the bytes that follow do not change the result. For most formats, a few
    /// lines are enough.
    #[test]
    fn settled_by_the_first_lines() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"", None),
            (b"http://a/", None),
            (b"http://a/\n", Some("text")),
            (b"\n\nplain\n", Some("text")),
            (b"12\n", None),
            (b"a: b\n", None),
            (b"a: b\nc\n", None),
            (b"a: b\nc\nd\n", Some("text")),
            (b"Subject: x\n", None),
            (b"Subject: x\nFrom: y\nTo: z\n", None),
            (b"Subject: x\n\n", Some("message")),
            (b"Subject: x\nNewsgroups: a.b\n\n", Some("article")),
            (b"From a@b Mon Jan  5 10:00:00 1998\n", None),
            (b"From a@b Mon Jan  5 10:00:00 1998\nContent-Length: 1\n\nhttp://a/\n", None),
            (b"From a@b Mon Jan  5 10:00:00 1998\nSubject: x\n\nhttp://a/\n", Some("mbox")),
            (b"From here on\nx\n", None),
            (b"#! rnews 12\n", Some("rnews")),
            (b"BABYL OPTIONS:\n", Some("babyl")),
            // The first line begins a message only in a Babyl file, and the ruler only in a digest. Digests are never
            // detected.
            (b"\x1F\x0C\n1,,\nTo: a\n", Some("text")),
            (b"\n\n------------------------------\n\nTo: a\n", Some("text")),
        ];
        for (head, want) in table {
            let settled = Format::settled(head);
            assert_eq!(settled.map(|format| format.name), *want, "{}", head.escape_ascii());
            for more in [
                "",
                "\n",
                "Subject: x\n\n",
                "Newsgroups: a.b\n",
                "=====\n",
                "From a@b Mon Jan  5 10:00:00 1998\nTo: x\n",
            ] {
                let all = [head, more.as_bytes()].concat();
                let detected = Format::detect(&all).name;
                assert!(settled.is_none_or(|format| format.name == detected), "{}", all.escape_ascii());
            }
        }
    }
}
