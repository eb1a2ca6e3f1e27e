//! THE table of container formats.

use super::{Cutter, header, mbox, message, rnews, text};

/// How many octets of a file are enough to tell its format.
pub(crate) const HEAD: usize = 64 * 1024;

/// A container format: one row of [`FORMATS`].
#[derive(Debug)]
pub(crate) struct Format {
    /// What the format is called.
    pub(crate) name: &'static str,
    /// One line about it.
    pub(crate) about: &'static str,
    pub(super) detect: fn(&[u8]) -> bool,
    pub(super) cutter: fn(usize) -> Box<dyn Cutter>,
}

/// All formats, in the order in which they are tried; the last one takes everything.
pub(crate) static FORMATS: &[Format] = &[
    Format {
        name: "rnews",
        about: "news batch: articles after `#! rnews <octets>` lines",
        detect: rnews::detect,
        cutter: rnews::new,
    },
    Format {
        name: "mbox",
        about: "mailbox: messages after `From ` lines (mboxo, mboxrd, mboxcl, pipermail, Takeout)",
        detect: mbox::detect,
        cutter: mbox::new,
    },
    Format { name: "article", about: "one news article", detect: header::is_article, cutter: message::new },
    MESSAGE_ROW,
    TEXT_ROW,
];

const MESSAGE_ROW: Format =
    Format { name: "message", about: "one mail message", detect: header::is_message, cutter: message::new };
const TEXT_ROW: Format = Format { name: "text", about: "plain text", detect: |_| true, cutter: text::new };

/// One mail message: what a file in a Maildir or an MH folder is unless its content says otherwise.
pub(crate) static MESSAGE: &Format = &MESSAGE_ROW;
/// What is told of an archive as a whole, not of a member: it has no messages of its own.
pub(crate) static ARCHIVE: &Format =
    &Format { name: "archive", about: "an archive of files", detect: |_| false, cutter: text::new };
/// Plain text: what everything else is.
pub(crate) static TEXT: &Format = &TEXT_ROW;

impl Format {
    /// The format of a file that begins with `head`: its first [`HEAD`] octets, or all of it.
    ///
    /// Only the content counts, never the name. Looks at a few lines.
    pub(crate) fn detect(head: &[u8]) -> &'static Format {
        let head = &head[..head.len().min(HEAD)];
        FORMATS.iter().find(|format| (format.detect)(head)).unwrap_or(TEXT)
    }

    /// A cutter for one file in this format, which may look `limit` octets ahead to check a length.
    pub(crate) fn cutter(&self, limit: usize) -> Box<dyn Cutter> {
        (self.cutter)(limit)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_by_content() {
        let table: &[(&str, &[u8])] = &[
            ("text", b""),
            ("text", b"\n\n\n"),
            ("text", b"\0\0\0\0"),
            ("mbox", b"From a@b Mon Jan  1 00:00:00 2001\n"),
            ("mbox", b"\n\r\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n"),
            ("mbox", b"\xEF\xBB\xBFFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n"),
            ("mbox", b"From -8946248053963491671\nX-Google-Language: ENGLISH\n"),
            ("text", b"From here on everything is prose.\nNothing else.\n"),
            ("text", b"From here on\n"),
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
            ("text", b"Note: see http://example.org/ for\nmore about this.\n"),
            ("text", b"12:34:56 server: started\n12:34:57 server: stopped\n"),
            ("text", b"Error: no such file\nError: no such file\nError: x\n"),
            ("text", b"Subject matter: prose\nand more\n"),
            ("text", b"Subject: prose that goes on like this\nand more prose\n"),
            ("text", b"http://example.org/\nhttp://example.com/\n"),
        ];
        for (name, head) in table {
            assert_eq!(Format::detect(head).name, *name, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn names_tell_formats_apart() {
        for (i, format) in FORMATS.iter().enumerate() {
            assert_eq!(FORMATS.iter().position(|other| other.name == format.name), Some(i));
        }
        assert_eq!((MESSAGE.name, TEXT.name), ("message", "text"));
    }
}
