//! Runs the examples in the `console` blocks of the README and of `docs`, and compares the output.
//!
//! The shell runs each line that begins with `$ `, in the root of the repository. The lines after a command, up to the
//! next command, are the whole output of the command: standard output and standard error. Another test compares the
//! recipes for mail systems with the files in `tests/pipelines`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::root;

/// Returns the path and the text of the README and of each page in `docs`.
fn pages() -> Vec<(String, String)> {
    let mut paths = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            paths.push(format!("docs/{name}"));
        }
    }
    paths.sort_unstable();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            (path, text)
        })
        .collect()
}

/// A command in a documentation page, its line number, and its expected output.
struct Example<'t> {
    line: usize,
    command: &'t str,
    output: String,
}

fn examples(page: &str) -> Vec<Example<'_>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => examples.push(Example { line: index + 1, command, output: String::new() }),
                None => {
                    let example = examples.last_mut().expect("a block begins with a command");
                    example.output += line;
                    example.output.push('\n');
                }
            },
            (false, _) => {}
        }
    }
    assert!(!inside, "a block is not closed");
    examples
}

#[test]
fn examples_print_what_the_pages_show() {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_urlspool")).parent().unwrap());
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    for (page, text) in &pages() {
        let examples = examples(text);
        assert!(page != "README.md" || examples.len() > 5, "{} examples", examples.len());
        for Example { line, command, output } in &examples {
            let run = Command::new("sh")
                .args(["-c", &format!("{{ {command}\n}} 2>&1")])
                .current_dir(root())
                .env("PATH", &path)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&run.stdout), *output, "{page}, line {line}: {command}");
        }
    }
}

/// Returns the text of each block. A block begins after a line for which `is_open` is true, and ends before the next
/// line that equals `close`.
pub(crate) fn blocks<'t>(text: &'t str, is_open: impl Fn(&str) -> bool, close: &str) -> Vec<&'t str> {
    let mut blocks = Vec::new();
    let (mut at, mut start) = (0, None);
    for line in text.split_inclusive('\n') {
        match start {
            Some(from) if line.trim_end() == close => {
                blocks.push(&text[from..at]);
                start = None;
            }
            None if is_open(line.trim_end()) => start = Some(at + line.len()),
            _ => {}
        }
        at += line.len();
    }
    blocks
}

#[test]
fn recipes_are_those_that_tests_run() {
    let pages = pages();
    let pipelines = fs::read_to_string(root().join("tests/pipelines")).unwrap();
    // Other tests run the blocks in other languages. For example, `tests/data_tools.py` runs Python and SQL, and
    // `perl/t/documentation.t` runs Perl.
    let is_recipe = |line: &str| {
        let tested = ["", "sh", "bash", "console", "rust", "text", "toml", "python", "r", "sql", "perl"];
        line.strip_prefix("```").is_some_and(|language| !tested.contains(&language))
    };
    let mut shown: Vec<&str> = pages.iter().flat_map(|(_, text)| blocks(text, is_recipe, "```")).collect();
    let mut run = blocks(&pipelines, |line| line.ends_with("<<'RECIPE'"), "RECIPE");
    assert!(shown.len() >= 8, "{} recipes", shown.len());
    shown.sort_unstable();
    run.sort_unstable();
    assert_eq!(shown, run);
}
