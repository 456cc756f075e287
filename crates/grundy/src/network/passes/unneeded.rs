//! Nodes that no output needs.

use super::Groups;
use crate::ids::{BitSet, Csr, IdVec};
use crate::network::{Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let mut needed = Vec::new();
    network.interface().for_each_output(|signal| needed.push(signal));
    budget.check()?;
    let needed = reached(network, needed);
    budget.check()?;
    Ok(keep(network, &needed))
}

/// The network of some of the nodes, with all that these depend on. Nodes stay different and in order, so that no hash
/// table is needed.
fn keep(network: &Network, wanted: &BitSet<NodeId>) -> Network {
    let first_gate = network.interface().first_gate();
    let is_kept = |node: NodeId| node < first_gate || wanted.contains(node);
    // For each node, and for the end, the number of nodes before it that are kept.
    let mut numbers: IdVec<NodeId, NodeId> = IdVec::default();
    let mut count = 0;
    for node in network.nodes() {
        numbers.push(NodeId(count));
        count += u32::from(is_kept(node));
    }
    numbers.push(NodeId(count));
    let translated = |signal: Signal| match signal.node() {
        node if is_kept(node) => Signal::of(numbers[node]).inverted_if(signal.is_inverted()),
        _ => Signal::FALSE.inverted_if(signal.is_inverted()),
    };
    let mut inputs = Csr::with_capacity(NodeId(count).index(), network.edge_count());
    for node in network.nodes().filter(|&node| is_kept(node)) {
        inputs.push(network.inputs(node).iter().map(|&input| translated(input)));
    }
    let mut loops: Vec<_> =
        network.loops().iter().map(|range| numbers[range.start]..numbers[range.end]).collect();
    loops.retain(|range| !range.is_empty());
    Network {
        kinds: network.nodes().filter(|&node| is_kept(node)).map(|node| network.kind(node)).collect(),
        inputs,
        loops,
        interface: network.interface().map_outputs(translated),
    }
}

/// All nodes that these signals depend on.
pub(in crate::network) fn reached(network: &Network, mut open: Vec<Signal>) -> BitSet<NodeId> {
    let mut reached = BitSet::empty(network.node_count());
    while let Some(signal) = open.pop() {
        if reached.insert(signal.node()) {
            open.extend_from_slice(network.inputs(signal.node()));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use crate::network::testing::{network, optimized};

    #[test]
    fn what_no_output_needs_is_gone() {
        // `terminal` does not need `p` once the contradiction is found.
        let rules = "(<= p (true (f 1)) (true (f 2))) (<= terminal p (true (f 3)) (not (true (f 3))))";
        let before = optimized(network(rules), &["single-input", "absorb", "constants"]);
        let after = optimized(before.clone(), &["unneeded"]);
        assert_eq!(before.gates().count() - after.gates().count(), 1);
    }
}
