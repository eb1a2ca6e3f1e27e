//! Goes straight to a part of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::Options;
use super::magic::{self, Magic};
use crate::container::{Format, HEAD, LOOKBACK};

/// Moves to where the wanted range of `file` begins, [`LOOKBACK`] bytes before it, and gives the file's format, if that
/// is one whose messages can be told from any place. Else, or if there is nothing to gain by it, or lines and messages are
/// to be counted from the beginning, leaves `file` at its beginning.
///
/// Costs a look at the first [`HEAD`] bytes.
pub(super) fn skip(file: &mut File, options: &Options) -> io::Result<Option<&'static Format>> {
    let start = options.range.as_ref().map_or(0, |range| range.start);
    if start <= HEAD as u64 || options.count_lines {
        return Ok(None);
    }
    let metadata = file.metadata()?;
    // Behind the end there is nothing to go to.
    if !metadata.is_file() || start > metadata.len() {
        return Ok(None);
    }
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let format = options.format.unwrap_or_else(|| Format::detect(&head));
    let is_plain = magic::look(&head) == Magic::Plain && magic::reach(&head) == 0 && !magic::lines_end_in_cr(&head);
    let is_local = is_plain && format.is_local();
    file.seek(SeekFrom::Start(if is_local { start - LOOKBACK } else { 0 }))?;
    Ok(is_local.then_some(format))
}

/// The last `count` bytes of a file, or all, and where they begin.
pub(super) fn tail(path: &Path, count: usize) -> io::Result<(Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(count as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok((bytes, start))
}
