//! Checks the imports of the library: a module imports only the modules that `LAYERS` allows, and files do not import
//! each other in a circle. An item belongs to the file that defines it, even if another module re-exports it.
//! Dependencies between a file and its parent modules do not count: a `mod.rs` declares and re-exports items.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, mem, slice};

/// The modules at the root of the library, from the ground up, each with the modules that it may import.
const LAYERS: &[(&str, &str)] = &[
    ("shared calendar cookbook named wildmat simd parallel", ""),
    ("diagnostic", "shared"),
    ("url", "named shared"),
    ("header", "diagnostic simd"),
    ("trigger", "url simd"),
    ("scan", "url simd trigger"),
    ("container error", "simd header diagnostic"),
    ("magic", "named error"),
    ("mail", "shared url simd trigger header diagnostic calendar container magic error"),
    ("source", "shared container diagnostic error magic"),
    ("zone", "named simd scan mail"),
    ("options", "shared calendar named container scan source url wildmat zone"),
    ("hit", "shared calendar url simd scan mail source zone"),
    ("event", "shared hit diagnostic error source mail"),
    (
        "extract",
        "shared named url error container parallel trigger mail scan hit diagnostic magic source event wildmat options zone",
    ),
];

/// The path of a module or an item from the root of the library.
type Names = Vec<String>;

/// The modules of the library, each with the paths in its file. The key of an import is its name in the file.
struct Library(BTreeMap<Names, BTreeMap<String, Names>>);

impl Library {
    fn add(&mut self, folder: &Path, module: &[String]) {
        for path in fs::read_dir(folder).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let inner = [module, if ["lib", "mod"].contains(&&*name) { &[] } else { slice::from_ref(&name) }].concat();
            if path.is_dir() {
                self.add(&path, &inner);
            } else if path.extension().is_some_and(|end| end == "rs") && !name.ends_with("tests") {
                self.0.insert(inner, paths(&fs::read_to_string(&path).expect("a source in UTF-8")));
            }
        }
    }

    /// Converts `path` in the module `at` to a path from the root. Returns `None` for paths of other crates.
    fn absolute(&self, at: &[String], path: &[String]) -> Option<Names> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        match path[0].as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([at, &path[1..]].concat()),
            "super" => Some([at.get(..at.len().checked_sub(ups)?)?, &path[ups..]].concat()),
            _ if self.0.contains_key(&[at, &path[..1]].concat()) => Some([at, path].concat()),
            first => self.absolute(at, &[self.0[at].get(first).filter(|path| path[0] != first)?, &path[1..]].concat()),
        }
    }

    /// Returns the module that defines the item at `path`, which begins at the root.
    fn definition(&self, path: &[String]) -> Names {
        let depth = (0..path.len()).take_while(|&depth| self.0.contains_key(&path[..=depth])).count();
        let module = &path[..depth];
        let imported = path.get(depth).and_then(|name| self.absolute(module, self.0.get(module)?.get(name)?));
        imported.map_or_else(|| module.to_vec(), |item| self.definition(&[&item, &path[depth + 1..]].concat()))
    }

    /// Returns the modules on which the file of the module `name` depends.
    fn dependencies(&self, name: &Names) -> BTreeSet<Names> {
        let all = self.0[name].values().filter_map(|path| Some(self.definition(&self.absolute(name, path)?)));
        all.filter(|other| !name.starts_with(other) && !other.starts_with(name)).collect()
    }

    /// Returns the modules that are in a circle, or whose imports lead to a circle.
    fn circles(&self) -> BTreeSet<Names> {
        let mut left: BTreeSet<Names> = self.0.keys().cloned().collect();
        let mut before = BTreeSet::new();
        while before.len() != left.len() {
            before = left.clone();
            left.retain(|name| !self.dependencies(name).is_disjoint(&before));
        }
        left
    }
}

/// Returns the paths in a file that has the format of rustfmt.
fn paths(text: &str) -> BTreeMap<String, Names> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let code = code(text).replace("::", "\0").replace(" as ", "\u{1}");
    let (mut found, mut groups, mut is_use, mut before) = (BTreeMap::new(), Vec::<Names>::new(), false, ' ');
    let (mut path, mut local) = (Names::new(), String::new());
    // Each piece is a name, which may be empty, and the character after it.
    for piece in code.split_inclusive(|c| !is_name(c)) {
        let name = piece.trim_end_matches(|c| !is_name(c));
        let after = piece[name.len()..].chars().next().unwrap_or(' ');
        is_use |= piece == "use ";
        let is_alias = before == '\u{1}';
        if !name.is_empty() && piece != "use " {
            path = if is_alias || before == '\0' { path } else { groups.last().cloned().unwrap_or_default() };
            path.extend((!is_alias && (name != "self" || path.is_empty())).then(|| name.to_owned()));
            local = if is_alias { name.to_owned() } else { path[path.len() - 1].clone() };
        }
        if before == '\0' && piece == "{" {
            groups.push(mem::take(&mut path));
        } else if !['\0', '\u{1}'].contains(&after) && !path.is_empty() && (is_use || path.len() > 1) {
            found.insert(if is_use { mem::take(&mut local) } else { path.join("::") }, mem::take(&mut path));
        }
        groups.truncate(groups.len().saturating_sub(usize::from(after == '}')));
        (is_use, before) = (is_use && after != ';', after);
    }
    found
}

/// Returns `text` without comments and tests. The first and the last line of an item have the same indentation.
fn code(text: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let (mut code, mut lines) = (String::new(), text.lines());
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        if start.starts_with("#[cfg(test") || start.starts_with("#[cfg(all(test") || start == "#[test]" {
            lines.find(|last| indentation(last) == indentation(line) && last.ends_with([';', '}']));
        }
        code = code + line.split("//").next().unwrap_or_default() + "\n";
    }
    code
}

#[test]
fn files_import_only_lower_modules_and_not_in_circles() {
    let mut library = Library(BTreeMap::new());
    library.add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[]);
    assert!(library.0.len() > 80, "{} files were found", library.0.len());
    for name in library.0.keys().filter(|name| !name.is_empty()) {
        let has = |list: &str, module: &str| list.split(' ').any(|name| name == module);
        let row = LAYERS.iter().find(|(modules, _)| has(modules, &name[0]));
        let (_, allowed) = row.unwrap_or_else(|| panic!("LAYERS does not have {name:?}"));
        let wrong = |other: &Names| other[0] != name[0] && !has(allowed, &other[0]);
        assert_eq!(library.dependencies(name).into_iter().find(wrong), None, "{name:?} must not import this module");
    }
    assert_eq!(library.circles(), BTreeSet::new(), "files in a circle, or whose imports lead to a circle");
}

#[test]
fn circles_are_found() {
    for (a, b, c, found) in [
        ("use super::b::B;", "/// crate::a::A\nstruct B;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}", "", ""),
        ("use crate::{b::{self, B as _}, d};", "fn f() -> crate::a::A { }", "", "a b"),
        ("use crate::d as e; fn f() { e::C::new() }", "", "use super::super::a::A;", "a d::c"),
    ] {
        let files = [("a", a), ("b", b), ("d", "mod c; pub use c::C; struct D;"), ("d::c", c)];
        let names = |name: &str| name.split("::").map(str::to_owned).collect();
        let library = Library(files.map(|(name, text)| (names(name), paths(text))).into());
        let circles: Vec<_> = library.circles().iter().map(|name| name.join("::")).collect();
        assert_eq!(circles.join(" "), found, "{a} | {b} | {c}");
    }
}
