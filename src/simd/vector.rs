//! Vectors of bytes. With the feature `perf`, this module re-exports the types of the crate `fearless_simd`. Without
//! `perf`, this module has a small replacement in plain Rust, which compiles faster.

#[cfg(feature = "perf")]
pub(crate) use fearless_simd::{Level, dispatch, prelude, u8x64};

#[cfg(not(feature = "perf"))]
pub(crate) use plain::{Level, Plain, dispatch, prelude, u8x64};

#[cfg(not(feature = "perf"))]
mod plain {
    use core::ops::{BitAnd, BitOr, BitOrAssign, Sub};

    use self::prelude::Simd;

    pub(crate) mod prelude {
        /// An instruction set.
        pub(crate) trait Simd: Copy {}
    }

    /// The instruction set that the compiler targets.
    #[derive(Clone, Copy)]
    pub(crate) struct Plain;

    impl Simd for Plain {}

    /// The instruction set of the processor. The plain code is the same for all processors, so nothing is detected.
    pub(crate) struct Level;

    impl Level {
        pub(crate) fn new() -> Level {
            Level
        }
    }

    macro_rules! dispatch {
        ($level:expr, $simd:ident => $value:expr) => {{
            let _: $crate::simd::Level = $level;
            let $simd = $crate::simd::Plain;
            $value
        }};
    }
    pub(crate) use dispatch;

    const BYTES: usize = 64;

    #[expect(non_camel_case_types, reason = "the type of fearless_simd has this name")]
    #[derive(Clone, Copy)]
    pub(crate) struct u8x64<S> {
        _simd: S,
        bytes: [u8; BYTES],
    }

    impl<S: Simd> u8x64<S> {
        pub(crate) fn from_slice(_simd: S, bytes: &[u8; BYTES]) -> Self {
            u8x64 { _simd, bytes: *bytes }
        }

        pub(crate) fn splat(_simd: S, byte: u8) -> Self {
            u8x64 { _simd, bytes: [byte; BYTES] }
        }

        pub(crate) fn simd_eq(self, other: Self) -> Mask {
            self.compare(other, |one, other| one == other)
        }

        pub(crate) fn simd_le(self, other: Self) -> Mask {
            self.compare(other, |one, other| one <= other)
        }

        fn compare(self, other: Self, holds: impl Fn(u8, u8) -> bool) -> Mask {
            let mut each = [0; BYTES];
            for (each, (one, other)) in each.iter_mut().zip(self.bytes.iter().zip(other.bytes)) {
                *each = u8::from(holds(*one, other));
            }
            let eights = each.as_chunks().0.iter().enumerate();
            // Each of the eight bytes is 0 or 1. The multiplication collects the lowest bits of these bytes in the
            // highest byte.
            Mask(eights.fold(0, |bits, (at, eight)| {
                let bit = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                bits | bit << (8 * at)
            }))
        }

        fn each(mut self, other: Self, with: impl Fn(u8, u8) -> u8) -> Self {
            for (one, other) in self.bytes.iter_mut().zip(other.bytes) {
                *one = with(*one, other);
            }
            self
        }
    }

    impl<S: Simd> BitAnd for u8x64<S> {
        type Output = Self;

        fn bitand(self, other: Self) -> Self {
            self.each(other, |one, other| one & other)
        }
    }

    impl<S: Simd> BitOr for u8x64<S> {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            self.each(other, |one, other| one | other)
        }
    }

    impl<S: Simd> Sub for u8x64<S> {
        type Output = Self;

        fn sub(self, other: Self) -> Self {
            self.each(other, u8::wrapping_sub)
        }
    }

    /// A mask with one bit for each byte of a vector.
    #[derive(Clone, Copy)]
    pub(crate) struct Mask(u64);

    impl Mask {
        pub(crate) fn to_bitmask(self) -> u64 {
            self.0
        }
    }

    impl BitOr for Mask {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            Mask(self.0 | other.0)
        }
    }

    impl BitOrAssign for Mask {
        fn bitor_assign(&mut self, other: Self) {
            self.0 |= other.0;
        }
    }
}
