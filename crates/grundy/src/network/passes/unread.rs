//! Fluents that no answer ever depends on: not `legal`, `terminal`, `goal` or `sees`, not even by way of other
//! fluents. They are false from then on, so that a state is no longer what the sheet says; whoever shows states
//! leaves this pass out.

use super::Groups;
use crate::network::rewrite::rewrite_outputs;
use crate::network::{Interface, Network, Signal};
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let read = read_fluents(network);
    rewrite_outputs(
        network,
        budget,
        |builder, gate| builder.node(gate.kind, gate.inputs),
        |interface| {
            let mut interface = interface.clone();
            for (fluent, _) in interface.fluents.iter_mut().zip(&read).filter(|(_, read)| !**read) {
                fluent.next = Signal::FALSE;
                fluent.initial = false;
            }
            interface
        },
    )
}

/// Which fluents are read, now or later.
fn read_fluents(network: &Network) -> Vec<bool> {
    let interface = network.interface();
    let mut open = Vec::new();
    let answers = Interface { fluents: Vec::new(), ..interface.clone() };
    answers.for_each_output(|signal| open.push(signal));
    let mut reached = vec![false; network.node_count()];
    while let Some(signal) = open.pop() {
        let node = signal.node();
        if !std::mem::replace(&mut reached[node.index()], true) {
            open.extend_from_slice(network.inputs(node));
            // Who reads a fluent reads its next value later.
            open.extend(interface.fluent_of(node).map(|fluent| interface.fluents[fluent].next));
        }
    }
    (0..interface.fluents.len()).map(|fluent| reached[interface.fluent_node(fluent).index()]).collect()
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    #[test]
    fn a_fluent_that_only_feeds_itself_is_gone() {
        let rules = "(init (g 1)) (<= (next (g 2)) (true (g 1))) (<= (next (g 1)) (true (g 2))) \
                     (<= (next (f 2)) (true (f 1))) (<= terminal (true (f 2)))";
        let passes = ["unread", "constants", "single-input"];
        check(rules, &passes, "(next (g 1)) = false");
        check(rules, &passes, "(next (f 2)) = (f 1)");
    }
}
