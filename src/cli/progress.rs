//! How far the work is, on a terminal, when it takes its time.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// Work that is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// What has been done.
#[derive(Default)]
pub(crate) struct Done {
    /// Octets of files that were read.
    pub(crate) octets: u64,
    pub(crate) messages: u64,
    pub(crate) hits: u64,
    /// Some of the octets were decompressed: how many there will be, nobody knows.
    pub(crate) is_expanded: bool,
}

/// A line on standard error that says what has been done.
pub(crate) struct Progress {
    /// `None` if nobody wants to know.
    paths: Option<Vec<PathBuf>>,
    begun: Instant,
    done: Done,
    bar: Option<ProgressBar>,
    /// Whether what is printed goes to the terminal too, so that the bar has to make room for it.
    is_shared: bool,
}

impl Progress {
    /// Of reading `paths`, if wanted at all; what else is read is known when it comes.
    pub(crate) fn new(paths: Option<Vec<PathBuf>>) -> Progress {
        let is_shared = io::stdout().is_terminal();
        Progress { paths, begun: Instant::now(), done: Done::default(), bar: None, is_shared }
    }

    /// More has been done.
    pub(crate) fn add(&mut self, done: &mut Done) {
        let done = std::mem::take(done);
        self.done.octets += done.octets;
        self.done.messages += done.messages;
        self.done.hits += done.hits;
        self.done.is_expanded |= done.is_expanded;
        if self.bar.is_none() && self.begun.elapsed() >= PATIENCE && self.paths.is_some() {
            self.begin();
        }
        let Some(bar) = &self.bar else { return };
        if self.done.is_expanded && bar.length().is_some() {
            bar.unset_length();
            bar.set_style(style(false));
        }
        bar.set_position(self.done.octets);
        bar.set_message(format!("{} messages, {} URLs", HumanCount(self.done.messages), HumanCount(self.done.hits)));
    }

    fn begin(&mut self) {
        let paths = self.paths.clone().unwrap_or_default();
        let bar = ProgressBar::no_length().with_style(style(false)).with_elapsed(self.begun.elapsed());
        // To look at a million files takes longer than to begin with them.
        if !paths.is_empty() && !self.done.is_expanded {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if let Some(size) = paths.iter().map(|path| size(path.clone())).sum::<Option<u64>>() {
                    bar.set_style(style(true));
                    bar.set_length(size);
                }
            });
        }
        self.bar = Some(bar);
    }

    /// Does something that may write to the terminal.
    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) if self.is_shared => bar.suspend(work),
            _ => work(),
        }
    }

    /// Does something that does write to it.
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
    let template = match is_measured {
        true => "{bar:24} {bytes} of {total_bytes}, {bytes_per_sec}, {msg}, {eta} left",
        false => "{spinner} {bytes}, {bytes_per_sec}, {msg}",
    };
    ProgressStyle::with_template(template).expect("a template that the tests try").progress_chars("=> ")
}

/// How many octets a file has, or the files of a directory have; `None` for what has no size.
fn size(path: PathBuf) -> Option<u64> {
    let data = fs::metadata(&path).ok()?;
    if data.is_file() {
        return Some(data.len());
    }
    let entries = data.is_dir().then(|| fs::read_dir(path))?.ok()?.flatten();
    // Links are not followed, there may be loops.
    Some(
        entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
            .filter_map(|entry| size(entry.path()))
            .sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn the_templates_are_templates() {
        style(true);
        style(false);
    }
}
