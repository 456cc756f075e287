//! Every node, once for each state.

use super::plan::AccumulatorId;
use super::{FactSet, Plan, Value};
use crate::features::FactId;
use crate::ids::{IdVec, ids_in};
use crate::network::{Kind, Network, NodeId, Signal};
use std::sync::Arc;

/// Values features from scratch for each state.
pub struct Scratch {
    plan: Arc<Plan>,
    values: IdVec<NodeId, bool>,
    accumulators: IdVec<AccumulatorId, i64>,
}

impl Scratch {
    /// Prepares.
    pub fn new(plan: Arc<Plan>) -> Scratch {
        let values = IdVec::filled(false, plan.network.node_count());
        Scratch { accumulators: plan.bases.clone(), values, plan }
    }

    /// Values all features in a state.
    pub fn value(&mut self, state: &FactSet, out: &mut Vec<Value>) {
        self.look_at(state);
        self.accumulators.as_mut_slice().copy_from_slice(self.plan.bases.as_slice());
        for (&value, shares) in self.values.iter().zip(self.plan.shares.iter()) {
            if value {
                shares.iter().for_each(|share| self.accumulators[share.accumulator] += share.weight);
            }
        }
        self.plan.read(|own| self.accumulators[own], out);
    }

    /// Evaluates all nodes.
    pub(in crate::features) fn look_at(&mut self, state: &FactSet) {
        evaluate(&self.plan.network, state, &mut self.values);
    }

    /// Whether a signal is true in the state that was looked at.
    pub(in crate::features) fn holds(&self, signal: Signal) -> bool {
        self.values[signal.node()] != signal.is_inverted()
    }
}

/// Evaluates all nodes of a network in order, and loops until nothing changes.
pub(super) fn evaluate(network: &Network, state: &FactSet, values: &mut IdVec<NodeId, bool>) {
    let interface = network.interface();
    for fact in interface.fluents.ids() {
        values[interface.fluent_node(fact)] = state.get(FactId::new(fact.index()));
    }
    let read = |values: &IdVec<NodeId, bool>, signal: &Signal| values[signal.node()] != signal.is_inverted();
    let gate = |values: &IdVec<NodeId, bool>, node: NodeId| match network.kind(node) {
        Kind::And => network.inputs(node).iter().all(|input| read(values, input)),
        _ => network.inputs(node).iter().any(|input| read(values, input)),
    };
    let mut next = interface.first_gate();
    let last = network.end();
    for range in network.loops().iter().cloned().chain(std::iter::once(last..last)) {
        for node in ids_in(&(next..range.start)) {
            values[node] = gate(values, node);
        }
        ids_in(&range).for_each(|node| values[node] = false);
        let mut changed = !range.is_empty();
        while changed {
            changed = false;
            for node in ids_in(&range) {
                if !values[node] && gate(values, node) {
                    values[node] = true;
                    changed = true;
                }
            }
        }
        next = range.end;
    }
}
