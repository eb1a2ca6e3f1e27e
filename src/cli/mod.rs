//! The command: what it is asked for, what it does, what it prints. It stands on the library's public API alone.
//!
//! ```text
//! args      what can be asked for: clap's table and the help
//!   values      how values are written
//! config    what was asked for: checked, and made into objects
//!   contradiction  options that contradict each other
//! misuse    what clap says of habits and slips, said better
//! input     which paths are read
//! run       the URLs of those paths …
//! select      … that are asked for …
//! unmet       schemes that are asked for and stand nowhere
//! unchosen    newsgroups, lists and times that are asked for, and what is of none of them
//! collect     … from all workers, in their order …
//!   told      what was damaged, and the option that helps
//! print       … laid out
//!   report    … or shown in charts
//!   progress  … with a bar if it takes long
//! tee       the mail filter: standard input passed on, and what is found put elsewhere
//! passage     the way of the mail
//! hits        where the findings go
//! guard       what must not end it
//! add_header  the fields above the message
//! check     the other mode: single URLs, component by component
//!   draw    … each where it lies
//! generate  man page, completions, the list of schemes
//! status    how it all ended
//! harmless  names and URLs, as a terminal may be shown them
//! ```

mod add_header;
mod args;
mod check;
mod collect;
mod config;
mod contradiction;
mod draw;
mod generate;
mod guard;
mod harmless;
mod hits;
mod input;
mod misuse;
mod passage;
mod print;
mod progress;
mod report;
mod run;
mod select;
mod status;
mod tee;
mod told;
mod unchosen;
mod unmet;
mod values;

use std::ffi::OsString;

use self::config::Job;
use self::status::Status;

/// Does what the arguments say.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> Status {
    let arguments: Vec<OsString> = arguments.collect();
    let in_mail_path = config::is_filter(&arguments);
    match config::read(&arguments) {
        Ok(Job::List(list)) => run::list(*list),
        Ok(Job::Filter(filter)) => guard::unless_panic(|| Some(tee::tee(*filter))).unwrap_or(Status::Deferred),
        Ok(Job::Check(check)) => check::check(&check),
        Ok(Job::Generate(what)) => generate::generate(what),
        Ok(Job::Schemes) => generate::schemes(),
        Ok(Job::Help) => generate::help(),
        Err(error) => {
            // Help and version are "errors" that go to standard output; if that is closed there is nobody to tell.
            let _ = error.print();
            match (error.use_stderr(), in_mail_path) {
                (false, _) => Status::Found,
                (true, false) => Status::Trouble,
                (true, true) => Status::Deferred,
            }
        }
    }
}
