//! A hash table from hashes to row numbers: open addressing with linear probing.
//!
//! A slot holds a hash of 32 bits and a row number. The upper bits of the hash choose the slot, so slots are sorted by hash
//! except for collisions: a lookup touches one cache line of the table and one row, and growing reads the old table from
//! front to back. Rows are never removed one by one.

use crate::ids::Id;

/// An empty slot. No row has the number of its lower half.
const EMPTY: u64 = u64::MAX;

/// The largest share of used slots, in eighths.
const FULL_EIGHTHS: usize = 6;

/// The number of slots of the smallest table.
const SMALLEST: usize = 8;

/// From this number of slots on (8 MB), [`Table::bytes`] counts the memory of the next growth in advance.
const LARGE: usize = 1 << 20;

/// Row numbers by hash.
#[derive(Default)]
pub(crate) struct Table {
    slots: Vec<u64>,
    /// A hash shifted right by this is the number of its slot.
    shift: u32,
    len: usize,
}

/// A fast hash of a few small numbers: rotate, xor and multiply, as in FxHash. Its upper half is well mixed.
#[inline]
pub(crate) fn hash(values: impl Iterator<Item = u32>) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = values.fold(0u64, |hash, value| (hash.rotate_left(26) ^ u64::from(value)).wrapping_mul(K));
    upper(folded)
}

/// The upper half of a slot or a hash.
#[inline(always)]
pub(crate) fn upper(number: u64) -> u32 {
    // The shift leaves 32 bits.
    (number >> 32) as u32
}

/// The lower half of a slot.
#[inline(always)]
pub(crate) fn lower(number: u64) -> u32 {
    // The cast drops the upper half.
    number as u32
}

impl Table {
    /// An empty table with room for a number of rows.
    pub(crate) fn with_capacity(rows: usize) -> Table {
        let slots = (rows * 8 / FULL_EIGHTHS + 1).next_power_of_two().max(SMALLEST);
        Table { slots: vec![EMPTY; slots], shift: 32 - slots.ilog2(), len: 0 }
    }

    /// The memory held, and that of the table beside it if the next growth is near.
    pub(crate) fn bytes(&self) -> usize {
        let held = self.slots.capacity() * 8;
        let grows_soon = self.slots.len() >= LARGE && self.len * 8 >= self.slots.len() * (FULL_EIGHTHS - 1);
        if grows_soon { 3 * held } else { held }
    }

    #[inline]
    fn start(&self, hash: u32) -> usize {
        (hash >> self.shift).index()
    }

    /// The row with this hash that `is_it` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        self.slot(hash, is_it).map(|slot| lower(self.slots[slot]))
    }

    /// Replaces the row with this hash that `is_it` accepts. Returns the old row.
    #[inline]
    pub(crate) fn replace(&mut self, hash: u32, by: u32, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let slot = self.slot(hash, is_it)?;
        let old = std::mem::replace(&mut self.slots[slot], u64::from(hash) << 32 | u64::from(by));
        Some(lower(old))
    }

    /// The row in the first slot for a hash, if the hashes agree. Reading it for many hashes at once overlaps their cache
    /// misses.
    #[inline]
    pub(crate) fn peek(&self, hash: u32) -> Option<u32> {
        let slot = *self.slots.get(self.start(hash))?;
        (upper(slot) == hash).then_some(lower(slot))
    }

    #[inline]
    fn slot(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.start(hash);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            if upper(slot) == hash && is_it(lower(slot)) {
                return Some(at);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a row that the table does not have.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, row: u32) {
        if self.len * 8 >= self.slots.len() * FULL_EIGHTHS {
            self.grow();
        }
        self.len += 1;
        self.put(u64::from(hash) << 32 | u64::from(row));
    }

    #[inline]
    fn put(&mut self, slot: u64) {
        let mut at = self.start(upper(slot));
        while self.slots[at] != EMPTY {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    #[cold]
    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; larger]);
        self.shift = 32 - larger.ilog2();
        old.into_iter().filter(|&slot| slot != EMPTY).for_each(|slot| self.put(slot));
    }

    /// Removes all rows, and keeps the memory. `hashes` are those of the rows; if they are few, only their slots are
    /// visited.
    pub(crate) fn clear(&mut self, hashes: impl ExactSizeIterator<Item = u32>) {
        self.len = 0;
        if hashes.len() * 8 > self.slots.len() {
            self.slots.fill(EMPTY);
            return;
        }
        for hash in hashes {
            let mut at = self.start(hash);
            while self.slots[at] != EMPTY {
                self.slots[at] = EMPTY;
                at = (at + 1) & (self.slots.len() - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_after_growth_and_not_after_clearing() {
        let mut table = Table::default();
        let hash_of = |row: u32| hash([row / 3, row % 3].into_iter());
        assert_eq!(table.find(hash_of(0), |_| true), None);
        for row in 0..10_000 {
            assert_eq!(table.find(hash_of(row), |other| other == row), None);
            table.insert(hash_of(row), row);
        }
        assert!((0..10_000).all(|row| table.find(hash_of(row), |other| other == row) == Some(row)));
        assert_eq!(table.replace(hash_of(7), 10_000, |other| other == 7), Some(7));
        assert_eq!(table.find(hash_of(7), |other| other == 10_000), Some(10_000));
        table.clear((0..10_000).map(hash_of));
        assert!((0..10_000).all(|row| table.find(hash_of(row), |_| true).is_none()));
        (0..20).for_each(|row| table.insert(hash_of(row), row));
        table.clear((0..20).map(hash_of));
        assert!(table.slots.iter().all(|&slot| slot == EMPTY));
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut table = Table::default();
        (0..100).for_each(|row| table.insert(u32::MAX, row));
        assert_eq!(table.find(u32::MAX, |row| row == 99), Some(99));
        assert_eq!(table.find(u32::MAX - 1, |_| true), None);
    }
}
