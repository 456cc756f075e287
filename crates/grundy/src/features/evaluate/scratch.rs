//! Every node, once for each state.

use super::{FactSet, Plan, Value};
use crate::ids::{Id, ids_in};
use crate::network::{Kind, Network, NodeId, Signal};
use std::sync::Arc;

/// Values features anew for each state.
pub struct Scratch {
    plan: Arc<Plan>,
    values: Vec<bool>,
    accumulators: Vec<i64>,
}

impl Scratch {
    /// Prepares.
    pub fn new(plan: Arc<Plan>) -> Scratch {
        let values = vec![false; plan.network.node_count()];
        Scratch { accumulators: plan.bases.clone(), values, plan }
    }

    /// Values all features in a state.
    pub fn value(&mut self, state: &FactSet, out: &mut Vec<Value>) {
        self.look_at(state);
        self.accumulators.copy_from_slice(&self.plan.bases);
        for node in 0..self.values.len() {
            if self.values[node] {
                for share in self.plan.shares_of(NodeId::new(node)) {
                    self.accumulators[share.accumulator.index()] += share.weight;
                }
            }
        }
        self.plan.read(|number| self.accumulators[number], out);
    }

    /// Evaluates all nodes.
    pub(in crate::features) fn look_at(&mut self, state: &FactSet) {
        evaluate(&self.plan.network, state, &mut self.values);
    }

    /// Whether a signal is true in the state that was looked at.
    pub(in crate::features) fn holds(&self, signal: Signal) -> bool {
        self.values[signal.node().index()] != signal.is_inverted()
    }
}

/// Evaluates all nodes of a network in order, and loops until nothing changes.
pub(super) fn evaluate(network: &Network, state: &FactSet, values: &mut [bool]) {
    for fact in network.interface().fluents.ids() {
        values[1 + fact.index()] = state.get(fact.0);
    }
    let read = |values: &[bool], signal: &Signal| values[signal.node().index()] != signal.is_inverted();
    let gate = |values: &[bool], node: NodeId| match network.kind(node) {
        Kind::And => network.inputs(node).iter().all(|input| read(values, input)),
        _ => network.inputs(node).iter().any(|input| read(values, input)),
    };
    let mut next = network.interface().first_gate();
    let last = network.end();
    for range in network.loops().iter().cloned().chain(std::iter::once(last..last)) {
        for node in ids_in(&(next..range.start)) {
            values[node.index()] = gate(values, node);
        }
        ids_in(&range).for_each(|node| values[node.index()] = false);
        let mut changed = !range.is_empty();
        while changed {
            changed = false;
            for node in ids_in(&range) {
                if !values[node.index()] && gate(values, node) {
                    values[node.index()] = true;
                    changed = true;
                }
            }
        }
        next = range.end;
    }
}
