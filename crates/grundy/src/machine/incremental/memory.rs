//! The memory of a cursor: counters, marks, loops, armed gates and move sets.
//!
//! A move set is a sparse set (Briggs & Torczon 1993): members in an array, and for each move its place in that array,
//! so that insertion, removal, membership and a uniform choice take constant time.

use super::arms::{ArmId, Armed};
use super::flow::Cells;
use super::loops::LoopMemory;
use super::lower::{ArmedGate, probe};
use super::{CellId, IncrementalMachine, LazyGates, Probe, SetId};
use crate::ids::{Id, IdVec, ids_in};
use crate::machine::cones::{Component, Cone};
use crate::network::{FluentId, Kind, MoveId, Network, NodeId, RoleId};
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::ops::Range;

/// The work of setting up a node, as [`Ticks`] count it: a guess.
const WORK: usize = 8;

/// No move is asserted.
pub(super) const NOTHING: MoveId = MoveId(u32::MAX);

/// The part of the mutable data that is copied at the start of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// For each cell its counter and its mark. The cells of lazy gates come last; their marks are only valid while these
    /// are evaluated.
    pub(super) cells: Cells,
    pub(super) loops: LoopMemory,
    pub(super) armed: Armed,
    /// Members of the move sets, each set from its base on.
    pub(super) members: Vec<MoveId>,
    /// For each move its place in its set.
    pub(super) places: IdVec<MoveId, u32>,
    /// The sizes of the move sets.
    pub(super) sizes: IdVec<SetId, u32>,
    /// The joint move that is asserted.
    pub(super) joint: Vec<MoveId>,
    /// All fluents whose next value may differ from their value.
    pub(super) touched: Vec<FluentId>,
}

impl Memory {
    /// The fluents whose next value may differ from their value.
    pub(super) fn touched(&self) -> &[FluentId] {
        &self.touched
    }

    /// Becomes a copy of another memory with this many cells that are kept up to date.
    pub(super) fn copy_from(&mut self, other: &Memory, kept: usize) {
        self.cells.copy_from(&other.cells, kept);
        self.loops.copy_from(&other.loops);
        self.armed.copy_from(&other.armed);
        self.members.copy_from_slice(&other.members);
        self.places.copy_from(&other.places);
        self.sizes.copy_from(&other.sizes);
        self.joint.copy_from_slice(&other.joint);
        self.touched.clear();
        self.touched.extend_from_slice(&other.touched);
    }

    pub(super) fn value(&self, probe: Probe) -> bool {
        self.cells.mark(probe.cell()) != probe.is_inverted()
    }

    /// The move sets alone.
    pub(super) fn move_sets(&mut self) -> Sets<'_> {
        Sets {
            members: &mut self.members,
            places: self.places.as_mut_slice(),
            sizes: self.sizes.as_mut_slice(),
        }
    }

    /// Whether the guard of a set holds.
    fn is_open(&self, machine: &IncrementalMachine, set: SetId) -> bool {
        self.value(machine.sets[set].guard)
    }

    pub(super) fn is_legal(&self, machine: &IncrementalMachine, candidate: MoveId) -> bool {
        let (set, base) = machine.homes[candidate];
        let place = self.places[candidate];
        let in_set = place.checked_sub(base).is_some_and(|place| place < self.sizes[set]);
        in_set && self.members[place.index()] == candidate && self.is_open(machine, set)
    }

    /// A legal move of a role, all equally likely.
    #[inline]
    pub(super) fn pick(
        &self,
        machine: &IncrementalMachine,
        role: RoleId,
        rng: &mut fastrand::Rng,
    ) -> Option<MoveId> {
        let sets = ids_in(&machine.sets_of[role]);
        let size = |set: SetId| if self.is_open(machine, set) { self.sizes[set] } else { 0 };
        let total: u32 = sets.clone().map(size).sum();
        let mut choice = match total {
            0 => return None,
            1 => 0,
            _ => rng.u32(..total),
        };
        for set in sets {
            let size = size(set);
            if choice < size {
                return Some(self.members[(machine.sets[set].base + choice).index()]);
            }
            choice -= size;
        }
        None
    }

    /// The memory in the initial state, with no move asserted.
    pub(super) fn initial(
        machine: &IncrementalMachine,
        network: &Network,
        cones: [&Cone; 2],
        goals: &[NodeId],
        armed: &IdVec<ArmId, ArmedGate>,
        budget: &Budget,
    ) -> Result<Memory, Exhausted> {
        let interface = network.interface();
        let mut memory = Memory {
            cells: Cells::new(machine.cell_count),
            loops: LoopMemory::new(&machine.loops),
            armed: Armed::new(&machine.arms),
            members: vec![MoveId(0); interface.moves.len()],
            places: IdVec::filled(0, interface.moves.len()),
            sizes: IdVec::filled(0, machine.sets.len()),
            joint: vec![NOTHING; interface.roles.len()],
            touched: Vec::with_capacity(interface.fluents.len()),
        };
        // False is an OR without inputs, and a mark of an OR is the opposite of its value.
        memory.cells.set_mark(CellId(0), true);
        for node in ids_in(&(NodeId(1)..interface.first_gate())) {
            let is_initial =
                interface.fluent_of(node).is_some_and(|fluent| interface.fluents[fluent].initial);
            memory.cells.set_mark(machine.cells[node], is_initial);
        }
        let mut ticks = Ticks::default();
        for step in cones.iter().flat_map(|cone| cone.components()) {
            ticks.work(budget, WORK)?;
            match step {
                Component::Gate(node) => memory.count(machine, network, node),
                Component::Loop(members) => machine.loops.start(&mut memory, machine.cells[members[0]]),
            }
        }
        goals.iter().for_each(|&node| memory.count(machine, network, node));
        for (arm, gate) in armed.entries() {
            memory.arm(machine, network, arm, gate);
        }
        for (number, m) in interface.moves.entries() {
            if memory.value(machine.probe(m.legal)) {
                memory.move_sets().insert(machine, number);
            }
        }
        memory.touch_all(machine);
        Ok(memory)
    }

    fn count(&mut self, machine: &IncrementalMachine, network: &Network, node: NodeId) {
        let counts = network.kind(node) == Kind::Or;
        let inputs = network.inputs(node).iter();
        let count =
            inputs.filter(|&&input| self.value(probe(network, &machine.cells, input)) == counts).count();
        self.cells.set_count(machine.cells[node], count);
    }

    /// Puts a gate on the list of its trigger, if it is armed.
    fn arm(&mut self, machine: &IncrementalMachine, network: &Network, arm: ArmId, gate: &ArmedGate) {
        let counts = gate.counts_true(network);
        let probe = |input| probe(network, &machine.cells, input);
        let count = gate.others(network).filter(|&input| self.value(probe(input)) == counts).count();
        if let Some(rest) = gate.rest() {
            self.cells.set_count(rest, count);
        }
        if count == 0 {
            self.armed.insert(&machine.arms, arm);
        }
        let gate = machine.arms.arms[arm].gate;
        self.cells.announce(gate, self.cells.will_be_marked(gate));
    }

    /// Recomputes which fluents will change.
    pub(super) fn touch_all(&mut self, machine: &IncrementalMachine) {
        self.touched.clear();
        for (fluent, &next) in machine.nexts.entries() {
            if self.value(next) != self.cells.mark(CellId::of_fluent(fluent)) {
                self.touched.push(fluent);
            }
        }
    }

    fn gate(&self, lazy: &LazyGates, at: usize) -> bool {
        let gate = lazy.gates[at];
        let mut inputs = lazy.inputs[gate.start.index()..gate.end.index()].iter();
        if gate.is_or {
            inputs.any(|&input| self.value(input))
        } else {
            inputs.all(|&input| self.value(input))
        }
    }

    fn set_value(&mut self, lazy: &LazyGates, at: usize, value: bool) {
        self.cells.set_mark(lazy.gates[at].cell, value != lazy.gates[at].is_or);
    }

    /// Evaluates gates that have no counters.
    pub(super) fn evaluate(&mut self, lazy: &LazyGates) {
        let mut done = 0;
        for range in &lazy.loops {
            self.evaluate_straight(lazy, done..range.start);
            self.evaluate_loop(lazy, range.clone());
            done = range.end;
        }
        self.evaluate_straight(lazy, done..lazy.gates.len());
    }

    pub(super) fn evaluate_straight(&mut self, lazy: &LazyGates, range: Range<usize>) {
        for at in range {
            let value = self.gate(lazy, at);
            self.set_value(lazy, at, value);
        }
    }

    /// Evaluates the nodes of a loop, from all false.
    fn evaluate_loop(&mut self, lazy: &LazyGates, range: Range<usize>) {
        range.clone().for_each(|at| self.set_value(lazy, at, false));
        let mut changed = true;
        while changed {
            changed = false;
            for at in range.clone() {
                let gate = lazy.gates[at];
                if self.cells.mark(gate.cell) == gate.is_or && self.gate(lazy, at) {
                    self.set_value(lazy, at, true);
                    changed = true;
                }
            }
        }
    }
}

/// The move sets of a memory.
pub(super) struct Sets<'a> {
    pub(super) members: &'a mut [MoveId],
    /// By move and by set. (Slices instead of `IdVec`: one dereference less at every change.)
    pub(super) places: &'a mut [u32],
    pub(super) sizes: &'a mut [u32],
}

impl Sets<'_> {
    /// Puts a move into its set, or takes it out.
    #[inline]
    pub(super) fn change(&mut self, machine: &IncrementalMachine, changed: MoveId, is_in: bool) {
        if is_in {
            self.insert(machine, changed);
        } else {
            self.remove(machine, changed);
        }
    }

    #[inline]
    fn insert(&mut self, machine: &IncrementalMachine, changed: MoveId) {
        let (set, base) = machine.homes[changed];
        let size = &mut self.sizes[set.index()];
        let place = base + *size;
        *size += 1;
        self.members[place.index()] = changed;
        self.places[changed.index()] = place;
    }

    #[inline]
    fn remove(&mut self, machine: &IncrementalMachine, changed: MoveId) {
        let (set, base) = machine.homes[changed];
        let size = &mut self.sizes[set.index()];
        *size -= 1;
        let last = self.members[(base + *size).index()];
        let place = self.places[changed.index()];
        self.members[place.index()] = last;
        self.places[last.index()] = place;
    }
}
