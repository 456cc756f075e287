//! The known facts of one predicate.

use grundy_syntax::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which arguments of a condition are known before it is matched: bit `i` for argument `i`.
pub(crate) type Mask = u64;

/// The arguments from the 64th on are not indexed.
pub(crate) const MAX_INDEXED: usize = 64;

pub(crate) type Row = Box<[TermId]>;

/// Rows in the order in which they were derived, with an index for every mask that was asked for.
#[derive(Default)]
pub(crate) struct Relation {
    rows: Vec<Row>,
    known: FxHashSet<Row>,
    indexes: Vec<Index>,
}

/// The numbers of the rows by their values in the places of a mask.
struct Index {
    mask: Mask,
    rows: FxHashMap<Vec<TermId>, Vec<usize>>,
}

impl Relation {
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.known.contains(row)
    }

    /// Adds a row; tells whether it is new.
    pub(crate) fn insert(&mut self, row: Row) -> bool {
        if !self.known.insert(row.clone()) {
            return false;
        }
        for index in &mut self.indexes {
            index.rows.entry(key(index.mask, &row)).or_default().push(self.rows.len());
        }
        self.rows.push(row);
        true
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.known.clear();
        self.indexes.iter_mut().for_each(|index| index.rows.clear());
    }

    /// The numbers of the rows that have these values in the places of a mask other than zero.
    pub(crate) fn find(&mut self, mask: Mask, key: &[TermId]) -> &[usize] {
        let position = self.indexes.iter().position(|index| index.mask == mask);
        let position = position.unwrap_or_else(|| self.add_index(mask));
        self.indexes[position].rows.get(key).map_or(&[], |rows| &rows[..])
    }

    fn add_index(&mut self, mask: Mask) -> usize {
        let mut rows: FxHashMap<Vec<TermId>, Vec<usize>> = FxHashMap::default();
        for (number, row) in self.rows.iter().enumerate() {
            rows.entry(key(mask, row)).or_default().push(number);
        }
        self.indexes.push(Index { mask, rows });
        self.indexes.len() - 1
    }
}

fn key(mask: Mask, row: &[TermId]) -> Vec<TermId> {
    let masked = row.iter().take(MAX_INDEXED).enumerate().filter(|(i, _)| mask & (1 << i) != 0);
    masked.map(|(_, &value)| value).collect()
}
