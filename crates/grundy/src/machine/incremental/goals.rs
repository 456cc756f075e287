//! Which nodes of goals get counters.
//!
//! Goals are valued when somebody asks, mostly once a game, by looking at all nodes that only they need. Where games are
//! short, or little of what a goal depends on ever changes, it is less work to keep such a node up to date. A few random
//! games decide, node by node.

use super::sample::Sample;
use super::{CellId, IncrementalMachine};
use crate::ids::{BitSet, float, wide};
use crate::machine::cones::{Component, Cone};
use crate::network::{Network, NodeId};
use grundy_syntax::{Budget, Exhausted};

/// Changing one counter costs about as much as looking at so many inputs.
const COST_OF_COUNTING: u64 = 2;

/// What is saved has to be at least this share of all that a step does, or it is not worth the trouble.
const WORTH_COUNTING: f64 = 0.02;

/// The nodes of a cone of goals that had better be kept up to date, in order.
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
    if saved as f64 <= float(COST_OF_COUNTING * sample.counted(machine)) * WORTH_COUNTING {
        counted.clear();
    }
    Ok(counted)
}
