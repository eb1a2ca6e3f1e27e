//! Reads the last byte of a file, to find out whether its last line is complete.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Returns the last byte of a file, or `None` if the file is empty.
pub(crate) fn last_byte(path: &Path) -> io::Result<Option<u8>> {
    let mut file = File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(1)))?;
    let mut last = Vec::new();
    file.take(1).read_to_end(&mut last)?;
    Ok(last.first().copied())
}
