//! Which nodes depend on moves, and which of them can be worked out for each move.

use super::quiet::WORK;
use crate::ids::{Id, narrow};
use crate::network::{Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// The nodes between moves and next values.
pub(super) struct Scope {
    /// Gates that depend on moves and that a next value in scope needs, in order.
    pub(super) gates: Vec<NodeId>,
    /// For each node whether it depends on moves.
    pub(super) is_moved: Vec<bool>,
    /// For each fluent whether its next value depends on moves, and not by way of a loop.
    pub(super) has_fluent: Vec<bool>,
    /// Sorted: a node, a gate in scope that reads it, and how.
    readers: Vec<(NodeId, Signal)>,
    /// Sorted: a node and a fluent whose next value it is, perhaps inverted.
    fluents: Vec<(NodeId, u32, bool)>,
    /// Where the above begin for each node.
    starts: Vec<(u32, u32)>,
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
        let in_scope = |signal: Signal| moved[signal.node().index()] == Moved::Straight;
        let has_fluent: Vec<bool> = interface.fluents.iter().map(|fluent| in_scope(fluent.next)).collect();
        let mut scope = Scope {
            gates: Vec::new(),
            is_moved: moved.iter().map(|&how| how != Moved::Not).collect(),
            readers: Vec::new(),
            fluents: Vec::new(),
            starts: Vec::with_capacity(network.node_count() + 1),
            has_fluent,
        };
        let mut is_needed = vec![false; network.node_count()];
        for (fluent, info) in interface.fluents.iter().enumerate().filter(|(f, _)| scope.has_fluent[*f]) {
            is_needed[info.next.node().index()] = true;
            scope.fluents.push((info.next.node(), narrow(fluent), info.next.is_inverted()));
        }
        let mut ticks = Ticks::default();
        for node in network.gates().rev().filter(|node| moved[node.index()] == Moved::Straight) {
            if is_needed[node.index()] {
                ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
                scope.gates.push(node);
                for &input in network.inputs(node).iter().filter(|input| in_scope(**input)) {
                    is_needed[input.node().index()] = true;
                    scope.readers.push((input.node(), Signal::of(node).inverted_if(input.is_inverted())));
                }
            }
        }
        scope.gates.reverse();
        budget.check()?;
        scope.readers.sort_unstable();
        budget.check()?;
        scope.fluents.sort_unstable();
        scope.index(network);
        Ok(scope)
    }

    fn index(&mut self, network: &Network) {
        let (mut reader, mut fluent) = (0, 0);
        for node in network.nodes().chain([NodeId::new(network.node_count())]) {
            reader += self.readers[reader..].iter().take_while(|entry| entry.0 < node).count();
            fluent += self.fluents[fluent..].iter().take_while(|entry| entry.0 < node).count();
            self.starts.push((narrow(reader), narrow(fluent)));
        }
    }

    /// The gates in scope that read a node, inverted where they read it so.
    pub(super) fn readers(&self, node: NodeId) -> impl ExactSizeIterator<Item = Signal> + '_ {
        let range = self.starts[node.index()].0.index()..self.starts[node.index() + 1].0.index();
        self.readers[range].iter().map(|&(_, reader)| reader)
    }

    /// The fluents in scope whose next value a node is, perhaps inverted.
    pub(super) fn fluents(&self, node: NodeId) -> impl ExactSizeIterator<Item = (u32, bool)> + '_ {
        let range = self.starts[node.index()].1.index()..self.starts[node.index() + 1].1.index();
        self.fluents[range].iter().map(|&(_, fluent, inverted)| (fluent, inverted))
    }

    /// Whether anything in scope depends on an input directly.
    pub(super) fn is_read(&self, node: NodeId) -> bool {
        self.readers(node).len() + self.fluents(node).len() > 0
    }
}

/// How each node depends on moves.
fn moved(network: &Network, budget: &Budget) -> Result<Vec<Moved>, Exhausted> {
    let interface = network.interface();
    let mut moved = vec![Moved::Not; network.node_count()];
    moved[1 + interface.fluents.len()..interface.first_gate().index()].fill(Moved::Straight);
    let mut loops = network.loops().iter();
    let mut next_loop = loops.next();
    let mut ticks = Ticks::default();
    for node in network.gates() {
        ticks.work(budget, 1 + network.inputs(node).len())?;
        if let Some(range) = next_loop.filter(|range| range.start == node.0) {
            let inputs = range.clone().flat_map(|member| network.inputs(NodeId(member)));
            if inputs.map(|input| moved[input.node().index()]).any(|how| how != Moved::Not) {
                moved[range.start.index()..range.end.index()].fill(Moved::Knotted);
            }
            next_loop = loops.next();
        }
        debug_assert!(network.kind(node) != Kind::Input);
        let inputs = network.inputs(node).iter().map(|input| moved[input.node().index()]);
        moved[node.index()] = inputs.fold(moved[node.index()], Moved::max);
    }
    Ok(moved)
}

impl Moved {
    fn max(self, other: Moved) -> Moved {
        Ord::max(self, other)
    }
}
