//! Replaces reads of one fluent of an exactly-one group by the negations of the others.
//!
//! A cell is empty if it is neither x nor o. Where states need not be complete, the pass `unread` then removes the
//! fluent. That does not always pay, because each reader gets more inputs; so it is done on demand, and the cost of a
//! step decides (`variants.rs`).

use super::Groups;
use crate::ids::{BitSet, IdVec};
use crate::network::rewrite::rewrite;
use crate::network::{Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};

/// Groups with more other members are left alone: each reader would get that many inputs. A guess.
const MAX_OTHER_MEMBERS: usize = 3;

pub(super) fn run(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    if !groups.leave_out {
        return Ok(network.clone());
    }
    let others = choose(network, groups);
    rewrite(network, budget, |builder, gate| {
        let mut inputs = Vec::with_capacity(gate.inputs.len());
        for &input in gate.inputs.iter() {
            // A rewrite gives gates new numbers, but inputs keep theirs.
            match others.get(input.node()).and_then(Option::as_ref) {
                None => inputs.push(input),
                Some(others) => {
                    // It holds if none of the others does. Inside an AND, or inverted inside an OR, the negated others
                    // can be inputs themselves.
                    let is_inner = input.is_inverted() == (gate.kind == Kind::Or);
                    let mut signals: Vec<Signal> = others.iter().map(|&other| !Signal::of(other)).collect();
                    if is_inner {
                        inputs.extend(
                            signals.into_iter().map(|signal| signal.inverted_if(input.is_inverted())),
                        );
                    } else {
                        inputs.push(builder.gate(Kind::And, &mut signals).inverted_if(input.is_inverted()));
                    }
                }
            }
        }
        builder.node(gate.kind, &mut inputs)
    })
}

/// For each fluent that is left out, the others of its group. The fluent with the fewest readers is chosen among those
/// that are no output.
fn choose(network: &Network, groups: &Groups) -> IdVec<NodeId, Option<Vec<NodeId>>> {
    let interface = network.interface();
    let readers = network.reader_counts();
    let mut is_answer: BitSet<NodeId> = BitSet::empty(network.node_count());
    interface.for_each_output(|signal| is_answer.set(signal.node(), true));
    let mut others = IdVec::filled(None, interface.first_gate().index());
    let mut is_used: BitSet<NodeId> = BitSet::empty(network.node_count());
    for group in groups.layers.iter().flatten() {
        let is_free = |node: &NodeId| interface.fluent_of(*node).is_some() && !is_used.contains(*node);
        if group.len() > 1 + MAX_OTHER_MEMBERS || !group.iter().all(is_free) {
            continue;
        }
        let candidates = group.iter().filter(|node| !is_answer.contains(**node));
        if let Some(&least) = candidates.min_by_key(|node| (readers[**node], **node)) {
            others[least] = Some(group.iter().copied().filter(|&node| node != least).collect());
            group.iter().for_each(|&node| is_used.set(node, true));
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use crate::network::passes::run_pass;
    use crate::network::testing::network;
    use crate::network::{FluentId, Groups, Signal};

    #[test]
    fn a_fluent_is_read_by_way_of_the_others() {
        let rules = "(<= (next (f 1)) (true (f 1)) (does r (a 1))) (<= (next (f 2)) (true (f 2)) (does r (a 2))) \
                     (<= (next (f 3)) (true (f 2)) (true (f 3)) (does r noop)) (<= (next (f 3)) (true (f 3)) (does r (a 3)))";
        let plain = run_pass("single-input", &network(rules), &Groups::default());
        let interface = plain.interface();
        let mut groups = Groups::default();
        groups.add(interface.fluents.ids().map(|fluent| interface.fluent_node(fluent)).take(3).collect());
        let reads_itself = |groups: &Groups| {
            let network = run_pass("left-out", &plain, groups);
            let next = network.interface().fluents[FluentId(0)].next.node();
            network.inputs(next).contains(&Signal::of(interface.fluent_node(FluentId(0))))
        };
        let before = reads_itself(&groups);
        groups.leave_one_out();
        assert_eq!((before, reads_itself(&groups)), (true, false));
    }
}
