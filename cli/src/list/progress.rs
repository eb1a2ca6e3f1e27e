//! The progress line, shown on a terminal if the run takes longer than a second.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use crate::tally::Tally;

const DELAY: Duration = Duration::from_secs(1);

/// The maximum remaining time that is shown, in seconds: about a century. A much longer time would overflow
/// [`Duration`].
const MAX_LEFT: f64 = 3e9;

/// The progress line on standard error.
pub(crate) struct Progress {
    /// The paths to read. On the progress line, 100 % is the total size of their files. The list is empty if the total
    /// size is unknown. `None` if no progress line is shown.
    paths: Option<Vec<PathBuf>>,
    bar: Option<ProgressBar>,
    /// Whether standard output is also a terminal. If so, the progress line is removed while URLs are printed.
    is_shared: bool,
}

impl Progress {
    pub(crate) fn new(paths: Option<Vec<PathBuf>>, is_shared: bool) -> Progress {
        Progress { paths, bar: None, is_shared }
    }

    pub(crate) fn show(&mut self, (done, elapsed): (&Tally, Duration)) {
        if self.bar.is_none() && elapsed >= DELAY && self.paths.is_some() {
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
        // Adding up the sizes of a million files takes long. Another thread adds them up, so that the search need not
        // wait.
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

    /// Calls `print` to write to `out`. If standard output is also a terminal, removes the progress line before the
    /// output is written, and shows the line again afterwards.
    pub(crate) fn print(
        &self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.bar.is_none() || !self.is_shared {
            print(out)?;
            return out.flush();
        }
        // Most calls of `print` write nothing. If each of them removed the progress line, the line would flicker.
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

    /// Removes the progress line from the terminal while `work` runs.
    pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(is_measured: bool) -> ProgressStyle {
    // `wide_msg` truncates the line to the width of the terminal, because indicatif cannot remove a wrapped line.
    let template = if is_measured { "{bar:6} {wide_msg}" } else { "{spinner} {wide_msg}" };
    ProgressStyle::with_template(template).expect("a test runs both templates").progress_chars("=> ")
}

/// Returns the text of the progress line. The least important part is last, because urlspool truncates the line to the
/// width of the terminal.
///
/// The rate is the average over the whole run. The rate that indicatif computes would not include the first second,
/// because the bar is created only after this second.
fn text(done: &Tally, total: Option<u64>, elapsed: Duration) -> String {
    let rate = done.bytes as f64 / elapsed.as_secs_f64();
    let (messages, urls) = (HumanCount(done.messages()), HumanCount(done.hits));
    let counts = format!("{}/s, {messages} messages, {urls} URLs", HumanBytes(rate as u64));
    match total {
        Some(total) if done.bytes > 0 && total > 0 => {
            // A file can grow while it is read, so `bytes` can be more than `total`.
            let percent = (done.bytes.min(total) as f64 / total as f64 * 100.0) as u64;
            let left = Duration::from_secs_f64((total.saturating_sub(done.bytes) as f64 / rate).min(MAX_LEFT));
            format!("{percent} % of {}, {counts}, {:#} left", HumanBytes(total), HumanDuration(left))
        }
        _ => format!("{}, {counts}", HumanBytes(done.bytes)),
    }
}

/// Returns the size of a file, or the total size of all readable files in a directory. Returns `None` for other paths,
/// such as a pipe or a path that does not exist.
fn size(path: &Path) -> Option<u64> {
    let data = fs::metadata(path).ok()?;
    if data.is_file() {
        return Some(data.len());
    }
    let entries = data.is_dir().then(|| fs::read_dir(path))?.ok()?.flatten();
    // Symbolic links can form loops, so they are not followed.
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
    fn both_templates_are_valid() {
        style(true);
        style(false);
    }

    #[test]
    #[cfg(unix)]
    fn the_total_is_of_files_without_links() {
        use super::{fs, size};
        use std::os::unix::fs::symlink;
        let directory = std::env::temp_dir().join(format!("urlspool-progress-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        let path = |name: &str| directory.join(name);
        fs::create_dir_all(path("mail/below")).unwrap();
        fs::write(path("mail/box"), [0; 1]).unwrap();
        fs::write(path("mail/below/box"), [0; 20]).unwrap();
        fs::write(path("other"), [0; 300]).unwrap();
        symlink("../other", path("mail/link")).unwrap();
        symlink("..", path("mail/loop")).unwrap();
        symlink("gone", path("mail/dangling")).unwrap();
        symlink("mail", path("named")).unwrap();
        let table = [("mail", Some(21)), ("other", Some(300)), ("named", Some(21)), ("gone", None)];
        for (name, want) in table {
            assert_eq!(size(&path(name)), want, "{name}");
        }
        assert_eq!(size(std::path::Path::new("/dev/null")), None);
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn rate_and_remaining_time_are_those_of_the_whole_run() {
        let (mega, giga) = (1 << 20, 1 << 30);
        let table = [
            // The columns are the bytes read, the total size, the elapsed seconds and the text.
            (giga, Some(4 * giga), 1, "25 % of 4.00 GiB, 1.00 GiB/s, 1,234,567 messages, 12,345,678 URLs, 3s left"),
            (giga, Some(4 * giga), 100, "25 % of 4.00 GiB, 10.24 MiB/s, 1,234,567 messages, 12,345,678 URLs, 5m left"),
            (mega, None, 2, "1.00 MiB, 512.00 KiB/s, 1,234,567 messages, 12,345,678 URLs"),
            // In the next row, more bytes are read than the total size, because the file has grown. In the row after
            // that, the total size is 0.
            (2 * mega, Some(mega), 1, "100 % of 1.00 MiB, 2.00 MiB/s, 1,234,567 messages, 12,345,678 URLs, 0s left"),
            (mega, Some(0), 1, "1.00 MiB, 1.00 MiB/s, 1,234,567 messages, 12,345,678 URLs"),
            (0, Some(mega), 1, "0 B, 0 B/s, 1,234,567 messages, 12,345,678 URLs"),
        ];
        for (bytes, total, seconds, expected) in table {
            let done = Tally { bytes, read: 1_234_567, hits: 12_345_678, ..Tally::default() };
            assert_eq!(text(&done, total, Duration::from_secs(seconds)), expected);
        }
        // Here, the remaining time is longer than a `Duration` can hold. `text` must not panic.
        text(&Tally { bytes: 1, ..Tally::default() }, Some(u64::MAX), Duration::from_secs(u64::from(u32::MAX)));
    }
}
