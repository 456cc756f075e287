//! [`Memory`]: facts in rows, found by the values of some of their columns.
//!
//! The complete facts of a domain are one memory; a working memory is another one, with the facts of
//! a state and all that follows from them.

use grundy_syntax::{PredicateId, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::LazyLock;

/// The values of some columns of a row.
pub(crate) type Key = SmallVec<[TermId; 4]>;

/// A set of columns, one bit for each.
pub(crate) type Mask = u64;

/// Only so many columns can be bound when rows are looked for.
pub(crate) const MOST_COLUMNS: usize = 64;

/// The rows of a predicate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    rows: Vec<Box<[TermId]>>,
    known: FxHashSet<Box<[TermId]>>,
    indexes: FxHashMap<Mask, FxHashMap<Key, Vec<u32>>>,
    /// For each column, how many different values stand in it.
    distinct: Vec<usize>,
}

impl Relation {
    pub(crate) fn rows(&self) -> &[Box<[TermId]>] {
        &self.rows
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.known.contains(row)
    }

    fn insert(&mut self, row: &[TermId]) {
        if self.known.insert(row.into()) {
            self.rows.push(row.into());
        }
    }

    /// The rows that have these values in the columns of a mask; the index has to be there.
    pub(crate) fn find(&self, mask: Mask, key: &Key) -> &[u32] {
        self.indexes.get(&mask).and_then(|index| index.get(key)).map_or(&[], |rows| rows)
    }

    /// Makes the index of a mask.
    pub(crate) fn prepare(&mut self, mask: Mask) {
        let rows = &self.rows;
        self.indexes.entry(mask).or_insert_with(|| {
            let mut index: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
            for (number, row) in rows.iter().enumerate() {
                index.entry(key_of(row, mask)).or_default().push(number as u32);
            }
            index
        });
    }

    /// How many different values stand in a column.
    pub(crate) fn distinct(&self, column: usize) -> usize {
        self.distinct.get(column).copied().unwrap_or(0)
    }
}

/// The values of the columns of a mask.
pub(crate) fn key_of(row: &[TermId], mask: Mask) -> Key {
    let columns = row.iter().enumerate().filter(|(column, _)| mask >> column & 1 == 1);
    columns.map(|(_, &value)| value).collect()
}

/// Facts of all predicates.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    relations: Vec<Relation>,
}

impl Memory {
    /// The memory of these facts.
    pub(crate) fn new(
        predicates: usize,
        facts: impl IntoIterator<Item = (PredicateId, Box<[TermId]>)>,
    ) -> Memory {
        let mut memory = Memory { relations: vec![Relation::default(); predicates] };
        for (predicate, row) in facts {
            memory.relations[predicate.0 as usize].insert(&row);
        }
        for relation in &mut memory.relations {
            let columns = relation.rows.first().map_or(0, |row| row.len());
            let values = |column: usize| {
                relation.rows.iter().map(|row| row[column]).collect::<FxHashSet<TermId>>().len()
            };
            relation.distinct = (0..columns).map(values).collect();
        }
        memory
    }

    /// Predicates that have come into being since; they have no facts.
    pub(crate) fn grow(&mut self, predicates: usize) {
        if self.relations.len() < predicates {
            self.relations.resize(predicates, Relation::default());
        }
    }

    /// The facts of a predicate; one that came into being after the memory has none.
    pub(crate) fn relation(&self, predicate: PredicateId) -> &Relation {
        static EMPTY: LazyLock<Relation> = LazyLock::new(Relation::default);
        self.relations.get(predicate.0 as usize).unwrap_or(&EMPTY)
    }

    pub(crate) fn relation_mut(&mut self, predicate: PredicateId) -> &mut Relation {
        self.grow(predicate.0 as usize + 1);
        &mut self.relations[predicate.0 as usize]
    }

    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.relations.iter().map(|relation| relation.rows.len()).sum()
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
