//! Checks that the documentation of every public type has an example.
//!
//! The test checks every type that is `pub`. The lint `unreachable_pub` guarantees that these types are part of the
//! public interface.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Lit, Meta, Token, Visibility};

/// Exceptions: types that users get only as the result of a function. The comments of these types link to an example.
const WITHOUT: [&str; 3] = ["FromFn", "FromPaths", "FromReader"];

struct Type {
    name: String,
    comment: String,
}

/// The public types of the visited files.
#[derive(Default)]
struct Types(Vec<Type>);

impl Types {
    fn add(&mut self, visibility: &Visibility, name: &syn::Ident, attributes: &[Attribute]) {
        if matches!(visibility, Visibility::Public(_)) {
            let lines: Vec<_> = attributes.iter().filter_map(line).collect();
            self.0.push(Type { name: name.to_string(), comment: lines.join("\n") });
        }
    }
}

/// Returns the text of `attribute` if it is a line of a doc comment.
fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

impl Visit<'_> for Types {
    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        self.add(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        self.add(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.add(&item.vis, &item.ident, &item.attrs);
    }

    /// The macro `named!` declares an enum.
    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        if item.mac.path.is_ident("named") {
            let mut declaration = |input: ParseStream<'_>| {
                let attributes = input.call(Attribute::parse_outer)?;
                let visibility = input.parse()?;
                input.parse::<Token![enum]>()?;
                self.add(&visibility, &input.parse()?, &attributes);
                input.parse::<TokenStream>().map(drop)
            };
            (&mut declaration).parse2(item.mac.tokens.clone()).expect("named! declares an enum");
        }
        visit::visit_item_macro(self, item);
    }
}

fn types(directory: &Path, found: &mut Types) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            types(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source in UTF-8");
            found.visit_file(&syn::parse_file(&text).expect("a source that compiles"));
        }
    }
}

#[test]
fn every_public_type_has_an_example() {
    let mut found = Types::default();
    types(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    let named = ["Scanner", "Tier", "Sink"].iter().all(|name| found.0.iter().any(|item| item.name == *name));
    assert!(found.0.len() > 50 && named, "{} types", found.0.len());
    let mut wrong = Vec::new();
    for Type { name, comment } in &found.0 {
        match (WITHOUT.contains(&name.as_str()), comment.contains("```\n")) {
            (false, true) => {}
            (false, false) => wrong.push(format!("{name} has no example")),
            (true, true) => wrong.push(format!("{name} has an example, and is listed as a type without one")),
            (true, false) if comment.contains("](") || comment.contains("`]") => {}
            (true, false) => wrong.push(format!("{name} has neither an example nor a link to one")),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
