//! Holds the architecture: which room of the library knows which, and what is said in one place only.
//!
//! Reads the sources. Comments and tests are left out: they may name what they like.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use urlspool::url::SCHEMES;

/// Every room of the library, and the rooms that it may import: those below it.
const ROOMS: &[(&str, &[&str])] = &[
    ("url", &[]),
    ("block", &[]),
    // Examples, and no code.
    ("cookbook", &[]),
    ("error", &[]),
    ("wildmat", &[]),
    ("container", &[]),
    ("parallel", &[]),
    ("mail", &["block"]),
    ("scan", &["url", "block"]),
    ("hit", &["url", "block", "scan", "mail"]),
    ("note", &["container", "mail"]),
    ("source", &["container", "error"]),
    ("sink", &["hit", "note", "error", "source", "mail"]),
    ("extract", &["url", "error", "container", "parallel", "mail", "scan", "hit", "note", "source", "sink", "wildmat"]),
];

/// The one option of another command that the library names.
const GITS: &str = "--batch";

/// Only the command may do these.
const COMMAND_ONLY: &[&str] = &["clap", "println!", "print!", "eprintln!", "eprint!", "dbg!", "process::exit"];

/// Longer files hold more than one idea,
const LINES: usize = 450;

/// unless they are a table.
const TABLES: &[&str] = &["cli/args.rs"];

/// Words that are names of schemes too, and are none where they stand: file, word, and why.
const WORDS: &[(&str, &str, &str)] = &[
    ("container/git.rs", "tag", "a kind of git's objects"),
    ("cli/args.rs", "file", "what stands for a path in the help"),
    ("cli/args.rs", "http", "an example in the help"),
    ("cli/config.rs", "http", "an example in a message"),
    ("cli/print/json.rs", "file", "a field of the output"),
    ("mail/html/value.rs", "data", "an attribute of HTML"),
    ("mail/html/value.rs", "urn", "an attribute of HTML"),
];

/// Schemes that have no case in `corpus/url` yet. Bites both ways.
const WITHOUT_CASE: &[&str] = &[
    "acap",
    "afp",
    "bzr",
    "bzr+ssh",
    "callto",
    "cifs",
    "cvs",
    "dict",
    "dns",
    "doi",
    "ed2k",
    "finger",
    "fish",
    "gemini",
    "geo",
    "git+http",
    "git+https",
    "git+ssh",
    "gophers",
    "hdl",
    "imaps",
    "info",
    "ipfs",
    "ipns",
    "ipp",
    "ipps",
    "ircs",
    "ldapi",
    "ldaps",
    "mms",
    "mongodb",
    "nntps",
    "opaquelocktoken",
    "pnm",
    "pop3",
    "postgresql",
    "pres",
    "rtmp",
    "rtspu",
    "scp",
    "shttp",
    "sips",
    "skype",
    "smb",
    "sms",
    "svn",
    "tag",
    "telnets",
    "tftp",
    "view-source",
    "vnc",
    "webcals",
    "whois++",
    "wss",
    "ymsgr",
    "z39.50",
];

/// One source file.
struct Source {
    /// From `src`, such as `url/shape/ftp.rs`.
    name: String,
    /// Its code, octet for octet; blanks for comments, strings and tests.
    code: String,
    /// Its strings, each with its line.
    strings: Vec<(usize, String)>,
    lines: usize,
}

impl Source {
    fn read(root: &Path, path: &Path) -> Source {
        let name = path.strip_prefix(root).expect("a file below src").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(path).expect("a source in UTF-8");
        let (mut code, strings) = lex(&text);
        let mut kept = strings;
        while let Some(test) = test_item(&code) {
            kept.retain(|(at, _)| !test.contains(at));
            blank(&mut code, test);
        }
        let line = |at: usize| 1 + text[..at].matches('\n').count();
        let strings = kept.into_iter().map(|(at, string)| (line(at), string)).collect();
        let code = String::from_utf8(code).expect("blanks for whole strings");
        Source { name, code, strings, lines: text.lines().count() }
    }

    /// Its module's path: `url`, `shape`, `ftp`.
    fn module(&self) -> Vec<&str> {
        let path = self.name.trim_end_matches(".rs").trim_end_matches("mod").trim_end_matches('/');
        if path == "lib" || path == "main" { Vec::new() } else { path.split('/').collect() }
    }

    /// What its paths name at the root of the crate, each with its line.
    fn roots(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices("crate::") {
            if !is_inside_word(&self.code, at) {
                found.extend(names(&self.code[at + "crate::".len()..]).into_iter().map(|name| (at, name)));
            }
        }
        let depth = self.module().len();
        let mut end = 0;
        for (at, _) in self.code.match_indices("super::") {
            if at < end || is_inside_word(&self.code, at) {
                continue;
            }
            let supers = self.code[at..].len() - self.code[at..].trim_start_matches("super::").len();
            end = at + supers;
            if supers / "super::".len() == depth {
                found.extend(names(&self.code[end..]).into_iter().map(|name| (at, name)));
            }
        }
        let line = |at: usize| 1 + self.code[..at].matches('\n').count();
        found.into_iter().map(|(at, name)| (line(at), name)).collect()
    }

    /// Whether the command, not the library, is made of it.
    fn is_command(&self) -> bool {
        self.name.starts_with("cli/") || self.name == "main.rs"
    }
}

/// Every source but those that hold nothing but tests.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let is_test = |path: &PathBuf| {
        let name = path.strip_prefix(&root).expect("a file below src").with_extension("");
        name.components().any(|part| part.as_os_str().to_string_lossy().ends_with("tests"))
    };
    paths.iter().filter(|path| !is_test(path)).map(|path| Source::read(&root, path)).collect()
}

fn walk(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

/// The first names of the path or the group of paths that `code` begins with.
fn names(code: &str) -> Vec<String> {
    let word =
        |text: &str| -> String { text.trim_start().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect() };
    let Some(group) = code.strip_prefix('{') else { return vec![word(code)] };
    let mut names = vec![word(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn is_inside_word(code: &str, at: usize) -> bool {
    code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Where `word` stands as a word of its own.
fn has_word(code: &str, word: &str) -> Option<usize> {
    let ends = |at: usize| {
        word.ends_with('!') || !code[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let mut found = code.match_indices(word).map(|(at, _)| at);
    found.find(|&at| !is_inside_word(code, at) && ends(at)).map(|at| 1 + code[..at].matches('\n').count())
}

/// The code of `text`, octet for octet, with blanks for comments and strings; and the strings with their offsets.
fn lex(text: &str) -> (Vec<u8>, Vec<(usize, String)>) {
    let octets = text.as_bytes();
    let mut code = octets.to_vec();
    let mut strings = Vec::new();
    let mut at = 0;
    while at < octets.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + rest.find("*/").map_or(rest.len(), |i| i + 2)
        } else if let Some((open, close)) = raw_string(rest).filter(|_| !is_inside_word(text, at)) {
            let length = rest[open..].find(&close).expect("a raw string is closed");
            strings.push((at, rest[open..open + length].to_owned()));
            at + open + length + close.len()
        } else if rest.starts_with('"') {
            let length = string(&octets[at + 1..], b'"');
            strings.push((at, text[at + 1..at + 1 + length].to_owned()));
            at + length + 2
        } else if rest.starts_with('\'') && is_character(&octets[at..]) {
            at + string(&octets[at + 1..], b'\'') + 2
        } else {
            // Whole characters, so that `text` is not cut within one.
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        blank(&mut code, at..end);
        at = end;
    }
    (code, strings)
}

/// How long the opening of a raw string is, and what closes it.
fn raw_string(text: &str) -> Option<(usize, String)> {
    let marks = ["r", "br"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let hashes = marks.len() - marks.trim_start_matches('#').len();
    let open = text.len() - marks.len() + hashes + 1;
    marks[hashes..].starts_with('"').then(|| (open, format!("\"{}", "#".repeat(hashes))))
}

/// How many octets come before the `quote` that closes.
fn string(octets: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while octets.get(at).is_some_and(|&octet| octet != quote) {
        at += if octets[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Whether a quote opens a character rather than a lifetime.
fn is_character(octets: &[u8]) -> bool {
    octets.get(1) == Some(&b'\\')
        || octets.get(1).is_some_and(|octet| !octet.is_ascii())
        || octets.get(2) == Some(&b'\'')
}

fn blank(code: &mut [u8], range: Range<usize>) {
    code[range].iter_mut().filter(|octet| **octet != b'\n').for_each(|octet| *octet = b' ');
}

/// The first item that is there for tests only.
fn test_item(code: &[u8]) -> Option<Range<usize>> {
    let text = std::str::from_utf8(code).expect("code");
    let start = text.find("#[cfg(test)]")?;
    let mut depth = 0;
    for (at, octet) in code.iter().enumerate().skip(start) {
        match octet {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(start..at + 1),
            b'}' => depth -= 1,
            b';' if depth == 0 => return Some(start..at + 1),
            _ => {}
        }
    }
    Some(start..code.len())
}

#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn rooms_import_only_what_is_below_them() {
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for source in sources().iter().filter(|source| !source.is_command() && source.name != "lib.rs") {
        let room = source.module()[0].to_owned();
        let Some((_, below)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("src/{}: a room that the table of rooms does not have", source.name));
            continue;
        };
        for (line, name) in source.roots() {
            if name != room && !below.contains(&name.as_str()) {
                wrong.push(format!("src/{}:{line}: {room} imports {name}", source.name));
            }
        }
        met.insert(room);
    }
    wrong.extend(ROOMS.iter().filter(|(name, _)| !met.contains(*name)).map(|(name, _)| format!("no room {name}")));
    none(&wrong);
}

#[test]
fn rooms_are_a_hierarchy() {
    for (i, (room, below)) in ROOMS.iter().enumerate() {
        let above: Vec<_> = below.iter().filter(|name| !ROOMS[..i].iter().any(|(other, _)| other == *name)).collect();
        assert!(above.is_empty(), "{room} imports {above:?}, which do not come before it");
    }
}

#[test]
fn the_command_stands_on_the_public_interface() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.is_command()) {
        for (line, name) in source.roots().into_iter().filter(|(_, name)| name != "cli") {
            wrong.push(format!("src/{}:{line}: crate::{name}", source.name));
        }
    }
    none(&wrong);
}

#[test]
fn the_library_says_nothing_to_the_terminal() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !source.is_command()) {
        for word in COMMAND_ONLY {
            wrong.extend(has_word(&source.code, word).map(|line| format!("src/{}:{line}: {word}", source.name)));
        }
    }
    none(&wrong);
}

/// What a library says is read by those who have no command line.
#[test]
fn the_library_names_no_option_of_the_command() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| !source.is_command()) {
        for (line, string) in &source.strings {
            wrong.extend(option(string).map(|name| format!("src/{}:{line}: {name}", source.name)));
        }
    }
    none(&wrong);
}

/// The first option that a string names, and that is not [`GITS`].
fn option(string: &str) -> Option<&str> {
    let mut named = string.match_indices("--").map(|(at, _)| {
        let end = string[at..].find(|c: char| !c.is_ascii_lowercase() && c != '-');
        &string[at..end.map_or(string.len(), |end| at + end)]
    });
    named.find(|name| name.len() > 2 && !name[2..].starts_with('-') && *name != GITS)
}

#[test]
fn nothing_is_unsafe() {
    let sources = sources();
    let found = sources.iter().filter_map(|source| Some((source, has_word(&source.code, "unsafe")?)));
    none(&found.map(|(source, line)| format!("src/{}:{line}: unsafe", source.name)).collect::<Vec<_>>());
    for root in ["lib.rs", "main.rs"] {
        let source = sources.iter().find(|source| source.name == root).expect("a root");
        assert!(source.code.contains("#![forbid(unsafe_code)]"), "src/{root}");
    }
}

#[test]
fn files_hold_one_idea() {
    let sources = sources();
    let long = sources.iter().filter(|source| source.lines > LINES && !TABLES.contains(&source.name.as_str()));
    none(&long.map(|source| format!("src/{}: {} lines", source.name, source.lines)).collect::<Vec<_>>());
    let main = sources.iter().find(|source| source.name == "main.rs").expect("src/main.rs");
    assert!(main.lines <= 80, "src/main.rs: {} lines", main.lines);
}

#[test]
fn schemes_are_named_in_their_table_only() {
    let mut wrong = Vec::new();
    let mut words: BTreeSet<_> = WORDS.iter().map(|(file, word, _)| (*file, *word)).collect();
    let sources = sources();
    for source in sources.iter().filter(|source| source.name != "url/scheme.rs") {
        for (line, string) in &source.strings {
            let Some(scheme) = scheme(string) else { continue };
            if WORDS.iter().any(|(file, word, _)| *file == source.name && *word == scheme) {
                words.remove(&(source.name.as_str(), scheme));
            } else {
                wrong.push(format!("src/{}:{line}: {string:?} names {scheme}", source.name));
            }
        }
    }
    wrong.extend(words.iter().map(|(file, word)| format!("src/{file}: has no {word:?} any more")));
    none(&wrong);
}

/// The scheme that a string is the name of, or that a URL in it has.
fn scheme(string: &str) -> Option<&'static str> {
    let lower = string.to_ascii_lowercase();
    let bounded = |name: &str, end: &str| {
        let mut found = lower.match_indices(&format!("{name}{end}")).map(|(at, _)| at).collect::<Vec<_>>().into_iter();
        found.any(|at| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "+.-".contains(c)))
    };
    let names = || SCHEMES.iter().map(|row| row.name);
    names().find(|name| lower == *name || lower == format!("{name}:") || bounded(name, "://"))
}

#[test]
fn every_scheme_has_a_case() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/url");
    let mut tables = String::new();
    for entry in fs::read_dir(directory).expect("corpus/url") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            tables += &fs::read_to_string(path).expect("a table in UTF-8").to_ascii_lowercase();
        }
    }
    let cases: BTreeSet<_> = tables
        .lines()
        .filter_map(|line| line.strip_prefix("url = ")?.trim_start_matches(['"', '\'']).split_once(':'))
        .map(|(scheme, _)| scheme)
        .collect();
    let missing: BTreeSet<_> = SCHEMES.iter().map(|row| row.name).filter(|name| !cases.contains(name)).collect();
    let expected: BTreeSet<_> = WITHOUT_CASE.iter().copied().collect();
    let new: Vec<_> = missing.difference(&expected).collect();
    let stale: Vec<_> = expected.difference(&missing).collect();
    assert!(new.is_empty() && stale.is_empty(), "no case in corpus/url: {new:?}; listed, and has one: {stale:?}");
}

/// What the other tests stand on sees what it should.
#[test]
fn sources_are_read_as_code() {
    let text = r##"
/// crate::doc
use crate::{one, two::{Three, Four}, five};
fn f<'a>(x: &'a str) -> char { let _ = ("crate::string \" unsafe", '"', b'\'', r#"raw " crate::x"#); super::super::six }
#[cfg(test)]
mod tests { use crate::seven; fn g() { "eight" } }
/* crate::nine */ fn h() { println!("{}", "ten // no comment") }
"##;
    let (mut code, strings) = lex(text);
    let test = test_item(&code).expect("tests");
    assert!(text[test.clone()].starts_with("#[cfg(test)]") && text[test.clone()].ends_with("} }"));
    blank(&mut code, test);
    let code = String::from_utf8(code).expect("code");
    assert_eq!(code.len(), text.len());
    let strings: Vec<_> = strings.iter().map(|(_, string)| string.as_str()).collect();
    assert_eq!(strings, [r#"crate::string \" unsafe"#, r#"raw " crate::x"#, "eight", "{}", "ten // no comment"]);
    let source = Source { name: "a/b.rs".to_owned(), code, strings: Vec::new(), lines: 0 };
    let roots: Vec<_> = source.roots().into_iter().map(|(line, name)| format!("{line} {name}")).collect();
    assert_eq!(roots, ["3 one", "3 two", "3 five", "4 six"]);
    assert_eq!((has_word(&source.code, "unsafe"), has_word(&source.code, "println!")), (None, Some(7)));
    for (string, name) in [("HTTP", "http"), ("see ftp://host", "ftp"), ("news:", "news")] {
        assert_eq!(scheme(string), Some(name));
    }
    assert_eq!(scheme("the xhttp://; a mailto"), None);
    for (string, name) in [("(--max-message)", Some("--max-message")), ("of git --batch", None), ("-----BEGIN", None)] {
        assert_eq!(option(string), name);
    }
}
