//! Factors conditions that many moves of a role share, such as whose turn it is, out of their nodes.
//!
//! A move is then legal if its guard and the rest of its conditions hold. A guard that changes at every step would
//! otherwise change the nodes of all moves each time; as a guard it is read once, when moves are listed.

use super::Groups;
use crate::network::rewrite::rewrite;
use crate::network::{Kind, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A condition becomes a guard if at least this many moves of a role share it: a guess.
const FEWEST_GUARDED: usize = 4;

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let interface = network.interface();
    let mut guards: FxHashMap<NodeId, Signal> = FxHashMap::default();
    for role in interface.role_ids() {
        choose_guards(network, role, &mut guards, budget)?;
    }
    // For the node of a guarded move the rest of its conditions and its guard, in the new network.
    let mut parts: FxHashMap<NodeId, (Signal, Signal)> = FxHashMap::default();
    let mut rewritten = rewrite(network, budget, |builder, gate| {
        if let Some(guard) = guards.get(&gate.node) {
            let at = network.inputs(gate.node).iter().position(|input| input == guard);
            let at = at.expect("a guard is an input of its node");
            let mut rest = gate.inputs.clone();
            let guard = rest.remove(at);
            let rest = builder.gate(Kind::And, &mut rest);
            parts.insert(gate.node, (rest, guard));
            // Other readers of the node get it in two parts, one of which can be factored out.
            return builder.gate(Kind::And, &mut vec![guard, rest]);
        }
        builder.node(gate.kind, gate.inputs)
    })?;
    for (number, old) in interface.moves.entries() {
        let new = &mut rewritten.interface.moves[number];
        if new.guard != Signal::TRUE || old.legal == Signal::FALSE || old.legal == Signal::TRUE {
            continue;
        }
        match parts.get(&old.legal.node()) {
            Some(&(rest, guard)) if !old.legal.is_inverted() => (new.legal, new.guard) = (rest, guard),
            // A single condition, such as that of waiting for the other role, is a guard.
            _ if !is_and(network, old.legal) => (new.legal, new.guard) = (Signal::TRUE, new.legal),
            _ => {}
        }
    }
    Ok(rewritten)
}

fn is_and(network: &Network, signal: Signal) -> bool {
    !signal.is_inverted() && network.kind(signal.node()) == Kind::And
}

/// Finds the guards of the moves of a role, the most common one first, keyed by the `legal` nodes of the moves.
fn choose_guards(
    network: &Network,
    role: RoleId,
    guards: &mut FxHashMap<NodeId, Signal>,
    budget: &Budget,
) -> Result<(), Exhausted> {
    let interface = network.interface();
    let legal = interface.moves_of(role).map(|number| interface.moves[number].legal);
    let mut open: Vec<NodeId> = legal.filter(|&legal| is_and(network, legal)).map(Signal::node).collect();
    loop {
        budget.check()?;
        let mut counts: BTreeMap<Signal, usize> = BTreeMap::new();
        open.iter()
            .flat_map(|&node| network.inputs(node))
            .for_each(|&input| *counts.entry(input).or_default() += 1);
        let best = counts.into_iter().max_by_key(|&(signal, count)| (count, std::cmp::Reverse(signal)));
        let Some((guard, _)) = best.filter(|&(_, count)| count >= FEWEST_GUARDED) else { return Ok(()) };
        open.retain(|&node| {
            let guarded = network.inputs(node).contains(&guard);
            if guarded {
                guards.insert(node, guard);
            }
            !guarded
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::network::Signal;
    use crate::network::testing::{network, optimized};

    #[test]
    fn the_turn_is_asked_once() {
        let rules = "(init turn) (<= (legal r (b ?x)) (num ?x) (true turn) (true (f ?x))) \
                     (<= (legal r (c ?x)) (num ?x) (true turn) (not (true (f ?x)))) (<= (legal r wait) (not (true turn)))";
        let network = optimized(network(rules), &["single-input", "guards", "unneeded"]);
        let interface = network.interface();
        let turn = interface.find_fluent("turn").unwrap();
        let turn = Signal::of(interface.fluent_node(turn));
        for m in &interface.moves {
            let expected = match &m.text[..2] {
                "(b" | "(c" => turn,
                "wa" => !turn,
                _ => Signal::TRUE,
            };
            assert_eq!(m.guard, expected, "{}", m.text);
        }
        assert_eq!(network.gates().count(), 0);
    }
}
