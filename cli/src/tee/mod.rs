//! `tee`: copies standard input to standard output, and records the URLs in a file or in header fields.
//!
//! If the URLs of a mail cannot be recorded, the mail itself must not be lost. So the filter passes each byte on before
//! it parses the byte. With `--add-header`, however, the filter must know the URLs first, so it holds the mail back
//! until then. Errors in parsing or recording do not stop the mail. The exit status is 0 if the whole mail was passed
//! on, even after such errors.

mod add_header;
pub(crate) mod hits;
pub(crate) mod output_guard;
mod passthrough;

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::panic;
use std::sync::Arc;

use urlspool::{ErrorKind, Event, Extractor, Sink};

use self::add_header::Fields;
use self::hits::{Hits, Target};
use self::passthrough::Passthrough;
use crate::args::{Given, Wrong};
use crate::file_id::are_same;
use crate::find::collect::Part;
use crate::find::select::Select;
use crate::find::with_hint::ErrorWithHint;
use crate::find::{self, end};
use crate::patient::Patient;
use crate::print::{Printer, Style};
use crate::standard_streams::{self, CLOSED_INPUT, CLOSED_OUTPUT};
use crate::status::{self, Status};

struct Filter {
    extractor: Extractor,
    findings: Findings,
    /// Where the URLs are written (`--hits`).
    hits: Option<Target>,
    /// The byte after each record.
    end: u8,
}

/// The options that affect only what `--hits` writes.
const OF_HITS: [&str; 7] = ["line-number", "null", "json", "fields", "alternatives", "unwrap", "rejects"];

impl Filter {
    fn new(given: &Given) -> Result<Filter, Wrong> {
        let add_header = given.has("add-header");
        if given.operands().next().is_some() {
            return Err("tee reads only standard input; remove the PATH".into());
        }
        if !given.has("hits") && !add_header {
            return Err("tee needs a place for the URLs; add --hits FILE or --add-header".into());
        }
        if let Some(flag) = given.flags().find(|flag| OF_HITS.contains(&flag.name)).filter(|_| !given.has("hits")) {
            return Err(format!("{} needs --hits; add --hits FILE", given.as_written(&flag)).into());
        }
        let mut options = given.options()?;
        if add_header {
            if given.text("format").is_some_and(|format| format != "auto" && format != "message") {
                return Err(
                    "--add-header always reads its input as one message; remove --format or --add-header".into()
                );
            }
            options.set("format", "message").expect("a valid value");
        }
        let extractor = Extractor::with(options);
        let select = Arc::new(Select::new(given, extractor.clone()));
        let printer = find::printer(given, Style::Raw)?;
        let findings = Findings {
            part: Part::new(select, printer.page()),
            printer,
            hits: Hits::nowhere(),
            fields: add_header.then(Fields::default),
            verbose: given.has("verbose"),
        };
        Ok(Filter { extractor, findings, hits: given.path("hits").map(Target::new).transpose()?, end: end(given) })
    }
}

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let filter = Filter::new(given)?;
    Ok(output_guard::unless_panic(|| Some(tee(filter))).unwrap_or(Status::Deferred))
}

fn tee(mut filter: Filter) -> Status {
    if !filter.findings.verbose {
        let lost = "some URLs may be missing: an error in urlspool ended the search; -v says which";
        panic::set_hook(Box::new(move |_| status::print_message(lost)));
    }
    if standard_streams::is_closed_input() {
        return deferred(&format_args!("{CLOSED_INPUT}; for an empty mail, use < /dev/null"));
    }
    if standard_streams::is_closed_output() {
        passthrough::drain(&mut Patient(io::stdin().lock()));
        return deferred(&format_args!("{CLOSED_OUTPUT}; to discard the mail, use > /dev/null"));
    }
    // A read from `io::stdin()` would seem to reach the end of an empty mail if standard input is open only for writing.
    let passed = match (standard_streams::input(), standard_streams::output()) {
        (Ok(input), Ok(output))
            if input.metadata().is_ok_and(|data| data.is_file())
                && are_same(&input, &output).is_ok_and(|same| same) =>
        {
            Err(io::Error::other("standard output is the file of standard input, so the mail would have no end"))
        }
        (Ok(input), Ok(output)) => {
            if let Some(target) = filter.hits {
                filter.findings.hits = Hits::open(&target, filter.end);
            }
            self::filter(&filter.extractor, filter.findings, Patient(input), Patient(output))
        }
        (Err(error), _) | (_, Err(error)) => {
            passthrough::drain(&mut Patient(io::stdin().lock()));
            Err(error)
        }
    };
    match passed {
        Ok(()) => Status::Found,
        Err(error) => deferred(&error),
    }
}

/// Passes the mail from `from` to `to`. `findings` records the URLs of the mail.
fn filter(extractor: &Extractor, mut findings: Findings, from: impl Read, to: impl Write) -> io::Result<()> {
    pass(Passthrough::new(from, to, findings.fields.is_some()), |passthrough| {
        let _ = extractor.read(passthrough).each(&mut findings);
        findings.end()
    })
}

/// Calls `work`, which reads as much of the mail as it needs and returns header fields to add. Then passes on the rest
/// of the mail. If `work` panics, the mail is passed on without fields.
fn pass<R: Read, W: Write>(
    mut passthrough: Passthrough<R, W>,
    work: impl FnOnce(&mut Passthrough<R, W>) -> Option<Fields>,
) -> io::Result<()> {
    let fields = output_guard::unless_panic(|| work(&mut passthrough));
    let mut is_too_large = fields.as_ref().is_some_and(|fields| !fields.is_empty());
    passthrough.finish(|message| {
        is_too_large = false;
        output_guard::unless_panic(|| fields?.above(message))
    })?;
    if is_too_large {
        let limit = passthrough::HELD >> 20;
        status::print_message(format_args!(
            "no X-URL fields were added, because the mail is too large; the limit is {limit} MiB"
        ));
    }
    Ok(())
}

fn deferred(why: &dyn Display) -> Status {
    status::print_message(format_args!("cannot pass the mail on: {why}"));
    Status::Deferred
}

/// Receives the events of the library and records the URLs.
struct Findings {
    printer: Printer,
    part: Part,
    hits: Hits,
    /// The header fields to add to the message (`--add-header`).
    fields: Option<Fields>,
    /// Whether errors and diagnostics are printed on standard error.
    verbose: bool,
}

impl Findings {
    /// Reports URLs that could not be recorded, even without `-v`. Returns the header fields to add.
    fn end(self) -> Option<Fields> {
        if let Some(problem) = &self.hits.problem {
            status::print_message(problem);
        }
        if self.fields.as_ref().is_some_and(|fields| fields.skipped) {
            status::print_message("some URLs got no X-URL field, because the fields would exceed 16 KiB in total");
        }
        self.fields
    }
}

impl Sink for Findings {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match (event, &mut self.fields) {
            (Event::Hit(hit), Some(fields)) => fields.add(hit),
            (Event::Error(error), _) => {
                // `deferred` reports that the mail could not be read or passed on.
                if self.verbose && error.kind() != ErrorKind::Read {
                    status::print_message(ErrorWithHint(error));
                }
                return ControlFlow::Continue(());
            }
            (Event::Diagnostic { .. } | Event::Skipped { .. } | Event::Unsearched { .. }, _) if !self.verbose => {
                return ControlFlow::Continue(());
            }
            _ => {}
        }
        self.part.event(event)?;
        match event {
            Event::Diagnostic { .. } | Event::Skipped { .. } | Event::Unsearched { .. } => self.part.print_messages(),
            // Each record is passed to `Hits` separately, so that `Hits` writes each record with one system call.
            // `print` cannot fail here, because writing to `Hits` always returns `Ok`.
            Event::Hit(_) | Event::Reject(_) | Event::End(_) => {
                let _ = self.printer.print(&mut self.part.page, &mut self.hits);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Asked};
    use crate::print::{Json, Layout, Order, Output, Sheet};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::sync::LazyLock;

    /// The extractor, the selection, and whether to add header fields.
    type Options = (Extractor, Arc<Select>, bool);

    fn options(line: &str) -> Options {
        let Ok(Asked::Job(given)) = args::read(&line.split(' ').map(OsString::from).collect::<Vec<_>>()) else {
            panic!("{line}")
        };
        let filter = Filter::new(&given).expect("valid options");
        let select = Select::new(&given, filter.extractor.clone());
        (filter.extractor, Arc::new(select), filter.findings.fields.is_some())
    }

    static RECORDED: LazyLock<Options> = LazyLock::new(|| options("tee --hits /dev/null"));
    static ADDED: LazyLock<Options> = LazyLock::new(|| options("tee --add-header"));

    fn filtered((extractor, select, add_header): &Options, mail: &[u8]) -> Vec<u8> {
        let sheet = Sheet::new(Layout::Json(Json::new(None)), Order::Input, false, None);
        let printer = Printer::new(Output::Lines(sheet), false);
        let findings = Findings {
            part: Part::new(Arc::clone(select), printer.page()),
            printer,
            hits: Hits::nowhere(),
            fields: add_header.then(Fields::default),
            verbose: false,
        };
        let mut out = Vec::new();
        filter(extractor, findings, mail, &mut out).expect("writing to a Vec cannot fail");
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

    fn mail() -> impl Strategy<Value = Vec<u8>> {
        let word = prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec());
        let piece = prop_oneof![8 => word, 1 => vec(any::<u8>(), 0..40)];
        vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// The environment variable `URLSPOOL_CASES` sets the number of test cases.
    fn cases() -> ProptestConfig {
        let cases = std::env::var("URLSPOOL_CASES").map_or(1000, |cases| cases.parse().expect("a number of cases"));
        ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn mail_passes_unchanged(mail in mail()) {
            prop_assert_eq!(filtered(&RECORDED, &mail), mail);
        }

        #[test]
        fn only_fields_are_added(mail in mail()) {
            let out = filtered(&ADDED, &mail);
            // The output must be the input, with header fields inserted at one position.
            let added = out.len() - mail.len();
            let at = out.iter().zip(&mail).take_while(|(a, b)| a == b).count();
            let is_insertion = |at: usize| out[..at] == mail[..at] && out[at + added..] == mail[at..];
            let lines = |at: usize| {
                let lines = out[at..at + added].split_inclusive(|byte| *byte == b'\n');
                lines.into_iter().all(|line| line.starts_with(b"X-URL:") || line.starts_with(b" ") && line.len() > 2)
            };
            prop_assert!((0..=at).any(|at| is_insertion(at) && lines(at)), "{}", out.escape_ascii());
        }

        #[test]
        fn a_second_filter_adds_no_fields(body in mail()) {
            let once = filtered(&ADDED, &[b"Subject: x\n\n", &body[..]].concat());
            prop_assert_eq!(filtered(&ADDED, &once), once);
        }
    }

    #[test]
    fn mail_passes_if_the_work_panics() {
        let mail = b"Subject: x\n\nhttp://a.example/\n".repeat(10_000);
        for after in [0, 1, 100, mail.len()] {
            for holding in [false, true] {
                let mut out = Vec::new();
                pass(Passthrough::new(&mail[..], &mut out, holding), |passthrough| {
                    let _ = passthrough.take(after as u64).read_to_end(&mut Vec::new());
                    panic!("for a test")
                })
                .expect("writing to a Vec cannot fail");
                assert!(out == mail, "{after} {holding}");
            }
        }
    }
}
