//! Properties that must hold for any input: one function for each fuzz target. Each function takes bytes, and panics if
//! a property does not hold. `tests/fuzz/run` searches with libFuzzer for bytes that make a function panic.
//! `tests/properties.rs` and `src/mail/tests/transfer.rs` call the functions without libFuzzer.
//!
//! If an input makes a function panic, correct the error, and add the input as a case in `corpus/` or as a test.

mod archive;
mod browser;
mod html;
mod listener;
mod message;
mod mime;
mod scan;
mod structure;
mod tasks;
mod tee;
mod url;

pub use self::url::url;
pub use archive::archive;
pub use browser::browser;
pub use html::html;
pub use mail::transfer;
pub use message::message;
pub use scan::scan;
pub use structure::mutate;
pub use tasks::tasks;
pub use tee::tee;

#[path = "../../requests.rs"]
mod requests;
#[path = "../../support"]
mod support {
    #[allow(dead_code)]
    pub(crate) mod record;
    pub(crate) mod short;
}

/// The decoders are private in urlspool, so this crate compiles their files again.
#[allow(dead_code, unused_imports)]
#[path = "../../../src/simd/mod.rs"]
mod simd;

#[allow(dead_code)]
#[path = "../../../src/shared.rs"]
mod shared;

#[allow(dead_code, unused_imports)]
mod mail;
