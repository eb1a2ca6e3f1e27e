//! Generates messages and archives.

use super::encode::{base64, quoted};
use super::{PROSE_FR, post, post_fr, repeat};

/// The header of every message, with one URL.
const HEAD: &str = "Date: Sun, 1 Dec 1996 12:30:00 +0000\n\
    From: Jane Doe <jane@example.org>\n\
    To: url@lists.example.org\n\
    Newsgroups: example.url\n\
    Subject: Re: the old archive\n\
    Message-ID: <19961201123000.AA01234@mail.example.org>\n\
    List-Archive: <http://lists.example.org/url/>\n\
    MIME-Version: 1.0\n";

/// HTML with three URLs: two in attributes and one in the text.
const LINKS: &str = "<p>Le brouillon : <a href=\"http://www.example.org/drafts/url-07.txt\">\
    http://www.example.org/drafts/url-07.txt</a>, et la page de <a href=\"http://www.example.org/~jane/\">Jane</a>.</p>\n";

/// The kinds of [`message`].
pub(crate) const KINDS: [&str; 4] = ["plain", "quoted", "base64", "html"];

/// Makes a message of this kind. Lines end with LF. An HTML message also has a plain text alternative.
pub(crate) fn message(kind: &str) -> String {
    let plain = "text/plain; charset=us-ascii";
    let text = "text/plain; charset=utf-8";
    let content = match kind {
        "plain" => entity(plain, "7bit", &post()),
        "quoted" => entity(text, "quoted-printable", &quoted(&post_fr())),
        "base64" => entity(text, "base64", &base64(&post_fr())),
        "html" => {
            let html = format!("<html><body>\n{}{LINKS}</body></html>\n", format!("<p>{PROSE_FR}</p>\n").repeat(5));
            let first = entity(text, "quoted-printable", &quoted(&post_fr()));
            let second = entity("text/html; charset=utf-8", "quoted-printable", &quoted(&html));
            let body = format!("--=_a\n{first}\n--=_a\n{second}\n--=_a--\n");
            entity("multipart/alternative; boundary=\"=_a\"", "7bit", &body)
        }
        _ => panic!("{kind} is no kind"),
    };
    HEAD.to_owned() + &content
}

/// Returns a MIME entity with this content type, encoding and body.
pub(crate) fn entity(kind: &str, encoding: &str, body: &str) -> String {
    format!("Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n{body}")
}

/// Makes an mbox that repeats this message. Returns the mbox and the number of messages.
pub(crate) fn mbox(message: &str) -> (String, usize) {
    repeat(&format!("From jane@example.org Sun Dec  1 12:30:00 1996\n{message}\n"))
}

/// Makes a news batch that repeats this message. Returns the batch and the number of messages.
pub(crate) fn rnews(message: &str) -> (String, usize) {
    repeat(&format!("#! rnews {}\n{message}", message.len()))
}
