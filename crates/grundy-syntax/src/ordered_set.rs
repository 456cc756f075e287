//! A set that keeps its items in the order in which they came.

use crate::ids::{Id, narrow};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Up to this many items, looking at all of them beats a hash table.
const FEW: usize = 16;

/// Items without repetitions, numbered from zero in the order in which they came.
///
/// The rules of a game are short and rarely leave the plain list. But a text that nobody vouches for
/// may hold a rule with a million conditions, and looking at all of them at each would take hours.
#[derive(Clone, Debug)]
pub(crate) struct OrderedSet<T> {
    items: Vec<T>,
    /// Numbers of all items, by hash, once there are more than [`FEW`].
    table: HashTable<u32>,
}

impl<T: Hash + Eq> OrderedSet<T> {
    pub(crate) fn new() -> OrderedSet<T> {
        OrderedSet { items: Vec::new(), table: HashTable::new() }
    }

    /// The number of an item, if it is there.
    pub(crate) fn find(&self, item: &T) -> Option<usize> {
        if self.items.len() <= FEW {
            return self.items.iter().position(|known| known == item);
        }
        let found = self.table.find(hash_of(item), |&number| self.items[number.index()] == *item);
        found.map(|&number| number.index())
    }

    /// Adds an item unless it is there already. Tells its number, and whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> (usize, bool) {
        if let Some(number) = self.find(&item) {
            return (number, false);
        }
        self.items.push(item);
        let number = self.items.len() - 1;
        match number {
            FEW => (0..=number).for_each(|number| self.index(number)),
            _ if number > FEW => self.index(number),
            _ => {}
        }
        (number, true)
    }

    /// The items, in order.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// The items, in order.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    fn index(&mut self, number: usize) {
        let OrderedSet { items, table } = self;
        table.insert_unique(hash_of(&items[number]), narrow(number), |&number| {
            hash_of(&items[number.index()])
        });
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_numbers_when_they_become_many() {
        let mut set = OrderedSet::new();
        for round in 0..2 {
            for item in 0..100 {
                assert_eq!(set.insert(item * 7), (item, round == 0));
            }
        }
        assert_eq!(set.find(&21), Some(3));
        assert_eq!(set.find(&22), None);
        assert!(set.items().iter().copied().eq((0..100).map(|item| item * 7)));
    }
}
