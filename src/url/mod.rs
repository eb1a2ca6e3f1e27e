//! The core parser.
pub mod scheme;
