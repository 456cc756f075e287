//! Conjunctions of literals, each stored once.
//!
//! The literals of a conjunction are sorted, and the differences from one to the next are written in as few bytes as
//! they need. Most are below 128, so that a conjunction takes little more than a byte for each literal: the and-table
//! of a large board has tens of millions of them.

use crate::ids::{Id, narrow};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A conjunction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ConjunctionId(pub(super) u32);

/// A store of conjunctions.
#[derive(Default)]
pub(super) struct Conjunctions {
    bytes: Vec<u8>,
    /// Where each conjunction ends.
    ends: Vec<u32>,
    known: HashTable<u32>,
    scratch: Vec<u8>,
}

impl Conjunctions {
    /// The conjunction of sorted literals, new or known. `None` if there is no room left.
    pub(super) fn intern(&mut self, literals: &[u32]) -> Option<ConjunctionId> {
        self.scratch.clear();
        let mut last = 0;
        for &literal in literals {
            write_number(literal - last, &mut self.scratch);
            last = literal;
        }
        let hash = hash(&self.scratch);
        let Conjunctions { bytes, ends, known, scratch } = self;
        let bytes_of = |number: u32| &bytes[range(ends, number)];
        if let Some(&number) = known.find(hash, |&number| bytes_of(number) == &scratch[..]) {
            return Some(ConjunctionId(number));
        }
        let number = narrow(ends.len());
        let end = u32::try_from(bytes.len() + scratch.len()).ok()?;
        known.insert_unique(hash, number, |&number| self::hash(bytes_of(number)));
        bytes.extend_from_slice(scratch);
        ends.push(end);
        Some(ConjunctionId(number))
    }

    /// The literals of a conjunction, in order.
    pub(super) fn literals(&self, id: ConjunctionId) -> impl Iterator<Item = u32> + '_ {
        let mut bytes = self.bytes[range(&self.ends, id.0)].iter();
        let mut last = 0;
        std::iter::from_fn(move || {
            let (mut number, mut shift) = (0, 0);
            loop {
                let byte = *bytes.next()?;
                number |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    last += number;
                    return Some(last);
                }
            }
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory of the conjunctions themselves, without what finds them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * 4
    }

    /// Keeps those that are wanted, in order; for each old one its new number. Nothing can be added any more.
    pub(super) fn retain(&mut self, wanted: &[bool]) -> Vec<u32> {
        self.known = HashTable::new();
        let mut numbers = Vec::with_capacity(wanted.len());
        let (mut kept, mut start, mut end) = (0, 0, 0);
        for (number, &wanted) in wanted.iter().enumerate() {
            let old_end = self.ends[number];
            numbers.push(narrow(kept));
            if wanted {
                self.bytes.copy_within(start.index()..old_end.index(), end.index());
                end += old_end - start;
                self.ends[kept] = end;
                kept += 1;
            }
            start = old_end;
        }
        self.ends.truncate(kept);
        self.bytes.truncate(end.index());
        self.ends.shrink_to_fit();
        self.bytes.shrink_to_fit();
        numbers
    }
}

fn range(ends: &[u32], number: u32) -> std::ops::Range<usize> {
    let start = if number == 0 { 0 } else { ends[number.index() - 1] };
    start.index()..ends[number.index()].index()
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Seven bits a byte, the lowest ones first.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_conjunctions_are_one_and_can_be_read_back() {
        let mut all = Conjunctions::default();
        let sets: [&[u32]; 4] = [&[], &[0, 1, 500], &[70_000, 70_001, 4_000_000_000], &[0]];
        let ids: Vec<_> = sets.iter().map(|set| all.intern(set).unwrap()).collect();
        assert_eq!(all.intern(&[0, 1, 500]), Some(ids[1]));
        for (set, &id) in sets.iter().zip(&ids) {
            assert_eq!(&all.literals(id).collect::<Vec<_>>(), set);
        }
        assert_eq!(all.retain(&[false, true, false, true]), [0, 0, 1, 1]);
        assert_eq!(all.len(), 2);
        assert_eq!(all.literals(ConjunctionId(0)).collect::<Vec<_>>(), [0, 1, 500]);
        assert_eq!(all.literals(ConjunctionId(1)).collect::<Vec<_>>(), [0]);
    }
}
