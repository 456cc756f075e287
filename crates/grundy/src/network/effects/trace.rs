//! Propagates one move through the gates whose value it changes, in topological order.

use super::Effect;
use super::quiet::{Quiet, WORK, simplify};
use super::scope::Scope;
use super::slots::Slot;
use crate::ids::{BitSet, IdVec, ids_in};
use crate::network::{Builder, FluentId, MoveId, Network, NodeId, Signal};
use grundy_syntax::{Budget, Ticks};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// More changed inputs than this are not visited, over all moves: a bound on the time of setup, a guess.
const MAX_CHANGED_INPUTS: usize = 2_000_000;

/// A new gate is too large if it has more inputs than this: evaluating what depends on it would cost more than counters.
/// A guess.
const MAX_INPUTS_OF_NEW_GATE: usize = 24;
/// Or if more new gates than this are nested in it. A guess.
const MAX_NESTED_NEW_GATES: u8 = 6;
/// A gate is not followed any further once it was too large for this many moves. A guess.
const TOO_LARGE_MOVES: u8 = 4;

/// Traces one move after the other.
pub(super) struct Tracer<'a> {
    network: &'a Network,
    scope: &'a Scope,
    /// For each node the number of the move that it was last changed by.
    changed_by: IdVec<NodeId, u32>,
    now: u32,
    /// Gates to visit, each with a changed input as the gate reads it. Inputs have smaller numbers than their readers, so
    /// that all changed inputs of a gate are in the heap when it is the smallest.
    open: BinaryHeap<Reverse<(NodeId, Signal)>>,
    effects: Vec<Effect>,
    inputs_seen: usize,
    /// For each node of the builder how many new gates are nested in it.
    depths: IdVec<NodeId, u8>,
    /// For each gate how many moves have made it too large.
    too_large: IdVec<NodeId, u8>,
    budget: &'a Budget,
    ticks: Ticks,
}

impl Tracer<'_> {
    pub(super) fn new<'a>(network: &'a Network, scope: &'a Scope, budget: &'a Budget) -> Tracer<'a> {
        Tracer {
            network,
            scope,
            changed_by: IdVec::filled(0, network.node_count()),
            now: 0,
            open: BinaryHeap::new(),
            effects: Vec::new(),
            inputs_seen: 0,
            depths: IdVec::filled(0, network.node_count()),
            too_large: IdVec::filled(0, network.node_count()),
            budget,
            ticks: Ticks::default(),
        }
    }

    /// The effects of a move of a slot; `None` if there were too many inputs to visit, or when the budget is used up.
    pub(super) fn trace(
        &mut self,
        builder: &mut Builder,
        slot: &Slot,
        quiet: &Quiet,
        played: MoveId,
    ) -> Option<Vec<Effect>> {
        let interface = self.network.interface();
        self.now += 1;
        self.change(interface.move_node(played), Signal::TRUE);
        let role = interface.moves[played].role;
        if let Some(rest) = slot.rest[role] {
            self.change(interface.move_node(rest), Signal::FALSE);
        }
        let mut inputs = Vec::new();
        while let Some(Reverse((gate, first))) = self.open.pop() {
            inputs.clear();
            inputs.push(first);
            while let Some(&Reverse((_, input))) = self.open.peek().filter(|entry| entry.0.0 == gate) {
                inputs.push(input);
                self.open.pop();
            }
            self.inputs_seen += inputs.len();
            if self.ticks.work(self.budget, WORK * (inputs.len() + quiet.live(gate).len())).is_err() {
                return None;
            }
            if self.too_large[gate] >= TOO_LARGE_MOVES {
                continue;
            }
            let unchanged = |entry: &&(NodeId, Signal)| self.changed_by[entry.0] != self.now;
            inputs.extend(quiet.live(gate).iter().filter(unchanged).map(|&(_, value)| value));
            let value = simplify(builder, self.network.kind(gate), &mut inputs);
            if value != quiet.value(Signal::of(gate)) {
                let is_large = self.depth(builder, value) > MAX_NESTED_NEW_GATES
                    || inputs.len() > MAX_INPUTS_OF_NEW_GATE;
                self.too_large[gate] += u8::from(is_large && value.node() >= self.network.end());
                self.change(gate, value);
            }
        }
        self.effects.sort_unstable();
        (self.inputs_seen <= MAX_CHANGED_INPUTS).then(|| std::mem::take(&mut self.effects))
    }

    /// Queues the readers of a node with its new value.
    fn change(&mut self, node: NodeId, value: Signal) {
        self.changed_by[node] = self.now;
        for reader in self.scope.readers(node) {
            self.open.push(Reverse((reader.node(), value.inverted_if(reader.is_inverted()))));
        }
        for &(fluent, inverted) in self.scope.fluents(node) {
            self.effects.push((fluent, value.inverted_if(inverted)));
        }
    }

    /// How many new gates are nested in a value.
    fn depth(&mut self, builder: &Builder, value: Signal) -> u8 {
        for node in ids_in(&(NodeId::new(self.depths.len())..NodeId::new(builder.node_count()))) {
            let inputs = builder.inputs(node).iter();
            let deepest = inputs.map(|input| self.depths[input.node()]).max().unwrap_or(0);
            self.depths.push(deepest.saturating_add(1));
        }
        self.depths[value.node()]
    }

    /// For each fluent whether all gates that its next value depends on were traced completely.
    pub(super) fn finish(self) -> IdVec<FluentId, bool> {
        let mut is_left: BitSet<NodeId> = BitSet::empty(self.network.node_count());
        for &gate in &self.scope.gates {
            let mut inputs = self.network.inputs(gate).iter();
            let is_cut =
                self.too_large[gate] >= TOO_LARGE_MOVES || inputs.any(|input| is_left.contains(input.node()));
            is_left.set(gate, is_cut);
        }
        let fluents = self.network.interface().fluents.iter();
        fluents.map(|fluent| !is_left.contains(fluent.next.node())).collect()
    }
}
