//! What the nodes in scope are when no move of some slots is played.

use super::scope::Scope;
use super::slots::Slot;
use crate::ids::{Id, narrow};
use crate::network::{Builder, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// The work for an input of a gate, as [`Ticks`] count it.
pub(super) const WORK: usize = 4;

/// The values of all nodes if no move of some slots is played.
pub(super) struct Quiet {
    values: Vec<Signal>,
    /// For the gates in scope, one after the other, their inputs that are not neutral then: node and value.
    live: Vec<(NodeId, Signal)>,
    /// Where these begin for each node; the end is where the next ones begin.
    starts: Vec<u32>,
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
        let mut values: Vec<Signal> = network.nodes().map(Signal::of).collect();
        for slot in slots {
            for &silent in &slot.moves {
                values[interface.move_node(silent).index()] = Signal::FALSE;
            }
            for &rest in slot.rest.iter().flatten() {
                values[interface.move_node(rest).index()] = Signal::TRUE;
            }
        }
        let mut quiet = Quiet { values, live: Vec::new(), starts: vec![0; network.node_count() + 1] };
        let mut inputs = Vec::new();
        let mut ticks = Ticks::default();
        for &node in &scope.gates {
            ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
            let kind = network.kind(node);
            let start = quiet.live.len();
            let values = network.inputs(node).iter().map(|&input| (input.node(), quiet.value(input)));
            let live: Vec<(NodeId, Signal)> = values.filter(|&(_, value)| value != kind.neutral()).collect();
            inputs.clear();
            inputs.extend(live.iter().map(|&(_, value)| value));
            quiet.live.extend(live);
            quiet.starts[node.index()] = narrow(start);
            quiet.starts[node.index() + 1] = narrow(quiet.live.len());
            quiet.values[node.index()] = simplify(builder, kind, &mut inputs);
        }
        Ok(quiet)
    }

    /// What stands for a signal.
    pub(super) fn value(&self, signal: Signal) -> Signal {
        self.values[signal.node().index()].inverted_if(signal.is_inverted())
    }

    /// The inputs of a gate in scope that are not neutral.
    pub(super) fn live(&self, gate: NodeId) -> &[(NodeId, Signal)] {
        &self.live[self.starts[gate.index()].index()..self.starts[gate.index() + 1].index()]
    }
}

/// A gate without constants, duplicates, contradictions, and parts that another input makes true anyway.
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
