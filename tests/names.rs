//! Each value of a public enum has a name. Checks that parsing the name returns the value.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use urlspool::{Component, Form, ParseErrorKind, Reason, Tier, Warning};
use urlspool::{DiagnosticKind, ErrorKind, InvalidValue, SkipReason};

/// With the feature `serde`, only types that serde can serialize and deserialize have this trait. Without the feature,
/// all types have it.
#[cfg(feature = "serde")]
trait Json: serde::Serialize + serde::de::DeserializeOwned {}
#[cfg(feature = "serde")]
impl<T: serde::Serialize + serde::de::DeserializeOwned> Json for T {}
#[cfg(not(feature = "serde"))]
trait Json {}
#[cfg(not(feature = "serde"))]
impl<T> Json for T {}

#[track_caller]
fn check<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = InvalidValue> + Json,
{
    let mut names = BTreeSet::new();
    for &value in all {
        assert_eq!(name(value).parse(), Ok(value));
        assert_eq!(value.to_string(), name(value));
        assert_eq!(format!("{value:>40}").trim_start(), name(value));
        assert!(names.insert(name(value)), "{value:?} and another have the same name");
    }
    #[cfg(feature = "serde")]
    for &value in all {
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(json, format!("\"{value}\""));
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value);
        assert!(serde_json::from_str::<T>("\"\"").unwrap_err().to_string().starts_with("unknown name"));
    }
    for given in ["", "no such name", &name(all[0]).to_uppercase()] {
        let error = given.parse::<T>().unwrap_err();
        assert!(error.to_string().starts_with(&format!("unknown name {given:?}: give one of {}", name(all[0]))));
    }
}

#[test]
fn names_of_enums() {
    macro_rules! check_all {
        ($($name:ident)*) => { $(check($name::ALL, $name::as_str);)* };
    }
    check_all! {
        Component DiagnosticKind ErrorKind Form ParseErrorKind Reason SkipReason Tier Warning
    }
}
