//! Relations: dense rows, found by their values.
//!
//! A row is `arity` term ids in one flat array; rows are numbered in the order in which they were
//! added, and stay. An index chains the rows that agree in some columns, newest first, so that
//! adding a row costs the same however many there are, and a range of row numbers (all, old, new)
//! can be read off a chain without looking at the rest of it. It learns of new rows when somebody is about to use it,
//! many at a time.

use super::table::{Table, hash};
use super::values::{Row, Values};
use crate::flat::RelationId;
use crate::ids::{Id, IdVec, float, narrow, rounded_down, wide};
use smallvec::SmallVec;
use std::cell::Cell;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// So many rows are looked up together.
const AT_ONCE: usize = 64;

/// Of a relation with more rows, so many are looked at to see how many different values a column has.
const SAMPLE: u32 = 1 << 13;

grundy_syntax::define_id! {
    /// An index of a [`Relation`].
    pub(crate) struct IndexId(u32);
}

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
    /// For each column: the number of its different values when there were so many rows.
    distinct: Vec<Cell<(u32, usize)>>,
    past: Past,
}

/// Sums over what a relation has held at several times.
#[derive(Default)]
struct Past {
    times: u32,
    rows: u64,
    /// For each column, the numbers of its different values.
    distinct: Vec<u64>,
    /// Constants that somebody asks for, how often rows with them were counted, and how many there were.
    constants: Vec<(Constants, u32, u64)>,
}

/// Constants in columns.
pub(crate) type Constants = SmallVec<[(usize, u32); 2]>;

/// Rows that wait to be added to a relation, each with a ticket by which its number is asked for.
#[derive(Default)]
pub(crate) struct Queue {
    hashes: Vec<u32>,
    tickets: Vec<u32>,
    values: Vec<u32>,
}

impl Queue {
    /// Adds a row; tells whether that is enough.
    #[inline]
    pub(crate) fn push(&mut self, values: impl Iterator<Item = u32> + Clone, ticket: u32) -> bool {
        self.hashes.push(hash(values.clone()));
        self.tickets.push(ticket);
        self.values.extend(values);
        self.hashes.len() >= AT_ONCE
    }

    pub(crate) fn clear(&mut self) {
        self.hashes.clear();
        self.tickets.clear();
        self.values.clear();
    }
}

/// Chains of rows that agree in some columns.
struct Index {
    columns: Box<[usize]>,
    heads: Heads,
    /// For each row, the next older one in its chain.
    next: Vec<u32>,
    /// The number of chains.
    keys: usize,
    /// How often the chains were counted before, and how many there were in all.
    past: (u32, u64),
}

/// The newest row of each chain.
enum Heads {
    /// By value, for an index over one column: ids are dense.
    ByValue(Vec<u32>),
    /// By hash, for an index over several.
    ByHash(Table),
}

/// All of so many rows, or some of them, one from each stretch. Not at regular distances: rows are often made in loops.
fn sample(rows: u32) -> impl Iterator<Item = u32> {
    let stretch = rows.div_ceil(SAMPLE).max(1);
    (0..rows / stretch).map(move |at| at * stretch + hash([at].into_iter()) % stretch)
}

/// How many different values there are, about, if so many were seen in so many of the rows: picking one of `n` values
/// `seen` times leaves out a share of about e^(-seen/n) of them.
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

    /// The number of a row, if it is there.
    #[inline]
    pub(crate) fn find(&self, values: impl Iterator<Item = u32> + Clone) -> Option<u32> {
        let hash = hash(values.clone());
        self.rows.find(hash, |row| self.row(row).is(values.clone()))
    }

    /// For each row of another relation its number here, or `none`.
    pub(crate) fn find_all(&self, other: &Relation, none: u32) -> Vec<u32> {
        let mut found = Vec::with_capacity(other.len.index());
        let mut hashes = Vec::with_capacity(AT_ONCE);
        for start in (0..other.len).step_by(AT_ONCE) {
            let rows = (start..other.len.min(start + narrow(AT_ONCE))).map(|row| other.row(row));
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

    /// Looks at the rows that may have these hashes: none depends on another, so that the waits for memory overlap, and
    /// afterwards they are in the cache.
    #[inline]
    fn touch(&self, hashes: &[u32]) {
        let touched = hashes.iter().filter_map(|&hash| self.rows.peek(hash));
        let touched = touched.filter(|_| self.arity > 0).map(|row| self.values.at(row.index() * self.arity));
        std::hint::black_box(touched.fold(0, |all, value| all ^ value));
    }

    /// Adds a row unless it is there; its number, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, values: impl Iterator<Item = u32> + Clone) -> (u32, bool) {
        self.insert_hashed(hash(values.clone()), values)
    }

    /// The same for the rows of a queue; `receive` gets the ticket of each and its number.
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

    /// An index over these columns, new or known. They have to be in order, and some, not all.
    pub(crate) fn index(&mut self, columns: &[usize]) -> IndexId {
        debug_assert!(!columns.is_empty() && columns.is_sorted());
        if let Some((known, _)) = self.indexes.entries().find(|(_, index)| &*index.columns == columns) {
            return known;
        }
        let heads = match columns {
            [_] => Heads::ByValue(Vec::new()),
            _ => Heads::ByHash(Table::default()),
        };
        self.indexes.push(Index { columns: columns.into(), heads, next: Vec::new(), keys: 0, past: (0, 0) })
    }

    /// An index over these columns, if there is one that has most of the rows.
    fn current_index(&self, columns: &[usize]) -> Option<&Index> {
        let has_most = |index: &&Index| 2 * index.next.len() >= self.len.index();
        self.indexes.iter().find(|index| &*index.columns == columns).filter(has_most)
    }

    /// Whether there is one.
    pub(crate) fn has_index(&self, columns: &[usize]) -> bool {
        self.current_index(columns).is_some()
    }

    /// How many rows an index has not got yet.
    #[inline]
    pub(crate) fn missing(&self, index: IndexId) -> usize {
        self.len.index() - self.indexes[index].next.len()
    }

    /// Adds them.
    #[inline]
    pub(crate) fn update(&mut self, index: IndexId) {
        if self.missing(index) > 0 {
            self.indexes[index].add_all(self.arity, &self.values, self.len);
        }
    }

    /// The newest row that has these values in the columns of an index.
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

    /// The next older row of a chain.
    #[inline]
    pub(crate) fn next(&self, index: IndexId, row: u32) -> u32 {
        self.indexes[index].next[row.index()]
    }

    /// How many rows come before a row in its chain, and how many there are.
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

    /// About how many rows have these constants in their columns.
    pub(crate) fn count_rows(&self, constants: &[(usize, u32)]) -> f64 {
        let has = |row: Row<'_>| constants.iter().all(|&(column, value)| row.at(column) == value);
        let found = sample(self.len).filter(|&row| has(self.row(row))).count();
        float(found) * f64::from(self.len) / float(sample(self.len).count().max(1))
    }

    /// About how many rows have given values in these columns, if they have values that occur. Some other columns have
    /// constants, if it is said how many, and how many rows have these. If [notes](Self::take_note) were taken, the
    /// figure is for the mean of those times.
    pub(crate) fn estimate_matches(&self, columns: &[usize], constants: Option<(usize, f64)>) -> f64 {
        let (others, rows) = constants.unwrap_or((0, self.past.mean(self.past.rows, f64::from(self.len))));
        // What was never there may still come.
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

    /// The number of different values in these columns together, if an index has counted them.
    fn counted_keys(&self, columns: &[usize]) -> Option<f64> {
        if self.past.times == 0 {
            return self.current_index(columns).map(|index| float(index.keys));
        }
        let index = self.indexes.iter().find(|index| &*index.columns == columns)?;
        let (times, keys) = index.past;
        (times == self.past.times).then(|| self.past.mean(keys, 0.0))
    }

    /// About the number of different values in a column; counted anew only when there are twice as many rows.
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
        // Ids are dense: a bit for each of them.
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

    /// The mean number of rows that had these constants when notes were taken; from now on they are looked for.
    pub(crate) fn mean_rows(&mut self, constants: &Constants) -> Option<f64> {
        if let Some((_, times, rows)) = self.past.constants.iter().find(|(values, ..)| values == constants) {
            return (*times > 0).then(|| float(*rows) / f64::from(*times));
        }
        self.past.constants.push((constants.clone(), 0, 0));
        None
    }

    /// Takes note of what the relation holds: estimates are for the mean of these times from now on.
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

    /// Forgets all rows, and keeps the memory for the next ones.
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
        let indexes = self.indexes.iter().map(|index| {
            index.next.capacity() * 4
                + match &index.heads {
                    Heads::ByValue(heads) => heads.capacity() * 4,
                    Heads::ByHash(heads) => heads.bytes(),
                }
        });
        self.values.bytes() + self.rows.bytes() + indexes.sum::<usize>()
    }

    /// What it takes in addition if values come that do not fit.
    pub(crate) fn bytes_to_widen(&self) -> usize {
        self.values.bytes_to_widen()
    }
}

impl Past {
    /// The mean of what was summed up, or something else if there was no time.
    fn mean(&self, sum: u64, otherwise: f64) -> f64 {
        if self.times > 0 { float(sum) / f64::from(self.times) } else { otherwise }
    }
}

impl Index {
    /// Adds the rows below `end` that are not there yet.
    fn add_all(&mut self, arity: usize, values: &Values, end: u32) {
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
                let mut hashes = [0; AT_ONCE];
                for start in rows.step_by(AT_ONCE) {
                    let rows = start..end.min(start + narrow(AT_ONCE));
                    hashes.iter_mut().zip(rows.clone()).for_each(|(place, row)| *place = hash(key(row)));
                    let hashes = &hashes[..rows.len()];
                    // As when rows are added: looking at all places first overlaps the waits for memory.
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

    fn clear(&mut self, arity: usize, values: &Values) {
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
    fn figures_are_for_the_mean_of_the_times_when_notes_were_taken() {
        let mut relation = Relation::new(2);
        let threes: Constants = [(1, 3)].into_iter().collect();
        assert_eq!(relation.mean_rows(&threes), None, "nobody has counted");
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
            "the index has not been there before"
        );
    }

    #[test]
    fn values_of_large_relations_are_counted_about_right() {
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
