//! Converts a whole `.msg` file or `winmail.dat` file.

use super::msg::{self, Ole};
use super::{Budget, Converted, mime, tnef};

/// Converts a compound file (OLE) if it is a message.
pub(crate) fn read_ole(bytes: &[u8]) -> Ole<Converted> {
    let mut budget = Budget::new();
    match msg::item(bytes, 0, &mut budget) {
        Ole::Message(item) => {
            let message = mime::message(item, true, 0, &mut budget);
            Ole::Message(Converted { message, is_damaged: budget.is_damaged })
        }
        Ole::Document => Ole::Document,
        Ole::Damaged => Ole::Damaged,
    }
}

/// Converts TNEF. The result has no From, Date and similar fields, because the message that contains the TNEF part has
/// them. Returns `None` if `bytes` is not TNEF.
pub(crate) fn from_tnef(bytes: &[u8]) -> Option<Converted> {
    let mut budget = Budget::new();
    let item = tnef::item(bytes, 0, &mut budget)?;
    let message = mime::message(item, false, 0, &mut budget);
    Some(Converted { message, is_damaged: budget.is_damaged })
}
