//! Inputs that a node can do without: duplicates, those that another input implies, and those that contradict it.
//!
//! For an AND (an OR is the mirror image), with `a` among the inputs:
//!
//! - `not a` makes it false;
//! - `a ∨ b` is implied; so is `a ∨ b ∨ c` by `a ∨ b`;
//! - `a ∧ b` implies `a`, and contradicts `not a`.
//!
//! In a loop two nodes may be inputs of each other. That neither is dropped because of the other, only nodes that
//! stand before the one that implies them count.

use super::{Groups, simplify, view};
use crate::network::{Builder, Kind, Network, Signal};
use grundy_syntax::{Budget, Exhausted};
use smallvec::SmallVec;

/// Nodes with more inputs of the other kind are not compared pair by pair: comparison is quadratic. A guess.
const MAX_COMPARED_SETS: usize = 64;

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    simplify::run(network, &["absorb"], budget)
}

/// Drops redundant inputs; returns the value of the node if its inputs contradict each other.
pub(super) fn reduce(builder: &Builder, kind: Kind, inputs: &mut Vec<Signal>) -> Option<Signal> {
    inputs.sort_unstable();
    inputs.dedup();
    if inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Some(!kind.neutral());
    }
    match redundant(builder, kind, inputs) {
        None => return Some(!kind.neutral()),
        Some(redundant) if redundant.is_empty() => {}
        Some(redundant) => inputs.retain(|input| !redundant.contains(input)),
    }
    drop_supersets(builder, kind, inputs);
    None
}

/// The inputs that others imply; `None` if two contradict each other.
fn redundant(builder: &Builder, kind: Kind, inputs: &[Signal]) -> Option<SmallVec<[Signal; 8]>> {
    let mut redundant = SmallVec::new();
    let is_input = |signal: Signal| inputs.binary_search(&signal).is_ok();
    for &input in inputs {
        let Some((inner_kind, mut inner)) = view(builder, input) else { continue };
        if inner_kind != kind {
            if inner.any(|signal| signal.node() < input.node() && is_input(signal)) {
                redundant.push(input);
            }
            continue;
        }
        for signal in inner {
            if is_input(!signal) {
                return None;
            }
            if signal.node() < input.node() && is_input(signal) {
                redundant.push(signal);
            }
        }
    }
    Some(redundant)
}

/// Drops nodes of the other kind whose inputs are a superset of another one's.
fn drop_supersets(builder: &Builder, kind: Kind, inputs: &mut Vec<Signal>) {
    let sets: Vec<(Signal, SmallVec<[Signal; 8]>)> = inputs
        .iter()
        .filter_map(|&input| {
            let (inner_kind, inner) = view(builder, input)?;
            (inner_kind != kind).then(|| {
                let mut set: SmallVec<[Signal; 8]> = inner.collect();
                set.sort_unstable();
                (input, set)
            })
        })
        .collect();
    if sets.len() < 2 || sets.len() > MAX_COMPARED_SETS {
        return;
    }
    let is_subset = |a: &[Signal], b: &[Signal]| a.iter().all(|signal| b.binary_search(signal).is_ok());
    let superset = |(input, set): &(Signal, SmallVec<[Signal; 8]>)| {
        sets.iter()
            .any(|(other, smaller)| other != input && smaller.len() < set.len() && is_subset(smaller, set))
    };
    let dropped: Vec<Signal> = sets.iter().filter(|set| superset(set)).map(|(input, _)| *input).collect();
    inputs.retain(|input| !dropped.contains(input));
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    const PASSES: [&str; 5] = ["single-input", "absorb", "constants", "single-input", "unneeded"];

    #[test]
    fn contradictions_are_never_true() {
        check("(<= terminal (true (f 1)) (not (true (f 1))))", &PASSES, "terminal = false");
        let nested = "(<= p (true (f 1)) (true (f 2))) (<= terminal p (not (true (f 1))))";
        check(nested, &PASSES, "terminal = false");
    }

    #[test]
    fn implied_inputs_are_dropped() {
        let wider = "(<= p (true (f 1))) (<= p (true (f 2))) (<= terminal (true (f 1)) p)";
        check(wider, &PASSES, "terminal = (f 1)");
        let longer =
            "(<= terminal (true (f 1)) (true (f 2))) (<= terminal (true (f 1)) (true (f 2)) (true (f 3)))";
        check(longer, &PASSES, "terminal = (and (f 1) (f 2))");
    }
}
