//! The targets are the functions of `tests/properties.rs`, which the ordinary tests run with what is in the corpus. Here
//! libFuzzer looks for more, with the nightly toolchain:
//!
//! ```sh
//! cargo install cargo-fuzz
//! cargo +nightly fuzz run --fuzz-dir tests/fuzz --sanitizer none scan
//! ```
//!
//! What it finds becomes a case of a table in `corpus/`, or a test with a name.

#[path = "../../properties.rs"]
pub mod properties;

#[path = "../../support"]
mod support {
    #[allow(dead_code)]
    pub(crate) mod record;
    pub(crate) mod short;
}
