//! How much work a machine has with a step of a game, told without a clock.
//!
//! Several networks give the same answers, and the smallest is not always the fastest: a fluent that is read by way of
//! others makes these change more nodes. What counts are the values that a step has to look at. For a batch that is in
//! its code; for counters it is counted in random play, which is the same for all networks of a game.

use super::batch::BatchMachine;
use super::incremental::IncrementalMachine;
use super::{MachineKind, Rules};
use crate::network::NodeId;
use std::sync::Arc;

/// Values that a machine of this kind reads or writes in a step, on average.
pub fn work(rules: &Arc<Rules>, kind: MachineKind) -> f64 {
    match kind {
        MachineKind::Batch => BatchMachine::new(rules.clone()).work() as f64,
        MachineKind::Incremental => {
            IncrementalMachine::new(rules.clone()).work().unwrap_or_else(|| all_values(rules))
        }
        MachineKind::Scratch => all_values(rules),
    }
}

/// The values of all nodes and edges.
fn all_values(rules: &Rules) -> f64 {
    let values = |node: &NodeId| 1 + rules.network().inputs(*node).len();
    let cones = [&rules.cones.state, &rules.cones.next];
    cones.iter().flat_map(|cone| &cone.order).map(values).sum::<usize>() as f64
}
