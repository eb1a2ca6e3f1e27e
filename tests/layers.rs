//! Checks the architecture: which modules each module of the library may import, and which names may occur only in
//! certain files.
//!
//! The layers are the modules at the root of the library. The tests parse the sources with `syn`, and skip comments and
//! test code. The library and the command are checked separately.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Lit, Meta, UseTree};
use urlspool::url::SCHEMES;

/// Each module at the root of the library, with the modules that it may import. A module can import only modules that
/// are listed above it.
const LAYERS: &[(&str, &[&str])] = &[
    // Other modules use the macros of `named` without a path, so the test does not see this use. A module lists `named`
    // only if it imports other items of `named`.
    ("named", &[]),
    ("url", &["named"]),
    ("simd", &[]),
    // This module has only documentation.
    ("cookbook", &[]),
    ("diagnostic", &[]),
    ("calendar", &[]),
    ("error", &["diagnostic"]),
    ("wildmat", &[]),
    ("header", &[]),
    ("container", &["header", "diagnostic"]),
    ("parallel", &[]),
    ("outlook", &[]),
    ("trigger", &["url", "simd"]),
    // From `url`, this module uses only the decoder of percent-escapes, because RFC 2231 has the same escapes.
    ("mail", &["url", "simd", "trigger", "header", "diagnostic", "outlook", "calendar"]),
    ("scan", &["url", "simd", "trigger"]),
    ("source", &["container", "diagnostic", "error", "outlook"]),
    ("options", &["named", "url", "calendar", "wildmat", "scan", "container", "source"]),
    ("hit", &["url", "simd", "scan", "mail", "source"]),
    ("sink", &["hit", "diagnostic", "error", "source", "mail"]),
    (
        "extract",
        &[
            "url",
            "error",
            "container",
            "parallel",
            "trigger",
            "mail",
            "scan",
            "hit",
            "diagnostic",
            "source",
            "sink",
            "wildmat",
            "options",
        ],
    ),
];

/// An option of git. Messages of the library may name this option.
const GITS: &str = "--batch";

/// The file that runs git. The options and the output streams in this file are those of git, not of the command.
const RUNS_GIT: &str = "src/source/inbox.rs";

/// Names that only the command may use, not the library. Names of macros end with `!`.
const COMMAND_ONLY: &[&str] =
    &["clap", "println!", "print!", "eprintln!", "eprint!", "dbg!", "process::exit", "stdout", "stderr"];

/// Strings that are equal to the name of a scheme, but have another meaning. Each row has the end of a file's path, a
/// string in this file, and the meaning of the string.
const WORDS: &[(&str, &str, &str)] = &[
    ("container/git.rs", "tag", "a kind of git object"),
    ("source/inbox.rs", "git", "the program"),
    ("source/stream/mod.rs", "git", "a feature"),
    ("args/values.rs", "http", "a URL to parse a host in"),
    ("print/hyperlink.rs", "ftp", "a scheme that a terminal may open"),
    ("print/hyperlink.rs", "http", "a scheme that a terminal may open"),
    ("print/hyperlink.rs", "https", "a scheme that a terminal may open"),
    ("print/hyperlink.rs", "mailto", "a scheme that a terminal may open"),
    ("outlook/rtf.rs", "info", "a control word of RTF"),
    ("args/mod.rs", "file", "a placeholder for a path in the help"),
    ("src/generate.rs", "https", "the address of JSON Schema"),
    ("args/mod.rs", "http", "an example in the help"),
    ("src/config.rs", "http", "an example in a message"),
    ("print/fields.rs", "file", "a field of the output"),
    ("print/fields.rs", "ftp", "a scheme that the Wayback Machine archives"),
    ("print/fields.rs", "http", "a scheme that the Wayback Machine archives"),
    ("print/fields.rs", "https", "the address of the Wayback Machine"),
    ("hit/serialize.rs", "file", "a field of the output"),
    ("task/json.rs", "file", "a key of a task"),
    ("task/parse.rs", "file", "a key of a task"),
    ("task/files.rs", "git", "a format"),
    ("task/manifest.rs", "git", "a feature"),
    ("tasks/files.rs", "file", "a field of the output"),
    ("url/convert.rs", "http", "a feature"),
    ("url/mod.rs", "http", "a feature"),
    ("mail/html/value.rs", "data", "an attribute of HTML"),
    ("mail/html/value.rs", "urn", "an attribute of HTML"),
];

/// The only file that may name schemes.
const SCHEME_TABLE: &str = "src/url/scheme.rs";

struct Source {
    /// The path from the root of the repository, such as `src/mail/html/tag.rs`.
    name: String,
    /// The names in the module path from the root of the crate. For `crate::mail::html::tag`, they are `mail`, `html`
    /// and `tag`.
    module: Vec<String>,
    lines: usize,
    forbids_unsafe_code: bool,
    /// The modules and other items that the file declares at its top level.
    items: BTreeSet<String>,
    facts: Facts,
}

impl Source {
    fn read(name: String, module: Vec<String>, text: &str) -> Source {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut facts = Facts { depth: module.len(), ..Facts::default() };
        facts.visit_file(&file);
        // The keyword `unsafe` can occur in any syntax, so all tokens are searched. Tests must not use `unsafe` either.
        facts.words(text.parse().expect("tokens"), "unsafe");
        let forbids_unsafe_code = file.attrs.iter().any(|attribute| {
            attribute.path().is_ident("forbid")
                && attribute.parse_args::<syn::Path>().is_ok_and(|lint| lint.is_ident("unsafe_code"))
        });
        Source { name, module, lines: text.lines().count(), forbids_unsafe_code, items: items(&file), facts }
    }

    fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.name)
    }

    /// Returns whether the file belongs to the command and not to the library.
    fn is_command(&self) -> bool {
        ["src/main.rs", "src/cli/", "cli/src/"].iter().any(|start| self.name.starts_with(start))
    }
}

/// The names and strings of a file, each with its line number.
#[derive(Default)]
struct Facts {
    /// For every path that goes through the root of the crate, the first name after the root, such as `mail` in
    /// `crate::mail::html` or `super::mail`.
    roots: Vec<(usize, String)>,
    /// Every identifier, every macro name with its `!`, and every pair of names in a path, such as `process::exit`.
    words: Vec<(usize, String)>,
    /// The value of every string literal and byte string literal.
    strings: Vec<(usize, String)>,
    /// The line number of every `include!` and `#[path]`.
    includes: Vec<usize>,
    /// The depth of the current module below the root of the crate.
    depth: usize,
}

impl Facts {
    /// Records a path. `imported` means that the path is in a `use`.
    fn path(&mut self, span: Span, names: &[String], imported: bool) {
        let line = span.start().line;
        self.words.extend(names.windows(2).map(|pair| (line, pair.join("::"))));
        let supers = names.iter().take_while(|name| *name == "self" || *name == "super").count();
        let up = names[..supers].iter().filter(|name| *name == "super").count();
        let rest = match names.first().map(String::as_str) {
            Some("crate") => &names[1..],
            Some("super") | Some("self") if up > 0 && up >= self.depth => &names[supers..],
            _ => return,
        };
        match rest.first() {
            Some(name) => self.roots.push((line, name.clone())),
            // The import gives the root of the crate another name, as in `use crate as root`. The file can use all
            // modules through this name, so the name is recorded as `*`.
            None if imported => self.roots.push((line, "*".to_owned())),
            None => {}
        }
    }

    fn use_tree(&mut self, tree: &UseTree, path: &[String]) {
        let and = |name: &Ident| [path, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(tree) => self.use_tree(&tree.tree, &and(&tree.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(tree, path)),
            UseTree::Name(name) if name.ident == "self" => self.path(name.span(), path, true),
            UseTree::Rename(name) if name.ident == "self" => self.path(name.span(), path, true),
            UseTree::Name(name) => self.path(name.span(), &and(&name.ident), true),
            UseTree::Rename(name) => self.path(name.span(), &and(&name.ident), true),
            UseTree::Glob(glob) => self.path(glob.span(), &[path, &["*".to_owned()]].concat(), true),
        }
    }

    /// Records the names and strings in the tokens of a macro or an attribute. `syn` cannot parse these tokens, because
    /// each macro has its own grammar.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
        let mut path = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(ident) => {
                    let is_macro = is(at + 1, '!') && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
                    self.word(ident, is_macro);
                    path.push(ident.to_string());
                    if is(at + 1, ':') && is(at + 2, ':') {
                        continue;
                    }
                    self.path(ident.span(), &path, false);
                    path.clear();
                }
                TokenTree::Literal(literal) => self.visit_lit(&Lit::new(literal.clone())),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !path.is_empty() => {
                    for inner in group.stream() {
                        if let TokenTree::Ident(ident) = inner {
                            self.path(ident.span(), &[&path[..], &[ident.to_string()]].concat(), true);
                        }
                    }
                    path.clear();
                    self.tokens(group.stream());
                }
                // Skips doc comments.
                TokenTree::Group(group) if at > 0 && is(at - 1, '#') && is_doc(group) => {}
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == '*' && !path.is_empty() => {
                    self.path(punct.span(), &[&path[..], &["*".to_owned()]].concat(), true);
                    path.clear();
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn word(&mut self, ident: &Ident, is_macro: bool) {
        let line = ident.span().start().line;
        self.words.push((line, ident.to_string()));
        if is_macro {
            self.words.push((line, format!("{ident}!")));
        }
        if is_macro && ident == "include" {
            self.includes.push(line);
        }
    }

    /// Records every occurrence of `word` in `tokens`.
    fn words(&mut self, tokens: TokenStream, word: &str) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if ident == word => self.word(&ident, false),
                TokenTree::Group(group) => self.words(group.stream(), word),
                _ => {}
            }
        }
    }

    /// Returns the numbers of the lines that contain `word`.
    fn lines(&self, word: &str) -> BTreeSet<usize> {
        self.words.iter().filter(|(_, found)| found == word).map(|(line, _)| *line).collect()
    }
}

/// Returns whether `group`, which follows a `#`, is a doc comment.
fn is_doc(group: &Group) -> bool {
    let tokens: Vec<_> = group.stream().into_iter().collect();
    matches!(&tokens[..], [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(_)] if name == "doc")
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|cfg| cfg.is_ident("test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn items(file: &syn::File) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in &file.items {
        match item {
            Item::Const(item) => names.insert(item.ident.to_string()),
            Item::Enum(item) => names.insert(item.ident.to_string()),
            Item::Fn(item) => names.insert(item.sig.ident.to_string()),
            Item::Mod(item) => names.insert(item.ident.to_string()),
            Item::Struct(item) => names.insert(item.ident.to_string()),
            _ => false,
        };
    }
    names
}

impl Visit<'_> for Facts {
    fn visit_item(&mut self, item: &Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        let inside = usize::from(item.content.is_some());
        self.depth += inside;
        visit::visit_item_mod(self, item);
        self.depth -= inside;
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.use_tree(&item.tree, &[]);
        visit::visit_item_use(self, item);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.path(path.span(), &names, false);
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, ident: &Ident) {
        self.word(ident, false);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        let name = call.path.segments.last().expect("a name");
        self.word(&name.ident, true);
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        if attribute.path().is_ident("path") {
            self.includes.push(attribute.span().start().line);
        }
        match &attribute.meta {
            // Skips doc comments.
            Meta::NameValue(pair) if pair.path.is_ident("doc") && matches!(pair.value, syn::Expr::Lit(_)) => {}
            Meta::List(list) => {
                self.tokens(list.tokens.clone());
                visit::visit_attribute(self, attribute);
            }
            _ => visit::visit_attribute(self, attribute),
        }
    }

    fn visit_lit(&mut self, literal: &Lit) {
        let bytes = match literal {
            Lit::Str(string) => string.value().into_bytes(),
            Lit::ByteStr(string) => string.value(),
            Lit::CStr(string) => string.value().into_bytes(),
            _ => return,
        };
        self.strings.push((literal.span().start().line, String::from_utf8_lossy(&bytes).into_owned()));
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the sources in `directory`, except files that contain only tests.
fn read(directory: &str) -> Vec<Source> {
    let root = repository().join(directory);
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let inside = path.strip_prefix(&root).expect("a file in the directory").with_extension("");
        let mut module: Vec<_> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.iter().any(|name| name.ends_with("tests")) {
            continue;
        }
        if module.last().is_some_and(|last| last == "mod") || [["lib"], ["main"]].iter().any(|root| module == root) {
            module.pop();
        }
        let name = path.strip_prefix(repository()).expect("a file in the repository").to_string_lossy();
        let text = fs::read_to_string(&path).expect("a source in UTF-8");
        sources.push(Source::read(name.replace('\\', "/"), module, &text));
    }
    sources
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

/// Returns all sources of the library and the command. The sources are parsed only once.
fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let mut sources = read("src");
        // The library's package does not contain the command.
        if repository().join("cli/src").is_dir() {
            sources.extend(read("cli/src"));
        }
        sources
    });
    &SOURCES
}

fn library() -> impl Iterator<Item = &'static Source> {
    sources().iter().filter(|source| !source.is_command())
}

fn command() -> impl Iterator<Item = &'static Source> {
    sources().iter().filter(|source| source.is_command())
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn modules_import_only_lower_modules() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for source in library() {
        let Some(module) = source.module.first() else { continue };
        let Some((_, below)) = LAYERS.iter().find(|(name, _)| name == module) else {
            wrong.push(format!("{}: a module that LAYERS does not list", source.name));
            continue;
        };
        for (line, name) in &source.facts.roots {
            if name != module && !below.contains(&name.as_str()) {
                wrong.push(format!("{}: {module} imports {name}", source.at(*line)));
            }
        }
        seen.insert(module.clone());
    }
    wrong.extend(LAYERS.iter().filter(|(name, _)| !seen.contains(*name)).map(|(name, _)| format!("no module {name}")));
    assert_none(&wrong);
}

#[test]
fn a_module_imports_only_modules_listed_before_it() {
    for (i, (module, below)) in LAYERS.iter().enumerate() {
        let above: Vec<_> = below.iter().filter(|name| !LAYERS[..i].iter().any(|(other, _)| other == *name)).collect();
        assert!(above.is_empty(), "{module} imports {above:?}, which do not come before it");
    }
}

/// Checks that the command does not compile files of the library as its own modules. It can then use only public items
/// of the library, because the compiler rejects private items of another crate.
#[test]
fn the_command_uses_only_the_public_interface() {
    let mut wrong = Vec::new();
    let roots = command().filter(|source| source.module.is_empty());
    let own: BTreeSet<_> = roots.flat_map(|source| &source.items).collect();
    for source in command() {
        wrong.extend(source.facts.includes.iter().map(|line| format!("{}: another file's code", source.at(*line))));
        for (line, name) in source.facts.roots.iter().filter(|(_, name)| !own.contains(name)) {
            wrong.push(format!("{}: crate::{name}", source.at(*line)));
        }
    }
    wrong.extend(
        LAYERS
            .iter()
            .filter(|(module, _)| own.contains(&(*module).to_owned()))
            .map(|(module, _)| format!("the command has {module}")),
    );
    assert_none(&wrong);
}

#[test]
fn the_library_does_not_print_or_exit() {
    let mut wrong = Vec::new();
    for source in library() {
        let of_git = ["stdout", "stderr"];
        let is_free = |word: &&&str| source.name != RUNS_GIT || !of_git.contains(*word);
        for word in COMMAND_ONLY.iter().filter(is_free) {
            wrong.extend(source.facts.lines(word).iter().map(|line| format!("{}: {word}", source.at(*line))));
        }
    }
    assert_none(&wrong);
}

/// The messages of the library must not name options of the command, because other programs print these messages, too.
#[test]
fn the_library_names_no_option_of_the_command() {
    let mut wrong = Vec::new();
    for source in library().filter(|source| source.name != RUNS_GIT) {
        for (line, string) in &source.facts.strings {
            wrong.extend(option(string).map(|name| format!("{}: {name}", source.at(*line))));
        }
    }
    assert_none(&wrong);
}

/// Returns the first command-line option in `string` that is not [`GITS`].
fn option(string: &str) -> Option<&str> {
    let mut named = string.match_indices("--").map(|(at, _)| {
        let end = string[at..].find(|c: char| !c.is_ascii_lowercase() && c != '-');
        &string[at..end.map_or(string.len(), |end| at + end)]
    });
    named.find(|name| name.len() > 2 && !name[2..].starts_with('-') && *name != GITS)
}

#[test]
fn no_code_is_unsafe() {
    let mut wrong = Vec::new();
    for source in sources() {
        wrong.extend(source.facts.lines("unsafe").iter().map(|line| format!("{}: unsafe", source.at(*line))));
        if source.module.is_empty() && !source.forbids_unsafe_code {
            wrong.push(format!("{}: does not forbid unsafe code", source.name));
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_commands_root_is_short() {
    for source in command().filter(|source| source.module.is_empty()) {
        assert!(source.lines <= 100, "{}: {} lines", source.name, source.lines);
    }
}

#[test]
fn schemes_are_named_in_their_table_only() {
    let mut wrong = Vec::new();
    // The package of the library does not contain the files of the command, so the rows for these files are not used
    // there.
    let is_here = |end: &str| sources().iter().any(|source| source.name.ends_with(end));
    let mut unused: BTreeSet<_> = WORDS.iter().map(|(end, word, _)| (*end, *word)).collect();
    unused.retain(|(end, _)| is_here(end));
    for source in sources().iter().filter(|source| source.name != SCHEME_TABLE) {
        for (line, string) in &source.facts.strings {
            let Some(scheme) = scheme(string) else { continue };
            let mut words = WORDS.iter().filter(|(end, word, _)| source.name.ends_with(end) && *word == scheme);
            match words.next() {
                Some((end, word, _)) => drop(unused.remove(&(end, word))),
                None => wrong.push(format!("{}: {string:?} names {scheme}", source.at(*line))),
            }
        }
    }
    wrong.extend(unused.iter().map(|(end, word)| format!("{end}: has no {word:?} any more")));
    assert_none(&wrong);
}

/// Returns the scheme that `string` names. The string can be the name, the name and a colon, or text with a URL such as
/// `ftp://host`.
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
    let mut tables = String::new();
    for entry in fs::read_dir(repository().join("corpus/url")).expect("corpus/url") {
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
    let missing: Vec<_> = SCHEMES.iter().map(|row| row.name).filter(|name| !cases.contains(name)).collect();
    assert!(missing.is_empty(), "no case in corpus/url: {missing:?}");
}

/// Tests [`Source::read`], which collects the names and strings of a file.
#[test]
fn checks_skip_comments_strings_and_tests() {
    let text = r##"
/// crate::doc, unsafe, "http"
use crate::{one, two::{Three, Four}, five};
fn f<'a>(x: &'a str) -> char { let _ = ("crate::string \" unsafe", '"', b'\'', br#"raw " crate::x"#); super::super::six() }
#[cfg(test)]
mod tests { use crate::seven; fn g() { "eight" } }
/* crate::nine */ fn h() { println!("{}", "ten // no comment"); std::process::exit(1) }
mod inner { use super::super::super::{self as all, eleven}; use super::super::b::c; }
pub(in crate::twelve) const Y: u8 = matches!(x, crate::thirteen::X { .. } | [.., "fourteen"]) as u8;
macro_rules! m { () => { use $crate::{fifteen, sixteen::*}; dbg!(1) } }
use {crate::*, std::process::{exit as leave}};
#[clap(help = "seventeen")] struct S { #[path = "x"] stdout: crate::eighteen::T<crate::nineteen> }
rows! {
    /// crate::doc, "http"
    enum E { #[doc = "http"] A = "twenty" }
}
"##;
    let source = Source::read("src/a/b.rs".to_owned(), vec!["a".to_owned(), "b".to_owned()], text);
    let roots: BTreeSet<_> = source.facts.roots.iter().map(|(line, name)| format!("{line:02} {name}")).collect();
    let expected = [
        "03 five",
        "03 one",
        "03 two",
        "04 six",
        "08 *",
        "08 eleven",
        "09 thirteen",
        "09 twelve",
        "10 fifteen",
        "10 sixteen",
        "11 *",
        "12 eighteen",
        "12 nineteen",
    ];
    assert_eq!(roots, BTreeSet::from(expected.map(str::to_owned)));
    let strings: Vec<_> = source.facts.strings.iter().map(|(_, string)| string.as_str()).collect();
    let expected = [
        "crate::string \" unsafe",
        "raw \" crate::x",
        "{}",
        "ten // no comment",
        "fourteen",
        "seventeen",
        "x",
        "twenty",
    ];
    assert_eq!(strings, expected);
    for (word, lines) in [
        ("unsafe", &[][..]),
        ("println!", &[7]),
        ("process::exit", &[7, 11]),
        ("dbg!", &[10]),
        ("clap", &[12]),
        ("stdout", &[12]),
        ("seven", &[]),
    ] {
        assert_eq!(source.facts.lines(word), BTreeSet::from_iter(lines.iter().copied()), "{word}");
    }
    assert_eq!(source.facts.includes, [12]);
    for (string, name) in [("HTTP", "http"), ("see ftp://host", "ftp"), ("news:", "news")] {
        assert_eq!(scheme(string), Some(name));
    }
    assert_eq!(scheme("the xhttp://; a mailto"), None);
    for (string, name) in [("(--max-message)", Some("--max-message")), ("of git --batch", None), ("-----BEGIN", None)] {
        assert_eq!(option(string), name);
    }
}
