//! Generates the man page, completions, the JSON Schema, the short help and the list of schemes.

use std::io::{self, Write};

use clap::{Command, ValueEnum};
use clap_complete::Shell;
use urlspool::fields::{FIELDS, Field, Value};
use urlspool::json::{Object, bytes};

use crate::args::flags::{self, GROUPS};
use crate::args::jobs::{JOBS, Job, Name};
use crate::args::notes::{EXAMPLES, EXIT_NOTE, EXIT_STATUS, INPUT_NOTES, OUTPUT_NOTES};
use crate::args::{self, Given, Wrong};
use crate::glossary::{self, Section};
use crate::status::Status;

const ENVIRONMENT: [(&str, &str); 5] = [
    (
        "URLSPOOL_CONFIG_PATH",
        "The path of a file with default options for find, count and report. Each line is one argument, without \
         quoting: an option such as --join=90, or its value on the next line. Blank lines, and lines that begin with #, \
         are skipped. An option that the job does not have is skipped, too. The options on the command line come after \
         these options. If the variable is empty, no file is read.",
    ),
    ("TMPDIR", "The directory for the temporary files of --sort. Without this variable, /tmp."),
    ("NO_COLOR", "If this variable is not empty, --color auto prints no colours."),
    ("TERM", "If this variable is empty, dumb or linux, URLs are not printed as links."),
    ("COLUMNS", "The width of the help in columns (at most 100), if standard output is not a terminal."),
];

const FILES: &[(&str, &str)] = &[
    ("--output FILE", "The output. An existing file is overwritten."),
    (
        "report --output FILE",
        "The HTML page. urlspool writes to .FILE.PID.part in the same directory, and then renames that file to FILE.",
    ),
    (
        "--parquet FILE",
        "The Parquet file. urlspool writes to .FILE.PID.part in the same directory, and then renames that file to \
         FILE.",
    ),
    ("--problems FILE", "What was not searched. An existing file is overwritten, except with --state."),
    ("--sort", "Temporary files without a name in TMPDIR, if the lines need more than 256 MiB."),
    ("--state FILE", "A list of the messages and files that earlier runs have read. Each run appends lines."),
    ("--hits FILE", "The URLs that `tee` finds. urlspool appends them to FILE. A new file gets mode 600."),
];

const SEE_ALSO: &str = "\
`grep`(1), `jq`(1), `procmail`(1), `mbox`(5), `maildir`(5)

RFC 1738 (Uniform Resource Locators), RFC 3986 (URI), RFC 3987 (IRI), RFC 3977 section 4.1 (patterns)";

/// The names of what can be generated, each with a description.
pub(crate) const NAMES: &[(&str, &str)] = &[
    ("man", "the man page, for man(1)"),
    ("schema", "the JSON Schema of the objects of --json"),
    ("schemes", "the known schemes, with their default ports"),
    ("bash", "completions for bash"),
    ("zsh", "completions for zsh"),
    ("fish", "completions for fish"),
    ("elvish", "completions for elvish"),
    ("powershell", "completions for PowerShell"),
];

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let mut out = Vec::new();
    let names: Vec<_> = given.operands().collect();
    let [what] = names[..] else { return Err("generate takes one name; run it once for each name".into()) };
    let name = what.to_str().unwrap_or_default();
    match Shell::from_str(name, false) {
        Ok(shell) => completions(shell, &mut out),
        Err(_) if name == "schema" => schema(&mut out),
        Err(_) if name == "schemes" => schemes(&mut out),
        Err(_) => out = man().expect("writing to a Vec cannot fail"),
    }
    Ok(Status::Found.with_output(&out))
}

fn completions(shell: Shell, out: &mut Vec<u8>) {
    let mut command = args::all_commands();
    clap_complete::generate(shell, &mut command, "urlspool", out);
    if shell == Shell::Bash {
        let script = complete_lists(&command, &String::from_utf8_lossy(out));
        *out = script.replace("    prev=\"$3\"\n", AFTER_EQUALS).into_bytes();
    }
}

/// Completes `--color=n` in bash, which makes three words of this: `--color`, `=` and `n`. clap's script looks for the
/// option in the word before `n`.
const AFTER_EQUALS: &str = r#"    prev="$3"
    if [[ $prev == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;

/// Changes clap's script for bash so that it completes the last name in a list such as `http,ft`. The original script
/// looks for a name that begins with the whole list.
fn complete_lists(command: &Command, script: &str) -> String {
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

/// Returns the man page. `clap_mangen` writes some of its sections, such as the description and the options.
fn man() -> io::Result<Vec<u8>> {
    let page = clap_mangen::Man::new(args::detailed(args::command(Name::Find.job()), Name::Find.job()));
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    section(&mut out, "Synopsis", "")?;
    for (i, form) in JOBS.iter().map(Job::usage).enumerate() {
        let (name, rest) = form.split_once(' ').unwrap_or((&form, ""));
        let line_break = if i == 0 { "" } else { ".br\n" };
        writeln!(out, "{line_break}\\fB{name}\\fR {}", roff(rest))?;
    }
    page.render_description_section(&mut out)?;
    options(&page, &mut out)?;
    jobs(&mut out)?;
    section(&mut out, "Input", INPUT_NOTES)?;
    section(&mut out, "Output", OUTPUT_NOTES)?;
    section(
        &mut out,
        "Fields",
        "These are the fields of --json, --csv, --arrow, --parquet and --fields, in the order of the output.",
    )?;
    names(&mut out, FIELDS.iter().map(|field| (field.name(), field.about())))?;
    for Section { title, about, names: list, .. } in glossary::sections() {
        section(&mut out, title, about)?;
        names(&mut out, list)?;
    }
    section(&mut out, "Exit status", "")?;
    names(&mut out, EXIT_STATUS)?;
    writeln!(out, ".PP\n{}", roff(EXIT_NOTE))?;
    section(&mut out, "Environment", "")?;
    names(&mut out, ENVIRONMENT)?;
    section(&mut out, "Files", "urlspool writes only these files.")?;
    names(&mut out, FILES.iter().copied())?;
    section(&mut out, "Examples", "")?;
    for (command, result) in EXAMPLES {
        writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(command), roff(result))?;
    }
    section(&mut out, "See also", SEE_ALSO)?;
    page.render_version_section(&mut out)?;
    Ok(out)
}

/// Writes a section with the other jobs and their options. The options that `find` also has are only named.
fn jobs(out: &mut Vec<u8>) -> io::Result<()> {
    section(out, "Other jobs", "")?;
    for job in JOBS.iter().filter(|job| job.name != Name::Find) {
        writeln!(out, ".SS \"{}\"\n{}", job.usage().replace('"', ""), roff(&job.documentation()))?;
        let (shared, own): (Vec<_>, Vec<_>) =
            flags::all().filter(|flag| flag.is_of(job.name)).partition(|flag| flag.is_of(Name::Find));
        let named = own.iter().map(|flag| (format!("--{} {}", flag.name, flag.value), flag.documentation()));
        named.into_iter().try_for_each(|(name, text)| names(out, [(name.trim_end(), text)]))?;
        if !shared.is_empty() {
            let list: Vec<_> = shared.iter().map(|flag| format!("--{}", flag.name)).collect();
            writeln!(out, ".PP\nAlso takes these options of `find`: {}.", roff(&list.join(", ")))?;
        }
    }
    names(out, NAMES.iter().copied())
}

/// Writes the JSON Schema of the objects that `--json` prints.
fn schema(out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.field("$schema", Value::Bytes(b"https://json-schema.org/draft/2020-12/schema"));
    object.field("title", Value::Bytes(b"A URL, or a text that is not a URL, as urlspool --json prints it"));
    object.field("type", "object");
    object.value("properties", |out| {
        let mut properties = Object::open(out);
        for field in FIELDS {
            properties.value(field.name(), |out| property(field, out));
        }
        properties.close();
    });
    object.list("required", FIELDS.iter().filter(|field| !field.is_extra()), |out, field| {
        bytes(out, field.name().as_bytes());
    });
    object.field("additionalProperties", false);
    object.close();
    out.push(b'\n');
}

fn property(field: &Field, out: &mut Vec<u8>) {
    // `string, base64` is a `string`.
    let kind = field.kind().split([',', ' ']).next().unwrap_or_default();
    let mut object = Object::open(out);
    if field.is_nullable() {
        object.list("type", [kind, "null"], |out, kind| bytes(out, kind.as_bytes()));
    } else {
        object.field("type", kind);
    }
    match field.kind() {
        "string, date-time" => drop(object.field("format", "date-time")),
        "string, base64" => drop(object.field("contentEncoding", "base64")),
        "integer" => drop(object.field("minimum", 0)),
        "array of strings" => drop(object.value("items", |out| out.extend_from_slice(br#"{"type":"string"}"#))),
        "array of objects" => drop(object.value("items", |out| out.extend_from_slice(READING))),
        _ => {}
    }
    object.field("description", Value::Bytes(field.about().as_bytes()));
    object.close();
}

/// The schema of an element of the array `alternatives` in the output of `--json`.
const READING: &[u8] = br#"{"type":"object","properties":{"url":{"type":"string"},"url_bytes":{"type":["string","null"],"contentEncoding":"base64"},"reason":{"type":"string"}},"required":["url","url_bytes","reason"],"additionalProperties":false}"#;

/// Writes the options as one section of the man page, with a subsection for each group of options.
fn options(page: &clap_mangen::Man, out: &mut Vec<u8>) -> io::Result<()> {
    let mut text = Vec::new();
    page.render_options_section(&mut text)?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    for group in GROUPS {
        let upper = group.to_uppercase();
        let heading = if upper.contains(' ') { format!("\"{upper}\"") } else { upper };
        text = text.replace(&format!(".SH {heading}\n"), &format!(".SS \"{group}\"\n"));
    }
    out.write_all(text.as_bytes())
}

fn section(out: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    writeln!(out, ".SH \"{}\"", title.to_uppercase())?;
    for (i, paragraph) in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()).enumerate() {
        let begin = if i == 0 { "" } else { ".PP\n" };
        writeln!(out, "{begin}{}", roff(paragraph))?;
    }
    Ok(())
}

fn names<'n>(out: &mut Vec<u8>, list: impl IntoIterator<Item = (&'n str, impl AsRef<str>)>) -> io::Result<()> {
    list.into_iter()
        .try_for_each(|(name, meaning)| writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(name), roff(meaning.as_ref())))
}

/// Escapes text for troff. Text between backticks is bold.
fn roff(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('~', "\\(ti");
    let mut parts = escaped.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (i, part) in parts.enumerate() {
        out += if i % 2 == 0 { "\\fB" } else { "\\fR" };
        out += part;
    }
    // troff reads a line that begins with a dot as a command.
    if out.starts_with('.') { format!("\\&{out}") } else { out }
}

/// Writes a line for each scheme: the name, the default port, and the beginning of its URLs, such as `http://`.
fn schemes(out: &mut Vec<u8>) {
    for (name, port, what_follows) in urlspool::schemes() {
        let port = port.map(|port| port.to_string()).unwrap_or_default();
        writeln!(out, "{name}	{port}	{name}{what_follows}").expect("writing to a Vec cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::roff;

    #[test]
    fn troff_prints_text_as_it_is_written() {
        let table = [
            ("", ""),
            ("a.b", "a.b"),
            ("a\\b", "a\\eb"),
            ("--json", "\\-\\-json"),
            ("it's", "it\\(aqs"),
            ("~bob", "\\(tibob"),
            ("a `b` c `-d`", "a \\fBb\\fR c \\fB\\-d\\fR"),
            ("`a`", "\\fBa\\fR"),
            (".git is a name", "\\&.git is a name"),
            ("'.' is a dot", "\\(aq.\\(aq is a dot"),
        ];
        for (text, want) in table {
            assert_eq!(roff(text), want, "{text}");
        }
    }
}
