//! Macros that declare enums with a stable name for each value. The enums can print, list and parse these names.

use alloc::boxed::Box;
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
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let unknown = || $crate::named::UnknownName::new(name, $all.map(Self::as_str).collect());
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

/// The error for a name that does not belong to any value of the type.
///
/// ```
/// use urlspool::Form;
///
/// assert_eq!("bare".parse(), Ok(Form::Bare));
/// let error = "naked".parse::<Form>().unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown name "naked": give one of wrapped, angle, bare, prefixed, href"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName {
    name: Box<str>,
    allowed: Box<[&'static str]>,
}

impl UnknownName {
    pub(crate) fn new(name: &str, allowed: Box<[&'static str]>) -> UnknownName {
        UnknownName { name: name.into(), allowed }
    }

    /// Returns the unknown name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of all values of the type.
    #[must_use]
    pub fn allowed(&self) -> &[&'static str] {
        &self.allowed
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown name {:?}: give one of ", self.name)?;
        self.allowed.iter().enumerate().try_for_each(|(i, name)| {
            f.write_str(if i == 0 { "" } else { ", " })?;
            f.write_str(name)
        })
    }
}

impl Error for UnknownName {}

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
