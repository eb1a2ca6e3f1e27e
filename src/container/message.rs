//! A file that is one message: Maildir, MH, `.eml`, a news spool, what a mail filter gets on standard input.

use super::header::BOM;
use super::{Cutter, Mark, PieceKind, Step, Window};

/// Takes the whole file as one unit of the kind.
pub(super) struct Whole(pub(super) PieceKind);

impl Cutter for Whole {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        if window.base == 0 && from == 0 {
            if window.bytes.len() < BOM.len() && !window.eof {
                return Step::More { decided: 0, note: None };
            }
            if !window.bytes.is_empty() {
                let bom = self.0 == PieceKind::Message && window.bytes.starts_with(BOM);
                let envelope = if bom { BOM.len() as u32 } else { 0 };
                return Step::Cut(Mark { at: 0, kind: self.0, envelope, note: None });
            }
        }
        Step::More { decided: window.bytes.len(), note: None }
    }
}
