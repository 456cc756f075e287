//! What is done is legal: where a move is a condition, what its legality implies need not be another.

use super::Groups;
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Kind, MoveId, Network, Signal};

/// How deep to look into the conditions of a move.
pub(super) const DEPTH: u32 = 3;

/// An OR with more inputs implies nothing worth the search.
const MOST_BRANCHES: usize = 4;

pub(super) fn run(network: &Network, _: &Groups) -> Network {
    let interface = network.interface();
    let implied: Vec<Vec<Signal>> =
        interface.moves.iter().map(|one_move| implied_by(network, one_move.legal, DEPTH)).collect();
    rewrite(network, |builder, gate| make(builder, gate, network, &implied))
}

/// All that holds whenever a signal does, sorted.
pub(super) fn implied_by(network: &Network, signal: Signal, depth: u32) -> Vec<Signal> {
    let mut implied = vec![signal];
    let node = signal.node();
    let kind = network.kind(node);
    let inputs = || network.inputs(node).iter().map(|input| input.inverted_if(signal.is_inverted()));
    let is_and = (kind == Kind::And) != signal.is_inverted();
    if depth > 0 && kind != Kind::Input && !network.inputs(node).is_empty() {
        if is_and {
            inputs().for_each(|input| implied.append(&mut implied_by(network, input, depth - 1)));
        } else if network.inputs(node).len() <= MOST_BRANCHES {
            let common = inputs().map(|input| implied_by(network, input, depth - 1)).reduce(|mut a, b| {
                a.retain(|signal| b.binary_search(signal).is_ok());
                a
            });
            implied.extend(common.unwrap_or_default());
        }
    }
    implied.sort_unstable();
    implied.dedup();
    implied
}

fn make(builder: &mut Builder, gate: Gate, network: &Network, implied: &[Vec<Signal>]) -> Signal {
    let Gate { kind, inputs, node } = gate;
    let interface = network.interface();
    let done = inputs.iter().find_map(|input| {
        let wanted = input.is_inverted() == (kind == Kind::Or);
        interface.move_of(input.node()).filter(|_| wanted)
    });
    let Some(MoveId(done)) = done else { return builder.node(kind, inputs) };
    // In an OR, what is not done makes the node true, so that it is the rest that may assume the move.
    let known = &implied[done as usize];
    let is_known = |signal: Signal| known.binary_search(&signal).is_ok();
    let mut kept = Vec::with_capacity(inputs.len());
    for (&old, &input) in network.inputs(node).iter().zip(inputs.iter()) {
        let assumed = old.inverted_if(kind == Kind::Or);
        if is_known(!assumed) {
            return !kind.neutral();
        }
        if !is_known(assumed) && !is_known_branch(network, assumed, &is_known) {
            kept.push(input);
        }
    }
    builder.node(kind, &mut kept)
}

/// Whether a signal is an OR with an input that is known to hold.
fn is_known_branch(network: &Network, signal: Signal, is_known: &impl Fn(Signal) -> bool) -> bool {
    let node = signal.node();
    let is_or = network.kind(node) != Kind::Input && (network.kind(node) == Kind::Or) != signal.is_inverted();
    let inputs = network.inputs(node);
    let mut signals = inputs.iter().map(|input| input.inverted_if(signal.is_inverted()));
    is_or && inputs.len() <= MOST_BRANCHES && signals.any(is_known)
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    #[test]
    fn a_move_need_not_repeat_its_conditions() {
        let rules = "(<= (legal r b) (true (f 1)) (not (true (f 2)))) \
                     (<= (next (f 1)) (does r b) (true (f 1)) (not (true (f 2))) (true (f 3)))";
        let passes = ["single-input", "legality", "single-input", "unneeded"];
        check(rules, &passes, "(next (f 1)) = (and (f 3) (does r b))");
        let contradiction = "(<= (legal r b) (true (f 1))) (<= (next (f 2)) (does r b) (not (true (f 1))))";
        check(contradiction, &passes, "(next (f 2)) = false");
    }
}
