//! Incremental maintenance of the least fixpoints of loops: delete and rederive (DRed, Gupta, Mumick & Subrahmanian 1993),
//! with time stamps that avoid most deletions.
//!
//! A member of a loop has a count of its inputs like any gate, but counts alone would keep a dead cycle alive: two facts
//! that support only each other. So each member that holds also has the time of its derivation, by a clock that only goes
//! forward. A support is *well-founded* if it was derived earlier or is outside of the loop. When a member loses an input,
//! it stays if it has another well-founded support; otherwise it is deleted, and its readers lose an input. When nothing
//! more is deleted, every member with all it needs is derived again, later than all its supports.

use super::CellId;
use super::lower::Lower;
use super::memory::Memory;
use crate::ids::{Csr, Id, IdVec, ids_in, narrow};
use crate::network::{Kind, NodeId};
use rustc_hash::FxHashMap;
use std::ops::Range;

grundy_syntax::define_id! {
    /// A member of a loop; all loops count on.
    pub(super) struct MemberId(u32);
}

grundy_syntax::define_id! {
    /// A node outside of a loop that members read.
    pub(super) struct PortId(u32);
}

/// A node outside of a loop that members read.
#[derive(Clone, Copy, Debug)]
struct Port {
    cell: CellId,
    /// Where its edges are.
    start: u32,
    end: u32,
}

/// The members of all loops, one loop behind the other, and what they read.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    /// The cell of the first member; the others follow.
    first_cell: CellId,
    is_or: IdVec<MemberId, bool>,
    /// For each member the members that read it.
    readers: Csr<MemberId, MemberId>,
    /// For each member the members that it reads.
    inputs: Csr<MemberId, MemberId>,
    /// For each member how many inputs it has outside of its loop.
    outside: IdVec<MemberId, u16>,
    ports: IdVec<PortId, Port>,
    /// Members that read a port, with the lowest bit set if they do so when it is not marked.
    port_edges: Vec<u32>,
    /// For each loop its members, and its ports.
    loops: Vec<(Range<MemberId>, Range<PortId>)>,
}

/// What changes in loops while playing, as far as it is worth being copied at the start of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopMemory {
    /// For each member its inputs that hold, if it is an OR, and those that do not, if it is an AND.
    counts: IdVec<MemberId, u16>,
    /// For an OR the number of its inputs outside of the loop that hold.
    firm: IdVec<MemberId, u16>,
    holds: IdVec<MemberId, bool>,
    /// When those that hold were derived.
    times: IdVec<MemberId, u64>,
    now: u64,
    /// For each port its mark at the last propagation.
    seen: IdVec<PortId, bool>,
}

/// Lists that are empty between two changes.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopWork {
    lost: Vec<MemberId>,
    /// Members that may hold now.
    gained: Vec<MemberId>,
    /// Members whose value has changed, perhaps several times.
    changed: Vec<MemberId>,
}

impl LoopMemory {
    pub(super) fn new(loops: &Loops) -> LoopMemory {
        let members = loops.is_or.len();
        LoopMemory {
            counts: IdVec::filled(0, members),
            firm: IdVec::filled(0, members),
            holds: IdVec::filled(false, members),
            times: IdVec::filled(0, members),
            now: 0,
            seen: IdVec::filled(false, loops.ports.len()),
        }
    }

    pub(super) fn copy_from(&mut self, other: &LoopMemory) {
        self.counts.copy_from(&other.counts);
        self.firm.copy_from(&other.firm);
        self.holds.copy_from(&other.holds);
        self.times.copy_from(&other.times);
        self.now = other.now;
        self.seen.copy_from(&other.seen);
    }
}

impl Loops {
    pub(super) fn new(lower: &Lower, loops: &[Vec<NodeId>]) -> Loops {
        let members: Vec<NodeId> = loops.iter().flatten().copied().collect();
        let mut made = Loops {
            first_cell: members.first().map_or(CellId(0), |&first| lower.cells[first]),
            is_or: members.iter().map(|&node| lower.network.kind(node) == Kind::Or).collect(),
            outside: IdVec::filled(0, members.len()),
            ..Loops::default()
        };
        let mut first = MemberId(0);
        let mut read: Vec<(MemberId, MemberId)> = Vec::new();
        for nodes in loops {
            let ports = made.add_loop(lower, first, nodes, &mut read);
            let end = MemberId(first.0 + narrow(nodes.len()));
            made.loops.push((first..end, ports));
            first = end;
        }
        read.sort_unstable();
        made.inputs = Csr::grouped(members.len(), read.iter().copied());
        made.readers = Csr::grouped(members.len(), read.iter().map(|&(reader, input)| (input, reader)));
        made
    }

    /// Adds a loop whose first member has this number: its ports, and which member reads which.
    fn add_loop(
        &mut self,
        lower: &Lower,
        first: MemberId,
        nodes: &[NodeId],
        read: &mut Vec<(MemberId, MemberId)>,
    ) -> Range<PortId> {
        let members = (first.0..).map(MemberId);
        let numbers: FxHashMap<NodeId, MemberId> = nodes.iter().copied().zip(members.clone()).collect();
        let mut outside: Vec<(CellId, u32)> = Vec::new();
        for (&node, member) in nodes.iter().zip(members) {
            for &input in lower.network.inputs(node) {
                match numbers.get(&input.node()) {
                    Some(&other) => read.push((member, other)),
                    None => {
                        let probe = lower.probe(input);
                        outside.push((probe.cell(), member.0 << 1 | u32::from(probe.is_inverted())));
                        self.outside[member] += 1;
                    }
                }
            }
        }
        outside.sort_unstable();
        let ports = PortId::new(self.ports.len());
        for edges in outside.chunk_by(|a, b| a.0 == b.0) {
            let start = narrow(self.port_edges.len());
            self.port_edges.extend(edges.iter().map(|&(_, edge)| edge));
            self.ports.push(Port { cell: edges[0].0, start, end: narrow(self.port_edges.len()) });
        }
        ports..PortId::new(self.ports.len())
    }

    /// The places that ports look at, with the numbers of the ports.
    pub(super) fn ports(&self) -> impl Iterator<Item = (CellId, PortId)> + '_ {
        self.ports.entries().map(|(number, port)| (port.cell, number))
    }

    /// The loop that a port belongs to.
    fn loop_of(&self, port: PortId) -> usize {
        self.loops.partition_point(|(_, ports)| ports.end <= port)
    }

    fn cell(&self, member: MemberId) -> CellId {
        CellId(self.first_cell.0 + member.0)
    }

    /// Evaluates the loop whose first member has this place from nothing, and marks its members.
    pub(super) fn start(&self, memory: &mut Memory, first_cell: CellId) {
        let first = MemberId(first_cell.0 - self.first_cell.0);
        let number = self.loops.partition_point(|(members, _)| members.end <= first);
        let (members, ports) = self.loops[number].clone();
        let mut work = LoopWork::default();
        for member in ids_in(&members) {
            if !self.is_or[member] {
                let inside = u16::new(self.inputs[member].len());
                memory.loops.counts[member] = inside + self.outside[member];
            }
            work.gained.push(member);
        }
        for port in ids_in(&ports) {
            let Port { cell, start, end } = self.ports[port];
            let marked = memory.cells.mark(cell);
            memory.loops.seen[port] = marked;
            for &edge in &self.port_edges[start.index()..end.index()] {
                if marked != (edge & 1 == 1) {
                    self.gain(&mut memory.loops, &mut work, MemberId(edge >> 1), true);
                }
            }
        }
        self.derive(&mut memory.loops, &mut work);
        for member in ids_in(&members) {
            let marked = memory.loops.holds[member] != self.is_or[member];
            memory.cells.set_mark(self.cell(member), marked);
        }
    }

    /// Works out the first loop with ports that have changed, takes these ports out, and tells for each member that has
    /// changed its place and whether it is marked now.
    pub(super) fn settle(
        &self,
        memory: &mut Memory,
        work: &mut LoopWork,
        dirty: &mut Vec<PortId>,
        mut tell: impl FnMut(&mut Memory, CellId, bool),
    ) {
        // A loop depends on loops before it at most.
        let Some(&first) = dirty.iter().min() else { return };
        let ports = &self.loops[self.loop_of(first)].1;
        dirty.retain(|port| {
            let is_here = ports.contains(port);
            if is_here {
                self.read_port(memory, work, *port);
            }
            !is_here
        });
        self.give_up(&mut memory.loops, work);
        self.derive(&mut memory.loops, work);
        for member in work.changed.drain(..) {
            let marked = memory.loops.holds[member] != self.is_or[member];
            if memory.cells.mark(self.cell(member)) != marked {
                tell(memory, self.cell(member), marked);
            }
        }
    }

    fn read_port(&self, memory: &mut Memory, work: &mut LoopWork, port: PortId) {
        let Port { cell, start, end } = self.ports[port];
        let marked = memory.cells.mark(cell);
        if std::mem::replace(&mut memory.loops.seen[port], marked) == marked {
            return;
        }
        for &edge in &self.port_edges[start.index()..end.index()] {
            if marked != (edge & 1 == 1) {
                self.gain(&mut memory.loops, work, MemberId(edge >> 1), true);
            } else {
                self.lose(&mut memory.loops, work, MemberId(edge >> 1), true);
            }
        }
    }

    /// An input of a member holds now.
    #[inline]
    fn gain(&self, memory: &mut LoopMemory, work: &mut LoopWork, member: MemberId, from_outside: bool) {
        if self.is_or[member] {
            memory.counts[member] += 1;
            memory.firm[member] += u16::from(from_outside);
        } else {
            memory.counts[member] -= 1;
        }
        if !memory.holds[member] {
            work.gained.push(member);
        }
    }

    /// An input of a member holds no longer.
    #[inline]
    fn lose(&self, memory: &mut LoopMemory, work: &mut LoopWork, member: MemberId, from_outside: bool) {
        if self.is_or[member] {
            memory.counts[member] -= 1;
            memory.firm[member] -= u16::from(from_outside);
        } else {
            memory.counts[member] += 1;
        }
        if memory.holds[member] {
            work.lost.push(member);
        }
    }

    /// Deletes members without well-founded support, and all that depends on them.
    fn give_up(&self, memory: &mut LoopMemory, work: &mut LoopWork) {
        while let Some(member) = work.lost.pop() {
            if memory.holds[member] && !self.has_reason(memory, member) {
                memory.holds[member] = false;
                work.changed.push(member);
                work.gained.push(member);
                for &reader in &self.readers[member] {
                    self.lose(memory, work, reader, false);
                }
            }
        }
    }

    /// Whether a member that holds has a well-founded support.
    fn has_reason(&self, memory: &LoopMemory, member: MemberId) -> bool {
        if !self.is_or[member] {
            return memory.counts[member] == 0;
        }
        let is_earlier =
            |&input: &MemberId| memory.holds[input] && memory.times[input] < memory.times[member];
        memory.firm[member] > 0 || memory.counts[member] > 0 && self.inputs[member].iter().any(is_earlier)
    }

    /// Derives all members whose inputs suffice.
    fn derive(&self, memory: &mut LoopMemory, work: &mut LoopWork) {
        while let Some(member) = work.gained.pop() {
            let has_all = (memory.counts[member] > 0) == self.is_or[member];
            if !memory.holds[member] && has_all {
                memory.holds[member] = true;
                memory.now += 1;
                memory.times[member] = memory.now;
                work.changed.push(member);
                for &reader in &self.readers[member] {
                    self.gain(memory, work, reader, false);
                }
            }
        }
    }
}
