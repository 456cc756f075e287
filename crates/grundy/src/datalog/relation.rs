//! Relations: sets of rows in one flat array, with indexes and statistics.
//!
//! A row is `arity` term ids. Rows are numbered in the order of insertion and never removed one by one, so a range of row
//! numbers is a set of rows: all of them, those before the last round, or those of the last round, as semi-naive
//! evaluation needs them. A hash table finds a row by all of its values. An [`Index`] finds the rows with given values in
//! some columns as a chain from the newest to the oldest row, so that a range is read from a chain by stopping early.
//!
//! Large joins wait for memory most of the time. Insertions and lookups are therefore queued and done in batches: first the
//! hash table and the candidate rows of the whole batch are read, so that their cache misses overlap
//! ([`Relation::touch`]), then each row is compared and inserted.
//!
//! The planner asks for statistics. The number of different values in a column is counted by a bit set; beyond [`SAMPLE`]
//! rows it is extrapolated from a stratified sample, and counted again only when the relation has doubled. Where plans are
//! made for many states ([`Relation::take_note`]), figures are means over the states in which notes were taken.

use super::index::{BATCH, Heads, Index, IndexId, NONE};
use super::table::{Table, hash};
use super::values::{Row, Values};
use crate::flat::RelationId;
use crate::ids::{Id, IdVec, float, narrow, rounded_down, wide};
use smallvec::SmallVec;
use std::cell::Cell;

/// The number of rows that stand for a relation with more rows when the different values of a column are counted. A test
/// below checks that the error stays within 10 %.
const SAMPLE: u32 = 1 << 13;

/// The relations of a program.
pub(crate) type Relations = IdVec<RelationId, Relation>;

/// The rows of a relation.
#[derive(Default)]
pub(crate) struct Relation {
    arity: usize,
    len: u32,
    values: Values,
    /// Row numbers by all columns.
    rows: Table,
    indexes: IdVec<IndexId, Index>,
    /// For each column: a number of rows, and the number of different values at that size.
    distinct: Vec<Cell<(u32, usize)>>,
    past: Past,
}

/// Sums of statistics over several times.
#[derive(Default)]
struct Past {
    times: u32,
    rows: u64,
    /// For each column, the numbers of its different values.
    distinct: Vec<u64>,
    /// Constants of conditions, how often the rows with them were counted, and the sum of these counts.
    constants: Vec<(Constants, u32, u64)>,
}

/// Constants in columns.
pub(crate) type Constants = SmallVec<[(usize, u32); 2]>;

/// Rows that wait for insertion into a relation, each with a ticket that identifies it to the caller.
#[derive(Default)]
pub(crate) struct Queue {
    hashes: Vec<u32>,
    tickets: Vec<u32>,
    values: Vec<u32>,
}

impl Queue {
    /// Adds a row. Returns whether the batch is full.
    #[inline]
    pub(crate) fn push(&mut self, values: impl Iterator<Item = u32> + Clone, ticket: u32) -> bool {
        self.hashes.push(hash(values.clone()));
        self.tickets.push(ticket);
        self.values.extend(values);
        self.hashes.len() >= BATCH
    }

    pub(crate) fn clear(&mut self) {
        self.hashes.clear();
        self.tickets.clear();
        self.values.clear();
    }
}

/// All rows below a count, or a stratified sample of about [`SAMPLE`] of them. The position within each stratum is
/// pseudo-random, since rows are often derived in loops with a regular stride.
fn sample(rows: u32) -> impl Iterator<Item = u32> {
    let stretch = rows.div_ceil(SAMPLE).max(1);
    (0..rows / stretch).map(move |at| at * stretch + hash([at].into_iter()) % stretch)
}

/// An estimate of the number of different values among `rows` rows, of which `seen` had `different` ones. Drawing from `n`
/// values `seen` times misses a share of about e^(-seen/n) of them, which is solved for `n` by bisection.
fn extrapolate(different: usize, seen: usize, rows: usize) -> usize {
    let (mut low, mut high) = (different, rows.max(different));
    while low < high {
        let middle = low + (high - low) / 2;
        let expected = float(middle) * (1.0 - (-(float(seen)) / float(middle.max(1))).exp());
        if expected < float(different) { low = middle + 1 } else { high = middle }
    }
    low
}

impl Relation {
    pub(crate) fn new(arity: usize) -> Relation {
        Relation { arity, distinct: vec![Cell::default(); arity], ..Relation::default() }
    }

    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> Row<'_> {
        self.values.row(row, self.arity)
    }

    /// The number of a row, if the relation has it.
    #[inline]
    pub(crate) fn find(&self, values: impl Iterator<Item = u32> + Clone) -> Option<u32> {
        let hash = hash(values.clone());
        self.rows.find(hash, |row| self.row(row).is(values.clone()))
    }

    /// For each row of another relation its number here, or `none`.
    pub(crate) fn find_all(&self, other: &Relation, none: u32) -> Vec<u32> {
        let mut found = Vec::with_capacity(other.len.index());
        let mut hashes = Vec::with_capacity(BATCH);
        for start in (0..other.len).step_by(BATCH) {
            let rows = (start..other.len.min(start + narrow(BATCH))).map(|row| other.row(row));
            hashes.clear();
            hashes.extend(rows.clone().map(|row| hash(row.iter())));
            self.touch(&hashes);
            let find = |(values, &hash): (Row<'_>, &u32)| {
                self.rows.find(hash, |row| self.row(row).is(values.iter()))
            };
            found.extend(rows.zip(&hashes).map(find).map(|row| row.unwrap_or(none)));
        }
        found
    }

    /// Reads the rows that may have these hashes. The reads are independent, so their cache misses overlap, and later reads
    /// hit the cache.
    #[inline]
    fn touch(&self, hashes: &[u32]) {
        let touched = hashes.iter().filter_map(|&hash| self.rows.peek(hash));
        let touched = touched.filter(|_| self.arity > 0).map(|row| self.values.at(row.index() * self.arity));
        std::hint::black_box(touched.fold(0, |all, value| all ^ value));
    }

    /// Inserts a row. Returns its number, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, values: impl Iterator<Item = u32> + Clone) -> (u32, bool) {
        self.insert_hashed(hash(values.clone()), values)
    }

    /// Inserts the rows of a queue. `receive` gets the ticket and the number of each.
    pub(crate) fn insert_all(&mut self, queue: &mut Queue, mut receive: impl FnMut(u32, u32)) {
        self.touch(&queue.hashes);
        for (at, (&hash, &ticket)) in queue.hashes.iter().zip(&queue.tickets).enumerate() {
            let values = queue.values[at * self.arity..][..self.arity].iter().copied();
            let (row, _) = self.insert_hashed(hash, values);
            receive(ticket, row);
        }
        queue.clear();
    }

    #[inline]
    fn insert_hashed(&mut self, key: u32, values: impl Iterator<Item = u32> + Clone) -> (u32, bool) {
        debug_assert_eq!(values.clone().count(), self.arity);
        let (arity, stored) = (self.arity, &self.values);
        if let Some(row) = self.rows.find(key, |row| stored.row(row, arity).is(values.clone())) {
            return (row, false);
        }
        let row = self.len;
        self.rows.insert(key, row);
        self.values.extend(values);
        self.len += 1;
        (row, true)
    }

    /// An index over these columns, new or known. The columns have to be in order, and neither none nor all.
    pub(crate) fn index(&mut self, columns: &[usize]) -> IndexId {
        debug_assert!(!columns.is_empty() && columns.is_sorted());
        if let Some((known, _)) = self.indexes.entries().find(|(_, index)| &*index.columns == columns) {
            return known;
        }
        self.indexes.push(Index::new(columns))
    }

    /// An index over these columns that has at least half of the rows.
    fn current_index(&self, columns: &[usize]) -> Option<&Index> {
        let has_most = |index: &&Index| 2 * index.next.len() >= self.len.index();
        self.indexes.iter().find(|index| &*index.columns == columns).filter(has_most)
    }

    /// Whether there is an index over these columns with at least half of the rows.
    pub(crate) fn has_index(&self, columns: &[usize]) -> bool {
        self.current_index(columns).is_some()
    }

    /// The number of rows that an index lacks.
    #[inline]
    pub(crate) fn missing(&self, index: IndexId) -> usize {
        self.len.index() - self.indexes[index].next.len()
    }

    /// Adds the missing rows to an index.
    #[inline]
    pub(crate) fn update(&mut self, index: IndexId) {
        if self.missing(index) > 0 {
            self.indexes[index].add_all(self.arity, &self.values, self.len);
        }
    }

    /// The newest row with these values in the columns of an index, or [`NONE`].
    #[inline]
    pub(crate) fn first(&self, index: IndexId, mut key: impl Iterator<Item = u32> + Clone) -> u32 {
        let index = &self.indexes[index];
        match &index.heads {
            Heads::ByValue(heads) => {
                key.next().and_then(|value| heads.get(value.index())).copied().unwrap_or(NONE)
            }
            Heads::ByHash(heads) => {
                let same = |row: u32| {
                    let start = row.index() * self.arity;
                    index
                        .columns
                        .iter()
                        .zip(key.clone())
                        .all(|(&column, value)| self.values.at(start + column) == value)
                };
                heads.find(hash(key.clone()), same).unwrap_or(NONE)
            }
        }
    }

    /// The next older row of a chain, or [`NONE`].
    #[inline]
    pub(crate) fn next(&self, index: IndexId, row: u32) -> u32 {
        self.indexes[index].next[row.index()]
    }

    /// The number of rows before a row in its chain, and the length of the chain.
    pub(crate) fn place_in_chain(
        &self,
        index: IndexId,
        key: impl Iterator<Item = u32> + Clone,
        row: u32,
    ) -> (u32, u32) {
        let some = |row: u32| (row != NONE).then_some(row);
        let chain = std::iter::successors(some(self.first(index, key)), |&row| some(self.next(index, row)));
        chain.fold((0, 0), |(before, all), other| (before + u32::from(other > row), all + 1))
    }

    /// An estimate of the number of rows with these constants in their columns.
    pub(crate) fn count_rows(&self, constants: &[(usize, u32)]) -> f64 {
        let has = |row: Row<'_>| constants.iter().all(|&(column, value)| row.at(column) == value);
        let found = sample(self.len).filter(|&row| has(self.row(row))).count();
        float(found) * f64::from(self.len) / float(sample(self.len).count().max(1))
    }

    /// An estimate of the number of rows with given values in these columns, for values that occur. `constants` has the
    /// number of other columns with constants, and the number of rows with these. If [notes](Self::take_note) were taken,
    /// the estimate is for the mean of those times.
    pub(crate) fn estimate_matches(&self, columns: &[usize], constants: Option<(usize, f64)>) -> f64 {
        let (others, rows) = constants.unwrap_or((0, self.past.mean(self.past.rows, f64::from(self.len))));
        // An empty relation may still gain rows.
        let rows = if self.past.times > 0 { rows.max(1.0 / f64::from(self.past.times + 1)) } else { rows };
        if let (Some(keys), None) = (self.counted_keys(columns), constants) {
            return rows / keys.max(1.0);
        }
        let distinct = |&column: &usize| match self.past.distinct.get(column) {
            Some(&sum) => self.past.mean(sum, 0.0).max(1.0),
            None => self.distinct(column),
        };
        let keys: f64 = columns.iter().map(distinct).product();
        if columns.len() + others == self.arity {
            (rows / keys.max(1.0)).min(1.0)
        } else {
            rows / keys.min(rows).max(1.0)
        }
    }

    /// The number of different combinations of values in these columns, if an index has counted them.
    fn counted_keys(&self, columns: &[usize]) -> Option<f64> {
        if self.past.times == 0 {
            return self.current_index(columns).map(|index| float(index.keys));
        }
        let index = self.indexes.iter().find(|index| &*index.columns == columns)?;
        let (times, keys) = index.past;
        (times == self.past.times).then(|| self.past.mean(keys, 0.0))
    }

    /// An estimate of the number of different values in a column. It is counted again only when the relation has doubled.
    pub(crate) fn distinct(&self, column: usize) -> f64 {
        if let Some(index) = self.current_index(&[column]) {
            return float(index.keys);
        }
        let (rows, count) = self.distinct[column].get();
        if rows > 0 && self.len < 2 * rows {
            return float(count);
        }
        let mut count = self.count_different(column, sample(self.len));
        if self.len > SAMPLE {
            count = extrapolate(count, sample(self.len).count(), self.len.index());
        }
        self.distinct[column].set((self.len, count));
        float(count)
    }

    /// The number of different values in a column.
    pub(crate) fn count_distinct(&self, column: usize) -> usize {
        self.count_different(column, 0..self.len)
    }

    fn count_different(&self, column: usize, rows: impl Iterator<Item = u32>) -> usize {
        // Term ids are dense: one bit for each.
        let mut seen: Vec<u64> = Vec::new();
        let mut count = 0;
        for row in rows {
            let value = self.row(row).at(column);
            let (word, bit) = (value.index() / 64, 1 << (value % 64));
            if word >= seen.len() {
                seen.resize((word + 1).next_power_of_two(), 0);
            }
            count += usize::from(seen[word] & bit == 0);
            seen[word] |= bit;
        }
        count
    }

    /// The mean number of rows with these constants at the times of the notes. Later notes count them.
    pub(crate) fn mean_rows(&mut self, constants: &Constants) -> Option<f64> {
        if let Some((_, times, rows)) = self.past.constants.iter().find(|(values, ..)| values == constants) {
            return (*times > 0).then(|| float(*rows) / f64::from(*times));
        }
        self.past.constants.push((constants.clone(), 0, 0));
        None
    }

    /// Notes the statistics of the current rows. From the first note on, estimates are for the mean of the notes.
    pub(crate) fn take_note(&mut self) {
        self.past.times += 1;
        self.past.rows += u64::from(self.len);
        self.past.distinct.resize(self.arity, 0);
        for column in 0..self.arity {
            self.past.distinct[column] += wide(self.count_distinct(column));
        }
        let mut constants = std::mem::take(&mut self.past.constants);
        for (values, times, rows) in &mut constants {
            *times += 1;
            *rows += rounded_down(self.count_rows(values));
        }
        self.past.constants = constants;
        for index in self.indexes.iter_mut().filter(|index| index.next.len() == self.len.index()) {
            index.past = (index.past.0 + 1, index.past.1 + wide(index.keys));
        }
    }

    /// Removes all rows, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        let (arity, values) = (self.arity, &self.values);
        self.indexes.iter_mut().for_each(|index| index.clear(arity, values));
        self.rows.clear((0..self.len).map(|row| hash(values.row(row, arity).iter())));
        self.len = 0;
        self.values.clear();
    }

    /// A relation with the same rows and no index.
    pub(crate) fn copy_rows(&self) -> Relation {
        let mut copy = Relation::new(self.arity);
        (0..self.len).for_each(|row| _ = copy.insert(self.row(row).iter()));
        copy
    }

    /// The memory that the relation holds.
    pub(crate) fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().map(Index::bytes).sum::<usize>();
        self.values.bytes() + self.rows.bytes() + indexes
    }

    /// The additional memory that widening the values would take.
    pub(crate) fn bytes_to_widen(&self) -> usize {
        self.values.bytes_to_widen()
    }
}

impl Past {
    /// The mean of a sum over the notes, or `otherwise` without notes.
    fn mean(&self, sum: u64, otherwise: f64) -> f64 {
        if self.times > 0 { float(sum) / f64::from(self.times) } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(relation: &Relation, index: IndexId, key: &[u32]) -> Vec<u32> {
        let some = |row: u32| (row != NONE).then_some(row);
        std::iter::successors(some(relation.first(index, key.iter().copied())), |&row| {
            some(relation.next(index, row))
        })
        .collect()
    }

    #[test]
    fn rows_are_found_by_any_columns() {
        let mut relation = Relation::new(3);
        let early = relation.index(&[1]);
        assert_eq!(relation.insert([1, 2, 3].into_iter()), (0, true));
        assert_eq!(relation.insert([1, 2, 4].into_iter()), (1, true));
        assert_eq!(relation.insert([1, 2, 3].into_iter()), (0, false));
        assert_eq!(relation.insert([5, 2, 3].into_iter()), (2, true));
        let late = relation.index(&[0, 2]);
        relation.update(early);
        relation.update(late);
        assert_eq!(chain(&relation, early, &[2]), [2, 1, 0]);
        assert_eq!(chain(&relation, late, &[1, 3]), [0]);
        assert_eq!(chain(&relation, late, &[7, 7]), [0u32; 0]);
        assert_eq!(relation.find([5, 2, 3].into_iter()), Some(2));
        relation.clear();
        assert_eq!(relation.find([5, 2, 3].into_iter()), None);
        relation.insert([9, 2, 9].into_iter());
        relation.update(early);
        assert_eq!(chain(&relation, early, &[2]), [0]);
        assert_eq!(relation.estimate_matches(&[1], None), 1.0);
        relation.insert([9, 2, 8].into_iter());
        relation.insert([7, 2, 9].into_iter());
        let (nines, nones) = (relation.count_rows(&[(0, 9), (1, 2)]), relation.count_rows(&[(0, 5)]));
        assert_eq!((nines, nones), (2.0, 0.0));
        assert_eq!(relation.estimate_matches(&[2], Some((2, nines))), 1.0);
        assert_eq!(relation.estimate_matches(&[], Some((2, nines))), 2.0);
        assert_eq!(relation.estimate_matches(&[2], Some((1, nones))), 0.0);
    }

    #[test]
    fn estimates_are_for_the_mean_of_the_notes() {
        let mut relation = Relation::new(2);
        let threes: Constants = [(1, 3)].into_iter().collect();
        assert_eq!(relation.mean_rows(&threes), None, "not counted yet");
        // Rows with two different values in front; only the first time there is one with a 3.
        for rows in [6, 0, 3] {
            (0..rows).for_each(|row| _ = relation.insert([row % 2, row].into_iter()));
            relation.take_note();
            relation.clear();
        }
        assert_eq!(relation.estimate_matches(&[], None), 3.0);
        assert_eq!(relation.estimate_matches(&[0], None), 3.0 / (4.0 / 3.0));
        assert_eq!(relation.mean_rows(&threes), Some(1.0 / 3.0));
        let index = relation.index(&[0]);
        relation.insert([7, 7].into_iter());
        relation.update(index);
        assert_eq!(
            relation.estimate_matches(&[0], None),
            3.0 / (4.0 / 3.0),
            "the index is newer than the notes"
        );
    }

    #[test]
    fn distinct_values_of_large_relations_are_estimated() {
        let mut relation = Relation::new(3);
        for row in 0..200_000u32 {
            relation.insert([row, row % 7, hash([row].into_iter()) % 20_000].into_iter());
        }
        for (column, right) in [200_000.0, 7.0, 20_000.0].into_iter().enumerate() {
            let about = relation.distinct(column);
            assert!((0.9..1.1).contains(&(about / right)), "{about} for {right}");
        }
    }

    #[test]
    fn a_relation_without_columns_has_at_most_one_row() {
        let mut relation = Relation::new(0);
        assert_eq!(relation.find([].into_iter()), None);
        assert_eq!(relation.insert([].into_iter()), (0, true));
        assert_eq!(relation.insert([].into_iter()), (0, false));
        assert_eq!(relation.find([].into_iter()), Some(0));
    }
}
