//! Sweeping a network with what is known about its states.
//!
//! This is *SAT sweeping*, as in equivalence checking of circuits, with the states that violate an invariant as don't-cares. It merges
//! nodes that are equal or complementary in all states that the invariants allow, and removes inputs that the other inputs
//! of their node imply (*useless* conditions in Cazenave's terms). Simulation refutes most candidates: the values of all
//! nodes in states of random play are compared 64 states at a time (`patterns`). For the others a SAT solver searches a
//! state, or a state with legal moves, that refutes them (`clauses`); it is added to the patterns.
//!
//! Every node keeps its value in all reachable states, so that each proof is valid whatever was changed before. Nodes of
//! loops are not changed, because a merge inside a loop can remove the support of its least fixpoint.

mod clauses;
mod equal;
mod inputs;
mod patterns;

use super::Invariants;
use super::effort::{Effort, Units, units};
use crate::ids::{BitSet, IdVec, ids_in};
use crate::network::{Network, NodeId, Signal, clean, rewrite};
use clauses::Clauses;
use grundy_syntax::{Budget, Exhausted, Stage};
use patterns::Patterns;
use std::time::Duration;

/// Limit: the edges of a network that is swept. A guess.
const MOST_EDGES: usize = 400_000;

/// Limit: the work of one query to the solver. A guess.
const QUERY_UNITS: Units = units(Duration::from_millis(50));

/// A network on its way to a smaller one.
struct Sweep<'a> {
    network: &'a Network,
    patterns: Patterns,
    clauses: Clauses,
    /// Which nodes depend on moves; they only matter where legal moves are made.
    moved: BitSet<NodeId>,
    in_loop: BitSet<NodeId>,
    effort: Effort,
    until: Units,
}

/// The same answers in all states that the invariants allow, from a network that is no larger. `most_units` is the work that
/// it may take; what was found until then is used.
pub(crate) fn sweep(
    network: &Network,
    invariants: &Invariants,
    most_units: u64,
    budget: &Budget,
) -> Result<Network, Exhausted> {
    budget.enter(Stage::Invariants);
    let effort = Effort::new(budget.clone());
    if network.edge_count() > MOST_EDGES || network.interface().fluents.is_empty() {
        return Ok(network.clone());
    }
    let merged = pass(network, invariants, (&effort, most_units), equal::find)?;
    pass(&merged, invariants, (&effort, most_units), inputs::find)
}

/// What takes the place of a gate.
enum Change {
    /// Another signal, of an earlier node.
    Same(Signal),
    /// The gate, with only these of its inputs.
    Inputs(Vec<Signal>),
}

/// For each gate that changes what takes its place.
type Changes = IdVec<NodeId, Option<Change>>;

/// Looks for changes, and makes them.
fn pass(
    network: &Network,
    invariants: &Invariants,
    (effort, until): (&Effort, Units),
    find: impl Fn(&mut Sweep<'_>) -> Changes,
) -> Result<Network, Exhausted> {
    let budget = effort.budget();
    let mut sweep = Sweep {
        network,
        patterns: Patterns::of_play(network, effort)?,
        clauses: Clauses::new(network, invariants, effort),
        moved: moved(network),
        in_loop: in_loop(network),
        effort: effort.clone(),
        until,
    };
    let changes = find(&mut sweep);
    let mut made: IdVec<NodeId, Signal> = network.nodes().map(Signal::of).collect();
    let changed = rewrite(network, budget, |builder, gate| {
        let signal = match &changes[gate.node] {
            Some(Change::Same(other)) => made[other.node()].inverted_if(other.is_inverted()),
            Some(Change::Inputs(kept)) => {
                let old = network.inputs(gate.node).iter().zip(gate.inputs.iter());
                let is_kept = |(input, _): &(&Signal, &Signal)| kept.contains(input);
                builder.node(gate.kind, &mut old.filter(is_kept).map(|(_, &new)| new).collect())
            }
            None => builder.node(gate.kind, gate.inputs),
        };
        made[gate.node] = signal;
        signal
    })?;
    clean(changed, budget)
}

impl Sweep<'_> {
    /// Whether there is work left, and the node may be changed.
    fn is_open(&self, node: NodeId) -> bool {
        !self.in_loop.contains(node) && !self.effort.is_over(self.until)
    }

    /// Whether the signals never hold together; with `moved`, only in states with legal moves.
    fn is_never(&mut self, signals: &[Signal], moved: bool) -> bool {
        self.effort.spend(self.patterns.units(signals.len()));
        if self.patterns.has(signals, moved) {
            return false;
        }
        let until = self.until.min(self.effort.spent() + QUERY_UNITS);
        match self.clauses.find(signals, moved, until) {
            clauses::Found::Unsatisfiable => true,
            clauses::Found::GivenUp => false,
            clauses::Found::State(inputs) => {
                self.effort.spend(self.network.edge_count() / 4);
                self.patterns.add(self.network, &inputs, moved);
                false
            }
        }
    }
}

fn moved(network: &Network) -> BitSet<NodeId> {
    let first_move = 1 + network.interface().fluents.len();
    let mut moved = BitSet::empty(network.node_count());
    let moves = (first_move..network.interface().first_gate().index()).map(NodeId::new);
    moves.for_each(|node| moved.set(node, true));
    // Loops may read later nodes. Two rounds are enough, since a loop depends on moves as a whole.
    for _ in 0..2 {
        for node in network.gates() {
            if network.inputs(node).iter().any(|input| moved.contains(input.node())) {
                moved.set(node, true);
            }
        }
        for range in network.loops() {
            let nodes = ids_in(range);
            if nodes.clone().any(|node| moved.contains(node)) {
                nodes.for_each(|node| moved.set(node, true));
            }
        }
    }
    moved
}

fn in_loop(network: &Network) -> BitSet<NodeId> {
    let mut in_loop = BitSet::empty(network.node_count());
    network.loops().iter().flat_map(ids_in).for_each(|node| in_loop.set(node, true));
    in_loop
}
