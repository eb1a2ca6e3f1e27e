//! Plain text: what no other format takes. It is worked on in windows.

use super::{Cutter, PieceKind, message};

pub(super) fn new(_limit: usize) -> Box<dyn Cutter> {
    message::whole(PieceKind::Text)
}
