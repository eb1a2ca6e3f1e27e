//! The fuzz targets are the functions of `tests/properties.rs`. The normal tests run these functions on the corpus.
//! libFuzzer searches for other inputs that fail. It needs the nightly toolchain:
//!
//! ```sh
//! cargo install cargo-fuzz
//! cargo +nightly fuzz run --fuzz-dir tests/fuzz --sanitizer none scan
//! ```
//!
//! Each failing input becomes a case in a table of `corpus/`, or a named test.

#[path = "../../properties.rs"]
pub mod properties;

#[path = "../../support"]
mod support {
    #[allow(dead_code)]
    pub(crate) mod record;
    pub(crate) mod short;
}
