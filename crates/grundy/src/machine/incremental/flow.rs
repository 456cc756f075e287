//! How changes flow from node to node.
//!
//! This is where the time goes, and the only place of this machine with `unsafe` code: numbers of places are checked
//! once, when wires are made or a place is put into the queue, and not at every edge (a sixth of all instructions).
//! With debug assertions, as in all tests, every access is checked again.

use super::{Output, Reader};
use crate::ids::{Id, narrow};

/// From this many readers on, those that go up and those that go down have loops of their own.
const MANY_READERS: usize = 24;

/// For each place its counter, and in the lowest bit its mark: whether the counter was zero when its readers were told.
///
/// What has no counter, inputs and the nodes of loops, counts zero if it is marked and one if not, or is going to be,
/// so that all changes begin in the same way.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(Vec<u16>);

impl Cells {
    /// The largest number that can be counted to.
    pub(super) const MOST: usize = (u16::MAX >> 1) as usize;

    pub(super) fn new(places: usize) -> Cells {
        Cells(vec![0; places])
    }

    #[inline(always)]
    pub(super) fn mark(&self, place: usize) -> bool {
        self.0[place] & 1 == 1
    }

    /// Whether the place will be marked as soon as its readers are told.
    #[inline(always)]
    pub(super) fn will_be_marked(&self, place: usize) -> bool {
        self.0[place] < 2
    }

    /// Lets a place without readers, or without any that have to be told, be marked or not.
    #[inline(always)]
    pub(super) fn set_mark(&mut self, place: usize, marked: bool) {
        self.0[place] = 2 - u16::from(marked);
    }

    /// Sets a counter, and a mark that agrees with it.
    pub(super) fn set_count(&mut self, place: usize, count: usize) {
        debug_assert!(count <= Cells::MOST, "gates are narrow");
        self.0[place] = (count as u16) << 1 | u16::from(count == 0);
    }

    /// Sets the counter of a place so that it is going to be marked, or not.
    #[inline(always)]
    pub(super) fn announce(&mut self, place: usize, marked: bool) {
        let cell = &mut self.0[place];
        *cell = u16::from(!marked) << 1 | *cell & 1;
    }

    /// Copies the first places.
    pub(super) fn copy_from(&mut self, other: &Cells, places: usize) {
        self.0[..places].copy_from_slice(&other.0[..places]);
    }
}

/// Places whose counters have left or reached zero, first in, first out. Entries may turn out to be stale.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// How many places there are; all entries are smaller.
    places: usize,
    entries: Vec<u32>,
    head: usize,
    len: usize,
}

impl Queue {
    pub(super) fn new(places: usize) -> Queue {
        Queue { places, entries: Vec::new(), head: 0, len: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, place: u32) {
        assert!((place.index()) < self.places, "there is such a place");
        if self.entries.len() == self.len {
            self.grow(1);
        }
        self.entries[self.len] = place;
        self.len += 1;
    }

    /// Makes room for some more entries.
    #[cold]
    fn grow(&mut self, more: usize) {
        self.entries.resize((self.len + more) * 2, 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries that nobody has looked at.
    pub(super) fn entries(&self) -> &[u32] {
        &self.entries[self.head..self.len]
    }
}

/// For each place the counters that it changes, and what else depends on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    /// Where the readers of each place begin, and in the lowest bit whether it has an output. At the end is one more.
    starts: Vec<u32>,
    readers: Vec<Reader>,
    outputs: Vec<Output>,
}

impl Wires {
    /// From the readers of all places, those of each sorted, where these begin, and what else depends on the places.
    pub(super) fn new(starts: &[u32], readers: Vec<Reader>, outputs: Vec<Output>) -> Wires {
        assert!(
            starts.len() == outputs.len() && starts.is_sorted(),
            "readers and outputs are those of the places"
        );
        assert!(starts.iter().all(|&start| start as usize <= readers.len() && start <= u32::MAX >> 1));
        assert!(readers.iter().all(|reader| reader.place() < outputs.len()), "readers are places");
        let has_output = outputs.iter().map(|&output| u32::from(output != Output::NOTHING));
        let mut starts: Vec<u32> =
            starts.iter().zip(has_output).map(|(start, has)| start << 1 | has).collect();
        starts.push(narrow(readers.len()) << 1);
        Wires { starts, readers, outputs }
    }

    /// Whether nothing depends on a place.
    #[inline]
    pub(super) fn is_idle(&self, place: usize) -> bool {
        // There is no output, and readers begin where they end.
        self.starts[place] & 1 == 0 && self.reader_count(place) == 0
    }

    #[inline]
    pub(super) fn reader_count(&self, place: usize) -> u32 {
        (self.starts[place + 1] >> 1) - (self.starts[place] >> 1)
    }

    /// What besides counters depends on a place.
    pub(super) fn output(&self, place: usize) -> Output {
        self.outputs[place]
    }

    pub(super) fn edge_count(&self) -> usize {
        self.readers.len()
    }

    /// Propagates until the queue is empty, or something is changed that has a list of outputs: where they are, and
    /// whether it is marked. All other outputs are told on the way. Somebody may watch which places are looked at, and
    /// whether they have changed.
    ///
    /// Where many read a place, those that go up and those that go down have loops of their own; for a few, two loops
    /// take longer to come to their ends. Whether a counter crosses zero is as good as random, so that a branch on it
    /// would be mispredicted again and again: every reader is written to the end of the queue, which moves on only
    /// where it should.
    #[inline]
    #[allow(unsafe_code, reason = "see the documentation of this module")]
    pub(super) fn flow(
        &self,
        cells: &mut Cells,
        queue: &mut Queue,
        mut watch: impl FnMut(usize, bool),
        mut tell: impl FnMut(Output, bool),
    ) -> Option<(u32, bool)> {
        let (starts, cells) = (&self.starts[..], &mut cells.0[..]);
        let places = self.outputs.len();
        assert!(queue.places == places && cells.len() == places, "the memory is that of the machine");
        let (mut head, mut len) = (queue.head, queue.len);
        let mut entries = &mut queue.entries[..];
        assert!(len <= entries.len(), "there is room for all entries");
        while head < len {
            // SAFETY: `len` is at most the number of entries, and all entries are smaller than `places`, which is the
            // number of cells and one less than that of starts.
            let (place, cell) = unsafe {
                let place = entries.get_unchecked(head).index();
                (place, cells.get_unchecked_mut(place))
            };
            head += 1;
            let marked = u16::from(*cell < 2);
            watch(place, marked != *cell & 1);
            if marked == *cell & 1 {
                continue;
            }
            *cell ^= 1;
            // SAFETY: as above.
            let (start, end) = unsafe { (*starts.get_unchecked(place), *starts.get_unchecked(place + 1)) };
            let readers = (start >> 1).index()..(end >> 1).index();
            let count = readers.len();
            if count > 0 {
                if entries.len() - len < count {
                    queue.len = len;
                    queue.grow(count);
                    entries = &mut queue.entries[..];
                }
                // SAFETY: starts are sorted and end with the readers, all readers are smaller than the number of cells,
                // and there is room for as many entries as there are readers; at most one is added for each.
                unsafe {
                    let readers = self.readers.get_unchecked(readers);
                    if count < MANY_READERS {
                        for &reader in readers {
                            let cell = cells.get_unchecked_mut(reader.place());
                            let before = *cell;
                            let after =
                                before.wrapping_sub(2).wrapping_add((reader.goes_down() ^ marked) * 4);
                            *cell = after;
                            *entries.get_unchecked_mut(len) = narrow(reader.place());
                            len += usize::from(before.min(after) < 2);
                        }
                    } else {
                        let middle = readers.partition_point(|reader| reader.goes_down() == 0);
                        let (first, second) = readers.split_at(middle);
                        let (raised, lowered) = if marked == 1 { (first, second) } else { (second, first) };
                        for &reader in raised {
                            let cell = cells.get_unchecked_mut(reader.place());
                            *entries.get_unchecked_mut(len) = narrow(reader.place());
                            len += usize::from(*cell < 2);
                            *cell += 2;
                        }
                        for &reader in lowered {
                            let cell = cells.get_unchecked_mut(reader.place());
                            *entries.get_unchecked_mut(len) = narrow(reader.place());
                            *cell -= 2;
                            len += usize::from(*cell < 2);
                        }
                    }
                }
            }
            if start & 1 == 1 {
                let output = self.outputs[place];
                if output.tag() == Output::LIST {
                    (queue.head, queue.len) = (head, len);
                    return Some((output.number(), marked == 1));
                }
                tell(output, marked == 1);
            }
        }
        (queue.head, queue.len) = (0, 0);
        None
    }
}
