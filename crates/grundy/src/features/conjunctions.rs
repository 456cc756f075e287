//! Conjunctions of literals, each stored once.
//!
//! The literals of a conjunction are sorted, and the differences from one to the next are written in as few bytes as
//! they need. Most are below 128, so that a conjunction takes little more than a byte for each literal: the and-table
//! of a large board has tens of millions of them.

use super::literal::InputLiteral;
use crate::ids::{BitSet, Id, IdVec};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

grundy_syntax::define_id! {
    /// A conjunction: a row of the and-table.
    pub(super) struct ConjunctionId(u32);
}

/// A store of conjunctions.
#[derive(Default)]
pub(super) struct Conjunctions {
    bytes: Vec<u8>,
    /// Where each conjunction ends. Not a [`Csr`](crate::ids::Csr): one that is full refuses further conjunctions with
    /// an error, and [`retain`](Conjunctions::retain) works in place.
    ends: IdVec<ConjunctionId, u32>,
    known: HashTable<ConjunctionId>,
    scratch: Vec<u8>,
}

impl Conjunctions {
    /// The conjunction of sorted literals, new or known. `None` if there is no room left.
    pub(super) fn intern(&mut self, literals: &[InputLiteral]) -> Option<ConjunctionId> {
        self.scratch.clear();
        let mut last = 0;
        for &literal in literals {
            write_number(literal.0 - last, &mut self.scratch);
            last = literal.0;
        }
        let hash = hash(&self.scratch);
        let Conjunctions { bytes, ends, known, scratch } = self;
        let bytes_of = |id: ConjunctionId| &bytes[range(ends, id)];
        if let Some(&id) = known.find(hash, |&id| bytes_of(id) == &scratch[..]) {
            return Some(id);
        }
        let end = u32::try_from(bytes.len() + scratch.len()).ok()?;
        known.insert_unique(hash, ConjunctionId::new(ends.len()), |&id| self::hash(bytes_of(id)));
        bytes.extend_from_slice(scratch);
        Some(ends.push(end))
    }

    /// The literals of a conjunction, in order.
    pub(super) fn literals(&self, id: ConjunctionId) -> impl Iterator<Item = InputLiteral> + '_ {
        let mut bytes = self.bytes[range(&self.ends, id)].iter();
        let mut last = 0;
        std::iter::from_fn(move || {
            let (mut number, mut shift) = (0, 0);
            loop {
                let byte = *bytes.next()?;
                number |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    last += number;
                    return Some(InputLiteral(last));
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

    /// Keeps those that are wanted, in order; for each old one its new id. Nothing can be added any more.
    pub(super) fn retain(&mut self, wanted: &BitSet<ConjunctionId>) -> IdVec<ConjunctionId, ConjunctionId> {
        self.known = HashTable::new();
        let old_ends = std::mem::take(&mut self.ends);
        let mut kept: Vec<u32> = Vec::new();
        let (mut start, mut end) = (0, 0);
        let renumbered = old_ends.entries().map(|(id, &old_end)| {
            let new = ConjunctionId::new(kept.len());
            if wanted.contains(id) {
                self.bytes.copy_within(start.index()..old_end.index(), end.index());
                end += old_end - start;
                kept.push(end);
            }
            start = old_end;
            new
        });
        let renumbered = renumbered.collect();
        kept.shrink_to_fit();
        self.ends = kept.into();
        self.bytes.truncate(end.index());
        self.bytes.shrink_to_fit();
        renumbered
    }
}

fn range(ends: &IdVec<ConjunctionId, u32>, id: ConjunctionId) -> std::ops::Range<usize> {
    let start = if id.0 == 0 { 0 } else { ends[ConjunctionId(id.0 - 1)] };
    start.index()..ends[id].index()
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Seven bits a byte, the lowest ones first.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        // The cast keeps the lowest byte, of which seven bits are meant.
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    // What is left is below 2^7.
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_conjunctions_are_one_and_can_be_read_back() {
        let mut all = Conjunctions::default();
        let sets: [&[u32]; 4] = [&[], &[0, 1, 500], &[70_000, 70_001, 4_000_000_000], &[0]];
        let sets = sets.map(|set| set.iter().map(|&literal| InputLiteral(literal)).collect::<Vec<_>>());
        let ids: Vec<_> = sets.iter().map(|set| all.intern(set).unwrap()).collect();
        assert_eq!(all.intern(&sets[1]), Some(ids[1]));
        for (set, &id) in sets.iter().zip(&ids) {
            assert_eq!(&all.literals(id).collect::<Vec<_>>(), set);
        }
        let mut wanted = BitSet::empty(4);
        [ids[1], ids[3]].into_iter().for_each(|id| wanted.set(id, true));
        let renumbered: Vec<u32> = all.retain(&wanted).iter().map(|id| id.0).collect();
        assert_eq!((renumbered, all.len()), (vec![0, 0, 1, 1], 2));
        assert_eq!(all.literals(ConjunctionId(0)).collect::<Vec<_>>(), sets[1]);
        assert_eq!(all.literals(ConjunctionId(1)).collect::<Vec<_>>(), sets[3]);
    }
}
