//! Checks the README and the pages of `docs`: what their `console` blocks show is what the command prints.
//!
//! The shell runs each line that begins with `$ `, in the root of the repository. The lines up to the next one are all that
//! it prints on standard output and standard error. The recipes for mail systems are those that `tests/pipelines` runs.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::root;

/// The README and the pages of `docs`, each with its path from the root.
fn pages() -> Vec<(String, String)> {
    let mut paths = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        paths.push(format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
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

/// A line to run, where it is in its page, and what it should print.
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

/// The text between each line that opens a block and the next that is `close`.
fn blocks<'t>(text: &'t str, is_open: impl Fn(&str) -> bool, close: &str) -> Vec<&'t str> {
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
fn recipes_are_those_that_were_run() {
    let pages = pages();
    let pipelines = fs::read_to_string(root().join("tests/pipelines")).unwrap();
    // Every language but those that other tests run (`tests/data_tools.py` runs Python and SQL), and Cargo's.
    let is_recipe = |line: &str| {
        line.strip_prefix("```")
            .is_some_and(|language| !["", "sh", "console", "rust", "text", "toml", "python", "sql"].contains(&language))
    };
    let mut shown: Vec<&str> = pages.iter().flat_map(|(_, text)| blocks(text, is_recipe, "```")).collect();
    let mut run = blocks(&pipelines, |line| line.ends_with("<<'RECIPE'"), "RECIPE");
    assert!(shown.len() >= 8, "{} recipes", shown.len());
    shown.sort_unstable();
    run.sort_unstable();
    assert_eq!(shown, run);
}
