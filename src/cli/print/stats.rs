//! What was found, as a table: `--stats`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use urlspool::{Codec, Error, File, Form, Hit, Note, Outcome, Reject, Section, Tier, Unit};

use super::{AnyPrinter, Boxed, BoxedPage, Page, Printer};
use crate::cli::select::Refused;

/// Has another printer print, and counts.
pub(crate) struct Counting {
    inner: Boxed,
    begun: Instant,
    tally: Tally,
}

impl Counting {
    pub(crate) fn new(inner: Box<dyn AnyPrinter>) -> Counting {
        Counting { inner: Boxed(inner), begun: Instant::now(), tally: Tally::default() }
    }
}

/// What was counted.
#[derive(Default)]
struct Tally {
    /// By format and compression.
    files: BTreeMap<(&'static str, Option<&'static str>), u64>,
    not_read: u64,
    messages: u64,
    not_chosen: u64,
    undated: u64,
    parts: u64,
    octets: u64,
    hits: BTreeMap<(Form, Tier), u64>,
    rejects: BTreeMap<&'static str, u64>,
    notes: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Adds what another one has counted.
    fn take(&mut self, other: Tally) {
        fn add<K: Ord>(to: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
            for (key, count) in from {
                *to.entry(key).or_default() += count;
            }
        }
        add(&mut self.files, other.files);
        self.not_read += other.not_read;
        self.messages += other.messages;
        self.not_chosen += other.not_chosen;
        self.undated += other.undated;
        self.parts += other.parts;
        self.octets += other.octets;
        add(&mut self.hits, other.hits);
        add(&mut self.rejects, other.rejects);
        add(&mut self.notes, other.notes);
    }

    /// The table.
    fn write(&self, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
        let files: u64 = self.files.values().sum();
        let mut formats = Vec::new();
        for ((format, codec), count) in &self.files {
            let codec = codec.map(|codec| format!(" ({codec})")).unwrap_or_default();
            formats.push(format!("{count} {format}{codec}"));
        }
        writeln!(out, "{:<12}{files:>14}  {}", "files", formats.join(", "))?;
        if self.not_read > 0 {
            writeln!(out, "{:<12}{:>14}  could not be read", "not read", self.not_read)?;
        }
        writeln!(out, "{:<12}{:>14}", "messages", self.messages)?;
        if self.not_chosen + self.undated > 0 {
            writeln!(
                out,
                "{:<12}{:>14}  {} of them for want of a date",
                "left out",
                self.not_chosen + self.undated,
                self.undated
            )?;
        }
        writeln!(out, "{:<12}{:>14}", "parts", self.parts)?;
        writeln!(out, "{:<12}{:>14}", "octets", self.octets)?;
        let rate = self.octets as f64 / 1e6 / seconds.max(1e-6);
        writeln!(out, "{:<12}{seconds:>14.3}  s, {rate:.0} MB/s", "time")?;

        writeln!(out)?;
        write!(out, "{:<12}", "URLs")?;
        for tier in Tier::ALL {
            write!(out, "{:>10}", tier.as_str())?;
        }
        writeln!(out, "{:>10}", "all")?;
        let count = |form: Option<Form>, tier: Option<Tier>| -> u64 {
            let is_meant =
                |(f, t): &(Form, Tier)| form.is_none_or(|form| form == *f) && tier.is_none_or(|tier| tier == *t);
            self.hits.iter().filter(|(key, _)| is_meant(key)).map(|(_, count)| count).sum()
        };
        let forms = Form::ALL.iter().map(|form| Some(*form)).filter(|form| count(*form, None) > 0);
        for form in forms.chain([None]) {
            write!(out, "{:<12}", form.map_or("all", Form::as_str))?;
            for tier in Tier::ALL {
                write!(out, "{:>10}", count(form, Some(tier)))?;
            }
            writeln!(out, "{:>10}", count(form, None))?;
        }
        for (title, counts) in [("rejects", &self.rejects), ("notes", &self.notes)] {
            writeln!(out, "\n{title:<32}{:>10}", counts.values().sum::<u64>())?;
            for (name, count) in counts {
                writeln!(out, "  {name:<30}{count:>10}")?;
            }
        }
        Ok(())
    }
}

/// What one worker counted, beside its page.
pub(crate) struct Counted {
    inner: BoxedPage,
    tally: Tally,
    /// The part at hand.
    part: Option<Vec<u32>>,
}

impl Printer for Counting {
    type Page = Counted;

    fn page(&self) -> Counted {
        Counted { inner: Printer::page(&self.inner), tally: Tally::default(), part: None }
    }

    fn print(&mut self, page: &mut Counted, out: &mut dyn Write) -> io::Result<()> {
        self.tally.take(std::mem::take(&mut page.tally));
        Printer::print(&mut self.inner, &mut page.inner, out)
    }

    fn target(&self) -> String {
        Printer::target(&self.inner)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        Printer::finish(&mut self.inner, out)?;
        out.flush()?;
        // If standard error is closed, nobody wants the table.
        let _ = self.tally.write(self.begun.elapsed().as_secs_f64(), &mut io::stderr().lock());
        Ok(())
    }
}

impl Page for Counted {
    fn hit(&mut self, hit: &Hit<'_>) {
        *self.tally.hits.entry((hit.form(), hit.tier())).or_default() += 1;
        self.inner.hit(hit);
    }

    fn reading(&mut self, hit: &Hit<'_>, url: &[u8]) {
        self.inner.reading(hit, url);
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        self.inner.refused(refused);
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        *self.tally.rejects.entry(reject.why().as_str()).or_default() += 1;
        self.inner.reject(reject);
    }

    fn note(&mut self, file: Option<&File>, note: &Note) {
        *self.tally.notes.entry(note.as_str()).or_default() += 1;
        self.inner.note(file, note);
    }

    fn problem(&mut self, error: &Error) {
        self.tally.not_read += error.count();
        self.inner.problem(error);
    }

    fn part(&mut self, part: &Section) {
        // A part may come in several stretches.
        if self.part.as_deref() != Some(part.path()) {
            self.tally.parts += 1;
            self.part = Some(part.path().to_vec());
        }
        self.inner.part(part);
    }

    fn unit(&mut self, file: Option<&File>, unit: &Unit) {
        self.part = None;
        self.tally.octets += unit.octets();
        match unit.outcome() {
            Outcome::Undated => self.tally.undated += u64::from(unit.is_message()),
            Outcome::NotChosen => self.tally.not_chosen += u64::from(unit.is_message()),
            _ => self.tally.messages += u64::from(unit.is_message()),
        }
        self.inner.unit(file, unit);
    }

    fn end(&mut self, file: &File) {
        let codec = file.codec().map(Codec::as_str);
        *self.tally.files.entry((file.format(), codec)).or_default() += 1;
        self.inner.end(file);
    }

    fn size(&self) -> usize {
        self.inner.size()
    }
}
