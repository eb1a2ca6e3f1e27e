//! What is made out of the table of arguments and the table of schemes: man page, completions, the list of schemes.

use std::io::{self, Write};

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use urlspool::url::SCHEMES;

use crate::args::{Args, EXAMPLES, Generate, NOTES};
use crate::print::fields::{self, Field};
use crate::status::Status;

/// The man page, or the completions of a shell.
pub(crate) fn generate(what: Generate) -> Status {
    let mut command = Args::command();
    let mut out = Vec::new();
    // All but the man page have the name of a shell.
    let shell = what.to_possible_value().and_then(|value| Shell::from_str(value.get_name(), false).ok());
    match shell {
        Some(shell) => clap_complete::generate(shell, &mut command, "urlspool", &mut out),
        None => man(command.clone(), &mut out).expect("memory takes what is written to it"),
    }
    if shell == Some(Shell::Bash) {
        out = lists(&command, &String::from_utf8_lossy(&out)).into_bytes();
    }
    Status::Found.with_output(&out)
}

/// Has what stands behind a comma of a list completed as what stands alone is: clap's script for bash takes both for one
/// word.
fn lists(command: &clap::Command, script: &str) -> String {
    let lists = command.get_arguments().filter(|argument| argument.get_value_delimiter() == Some(','));
    lists.fold(script.to_owned(), |script, argument| {
        let names: Vec<_> = argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        let words = format!("-W \"{}\" --", names.join(" "));
        script.replace(
            &format!("{words} \"${{cur}}\""),
            &format!("-P \"${{cur%\"${{cur##*,}}\"}}\" {words} \"${{cur##*,}}\""),
        )
    })
}

/// The man page: clap's, with the examples as they stand.
fn man(command: clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let page = clap_mangen::Man::new(command);
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    writeln!(out, ".SH FIELDS\nThe fields of \\-\\-json, \\-\\-csv and \\-\\-tsv, in their order.")?;
    for Field { name, about, .. } in fields::all() {
        writeln!(out, ".TP\n\\fB{name}\\fR\n{}", about.replace('\\', "\\e").replace('-', "\\-"))?;
    }
    let (_, examples) = EXAMPLES.split_once('\n').unwrap_or_default();
    let examples = examples.replace('\\', "\\e").replace('-', "\\-");
    writeln!(out, ".SH EXAMPLES\n.nf\n{examples}\n.fi\n.SH NOTES\n{}", NOTES.replace('\\', "\\e"))?;
    page.render_version_section(out)
}

/// The short help, on standard error: nothing was asked for.
pub(crate) fn help() -> Status {
    eprint!("{}", Args::command().render_help().ansi());
    Status::Trouble
}

/// A line for each scheme: its name, its port, and what a URL of it begins with in a text.
pub(crate) fn schemes() -> Status {
    let mut out = Vec::new();
    for row in SCHEMES {
        let port = row.port.map(|port| port.to_string()).unwrap_or_default();
        writeln!(out, "{}\t{port}\t{}{}", row.name, row.name, row.what_follows())
            .expect("memory takes what is written to it");
    }
    Status::Found.with_output(&out)
}
