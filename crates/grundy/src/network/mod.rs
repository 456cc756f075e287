//! [`Network`]: a ground game as AND and OR nodes.
//!
//! Inputs are the fluents of a state and the moves; outputs are `legal`, `next`, `terminal`, `goal` and
//! `sees`. There is no NOT node: an edge may be inverted, and so may an output.
//!
//! Invariants of every network:
//!
//! - Node 0 is false; the fluents follow, then the moves, then all gates.
//! - No two nodes have the same kind and the same inputs (hash-consing, by construction).
//! - The inputs of a node have smaller numbers. The exception are *loops*, ranges of nodes that hold what is left of
//!   recursive rules: there a node may also read later nodes of the same range, but never inverted. The meaning of a
//!   loop is its least fixpoint: all nodes of the range start false and are evaluated in order until nothing changes.
//!
//! [`connect`] makes a network from a ground program, [`optimize`] improves it pass by pass.

mod builder;
mod connect;
mod dot;
mod effects;
mod interface;
mod join;
mod passes;
mod print;
mod rewrite;
mod wide;

use crate::ids::{Csr, IdVec, ids_in};
pub use connect::{ConnectError, connect};
pub use dot::{NetworkSlice, write_network_dot};
pub use interface::{Fluent, FluentId, Goal, Hint, Interface, LiftedAnswers, Move, MoveId, Percept, RoleId};
pub use passes::{Groups, Optimized, PASSES, Pass, PassSize, optimize};
pub use print::write_network;

pub(crate) use builder::Builder;
pub(crate) use connect::RulesByHead;
pub(crate) use effects::{Effect, Effects, MoveEffects, Outcomes, effects, outcomes, with_safe_moves};
pub(crate) use interface::Choice;
pub(crate) use passes::{clean, known_of_moves, view};
pub(crate) use rewrite::rewrite;
pub(crate) use wide::split_wide;

use std::ops::{Not, Range};

grundy_syntax::define_id! {
    /// A node of a network.
    pub struct NodeId(u32);
}

/// The value of a node, or its opposite: the label of an edge. The lowest bit says whether it is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);

impl Signal {
    /// Never true.
    pub const FALSE: Signal = Signal(0);
    /// Always true.
    pub const TRUE: Signal = Signal(1);

    /// The value of a node.
    pub fn of(node: NodeId) -> Signal {
        Signal(node.0 << 1)
    }

    /// The node whose value it is.
    #[inline(always)]
    pub fn node(self) -> NodeId {
        NodeId(self.0 >> 1)
    }

    /// Whether the value is inverted.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same, inverted if asked for.
    pub fn inverted_if(self, inverted: bool) -> Signal {
        Signal(self.0 ^ u32::from(inverted))
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A fluent or a move, set from outside.
    Input,
    /// True if all inputs are; without inputs, true.
    And,
    /// True if an input is; without inputs, false.
    Or,
}

impl Kind {
    /// AND for OR, OR for AND.
    pub(crate) fn dual(self) -> Kind {
        match self {
            Kind::Input => Kind::Input,
            Kind::And => Kind::Or,
            Kind::Or => Kind::And,
        }
    }

    /// A number for hashing.
    pub(crate) fn code(self) -> u32 {
        match self {
            Kind::Input => 0,
            Kind::And => 1,
            Kind::Or => 2,
        }
    }

    /// The input that has no effect: the neutral element of the operation.
    pub(crate) fn neutral(self) -> Signal {
        if self == Kind::And { Signal::TRUE } else { Signal::FALSE }
    }
}

/// A game as AND and OR nodes. See the module's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    kinds: IdVec<NodeId, Kind>,
    inputs: Csr<NodeId, Signal>,
    loops: Vec<Range<NodeId>>,
    interface: Interface,
}

impl Network {
    /// The number of nodes: false, inputs, and all others.
    pub fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.inputs.items().len()
    }

    /// The kind of a node.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.kinds[node]
    }

    /// The inputs of a node, sorted.
    pub fn inputs(&self, node: NodeId) -> &[Signal] {
        &self.inputs[node]
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        self.kinds.ids()
    }

    /// The nodes that are not inputs, in order.
    pub fn gates(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        ids_in(&(self.interface.first_gate()..self.end()))
    }

    /// One past the last node.
    pub(crate) fn end(&self) -> NodeId {
        NodeId::new(self.kinds.len())
    }

    /// The ranges of nodes that recursive rules make: their nodes may read later ones of the same range.
    pub fn loops(&self) -> &[Range<NodeId>] {
        &self.loops
    }

    /// Roles, fluents, moves, and the outputs.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The number of fluents that some node or output reads.
    pub fn read_fluents(&self) -> usize {
        let counts = self.reader_counts();
        self.interface.fluents.ids().filter(|&fluent| counts[self.interface.fluent_node(fluent)] > 0).count()
    }

    /// Turns percepts of these names into hints about moves.
    pub(crate) fn with_hints(mut self, names: &[String]) -> Network {
        self.interface.percepts_to_hints(names);
        self
    }

    /// Whether another network of the same game has the same nodes and the same outputs.
    pub(crate) fn is_same(&self, other: &Network) -> bool {
        let has_same_nodes =
            (&self.kinds, &self.inputs, &self.loops) == (&other.kinds, &other.inputs, &other.loops);
        has_same_nodes && self.interface.has_same_outputs(&other.interface)
    }

    /// For each node the number of edges and outputs that read it.
    pub(crate) fn reader_counts(&self) -> IdVec<NodeId, u32> {
        let mut counts = IdVec::filled(0, self.kinds.len());
        self.inputs.items().iter().for_each(|signal| counts[signal.node()] += 1);
        self.interface.for_each_output(|signal| counts[signal.node()] += 1);
        counts
    }
}

#[cfg(test)]
pub(crate) mod testing;
