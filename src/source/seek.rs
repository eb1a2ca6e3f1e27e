//! Skips to the wanted part of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr_iter;

use super::{Options, Position};
use crate::container::{Format, HEAD, LOOKBACK, line_ends};
use crate::magic::{self, Magic};

/// Where reading starts in the middle of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) format: &'static Format,
    /// Offset of the last message of an earlier run, or of the wanted range. Reading starts [`LOOKBACK`] bytes before.
    pub(super) offset: u64,
    /// Number of the line in which the first bytes begin. 1 if lines are not counted from the beginning of the file.
    pub(super) line: u64,
}

/// Moves `file` to [`LOOKBACK`] bytes before the message at the position `from`, where an earlier run ended, or else
/// before the wanted range. Returns `None` and leaves `file` at its beginning if:
///
/// - the format does not allow reading to start in the middle of a file;
/// - the wanted bytes begin in the first [`HEAD`] bytes, so skipping would save little;
/// - `file` is a pipe, or ends before the wanted bytes;
/// - lines are numbered from the beginning of the file, so all earlier lines must be counted. For a position, the
///   number of earlier lines is known.
///
/// To detect the format, the function reads the first [`HEAD`] bytes.
pub(super) fn start(file: &mut File, from: Option<Position>, options: &Options) -> io::Result<Option<Start>> {
    let offset = match (from, &options.range) {
        (Some(from), _) => from.offset,
        (None, Some(range)) if !options.count_lines || options.is_relative => range.start,
        _ => 0,
    };
    if offset <= HEAD as u64 {
        return Ok(None);
    }
    let Some(format) = seek(file, offset, options)? else { return Ok(None) };
    let Some(from) = from else { return Ok(Some(Start { format, offset, line: 1 })) };
    let mut before = [0; LOOKBACK as usize];
    file.read_exact(&mut before)?;
    file.seek_relative(-(LOOKBACK as i64))?;
    let breaks = memchr_iter(b'\n', &before).count() as u64;
    // At least 1, in case the position is not one that a search has returned.
    let line = from.lines.saturating_add(1).saturating_sub(breaks).max(1);
    Ok(Some(Start { format, offset, line }))
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
    let format = || options.format.map_or_else(|| Format::detect(head), |format| format.of_file(head));
    is_plain.then(format).filter(|format| format.is_local())
}

/// Returns the last `count` bytes of a file, and their offset. If the file is shorter, returns the whole file.
pub(super) fn tail(file: &mut File, count: usize) -> io::Result<(Vec<u8>, u64)> {
    let start = file.metadata()?.len().saturating_sub(count as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok((bytes, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::FORMATS;
    use crate::source::Temp;

    const MESSAGE: &str = "From a@b Mon Jan  1 00:00:00 2001\nTo: c\n\ntext\n\n";

    #[test]
    fn reading_starts_in_the_middle_of_a_mailbox() {
        let temp = Temp::new("seek");
        let mailbox = MESSAGE.repeat(2000);
        let box_path = temp.write("box", mailbox.as_bytes());
        let old_path = temp.write("old", mailbox.replace('\n', "\r").as_bytes());
        let text_path = temp.write("text", "a line of text\n".repeat(9000).as_bytes());
        let mbox = FORMATS.iter().find(|format| format.name == "mbox");
        let (head, end) = (HEAD as u64, mailbox.len() as u64);
        let table = [
            // Columns: the file, the requested format, the start of the range, whether lines are counted, whether they
            // are counted from the start of the range, and the offset at which reading starts.
            (&box_path, None, head + 1, false, false, head + 1 - LOOKBACK),
            (&box_path, mbox, end, false, false, end - LOOKBACK),
            (&box_path, None, 70_000, false, true, 70_000 - LOOKBACK),
            (&box_path, None, 70_000, true, true, 70_000 - LOOKBACK),
            // All earlier lines must be counted.
            (&box_path, None, 70_000, true, false, 0),
            // The range begins in the first bytes or after the end.
            (&box_path, None, head, false, false, 0),
            (&box_path, None, end + 1, false, false, 0),
            // The lines end in CR, so the bytes must be converted from the beginning.
            (&old_path, mbox, 70_000, false, false, 0),
            // A piece of text can begin anywhere, so all bytes must be read.
            (&text_path, None, 70_000, false, false, 0),
            (&box_path, FORMATS.iter().find(|format| format.name == "text"), 70_000, false, false, 0),
        ];
        for (path, format, start, count_lines, is_relative, want) in table {
            let options =
                Options { format, range: Some(start..u64::MAX), count_lines, is_relative, ..Options::default() };
            let mut file = File::open(path).expect("a file");
            let found = super::start(&mut file, None, &options).expect("bytes");
            assert_eq!(found.map(|start| start.format), mbox.filter(|_| want > 0), "{path:?} from {start}");
            assert_eq!(file.stream_position().expect("an offset"), want, "{path:?} from {start}");
        }
    }

    /// Reading starts 4 bytes before the message. They are the last letters of the line `text`, its line break, and a
    /// blank line.
    #[test]
    fn a_later_run_starts_before_the_last_message() {
        let temp = Temp::new("resume");
        let path = temp.write("box", MESSAGE.repeat(2000).as_bytes());
        let mut file = File::open(&path).expect("a file");
        let offset = 1500 * MESSAGE.len() as u64;
        let position = Position { offset, end: offset, messages: 1500, lines: 1500 * 5 };
        let found = start(&mut file, Some(position), &Options::default()).expect("bytes").expect("a mailbox");
        assert_eq!((found.format.name, found.line), ("mbox", 1500 * 5 - 1));
        // The first line is line 1, even if the position was made with other values.
        let odd = Position { lines: 1, ..position };
        let mut again = File::open(&path).expect("a file");
        let found = start(&mut again, Some(odd), &Options::default()).expect("bytes");
        assert_eq!(found.map(|start| start.line), Some(1));
        let mut rest = String::new();
        file.read_to_string(&mut rest).expect("bytes");
        assert_eq!(rest, format!("xt\n\n{}", MESSAGE.repeat(500)));
    }

    #[test]
    fn the_tail_is_the_end_of_a_file_or_the_whole_file() {
        let temp = Temp::new("tail");
        let mut file = File::open(temp.write("file", b"0123456789")).expect("a file");
        for (count, want, start) in [(4, "6789", 6), (10, "0123456789", 0), (11, "0123456789", 0)] {
            assert_eq!(tail(&mut file, count).expect("a file"), (want.into(), start), "{count} bytes");
        }
    }
}
