//! The values of the rows of a relation, in one array.
//!
//! Values are term ids. Few games have more than 65,536 terms, so values take 16 bits each until one does not fit, and 32
//! bits from then on. That halves memory and cache misses.

use crate::ids::Id;
use smallvec::SmallVec;

pub(super) enum Values {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// A row of a relation.
#[derive(Clone, Copy)]
pub(crate) enum Row<'a> {
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

impl Default for Values {
    fn default() -> Values {
        Values::Narrow(Vec::new())
    }
}

impl Values {
    #[inline]
    pub(super) fn row(&self, row: u32, arity: usize) -> Row<'_> {
        let start = row.index() * arity;
        match self {
            Values::Narrow(values) => Row::Narrow(&values[start..][..arity]),
            Values::Wide(values) => Row::Wide(&values[start..][..arity]),
        }
    }

    #[inline]
    pub(super) fn at(&self, at: usize) -> u32 {
        match self {
            Values::Narrow(values) => u32::from(values[at]),
            Values::Wide(values) => values[at],
        }
    }

    #[inline]
    pub(super) fn extend(&mut self, row: impl Iterator<Item = u32> + Clone) {
        if let Values::Narrow(values) = self {
            let before = values.len();
            let mut all = 0;
            values.extend(row.clone().map(|value| {
                all |= value;
                // Truncated values are discarded below.
                value as u16
            }));
            if all <= u32::from(u16::MAX) {
                return;
            }
            values.truncate(before);
            self.widen();
        }
        if let Values::Wide(values) = self {
            values.extend(row);
        }
    }

    #[cold]
    fn widen(&mut self) {
        if let Values::Narrow(values) = self {
            *self = Values::Wide(values.iter().map(|&value| u32::from(value)).collect());
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Values::Narrow(values) => values.clear(),
            Values::Wide(values) => values.clear(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Values::Narrow(values) => values.capacity() * 2,
            Values::Wide(values) => values.capacity() * 4,
        }
    }

    /// The additional memory that widening would take.
    pub(super) fn bytes_to_widen(&self) -> usize {
        match self {
            Values::Narrow(values) => values.len() * 4,
            Values::Wide(_) => 0,
        }
    }
}

impl<'a> Row<'a> {
    #[inline]
    pub(crate) fn at(self, column: usize) -> u32 {
        match self {
            Row::Narrow(values) => u32::from(values[column]),
            Row::Wide(values) => values[column],
        }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Row::Narrow(values) => values.len(),
            Row::Wide(values) => values.len(),
        }
    }

    #[inline]
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = u32> + Clone + 'a {
        (0..self.len()).map(move |column| self.at(column))
    }

    /// Whether the row has these values. Rows are short, so an inlined loop is faster than a call to `memcmp`.
    #[inline]
    pub(super) fn is(self, mut values: impl Iterator<Item = u32>) -> bool {
        match self {
            Row::Narrow(row) => row.iter().all(|&value| values.next() == Some(u32::from(value))),
            Row::Wide(row) => row.iter().all(|&value| values.next() == Some(value)),
        }
    }

    /// A copy of its values.
    pub(crate) fn to_vec(self) -> SmallVec<[u32; 8]> {
        self.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_preserves_rows() {
        let mut values = Values::default();
        values.extend([1, 2, 65_535].into_iter());
        assert!(matches!(values, Values::Narrow(_)));
        values.extend([3, 65_536, 4].into_iter());
        assert!(matches!(values, Values::Wide(_)));
        assert_eq!(values.row(0, 3).to_vec()[..], [1, 2, 65_535]);
        assert!(values.row(1, 3).is([3, 65_536, 4].into_iter()));
        assert!(!values.row(0, 3).is([3, 65_536, 4].into_iter()));
    }
}
