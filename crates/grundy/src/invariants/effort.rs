//! Counted work, which bounds proofs instead of the clock: the same game has the same invariants on an idle machine and on a
//! busy one.
//!
//! All parts of a proof share one [`Effort`]. Each adds what it has done, in units of about ten nanoseconds, and stops at a
//! number of units that it was given. The [`Budget`] of the call is the last resort: when it is used up, everything stops,
//! and the result says so.

use crate::ids::{float, wide};
use grundy_syntax::Budget;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Units of work.
pub(super) type Units = u64;

/// The approximate units in a second. Measured by no command: a unit is defined as about ten nanoseconds.
pub(super) const PER_SECOND: Units = 100_000_000;

/// The units between two checks of the budget: a millisecond.
const UNITS_PER_CHECK: Units = 100_000;

/// The work of a time.
pub(super) const fn units(time: Duration) -> Units {
    // `From` is not available in constant functions; limits are far below 2^64 milliseconds.
    time.as_millis() as u64 * (PER_SECOND / 1000)
}

/// A counter of work. Clones count together.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    counter: Rc<Counter>,
}

#[derive(Debug)]
struct Counter {
    spent: Cell<Units>,
    /// When the budget is checked again.
    next_check: Cell<Units>,
    is_stopped: Cell<bool>,
    budget: Budget,
}

impl Effort {
    pub(super) fn new(budget: Budget) -> Effort {
        let is_stopped = Cell::new(budget.is_over());
        let (spent, next_check) = (Cell::new(0), Cell::new(UNITS_PER_CHECK));
        Effort { counter: Rc::new(Counter { spent, next_check, is_stopped, budget }) }
    }

    /// The work that has been counted.
    pub(super) fn spent(&self) -> Units {
        self.counter.spent.get()
    }

    /// Counts work.
    pub(super) fn spend(&self, units: usize) {
        let spent = self.spent() + wide(units);
        self.counter.spent.set(spent);
        if spent >= self.counter.next_check.get() {
            self.counter.next_check.set(spent + UNITS_PER_CHECK);
            self.check();
        }
    }

    /// Checks the budget now.
    pub(super) fn check(&self) {
        if self.counter.budget.is_over() {
            self.counter.is_stopped.set(true);
        }
    }

    /// Whether the budget is used up.
    pub(super) fn is_stopped(&self) -> bool {
        self.counter.is_stopped.get()
    }

    /// Whether the work has reached this number, or the budget is used up.
    pub(super) fn is_over(&self, until: Units) -> bool {
        self.spent() >= until || self.is_stopped()
    }

    /// The end of a share of the work that is left until an end.
    pub(super) fn share(&self, until: Units, share: f64) -> Units {
        let left = until.saturating_sub(self.spent());
        // Rounds down; shares are at most one, so that the product fits.
        self.spent() + (float(left) * share) as Units
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.counter.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::length;

    #[test]
    fn clones_count_together() {
        let effort = Effort::new(Budget::default());
        effort.clone().spend(70);
        assert_eq!((effort.spent(), effort.share(170, 0.5)), (70, 120));
        assert!(!effort.is_over(71) && effort.is_over(70));
    }

    #[test]
    fn the_budget_is_the_last_resort() {
        let budget = Budget::default();
        let effort = Effort::new(budget.clone());
        budget.interrupt();
        assert!(!effort.is_over(Units::MAX), "it is not checked all the time");
        effort.spend(length(UNITS_PER_CHECK));
        assert!(effort.is_over(Units::MAX) && effort.is_stopped());
        assert!(Effort::new(budget).is_stopped());
    }
}
