//! Sweeping a network with what is known about its states.
//!
//! Passes look at one node and its inputs. Here nodes are looked at from all sides: does an input follow from the others
//! in every state that the invariants allow, and are two nodes the same there? Patterns of random play answer most of
//! these questions with no (`patterns.rs`); for the others a SAT solver looks for a state, or for a state with legal
//! moves, in which the answer is no (`clauses.rs`), which becomes one more pattern. (This is *SAT sweeping*, as circuits
//! are made smaller; the invariants are its don't-cares. In Cazenave's words, the inputs that go are *useless*.)
//!
//! Every node keeps its value in all states of play, so that each proof stands by itself, whatever was changed before.
//! Nodes of loops stay as they are: there a value has to come from somewhere else.

mod clauses;
mod equal;
mod inputs;
mod patterns;

use super::Invariants;
use super::effort::{Effort, Units, units};
use crate::ids::{BitSet, Id, IdVec};
use crate::network::{Network, NodeId, Signal, clean, rewrite};
use clauses::Clauses;
use grundy_syntax::{Budget, Exhausted, Stage};
use patterns::Patterns;
use std::time::Duration;

/// Larger networks are left alone.
const MOST_EDGES: usize = 400_000;

/// A search that takes more work is given up.
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
    /// Another signal, which stands before it.
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

    /// Whether these never hold all at once; `moved` tells whether only states with legal moves count.
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
    // Loops may read what stands behind; two rounds are enough, since a loop depends on moves as a whole.
    for _ in 0..2 {
        for node in network.gates() {
            if network.inputs(node).iter().any(|input| moved.contains(input.node())) {
                moved.set(node, true);
            }
        }
        for range in network.loops() {
            let nodes = range.clone().map(NodeId);
            if nodes.clone().any(|node| moved.contains(node)) {
                nodes.for_each(|node| moved.set(node, true));
            }
        }
    }
    moved
}

fn in_loop(network: &Network) -> BitSet<NodeId> {
    let mut in_loop = BitSet::empty(network.node_count());
    network.loops().iter().cloned().flatten().for_each(|node| in_loop.set(NodeId(node), true));
    in_loop
}
