//! The known facts of one predicate.

use grundy_syntax::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which arguments of a condition are known before it is matched: bit `i` for argument `i`.
pub(crate) type Mask = u64;

/// The arguments from the 64th on cannot be indexed.
pub(crate) const MAX_INDEXED: usize = 64;

type Row = Box<[TermId]>;

/// Rows in the order in which they were derived, with an index for every mask that some rule asks
/// with.
#[derive(Default)]
pub(crate) struct Relation {
    rows: Vec<Row>,
    known: FxHashSet<Row>,
    indexes: Vec<(Mask, FxHashMap<Vec<TermId>, Vec<usize>>)>,
}

impl Relation {
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.known.contains(row)
    }

    /// Prepares for questions with these arguments known.
    pub(crate) fn add_index(&mut self, mask: Mask) {
        debug_assert!(self.rows.is_empty(), "indexes come before rows");
        if mask != 0 && self.indexes.iter().all(|(known, _)| *known != mask) {
            self.indexes.push((mask, FxHashMap::default()));
        }
    }

    /// Adds a row; tells whether it is new.
    pub(crate) fn insert(&mut self, row: Row) -> bool {
        if !self.known.insert(row.clone()) {
            return false;
        }
        for (mask, index) in &mut self.indexes {
            index.entry(key(*mask, &row)).or_default().push(self.rows.len());
        }
        self.rows.push(row);
        true
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.known.clear();
        self.indexes.iter_mut().for_each(|(_, index)| index.clear());
    }

    /// The numbers of the rows that have these values in the places of the mask.
    pub(crate) fn find(&self, mask: Mask, key: &Vec<TermId>) -> &[usize] {
        let index = self.indexes.iter().find(|(known, _)| *known == mask);
        let (_, index) = index.expect("every plan adds the indexes that it uses");
        index.get(key).map_or(&[], |rows| &rows[..])
    }
}

fn key(mask: Mask, row: &[TermId]) -> Vec<TermId> {
    let masked = row.iter().take(MAX_INDEXED).enumerate().filter(|(i, _)| mask & (1 << i) != 0);
    masked.map(|(_, &value)| value).collect()
}
