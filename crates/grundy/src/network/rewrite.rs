//! The frame of all passes: a network is rebuilt node by node.

use super::{Builder, Interface, Kind, Network, NodeId, Signal};
use crate::ids::{IdVec, ids_in};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// A gate of the old network, with its inputs already translated.
pub(crate) struct Gate<'a> {
    /// Its node in the old network.
    pub(crate) node: NodeId,
    pub(crate) kind: Kind,
    pub(crate) inputs: &'a mut Vec<Signal>,
}

/// Rebuilds a network. `make` returns for each gate its replacement in the new network, which must be the same
/// function of the same inputs, so that loops keep their least fixpoint.
pub(crate) fn rewrite(
    network: &Network,
    budget: &Budget,
    make: impl FnMut(&mut Builder, Gate) -> Signal,
) -> Result<Network, Exhausted> {
    rewrite_outputs(network, budget, make, Interface::clone)
}

/// The work for an input of a gate, as [`Ticks`] count it: a guess.
const WORK: usize = 8;

/// Like [`rewrite`], with other outputs, which are those of the old network.
pub(super) fn rewrite_outputs(
    network: &Network,
    budget: &Budget,
    mut make: impl FnMut(&mut Builder, Gate) -> Signal,
    outputs: impl FnOnce(&Interface) -> Interface,
) -> Result<Network, Exhausted> {
    let interface = network.interface();
    budget.check_room(Builder::bytes_for(network.node_count(), network.edge_count()))?;
    let mut builder = Builder::with_capacity(interface, network.node_count(), network.edge_count());
    let mut map: IdVec<NodeId, Signal> =
        ids_in(&(NodeId(0)..interface.first_gate())).map(Signal::of).collect();
    map.resize(network.node_count(), Signal::FALSE);
    let mut inputs = Vec::new();
    let mut ticks = Ticks::default();
    let mut translate = |builder: &mut Builder, map: &IdVec<NodeId, Signal>, node: NodeId| {
        inputs.clear();
        ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
        let translated = |signal: &Signal| map[signal.node()].inverted_if(signal.is_inverted());
        inputs.extend(network.inputs(node).iter().map(translated));
        Ok(make(builder, Gate { node, kind: network.kind(node), inputs: &mut inputs }))
    };
    let mut next = interface.first_gate();
    for range in network.loops() {
        for node in ids_in(&(next..range.start)) {
            map[node] = translate(&mut builder, &map, node)?;
        }
        builder.open_loop();
        let knots: Vec<NodeId> = ids_in(range).filter(|&node| is_knot(network, node)).collect();
        let reserved: Vec<NodeId> = knots.iter().map(|_| builder.reserve()).collect();
        for (&knot, &reserved) in knots.iter().zip(&reserved) {
            map[knot] = Signal::of(reserved);
        }
        for node in ids_in(range).filter(|node| knots.binary_search(node).is_err()) {
            map[node] = translate(&mut builder, &map, node)?;
        }
        for (&knot, &reserved) in knots.iter().zip(&reserved) {
            let signal = translate(&mut builder, &map, knot)?;
            builder.define_as(reserved, signal);
        }
        builder.close_loop();
        next = range.end;
    }
    for node in ids_in(&(next..network.end())) {
        map[node] = translate(&mut builder, &map, node)?;
    }
    budget.check_with(builder.bytes())?;
    let translated = |signal: Signal| map[signal.node()].inverted_if(signal.is_inverted());
    let interface = outputs(interface).map_outputs(translated);
    Ok(builder.finish(interface))
}

/// Whether a node of a loop reads itself or a later node.
fn is_knot(network: &Network, node: NodeId) -> bool {
    network.inputs(node).last().is_some_and(|signal| signal.node() >= node)
}
