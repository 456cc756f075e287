//! Dense numbers for things: typed ids, and the few conversions between integers that they need.
//!
//! A type with an id of its own implements [`Id`] by [`define_id!`](crate::define_id), so that a place in one table cannot
//! be taken for a place in another. Conversions outside of this module go through the functions here, or through `From`:
//! none of them truncates, and each says what it assumes.

use std::fmt::Debug;
use std::hash::Hash;

/// A dense number for one kind of thing.
pub trait Id: Copy + Ord + Hash + Debug + 'static {
    /// The id of the thing with this number. Panics beyond the largest one.
    fn new(index: usize) -> Self;

    /// The number.
    fn index(self) -> usize;
}

/// Bare numbers index tables of things that have no type of their own.
impl Id for u32 {
    #[inline(always)]
    fn new(index: usize) -> u32 {
        narrow(index)
    }

    #[inline(always)]
    fn index(self) -> usize {
        // All targets have at least 32 bits.
        self as usize
    }
}

impl Id for u16 {
    #[inline(always)]
    fn new(index: usize) -> u16 {
        u16::try_from(index).expect("fewer than 2^16 things")
    }

    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self)
    }
}

impl Id for usize {
    #[inline(always)]
    fn new(index: usize) -> usize {
        index
    }

    #[inline(always)]
    fn index(self) -> usize {
        self
    }
}

/// A count or place as 32 bits. Panics if there are more: tables of that size are refused long before.
#[inline(always)]
pub fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 things")
}

/// A count as 64 bits, which is never less than it had.
#[inline(always)]
pub fn wide(count: usize) -> u64 {
    count as u64
}

/// A count that was kept in 64 bits as a length in memory; the largest one where it does not fit, which no limit allows.
#[inline(always)]
pub fn length(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A count as a float, for estimates and shares; above 2^53 it is rounded.
#[inline(always)]
pub fn float(count: impl TryInto<u64>) -> f64 {
    count.try_into().map_or(f64::MAX, |count| count as f64)
}

/// Defines an id: a number of 32 bits, or of the given type, that stands for one kind of thing.
///
/// ```
/// use grundy_syntax::define_id;
///
/// define_id! {
///     /// A seat at the table.
///     pub struct SeatId(u32);
/// }
/// assert_eq!(SeatId::new(3).index(), 3);
/// ```
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $visible:vis struct $name:ident($raw:ty);) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $visible struct $name(pub $raw);

        #[allow(dead_code, reason = "all ids can do the same")]
        impl $name {
            /// The id of the thing with this number. Panics beyond the largest one.
            #[inline(always)]
            $visible fn new(index: usize) -> $name {
                $name(<$raw as $crate::Id>::new(index))
            }

            /// The number.
            #[inline(always)]
            $visible fn index(self) -> usize {
                $crate::Id::index(self.0)
            }
        }

        impl $crate::Id for $name {
            #[inline(always)]
            fn new(index: usize) -> $name {
                $name::new(index)
            }

            #[inline(always)]
            fn index(self) -> usize {
                $name::index(self)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_never_truncated() {
        assert_eq!(narrow(7), 7);
        assert_eq!(u32::new(u32::MAX.index()), u32::MAX);
        assert!(std::panic::catch_unwind(|| narrow(1 << 32)).is_err());
        assert!(std::panic::catch_unwind(|| u16::new(1 << 16)).is_err());
        assert_eq!((float(3u64), float(3usize), float(-1i64)), (3.0, 3.0, f64::MAX));
        assert_eq!(length(wide(5)), 5);
    }
}
