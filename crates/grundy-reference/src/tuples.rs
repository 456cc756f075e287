//! Sets of tuples.

use grundy_syntax::TermId;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Different tuples of one length, numbered in the order in which they came.
#[derive(Default)]
pub(crate) struct Tuples {
    /// One tuple after the other. When each had an allocation of its own, a third of the time that
    /// chess takes went into that.
    values: Vec<TermId>,
    /// How long they are, if there are any.
    length: usize,
    count: usize,
    /// The number of each tuple by its hash or, where that is taken by another tuple, by the next
    /// that is free.
    numbers: FxHashMap<u64, usize>,
}

impl Tuples {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn get(&self, number: usize) -> &[TermId] {
        &self.values[number * self.length..][..self.length]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|number| self.get(number))
    }

    /// The number of a tuple, if it is there.
    pub(crate) fn find(&self, tuple: &[TermId]) -> Option<usize> {
        self.search(tuple).ok()
    }

    /// Adds a tuple unless it is there; gives its number.
    pub(crate) fn insert(&mut self, tuple: &[TermId]) -> usize {
        debug_assert!(self.count == 0 || self.length == tuple.len(), "tuples of one length");
        self.search(tuple).unwrap_or_else(|free| {
            self.numbers.insert(free, self.count);
            self.values.extend_from_slice(tuple);
            self.length = tuple.len();
            self.count += 1;
            self.count - 1
        })
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.numbers.clear();
        self.count = 0;
    }

    /// The number of a tuple, or where to put it.
    fn search(&self, tuple: &[TermId]) -> Result<usize, u64> {
        let mut place = hash_of(tuple);
        while let Some(&number) = self.numbers.get(&place) {
            if self.get(number) == tuple {
                return Ok(number);
            }
            place = place.wrapping_add(1);
        }
        Err(place)
    }
}

fn hash_of(tuple: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    tuple.hash(&mut hasher);
    // Two tuples hardly ever have the same hash, but the tests have to see it.
    if cfg!(test) { hasher.finish() % 4 } else { hasher.finish() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_told_apart_even_if_their_hashes_are_not() {
        let pairs: Vec<[TermId; 2]> = (0..100).map(|i| [TermId(i / 10), TermId(i % 10)]).collect();
        let mut tuples = Tuples::default();
        for (number, pair) in pairs.iter().enumerate() {
            assert_eq!(tuples.find(pair), None);
            assert_eq!(tuples.insert(pair), number);
            assert_eq!(tuples.insert(&pairs[number / 2]), number / 2);
        }
        assert!(tuples.iter().eq(&pairs));
        tuples.clear();
        assert_eq!((tuples.len(), tuples.find(&pairs[0])), (0, None));
    }

    #[test]
    fn there_is_one_tuple_without_values() {
        let mut tuples = Tuples::default();
        assert_eq!(tuples.find(&[]), None);
        assert_eq!((tuples.insert(&[]), tuples.insert(&[]), tuples.len()), (0, 0, 1));
        assert!(tuples.iter().eq([&[]]));
    }
}
