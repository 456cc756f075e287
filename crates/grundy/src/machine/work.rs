//! How much work a machine has with a step of a game, told without a clock.
//!
//! Several networks give the same answers, and the smallest is not always the fastest: a fluent that is read by way of
//! others makes these change more nodes. What counts are the values that a step has to look at. For a batch that is in
//! its code; for counters it is counted in random play, which is the same for all networks of a game.

use super::batch::BatchMachine;
use super::scratch::{evaluate, is_legal, value};
use super::{MachineKind, Rules};
use crate::network::{MoveId, NodeId};
use std::sync::Arc;

/// Values that are looked at while playing are about this many.
const MOST_LOOKS: usize = 40_000_000;

/// Steps that are played.
const MOST_STEPS: usize = 256;
const FEWEST_STEPS: usize = 4;

/// The seed of random play.
const SEED: u64 = 7;

/// Values that a machine of this kind reads or writes in a step, on average.
pub fn work(rules: &Arc<Rules>, kind: MachineKind) -> f64 {
    match kind {
        MachineKind::Batch => BatchMachine::new(rules.clone()).work() as f64,
        MachineKind::Incremental => Course::new(rules).play(),
        MachineKind::Scratch => {
            let edges = |node: &NodeId| 1 + rules.network().inputs(*node).len();
            [&rules.cones.state, &rules.cones.next]
                .iter()
                .flat_map(|cone| &cone.order)
                .map(edges)
                .sum::<usize>() as f64
        }
    }
}

/// Random play, with the values of all nodes.
struct Course<'a> {
    rules: &'a Rules,
    values: Vec<bool>,
    old: Vec<bool>,
    /// For each node how many counters read it.
    readers: Vec<u32>,
    joint: Vec<MoveId>,
    rng: fastrand::Rng,
}

impl Course<'_> {
    fn new(rules: &Rules) -> Course<'_> {
        let network = rules.network();
        let mut readers = vec![0; network.node_count()];
        for &node in [&rules.cones.state, &rules.cones.next].iter().flat_map(|cone| &cone.order) {
            network.inputs(node).iter().for_each(|input| readers[input.node().index()] += 1);
        }
        let values = vec![false; network.node_count()];
        let rng = fastrand::Rng::with_seed(SEED);
        Course { rules, old: values.clone(), values, readers, joint: Vec::new(), rng }
    }

    /// The mean number of values that change in a step, and of counters that this changes.
    fn play(&mut self) -> f64 {
        let size = self.rules.network().node_count() + self.rules.network().edge_count();
        let steps = (MOST_LOOKS / size.max(1)).clamp(FEWEST_STEPS, MOST_STEPS);
        self.begin();
        let (mut changes, mut played) = (0, 0);
        for _ in 0..steps {
            if !self.choose() {
                self.begin();
                if !self.choose() {
                    break;
                }
            }
            changes += self.changes();
            self.follow();
            changes += self.changes();
            played += 1;
        }
        changes as f64 / f64::from(played.max(1))
    }

    fn begin(&mut self) {
        for fluent in 0..self.rules.interface().fluents.len() {
            self.values[1 + fluent] = self.rules.initial.get(fluent);
        }
        self.settle();
        self.old.copy_from_slice(&self.values);
    }

    fn settle(&mut self) {
        let network = self.rules.network();
        evaluate(network, &self.rules.cones.state, &mut self.values);
        evaluate(network, &self.rules.cones.next, &mut self.values);
    }

    /// Chooses a move for each role; `false` if the game is over.
    fn choose(&mut self) -> bool {
        let interface = self.rules.interface();
        if value(&self.values, interface.terminal) {
            return false;
        }
        let mut joint = Vec::with_capacity(self.joint.len());
        for role in interface.role_ids() {
            let moves = interface.moves_of(role).map(MoveId);
            let legal = |one_move: &MoveId| is_legal(&self.values, &interface.moves[one_move.0 as usize]);
            let legal: Vec<MoveId> = moves.filter(legal).collect();
            let Some(&chosen) = self.rng.choice(&legal) else { return false };
            joint.push(chosen);
        }
        let mut set = |joint: &[MoveId], done: bool| {
            joint.iter().for_each(|&one| self.values[interface.move_node(one).index()] = done);
        };
        set(&self.joint, false);
        set(&joint, true);
        self.joint = joint;
        self.settle();
        true
    }

    /// Goes to the next state. The moves stay asserted until there are others.
    fn follow(&mut self) {
        let fluents = &self.rules.interface().fluents;
        let following: Vec<bool> = fluents.iter().map(|fluent| value(&self.values, fluent.next)).collect();
        self.values[1..=following.len()].copy_from_slice(&following);
        self.settle();
    }

    /// What has changed since the last time, with the counters that read it.
    fn changes(&mut self) -> u64 {
        let changed =
            self.values.iter().zip(&self.old).zip(&self.readers).filter(|((new, old), _)| new != old);
        let changes = changed.map(|(_, &readers)| 1 + u64::from(readers)).sum();
        self.old.copy_from_slice(&self.values);
        changes
    }
}
