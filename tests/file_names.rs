//! Checks that Windows and package registries accept the names of all files of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The longest allowed path in the repository, in bytes. Windows allows 259 characters for a whole path, so 59
/// characters remain for the path of the repository itself.
const LONGEST: usize = 200;

/// Directories that git never tracks.
const MADE: &[&str] = &[".git", "target", "artifacts", "coverage"];

/// Returns the reason why Windows or a registry rejects `path`. The separator of `path` is `/`.
fn refusal(path: &str) -> Option<String> {
    if path.len() > LONGEST {
        return Some(format!("longer than {LONGEST} bytes"));
    }
    path.split('/').find_map(|name| {
        if let Some(c) = name.chars().find(|&c| c.is_control() || r#"<>:"/\|?*"#.contains(c)) {
            return Some(format!("{c:?} in a name"));
        }
        if name.ends_with(['.', ' ']) {
            return Some("a dot or a blank at the end of a name".to_owned());
        }
        // Windows reserves the names of devices, such as `con`, even with an extension, as in `com1.txt`.
        let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
        let is_numbered = |device: &str| {
            let number = stem.strip_prefix(device).unwrap_or_default();
            number.chars().count() == 1 && number.contains(|c: char| c.is_ascii_digit() || "¹²³".contains(c))
        };
        let is_device = ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(&stem.as_str());
        (is_device || is_numbered("com") || is_numbered("lpt")).then(|| format!("{stem} is a device"))
    })
}

/// Returns one error for each path that is rejected, and for each path that differs only in case from an earlier path.
fn refusals(paths: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen = BTreeMap::new();
    for path in paths {
        wrong.extend(refusal(path).map(|why| format!("{path:?}: {why}")));
        // Directories are compared too, because Windows puts `A/x` and `a/y` into the same directory.
        for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
            let part = &path[..end];
            let first = *seen.entry(part.to_lowercase()).or_insert(part);
            if first != part {
                wrong.push(format!("{part:?}: {first:?} but for case"));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// Returns the files that git tracks, or all files if there is no git repository.
fn files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let listed = listed.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8(listed).expect("names in UTF-8, as a registry demands");
    let mut paths: Vec<_> = listed.split_terminator('\0').map(str::to_owned).collect();
    if paths.is_empty() {
        walk(root, "", &mut paths);
    }
    paths
}

fn walk(directory: &Path, prefix: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8, as a registry demands");
        if !entry.file_type().expect("a type").is_dir() {
            paths.push(format!("{prefix}{name}"));
        } else if !MADE.contains(&name.as_str()) {
            walk(&entry.path(), &format!("{prefix}{name}/"), paths);
        }
    }
}

#[test]
fn every_name_is_accepted_everywhere() {
    let paths = files();
    assert!(paths.iter().any(|path| path == "Cargo.toml") && paths.len() > 100, "{} files", paths.len());
    let wrong = refusals(&paths);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Tests [`walk`], which lists the files if there is no git repository, as in an unpacked package.
#[test]
fn the_walk_skips_build_output() {
    let mut paths = Vec::new();
    walk(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut paths);
    for path in ["Cargo.toml", "src/lib.rs", "corpus/maildir/.hits"] {
        assert!(paths.iter().any(|walked| walked == path), "{path}");
    }
    assert!(!paths.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
}

#[test]
fn names_that_are_refused() {
    for path in ["a/b.rs", ".hits", "corpus/mh/inbox/,3", "console", "com10.txt", "com", "lpt", "nul-1", "é", "a b.c"]
    {
        assert_eq!(refusal(path), None, "{path}");
    }
    for path in [
        "cur/1.M1P1.h:2,S",
        "a<b",
        "a>b",
        "a\"b",
        "a\\b",
        "a|b",
        "a?",
        "*",
        "a\nb",
        "a\u{7f}",
        "a./b",
        "a ",
        "d /x",
        "con",
        "Aux.rs",
        "src/nul",
        "PRN.tar.gz",
        "COM1",
        "lpt9.x",
        "com\u{b9}",
        "con .x",
        "conin$",
    ] {
        assert!(refusal(path).is_some(), "{path}");
    }
    assert!(refusal(&"x".repeat(LONGEST)).is_none() && refusal(&"x".repeat(LONGEST + 1)).is_some());
    let paths = ["README.md", "a/x", "A/y", "b/x", "b/y", "readme.md"].map(str::to_owned);
    assert_eq!(refusals(&paths), [r#""A": "a" but for case"#, r#""readme.md": "README.md" but for case"#]);
}
