//! The decoders of urlspool and their property. The module has the same name as in urlspool, because some items of the
//! decoders are visible only in `crate::mail`.

#[path = "../../../src/mail/map.rs"]
pub(crate) mod map;
#[path = "transfer.rs"]
mod property;
#[path = "../../../src/mail/transfer/mod.rs"]
pub(crate) mod transfer;

/// Input: encoded text.
pub fn transfer(bytes: &[u8]) {
    property::transfer(bytes);
}
