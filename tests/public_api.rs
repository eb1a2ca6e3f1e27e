//! What the library promises: its public items, as they stand in `tests/public_api.txt`.
//!
//! A change there is a change for everyone who uses it, and belongs into the changelog. What was meant is written down
//! by `URLSPOOL_WRITE=1 cargo test public_api`. The sources are read as they are, with every feature; bodies, private
//! items and documentation are left out.

use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{
    Attribute, Fields, ImplItem, Item, ItemImpl, ItemMod, ItemUse, Stmt, TraitItem, Type, UseTree, Visibility,
    parse_quote,
};

/// A module of the library: its path from the root, and what it holds.
struct Module {
    path: Vec<String>,
    items: Vec<Item>,
}

/// All modules of the library.
struct Library(Vec<Module>);

impl Library {
    fn read() -> Library {
        let mut library = Library(Vec::new());
        library.add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"), Vec::new());
        library
    }

    /// Adds the module in `file`, and those below it.
    fn add(&mut self, file: &Path, path: Vec<String>) {
        let text = fs::read_to_string(file).unwrap();
        let items = syn::parse_file(&text).unwrap().items;
        let is_root = file.file_name().is_some_and(|name| name == "mod.rs" || name == "lib.rs");
        let folder = if is_root { file.parent().unwrap().to_owned() } else { file.with_extension("") };
        for item in &items {
            if let Item::Mod(ItemMod { ident, content: None, attrs, .. }) = item
                && !is_test(attrs)
            {
                let files: [PathBuf; 2] =
                    [format!("{ident}.rs"), format!("{ident}/mod.rs")].map(|name| folder.join(name));
                let file = files.iter().find(|file| file.exists()).unwrap();
                self.add(file, [&path[..], &[ident.to_string()]].concat());
            }
        }
        self.0.push(Module { path, items });
    }

    fn module(&self, path: &[String]) -> &Module {
        self.0.iter().find(|module| module.path == path).unwrap_or_else(|| panic!("no module {path:?}"))
    }

    /// What one sees of a module from outside.
    fn surface(&self, path: &[String]) -> Vec<Item> {
        let mut surface = Vec::new();
        for item in &self.module(path).items {
            match item {
                Item::Use(item) if is_public(&item.vis) => {
                    for used in leaves(item) {
                        surface.extend(self.item(path, &used));
                    }
                }
                Item::Mod(module) if is_public(&module.vis) && !is_test(&module.attrs) => {
                    let (name, items) = (&module.ident, self.surface(&[path, &[module.ident.to_string()]].concat()));
                    surface.push(parse_quote!(pub mod #name { #(#items)* }));
                }
                _ => surface.extend(name(item).into_iter().flat_map(|name| self.item(path, &[name]))),
            }
        }
        surface
    }

    /// The item that a path names in the module `from`, if it is public, and its implementations.
    fn item(&self, from: &[String], path: &[String]) -> Vec<Item> {
        let (last, before) = path.split_last().unwrap();
        let modules = before.iter().filter(|name| *name != "self" && *name != "crate");
        let from: Vec<String> =
            from.iter().filter(|_| before.first().is_none_or(|first| first != "crate")).cloned().collect();
        let place: Vec<String> = from.into_iter().chain(modules.cloned()).collect();
        let module = self.module(&place);
        if let Some(item) = module.items.iter().find(|item| name(item).is_some_and(|name| name == *last)) {
            let impls = self.impls(&place, last);
            return outside(item.clone()).into_iter().chain(impls).collect();
        }
        let uses = module.items.iter().filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None });
        let used = uses.flat_map(leaves).find(|used| used.last() == Some(last) && used.len() > 1);
        let used = used.unwrap_or_else(|| panic!("no {last} in {place:?}"));
        self.item(&place, &used)
    }

    /// How the type `name` of the module `place` is implemented, there and in the modules below it.
    fn impls(&self, place: &[String], name: &str) -> Vec<Item> {
        let modules = self.0.iter().filter(|module| module.path.starts_with(place));
        let items = modules.flat_map(|module| &module.items);
        let of_it =
            |item: &&Item| matches!(item, Item::Impl(item) if is_type(&item.self_ty, name) && !is_test(&item.attrs));
        items.filter(of_it).cloned().filter_map(outside).collect()
    }
}

fn is_type(of: &Type, name: &str) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[Attribute]) -> bool {
    let tests = ["test", "doctest"].map(|word| format!("cfg({word}"));
    attributes.iter().any(|attribute| {
        let text = tokens(attribute).replace("all(", "");
        tests.iter().any(|test| text.contains(test))
    })
}

fn tokens(attribute: &Attribute) -> String {
    attribute.meta.to_token_stream().to_string().replace(' ', "")
}

/// The paths that a `use` names.
fn leaves(item: &ItemUse) -> Vec<Vec<String>> {
    fn walk(tree: &UseTree, path: &[String], found: &mut Vec<Vec<String>>) {
        let and = |name: &syn::Ident| [path, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(tree) => walk(&tree.tree, &and(&tree.ident), found),
            UseTree::Name(tree) => found.push(and(&tree.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, path, found)),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(&item.tree, &[], &mut found);
    found
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Attributes that are part of the promise.
fn promised(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        ["derive", "non_exhaustive", "must_use", "cfg"].iter().any(|name| attribute.path().is_ident(name))
    });
}

/// An item as it is seen from outside; `None` if it is not.
fn outside(mut item: Item) -> Option<Item> {
    let nothing = parse_quote!({});
    match &mut item {
        Item::Const(item) => {
            promised(&mut item.attrs);
            *item.expr = parse_quote!(..);
            is_public(&item.vis).then_some(())?;
        }
        Item::Static(item) => {
            promised(&mut item.attrs);
            *item.expr = parse_quote!(..);
            is_public(&item.vis).then_some(())?;
        }
        Item::Enum(item) => {
            promised(&mut item.attrs);
            for variant in &mut item.variants {
                promised(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|field| promised(&mut field.attrs));
            }
            is_public(&item.vis).then_some(())?;
        }
        Item::Fn(item) => {
            promised(&mut item.attrs);
            *item.block = nothing;
            is_public(&item.vis).then_some(())?;
        }
        Item::Struct(item) => {
            promised(&mut item.attrs);
            match &mut item.fields {
                Fields::Named(fields) => {
                    let public = fields.named.iter().filter(|field| is_public(&field.vis)).cloned();
                    fields.named = public.collect();
                }
                Fields::Unnamed(fields) if !fields.unnamed.iter().any(|field| is_public(&field.vis)) => {
                    item.fields = Fields::Named(parse_quote!({}));
                    item.semi_token = None;
                }
                _ => {}
            }
            item.fields.iter_mut().for_each(|field| promised(&mut field.attrs));
            is_public(&item.vis).then_some(())?;
        }
        Item::Trait(item) => {
            promised(&mut item.attrs);
            for part in &mut item.items {
                if let TraitItem::Fn(method) = part {
                    promised(&mut method.attrs);
                    // Whether there is a body makes a difference to who implements it.
                    method.default.iter_mut().for_each(|block| *block = parse_quote!({ .. }));
                }
            }
            is_public(&item.vis).then_some(())?;
        }
        Item::Type(item) => {
            promised(&mut item.attrs);
            is_public(&item.vis).then_some(())?;
        }
        Item::Impl(item) => return implementation(item).then(|| Item::Impl(item.clone())),
        _ => return None,
    }
    Some(item)
}

/// Leaves what is public of an implementation; of a trait's the name alone. Whether anything is left.
fn implementation(item: &mut ItemImpl) -> bool {
    promised(&mut item.attrs);
    if item.trait_.is_some() {
        item.items.retain(|part| matches!(part, ImplItem::Type(_)));
        return true;
    }
    item.items.retain(|part| match part {
        ImplItem::Fn(method) => is_public(&method.vis),
        ImplItem::Const(constant) => is_public(&constant.vis),
        _ => false,
    });
    for part in &mut item.items {
        match part {
            ImplItem::Fn(method) => {
                promised(&mut method.attrs);
                method.block.stmts = Vec::<Stmt>::new();
            }
            ImplItem::Const(constant) => {
                promised(&mut constant.attrs);
                constant.expr = parse_quote!(..);
            }
            _ => {}
        }
    }
    !item.items.is_empty()
}

#[test]
fn the_public_api_is_what_was_promised() {
    let items = Library::read().surface(&[]);
    let now = prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/public_api.txt");
    if std::env::var_os("URLSPOOL_WRITE").is_some() {
        fs::write(&path, &now).unwrap();
    }
    let promised = fs::read_to_string(path).unwrap();
    let changed =
        |(number, (old, new)): (usize, (&str, &str))| (old != new).then(|| format!("line {number}: {old} -> {new}"));
    let first = (1..).zip(promised.lines().zip(now.lines())).find_map(changed);
    assert!(
        promised == now,
        "the public interface has changed ({}): if that is meant, run `URLSPOOL_WRITE=1 cargo test public_api`, look at \
         the difference, and tell of it in CHANGELOG.md",
        first.unwrap_or_else(|| "at its end".to_owned()),
    );
}

/// What may be shared between threads, and what may be sent to another.
#[test]
fn searchers_are_shared_and_findings_are_sent() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    fn sent<T: Send + Sync>() {}
    shared::<urlspool::Extractor>();
    shared::<urlspool::ExtractorBuilder>();
    shared::<urlspool::Scanner>();
    shared::<urlspool::Format>();
    shared::<urlspool::Note>();
    shared::<urlspool::Alternative>();
    shared::<urlspool::ParseError>();
    shared::<urlspool::Refusal>();
    sent::<urlspool::Error>();
    sent::<urlspool::File>();
    sent::<urlspool::Url<'static>>();
    sent::<urlspool::Candidate<'static>>();
    sent::<urlspool::scan::Candidates<'static>>();
    sent::<urlspool::scan::Stream>();
}
