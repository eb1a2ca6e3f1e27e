//! `explain`: says which rules found, joined, cut or refused the URLs near a line.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

use urlspool::{Event, Extractor, Input};

use crate::args::{Given, Wrong, values};
use crate::escaped::Escaped;
use crate::find::collect::name;
use crate::find::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// The maximum number of columns of a line, if its words allow it.
const WIDTH: usize = 100;

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let extractor = Extractor::with(given.options()?);
    let mut status = Status::Nothing;
    for operand in given.operands() {
        let path = Path::new(operand);
        let (file, line) = values::message(path, "line")?;
        let lines = if file == path { 0..=u64::MAX } else { line.saturating_sub(1)..=line + 1 };
        let mut page = Page {
            extractor: &extractor,
            lines,
            base: 0,
            longest: 0,
            is_failed: false,
            text: String::new(),
            parts: Vec::new(),
            rules: BTreeSet::new(),
        };
        // The result only says whether the search was stopped, and it never is.
        let _ = extractor.paths([&file]).each(&mut |event: Event<'_>| page.event(event));
        page.print();
        let found = match (page.is_failed, page.text.is_empty()) {
            (true, _) => Status::Failed,
            (false, true) => {
                let what = match page.longest {
                    _ if file == path => "no text looks like a URL".into(),
                    1 if line > 1 => "the file has only one line".into(),
                    longest if line > longest => format!("the file has only {longest} lines"),
                    _ => "no text on this line or next to it looks like a URL".into(),
                };
                print_message(format_args!("{}: {what}", Escaped(operand.as_encoded_bytes())));
                Status::Nothing
            }
            (false, false) => Status::Found,
        };
        let written = found.after_output(page.finish().as_bytes());
        if let ControlFlow::Break(status) = written {
            return Ok(status);
        }
        status = if status == Status::Failed || found == Status::Nothing { status } else { found };
    }
    Ok(status)
}

/// The explanations of one file.
struct Page<'e> {
    extractor: &'e Extractor,
    lines: RangeInclusive<u64>,
    /// The number of lines before the current segment.
    base: u64,
    /// The number of lines of the longest file.
    longest: u64,
    is_failed: bool,
    text: String,
    /// For each URL of the current segment, its line and its explanation.
    parts: Vec<(u64, String)>,
    /// The titles of the rules that were printed.
    rules: BTreeSet<&'static str>,
}

impl Page<'_> {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) | Event::Excluded { hit, .. } => {
                let url = Escaped(hit.url().as_bytes()).to_string();
                self.url(event, hit.input(), &url, hit.line(), hit.pieces().len());
            }
            Event::Reject(reject) => {
                let text = format!("{} (not a URL)", Escaped(reject.text()));
                self.url(event, reject.input(), &text, reject.line(), 1);
            }
            Event::Segment { file, segment } => {
                for (line, rule, sentence) in self.extractor.explain(event) {
                    let line = self.base + line;
                    if self.lines.contains(&line) {
                        self.title(file, line, "(no URL)");
                        self.step(rule, &sentence);
                    }
                }
                self.base += segment.lines();
                self.parts.sort_by_key(|(line, _)| *line);
                self.print();
            }
            Event::End(_) => (self.longest, self.base) = (self.longest.max(self.base), 0),
            Event::Error(error) => {
                print_message(ErrorWithHint(error));
                self.is_failed = true;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Prints the explanation of a URL of `pieces` pieces that begins on `line`.
    fn url(&mut self, event: Event<'_>, input: Option<&Input>, url: &str, line: u64, pieces: usize) {
        let last = line + pieces.saturating_sub(1) as u64;
        if *self.lines.start() > last || *self.lines.end() < line {
            return;
        }
        self.title(input, line, url);
        for (_, rule, sentence) in self.extractor.explain(event) {
            self.step(rule, &sentence);
        }
    }

    /// Appends the explanations of the current segment to the text.
    fn print(&mut self) {
        self.text.extend(self.parts.drain(..).map(|(_, part)| part));
    }

    fn title(&mut self, input: Option<&Input>, line: u64, what: &str) {
        let file = input.map(name).unwrap_or_default();
        self.parts.push((line, format!("\n{file}:{line}: {what}\n")));
    }

    /// Prints a step, with the number of its rule before it.
    fn step(&mut self, rule: &'static str, sentence: &str) {
        let number = rule.split(' ').next().unwrap_or_default();
        self.rules.insert(rule);
        let (_, text) = self.parts.last_mut().expect("a step has a title");
        let mut margin = format!("  {number:<5} ");
        for (at, line) in sentence.lines().enumerate() {
            let line = Escaped(line.as_bytes()).to_string();
            let mut column = margin.chars().count();
            *text += &margin;
            margin = " ".repeat(8);
            // The rows of a table are not wrapped.
            for (i, word) in line.split(' ').enumerate() {
                if i > 0 && at == 0 && column + 1 + word.chars().count() > WIDTH {
                    *text += &format!("\n{margin}");
                    column = margin.len();
                } else if i > 0 {
                    text.push(' ');
                    column += 1;
                }
                *text += word;
                column += word.chars().count();
            }
            text.push('\n');
        }
    }

    /// Returns the explanations, and the titles of their rules.
    fn finish(mut self) -> String {
        if !self.text.is_empty() {
            // The explanation of each URL begins with a blank line.
            self.text.remove(0);
            self.text += "\nThe rules:\n";
            for title in &self.rules {
                let (number, title) = title.split_once(' ').unwrap_or((title, ""));
                self.text += &format!("  {number:<5} {title}\n");
            }
        }
        self.text
    }
}
