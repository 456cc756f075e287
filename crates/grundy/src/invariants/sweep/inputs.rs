//! Inputs that follow from the others of their node.

use super::{Change, Changes, Sweep};
use crate::network::{Kind, Signal};

/// Limit: the inputs of a node that is simplified, one query each. A guess.
const WIDEST_GATE: usize = 40;

pub(super) fn find(sweep: &mut Sweep<'_>) -> Changes {
    let network = sweep.network;
    let mut changes: Changes = network.nodes().map(|_| None).collect();
    for node in network.gates() {
        let inputs = network.inputs(node);
        if !(2..=WIDEST_GATE).contains(&inputs.len()) || !sweep.is_open(node) {
            continue;
        }
        let kept = needed(sweep, inputs, network.kind(node) == Kind::Or, sweep.moved.contains(node));
        if kept.len() < inputs.len() {
            changes[node] = Some(Change::Inputs(kept));
        }
    }
    changes
}

/// The inputs without those that the others imply. The last ones are tried first, since their cones are largest.
fn needed(sweep: &mut Sweep<'_>, inputs: &[Signal], is_or: bool, moved: bool) -> Vec<Signal> {
    let mut kept = inputs.to_vec();
    for at in (0..inputs.len()).rev() {
        if kept.len() == 1 {
            break;
        }
        // In an AND, all others hold and this one does not; in an OR it is the other way round.
        let question: Vec<Signal> = kept
            .iter()
            .enumerate()
            .map(|(number, &input)| input.inverted_if(is_or != (number == at)))
            .collect();
        if sweep.is_never(&question, moved) {
            kept.remove(at);
        }
    }
    kept
}
