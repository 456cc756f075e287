//! [`Memory`]: facts in rows, found by the values of some of their columns.
//!
//! The complete facts of a domain are one memory; a working memory is another one, with the facts of
//! a state and all that follows from them.

use crate::ids::IdVec;
use grundy_syntax::{Budget, Exhausted, PredicateId, TermId, Ticks};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

grundy_syntax::define_id! {
    /// A row of a [`Relation`].
    pub(crate) struct RowId(u32);
}

/// A column: an argument of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Column {
    pub(crate) predicate: PredicateId,
    pub(crate) argument: usize,
}

/// The values of some columns of a row.
pub(crate) type Key = SmallVec<[TermId; 4]>;

/// A set of columns, one bit for each.
pub(crate) type Mask = u64;

/// Limit: the columns that can be bound in a lookup: the bits of a [`Mask`].
pub(crate) const MOST_COLUMNS: usize = 64;

/// The rows that have certain values in some columns.
#[derive(Debug, Default)]
pub(crate) struct Index {
    rows: FxHashMap<Key, Vec<RowId>>,
}

impl Index {
    fn new(rows: &IdVec<RowId, Box<[TermId]>>, mask: Mask, budget: &Budget) -> Result<Index, Exhausted> {
        let mut index: FxHashMap<Key, Vec<RowId>> = FxHashMap::default();
        let mut ticks = Ticks::default();
        for (id, row) in rows.entries() {
            ticks.tick(budget)?;
            if index.len() == index.capacity() {
                budget.check_room(index.capacity() * 2 * size_of::<(Key, Vec<RowId>)>())?;
            }
            index.entry(key_of(row, mask)).or_default().push(id);
        }
        Ok(Index { rows: index })
    }

    pub(crate) fn find(&self, key: &Key) -> &[RowId] {
        self.rows.get(key).map_or(&[], |rows| rows)
    }
}

/// The rows of a predicate.
#[derive(Debug, Default)]
pub(crate) struct Relation {
    rows: IdVec<RowId, Box<[TermId]>>,
    known: HashTable<RowId>,
    /// Made on demand.
    indexes: Mutex<FxHashMap<Mask, Arc<Index>>>,
    /// For each column the number of distinct values.
    distinct: Vec<usize>,
}

impl Relation {
    pub(crate) fn rows(&self) -> &[Box<[TermId]>] {
        self.rows.as_slice()
    }

    #[inline]
    pub(crate) fn row(&self, id: RowId) -> &[TermId] {
        &self.rows[id]
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.known.find(hash(row), |&id| *self.rows[id] == *row).is_some()
    }

    fn insert(&mut self, row: Box<[TermId]>) {
        if !self.contains(&row) {
            let rows = &self.rows;
            self.known.insert_unique(hash(&row), RowId::new(rows.len()), |&id| hash(&rows[id]));
            self.rows.push(row);
        }
    }

    /// The index of a mask.
    pub(crate) fn index(&self, mask: Mask, budget: &Budget) -> Result<Arc<Index>, Exhausted> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = indexes.get(&mask) {
            return Ok(Arc::clone(known));
        }
        let index = Arc::new(Index::new(&self.rows, mask, budget)?);
        indexes.insert(mask, Arc::clone(&index));
        Ok(index)
    }

    /// The number of distinct values of a column.
    pub(crate) fn distinct(&self, column: usize) -> usize {
        self.distinct.get(column).copied().unwrap_or(0)
    }

    fn count_distinct(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        for column in 0..self.rows().first().map_or(0, |row| row.len()) {
            budget.check()?;
            self.distinct.push(self.rows.iter().map(|row| row[column]).collect::<FxHashSet<TermId>>().len());
        }
        Ok(())
    }
}

fn hash(row: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    row.hash(&mut hasher);
    hasher.finish()
}

/// The values of the columns of a mask.
pub(crate) fn key_of(row: &[TermId], mask: Mask) -> Key {
    let columns = row.iter().enumerate().filter(|(column, _)| mask >> column & 1 == 1);
    columns.map(|(_, &value)| value).collect()
}

/// Facts of all predicates. Relations are immutable and shared: all working memories of a domain have its complete facts
/// in common.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    relations: IdVec<PredicateId, Arc<Relation>>,
}

/// The relation of a predicate without facts.
static EMPTY: LazyLock<Arc<Relation>> = LazyLock::new(Arc::default);

/// What a row takes besides its values: a place in the list, a header of the allocator, and a slot of the hash table.
const BYTES_PER_ROW: usize = 16 + 16 + 9;

impl Memory {
    /// The memory of these facts. The bytes of the memory are reported to the budget, together with
    /// `held_bytes`.
    pub(crate) fn new(
        predicates: usize,
        facts: impl IntoIterator<Item = (PredicateId, Box<[TermId]>)>,
        held_bytes: usize,
        budget: &Budget,
    ) -> Result<Memory, Exhausted> {
        let mut relations: IdVec<PredicateId, Relation> =
            std::iter::repeat_with(Relation::default).take(predicates).collect();
        let mut bytes = held_bytes;
        let mut rows: u32 = 0;
        for (predicate, row) in facts {
            bytes += BYTES_PER_ROW + size_of_val(&*row);
            relations[predicate].insert(row);
            rows = rows.wrapping_add(1);
            if rows.is_multiple_of(ROWS_PER_CHECK) {
                budget.check_with(bytes)?;
            }
        }
        budget.check_with(bytes)?;
        let mut ticks = Ticks::default();
        for relation in relations.iter_mut() {
            ticks.tick(budget)?;
            relation.count_distinct(budget)?;
        }
        let share = |relation: Relation| match relation.rows().is_empty() {
            true => Arc::clone(&EMPTY),
            false => Arc::new(relation),
        };
        Ok(Memory { relations: relations.into_iter().map(share).collect() })
    }

    /// Takes the rows of a predicate over from another memory.
    pub(crate) fn share(&mut self, predicate: PredicateId, from: &Memory) {
        self.grow(predicate.index() + 1);
        self.relations[predicate] = Arc::clone(from.relation(predicate));
    }

    /// Predicates that have come into being since; they have no facts.
    pub(crate) fn grow(&mut self, predicates: usize) {
        if self.relations.len() < predicates {
            self.relations.resize(predicates, Arc::clone(&EMPTY));
        }
    }

    /// The facts of a predicate; one that came into being after the memory has none.
    pub(crate) fn relation(&self, predicate: PredicateId) -> &Arc<Relation> {
        self.relations.get(predicate).unwrap_or(&EMPTY)
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

/// The rows that are added between two checks of the budget.
const ROWS_PER_CHECK: u32 = 1024;
