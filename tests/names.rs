//! Values with names in output: each name is parsed back into its value.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;

use urlspool::scan::{Form, Hyphen, Reason, Rejoin};
use urlspool::url::{Component, Grammar, ParseErrorKind, Tier, Warning};
use urlspool::{Codec, DetectedBy, DiagnosticKind, Format, HeaderScan, HtmlPlace, Outcome, SkipReason, UnknownName};

/// Checks every value of one type.
#[track_caller]
fn check<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownName>,
{
    let mut names = BTreeSet::new();
    for &value in all {
        assert_eq!(name(value).parse(), Ok(value));
        assert_eq!(value.to_string(), name(value));
        assert_eq!(format!("{value:>40}").trim_start(), name(value));
        assert!(names.insert(name(value)), "{value:?} and another have the same name");
    }
    for given in ["", "no such name", &name(all[0]).to_uppercase()] {
        let error = given.parse::<T>().unwrap_err();
        assert_eq!((error.name(), error.allowed().len()), (given, all.len()));
        assert!(error.to_string().starts_with(&format!("unknown name {given:?}: give one of {}", name(all[0]))));
    }
}

macro_rules! enums {
    ($($name:ident)*) => {
        /// The enums that are checked.
        const ENUMS: &[&str] = &[$(stringify!($name),)*];

        #[test]
        fn names_of_enums() {
            $(check($name::ALL, $name::as_str);)*
        }
    };
}

enums! {
    Codec Component DetectedBy DiagnosticKind Form Grammar HeaderScan HtmlPlace Hyphen Outcome ParseErrorKind Reason Rejoin
    SkipReason Tier Warning
}

#[test]
fn names_of_formats() {
    check(&Format::all().collect::<Vec<_>>(), Format::as_str);
}

/// No enum is missing above: those that the sources declare with `named!`.
#[test]
fn all_enums_are_checked() {
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(path).unwrap();
                let named = text.split("\nnamed! {").skip(1);
                found.extend(named.filter_map(|text| {
                    let name = text.split_once("pub enum ")?.1;
                    Some(name[..name.find(|c: char| !c.is_alphanumeric())?].to_owned())
                }));
            }
        }
    }
    assert_eq!(found, ENUMS.iter().map(|name| (*name).to_owned()).collect());
}
