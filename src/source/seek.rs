//! Skips to a part of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::Options;
use super::entry::open_file;
use super::magic::{self, Magic};
use crate::container::{Format, HEAD, LOOKBACK};

/// Moves `file` to [`LOOKBACK`] bytes before its wanted range, and returns its format. Leaves `file` at its beginning
/// if:
///
/// - messages of its format cannot be found from the middle of a file;
/// - there is nothing to gain;
/// - lines and messages are counted from the beginning.
///
/// Reads the first [`HEAD`] bytes.
pub(super) fn skip(file: &mut File, options: &Options) -> io::Result<Option<&'static Format>> {
    let start = options.range.as_ref().map_or(0, |range| range.start);
    if start <= HEAD as u64 || options.count_lines {
        return Ok(None);
    }
    let metadata = file.metadata()?;
    // After the end there is nothing to read.
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

/// Returns the last `count` bytes of a file, or all of it, and where they begin.
pub(super) fn tail(path: &Path, count: usize) -> io::Result<(Vec<u8>, u64)> {
    let mut file = open_file(path, false)?;
    let start = file.metadata()?.len().saturating_sub(count as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok((bytes, start))
}
