//! Converts a mailbox to an HTML archive: an index, and one page for each message, with links.
//!
//!     cargo run --example archive -- MAILBOX DIRECTORY
//!
//! The text of a message is shown as written. If a URL was broken over lines, each piece links to the whole URL. HTML
//! parts are not shown, because a page of the archive must not run code from a message. Instead of an HTML part, the
//! page has a list of the links in that part.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::{env, mem};

use urlspool::{Extractor, LINKED, Message, Part, Url};

fn main() -> Result<(), Box<dyn Error>> {
    let [_, mailbox, directory] = &env::args_os().collect::<Vec<_>>()[..] else {
        return Err("usage: archive MAILBOX DIRECTORY".into());
    };
    let directory = Path::new(directory);
    fs::create_dir_all(directory)?;
    let mut index = BufWriter::new(File::create(directory.join("index.html"))?);
    writeln!(index, "{}<ol>", head("Index"))?;
    for (number, message) in (1..).zip(Extractor::new().open(mailbox)?.messages()) {
        let message = match message {
            Ok(message) => message,
            Err(error) => {
                eprintln!("{error}"); // Continue with the next message.
                continue;
            }
        };
        let (from, date) = (message.from().unwrap_or_default(), message.date().unwrap_or_default());
        let subject = message.subject().unwrap_or("(no subject)".into());
        let name = format!("{number}.html");
        fs::write(directory.join(&name), page(&message, &subject, &from, date))?;
        let (subject, from) = (escaped(&subject), escaped(&from));
        writeln!(index, "<li><a href=\"{name}\">{subject}</a>, {from}, {date}</li>")?;
    }
    writeln!(index, "</ol>")?;
    Ok(index.flush()?)
}

/// Returns the HTML page for a message.
fn page(message: &Message, subject: &str, from: &str, date: &str) -> String {
    let mut html = head(subject);
    html += &format!("<h1>{}</h1>\n<p>{}, {date}</p>\n", escaped(subject), escaped(from));
    // If an HTML part contains uuencoded files or a signature, `parts` visits the part several times. List its links
    // only once.
    let mut listed = Vec::new();
    message.parts(|part| {
        if !part.is_html() {
            html += &format!("<pre>{}</pre>\n", linked(part));
        } else if !listed.contains(&part.section()) {
            listed.push(part.section());
            html += &links(message, part);
        }
    });
    html
}

/// Returns the text of a part, with its URLs as links.
fn linked(part: &Part<'_>) -> String {
    let (mut html, mut done) = (String::new(), 0);
    for (hit, pieces) in part.hits().filter(|(hit, _)| is_linked(hit.url())) {
        for piece in pieces {
            html += &escaped(&part.slice_to_str(mem::replace(&mut done, piece.end)..piece.start));
            html += &link(hit.url(), &part.slice_to_str(piece.clone()));
        }
    }
    html + &escaped(&part.slice_to_str(done..part.text().len()))
}

/// Returns an HTML list of the links in an HTML part. Links that are also in the plain text of the message are not
/// included.
fn links(message: &Message, part: &Part<'_>) -> String {
    let mut html = String::from("<ul>\n");
    for hit in message.hits().iter().filter(|hit| hit.part() == part.section()) {
        if is_linked(hit.url()) && !hit.repeat() {
            html += &format!("<li>{}</li>\n", link(hit.url(), hit.url().as_str()));
        }
    }
    html + "</ul>\n"
}

/// Returns whether the page shows the URL as a link. A click on a `javascript:` URL could run a program.
fn is_linked(url: &Url<'_>) -> bool {
    url.known_scheme().is_some_and(|scheme| LINKED.contains(&scheme))
}

/// Returns a link. The `rel` attribute of the link tells search engines not to count the link for the rank of its
/// target.
fn link(url: &Url<'_>, text: &str) -> String {
    format!("<a rel=\"nofollow noreferrer\" href=\"{}\">{}</a>", escaped(url.as_str()), escaped(text))
}

/// Returns the beginning of a page.
fn head(title: &str) -> String {
    format!("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>{}</title>\n", escaped(title))
}

/// Escapes text for an HTML element or attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
