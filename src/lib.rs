//! Finds the URLs in mail and news.
#![forbid(unsafe_code)]
#[cfg(feature = "mime")]
pub mod container;
#[cfg(feature = "mime")]
pub mod error;
#[cfg(feature = "mime")]
mod mail;
pub mod scan;
#[cfg(feature = "mime")]
pub mod source;
pub mod url;
