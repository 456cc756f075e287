//! Indexes of a relation: chains of the rows that agree in some columns.
//!
//! The head of a chain is its newest row, and each row refers to the next older one, so that extending a chain takes
//! constant time. An index over one column finds heads by value, since term ids are dense; an index over several columns
//! finds them by hash. Indexes are extended lazily, before a plan uses them, in batches whose cache misses overlap.

use super::table::{Table, hash};
use super::values::Values;
use crate::ids::{Id, narrow};

/// The number of rows that are hashed and looked up together.
pub(super) const BATCH: usize = 64;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

grundy_syntax::define_id! {
    /// An index of a [`Relation`].
    pub(crate) struct IndexId(u32);
}

/// Chains of rows that agree in some columns.
pub(super) struct Index {
    pub(super) columns: Box<[usize]>,
    pub(super) heads: Heads,
    /// For each row, the next older one in its chain.
    pub(super) next: Vec<u32>,
    /// The number of chains.
    pub(super) keys: usize,
    /// How often the number of chains was noted, and the sum of these numbers.
    pub(super) past: (u32, u64),
}

/// The newest row of each chain.
pub(super) enum Heads {
    /// By value, for an index over one column.
    ByValue(Vec<u32>),
    /// By hash, for an index over several columns.
    ByHash(Table),
}

impl Index {
    pub(super) fn new(columns: &[usize]) -> Index {
        let heads = match columns {
            [_] => Heads::ByValue(Vec::new()),
            _ => Heads::ByHash(Table::default()),
        };
        Index { columns: columns.into(), heads, next: Vec::new(), keys: 0, past: (0, 0) }
    }

    pub(super) fn bytes(&self) -> usize {
        let heads = match &self.heads {
            Heads::ByValue(heads) => heads.capacity() * size_of::<u32>(),
            Heads::ByHash(heads) => heads.bytes(),
        };
        self.next.capacity() * size_of::<u32>() + heads
    }

    /// Adds the rows below `end` that are missing.
    pub(super) fn add_all(&mut self, arity: usize, values: &Values, end: u32) {
        let Index { columns, heads, next, keys, .. } = self;
        let rows = narrow(next.len())..end;
        let mut add = |older: u32| {
            *keys += usize::from(older == NONE);
            next.push(older);
        };
        match heads {
            Heads::ByValue(heads) => {
                for row in rows {
                    let value = values.at(row.index() * arity + columns[0]).index();
                    if value >= heads.len() {
                        heads.resize((value + 1).next_power_of_two(), NONE);
                    }
                    add(std::mem::replace(&mut heads[value], row));
                }
            }
            Heads::ByHash(heads) => {
                let key =
                    |row: u32| columns.iter().map(move |&column| values.at(row.index() * arity + column));
                let mut hashes = [0; BATCH];
                for start in rows.step_by(BATCH) {
                    let rows = start..end.min(start + narrow(BATCH));
                    hashes.iter_mut().zip(rows.clone()).for_each(|(place, row)| *place = hash(key(row)));
                    let hashes = &hashes[..rows.len()];
                    // Reading all candidates first overlaps their cache misses, as in `Relation::touch`.
                    let touched = hashes.iter().filter_map(|&hash| heads.peek(hash));
                    let touched = touched.map(|row| values.at(row.index() * arity));
                    std::hint::black_box(touched.fold(0, |all, value| all ^ value));
                    for (row, &hash) in rows.zip(hashes) {
                        let older = heads.replace(hash, row, |other| key(other).eq(key(row)));
                        add(older.unwrap_or_else(|| {
                            heads.insert(hash, row);
                            NONE
                        }));
                    }
                }
            }
        }
    }

    pub(super) fn clear(&mut self, arity: usize, values: &Values) {
        let rows = 0..self.next.len();
        match &mut self.heads {
            Heads::ByValue(heads) if rows.len() * 8 > heads.len() => heads.fill(NONE),
            Heads::ByValue(heads) => {
                rows.for_each(|row| heads[values.at(row * arity + self.columns[0]).index()] = NONE);
            }
            Heads::ByHash(heads) => {
                let key =
                    |row: usize| self.columns.iter().map(move |&column| values.at(row * arity + column));
                heads.clear(rows.map(|row| hash(key(row))));
            }
        }
        self.next.clear();
        self.keys = 0;
    }
}
