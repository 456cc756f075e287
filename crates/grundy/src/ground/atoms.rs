//! The numbering of ground atoms.

use super::AtomId;
use crate::flat::RelationId;
use crate::ids::IdVec;
use std::ops::Range;

/// The atoms of each relation: consecutive ids, one for each row, in the order of the relations. Relations whose rows are
/// not atoms of the ground program have an empty range.
#[derive(Default)]
pub(super) struct Atoms {
    /// The first atom of each relation.
    first: IdVec<RelationId, u32>,
    count: u32,
}

impl Atoms {
    /// Numbers the atoms of relations with these numbers of atoms.
    pub(super) fn new(counts: impl Iterator<Item = u32>) -> Atoms {
        let mut atoms = Atoms::default();
        for count in counts {
            atoms.first.push(atoms.count);
            atoms.count += count;
        }
        atoms
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The number of the first atom of a relation.
    pub(super) fn first(&self, relation: RelationId) -> u32 {
        self.first[relation]
    }

    /// The numbers of the atoms of a relation.
    pub(super) fn range(&self, relation: RelationId) -> Range<u32> {
        let end = self.first.get(RelationId(relation.0 + 1)).copied().unwrap_or(self.count);
        self.first[relation]..end
    }

    /// The atoms of a relation.
    pub(super) fn of(&self, relation: RelationId) -> impl Iterator<Item = AtomId> + use<> {
        self.range(relation).map(AtomId)
    }

    /// The relation and the row of an atom.
    pub(super) fn locate(&self, atom: AtomId) -> (RelationId, u32) {
        let relation = self.first.as_slice().partition_point(|&first| first <= atom.0) - 1;
        let relation = RelationId::new(relation);
        (relation, atom.0 - self.first[relation])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_located_past_empty_relations() {
        let atoms = Atoms::new([2, 0, 3, 0].into_iter());
        assert_eq!(atoms.count(), 5);
        assert_eq!(atoms.range(RelationId(2)), 2..5);
        assert_eq!(atoms.range(RelationId(3)), 5..5);
        assert_eq!(atoms.locate(AtomId(1)), (RelationId(0), 1));
        assert_eq!(atoms.locate(AtomId(2)), (RelationId(2), 0));
    }
}
