//! Estimates the cost of a step of a machine without a clock.
//!
//! Several networks give the same answers, and the smallest is not always the fastest: a fluent that is read through
//! others makes their changes propagate further. The cost is the number of values that a step reads or writes. For a batch
//! it follows from the code; for the incremental machine it is counted in random play, which is the same for all networks
//! of a game.

use super::batch::BatchMachine;
use super::incremental::IncrementalMachine;
use super::{CompiledGame, MachineKind};
use crate::ids::float;
use crate::network::NodeId;
use grundy_syntax::{Budget, Exhausted};
use std::sync::Arc;

/// The cost of a step by kind, in values that are read or written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work(pub(crate) Vec<f64>);

/// The weights of the kinds of work are only known roughly, so that a difference of a few percent may be none. Other work
/// counts as less only below this share. A guess; the weights are fitted (`incremental/sample.rs`).
const SIGNIFICANT_SHARE: f64 = 0.98;

impl Work {
    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Whether this is surely no more work than another one.
    pub(crate) fn is_within(&self, other: &Work) -> bool {
        self == other || self.total() <= SIGNIFICANT_SHARE * other.total()
    }
}

/// The average cost of a step of a machine of this kind.
pub(crate) fn work(game: &Arc<CompiledGame>, kind: MachineKind, budget: &Budget) -> Result<Work, Exhausted> {
    Ok(match kind {
        MachineKind::Batch => Work(vec![float(BatchMachine::new(game.clone(), budget)?.work())]),
        MachineKind::Incremental => {
            let machine = IncrementalMachine::new(game.clone(), budget)?;
            machine.work(budget)?.unwrap_or_else(|| all_values(game))
        }
        MachineKind::Scratch => all_values(game),
    })
}

/// The values of all nodes and edges.
fn all_values(game: &CompiledGame) -> Work {
    let values = |node: &NodeId| 1 + game.network().inputs(*node).len();
    let cones = [&game.cones.state, &game.cones.next];
    Work(vec![float(cones.iter().flat_map(|cone| &cone.order).map(values).sum::<usize>())])
}

#[cfg(test)]
mod tests {
    use super::Work;

    #[test]
    fn what_may_be_more_is_not_within() {
        let plain = Work(vec![50.0, 50.0]);
        assert!(plain.is_within(&plain));
        assert!(!Work(vec![50.0, 49.0]).is_within(&plain), "too close");
        assert!(!Work(vec![51.0, 49.0]).is_within(&plain), "as much, but not the same");
        assert!(Work(vec![60.0, 29.0]).is_within(&plain));
    }
}
