//! [`Network`]: a ground game as AND and OR nodes.
//!
//! Inputs are the fluents of a state and the moves; outputs are `legal`, `next`, `terminal`, `goal` and
//! `sees`. There is no NOT node: an edge may be inverted, and so may an output.
//!
//! What holds of every network:
//!
//! - Node 0 is false, then come the fluents, then the moves, then everything else.
//! - No two nodes have the same kind and the same inputs (hash-consing, by construction).
//! - The inputs of a node stand before it. The exception are *loops*, ranges of nodes that hold what is left of
//!   recursive rules: there a node may have inputs that stand behind it in the same range, never inverted ones.
//!   Their meaning is the least fixpoint: all nodes of the range start false, and are evaluated in order until
//!   nothing changes.
//!
//! [`connect`] makes a network from a ground program, [`optimize`] improves it pass by pass.

mod builder;
mod connect;
mod dot;
mod effects;
mod interface;
mod passes;
mod print;
mod rewrite;
mod wide;

use crate::ids::Id;
pub use connect::{ConnectError, connect};
pub use dot::{NetworkSlice, write_network_dot};
pub use interface::{Fluent, FluentId, Goal, Hint, Interface, Move, MoveId, Open, Percept, RoleId};
pub use passes::{Groups, Optimized, PASSES, Pass, PassSize, optimize};
pub use print::write_network;

pub(crate) use builder::Builder;
pub(crate) use connect::{RulesByHead, find_fluent};
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

/// The value of a node, or its opposite: what an edge carries.
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

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It is given: a fluent or a move.
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

    /// The input that changes nothing.
    pub(crate) fn neutral(self) -> Signal {
        if self == Kind::And { Signal::TRUE } else { Signal::FALSE }
    }
}

/// A game as AND and OR nodes. See the module's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    kinds: Vec<Kind>,
    /// Where the inputs of each node begin, and, at the end, how many there are.
    starts: Vec<u32>,
    edges: Vec<Signal>,
    loops: Vec<Range<u32>>,
    interface: Interface,
}

impl Network {
    /// The number of nodes: false, inputs, and all others.
    pub fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// What a node does.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.kinds[node.index()]
    }

    /// The inputs of a node, sorted.
    pub fn inputs(&self, node: NodeId) -> &[Signal] {
        &self.edges[self.starts[node.index()].index()..self.starts[node.index() + 1].index()]
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.kinds.len() as u32).map(NodeId)
    }

    /// The nodes that are not given.
    pub fn gates(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (self.interface.first_gate()..self.kinds.len() as u32).map(NodeId)
    }

    /// Ranges of nodes with inputs that stand behind them.
    pub fn loops(&self) -> &[Range<u32>] {
        &self.loops
    }

    /// Roles, fluents, moves, and which node tells what about them.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The number of fluents that some node or answer reads: how much of a state matters.
    pub fn read_fluents(&self) -> usize {
        let counts = self.reader_counts();
        (0..self.interface.fluents.len())
            .filter(|&fluent| counts[self.interface.fluent_node(fluent).index()] > 0)
            .count()
    }

    /// Turns percepts into hints about moves.
    pub(crate) fn with_hints(mut self, names: &[String]) -> Network {
        self.interface.percepts_to_hints(names);
        self
    }

    /// Whether another network of the same game has the same nodes, with the same outputs.
    pub(crate) fn is_same(&self, other: &Network) -> bool {
        let has_same_nodes = (&self.kinds, &self.starts, &self.edges, &self.loops)
            == (&other.kinds, &other.starts, &other.edges, &other.loops);
        has_same_nodes && self.interface.has_same_outputs(&other.interface)
    }

    /// For each node the number of edges and outputs that read it.
    pub(crate) fn reader_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.kinds.len()];
        self.edges.iter().for_each(|signal| counts[signal.node().index()] += 1);
        self.interface.for_each_output(|signal| counts[signal.node().index()] += 1);
        counts
    }
}

#[cfg(test)]
pub(crate) mod testing;
