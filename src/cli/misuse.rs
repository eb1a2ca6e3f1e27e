//! Mistakes that are habits of other commands, or slips of a shell: what to do about them, in place of clap's own words.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What to do about an error of clap's, where there is more to say than clap can know.
pub(super) fn advice(error: &Error) -> Option<&'static str> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    match (error.kind(), argument.as_str()) {
        (ErrorKind::UnknownArgument, "-r" | "-R" | "--recursive") => {
            Some("directories are always walked: leave out -r")
        }
        (ErrorKind::InvalidValue, "[PATH]...") => {
            Some("an argument is empty: leave it out, or look at the variable that it came from")
        }
        _ => None,
    }
}
