//! The values of the nodes in scope when no move of some slots is played.

use super::scope::Scope;
use super::slots::Slot;
use crate::ids::{Csr, IdVec, ids_in};
use crate::network::{Builder, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// The work for an input of a gate, as [`Ticks`] count it: a guess.
pub(super) const WORK: usize = 4;

/// The values of all nodes if no move of some slots is played.
pub(super) struct Quiet {
    values: IdVec<NodeId, Signal>,
    /// For the gates in scope their inputs that are not neutral then, as node and value; nothing for all other nodes.
    live: Csr<NodeId, (NodeId, Signal)>,
}

impl Quiet {
    pub(super) fn new(
        builder: &mut Builder,
        network: &Network,
        scope: &Scope,
        slots: &[&Slot],
        budget: &Budget,
    ) -> Result<Quiet, Exhausted> {
        let interface = network.interface();
        let mut values: IdVec<NodeId, Signal> = network.nodes().map(Signal::of).collect();
        for slot in slots {
            for &silent in &slot.moves {
                values[interface.move_node(silent)] = Signal::FALSE;
            }
            for &rest in slot.rest.iter().flatten() {
                values[interface.move_node(rest)] = Signal::TRUE;
            }
        }
        let mut quiet = Quiet { values, live: Csr::with_capacity(network.node_count(), 0) };
        let mut unscoped = NodeId(0);
        let mut inputs = Vec::new();
        let mut ticks = Ticks::default();
        for &node in &scope.gates {
            ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
            let kind = network.kind(node);
            let values = network.inputs(node).iter().map(|&input| (input.node(), quiet.value(input)));
            let live: Vec<(NodeId, Signal)> = values.filter(|&(_, value)| value != kind.neutral()).collect();
            inputs.clear();
            inputs.extend(live.iter().map(|&(_, value)| value));
            ids_in(&(unscoped..node)).for_each(|_| quiet.live.push_empty());
            unscoped = NodeId(quiet.live.push(live).0 + 1);
            quiet.values[node] = simplify(builder, kind, &mut inputs);
        }
        ids_in(&(unscoped..network.end())).for_each(|_| quiet.live.push_empty());
        Ok(quiet)
    }

    /// The value of a signal.
    pub(super) fn value(&self, signal: Signal) -> Signal {
        self.values[signal.node()].inverted_if(signal.is_inverted())
    }

    /// The inputs of a gate in scope that are not neutral.
    pub(super) fn live(&self, gate: NodeId) -> &[(NodeId, Signal)] {
        &self.live[gate]
    }
}

/// A gate without constants, duplicates and contradictions.
pub(super) fn simplify(builder: &mut Builder, kind: Kind, inputs: &mut Vec<Signal>) -> Signal {
    let neutral = kind.neutral();
    if inputs.contains(&!neutral) {
        return !neutral;
    }
    inputs.retain(|&input| input != neutral);
    inputs.sort_unstable();
    inputs.dedup();
    if inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
        return !neutral;
    }
    builder.gate(kind, inputs)
}
