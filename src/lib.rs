//! Finds the URLs in mail and news.
#![forbid(unsafe_code)]
#[cfg(feature = "mime")]
mod container;
#[cfg(feature = "mime")]
mod error;
#[cfg(feature = "mime")]
mod mail;
pub mod scan;
#[cfg(feature = "mime")]
mod source;
pub mod url;
