//! Fluents that no answer ever depends on: not `legal`, `terminal`, `goal` or `sees`, not even by way of other
//! fluents. They are false from then on, so that a state is no longer that of the sheet; callers that show states
//! leave this pass out.

use super::Groups;
use crate::ids::{BitSet, IdVec};
use crate::network::rewrite::rewrite_outputs;
use crate::network::{FluentId, Interface, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let read = read_fluents(network);
    rewrite_outputs(
        network,
        budget,
        |builder, gate| builder.node(gate.kind, gate.inputs),
        |interface| {
            let mut interface = interface.clone();
            for (number, fluent) in read.ids().zip(interface.fluents.iter_mut()) {
                if !read[number] {
                    fluent.next = Signal::FALSE;
                    fluent.initial = false;
                }
            }
            interface
        },
    )
}

/// Which fluents are read, now or later.
fn read_fluents(network: &Network) -> IdVec<FluentId, bool> {
    let interface = network.interface();
    let mut open = Vec::new();
    let answers = Interface { fluents: IdVec::default(), ..interface.clone() };
    answers.for_each_output(|signal| open.push(signal));
    let mut reached: BitSet<NodeId> = BitSet::empty(network.node_count());
    while let Some(signal) = open.pop() {
        let node = signal.node();
        if reached.insert(node) {
            open.extend_from_slice(network.inputs(node));
            // A reader of a fluent depends on its next value one step earlier.
            open.extend(interface.fluent_of(node).map(|fluent| interface.fluents[fluent].next));
        }
    }
    interface.fluents.ids().map(|fluent| reached.contains(interface.fluent_node(fluent))).collect()
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
