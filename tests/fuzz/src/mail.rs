//! Compiles the decoders of urlspool, and the property that checks them. This module must have the name `mail`, as in
//! urlspool, because some functions of the decoders are `pub(in crate::mail)`.

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
