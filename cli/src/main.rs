//! `urlspool`: finds the URLs in mail and news archives. The command uses only the public interface of the library.
//!
//! ```text
//! args        the command line
//!   jobs          the table of jobs
//!   flags         the table of the command's own options
//!   given         the parsed arguments
//!   config        the file of default options
//!   conflicts     options that cannot be used together
//!   foreign_flags hints for options of other commands
//!   values        parsers for values
//!   notes         the texts around the options in the help
//! find        lists the URLs in files and directories
//!   input           the paths to read
//!   globs           selects files by --glob
//!   output          standard output, or the file of -o
//!   select          decides which hits, rejects and diagnostics are printed
//!   collect         merges the output of the workers, in order
//!   once            --once: skips repeated messages
//!   filter_report   warnings about options that exclude everything
//!   skip_report, unseen_schemes: warnings about skipped files and unknown schemes
//!   with_hint       adds hints to diagnostics and errors
//!   progress        the progress line
//! count       counts URLs by fields
//! report      the HTML page
//! check       parses single URLs
//!   draw            draws the components of a URL
//! explain     says which rules found, cut or refused URLs
//! show        prints messages as they are stored
//! tee         passes mail on and records its URLs
//!   passthrough     copies the mail
//!   hits            --hits: writes the URLs to a file or descriptor
//!   add_header      --add-header: adds header fields to the message
//!   output_guard    protects the mail from panics and file size limits
//! files       lists the files that a search would read
//! tasks       plan, run, merge: divides a search into tasks
//! generate    man page, completions, the schema, the list of schemes
//! tally       counts, for statistics, the report and the progress line
//! print       the output formats, one file each
//! state       --state: reads only new messages and files
//!   known         the messages and files that earlier runs have read
//!   journal       the state file
//!   record, fingerprint: the lines of the state file, and the hashes in them
//! atomic_file an output file that appears only when it is complete
//! near        finds names that a misspelt name may mean
//! glossary    definitions of the names in the output, for help and man page
//! status      the exit status
//! standard_streams: standard output as a file, and closed standard streams
//! patient     reads and writes that wait, even on non-blocking descriptors
//! file_id     detects that two names mean the same file
//! last_byte   reads the last byte of a file
//! escaped     names and URLs without control characters, for terminals
//! ```
#![forbid(unsafe_code)]

mod args;
mod atomic_file;
mod check;
mod count;
mod escaped;
mod explain;
mod file_id;
mod files;
mod find;
mod generate;
mod glossary;
mod last_byte;
mod near;
mod patient;
mod print;
mod report;
mod show;
mod standard_streams;
mod state;
mod status;
mod tally;
mod tasks;
mod tee;

use std::ffi::OsString;
use std::process::ExitCode;

use self::args::jobs::{self, Name};
use self::args::{Asked, Wrong, config, conflicts, notes};
use self::status::Status;
use self::tasks::{merge, plan};

fn main() -> ExitCode {
    tee::output_guard::outlive_limits();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let status = run(&arguments).unwrap_or_else(|Wrong(why)| {
        status::print_message(why);
        // The mail system keeps the message and tries again later.
        let is_filter = jobs::selected(&arguments).0.name == Name::Tee || jobs::has_filter_option(&arguments);
        if is_filter { Status::Deferred } else { Status::Failed }
    });
    status.into()
}

fn run(arguments: &[OsString]) -> Result<Status, Wrong> {
    let given = match args::read(arguments)? {
        Asked::Job(given) => given,
        Asked::Text(text) => return Ok(Status::Found.with_output(text.as_bytes())),
        Asked::FirstHelp => {
            // Standard output is for URLs.
            eprint!("{}", notes::first_help());
            return Ok(Status::Failed);
        }
    };
    conflicts::check(&given).map_err(|why| config::with_source(why, given.job))?;
    match given.job.name {
        Name::Find => find::search(&given, find::printer(&given, find::style(&given))?),
        Name::Count => find::search(&given, count::printer(&given)?),
        Name::Report => find::search(&given, report::printer(&given)?),
        Name::Check => check::run(&given),
        Name::Explain => explain::run(&given),
        Name::Show => show::run(&given),
        Name::Tee => tee::run(&given),
        Name::Files => files::run(&given),
        Name::Plan => plan::run(&given),
        Name::Run => tasks::run::run(&given),
        Name::Merge => merge::run(&given),
        Name::Generate => generate::run(&given),
    }
}
