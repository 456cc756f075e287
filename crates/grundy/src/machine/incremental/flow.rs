//! The propagation of changes from cell to cell: the hot loop of this machine.
//!
//! It has the only `unsafe` code of this machine. The safe version indexed slices, and its bounds checks were a sixth of all
//! instructions; here cell ids are checked once, when wires are made or a cell is queued, instead of at every edge. With
//! debug assertions, as in all tests, every access is checked again.

use super::{CellId, Output, Reader};
use crate::ids::{Csr, Id, IdVec, narrow};

/// From this many readers on, those that go up and those that go down have separate loops. A guess: for few
/// readers the ends of two loops cost more than they save.
const MIN_READERS_FOR_TWO_LOOPS: usize = 24;

/// For each cell its counter, and in the lowest bit its mark: whether the counter was zero at the last propagation.
///
/// What has no counter, inputs and the nodes of loops, counts zero if it is marked and one if not, or is going to be,
/// so that all changes begin in the same way.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(IdVec<CellId, u16>);

impl Cells {
    /// The largest number that can be counted to.
    pub(super) const MOST: usize = (u16::MAX >> 1) as usize;

    pub(super) fn new(count: usize) -> Cells {
        Cells(IdVec::filled(0, count))
    }

    #[inline(always)]
    pub(super) fn mark(&self, cell: CellId) -> bool {
        self.0[cell] & 1 == 1
    }

    /// Whether the cell will be marked after the next propagation.
    #[inline(always)]
    pub(super) fn will_be_marked(&self, cell: CellId) -> bool {
        self.0[cell] < 2
    }

    /// Sets the mark of a cell without propagation.
    #[inline(always)]
    pub(super) fn set_mark(&mut self, cell: CellId, marked: bool) {
        self.0[cell] = 2 - u16::from(marked);
    }

    /// Sets a counter, and a mark that agrees with it.
    pub(super) fn set_count(&mut self, cell: CellId, count: usize) {
        debug_assert!(count <= Cells::MOST, "gates are narrow");
        self.0[cell] = u16::new(count) << 1 | u16::from(count == 0);
    }

    /// Sets the counter of a cell so that the next propagation marks it, or not.
    #[inline(always)]
    pub(super) fn announce(&mut self, cell: CellId, marked: bool) {
        let cell = &mut self.0[cell];
        *cell = u16::from(!marked) << 1 | *cell & 1;
    }

    /// Copies the first cells.
    pub(super) fn copy_from(&mut self, other: &Cells, count: usize) {
        self.0.as_mut_slice()[..count].copy_from_slice(&other.0.as_slice()[..count]);
    }
}

/// Cells whose counters have left or reached zero, first in, first out. Entries may turn out to be stale.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// How many cells there are; all entries are smaller.
    cells: usize,
    entries: Vec<CellId>,
    head: usize,
    len: usize,
}

impl Queue {
    pub(super) fn new(cells: usize) -> Queue {
        Queue { cells, entries: Vec::new(), head: 0, len: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, cell: CellId) {
        assert!(cell.index() < self.cells, "the cell exists");
        if self.entries.len() == self.len {
            self.grow(1);
        }
        self.entries[self.len] = cell;
        self.len += 1;
    }

    /// Makes room for some more entries.
    #[cold]
    fn grow(&mut self, more: usize) {
        self.entries.resize((self.len + more) * 2, CellId(0));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries that are not processed yet.
    pub(super) fn entries(&self) -> &[CellId] {
        &self.entries[self.head..self.len]
    }
}

/// For each cell the counters that it changes, and what else depends on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    /// Where the readers of each cell begin, and in the lowest bit whether it has an output. At the end is one more.
    starts: IdVec<CellId, u32>,
    readers: Vec<Reader>,
    outputs: IdVec<CellId, Output>,
}

impl Wires {
    /// From the readers of all cells, each list sorted, and what else depends on the cells.
    pub(super) fn new(readers: Csr<CellId, Reader>, outputs: IdVec<CellId, Output>) -> Wires {
        assert!(readers.len() == outputs.len(), "there is one list of readers and one output for each cell");
        assert!(readers.items().len() <= u32::MAX.index() >> 1, "the lowest bit of a start is free");
        assert!(
            readers.items().iter().all(|reader| reader.cell().index() < outputs.len()),
            "readers are cells"
        );
        let start = |(cell, &output): (CellId, &Output)| {
            narrow(readers.start(cell)) << 1 | u32::from(output != Output::NOTHING)
        };
        let mut starts: IdVec<CellId, u32> = outputs.entries().map(start).collect();
        starts.push(narrow(readers.items().len()) << 1);
        Wires { starts, readers: readers.into_items(), outputs }
    }

    /// Whether nothing depends on a cell.
    #[inline]
    pub(super) fn is_idle(&self, cell: CellId) -> bool {
        // There is no output, and readers begin where they end.
        self.starts[cell] & 1 == 0 && self.reader_count(cell) == 0
    }

    #[inline]
    pub(super) fn reader_count(&self, cell: CellId) -> u32 {
        (self.starts[CellId(cell.0 + 1)] >> 1) - (self.starts[cell] >> 1)
    }

    /// What depends on a cell besides counters.
    pub(super) fn output(&self, cell: CellId) -> Output {
        self.outputs[cell]
    }

    pub(super) fn edge_count(&self) -> usize {
        self.readers.len()
    }

    /// Propagates until the queue is empty, or something is changed that has a list of outputs: where they are, and
    /// whether it is marked. All other outputs are passed to `tell`. `watch` sees every cell that is processed and whether it
    /// has changed.
    ///
    /// Many readers of a cell are processed in two loops, those that go up and those that go down. Whether a counter
    /// crosses zero is as good as random, so that a branch on it would be mispredicted often. So the loops are branch-free:
    /// every reader is written to the end of the queue, and the end advances only for counters that cross zero.
    #[inline]
    #[allow(unsafe_code, reason = "see the documentation of this module")]
    pub(super) fn flow(
        &self,
        cells: &mut Cells,
        queue: &mut Queue,
        mut watch: impl FnMut(CellId, bool),
        mut tell: impl FnMut(Output, bool),
    ) -> Option<(u32, bool)> {
        let (starts, cells) = (self.starts.as_slice(), cells.0.as_mut_slice());
        let count = self.outputs.len();
        assert!(queue.cells == count && cells.len() == count, "the memory is that of the machine");
        let (mut head, mut len) = (queue.head, queue.len);
        let mut entries = &mut queue.entries[..];
        assert!(len <= entries.len(), "there is room for all entries");
        while head < len {
            // SAFETY: `len` is at most the number of entries, and all entries are smaller than `places`, which is the
            // number of cells and one less than that of starts.
            let (id, place, cell) = unsafe {
                let id = *entries.get_unchecked(head);
                (id, id.index(), cells.get_unchecked_mut(id.index()))
            };
            head += 1;
            let marked = u16::from(*cell < 2);
            watch(id, marked != *cell & 1);
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
                    if count < MIN_READERS_FOR_TWO_LOOPS {
                        for &reader in readers {
                            let cell = cells.get_unchecked_mut(reader.cell().index());
                            let before = *cell;
                            let after =
                                before.wrapping_sub(2).wrapping_add((reader.goes_down() ^ marked) * 4);
                            *cell = after;
                            *entries.get_unchecked_mut(len) = reader.cell();
                            len += usize::from(before.min(after) < 2);
                        }
                    } else {
                        let middle = readers.partition_point(|reader| reader.goes_down() == 0);
                        let (first, second) = readers.split_at(middle);
                        let (raised, lowered) = if marked == 1 { (first, second) } else { (second, first) };
                        for &reader in raised {
                            let cell = cells.get_unchecked_mut(reader.cell().index());
                            *entries.get_unchecked_mut(len) = reader.cell();
                            len += usize::from(*cell < 2);
                            *cell += 2;
                        }
                        for &reader in lowered {
                            let cell = cells.get_unchecked_mut(reader.cell().index());
                            *entries.get_unchecked_mut(len) = reader.cell();
                            *cell -= 2;
                            len += usize::from(*cell < 2);
                        }
                    }
                }
            }
            if start & 1 == 1 {
                let output = self.outputs[id];
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
