//! An arena of short records of equal length.

/// The largest number of values in a chunk: a quarter of a megabyte (a guess), so that the last, unfilled chunk wastes little.
const CHUNK: usize = 1 << 16;

/// Records of `stride` numbers in chunks. A full chunk never moves, so growing never needs more than one chunk of additional
/// memory.
pub(super) struct Arena {
    stride: usize,
    /// The binary logarithm of the number of records in a full chunk.
    shift: u32,
    full: Vec<Box<[u32]>>,
    last: Vec<u32>,
    /// The number of records.
    len: usize,
}

impl Arena {
    pub(super) fn new(stride: usize) -> Arena {
        let shift = (CHUNK / stride).checked_ilog2().unwrap_or(0);
        Arena { stride, shift, full: Vec::new(), last: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.full.iter().map(|chunk| chunk.len() * 4).sum::<usize>() + self.last.capacity() * 4
    }

    #[inline]
    pub(super) fn push(&mut self, record: &[u32]) {
        self.push_with(|place| place.copy_from_slice(record));
    }

    /// Adds a record of zeros, which `fill` overwrites.
    #[inline]
    pub(super) fn push_with(&mut self, fill: impl FnOnce(&mut [u32])) {
        let start = self.last.len();
        self.last.resize(start + self.stride, 0);
        self.len += 1;
        fill(&mut self.last[start..]);
        if start + self.stride == self.stride << self.shift {
            let next = Vec::with_capacity(start + self.stride);
            self.full.push(std::mem::replace(&mut self.last, next).into());
        }
    }

    /// Removes and returns the last record of a non-empty arena.
    pub(super) fn pop(&mut self) -> Vec<u32> {
        self.len -= 1;
        if self.last.is_empty()
            && let Some(chunk) = self.full.pop()
        {
            self.last = chunk.into();
        }
        self.last.split_off(self.last.len().saturating_sub(self.stride))
    }

    #[inline]
    pub(super) fn get(&self, record: usize) -> &[u32] {
        let (chunk, within) = (record >> self.shift, record & ((1 << self.shift) - 1));
        let chunk = self.full.get(chunk).map_or(&self.last[..], |chunk| chunk);
        &chunk[within * self.stride..][..self.stride]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, record: usize) -> &mut [u32] {
        let (chunk, within) = (record >> self.shift, record & ((1 << self.shift) - 1));
        let chunk = self.full.get_mut(chunk).map_or(&mut self.last[..], |chunk| chunk);
        &mut chunk[within * self.stride..][..self.stride]
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        let chunks = self.full.iter().map(|chunk| &chunk[..]).chain([&self.last[..]]);
        chunks.flat_map(|chunk| chunk.chunks_exact(self.stride))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let chunks = self.full.iter_mut().map(|chunk| &mut chunk[..]).chain([&mut self.last[..]]);
        chunks.flat_map(|chunk| chunk.chunks_exact_mut(self.stride))
    }

    /// Keeps the records that `wanted` accepts, which is called in order. Chunks are freed as they are read.
    pub(super) fn retain(&mut self, mut wanted: impl FnMut(&[u32]) -> bool) {
        let all = std::mem::replace(self, Arena::new(self.stride));
        for chunk in all.full.into_iter().chain([all.last.into_boxed_slice()]) {
            for record in chunk.chunks_exact(all.stride) {
                if wanted(record) {
                    self.push(record);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_in_order() {
        let mut arena = Arena::new(3);
        let count = 2 * CHUNK / 3 + 5;
        (0..count as u32).for_each(|i| arena.push(&[i, i + 1, i + 2]));
        assert_eq!(arena.len(), count);
        assert_eq!(arena.get(count - 1), [count as u32 - 1, count as u32, count as u32 + 1]);
        assert!(arena.iter().enumerate().all(|(i, record)| record[0] == i as u32));
        arena.retain(|record| record[0] % 3 == 1);
        assert_eq!(arena.len(), count / 3 + usize::from(count % 3 > 1));
        assert!(arena.iter().enumerate().all(|(i, record)| record[0] == 3 * i as u32 + 1));
        arena.iter_mut().for_each(|record| record[0] = 7);
        assert_eq!(arena.get(CHUNK / 9)[0], 7);
    }
}
