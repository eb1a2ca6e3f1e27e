//! Skips to the wanted part of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memchr_iter;

use super::entry::open_file;
use super::magic::{self, Magic};
use super::{Options, Position};
use crate::container::{Format, HEAD, LOOKBACK, line_ends};

/// Moves `file` to [`LOOKBACK`] bytes before the wanted range, and returns the format of the file. Returns `None` and
/// leaves `file` at its beginning if:
///
/// - the format does not allow reading to start in the middle of a file;
/// - the range begins in the first [`HEAD`] bytes, so skipping would save little;
/// - `file` is a pipe, or ends before the range;
/// - lines are numbered from the beginning of the file, so all earlier lines must be counted.
///
/// To detect the format, the function reads the first [`HEAD`] bytes.
pub(super) fn skip(file: &mut File, options: &Options) -> io::Result<Option<&'static Format>> {
    let start = options.range.as_ref().map_or(0, |range| range.start);
    if start <= HEAD as u64 || options.count_lines && !options.is_relative {
        return Ok(None);
    }
    seek(file, start, options)
}

/// Moves `file` to [`LOOKBACK`] bytes before the message at `position`, so that earlier messages are not read again.
/// Returns the format of the file, and the number of the line in which the next bytes begin. If reading cannot start in
/// the middle of the file, returns `None` and leaves `file` at its beginning.
pub(super) fn resume(
    file: &mut File,
    position: &Position,
    options: &Options,
) -> io::Result<Option<(&'static Format, u64)>> {
    if position.offset <= HEAD as u64 {
        return Ok(None);
    }
    let Some(format) = seek(file, position.offset, options)? else { return Ok(None) };
    let mut before = [0; LOOKBACK as usize];
    file.read_exact(&mut before)?;
    file.seek_relative(-(LOOKBACK as i64))?;
    let breaks = memchr_iter(b'\n', &before).count() as u64;
    Ok(Some((format, (position.lines + 1).saturating_sub(breaks))))
}

/// Moves `file` to [`LOOKBACK`] bytes before `start`, which must be at least [`HEAD`]. If reading must start at the
/// beginning of the file, moves `file` to its beginning and returns `None`.
fn seek(file: &mut File, start: u64, options: &Options) -> io::Result<Option<&'static Format>> {
    let metadata = file.metadata()?;
    // Seeking is impossible in a pipe, and useless in a file that ends before `start`.
    if !metadata.is_file() || start > metadata.len() {
        return Ok(None);
    }
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let format = local_format(&head, options);
    file.seek(SeekFrom::Start(if format.is_some() { start - LOOKBACK } else { 0 }))?;
    Ok(format)
}

/// Returns the format of a file that begins with `head`, if reading can start in the middle of the file.
pub(super) fn local_format(head: &[u8], options: &Options) -> Option<&'static Format> {
    let is_plain = magic::look(head) == Magic::Plain && magic::reach(head) == 0 && !line_ends::are_cr(head);
    let format = || options.format.unwrap_or_else(|| Format::detect(head));
    is_plain.then(format).filter(|format| format.is_local())
}

/// Returns the last `count` bytes of a file, and their offset. If the file is shorter, returns the whole file.
pub(super) fn tail(path: &Path, count: usize) -> io::Result<(Vec<u8>, u64)> {
    let mut file = open_file(path, false)?;
    let start = file.metadata()?.len().saturating_sub(count as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok((bytes, start))
}
