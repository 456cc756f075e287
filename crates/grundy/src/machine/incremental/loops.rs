//! Loops, kept up to date: what a change can reach in them is worked out again, and nothing else.
//!
//! A member of a loop has a count of its inputs like any counter, but that alone would keep a dead cycle alive: two
//! facts that have no other reason than each other. So each member that holds also knows *when* it was derived, by a
//! clock that only goes forward. A reason is good if it was derived earlier, or stands outside of the loop. When a
//! member loses an input, it stays if it has a good reason left; else it is given up, and its readers lose an input.
//! When nothing more is given up, whatever has all it needs is derived again, later than all that it rests on.

use super::lower::Lower;
use super::player::Memory;
use crate::ids::{Id, narrow};
use crate::network::{Kind, NodeId};
use rustc_hash::FxHashMap;

/// A node outside of a loop that members read.
#[derive(Clone, Copy, Debug)]
struct Port {
    place: u32,
    /// Where its edges are.
    start: u32,
    end: u32,
}

/// The members of all loops, one loop behind the other, and what they read.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    /// The place of the first member; the others follow.
    first_place: u32,
    is_or: Vec<bool>,
    /// For each member, one after the other, the members that read it.
    readers: Vec<u32>,
    readers_starts: Vec<u32>,
    /// For each member, one after the other, the members that it reads.
    inputs: Vec<u32>,
    inputs_starts: Vec<u32>,
    /// For each member how many inputs it has outside of its loop.
    outside: Vec<u16>,
    ports: Vec<Port>,
    /// Members that read a port, with the lowest bit set if they do so when it is not marked.
    port_edges: Vec<u32>,
    /// For each loop its members, and its ports.
    loops: Vec<(std::ops::Range<u32>, std::ops::Range<u32>)>,
}

/// What changes in loops while playing, as far as it is worth being copied at the start of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopMemory {
    /// For each member its inputs that hold, if it is an OR, and those that do not, if it is an AND.
    counts: Vec<u16>,
    /// For an OR its inputs outside of the loop that hold.
    firm: Vec<u16>,
    holds: Vec<bool>,
    /// When those that hold were derived.
    times: Vec<u64>,
    now: u64,
    /// For each port whether it was marked when its readers were told.
    seen: Vec<bool>,
}

/// Lists that are empty between two changes.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopWork {
    lost: Vec<u32>,
    /// Members that may hold now.
    gained: Vec<u32>,
    /// Members whose value has changed, perhaps several times.
    changed: Vec<u32>,
}

impl LoopMemory {
    pub(super) fn new(loops: &Loops) -> LoopMemory {
        let members = loops.is_or.len();
        LoopMemory {
            counts: vec![0; members],
            firm: vec![0; members],
            holds: vec![false; members],
            times: vec![0; members],
            now: 0,
            seen: vec![false; loops.ports.len()],
        }
    }

    pub(super) fn copy_from(&mut self, other: &LoopMemory) {
        self.counts.copy_from_slice(&other.counts);
        self.firm.copy_from_slice(&other.firm);
        self.holds.copy_from_slice(&other.holds);
        self.times.copy_from_slice(&other.times);
        self.now = other.now;
        self.seen.copy_from_slice(&other.seen);
    }
}

fn part<'a>(list: &'a [u32], starts: &[u32], member: u32) -> &'a [u32] {
    &list[starts[member.index()].index()..starts[member.index() + 1].index()]
}

impl Loops {
    pub(super) fn new(lower: &Lower, loops: &[Vec<NodeId>]) -> Loops {
        let members: Vec<NodeId> = loops.iter().flatten().copied().collect();
        let mut made = Loops {
            first_place: members.first().map_or(0, |first| lower.places[first.index()]),
            is_or: members.iter().map(|&node| lower.network.kind(node) == Kind::Or).collect(),
            outside: vec![0; members.len()],
            ..Loops::default()
        };
        let mut first = 0;
        let mut read: Vec<(u32, u32)> = Vec::new();
        for nodes in loops {
            let ports = made.add_loop(lower, first, nodes, &mut read);
            let end = first + narrow(nodes.len());
            made.loops.push((first..end, ports));
            first = end;
        }
        (made.inputs, made.inputs_starts) = grouped(&mut read, members.len());
        let mut turned: Vec<(u32, u32)> = read.iter().map(|&(reader, input)| (input, reader)).collect();
        (made.readers, made.readers_starts) = grouped(&mut turned, members.len());
        made
    }

    /// Adds a loop whose first member has this number: its ports, and which member reads which.
    fn add_loop(
        &mut self,
        lower: &Lower,
        first: u32,
        nodes: &[NodeId],
        read: &mut Vec<(u32, u32)>,
    ) -> std::ops::Range<u32> {
        let numbers: FxHashMap<NodeId, u32> = nodes.iter().copied().zip(first..).collect();
        let mut outside: Vec<(u32, u32)> = Vec::new();
        for (&node, member) in nodes.iter().zip(first..) {
            for &input in lower.network.inputs(node) {
                match numbers.get(&input.node()) {
                    Some(&other) => read.push((member, other)),
                    None => {
                        let probe = lower.probe(input);
                        outside.push((narrow(probe.place()), member << 1 | u32::from(probe.is_inverted())));
                        self.outside[member.index()] += 1;
                    }
                }
            }
        }
        outside.sort_unstable();
        let ports = narrow(self.ports.len());
        for edges in outside.chunk_by(|a, b| a.0 == b.0) {
            let start = narrow(self.port_edges.len());
            self.port_edges.extend(edges.iter().map(|&(_, edge)| edge));
            self.ports.push(Port { place: edges[0].0, start, end: narrow(self.port_edges.len()) });
        }
        ports..self.ports.len() as u32
    }

    /// The places that ports look at, with the numbers of the ports.
    pub(super) fn ports(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ports.iter().zip(0..).map(|(port, number)| (port.place, number))
    }

    /// The loop that a port belongs to.
    fn loop_of(&self, port: u32) -> usize {
        self.loops.partition_point(|(_, ports)| ports.end <= port)
    }

    fn place(&self, member: u32) -> u32 {
        self.first_place + member
    }

    /// Evaluates the loop whose first member has this place from nothing, and marks its members.
    pub(super) fn start(&self, memory: &mut Memory, first_place: u32) {
        let first = first_place - self.first_place;
        let number = self.loops.partition_point(|(members, _)| members.end <= first);
        let (members, ports) = self.loops[number].clone();
        let mut work = LoopWork::default();
        for member in members.clone() {
            if !self.is_or[member.index()] {
                let inside = part(&self.inputs, &self.inputs_starts, member).len() as u16;
                memory.loops.counts[member.index()] = inside + self.outside[member.index()];
            }
            work.gained.push(member);
        }
        for port in ports {
            let Port { place, start, end } = self.ports[port.index()];
            let marked = memory.cells.mark(place.index());
            memory.loops.seen[port.index()] = marked;
            for &edge in &self.port_edges[start.index()..end.index()] {
                if marked != (edge & 1 == 1) {
                    self.gain(&mut memory.loops, &mut work, edge >> 1, true);
                }
            }
        }
        self.derive(&mut memory.loops, &mut work);
        for member in members {
            let marked = memory.loops.holds[member.index()] != self.is_or[member.index()];
            memory.cells.set_mark(self.place(member).index(), marked);
        }
    }

    /// Works out the first loop with ports that have changed, takes these ports out, and tells for each member that has
    /// changed its place and whether it is marked now.
    pub(super) fn settle(
        &self,
        memory: &mut Memory,
        work: &mut LoopWork,
        dirty: &mut Vec<u32>,
        mut tell: impl FnMut(&mut Memory, u32, bool),
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
            let marked = memory.loops.holds[member.index()] != self.is_or[member.index()];
            if memory.cells.mark(self.place(member).index()) != marked {
                tell(memory, self.place(member), marked);
            }
        }
    }

    fn read_port(&self, memory: &mut Memory, work: &mut LoopWork, port: u32) {
        let Port { place, start, end } = self.ports[port.index()];
        let marked = memory.cells.mark(place.index());
        if std::mem::replace(&mut memory.loops.seen[port.index()], marked) == marked {
            return;
        }
        for &edge in &self.port_edges[start.index()..end.index()] {
            if marked != (edge & 1 == 1) {
                self.gain(&mut memory.loops, work, edge >> 1, true);
            } else {
                self.lose(&mut memory.loops, work, edge >> 1, true);
            }
        }
    }

    /// An input of a member holds now.
    #[inline]
    fn gain(&self, memory: &mut LoopMemory, work: &mut LoopWork, member: u32, from_outside: bool) {
        let at = member.index();
        if self.is_or[at] {
            memory.counts[at] += 1;
            memory.firm[at] += u16::from(from_outside);
        } else {
            memory.counts[at] -= 1;
        }
        if !memory.holds[at] {
            work.gained.push(member);
        }
    }

    /// An input of a member holds no longer.
    #[inline]
    fn lose(&self, memory: &mut LoopMemory, work: &mut LoopWork, member: u32, from_outside: bool) {
        let at = member.index();
        if self.is_or[at] {
            memory.counts[at] -= 1;
            memory.firm[at] -= u16::from(from_outside);
        } else {
            memory.counts[at] += 1;
        }
        if memory.holds[at] {
            work.lost.push(member);
        }
    }

    /// Gives up what has lost its reasons, and all that rests on it.
    fn give_up(&self, memory: &mut LoopMemory, work: &mut LoopWork) {
        while let Some(member) = work.lost.pop() {
            if memory.holds[member.index()] && !self.has_reason(memory, member) {
                memory.holds[member.index()] = false;
                work.changed.push(member);
                work.gained.push(member);
                for &reader in part(&self.readers, &self.readers_starts, member) {
                    self.lose(memory, work, reader, false);
                }
            }
        }
    }

    /// Whether a member that holds does so because of what was derived earlier.
    fn has_reason(&self, memory: &LoopMemory, member: u32) -> bool {
        let at = member.index();
        if !self.is_or[at] {
            return memory.counts[at] == 0;
        }
        let is_earlier =
            |&input: &u32| memory.holds[input.index()] && memory.times[input.index()] < memory.times[at];
        memory.firm[at] > 0
            || memory.counts[at] > 0 && part(&self.inputs, &self.inputs_starts, member).iter().any(is_earlier)
    }

    /// Derives all that has what it needs.
    fn derive(&self, memory: &mut LoopMemory, work: &mut LoopWork) {
        while let Some(member) = work.gained.pop() {
            let at = member.index();
            let has_all = (memory.counts[at] > 0) == self.is_or[at];
            if !memory.holds[at] && has_all {
                memory.holds[at] = true;
                memory.now += 1;
                memory.times[at] = memory.now;
                work.changed.push(member);
                for &reader in part(&self.readers, &self.readers_starts, member) {
                    self.gain(memory, work, reader, false);
                }
            }
        }
    }
}

/// The second of each pair, by the first, and where those of each number begin.
fn grouped(pairs: &mut [(u32, u32)], numbers: usize) -> (Vec<u32>, Vec<u32>) {
    pairs.sort_unstable();
    let starts = (0..=narrow(numbers)).map(|number| narrow(pairs.partition_point(|pair| pair.0 < number)));
    (pairs.iter().map(|pair| pair.1).collect(), starts.collect())
}
