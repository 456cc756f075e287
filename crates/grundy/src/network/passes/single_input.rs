//! Replaces nodes with one input by that input.

use super::{Groups, simplify};
use crate::network::Network;
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    simplify::run(network, &["single-input"], budget)
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
