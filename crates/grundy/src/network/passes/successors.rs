//! Derives the next value of one fluent of an exactly-one group from those of the others: it is true if they are all
//! false.
//!
//! Rules say for every move both that a cell stays empty unless it is filled, and by what it is filled. The next value
//! with the most nodes of its own is the one that is replaced.

use super::Groups;
use crate::ids::{BitSet, IdVec};
use crate::network::rewrite::rewrite_outputs;
use crate::network::{FluentId, Interface, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

pub(super) fn run(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let interface = network.interface();
    let readers = network.reader_counts();
    let mut ticks = Ticks::default();
    let mut is_used: BitSet<FluentId> = BitSet::empty(interface.fluents.len());
    // For each fluent that is replaced, all others of its group.
    let mut chosen: Vec<(FluentId, Vec<FluentId>)> = Vec::new();
    for group in groups.layers.iter().flatten() {
        let Some(fluents) = group.iter().map(|&node| interface.fluent_of(node)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        // A fluent that `unread` removed says nothing about the others.
        let is_dropped = group.iter().any(|&node| interface.is_dropped(node));
        if is_dropped || fluents.iter().any(|&fluent| is_used.contains(fluent)) {
            continue;
        }
        ticks.work(budget, WORK * fluents.len())?;
        let cost = |fluent: FluentId| own_size(network, &readers, interface.fluents[fluent].next);
        let Some(&dearest) = fluents.iter().max_by_key(|&&fluent| (cost(fluent), std::cmp::Reverse(fluent)))
        else {
            continue;
        };
        if cost(dearest) > fluents.len() {
            fluents.iter().for_each(|&fluent| is_used.set(fluent, true));
            chosen.push((dearest, fluents.into_iter().filter(|&fluent| fluent != dearest).collect()));
        }
    }
    replace(network, &chosen, budget)
}

/// The work for a fluent of a group, as [`Ticks`] count it: a guess.
const WORK: usize = 64;

/// Nodes and edges that nothing but this signal needs.
fn own_size(network: &Network, readers: &IdVec<NodeId, u32>, signal: Signal) -> usize {
    let (mut size, mut open) = (0, vec![signal.node()]);
    while let Some(node) = open.pop() {
        if network.kind(node) != Kind::Input && readers[node] <= 1 {
            size += 1 + network.inputs(node).len();
            open.extend(network.inputs(node).iter().map(|input| input.node()).filter(|&input| input < node));
        }
    }
    size
}

fn replace(
    network: &Network,
    chosen: &[(FluentId, Vec<FluentId>)],
    budget: &Budget,
) -> Result<Network, Exhausted> {
    if chosen.is_empty() {
        return Ok(network.clone());
    }
    // The gates of the new values read new nodes, so they are added after the last gate is rewritten.
    let mut values: Vec<(FluentId, Signal)> = Vec::new();
    let mut map: IdVec<NodeId, Signal> = network.nodes().map(Signal::of).collect();
    let mut left = network.gates().count();
    let mut rewritten = rewrite_outputs(
        network,
        budget,
        |builder, gate| {
            let made = builder.node(gate.kind, gate.inputs);
            map[gate.node] = made;
            left -= 1;
            if left == 0 {
                for (fluent, others) in chosen {
                    let next = |&other: &FluentId| {
                        let signal = network.interface().fluents[other].next;
                        !map[signal.node()].inverted_if(signal.is_inverted())
                    };
                    values.push((*fluent, builder.gate(Kind::And, &mut others.iter().map(next).collect())));
                }
            }
            made
        },
        Interface::clone,
    )?;
    for (fluent, value) in values {
        rewritten.interface.fluents[fluent].next = value;
    }
    Ok(rewritten)
}

#[cfg(test)]
mod tests {
    use crate::network::Groups;
    use crate::network::passes::run_pass;
    use crate::network::testing::network;

    #[test]
    fn the_last_of_a_group_is_what_the_others_are_not() {
        let rules = "(<= (next (f 1)) (does r (a 1)) (true (f 2))) (<= (next (f 2)) (does r (a 2)) (true (f 3))) \
                     (<= (next (f 3)) (true (f 1)) (not (does r (a 1))) (not (does r (a 2)))) \
                     (<= (next (f 3)) (true (f 2)) (true (f 3)) (does r (a 3)))";
        let plain = network(rules);
        let interface = plain.interface();
        let nodes = interface.fluents.entries().filter(|(_, fluent)| fluent.text.starts_with("(f "));
        let mut groups = Groups::default();
        groups.add(nodes.map(|(number, _)| interface.fluent_node(number)).collect());
        let smaller = run_pass("unneeded", &run_pass("successors", &plain, &groups), &groups);
        assert!(smaller.edge_count() < plain.edge_count());
    }
}
