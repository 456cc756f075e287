//! Flattens an AND inside an AND, or an OR inside an OR, that has no other reader.

use super::{Groups, view};
use crate::ids::IdVec;
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let readers = network.reader_counts();
    rewrite(network, budget, |builder, gate| make(builder, gate, network, &readers))
}

fn make(builder: &mut Builder, gate: Gate, network: &Network, readers: &IdVec<NodeId, u32>) -> Signal {
    let mut inputs = Vec::with_capacity(gate.inputs.len());
    for (&old, &input) in network.inputs(gate.node).iter().zip(gate.inputs.iter()) {
        match view(builder, input) {
            Some((kind, inner)) if kind == gate.kind && readers[old.node()] == 1 => {
                inputs.extend(inner);
            }
            _ => inputs.push(input),
        }
    }
    builder.node(gate.kind, &mut inputs)
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    #[test]
    fn inner_nodes_dissolve_unless_others_read_them() {
        let rules = "(<= p (true (f 1)) (true (f 2))) (<= terminal p (true (f 3)))";
        let passes = ["single-input", "nested", "unneeded"];
        check(rules, &passes, "terminal = (and (f 1) (f 2) (f 3))");
        let read_twice = format!("{rules} (<= (goal r 50) p)");
        check(&read_twice, &passes, "terminal = (and (f 3) (and (f 1) (f 2)))");
        let inverted = "(<= p (true (f 1))) (<= p (true (f 2))) (<= terminal (not p) (true (f 3)))";
        check(inverted, &passes, "terminal = (and !(f 1) !(f 2) (f 3))");
    }
}
