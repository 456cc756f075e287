//! Decides which next values are evaluated with each move, and which are kept up to date by counters.

use super::scope::Scope;
use super::{Effect, MoveEffects};
use crate::ids::{BitSet, IdVec, ids_in};
use crate::network::passes::reached;
use crate::network::{Builder, FluentId, Interface, MoveId, Network, NodeId, Signal};

/// A next value is kept up to date if evaluating it reads more inputs than this, on average over the moves with an effect
/// on it. A guess.
const MAX_MEAN_INPUTS_OF_EFFECT: u64 = 12;

/// A node that depends on the state alone is kept up to date if evaluating it reads more inputs than this. A guess.
const MAX_INPUTS_OF_LAZY_NODE: u32 = 4;

/// The cost of evaluating nodes when a move is played.
pub(super) struct Costs {
    /// For each node the number of inputs that its evaluation reads, given what is kept up to date.
    sizes: IdVec<NodeId, u32>,
    /// Nodes that are kept up to date if effects read them.
    is_large: BitSet<NodeId>,
}

impl Costs {
    pub(super) fn new(builder: &Builder, network: &Network, scope: &Scope) -> Costs {
        let is_known = known(network);
        let nodes = builder.node_count();
        let mut costs = Costs { sizes: IdVec::filled(0, nodes), is_large: BitSet::empty(nodes) };
        for node in ids_in(&(network.interface().first_gate()..NodeId::new(nodes))) {
            let is_old = node < network.end();
            if is_old && is_known.contains(node) {
                continue;
            }
            let inputs = builder.inputs(node).iter().map(|input| input.node());
            // Later inputs are in a loop with the node.
            let size = |input: NodeId| if input < node { costs.sizes[input] } else { u32::MAX / 2 };
            let size = inputs.fold(0u32, |sum, input| sum.saturating_add(1).saturating_add(size(input)));
            let is_static = is_old && !scope.is_moved.contains(node);
            let is_large = is_static && size > MAX_INPUTS_OF_LAZY_NODE;
            costs.is_large.set(node, is_large);
            costs.sizes[node] = if is_large { 0 } else { size };
        }
        costs
    }

    /// For each fluent whether its next value is worked out for each move.
    pub(super) fn affordable(
        &self,
        scope: &Scope,
        of_move: &IdVec<MoveId, MoveEffects>,
    ) -> IdVec<FluentId, bool> {
        let alone = self.are_cheap(scope, of_move.iter().flat_map(|effects| &effects.alone));
        let contested = |effects: &MoveEffects, fluent| effects.contested.binary_search(fluent).is_ok();
        let together = of_move.iter().flat_map(|effects| {
            effects.together.iter().filter(move |(fluent, _)| contested(effects, fluent))
        });
        let together = self.are_cheap(scope, together);
        alone.iter().zip(together).map(|(alone, together)| *alone && together).collect()
    }

    /// For each fluent in scope whether these next values are cheap.
    fn are_cheap<'e>(
        &self,
        scope: &Scope,
        effects: impl Iterator<Item = &'e Effect>,
    ) -> IdVec<FluentId, bool> {
        // For each fluent the inputs to evaluate, over all moves, and the number of moves.
        let mut totals: IdVec<FluentId, (u64, u64)> = IdVec::filled((0, 0), scope.has_fluent.len());
        for &(fluent, value) in effects {
            let (size, moves) = &mut totals[fluent];
            *size += u64::from(self.sizes[value.node()]);
            *moves += 1;
        }
        let is_cheap = |&(size, moves): &(u64, u64)| size <= moves * MAX_MEAN_INPUTS_OF_EFFECT;
        totals.iter().zip(&scope.has_fluent).map(|(total, in_scope)| *in_scope && is_cheap(total)).collect()
    }

    /// The large nodes that effects need.
    pub(super) fn kept(&self, builder: &Builder, of_move: &IdVec<MoveId, MoveEffects>) -> Vec<Signal> {
        let mut seen: BitSet<NodeId> = BitSet::empty(builder.node_count());
        let values = of_move.iter().flat_map(|effects| effects.alone.iter().chain(&effects.together));
        let mut open: Vec<NodeId> = values.map(|&(_, value)| value.node()).collect();
        let mut kept = Vec::new();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            if self.is_large.contains(node) {
                kept.push(Signal::of(node));
            } else {
                open.extend(builder.inputs(node).iter().map(|input| input.node()));
            }
        }
        kept
    }
}

/// Leaves out fluents that most moves keep as they are, although they become false without an effect: each true one
/// would have to be visited at every step. They get back the next values that they had.
pub(super) fn leave_out_kept(
    builder: &Builder,
    before: &Interface,
    interface: &mut Interface,
    of_move: &IdVec<MoveId, MoveEffects>,
    affordable: &mut IdVec<FluentId, bool>,
) {
    // For each fluent the moves that have an effect on it, and those of them that keep it.
    let mut counts: IdVec<FluentId, (u32, u32)> = IdVec::filled((0, 0), affordable.len());
    for &(fluent, value) in of_move.iter().flat_map(|effects| &effects.alone) {
        let node = interface.fluent_node(fluent);
        let reads = |gate: NodeId| builder.inputs(gate).iter().any(|input| input.node() == node);
        let mut inputs = builder.inputs(value.node()).iter().map(|input| input.node());
        let is_kept = value.node() == node || reads(value.node()) || inputs.any(reads);
        counts[fluent].0 += 1;
        counts[fluent].1 += u32::from(is_kept);
    }
    for (fluent, &(all, kept)) in counts.entries() {
        let stays = Signal::of(interface.fluent_node(fluent));
        if affordable[fluent] && interface.fluents[fluent].next != stays && kept * 2 > all {
            affordable[fluent] = false;
            interface.fluents[fluent].next = before.fluents[fluent].next;
        }
    }
}

/// The nodes that are kept up to date in every state: those of `legal`, `terminal` and hints.
fn known(network: &Network) -> BitSet<NodeId> {
    let interface = network.interface();
    let legal = interface.moves.iter().flat_map(|m| [m.legal, m.guard]);
    let hints = interface.hints.iter().map(|hint| hint.holds);
    reached(network, legal.chain([interface.terminal]).chain(hints).collect())
}
