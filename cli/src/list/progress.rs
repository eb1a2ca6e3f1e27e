//! How far the work is, on a terminal, when it takes its time.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use crate::tally::Tally;

/// Work that is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// In seconds: who has to wait longer than a century, need not know how much.
const MAX_LEFT: f64 = 3e9;

/// A line on standard error that says what has been done.
pub(crate) struct Progress {
    /// `None` if nobody wants to know.
    paths: Option<Vec<PathBuf>>,
    bar: Option<ProgressBar>,
    /// Whether what is printed goes to the terminal too, so that the bar has to make room for it.
    is_shared: bool,
}

impl Progress {
    /// Of reading `paths`, if wanted at all; what else is read is known when it comes. The terminal is shared with what is
    /// printed if `is_shared`.
    pub(crate) fn new(paths: Option<Vec<PathBuf>>, is_shared: bool) -> Progress {
        Progress { paths, bar: None, is_shared }
    }

    /// This much has been done.
    pub(crate) fn show(&mut self, (done, elapsed): (&Tally, Duration)) {
        if self.bar.is_none() && elapsed >= PATIENCE && self.paths.is_some() {
            self.begin(done.is_expanded);
        }
        let Some(bar) = &self.bar else { return };
        if done.is_expanded && bar.length().is_some() {
            bar.unset_length();
            bar.set_style(style(false));
        }
        bar.set_message(text(done, bar.length(), elapsed));
        bar.set_position(done.bytes);
    }

    fn begin(&mut self, is_expanded: bool) {
        let paths = self.paths.clone().unwrap_or_default();
        let bar = ProgressBar::no_length().with_style(style(false));
        // To look at a million files takes longer than to begin with them.
        if !paths.is_empty() && !is_expanded {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if let Some(size) = paths.iter().map(|path| size(path)).sum::<Option<u64>>() {
                    bar.set_style(style(true));
                    bar.set_length(size);
                }
            });
        }
        self.bar = Some(bar);
    }

    /// Has `print` write to `out`.
    pub(crate) fn print(
        &self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.bar.is_none() || !self.is_shared {
            print(out)?;
            return out.flush();
        }
        // The line is taken away for what is there, and not for each part of the work: most have nothing to print.
        let mut text = Vec::new();
        print(&mut text)?;
        if text.is_empty() {
            return Ok(());
        }
        self.around(|| {
            out.write_all(&text)?;
            out.flush()
        })
    }

    /// Does something that writes to the terminal.
    pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(is_measured: bool) -> ProgressStyle {
    // What is wide is cut where the terminal ends: a line that wraps cannot be taken away.
    let template = if is_measured { "{bar:6} {wide_msg}" } else { "{spinner} {wide_msg}" };
    ProgressStyle::with_template(template).expect("a template that the tests try").progress_chars("=> ")
}

/// What has been done of so many bytes since the run began; the least wanted last, where it may be cut.
///
/// How fast is not left to the bar: born late, it takes all that was done before for the work of a moment.
fn text(done: &Tally, total: Option<u64>, elapsed: Duration) -> String {
    let rate = done.bytes as f64 / elapsed.as_secs_f64();
    let (messages, urls) = (HumanCount(done.messages()), HumanCount(done.hits));
    let counts = format!("{}/s, {messages} messages, {urls} URLs", HumanBytes(rate as u64));
    match total {
        Some(total) if done.bytes > 0 && total > 0 => {
            // Files may grow while they are read.
            let percent = (done.bytes.min(total) as f64 / total as f64 * 100.0) as u64;
            let left = Duration::from_secs_f64((total.saturating_sub(done.bytes) as f64 / rate).min(MAX_LEFT));
            format!("{percent} % of {}, {counts}, {:#} left", HumanBytes(total), HumanDuration(left))
        }
        _ => format!("{}, {counts}", HumanBytes(done.bytes)),
    }
}

/// How many bytes a file has, or the files of a directory have that can be looked at; `None` for what has no size.
fn size(path: &Path) -> Option<u64> {
    let data = fs::metadata(path).ok()?;
    if data.is_file() {
        return Some(data.len());
    }
    let entries = data.is_dir().then(|| fs::read_dir(path))?.ok()?.flatten();
    // Links are not followed, there may be loops.
    Some(
        entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
            .filter_map(|entry| size(&entry.path()))
            .sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::{Duration, Tally, style, text};

    #[test]
    fn the_templates_are_templates() {
        style(true);
        style(false);
    }

    #[test]
    fn how_fast_and_how_long_is_of_the_whole_run() {
        let (mega, giga) = (1 << 20, 1 << 30);
        let table = [
            // Bytes, of so many, in so many seconds.
            (giga, Some(4 * giga), 1, "25 % of 4.00 GiB, 1.00 GiB/s, 1,234,567 messages, 12,345,678 URLs, 3s left"),
            (giga, Some(4 * giga), 100, "25 % of 4.00 GiB, 10.24 MiB/s, 1,234,567 messages, 12,345,678 URLs, 5m left"),
            (mega, None, 2, "1.00 MiB, 512.00 KiB/s, 1,234,567 messages, 12,345,678 URLs"),
            // A file that grows, and sizes that say nothing.
            (2 * mega, Some(mega), 1, "100 % of 1.00 MiB, 2.00 MiB/s, 1,234,567 messages, 12,345,678 URLs, 0s left"),
            (mega, Some(0), 1, "1.00 MiB, 1.00 MiB/s, 1,234,567 messages, 12,345,678 URLs"),
            (0, Some(mega), 1, "0 B, 0 B/s, 1,234,567 messages, 12,345,678 URLs"),
        ];
        for (bytes, total, seconds, expected) in table {
            let done = Tally { bytes, read: 1_234_567, hits: 12_345_678, ..Tally::default() };
            assert_eq!(text(&done, total, Duration::from_secs(seconds)), expected);
        }
        // With no more than a byte done of all there can be, nothing overflows.
        text(&Tally { bytes: 1, ..Tally::default() }, Some(u64::MAX), Duration::from_secs(u64::from(u32::MAX)));
    }
}
