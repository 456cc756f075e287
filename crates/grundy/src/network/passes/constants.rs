//! Inputs that are always true or always false.

use super::Groups;
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Kind, Network, Signal};

pub(super) fn run(network: &Network, _: &Groups) -> Network {
    rewrite(network, make)
}

fn make(builder: &mut Builder, gate: Gate) -> Signal {
    fold(builder, gate.kind, gate.inputs)
}

/// A node without constant inputs.
pub(super) fn fold(builder: &mut Builder, kind: Kind, inputs: &mut Vec<Signal>) -> Signal {
    let neutral = kind.neutral();
    if inputs.contains(&!neutral) {
        return !neutral;
    }
    inputs.retain(|&input| input != neutral);
    if inputs.is_empty() { neutral } else { builder.node(kind, inputs) }
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
