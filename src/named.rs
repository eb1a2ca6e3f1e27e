//! Macros that declare enums with a stable name for each value. The enums can print, list and parse these names.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::error::Error;
use core::fmt;
#[cfg(feature = "serde")]
use core::{marker::PhantomData, str::FromStr};

#[cfg(feature = "serde")]
use serde_core::{Deserializer, de};

/// Declares an enum in which each variant has a stable name, such as `Bare = "bare"`. Adds `ALL` and `as_str`, and
/// calls `names!` to implement `Display`, `FromStr` and the traits of serde.
///
/// If a type follows the name of the enum, each variant also has a value of that type: `Bare = "bare" => 1`. The method
/// `row` returns this value.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All values, in the order of their declaration.
            $vis const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name of this value, as printed in output. The name does not change between versions.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        names!($name, $name::ALL.iter().copied());
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident: $row:ty {
        $($(#[$doc:meta])* $variant:ident = $text:literal => $value:expr,)*
    }) => {
        named! { $(#[$meta])* $vis enum $name { $($(#[$doc])* $variant = $text,)* } }

        impl $name {
            const fn row(self) -> $row {
                match self { $(Self::$variant => $value,)* }
            }
        }
    };
}

/// Implements `Display`, `FromStr` and the traits of serde for a type whose method `as_str` returns a name. `$all` is
/// an iterator over all values of the type.
macro_rules! names {
    ($name:ident, $all:expr) => {
        /// Prints the name.
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        /// Parses the name that `as_str` returns. Case matters.
        impl core::str::FromStr for $name {
            type Err = $crate::named::InvalidValue;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let unknown = || {
                    $crate::named::InvalidValue::unknown(name, &$all.map(Self::as_str).collect::<alloc::vec::Vec<_>>())
                };
                $all.find(|value| value.as_str() == name).ok_or_else(unknown)
            }
        }

        /// Serializes to the name. Needs the feature `serde`.
        #[cfg(feature = "serde")]
        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        /// Parses the name. Needs the feature `serde`.
        #[cfg(feature = "serde")]
        impl<'de> serde_core::Deserialize<'de> for $name {
            fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::named::deserialize(deserializer)
            }
        }
    };
}

/// The error for a text that is not one of the accepted values: an unknown name, an unknown option, an invalid value of
/// an option, or a text that is not a task. The message says what is wrong and what to do.
///
/// ```
/// use urlspool::Form;
///
/// assert_eq!("bare".parse(), Ok(Form::Bare));
/// let error = "naked".parse::<Form>().unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown name "naked": give one of wrapped, angle, bare, prefixed, href, www, path, domain"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InvalidValue {
    /// The beginning of the message, which names the value.
    what: String,
    why: Cow<'static, str>,
}

impl InvalidValue {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<Cow<'static, str>>) -> InvalidValue {
        InvalidValue { what: what.into(), why: why.into() }
    }

    pub(crate) fn unknown(name: &str, allowed: &[&str]) -> InvalidValue {
        InvalidValue::new(format!("unknown name {name:?}: "), format!("give one of {}", allowed.join(", ")))
    }

    /// Returns why the value is invalid, and what to write instead. Unlike the whole message, this text does not begin
    /// with the value.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidValue { what, why } = self;
        write!(f, "{what}{why}")
    }
}

impl Error for InvalidValue {}

/// Deserializes a string and parses it with `FromStr`.
#[cfg(feature = "serde")]
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    struct Parse<T>(PhantomData<T>);

    impl<T: FromStr<Err: fmt::Display>> de::Visitor<'_> for Parse<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Parse(PhantomData))
}
