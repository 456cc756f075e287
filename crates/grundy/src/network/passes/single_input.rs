//! Nodes with one input are that input.

use super::Groups;
use crate::network::Network;
use crate::network::rewrite::rewrite;

pub(super) fn run(network: &Network, _: &Groups) -> Network {
    rewrite(network, |builder, gate| builder.gate(gate.kind, gate.inputs))
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    #[test]
    fn a_chain_is_its_beginning() {
        let rules = "(<= p (true (f 1))) (<= q p) (<= terminal (not q))";
        check(rules, &["single-input"], "terminal = !(f 1)");
    }
}
