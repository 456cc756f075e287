//! Inputs that are always true or always false.

use super::{Groups, simplify};
use crate::network::{Kind, Network, Signal};
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    simplify::run(network, &["constants"], budget)
}

/// Drops the constant inputs of a node; returns its value if the node is constant itself.
pub(super) fn fold(kind: Kind, inputs: &mut Vec<Signal>) -> Option<Signal> {
    let neutral = kind.neutral();
    if inputs.contains(&!neutral) {
        return Some(!neutral);
    }
    inputs.retain(|&input| input != neutral);
    inputs.is_empty().then_some(neutral)
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    #[test]
    fn what_is_always_true_or_false_is_gone() {
        // `never` has no rule, `always` no condition.
        let rules = "(<= always (role r)) (<= (q ?x) (true (f ?x)) never) \
                     (<= terminal (q 1)) (<= terminal (true (f 1)) always (not (q 2)))";
        check(rules, &["constants", "single-input", "unneeded"], "terminal = (f 1)");
    }
}
