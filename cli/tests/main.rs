//! The integration tests of the command, in one binary.

mod archives;
mod arrow;
mod check;
// These tests need `faults/shim.c`, which replaces functions of glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults;
#[cfg(unix)]
mod filter;
mod forms;
mod growth;
mod habits;
#[cfg(unix)]
mod inbox;
mod inputs;
mod library;
mod misuse;
mod output;
mod parquet;
#[cfg(unix)]
mod readme;
#[cfg(unix)]
mod recipes;
mod report;
mod select;
mod share;
mod show;
mod state;
mod status;
mod tasks;
// Some items of this module are used only by the tests of the library.
#[allow(dead_code)]
#[path = "../../tests/support/mod.rs"]
mod support;
#[cfg(unix)]
mod terminal;
mod world;
