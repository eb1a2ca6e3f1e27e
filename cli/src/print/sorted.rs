//! `--sort`: lines in the order of their keys. Lines that need more memory than a limit are moved to temporary files, the
//! runs, each of which is sorted. At the end, the runs are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::{env, fs, mem};

use crate::atomic_file::private;
use crate::escaped::Escaped;
use crate::status::Elsewhere;

/// The memory in bytes after which the lines are moved to a run.
const LIMIT: usize = 256 << 20;

/// The number of runs of the same level after which they are merged into one of the next level, because a program can
/// open only some hundred files. So each line is written once per level, and a level has `RUNS` times the lines of the
/// level before it.
const RUNS: usize = if cfg!(test) { 4 } else { 64 };

/// The memory in bytes that a line needs besides its text and its key: twice its place in the vector, which doubles when
/// it is full; half a place for the sort; and 16 bytes of the allocator for each of the text and the key.
const OVERHEAD: usize = 2 * size_of::<Line>() + size_of::<Line>() / 2 + 2 * 16;

/// Sorts lines by their keys, byte by byte. Lines with the same key stay in their order.
pub(crate) struct Sorted {
    /// Whether only the first line of each key stays.
    unique: bool,
    limit: usize,
    /// The lines that are not in a run.
    kept: Vec<Line>,
    /// The memory use of `kept` in bytes.
    size: usize,
    /// The runs, each with its level.
    runs: Vec<(File, u32)>,
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
    pub(crate) fn new(unique: bool) -> Sorted {
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
        self.runs.push((run, 0));
        for level in 0.. {
            // The runs of higher levels are earlier.
            let first = self.runs.partition_point(|run| run.1 > level);
            if self.runs.len() - first < RUNS {
                break;
            }
            let merged = temporary(|run| self.merge(first, |line| put(run, line).map(|()| true)))?;
            self.runs.push((merged, level + 1));
        }
        Ok(())
    }

    /// Writes the first `most` lines to `out`, and removes all.
    pub(super) fn write(&mut self, mut most: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        if most > 0 {
            self.merge(0, |line| {
                most -= 1;
                out.write_all(&line.text).map(|()| most > 0)
            })?;
        }
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

    /// Removes the runs from the run `first` on, and all lines in memory. Passes their lines to `to` in order, until it
    /// returns `false`.
    fn merge(&mut self, first: usize, mut to: impl FnMut(&Line) -> io::Result<bool>) -> io::Result<()> {
        let mut runs: Vec<_> = self.runs.split_off(first).into_iter().map(|(file, _)| BufReader::new(file)).collect();
        let mut rest = self.in_memory();
        let last = runs.len();
        let mut next =
            |run: usize| runs.get_mut(run).map_or_else(|| Ok(rest.next()), |file| read(file, run).map_err(failed));
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
            if (!self.unique || before.is_none_or(|before| before.key != line.key)) && !to(&line)? {
                break;
            }
            before = Some(line);
        }
        Ok(())
    }
}

/// Creates a temporary file without a name, with the content that `write` writes. Returns it at its beginning.
fn temporary(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let create = || {
        let folder = env::temp_dir();
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
    let mut file = create().map_err(failed)?;
    let mut out = BufWriter::new(&mut file);
    write(&mut out)?;
    out.flush().map_err(failed)?;
    drop(out);
    file.rewind().map_err(failed)?;
    Ok(file)
}

/// Returns the error for a temporary file.
fn failed(error: io::Error) -> io::Error {
    let folder = env::temp_dir();
    let folder = Escaped::path(&folder);
    let why = format!("a temporary file of --sort in {folder} failed: {error}; set TMPDIR to another directory");
    io::Error::new(error.kind(), Elsewhere(why))
}

/// Writes a line: its key and its text, each after its length.
fn put(out: &mut dyn Write, line: &Line) -> io::Result<()> {
    let mut put = |text: &[u8]| out.write_all(&text.len().to_le_bytes()).and_then(|()| out.write_all(text));
    put(&line.key).and_then(|()| put(&line.text)).map_err(failed)
}

/// Reads a line of the run with this number. Returns `None` at the end.
fn read(file: &mut BufReader<File>, run: usize) -> io::Result<Option<Line>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut text = || {
        let mut length = [0; size_of::<usize>()];
        file.read_exact(&mut length)?;
        let mut text = vec![0; usize::from_le_bytes(length)].into_boxed_slice();
        file.read_exact(&mut text)?;
        io::Result::Ok(text)
    };
    Ok(Some(Line { key: text()?, run, text: text()? }))
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
                // So each line was written at most once per level.
                let levels: Vec<_> = sorted.runs.iter().map(|(_, level)| *level).collect();
                prop_assert!(levels.is_sorted_by(|a, b| a >= b) && levels.chunk_by(|a, b| a == b).all(|runs| runs.len() < RUNS));
                let mut out = Vec::new();
                sorted.write(most, &mut out).unwrap();
                prop_assert_eq!(&String::from_utf8(out).unwrap(), &want);
            }
        }
    }

    #[test]
    fn a_run_that_is_cut_is_an_error() {
        // Each line has a key and a text of one byte, after their lengths of eight bytes. Only the wanted lines are read,
        // and the line after them.
        for (length, most, want) in
            [(54, 9, true), (53, 9, false), (45, 9, false), (41, 9, false), (36, 9, true), (41, 1, true)]
        {
            let mut sorted = Sorted { limit: 3 * (2 + OVERHEAD), ..Sorted::new(false) };
            ["a", "b", "c"].iter().for_each(|key| sorted.add(b"x", key.as_bytes()).unwrap());
            sorted.runs[0].0.set_len(length).unwrap();
            let written = sorted.write(most, &mut Vec::new());
            assert_eq!(written.is_ok(), want, "{length}, {most}");
            assert!(written.err().is_none_or(|error| error.downcast::<Elsewhere>().is_ok()));
        }
    }
}
