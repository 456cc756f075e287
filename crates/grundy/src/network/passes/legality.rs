//! Drops conditions that the legality of a move implies. Moves that are played are legal, so a gate that reads a move, or
//! an OR of moves, need not read what `legal` of these moves implies.

use super::{Groups, view};
use crate::ids::IdVec;
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use smallvec::SmallVec;

/// How many levels of gates are searched below `legal` of a move. A guess.
pub(super) const IMPLICATION_DEPTH: u32 = 3;

/// ORs with more inputs are not searched for what their inputs imply in common. The limit is higher at the root: a move
/// may be legal for many reasons that have the turn in common. Both are guesses.
const MAX_BRANCHES: usize = 4;
const MAX_ROOT_BRANCHES: usize = 256;

/// Larger groups are not used to imply the negation of all other members: the lists would be too long. A guess.
const MAX_EXCLUSIVE_GROUP: usize = 16;

pub(super) fn run(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let known = Known::new(network, groups, budget)?;
    let readers = network.reader_counts();
    rewrite(network, budget, |builder, gate| make(builder, gate, network, &known, &readers))
}

/// The work for a signal that a move implies, as [`Ticks`] count it: a guess.
pub(super) const WORK: usize = 16;

/// For each move, and each OR of moves, the signals that hold if it does, sorted.
struct Known(IdVec<NodeId, Vec<Signal>>);

impl Known {
    fn new(network: &Network, groups: &Groups, budget: &Budget) -> Result<Known, Exhausted> {
        let interface = network.interface();
        let mut known = Known(IdVec::filled(Vec::new(), network.node_count()));
        let mut ticks = Ticks::default();
        for (number, implied) in interface.moves.ids().zip(implied_by_moves(network, groups)) {
            ticks.work(budget, WORK * (1 + implied.len()))?;
            known.0[interface.move_node(number)] = implied;
        }
        for node in network.gates().filter(|&node| network.kind(node) == Kind::Or) {
            ticks.work(budget, WORK + network.inputs(node).len())?;
            known.0[node] = known.common(network.inputs(node));
        }
        Ok(known)
    }

    /// The signals that hold whichever of these holds. (For later nodes of a loop, none are known.)
    fn common(&self, signals: &[Signal]) -> Vec<Signal> {
        let of = |signal: &Signal| if signal.is_inverted() { &[] } else { &self.0[signal.node()][..] };
        let Some((first, rest)) = signals.split_first() else { return Vec::new() };
        let mut common = of(first).to_vec();
        for signal in rest {
            if common.is_empty() {
                break;
            }
            let known = of(signal);
            common.retain(|signal| known.binary_search(signal).is_ok());
        }
        common
    }
}

/// For each move the signals that hold if it is legal, sorted.
pub(super) fn implied_by_moves(network: &Network, groups: &Groups) -> impl Iterator<Item = Vec<Signal>> {
    let excluded = excluded(network, groups);
    network.interface().moves.iter().map(move |m| {
        let mut implied = implied_by(network, m.legal, IMPLICATION_DEPTH);
        for at in 0..implied.len() {
            let signal = implied[at];
            if !signal.is_inverted()
                && let Some(others) = excluded.get(signal.node())
            {
                implied.extend(others.iter().map(|&other| !Signal::of(other)));
            }
        }
        implied.sort_unstable();
        implied.dedup();
        implied
    })
}

/// For each fluent the fluents that are false if it is true.
fn excluded(network: &Network, groups: &Groups) -> IdVec<NodeId, SmallVec<[NodeId; 2]>> {
    let mut excluded = IdVec::filled(SmallVec::new(), network.interface().fluents.len() + 1);
    for group in groups.layers.iter().chain(&groups.exclusive).flatten() {
        let is_fluent = |node: &NodeId| node.index() < excluded.len();
        if group.len() <= MAX_EXCLUSIVE_GROUP && group.iter().all(is_fluent) {
            for &one in group {
                excluded[one].extend(group.iter().copied().filter(|&other| other != one));
            }
        }
    }
    excluded
}

/// The signals that hold whenever a signal does, sorted.
pub(super) fn implied_by(network: &Network, signal: Signal, depth: u32) -> Vec<Signal> {
    let mut implied = vec![signal];
    let node = signal.node();
    let kind = network.kind(node);
    let inputs = || network.inputs(node).iter().map(|input| input.inverted_if(signal.is_inverted()));
    let is_and = (kind == Kind::And) != signal.is_inverted();
    let most_branches = if depth == IMPLICATION_DEPTH { MAX_ROOT_BRANCHES } else { MAX_BRANCHES };
    if depth > 0 && kind != Kind::Input && !network.inputs(node).is_empty() {
        if is_and {
            inputs().for_each(|input| implied.append(&mut implied_by(network, input, depth - 1)));
        } else if network.inputs(node).len() <= most_branches {
            let mut branches = inputs().map(|input| implied_by(network, input, depth - 1));
            let mut common = branches.next().unwrap_or_default();
            while !common.is_empty()
                && let Some(branch) = branches.next()
            {
                common.retain(|signal| branch.binary_search(signal).is_ok());
            }
            implied.append(&mut common);
        }
    }
    implied.sort_unstable();
    implied.dedup();
    implied
}

fn make(
    builder: &mut Builder,
    gate: Gate,
    network: &Network,
    known: &Known,
    readers: &IdVec<NodeId, u32>,
) -> Signal {
    let Gate { kind, inputs, node } = gate;
    // In an OR, a negated move makes the node true, so that the other inputs may assume the move.
    let assumed = |signal: Signal| signal.inverted_if(kind == Kind::Or);
    let tells = |old: &Signal| {
        let known = &known.0[old.node()];
        Some(&known[..]).filter(|known| !assumed(*old).is_inverted() && !known.is_empty())
    };
    let Some(done) = network.inputs(node).iter().find(|old| tells(old).is_some()) else {
        return builder.node(kind, inputs);
    };
    let known = tells(done).unwrap_or_default();
    let is_known = |signal: Signal| known.binary_search(&signal).is_ok();
    // Inputs have the same numbers in the new network, other nodes do not.
    let first_gate = network.interface().first_gate();
    let of_inputs = &known[..known.partition_point(|signal| signal.node() < first_gate)];
    let mut kept = Vec::with_capacity(inputs.len());
    for (old, &input) in network.inputs(node).iter().zip(inputs.iter()) {
        if old == done {
            kept.push(input);
            continue;
        }
        let (old, input) = (assumed(*old), assumed(input));
        let value = if is_known(!old) {
            Signal::FALSE
        } else if is_known(old) || is_known_branch(network, old, &is_known) {
            Signal::TRUE
        } else {
            reduce(builder, input, of_inputs, readers[old.node()] == 1)
        };
        match value {
            Signal::FALSE => return !kind.neutral(),
            Signal::TRUE => {}
            value => kept.push(assumed(value)),
        }
    }
    builder.node(kind, &mut kept)
}

/// A signal of the new network, simplified by the known values of inputs. A signal with other readers is only replaced
/// by a node that exists already.
fn reduce(builder: &mut Builder, signal: Signal, known: &[Signal], is_alone: bool) -> Signal {
    let Some((kind, inputs)) = view(builder, signal) else { return value(signal, known) };
    if inputs.len() > MAX_BRANCHES {
        return signal;
    }
    let inputs: SmallVec<[Signal; MAX_BRANCHES]> = inputs.collect();
    let mut rest: SmallVec<[Signal; MAX_BRANCHES]> = SmallVec::new();
    for &input in &inputs {
        let value = part(builder, input, known);
        if value == !kind.neutral() {
            return value;
        }
        if value != kind.neutral() {
            rest.push(value);
        }
    }
    match rest[..] {
        [] => kind.neutral(),
        [only] => only,
        _ if is_alone && rest != inputs => builder.node(kind, &mut rest.to_vec()),
        _ => signal,
    }
}

/// Like [`reduce`] for an input of a node, without new nodes.
fn part(builder: &Builder, signal: Signal, known: &[Signal]) -> Signal {
    let Some((kind, inputs)) = view(builder, signal) else { return value(signal, known) };
    if inputs.len() > MAX_BRANCHES {
        return signal;
    }
    let mut rest = SmallVec::<[Signal; MAX_BRANCHES]>::new();
    for input in inputs {
        let value = value(input, known);
        if value == !kind.neutral() {
            return value;
        }
        rest.extend(Some(value).filter(|&value| value != kind.neutral()));
    }
    match rest[..] {
        [] => kind.neutral(),
        [only] => only,
        _ => signal,
    }
}

/// The value of a signal if it is known, or else itself.
fn value(signal: Signal, known: &[Signal]) -> Signal {
    let is_known = |signal: Signal| known.binary_search(&signal).is_ok();
    match (is_known(signal), is_known(!signal)) {
        (true, _) => Signal::TRUE,
        (_, true) => Signal::FALSE,
        _ => signal,
    }
}

/// Whether a signal is an OR with an input that is known to hold.
fn is_known_branch(network: &Network, signal: Signal, is_known: &impl Fn(Signal) -> bool) -> bool {
    let node = signal.node();
    let is_or = network.kind(node) != Kind::Input && (network.kind(node) == Kind::Or) != signal.is_inverted();
    let inputs = network.inputs(node);
    let mut signals = inputs.iter().map(|input| input.inverted_if(signal.is_inverted()));
    is_or && inputs.len() <= MAX_BRANCHES && signals.any(is_known)
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

    #[test]
    fn one_of_several_moves_need_not_repeat_what_they_have_in_common() {
        let legal = "(<= (legal r (b ?x)) (num ?x) (true (f 1)) (not (true (f 2)))) \
                     (<= moved (does r (b ?x)))";
        let passes = ["single-input", "legality", "single-input", "absorb", "unneeded"];
        let rules = format!("{legal} (<= (next (f 1)) moved (true (f 1)) (true (f 3)))");
        check(
            &rules,
            &passes,
            "(next (f 1)) = (and (f 3) (or (does r (b 1)) (does r (b 2)) (does r (b 3))))",
        );
        // A part of a condition that cannot hold, and one that is sure to.
        let either = "(<= p (true (f 2)) (true (f 3))) (<= p (true (f 1)) (true (f 3)))";
        let rules = format!("{legal} {either} (<= (next (f 1)) moved p)");
        check(
            &rules,
            &passes,
            "(next (f 1)) = (and (f 3) (or (does r (b 1)) (does r (b 2)) (does r (b 3))))",
        );
    }
}
