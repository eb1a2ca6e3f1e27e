//! What is made out of the table of arguments and the table of schemes: man page, completions, the list of schemes.

use std::io::{self, Write};

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use urlspool::url::SCHEMES;

use crate::args::{Args, EXAMPLES, Generate, NOTES};
use crate::print::fields::{self, Field, Kind, Value};
use crate::print::{Object, bytes};
use crate::status::Status;

/// The man page, the schema, or the completions of a shell.
pub(crate) fn generate(what: Generate) -> Status {
    let mut command = Args::command();
    let mut out = Vec::new();
    // All but the man page and the schema have the name of a shell.
    let shell = what.to_possible_value().and_then(|value| Shell::from_str(value.get_name(), false).ok());
    match (what, shell) {
        (_, Some(shell)) => clap_complete::generate(shell, &mut command, "urlspool", &mut out),
        (Generate::Schema, None) => schema(&mut out),
        (_, None) => man(command.clone(), &mut out).expect("writing to a Vec cannot fail"),
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
    writeln!(out, ".SH FIELDS\nThe fields of \\-\\-json, \\-\\-csv, \\-\\-tsv and \\-\\-fields, in their order.")?;
    for field in fields::all() {
        let (name, about) = (field.name(), field.about);
        writeln!(out, ".TP\n\\fB{name}\\fR\n{}", about.replace('\\', "\\e").replace('-', "\\-"))?;
    }
    let (_, examples) = EXAMPLES.split_once('\n').unwrap_or_default();
    let examples = examples.replace('\\', "\\e").replace('-', "\\-");
    writeln!(out, ".SH EXAMPLES\n.nf\n{examples}\n.fi\n.SH NOTES\n{}", NOTES.replace('\\', "\\e"))?;
    page.render_version_section(out)
}

/// The JSON Schema of the objects of `--json`.
fn schema(out: &mut Vec<u8>) {
    let all = fields::all();
    let mut object = Object::open(out);
    object.field("$schema", Value::Bytes(b"https://json-schema.org/draft/2020-12/schema"));
    object.field("title", Value::Bytes(b"A URL, or a reject, as urlspool --json prints it"));
    object.field("type", "object");
    object.value("properties", |out| {
        let mut properties = Object::open(out);
        for field in &all {
            properties.value(field.name(), |out| property(*field, out));
        }
        properties.close();
    });
    object.list("required", fields::usual(), |out, field| bytes(out, field.name().as_bytes()));
    object.field("additionalProperties", false);
    object.close();
    out.push(b'\n');
}

fn property(field: Field, out: &mut Vec<u8>) {
    let kind = match field.kind {
        Kind::Text | Kind::Base64 | Kind::Time => "string",
        Kind::Integer => "integer",
        Kind::Boolean => "boolean",
        Kind::Texts | Kind::Readings => "array",
    };
    let mut object = Object::open(out);
    if field.is_nullable() {
        object.list("type", [kind, "null"], |out, kind| bytes(out, kind.as_bytes()));
    } else {
        object.field("type", kind);
    }
    match field.kind {
        Kind::Time => drop(object.field("format", "date-time")),
        Kind::Base64 => drop(object.field("contentEncoding", "base64")),
        Kind::Integer => drop(object.field("minimum", 0)),
        Kind::Texts => drop(object.value("items", |out| out.extend_from_slice(br#"{"type":"string"}"#))),
        Kind::Readings => drop(object.value("items", |out| out.extend_from_slice(READING))),
        Kind::Text | Kind::Boolean => {}
    }
    object.field("description", Value::Bytes(field.about.as_bytes()));
    object.close();
}

/// The schema of another reading.
const READING: &[u8] = br#"{"type":"object","properties":{"url":{"type":"string"},"url_bytes":{"type":["string","null"],"contentEncoding":"base64"},"reason":{"type":"string"}},"required":["url","url_bytes","reason"],"additionalProperties":false}"#;

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
