//! Decides which nodes of goals get counters.
//!
//! Goals are evaluated on demand, mostly once in a game, by reading all nodes that only they need. Where games are short,
//! or the inputs of a node hardly change, it is less work to keep the node up to date. The counts of a few random games
//! decide, node by node.

use super::sample::Sample;
use super::{CellId, IncrementalMachine};
use crate::ids::{BitSet, float, wide};
use crate::machine::cones::{Component, Cone};
use crate::network::{Network, NodeId};
use grundy_syntax::{Budget, Exhausted};

/// The cost of changing a counter, in inputs that are read. A guess.
const COST_OF_COUNTING: u64 = 2;

/// The smallest saving, as a share of all changes of counters, for which nodes get counters. A guess, below which noise
/// decides.
const MIN_SAVED_SHARE: f64 = 0.02;

/// The nodes of a cone of goals that are cheaper to keep up to date, in order.
pub(super) fn worth_counting(
    machine: &IncrementalMachine,
    network: &Network,
    goals: &Cone,
    budget: &Budget,
) -> Result<Vec<NodeId>, Exhausted> {
    if goals.order.is_empty() {
        return Ok(Vec::new());
    }
    let Some(sample) = Sample::new(machine, budget)? else { return Ok(Vec::new()) };
    let flips = &sample.flips;
    let cell = |node: NodeId| machine.cells[node];
    let mut is_kept: BitSet<CellId> =
        BitSet::from_flags((0..machine.cell_count).map(|cell| cell < machine.kept));
    let mut counted = Vec::new();
    let mut saved = 0;
    for step in goals.components() {
        let Component::Gate(node) = step else { continue };
        let inputs = network.inputs(node);
        let changes: u64 = inputs.iter().map(|input| flips[cell(input.node())]).sum();
        let looks = sample.ends * (1 + wide(inputs.len()));
        let costs = COST_OF_COUNTING * (changes + flips[cell(node)]);
        if costs < looks && inputs.iter().all(|input| is_kept.contains(cell(input.node()))) {
            is_kept.set(cell(node), true);
            counted.push(node);
            saved += looks - costs;
        }
    }
    if float(saved) <= float(COST_OF_COUNTING * sample.counted(machine)) * MIN_SAVED_SHARE {
        counted.clear();
    }
    Ok(counted)
}
