//! Tables by id: dense maps, adjacency, and sets of bits.

pub(crate) use grundy_syntax::{Id, float, length, narrow, wide};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// All ids below a count, in order.
pub(crate) fn ids<I: Id>(count: usize) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    (0..count).map(I::new)
}

/// A value for each thing, by its id.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct IdVec<I, T> {
    values: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// The same value for so many things.
    pub(crate) fn filled(value: T, count: usize) -> IdVec<I, T>
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Adds a thing.
    pub(crate) fn push(&mut self, value: T) -> I {
        self.values.push(value);
        I::new(self.values.len() - 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value of a thing, if there is one.
    #[inline(always)]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.values.get(id.index())
    }

    /// Drops values, or adds copies of one, until there is this number of them.
    pub(crate) fn resize(&mut self, count: usize, value: T)
    where
        T: Clone,
    {
        self.values.resize(count, value);
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.values.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.values.iter_mut()
    }

    /// The ids, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        ids(self.values.len())
    }

    /// The values with their ids.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.values.iter().enumerate().map(|(index, value)| (I::new(index), value))
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.values.iter()
    }
}

impl<I: Id, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> std::vec::IntoIter<T> {
        self.values.into_iter()
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

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// All items of all lists, in order.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

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

    /// The memory that is held.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
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
