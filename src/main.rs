//! `urlspool`: finds the URLs in mail and news archives.
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os()).into()
}
