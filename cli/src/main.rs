//! `urlspool`: finds the URLs in mail and news archives. The command uses only the public interface of the library.
//!
//! ```text
//! args        the table of options for clap, and the help
//!   values        parsers for the values of options
//!   conflicts     options that cannot be used together
//!   foreign_flags hints for options of other commands
//! config      checks the options and creates the objects that do the work
//! globs       selects files by --glob and --exclude
//! list        prints the URLs in files and directories
//!   input           the paths to read
//!   output          standard output, or the file of -o
//!   select          decides which URLs and rejects are printed
//!   collect         merges the output of the workers, in order
//!   once            --once: skips repeated messages
//!   filter_report   warnings about options that exclude everything
//!   skip_report, unseen_schemes: warnings about skipped files and unknown schemes
//!   with_hint       adds hints to diagnostics and errors
//!   progress        the progress line
//! tally       counts, for statistics, histograms, the report and the progress line
//! print       the output formats, one file each
//!   fields        the table of fields in JSON, CSV, TSV and Parquet
//! report      the HTML page of --report
//! state       --state: reads only new messages and files
//!   known         the messages and files that earlier runs have read
//!   journal       the state file
//!   record, fingerprint: the lines of the state file, and the hashes in them
//! atomic_file an output file that appears only when it is complete
//! filter      --tee: passes mail on and records its URLs
//!   passthrough     copies the mail
//!   hits            --hits: writes the URLs to a file or descriptor
//!   add_header      --add-header: adds header fields to the message
//!   output_guard    protects the mail from panics and file size limits
//! check       --check: parses single URLs
//!   draw            draws the components of a URL
//! show        --show: prints one message as it is stored
//! tasks       --files, --manifest, --task, --merge: divides a search into tasks
//! generate    man page, completions, the schema, the list of schemes
//! glossary    definitions of the names in the output, for help and man page
//! status      the exit status
//! standard_streams: standard output as a file, and closed standard streams
//! patient     reads and writes that wait, even on non-blocking descriptors
//! file_id     detects that two names mean the same file
//! escaped     names and URLs without control characters, for terminals
//! ```
#![forbid(unsafe_code)]

mod args;
mod atomic_file;
mod check;
mod config;
mod escaped;
mod file_id;
mod filter;
mod generate;
mod globs;
mod glossary;
mod list;
mod patient;
mod print;
mod report;
mod show;
mod standard_streams;
mod state;
mod status;
mod tally;
mod tasks;

use std::ffi::OsString;
use std::process::ExitCode;

use self::config::Job;
use self::filter::output_guard::{outlive_limits, unless_panic};
use self::status::Status;

fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

fn run(arguments: Vec<OsString>) -> Status {
    let in_mail_path = config::is_filter(&arguments);
    outlive_limits();
    match config::read(&arguments) {
        Ok(Job::List(list)) => list::list(*list),
        Ok(Job::Filter(filter)) => unless_panic(|| Some(filter::tee(*filter))).unwrap_or(Status::Deferred),
        Ok(Job::Check(check)) => check::check(&check),
        Ok(Job::Show(message)) => show::show(&message),
        Ok(Job::Tasks(job)) => tasks::tasks(job),
        Ok(Job::Generate(what)) => generate::generate(what),
        Ok(Job::Schemes) => generate::schemes(),
        Ok(Job::Help) => generate::help(),
        Err(error) => {
            let printed = error.print();
            match (error.use_stderr(), in_mail_path) {
                // clap also returns `--help` and `--version` as errors.
                (false, _) => Status::Found.after_flush(printed),
                (true, false) => Status::Failed,
                (true, true) => Status::Deferred,
            }
        }
    }
}
