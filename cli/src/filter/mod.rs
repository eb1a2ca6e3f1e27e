//! `--tee`: standard input goes to standard output as it is, and what is found in it goes elsewhere.
//!
//! The mail comes first. Each byte is passed on before anything looks at it, a failure of the rest ends the rest alone,
//! and the only status other than 0 is that of mail which could not be passed on.

mod add_header;
pub(crate) mod hits;
pub(crate) mod output_guard;
mod passthrough;

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::panic;

use urlspool::{Error, Extractor, Format};

use self::add_header::Fields;
use self::hits::Hits;
use self::passthrough::Passthrough;
use crate::config::Filter;
use crate::escaped::Escaped;
use crate::event::{Event, Events, Found, Receive};
use crate::list::collect::Part;
use crate::list::select::{Select, Verdict};
use crate::list::with_hint::ErrorWithHint;
use crate::print::Printer;
use crate::status::{self, Status};

/// Does it.
pub(crate) fn tee(filter: Filter) -> Status {
    let verbose = filter.verbose;
    if !verbose {
        panic::set_hook(Box::new(|_| {}));
    }
    output_guard::outlive_limits();
    if output_guard::is_closed_output() {
        return deferred(verbose, &"it was closed, or it is /dev/null opened for reading too: say > /dev/null");
    }
    let hits = filter.hits.map_or_else(Hits::nowhere, |target| Hits::open(&target, filter.end));
    let findings = Findings::new(&filter.select, filter.printer, hits, filter.add_header, verbose);
    let passed = output_guard::output()
        .and_then(|output| self::filter(&filter.extractor, filter.format, findings, io::stdin().lock(), output));
    match passed {
        Ok(()) => Status::Found,
        Err(error) => deferred(verbose, &error),
    }
}

/// Passes the mail on, and has `findings` filled on the way.
fn filter(
    extractor: &Extractor,
    format: Option<Format>,
    findings: Findings<'_>,
    from: impl Read,
    to: impl Write,
) -> io::Result<()> {
    let passage = if findings.fields.is_some() { Passthrough::holding(from, to) } else { Passthrough::new(from, to) };
    pass(passage, |passage| {
        let mut findings = Events(findings);
        // The findings have told of the error.
        let _ = extractor.read(passage).format(format).each(&mut findings);
        findings.0.end()
    })
}

/// Lets `work` read the mail, as far as it likes, and passes on all of it; with the fields that the work gives above it,
/// if it comes to its end.
fn pass<R: Read, W: Write>(
    mut passage: Passthrough<R, W>,
    work: impl FnOnce(&mut Passthrough<R, W>) -> Option<Fields>,
) -> io::Result<()> {
    let fields = output_guard::unless_panic(|| work(&mut passage));
    passage.finish(|message| output_guard::unless_panic(|| fields?.above(message)))
}

fn deferred(verbose: bool, why: &dyn Display) -> Status {
    tell(verbose, &format_args!("the mail cannot be passed on to standard output: {why}"));
    Status::Deferred
}

/// Tells it on standard error, if anything is told.
fn tell(verbose: bool, what: &dyn Display) {
    if verbose {
        status::tell(what);
    }
}

/// What is found, on its way to where it is wanted.
struct Findings<'s> {
    select: &'s Select,
    printer: Printer,
    part: Part<'s>,
    hits: Hits,
    fields: Option<Fields>,
    verbose: bool,
}

impl<'s> Findings<'s> {
    fn new(select: &'s Select, printer: Printer, hits: Hits, add_header: bool, verbose: bool) -> Self {
        let fields = add_header.then(Fields::default);
        Findings { select, part: Part::new(select, printer.page()), printer, hits, fields, verbose }
    }

    fn tell(&self, what: &dyn Display) {
        tell(self.verbose, what);
    }

    fn problem(&self, error: &Error) {
        self.tell(&Escaped(ErrorWithHint(error).to_string().as_bytes()));
    }

    /// Tells what was lost; gives the fields.
    fn end(self) -> Option<Fields> {
        if let Some(problem) = &self.hits.problem {
            self.tell(&problem);
        }
        if self.fields.as_ref().is_some_and(|fields| fields.skipped) {
            self.tell(&"URLs are skipped above the message, for its header would get too long");
        }
        self.fields
    }
}

impl Receive for Findings<'_> {
    fn event(&mut self, event: Event<'_>) {
        match (event, &mut self.fields) {
            (Event::Found(Found::Hit(hit)), Some(fields)) if matches!(self.select.hit(hit), Verdict::Hit) => {
                fields.add(hit);
            }
            (Event::Problem(error), _) => return self.problem(error),
            (Event::Diagnostic(..) | Event::Skipped(..), _) if !self.verbose => return,
            _ => {}
        }
        self.part.event(event);
        match event {
            Event::Diagnostic(..) | Event::Skipped(..) => self.part.tell(),
            // Recorded in one write. They take everything.
            Event::Found(_) | Event::Reject(_) | Event::End(_) => {
                let _ = self.printer.print(&mut self.part.page, &mut self.hits);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Job};
    use crate::print::{Json, Layout, Output, Sheet};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::sync::LazyLock;

    /// What is searched for, and whether it gets fields.
    type Options = (Extractor, Option<Format>, Select, bool);

    /// What the options say.
    fn options(line: &str) -> Options {
        match config::read(&line.split(' ').map(OsString::from).collect::<Vec<_>>()) {
            Ok(Job::Filter(filter)) => (filter.extractor, filter.format, filter.select, filter.add_header),
            _ => panic!("{line}"),
        }
    }

    static RECORDED: LazyLock<Options> = LazyLock::new(|| options("urlspool --tee --hits /dev/null"));
    static ADDED: LazyLock<Options> = LazyLock::new(|| options("urlspool --tee --add-header"));

    /// What comes out of `mail`.
    fn filtered((extractor, format, select, add_header): &Options, mail: &[u8]) -> Vec<u8> {
        let sheet = Sheet::new(Layout::Json(Json::new(None)), false, false);
        let printer = Printer::new(Output::Lines(sheet), false);
        let findings = Findings::new(select, printer, Hits::nowhere(), *add_header, false);
        let mut out = Vec::new();
        filter(extractor, *format, findings, mail, &mut out).expect("memory");
        out
    }

    const WORDS: &[&str] = &[
        "Subject: x",
        "From a@b Mon Jan  1 00:00:00 2001",
        "#! rnews 40",
        "\r\n",
        "\n",
        "\n\n",
        "> ",
        "<URL:",
        ">",
        "http://www.example.org/",
        "<a href=\"",
        "\">",
        "X-URL: http://a.example/",
        "ftp://b.example/a-",
        "=\n",
        "=3D",
        "Content-Type: multipart/mixed; boundary=b",
        "\n--b\n",
        "--b--",
        "Content-Type: text/html\n\n",
        "Content-Transfer-Encoding: base64\n\n",
        "aHR0cDovL2EuZXhhbXBsZS8=",
        "\x1f\u{8b}",
        "PK\x03\x04",
        "\u{fc}",
        "\0",
        "Content-Transfer-Encoding: quoted-printable",
        "Content-Type: text/plain; charset=utf-16",
        " ",
        ".",
    ];

    /// Pieces of mail, and of what only looks like it.
    fn mail() -> impl Strategy<Value = Vec<u8>> {
        let word = prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec());
        let piece = prop_oneof![8 => word, 1 => vec(any::<u8>(), 0..40)];
        vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// `URLSPOOL_CASES` asks for more than a thousand.
    fn cases() -> ProptestConfig {
        let cases = std::env::var("URLSPOOL_CASES").map_or(1000, |cases| cases.parse().expect("a number of cases"));
        ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_comes_in_goes_out(mail in mail()) {
            prop_assert_eq!(filtered(&RECORDED, &mail), mail);
        }

        #[test]
        fn nothing_but_fields_is_added(mail in mail()) {
            let out = filtered(&ADDED, &mail);
            // What was put in is what is between the longest common beginning and the rest.
            let added = out.len() - mail.len();
            let at = out.iter().zip(&mail).take_while(|(a, b)| a == b).count();
            let is_put_in = |at: usize| out[..at] == mail[..at] && out[at + added..] == mail[at..];
            let lines = |at: usize| {
                let lines = out[at..at + added].split_inclusive(|byte| *byte == b'\n');
                lines.into_iter().all(|line| line.starts_with(b"X-URL:") || line.starts_with(b" ") && line.len() > 2)
            };
            prop_assert!((0..=at).any(|at| is_put_in(at) && lines(at)), "{}", out.escape_ascii());
        }

        #[test]
        fn fields_are_added_once(body in mail()) {
            let once = filtered(&ADDED, &[b"Subject: x\n\n", &body[..]].concat());
            prop_assert_eq!(filtered(&ADDED, &once), once);
        }
    }

    #[test]
    fn a_panic_ends_the_work_and_not_the_mail() {
        let mail = b"Subject: x\n\nhttp://a.example/\n".repeat(10_000);
        for after in [0, 1, 100, mail.len()] {
            for holding in [false, true] {
                let mut out = Vec::new();
                let passage = if holding { Passthrough::holding } else { Passthrough::new };
                pass(passage(&mail[..], &mut out), |passage| {
                    let _ = passage.take(after as u64).read_to_end(&mut Vec::new());
                    panic!("for a test")
                })
                .expect("memory");
                assert!(out == mail, "{after} {holding}");
            }
        }
    }
}
