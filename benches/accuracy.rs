//! Compares the accuracy of urlspool and other URL finders on labelled messages.
//!
//! ```sh
//! cargo bench --bench accuracy -- LABELS MESSAGES
//! ```
//!
//! The file `LABELS` has one JSON object per line, with these fields:
//!
//! - `id` is the name of a file in the directory `MESSAGES`.
//! - `urls` are the URLs that the author of the message meant, as judged by a reader. Each URL is an object with the
//!   field `url`. If the URL is broken over several lines, the object also has the field `broken`.
//! - `either` (optional) lists URLs that a tool may report or omit.
//!
//! For each message, the set of URLs that a tool finds is compared with the set of labelled URLs. Two URLs are equal
//! only if their characters are equal.
//!
//! Each tool is run with the options of a typical user. The output also names the tools that are not installed. Without
//! arguments, as in a run of all benchmarks, this program prints only its usage.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};

use linkify::{LinkFinder, LinkKind};
use serde::Deserialize;
use urlspool::{Event, Extractor};

type Found = HashSet<String>;

#[derive(Deserialize)]
struct Labels {
    id: String,
    urls: Vec<Label>,
    #[serde(default)]
    either: HashSet<String>,
}

#[derive(Deserialize)]
struct Label {
    url: String,
    #[serde(default)]
    broken: bool,
}

/// A URL finder. `find` returns the URLs that the tool finds in a file, or `None` if the tool is not installed.
struct Tool {
    name: &'static str,
    find: fn(&Path) -> Option<Found>,
}

const TOOLS: &[Tool] = &[
    Tool { name: "urlspool", find: urlspool },
    Tool { name: "Perl's URI::Find", find: |path| run(&["perl", "-MURI::Find", "-e", URI_FIND], path) },
    Tool { name: "mailparse, then linkify", find: mailparse_linkify },
    Tool { name: "xurls", find: |path| run(&["xurls"], path) },
    Tool { name: "urlscan", find: |path| run(&["urlscan", "--no-browser"], path) },
    Tool { name: "linkify", find: |path| Some(linkify(&String::from_utf8_lossy(&fs::read(path).ok()?))) },
    Tool {
        name: "rg -o with ten schemes",
        find: |path| run(&["rg", "-a", "-o", "-N", "--no-filename", "--no-unicode", SCHEMES], path),
    },
];

const SCHEMES: &str = r#"(https?|ftp|gopher|news|nntp|telnet|wais|file|prospero)://[^[:space:]<>"]+"#;

const URI_FIND: &str = r#"local $/; my $text = <>; URI::Find->new(sub { print "$_[1]\n" })->find(\$text)"#;

fn urlspool(path: &Path) -> Option<Found> {
    let mut urls = Found::new();
    let flow = Extractor::new().read(fs::File::open(path).ok()?).name(path).each(&mut |event: Event<'_>| match event {
        Event::Hit(hit) => {
            urls.insert(String::from_utf8_lossy(hit.url().as_bytes()).into_owned());
            ControlFlow::Continue(())
        }
        Event::Error(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    flow.is_continue().then_some(urls)
}

fn linkify(text: &str) -> Found {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder.links(text).map(|link| link.as_str().to_owned()).collect()
}

fn mailparse_linkify(path: &Path) -> Option<Found> {
    let bytes = fs::read(path).ok()?;
    let mut found = Found::new();
    let Ok(mail) = mailparse::parse_mail(&bytes) else { return Some(found) };
    for part in mail.parts() {
        found.extend(part.headers.iter().flat_map(|header| linkify(&header.get_value())));
        if part.ctype.mimetype.starts_with("text/") {
            found.extend(linkify(&part.get_body().unwrap_or_default()));
        }
    }
    Some(found)
}

/// Runs `command` on the file `path`, and returns the lines that the command prints. Returns `None` if the tool is not
/// installed. The exit status is ignored: if a tool fails on a message, the lines that it has printed still count.
fn run(command: &[&str], path: &Path) -> Option<Found> {
    let mut process = Command::new(command[0]);
    let output = process.args(&command[1..]).arg(path).stdin(Stdio::null()).stderr(Stdio::piped()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // True if Perl is installed, but the module `URI::Find` is not.
    let missing = output.stderr.starts_with(b"Can't locate URI/Find.pm");
    (!missing).then(|| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The numbers of URLs and messages that a tool got right or wrong.
#[derive(Default)]
struct Score {
    right: usize,
    extra: usize,
    missed: usize,
    mended: usize,
    clean: usize,
}

impl Score {
    fn add(&mut self, labels: &Labels, found: &Found) {
        let wanted: HashSet<&str> = labels.urls.iter().map(|label| label.url.as_str()).collect();
        let right = wanted.iter().filter(|url| found.contains(**url)).count();
        let extra = found.iter().filter(|url| !wanted.contains(url.as_str()) && !labels.either.contains(*url)).count();
        let broken: HashSet<&str> = labels.urls.iter().filter(|label| label.broken).map(|l| l.url.as_str()).collect();
        self.right += right;
        self.extra += extra;
        self.missed += wanted.len() - right;
        self.mended += broken.iter().filter(|url| found.contains(**url)).count();
        self.clean += usize::from(extra == 0 && right == wanted.len());
    }

    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.extra + self.missed).max(1) as f64
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [labels, messages] = arguments.as_slice() else {
        eprintln!("usage: cargo bench --bench accuracy -- LABELS MESSAGES");
        return;
    };
    let text = fs::read_to_string(labels).unwrap_or_else(|error| panic!("{labels}: {error}"));
    let labels: Vec<Labels> = text.lines().map(|line| serde_json::from_str(line).expect("labels")).collect();
    let urls: usize = labels.iter().map(|labels| labels.urls.len()).sum();
    let broken = labels.iter().flat_map(|labels| &labels.urls).filter(|label| label.broken).count();
    println!("{} messages, {urls} URLs, {broken} of them broken over lines\n", labels.len());
    println!("| tool | F1 | broken ones right | messages without any error |\n|---|---|---|---|");
    'tools: for tool in TOOLS {
        let mut score = Score::default();
        for message in &labels {
            let Some(found) = (tool.find)(&Path::new(messages).join(&message.id)) else {
                eprintln!("{}: not installed", tool.name);
                continue 'tools;
            };
            score.add(message, &found);
        }
        println!("| {} | {:.3} | {} | {} |", tool.name, score.f1(), score.mended, score.clean);
    }
}
