//! `urlspool`: finds the URLs in mail and news archives. The command uses only the public interface of the library.
//!
//! ```text
//! args        the options: clap's table and the help
//!   values        parsers of option values
//!   conflicts     options that contradict each other
//!   foreign_flags hints for options of other programs
//! config      options, checked and turned into the objects that do the work
//! list        prints the URLs of paths
//!   input           which paths are read
//!   output          standard output, or the file of -o
//!   select          which hits are printed
//!   collect         collects the output of the workers, in order
//!   filter_report   warnings if --newsgroup, --list, --since or --until match nothing
//!   unseen_schemes  unknown schemes of --scheme that no URL has
//!   with_hint       diagnostics and errors, each with a hint
//!   progress        the progress line
//! event       everything that the library reports, as one type
//! tally       counts, for statistics, histograms, the report and the progress line
//! print       one file per output format
//!   fields        the fields of JSON, CSV, TSV and Parquet: a row each
//! report      the report page
//! state       --state: what earlier runs have read
//!   known         what that is, in memory
//!   journal       the state file
//!   record        its lines
//!   fingerprint   hashes of parts of a file
//! atomic_file a file that is put in its place when it is whole
//! filter      --tee: passes standard input on, and records its URLs
//!   passthrough     passes the mail on
//!   hits            records the URLs
//!   add_header      adds header fields to the message
//!   output_guard    survives closed or limited output, and panics
//! check       --check: single URLs, component by component
//!   draw            draws the components below the URL
//! show        --show: prints one message as it is stored
//! generate    man page, completions, the schema, the list of schemes
//! glossary    definitions of the names in the output, for help and man page
//! status      the exit status
//! patient     waits for pipes that do not block
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
mod glossary;
mod list;
mod patient;
mod print;
mod report;
mod show;
mod state;
mod status;
mod tally;

use std::ffi::OsString;
use std::process::ExitCode;

use self::config::Job;
use self::status::Status;

fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

/// Runs the job that the arguments describe.
fn run(arguments: Vec<OsString>) -> Status {
    let in_mail_path = config::is_filter(&arguments);
    filter::output_guard::outlive_limits();
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
            // Help and version are "errors" that go to standard output. If that is closed, nobody reads them.
            let _ = error.print();
            match (error.use_stderr(), in_mail_path) {
                (false, _) => Status::Found,
                (true, false) => Status::Failed,
                (true, true) => Status::Deferred,
            }
        }
    }
}
