//! Nodes that no output needs.

use super::Groups;
use crate::network::rewrite::rewrite;
use crate::network::{Network, Signal};

pub(super) fn run(network: &Network, _: &Groups) -> Network {
    let mut needed = Vec::new();
    network.interface().for_each_output(|signal| needed.push(signal));
    let needed = reached(network, needed);
    rewrite(network, |builder, gate| match needed[gate.node.index()] {
        true => builder.node(gate.kind, gate.inputs),
        false => Signal::FALSE,
    })
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
