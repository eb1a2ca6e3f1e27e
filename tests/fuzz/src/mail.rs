//! The decoders, in a module of the same name as in urlspool, and their property.

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
