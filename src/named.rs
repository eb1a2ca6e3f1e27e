//! Enums that say something fixed for each variant, such as its name in output.

/// Declares an enum as usual, with a value of type `$row` after each variant: what `row` returns.
macro_rules! rows {
    ($(#[$meta:meta])* $vis:vis enum $name:ident: $row:ty { $($(#[$doc:meta])* $variant:ident = $value:expr,)* }) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All variants, in the order of their declaration.
            #[allow(dead_code, reason = "not every such enum is listed")]
            const VARIANTS: &[Self] = &[$(Self::$variant,)*];

            const fn row(self) -> $row {
                match self { $(Self::$variant => $value,)* }
            }
        }
    };
}

/// Declares an enum as usual, with a name after each variant. Adds `as_str`, and a `Display` that prints the same name.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variants:tt)* }) => {
        rows! { $(#[$meta])* $vis enum $name: &'static str { $($variants)* } }

        impl $name {
            /// The name in output. It is stable.
            $vis const fn as_str(self) -> &'static str {
                self.row()
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
