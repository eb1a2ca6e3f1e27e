//! Checks that the files of the library do not import each other in a circle.
//!
//! Reads all modules of the library, except test code. A file depends on another file if it names an item of that file
//! in a `use` or in a path. If a module re-exports an item, the item still belongs to the file that defines it. A
//! method call is not a dependency. So the file of a type can call methods whose `impl` block is in another file.
//!
//! Dependencies between a file and its parent modules do not count. A `mod.rs` declares its files, re-exports their
//! items, and can define items that the files share.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use quote::ToTokens;
use syn::buffer::{Cursor, TokenBuffer};
use syn::{Attribute, Item, UseTree};

/// The path of a module or an item from the root of the library.
type Names = Vec<String>;

/// One file of the library.
#[derive(Default)]
struct Module {
    /// The imported names, each with the path of the imported item.
    imports: BTreeMap<String, Names>,
    /// All paths with at least two names, as written in the code.
    paths: BTreeSet<Names>,
}

/// Maps each module path of the library to the file of the module.
struct Library(BTreeMap<Names, Module>);

impl Library {
    /// Parses the library. `read` returns the text of a module.
    fn new(read: &dyn Fn(&[String]) -> String) -> Library {
        let mut library = Library(BTreeMap::new());
        library.add(Names::new(), read);
        library
    }

    /// Adds the module `name` and the modules that it declares.
    fn add(&mut self, name: Names, read: &dyn Fn(&[String]) -> String) {
        let file = syn::parse_file(&read(&name)).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        let mut uses = Vec::new();
        let mut module = Module::default();
        for item in &file.items {
            match item {
                Item::Mod(item) if is_test(&item.attrs) => {}
                Item::Fn(item) if is_test(&item.attrs) => {}
                Item::Impl(item) if is_test(&item.attrs) => {}
                Item::Use(item) if is_test(&item.attrs) || item.leading_colon.is_some() => {}
                Item::Use(item) => leaves(&item.tree, &mut Names::new(), &mut uses),
                Item::Mod(item) if item.content.is_none() => {
                    self.add([&name[..], &[item.ident.to_string()]].concat(), read);
                }
                item => paths(TokenBuffer::new2(item.to_token_stream()).begin(), &mut module.paths),
            }
        }
        for (local, path) in uses {
            // If `absolute` returns `None`, the name belongs to another crate.
            module.imports.extend(self.absolute(&name, &path, None).map(|path| (local, path)));
        }
        self.0.insert(name, module);
    }

    /// Converts `path` to a path from the root of the library. `path` occurs in the module `at`, and `imports` are the
    /// imports of that module. Returns `None` for paths of other crates.
    fn absolute(&self, at: &[String], path: &[String], imports: Option<&BTreeMap<String, Names>>) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let ups = path.iter().take_while(|name| *name == "super").count();
        let child = [at, &path[..1]].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([at, rest].concat()),
            "super" => Some([at.get(..at.len() - ups)?, &path[ups..]].concat()),
            _ if self.0.contains_key(&child) => Some([at, path].concat()),
            _ => Some([imports?.get(first)?, rest].concat()),
        }
    }

    /// Returns the module that defines the item at `path`. `path` begins at the root.
    fn definition(&self, path: &[String]) -> Names {
        let mut depth = 0;
        while depth < path.len() && self.0.contains_key(&path[..=depth]) {
            depth += 1;
        }
        let (module, rest) = path.split_at(depth);
        match rest.split_first().and_then(|(name, rest)| Some((self.0.get(module)?.imports.get(name)?, rest))) {
            Some((import, rest)) => self.definition(&[import, rest].concat()),
            None => module.to_vec(),
        }
    }

    /// Returns, for each module, the modules on which its file depends.
    fn dependencies(&self) -> BTreeMap<&Names, BTreeSet<Names>> {
        let of = |(name, module): (&Names, &Module)| {
            let inline = module.paths.iter().filter_map(|path| self.absolute(name, path, Some(&module.imports)));
            let all = module.imports.values().cloned().chain(inline).map(|path| self.definition(&path));
            all.filter(|other| !name.starts_with(other) && !other.starts_with(name)).collect()
        };
        self.0.iter().map(|(name, module)| (name, of((name, module)))).collect()
    }
}

fn source(module: &[String]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module.join("/"));
    let files =
        if module.is_empty() { [path.join("lib.rs"), path] } else { [path.with_extension("rs"), path.join("mod.rs")] };
    let text = files.iter().find_map(|file| fs::read_to_string(file).ok());
    text.unwrap_or_else(|| panic!("no file for {module:?}"))
}

/// Returns whether an item with these attributes is compiled only for tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text == "cfg (test)" || text.starts_with("cfg (all (test ,")
    })
}

/// Adds to `found` each name that a `use` imports, with the path of the imported item.
fn leaves(tree: &UseTree, path: &mut Names, found: &mut Vec<(String, Names)>) {
    let mut add = |local: &syn::Ident, name: &syn::Ident| {
        let mut path = path.clone();
        path.extend((name != "self" || path.is_empty()).then(|| name.to_string()));
        let local = if local == "self" { path.last().cloned().unwrap_or_default() } else { local.to_string() };
        found.push((local, path));
    };
    match tree {
        UseTree::Name(leaf) => add(&leaf.ident, &leaf.ident),
        UseTree::Rename(leaf) => add(&leaf.rename, &leaf.ident),
        UseTree::Path(branch) => {
            path.push(branch.ident.to_string());
            leaves(&branch.tree, path, found);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, found)),
        // Code uses the traits of a prelude without naming them. So the module of the prelude counts as a dependency.
        UseTree::Glob(_) if path.last().is_some_and(|last| last == "prelude") => {
            found.push(("prelude".to_owned(), path.clone()));
        }
        UseTree::Glob(_) => assert!(path[0] != "super" && path[0] != "crate", "a glob import outside tests: {path:?}"),
    }
}

/// Adds to `found` all paths of two or more names, including the paths in macro arguments.
fn paths(mut at: Cursor<'_>, found: &mut BTreeSet<Names>) {
    let mut path = Names::new();
    // The number of colons since the last name.
    let mut colons = 0;
    while !at.eof() {
        if let Some((name, rest)) = at.ident() {
            if colons != 2 {
                path.clear();
            }
            path.push(name.to_string());
            (colons, at) = (0, rest);
            if path.len() > 1 {
                found.insert(path.clone());
            }
            continue;
        }
        if let Some((punct, rest)) = at.punct()
            && punct.as_char() == ':'
        {
            (colons, at) = (colons + 1, rest);
            continue;
        }
        (colons, path) = (0, Names::new());
        if let Some((inside, _, _, rest)) = at.any_group() {
            paths(inside, found);
            at = rest;
        } else if let Some((_, rest)) = at.token_tree() {
            at = rest;
        }
    }
}

/// Returns the modules that are in a circle of imports, or on a path from one circle to another.
fn circles(mut depends: BTreeMap<&Names, BTreeSet<Names>>) -> Vec<String> {
    loop {
        let before = depends.len();
        let used: BTreeSet<Names> = depends.values().flatten().cloned().collect();
        depends.retain(|name, others| !others.is_empty() && used.contains(*name));
        let left: BTreeSet<Names> = depends.keys().map(|name| (*name).clone()).collect();
        depends.values_mut().for_each(|others| others.retain(|other| left.contains(other)));
        if depends.len() == before {
            break;
        }
    }
    let arrows = |(name, others): (&Names, &BTreeSet<Names>)| {
        let others: Vec<_> = others.iter().map(|other| other.join("::")).collect();
        format!("{} -> {}", name.join("::"), others.join(", "))
    };
    depends.iter().map(|(name, others)| arrows((name, others))).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let library = Library::new(&source);
    assert!(library.0.len() > 80, "{} files were found", library.0.len());
    let found = circles(library.dependencies());
    assert!(found.is_empty(), "files that import each other in a circle:\n{}", found.join("\n"));
}

/// Each row has the texts of the modules `a`, `b` and `d::c` of a small library, and the circles in this library.
#[test]
fn circles_are_found() {
    let table: [(&str, &str, &str, &[&str]); 9] = [
        ("", "", "", &[]),
        ("use super::b::B;", "pub struct B;", "", &[]),
        ("use super::b::B;", "use super::a::A;", "", &["a -> b", "b -> a"]),
        ("use crate::{b::{self, B}, d};", "fn f() -> crate::a::A { }", "", &["a -> b", "b -> a"]),
        ("use super::d::C;", "", "use crate::a;", &["a -> d::c", "d::c -> a"]),
        ("use crate::d; fn f() { d::C::new() }", "", "use super::super::a::A;", &["a -> d::c", "d::c -> a"]),
        ("use super::b; fn f() { assert!(b::g()) }", "fn g() { super::a::f(\"crate::d\") }", "", &["a -> b", "b -> a"]),
        ("use super::b::B;", "/// crate::a::A\npub struct B; #[cfg(test)] mod tests { use crate::a::A; }", "", &[]),
        ("use super::d::D;", "", "use super::D; use super::super::b::B;", &[]),
    ];
    for (a, b, c, expected) in table {
        let read = |module: &[String]| match module.join("::").as_str() {
            "" => "mod a; mod b; mod d;",
            "a" => a,
            "b" => b,
            "d::c" => c,
            _ => "mod c; pub use c::C; pub struct D;",
        };
        let found = circles(Library::new(&|module| read(module).to_owned()).dependencies());
        assert_eq!(found, expected, "{a} | {b} | {c}");
    }
}
