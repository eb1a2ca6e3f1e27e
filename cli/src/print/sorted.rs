//! `--sort`: lines in the order of their keys. Lines that need more memory than a limit are moved to temporary files, the
//! runs, each of which is sorted. At the end, the runs are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::{env, fs, mem};

use crate::atomic_file::private;
use crate::escaped::Escaped;

/// The memory in bytes after which the lines are moved to a run.
const LIMIT: usize = 256 << 20;

/// The number of runs after which they are merged into one, because a program can open only some hundred files.
const RUNS: usize = 64;

/// The memory in bytes that a line needs besides its text and its key.
const OVERHEAD: usize = 48;

/// Sorts lines by their keys, byte by byte. Lines with the same key stay in their order.
pub(super) struct Sorted {
    /// Whether only the first line of each key stays.
    unique: bool,
    limit: usize,
    /// The lines that are not in a run.
    kept: Vec<Line>,
    /// The memory use of `kept` in bytes.
    size: usize,
    runs: Vec<File>,
}

/// A line. The order is that of the output: the lines of an earlier run were added earlier.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    key: Box<[u8]>,
    /// The number of its run.
    run: usize,
    text: Box<[u8]>,
}

impl Sorted {
    pub(super) fn new(unique: bool) -> Sorted {
        Sorted { unique, limit: LIMIT, kept: Vec::new(), size: 0, runs: Vec::new() }
    }

    /// Adds a line.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be written.
    pub(super) fn add(&mut self, line: &[u8], key: &[u8]) -> io::Result<()> {
        self.kept.push(Line { key: key.into(), run: self.runs.len(), text: line.into() });
        self.size += line.len() + key.len() + OVERHEAD;
        if self.size < self.limit {
            return Ok(());
        }
        let run = temporary(|run| self.in_memory().try_for_each(|line| put(run, &line)))?;
        self.runs.push(run);
        if self.runs.len() == RUNS {
            let merged = temporary(|run| self.merge(|line| put(run, line)))?;
            self.runs.push(merged);
        }
        Ok(())
    }

    /// Writes the first `most` lines to `out`, and removes all.
    pub(super) fn write(&mut self, mut most: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        self.merge(|line| {
            let is_wanted = most > 0;
            most = most.saturating_sub(1);
            if is_wanted { out.write_all(&line.text) } else { Ok(()) }
        })?;
        out.flush()
    }

    /// Removes the lines that are not in a run, and returns them sorted.
    fn in_memory(&mut self) -> impl Iterator<Item = Line> + use<> {
        let mut lines = mem::take(&mut self.kept);
        self.size = 0;
        // The sort is stable.
        lines.sort_by(|a, b| a.key.cmp(&b.key));
        if self.unique {
            lines.dedup_by(|a, b| a.key == b.key);
        }
        lines.into_iter()
    }

    /// Removes all lines, and passes them to `to` in order.
    fn merge(&mut self, mut to: impl FnMut(&Line) -> io::Result<()>) -> io::Result<()> {
        let mut runs: Vec<_> = mem::take(&mut self.runs).into_iter().map(BufReader::new).collect();
        let mut rest = self.in_memory();
        let last = runs.len();
        let mut next = |run: usize| runs.get_mut(run).map_or_else(|| Ok(rest.next()), |file| read(file, run));
        let mut heads = BinaryHeap::new();
        for run in 0..=last {
            heads.extend(next(run)?.map(Reverse));
        }
        let mut before: Option<Line> = None;
        while let Some(mut head) = heads.peek_mut() {
            let Reverse(line) = match next(head.0.run)? {
                Some(following) => mem::replace(&mut *head, Reverse(following)),
                None => PeekMut::pop(head),
            };
            if !self.unique || before.is_none_or(|before| before.key != line.key) {
                to(&line)?;
            }
            before = Some(line);
        }
        Ok(())
    }
}

/// Creates a temporary file without a name, with the content that `write` writes. Returns it at its beginning.
fn temporary(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let folder = env::temp_dir();
    let create = || {
        for number in 0.. {
            let path = folder.join(format!("urlspool-sort-{}-{number}", std::process::id()));
            match private().read(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // Nobody else needs the name. Without it, the file ends with the process, however that ends.
                file => return file.and_then(|file| fs::remove_file(&path).map(|()| file)),
            }
        }
        unreachable!("a number is free")
    };
    let written = create().and_then(|mut file| {
        let mut out = BufWriter::new(&mut file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.rewind()?;
        Ok(file)
    });
    written.map_err(|error| {
        let folder = Escaped::path(&folder);
        let why = format!("--sort needs a temporary file in {folder}: {error}; set TMPDIR to another directory");
        io::Error::new(error.kind(), why)
    })
}

/// Writes a line: its key and its text, each after its length.
fn put(out: &mut dyn Write, line: &Line) -> io::Result<()> {
    [&line.key, &line.text].into_iter().try_for_each(|text| {
        out.write_all(&text.len().to_le_bytes())?;
        out.write_all(text)
    })
}

/// Reads a line of the run with this number. Returns `None` at the end.
fn read(file: &mut BufReader<File>, run: usize) -> io::Result<Option<Line>> {
    let mut text = || {
        let mut length = [0; size_of::<usize>()];
        file.read_exact(&mut length)?;
        let mut text = vec![0; usize::from_le_bytes(length)].into_boxed_slice();
        file.read_exact(&mut text)?;
        io::Result::Ok(text)
    };
    match text() {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        key => Ok(Some(Line { key: key?, run, text: text()? })),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// The result does not depend on the limit. With a limit of one byte, each line is a run, and runs are merged.
        #[test]
        fn runs_are_sorted_as_a_whole(
            lines in prop::collection::vec(("[ab]{0,3}", "[x-z\n]{0,4}"), 0..300), unique: bool, most in 0..400_usize,
        ) {
            let mut want: Vec<_> = lines.clone();
            want.sort_by(|(a, _), (b, _)| a.cmp(b));
            if unique {
                want.dedup_by(|(a, _), (b, _)| a == b);
            }
            let want: String = want.into_iter().take(most).map(|(_, line)| line).collect();
            for limit in [1, 500, LIMIT] {
                let mut sorted = Sorted { limit, ..Sorted::new(unique) };
                for (key, line) in &lines {
                    sorted.add(line.as_bytes(), key.as_bytes()).unwrap();
                }
                let mut out = Vec::new();
                sorted.write(most, &mut out).unwrap();
                prop_assert_eq!(&String::from_utf8(out).unwrap(), &want);
            }
        }
    }
}
