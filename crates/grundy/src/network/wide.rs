//! Splits gates with very many inputs, because machines count inputs in 16 bits.

use super::rewrite::rewrite;
use super::{Network, Signal};
use grundy_syntax::{Budget, Exhausted};

/// The network with at most `most` inputs for each gate. Gates with more than the square of that keep more.
pub(crate) fn split_wide(network: Network, most: usize, budget: &Budget) -> Result<Network, Exhausted> {
    if network.gates().all(|node| network.inputs(node).len() <= most) {
        return Ok(network);
    }
    rewrite(&network, budget, |builder, gate| {
        if gate.inputs.len() <= most {
            return builder.node(gate.kind, gate.inputs);
        }
        let part = |part: &[Signal]| builder.node(gate.kind, &mut part.to_vec());
        let mut parts: Vec<Signal> = gate.inputs.chunks(most).map(part).collect();
        builder.node(gate.kind, &mut parts)
    })
}

#[cfg(test)]
mod tests {
    use super::split_wide;
    use crate::network::testing::{network, optimized};
    use grundy_syntax::Budget;

    #[test]
    fn wide_nodes_are_taken_apart() {
        let rules = "(<= terminal (true (f 1)) (true (f 2)) (true (f 3)))";
        let network = optimized(network(rules), &["single-input"]);
        let split = split_wide(network.clone(), 2, &Budget::default()).expect("the budget has no bounds");
        assert_eq!((network.edge_count(), split.edge_count()), (3, 2 + 1 + 2));
        assert!(split.gates().all(|node| split.inputs(node).len() <= 2));
    }
}
