//! `--stats`: a table of counts.

use std::io::{self, Write};
use std::time::Duration;

use urlspool::{Form, Tier};

use crate::find::skip_report::counted;
use crate::tally::{Kind, Tally};

pub(super) fn write(tally: &Tally, elapsed: Duration, out: &mut dyn Write) -> io::Result<()> {
    let seconds = elapsed.as_secs_f64();
    let files: u64 = tally.files.values().sum();
    let mut formats = Vec::new();
    for ((format, codec), count) in &tally.files {
        let codec = codec.map(|codec| format!(" ({codec})")).unwrap_or_default();
        formats.push(format!("{count} {format}{codec}"));
    }
    writeln!(out, "{:<12}{files:>14}  {}", "files", formats.join(", "))?;
    if tally.not_read > 0 {
        writeln!(out, "{:<12}{:>14}  files and members that could not be read", "not read", tally.not_read)?;
    }
    writeln!(out, "{:<12}{:>14}", "messages", tally.read)?;
    let skipped = tally.not_chosen + tally.undated;
    if skipped > 0 {
        writeln!(out, "{:<12}{skipped:>14}  messages, {} of them without a valid date", "skipped", tally.undated)?;
    }
    if let Some(memory) = tally.once {
        let about = "messages; --once used";
        writeln!(out, "{:<12}{:>14}  {about} {} KiB of memory", "repeated", tally.repeated, memory.div_ceil(1024))?;
    }
    let unread: u64 = tally.skipped.values().map(|(count, _)| count).sum();
    if unread > 0 {
        let reasons: Vec<_> = tally.skipped.iter().map(|(why, (count, _))| format!("{count} {why}")).collect();
        writeln!(out, "{:<12}{unread:>14}  {}", "unread", reasons.join(", "))?;
    }
    writeln!(out, "{:<12}{:>14}", "parts", tally.parts)?;
    let attachments: u64 = tally.unsearched.values().sum();
    if attachments > 0 {
        let kinds: Vec<_> = tally.unsearched.iter().map(|(what, count)| counted(what, *count)).collect();
        writeln!(out, "{:<12}{attachments:>14}  attachments: {}", "unsearched", kinds.join(", "))?;
    }
    if tally.refused_links > 0 {
        writeln!(out, "{:<12}{:>14}  links in HTML that are not URLs", "bad links", tally.refused_links)?;
    }
    writeln!(out, "{:<12}{:>14}", "bytes", tally.bytes)?;
    let rate = tally.bytes as f64 / 1e6 / seconds.max(1e-6);
    writeln!(out, "{:<12}{seconds:>14.3}  s, {rate:.0} MB/s", "time")?;
    writeln!(out)?;
    urls(tally, out)?;
    for (title, counts) in [("rejects", &tally.rejects), ("notes", &tally.notes)] {
        writeln!(out, "\n{title:<32}{:>10}", counts.values().sum::<u64>())?;
        for (name, count) in counts {
            writeln!(out, "  {name:<30}{count:>10}")?;
        }
    }
    Ok(())
}

/// Writes the number of URLs of each form and tier.
fn urls(tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:<12}", "URLs")?;
    for &tier in Tier::ALL {
        write!(out, "{:>10}", tier.as_str())?;
    }
    writeln!(out, "{:>10}", "all")?;
    let count = |form: Option<Form>, tier: Option<Tier>| -> u64 {
        let is_meant = |kind: &Kind| {
            form.is_none_or(|form| form == kind.form) && tier.is_none_or(|tier| tier == Tier::ALL[kind.tier])
        };
        tally.urls.iter().filter(|(kind, _)| is_meant(kind)).map(|(_, count)| count).sum()
    };
    let forms = Form::ALL.iter().map(|form| Some(*form)).filter(|form| count(*form, None) > 0);
    for form in forms.chain([None]) {
        write!(out, "{:<12}", form.map_or("all", Form::as_str))?;
        for &tier in Tier::ALL {
            write!(out, "{:>10}", count(form, Some(tier)))?;
        }
        writeln!(out, "{:>10}", count(form, None))?;
    }
    Ok(())
}
