//! Many short records of the same length.

/// How many numbers a full chunk holds, about.
const CHUNK: usize = 1 << 18;

/// Records of `stride` numbers. They live in chunks that are never moved once they are full, so that
/// growing by one record never costs more than one chunk of memory.
pub(super) struct Arena {
    stride: usize,
    full: Vec<Box<[u32]>>,
    last: Vec<u32>,
    len: usize,
}

impl Arena {
    pub(super) fn new(stride: usize) -> Arena {
        Arena { stride, full: Vec::new(), last: Vec::new(), len: 0 }
    }

    fn records_per_chunk(&self) -> usize {
        (CHUNK / self.stride).max(1)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.full.iter().map(|chunk| chunk.len() * 4).sum::<usize>() + self.last.capacity() * 4
    }

    #[inline]
    pub(super) fn push(&mut self, record: &[u32]) {
        debug_assert_eq!(record.len(), self.stride);
        if self.last.len() == self.records_per_chunk() * self.stride {
            let next = Vec::with_capacity(self.last.len());
            self.full.push(std::mem::replace(&mut self.last, next).into());
        }
        self.last.extend_from_slice(record);
        self.len += 1;
    }

    #[inline]
    pub(super) fn get(&self, record: usize) -> &[u32] {
        let per_chunk = self.records_per_chunk();
        let (chunk, start) = (record / per_chunk, record % per_chunk * self.stride);
        let chunk = self.full.get(chunk).map_or(&self.last[..], |chunk| chunk);
        &chunk[start..start + self.stride]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let chunks = self.full.iter().map(|chunk| &chunk[..]).chain([&self.last[..]]);
        chunks.flat_map(|chunk| chunk.chunks_exact(self.stride))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let chunks = self.full.iter_mut().map(|chunk| &mut chunk[..]).chain([&mut self.last[..]]);
        chunks.flat_map(|chunk| chunk.chunks_exact_mut(self.stride))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_what_they_are() {
        let mut arena = Arena::new(3);
        let count = 2 * CHUNK / 3 + 5;
        (0..count as u32).for_each(|i| arena.push(&[i, i + 1, i + 2]));
        assert_eq!(arena.len(), count);
        assert_eq!(arena.get(count - 1), [count as u32 - 1, count as u32, count as u32 + 1]);
        assert!(arena.iter().enumerate().all(|(i, record)| record[0] == i as u32));
        arena.iter_mut().for_each(|record| record[0] = 7);
        assert_eq!(arena.get(CHUNK / 3)[0], 7);
    }
}
