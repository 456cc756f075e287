//! The nodes that depend on moves, and those of them that can be evaluated for each move.

use super::quiet::WORK;
use crate::ids::{BitSet, Csr, IdVec, ids_in};
use crate::network::{FluentId, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// The nodes between moves and next values.
pub(super) struct Scope {
    /// Gates that depend on moves and that a next value in scope needs, in order.
    pub(super) gates: Vec<NodeId>,
    /// For each node whether it depends on moves.
    pub(super) is_moved: BitSet<NodeId>,
    /// For each fluent whether its next value depends on moves, and not by way of a loop.
    pub(super) has_fluent: IdVec<FluentId, bool>,
    /// For each node the gates in scope that read it, inverted where they read the opposite.
    readers: Csr<NodeId, Signal>,
    /// For each node the fluents whose next value it is, and whether that is the opposite.
    fluents: Csr<NodeId, (FluentId, bool)>,
}

/// How a node depends on moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moved {
    Not,
    Straight,
    /// By way of a loop.
    Knotted,
}

impl Scope {
    pub(super) fn new(network: &Network, budget: &Budget) -> Result<Scope, Exhausted> {
        let interface = network.interface();
        let moved = moved(network, budget)?;
        let in_scope = |signal: Signal| moved[signal.node()] == Moved::Straight;
        let has_fluent: IdVec<FluentId, bool> =
            interface.fluents.iter().map(|fluent| in_scope(fluent.next)).collect();
        let fluents = interface.fluents.entries().filter(|&(fluent, _)| has_fluent[fluent]);
        let fluents = fluents.map(|(fluent, info)| (info.next.node(), (fluent, info.next.is_inverted())));
        let mut is_needed: BitSet<NodeId> = BitSet::empty(network.node_count());
        fluents.clone().for_each(|(node, _)| is_needed.set(node, true));
        let mut gates = Vec::new();
        let mut ticks = Ticks::default();
        for node in network.gates().rev().filter(|&node| moved[node] == Moved::Straight) {
            if is_needed.contains(node) {
                ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
                gates.push(node);
                let inputs = network.inputs(node).iter().filter(|input| in_scope(**input));
                inputs.for_each(|input| is_needed.set(input.node(), true));
            }
        }
        gates.reverse();
        budget.check()?;
        // Inputs are sorted, and so are the readers of each node.
        let edges = gates.iter().flat_map(|&gate| {
            let inputs = network.inputs(gate).iter().filter(|input| in_scope(**input));
            inputs.map(move |input| (input.node(), Signal::of(gate).inverted_if(input.is_inverted())))
        });
        let readers = Csr::grouped(network.node_count(), edges);
        budget.check()?;
        let fluents = Csr::grouped(network.node_count(), fluents);
        let is_moved = BitSet::from_flags(moved.iter().map(|&how| how != Moved::Not));
        Ok(Scope { gates, is_moved, has_fluent, readers, fluents })
    }

    /// The gates in scope that read a node, inverted where they read the opposite.
    pub(super) fn readers(&self, node: NodeId) -> &[Signal] {
        &self.readers[node]
    }

    /// The fluents in scope whose next value a node is, and whether that is the opposite.
    pub(super) fn fluents(&self, node: NodeId) -> &[(FluentId, bool)] {
        &self.fluents[node]
    }

    /// Whether anything in scope depends on an input directly.
    pub(super) fn is_read(&self, node: NodeId) -> bool {
        self.readers(node).len() + self.fluents(node).len() > 0
    }
}

/// How each node depends on moves.
fn moved(network: &Network, budget: &Budget) -> Result<IdVec<NodeId, Moved>, Exhausted> {
    let interface = network.interface();
    let mut moved = IdVec::filled(Moved::Not, network.node_count());
    ids_in(&interface.move_nodes()).for_each(|node| moved[node] = Moved::Straight);
    let mut loops = network.loops().iter();
    let mut next_loop = loops.next();
    let mut ticks = Ticks::default();
    for node in network.gates() {
        ticks.work(budget, 1 + network.inputs(node).len())?;
        if let Some(range) = next_loop.filter(|range| range.start == node) {
            let inputs = ids_in(range).flat_map(|member| network.inputs(member));
            if inputs.map(|input| moved[input.node()]).any(|how| how != Moved::Not) {
                ids_in(range).for_each(|member| moved[member] = Moved::Knotted);
            }
            next_loop = loops.next();
        }
        debug_assert!(network.kind(node) != Kind::Input);
        let inputs = network.inputs(node).iter().map(|input| moved[input.node()]);
        moved[node] = inputs.fold(moved[node], Ord::max);
    }
    Ok(moved)
}
