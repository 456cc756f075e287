//! Nodes that are always the same, or always the opposite.

use super::{Change, Changes, Sweep};
use crate::network::{NodeId, Signal};
use rustc_hash::FxHashMap;

/// Limit: the nodes with the same signature that are compared by the solver. A guess.
const MOST_TRIES: usize = 4;

/// Nodes that came first, by their values in states, or in states with moves.
type Classes = FxHashMap<(Vec<u64>, bool), Vec<Signal>>;

pub(super) fn find(sweep: &mut Sweep<'_>) -> Changes {
    let network = sweep.network;
    let mut changes: Changes = network.nodes().map(|_| None).collect();
    let mut classes = Classes::default();
    for node in network.nodes() {
        let moved = sweep.moved.contains(node);
        sweep.effort.spend(sweep.patterns.units(4));
        let own = class(sweep, node, moved);
        if node >= network.interface().first_gate() && sweep.is_open(node) {
            let candidates = classes.get(&own.0).cloned().unwrap_or_default();
            let same = candidates.iter().map(|other| other.inverted_if(own.1));
            let same = same.take(MOST_TRIES).find(|&other| is_same(sweep, Signal::of(node), other, moved));
            if let Some(other) = same {
                changes[node] = Some(Change::Same(other));
                continue;
            }
        }
        if !moved {
            // Nodes with moves may be the same as this one as far as they matter.
            let (key, opposite) = class(sweep, node, true);
            classes.entry(key).or_default().push(Signal::of(node).inverted_if(opposite));
        }
        classes.entry(own.0).or_default().push(Signal::of(node).inverted_if(own.1));
    }
    changes
}

/// The class of a node, and whether the node is the opposite of what the class holds.
fn class(sweep: &Sweep<'_>, node: NodeId, moved: bool) -> ((Vec<u64>, bool), bool) {
    let (values, opposite) = sweep.patterns.signature(node, moved);
    ((values, moved), opposite)
}

fn is_same(sweep: &mut Sweep<'_>, one: Signal, other: Signal, moved: bool) -> bool {
    sweep.is_never(&[one, !other], moved) && sweep.is_never(&[!one, other], moved)
}
