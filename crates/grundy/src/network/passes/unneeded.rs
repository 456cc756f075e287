//! Nodes that no output needs.

use super::Groups;
use crate::ids::{Id, narrow};
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

/// A network of some of the nodes, with all that these depend on. Nodes that differ go on to differ, and stay in order,
/// so that none has to be looked up.
fn keep(network: &Network, wanted: &[bool]) -> Network {
    let is_kept = |node: u32| node < network.interface().first_gate() || wanted[node.index()];
    let mut numbers = Vec::with_capacity(network.node_count() + 1);
    let mut count = 0;
    for node in 0..network.node_count() as u32 {
        numbers.push(count);
        count += u32::from(is_kept(node));
    }
    numbers.push(count);
    let place = |node: u32| numbers[node.index()];
    let translated = |signal: Signal| match signal.node().0 {
        node if is_kept(node) => Signal::of(NodeId(place(node))).inverted_if(signal.is_inverted()),
        _ => Signal::FALSE.inverted_if(signal.is_inverted()),
    };
    let mut kept = Network {
        kinds: Vec::with_capacity(count.index()),
        starts: Vec::with_capacity(count.index() + 1),
        edges: Vec::with_capacity(network.edge_count()),
        loops: network.loops().iter().map(|range| place(range.start)..place(range.end)).collect(),
        interface: network.interface().clone().map_outputs(translated),
    };
    kept.loops.retain(|range| !range.is_empty());
    kept.starts.push(0);
    for node in network.nodes().filter(|node| is_kept(node.0)) {
        kept.kinds.push(network.kind(node));
        kept.edges.extend(network.inputs(node).iter().map(|&input| translated(input)));
        kept.starts.push(narrow(kept.edges.len()));
    }
    kept
}

/// All nodes that these signals depend on.
pub(in crate::network) fn reached(network: &Network, mut open: Vec<Signal>) -> Vec<bool> {
    let mut reached = vec![false; network.node_count()];
    while let Some(signal) = open.pop() {
        if !std::mem::replace(&mut reached[signal.node().index()], true) {
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
