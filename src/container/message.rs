//! A file that is one message. Such files are in a Maildir, an MH folder or a news spool, or have the extension `.eml`.
//! The standard input of a mail filter is also one message.

use super::header::{self, BOM};
use super::{Boundary, SegmentKind, Splitter, Step, Unknown, Window};

/// Splitter for a file that is one unit of this kind.
pub(super) struct Whole(pub(super) SegmentKind);

impl Splitter for Whole {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        if window.base == 0 && from == 0 {
            let envelope = match self.0 {
                SegmentKind::Message => lead(window.bytes, window.eof),
                _ => Ok(0),
            };
            match envelope {
                Err(Unknown) => return Step::More { decided: 0, note: None },
                Ok(envelope) if !window.bytes.is_empty() => {
                    return Step::Cut(Boundary { at: 0, kind: self.0, envelope: envelope as u32, note: None });
                }
                Ok(_) => {}
            }
        }
        Step::More { decided: window.bytes.len(), note: None }
    }
}

/// Returns the number of bytes before the header of the message that begins with `text`. A byte order mark always
/// counts. Blank lines and indentation count only if a known header field follows them.
fn lead(text: &[u8], all: bool) -> Result<usize, Unknown> {
    let lead = header::lead(text, all)?;
    Ok(match header::begins(&text[lead..], all)? {
        true => lead,
        false if text.starts_with(BOM) => BOM.len(),
        false => 0,
    })
}

/// Returns the index at which the header of a message begins.
pub(crate) fn start(message: &[u8]) -> usize {
    lead(message, true).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::start;

    #[test]
    fn a_byte_order_mark_is_always_before_the_header() {
        let table = [
            ("Subject: x\n", 0),
            ("\n Subject: x\n", 2),
            ("\n Nothing: x\n", 0),
            ("\u{feff}Subject: x\n", 3),
            ("\u{feff}Nothing: x\n", 3),
            ("\u{feff}\n Subject: x\n", 5),
            ("\u{feff}\n Nothing: x\n", 3),
        ];
        for (message, want) in table {
            assert_eq!(start(message.as_bytes()), want, "{message:?}");
        }
    }
}
