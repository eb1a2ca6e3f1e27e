//! `urlspool`: finds the URLs in mail and news archives. The command uses the public interface of the library alone.
//!
//! ```text
//! args        the options: clap's table and the help
//!   values        how values are written
//!   conflicts     options that contradict each other
//!   foreign_flags hints for options of other programs
//! config      options, checked and turned into the objects that do the work
//! list        prints the URLs of paths
//!   input           which paths are read
//!   select          which hits are printed
//!   collect         from the workers to one output, in order
//!   filter_report   messages that no --newsgroup, --list, --since or --until matched
//!   unseen_schemes  schemes of --scheme that no URL had
//!   with_hint       a diagnostic, with the option that helps
//!   progress        the progress bar
//! event       what the library reports, as one type
//! tally       what is counted, for all that tell numbers
//! print       one file per output format
//!   fields        the fields of JSON, CSV, TSV and Parquet: a row each
//! report      the report page
//! atomic_file a file that is put in its place when it is whole
//! filter      --tee: passes standard input on, and records its URLs
//!   passthrough     passes the mail on
//!   hits            where the URLs are recorded
//!   add_header      the fields above the message
//!   output_guard    standard output that is closed or limited, and panics
//! check       --check: single URLs, component by component
//!   draw            draws the components below the URL
//! show        --show: prints one message as it is stored
//! generate    man page, completions, the schema, the list of schemes
//! status      the exit status
//! escaped     names and URLs without control characters, for terminals
//! ```
#![forbid(unsafe_code)]

mod args;
mod atomic_file;
mod check;
mod config;
mod escaped;
mod event;
mod filter;
mod generate;
mod list;
mod print;
mod report;
mod show;
mod status;
mod tally;

use std::ffi::OsString;
use std::process::ExitCode;

use self::config::Job;
use self::status::Status;

fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

/// Does what the arguments ask for.
fn run(arguments: Vec<OsString>) -> Status {
    let in_mail_path = config::is_filter(&arguments);
    match config::read(&arguments) {
        Ok(Job::List(list)) => list::list(*list),
        Ok(Job::Filter(filter)) => {
            filter::output_guard::unless_panic(|| Some(filter::tee(*filter))).unwrap_or(Status::Deferred)
        }
        Ok(Job::Check(check)) => check::check(&check),
        Ok(Job::Show(message)) => show::show(&message),
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
