//! Runs the passes `constants`, `single-input` and `absorb` together.
//!
//! Each of them creates work for the others. Where they are adjacent in the pipeline, every node goes through all of them
//! after its inputs, instead of the whole network through one pass after another.

use super::{absorb, constants};
use crate::network::Network;
use crate::network::rewrite::rewrite;
use grundy_syntax::{Budget, Exhausted};

/// The passes that can run together, and the name of the combination.
const TOGETHER: [(&[&str], &str); 4] = [
    (&["constants", "single-input", "absorb"], "constants, single-input, absorb"),
    (&["constants", "single-input"], "constants, single-input"),
    (&["constants", "absorb"], "constants, absorb"),
    (&["single-input", "absorb"], "single-input, absorb"),
];

/// The name of several passes that run together.
pub(super) fn name(passes: &[&str]) -> Option<&'static str> {
    TOGETHER.iter().find(|(names, _)| *names == passes).map(|(_, name)| *name)
}

pub(super) fn run(network: &Network, passes: &[&str], budget: &Budget) -> Result<Network, Exhausted> {
    let [folds, collapses, absorbs] =
        ["constants", "single-input", "absorb"].map(|name| passes.contains(&name));
    rewrite(network, budget, |builder, gate| {
        let (kind, inputs) = (gate.kind, gate.inputs);
        let constant = folds.then(|| constants::fold(kind, inputs)).flatten();
        let constant = constant.or_else(|| absorbs.then(|| absorb::reduce(builder, kind, inputs)).flatten());
        constant.unwrap_or_else(|| match collapses {
            true => builder.gate(kind, inputs),
            false => builder.node(kind, inputs),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Signal;
    use crate::network::testing::{network, optimized};

    #[test]
    fn what_one_leaves_the_others_take() {
        // `p` is never true, so `q` has one rule, with which `terminal` contradicts itself.
        let rules = "(<= p (true (f 1)) (not (true (f 1)))) (<= q p) (<= q (true (f 2)) (not p)) \
                     (<= terminal q (not (true (f 2)))) (<= (goal r 50) q)";
        let passes = ["constants", "single-input", "absorb"];
        let together = run(&network(rules), &passes, &Budget::default()).expect("the budget has no bounds");
        assert_eq!(together.interface().terminal, Signal::FALSE);
        assert_ne!(optimized(network(rules), &passes).interface().terminal, Signal::FALSE);
    }
}
