//! Tables by id: dense maps, adjacency, and sets of bits.

pub(crate) use grundy_syntax::{Id, float, length, narrow, wide};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// All ids of a range, in order.
#[inline]
pub(crate) fn ids_in<I: Id>(
    range: &Range<I>,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I> {
    (range.start.index()..range.end.index()).map(I::new)
}

/// A count as 32 bits; the largest number of 32 bits where it does not fit.
#[inline(always)]
pub(crate) fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The integral part of an estimate; 0 for negative numbers, and the largest count where it does not fit.
#[inline(always)]
pub(crate) fn rounded_down(estimate: f64) -> u64 {
    // A cast from a float saturates.
    estimate as u64
}

/// All ids below a count, in order.
pub(crate) fn ids<I: Id>(count: usize) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    (0..count).map(I::new)
}

/// The ids from the first one up to a count, in order.
pub(crate) fn ids_from<I: Id>(first: I, count: usize) -> impl Iterator<Item = I> + Clone {
    (first.index()..count).map(I::new)
}

/// A dense map: a value for each id, in a vector.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    values: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// The same value for `count` things.
    pub fn filled(value: T, count: usize) -> IdVec<I, T>
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Adds a thing.
    pub fn push(&mut self, value: T) -> I {
        self.values.push(value);
        I::new(self.values.len() - 1)
    }

    /// The number of things.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The values, in the order of the ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.values.iter()
    }

    /// The values, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.values.iter_mut()
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        ids(self.values.len())
    }

    /// The values with their ids.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.values.iter().enumerate().map(|(index, value)| (I::new(index), value))
    }

    /// The values as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The values as a slice, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Forgets the values beyond a count.
    pub fn truncate(&mut self, count: usize) {
        self.values.truncate(count);
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of an id, if the table has one.
    #[inline(always)]
    pub fn get(&self, id: I) -> Option<&T> {
        self.values.get(id.index())
    }

    /// Mutable access to the value of an id, if the table has one.
    #[inline(always)]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.values.get_mut(id.index())
    }

    /// Gives all things the same value.
    pub fn fill(&mut self, value: T)
    where
        T: Clone,
    {
        self.values.fill(value);
    }

    /// Takes the values of another table of the same length.
    pub fn copy_from(&mut self, other: &IdVec<I, T>)
    where
        T: Copy,
    {
        self.values.copy_from_slice(&other.values);
    }

    /// The number of values that fit without more memory.
    pub fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// Extends the table to a number of ids with a value, or truncates it.
    pub fn resize(&mut self, count: usize, value: T)
    where
        T: Clone,
    {
        self.values.resize(count, value);
    }

    /// Keeps the values that satisfy a condition. The ids of the values behind a removed one change.
    pub fn retain(&mut self, keeps: impl FnMut(&T) -> bool) {
        self.values.retain(keeps);
    }
}

impl<I, T> Extend<T> for IdVec<I, T> {
    fn extend<A: IntoIterator<Item = T>>(&mut self, values: A) {
        self.values.extend(values);
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> std::vec::IntoIter<T> {
        self.values.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.values.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IdVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> std::slice::IterMut<'a, T> {
        self.values.iter_mut()
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> IdVec<I, T> {
        IdVec { values: Vec::new(), ids: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(values: Vec<T>) -> IdVec<I, T> {
        IdVec { values, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(values: A) -> IdVec<I, T> {
        Vec::from_iter(values).into()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.index()]
    }
}

/// A list for each thing: compressed sparse rows, the lists one behind the other in one array.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Csr<I, T> {
    /// Where each list begins, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> Csr<I, T> {
    /// Room for so many lists.
    pub(crate) fn with_capacity(lists: usize, items: usize) -> Csr<I, T> {
        let mut starts = Vec::with_capacity(lists + 1);
        starts.push(0);
        Csr { starts, items: Vec::with_capacity(items), ids: PhantomData }
    }

    /// Items by the things that they belong to, each list in the order of the pairs: two passes, a counting sort.
    pub(crate) fn grouped<P>(lists: usize, pairs: P) -> Csr<I, T>
    where
        P: Iterator<Item = (I, T)> + Clone,
        T: Copy,
    {
        let mut starts = vec![0u32; lists + 1];
        pairs.clone().for_each(|(id, _)| starts[id.index() + 1] += 1);
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let Some((_, first)) = pairs.clone().next() else {
            return Csr { starts, items: Vec::new(), ids: PhantomData };
        };
        let mut items = vec![first; starts[lists].index()];
        let mut free = starts.clone();
        for (id, item) in pairs {
            let place = &mut free[id.index()];
            items[place.index()] = item;
            *place += 1;
        }
        Csr { starts, items, ids: PhantomData }
    }

    /// Adds a list for the next thing.
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) -> I {
        self.items.extend(list);
        self.starts.push(narrow(self.items.len()));
        I::new(self.starts.len() - 2)
    }

    /// Adds an empty list for the next thing.
    pub(crate) fn push_empty(&mut self) {
        self.push([]);
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// All items of all lists, in order.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// The items of all lists, in order.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The list of a thing, to be changed.
    pub(crate) fn list_mut(&mut self, id: I) -> &mut [T] {
        &mut self.items[self.starts[id.index()].index()..self.starts[id.index() + 1].index()]
    }

    /// All items of all lists, to be changed.
    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Gives memory back that no item needs.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.starts.shrink_to_fit();
        self.items.shrink_to_fit();
    }

    /// Where the list of a thing begins among all items.
    #[inline(always)]
    pub(crate) fn start(&self, id: I) -> usize {
        self.starts[id.index()].index()
    }

    /// The lists, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[T]> + ExactSizeIterator {
        ids::<I>(self.len()).map(|id| &self[id])
    }
}

impl<I: Id, T> Default for Csr<I, T> {
    fn default() -> Csr<I, T> {
        Csr::with_capacity(0, 0)
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Csr<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<I: Id, T, L: IntoIterator<Item = T>> FromIterator<L> for Csr<I, T> {
    fn from_iter<A: IntoIterator<Item = L>>(lists: A) -> Csr<I, T> {
        let mut csr = Csr::default();
        for list in lists {
            csr.push(list);
        }
        csr
    }
}

impl<I: Id, T> Index<I> for Csr<I, T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, id: I) -> &[T] {
        &self.items[self.starts[id.index()].index()..self.starts[id.index() + 1].index()]
    }
}

/// A set of things, a bit for each.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct BitSet<I> {
    words: Box<[u64]>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id> BitSet<I> {
    /// The empty set, for so many things.
    pub(crate) fn empty(count: usize) -> BitSet<I> {
        BitSet { words: vec![0; count.div_ceil(64)].into(), ids: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn contains(&self, id: I) -> bool {
        self.words[id.index() / 64] >> (id.index() % 64) & 1 == 1
    }

    /// Takes a thing in or out.
    #[inline(always)]
    pub(crate) fn set(&mut self, id: I, is_in: bool) {
        let bit = 1 << (id.index() % 64);
        let word = &mut self.words[id.index() / 64];
        *word = if is_in { *word | bit } else { *word & !bit };
    }

    /// Takes a thing in; whether it was not there.
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: I) -> bool {
        let is_new = !self.contains(id);
        self.set(id, true);
        is_new
    }

    /// The set of those ids below a count that satisfy a condition.
    pub(crate) fn of(count: usize, contains: impl FnMut(&I) -> bool) -> BitSet<I> {
        let mut set = BitSet::empty(count);
        ids(count).filter(contains).for_each(|id| set.set(id, true));
        set
    }

    /// Whether the set contains an id that may lie beyond its range.
    pub(crate) fn contains_if_known(&self, id: I) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// The same set, with room for more ids.
    pub(crate) fn widened(&self, count: usize) -> BitSet<I> {
        let mut words = self.words.to_vec();
        words.resize(count.div_ceil(64).max(words.len()), 0);
        BitSet { words: words.into(), ids: PhantomData }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Whether another set contains all ids of this one. Both have the same range.
    pub(crate) fn is_subset(&self, other: &BitSet<I>) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| word & !other == 0)
    }

    /// Removes the ids that another set does not contain.
    pub(crate) fn intersect(&mut self, other: &BitSet<I>) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// The set of the ids whose flags are set, in the order of the ids.
    pub(crate) fn from_flags(flags: impl ExactSizeIterator<Item = bool>) -> BitSet<I> {
        let mut set = BitSet::empty(flags.len());
        flags.enumerate().for_each(|(index, flag)| set.set(I::new(index), flag));
        set
    }

    /// The bits, 64 a word.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The things that are in it, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let rest = |word: &u64| (word & (word - 1) != 0).then(|| word & (word - 1));
            let words = std::iter::successors((word != 0).then_some(word), rest);
            words.map(move |word| I::new(number * 64 + word.trailing_zeros().index()))
        })
    }
}

impl<I: Id> fmt::Debug for BitSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    grundy_syntax::define_id! {
        struct Seat(u32);
    }

    #[test]
    fn values_stand_at_their_ids() {
        let mut names: IdVec<Seat, &str> = IdVec::default();
        let (one, other) = (names.push("one"), names.push("other"));
        names[other] = "two";
        assert_eq!((names[one], names[other]), ("one", "two"));
        assert_eq!(
            names.entries().map(|(seat, name)| (seat.0, *name)).collect::<Vec<_>>(),
            [(0, "one"), (1, "two")]
        );
        assert_eq!(IdVec::<Seat, u8>::filled(3, 2).as_slice(), [3, 3]);
    }

    #[test]
    fn lists_are_grouped_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c')].map(|(seat, letter)| (Seat(seat), letter));
        let lists: Csr<Seat, char> = Csr::grouped(4, pairs.into_iter());
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&['b'][..], &[], &['a', 'c'], &[]]);
        assert_eq!(lists, [vec!['b'], vec![], vec!['a', 'c'], vec![]].into_iter().collect());
        assert_eq!((lists.len(), lists.start(Seat(2)), lists.items()), (4, 1, &['b', 'a', 'c'][..]));
        assert_eq!(
            Csr::<Seat, char>::grouped(2, std::iter::empty()).iter().map(<[char]>::len).sum::<usize>(),
            0
        );
    }

    #[test]
    fn bits_are_set_and_listed() {
        let mut set: BitSet<Seat> = BitSet::empty(130);
        [0, 63, 64, 129].into_iter().for_each(|seat| assert!(set.insert(Seat(seat))));
        assert!(!set.insert(Seat(63)));
        set.set(Seat(63), false);
        assert!(!set.contains(Seat(63)) && set.contains(Seat(64)));
        assert_eq!(set.iter().map(|seat| seat.0).collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!(set.words().len(), 3);
    }
}
