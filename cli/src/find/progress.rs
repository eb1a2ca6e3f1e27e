//! The progress line, shown on a terminal if the run takes longer than a second.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use terminal_size::{Width, terminal_size};

use crate::tally::Tally;

/// The line is first drawn after this time.
const DELAY: Duration = Duration::from_secs(1);

/// The least time between two lines.
const PAUSE: Duration = Duration::from_millis(50);

/// The progress line on standard error.
pub(crate) struct Progress {
    /// The paths to read. On the progress line, 100 % is the total size of their files. The list is empty if the total
    /// size is unknown. `None` if no progress line is shown.
    paths: Option<Vec<PathBuf>>,
    line: Option<Line>,
    /// Whether standard output is also a terminal. If so, the progress line is removed while URLs are printed.
    is_shared: bool,
}

struct Line {
    text: String,
    drawn: Instant,
    /// The total size of the files, when it is known.
    total: Arc<OnceLock<u64>>,
}

impl Progress {
    pub(crate) fn new(paths: Option<Vec<PathBuf>>, is_shared: bool) -> Progress {
        Progress { paths, line: None, is_shared }
    }

    pub(crate) fn show(&mut self, done: &Tally, elapsed: Duration) {
        if elapsed < DELAY || self.line.as_ref().is_some_and(|line| line.drawn.elapsed() < PAUSE) {
            return;
        }
        let Some(paths) = &self.paths else { return };
        let total = self.line.take().map_or_else(|| total(paths, done.is_expanded), |line| line.total);
        let text = text(done, total.get().copied().filter(|_| !done.is_expanded), elapsed);
        let line = Line { text, drawn: Instant::now(), total };
        line.draw();
        self.line = Some(line);
    }

    /// Calls `print` to write to `out`. If standard output is also a terminal, removes the progress line before the
    /// output is written, and shows the line again afterwards.
    pub(crate) fn print(
        &self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.line.is_none() || !self.is_shared {
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
        self.end();
        let result = work();
        if let Some(line) = &self.line {
            line.draw();
        }
        result
    }

    pub(crate) fn end(&self) {
        if self.line.is_some() {
            write("");
        }
    }
}

impl Line {
    fn draw(&self) {
        let width = terminal_size().map_or(80, |(Width(width), _)| usize::from(width));
        // A terminal wraps a longer line, and a wrapped line cannot be removed.
        write(&self.text[..self.text.len().min(width.saturating_sub(1))]);
    }
}

/// Replaces the line at the cursor by `text`.
fn write(text: &str) {
    // The run continues if the terminal is closed.
    let _ = write!(io::stderr(), "\r\x1b[2K{text}");
}

/// Returns the total size of the files, which is known later. Adding up the sizes of a million files takes long, so
/// another thread adds them up.
fn total(paths: &[PathBuf], is_expanded: bool) -> Arc<OnceLock<u64>> {
    let total = Arc::new(OnceLock::new());
    if !paths.is_empty() && !is_expanded {
        let (paths, total) = (paths.to_vec(), Arc::clone(&total));
        std::thread::spawn(move || {
            paths.iter().map(|path| size(path)).sum::<Option<u64>>().map(|size| total.set(size))
        });
    }
    total
}

/// Returns the text of the progress line, in ASCII. The least important part is last, because the line is truncated to
/// the width of the terminal. The rate is the average over the whole run.
fn text(done: &Tally, total: Option<u64>, elapsed: Duration) -> String {
    let rate = done.bytes as f64 / elapsed.as_secs_f64();
    let counts =
        format!("{}/s, {} messages, {} URLs", bytes(rate as u64), grouped(done.messages()), grouped(done.hits));
    match total {
        Some(total) if done.bytes > 0 && total > 0 => {
            // A file can grow while it is read, so `bytes` can be more than `total`.
            let percent = (done.bytes.min(total) as f64 / total as f64 * 100.0) as u64;
            let left = (total.saturating_sub(done.bytes) as f64 / rate) as u64;
            format!("{percent} % of {}, {counts}, {} left", bytes(total), time(left))
        }
        _ => format!("{}, {counts}", bytes(done.bytes)),
    }
}

fn bytes(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] {
        if scaled < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{scaled:.2} {unit}") };
        }
        scaled /= 1024.0;
    }
    format!("{scaled:.2} EiB")
}

/// Returns a number with a comma before each group of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let ends = (digits.len() % 3..=digits.len()).step_by(3).filter(|&end| end > 0);
    let groups: Vec<_> = ends.map(|end| &digits[end.saturating_sub(3)..end]).collect();
    groups.join(",")
}

/// Returns a time in the largest unit that makes at least 1.5 of it.
fn time(seconds: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let units = [(365 * DAY, 'y'), (7 * DAY, 'w'), (DAY, 'd'), (60 * 60, 'h'), (60, 'm'), (1, 's')];
    let (unit, name) = *units.iter().find(|(unit, _)| seconds >= unit + unit / 2).unwrap_or(&(1, 's'));
    format!("{}{name}", seconds.saturating_add(unit / 2) / unit)
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
    use super::{Duration, Tally, grouped, text, time};

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

    #[test]
    fn numbers_and_times() {
        assert_eq!(
            [0, 12, 999, 1000, 123_456, 7_000_001].map(grouped),
            ["0", "12", "999", "1,000", "123,456", "7,000,001"]
        );
        assert_eq!([0, 89, 90, 5400, 200_000, u64::MAX].map(time), ["0s", "89s", "2m", "2h", "2d", "584942417355y"]);
    }
}
