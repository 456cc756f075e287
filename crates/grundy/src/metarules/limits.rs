//! What looking for metarules and unfolding may cost: counted steps, and the budget of the call.
//!
//! Searches and proofs end after a counted number of [`Steps`], so that the same input gives the same result on an idle
//! machine and on a busy one. A step is about as much work as matching one row: a tenth of a microsecond. The budget, which
//! knows the clock, is checked on the way; it is the last resort, and ends a stage with an error. What is not a matching of
//! rows is counted as so many steps as take about the same time.

use grundy_syntax::{Budget, Exhausted};
use std::cell::Cell;

/// Why a search for metarules, or an unfolding, gave up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The theory or game is wrong.
    #[error("{0}")]
    Wrong(String),
    /// The goal or a fact cannot be read, or names something that does not occur in the theory.
    #[error("{0}")]
    BadGoal(String),
    /// A limit was hit.
    #[error("{what} (limit `{limit}`)")]
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// What there was too much of.
        what: String,
    },
    /// The budget of the call is used up.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl MetaError {
    pub(crate) fn limit(limit: &'static str, what: impl Into<String>) -> MetaError {
        MetaError::Limit { limit, what: what.into() }
    }

    /// Whether a bound was hit, as opposed to the input being wrong.
    pub fn is_limit(&self) -> bool {
        matches!(self, MetaError::Limit { .. } | MetaError::Exhausted(_))
    }
}

impl From<grundy_reference::Error> for MetaError {
    fn from(error: grundy_reference::Error) -> MetaError {
        match error {
            grundy_reference::Error::Exhausted { reason, .. } => MetaError::Exhausted(reason),
            grundy_reference::Error::TooManySteps { .. } => MetaError::limit("steps", error.to_string()),
            _ if error.is_limit() => MetaError::limit("facts", error.to_string()),
            _ => MetaError::Wrong(error.to_string()),
        }
    }
}

/// The steps between two checks of the budget: a tenth of a millisecond.
const STEPS_PER_CHECK: u64 = 1024;

/// The steps that are left, and the budget. Counted behind a shared reference, as most functions only pass it on.
#[derive(Debug)]
pub(crate) struct Steps {
    left: Cell<u64>,
    until_check: Cell<u64>,
    budget: Budget,
}

/// The steps, or the budget, are used up.
///
/// Like a budget, steps stay used up. Inner functions may therefore return any answer that is safe to use; the stage
/// around them asks for the reason with [`Budget::check`], and then whether [`Steps::are_over`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl Steps {
    pub(crate) fn new(steps: u64, budget: &Budget) -> Steps {
        Steps { left: Cell::new(steps), until_check: Cell::new(0), budget: budget.clone() }
    }

    /// Takes one step.
    #[inline]
    pub(crate) fn step(&self) -> Result<(), Stopped> {
        self.work(1)
    }

    /// Takes several steps at once.
    #[inline]
    pub(crate) fn work(&self, steps: u64) -> Result<(), Stopped> {
        let Some(left) = self.left.get().checked_sub(steps) else {
            self.left.set(0);
            return Err(Stopped);
        };
        self.left.set(left);
        match self.until_check.get().checked_sub(steps) {
            Some(until_check) => self.until_check.set(until_check),
            None => return self.check(),
        }
        Ok(())
    }

    #[cold]
    fn check(&self) -> Result<(), Stopped> {
        self.until_check.set(STEPS_PER_CHECK);
        if self.budget.is_over() {
            self.left.set(0);
            return Err(Stopped);
        }
        Ok(())
    }

    /// Runs something that may take no more than so many of these steps.
    pub(crate) fn within<R>(&self, most: u64, run: impl FnOnce(&Steps) -> R) -> R {
        let granted = most.min(self.left.get());
        let part = Steps {
            left: Cell::new(granted),
            until_check: self.until_check.clone(),
            budget: self.budget.clone(),
        };
        let result = run(&part);
        self.until_check.set(part.until_check.get());
        self.left.set(if self.budget.is_over() { 0 } else { self.left.get() - (granted - part.left.get()) });
        result
    }

    /// How many steps are left.
    #[cfg(test)]
    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Whether the steps are used up, or the budget.
    pub(crate) fn are_over(&self) -> bool {
        self.left.get() == 0 || self.budget.is_over()
    }

    /// The budget of the call.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn steps_are_counted_and_stay_used_up() {
        let steps = Steps::new(10, &Budget::default());
        assert_eq!((steps.work(9), steps.left()), (Ok(()), 1));
        assert_eq!(steps.work(2), Err(Stopped));
        assert_eq!(steps.step(), Err(Stopped));
        assert!(steps.are_over());
    }

    #[test]
    fn a_part_takes_its_steps_from_the_whole() {
        let steps = Steps::new(100, &Budget::default());
        assert_eq!(steps.within(10, |part| part.work(4)), Ok(()));
        assert_eq!(steps.left(), 96);
        assert_eq!(steps.within(10, |part| part.work(11)), Err(Stopped));
        assert_eq!((steps.left(), steps.are_over()), (86, false));
        assert_eq!(steps.within(1000, |part| part.left()), 86);
    }

    #[test]
    fn the_budget_ends_the_steps() {
        let budget = Budget::new(Some(Duration::ZERO));
        let steps = Steps::new(u64::MAX, &budget);
        assert!(steps.work(1).is_err() && steps.are_over());
        let interrupted = Budget::default();
        let steps = Steps::new(u64::MAX, &interrupted);
        assert_eq!(steps.step(), Ok(()));
        interrupted.interrupt();
        let taken = (0..10_000).take_while(|_| steps.step().is_ok()).count();
        assert!(taken < 10_000 && steps.left() == 0);
    }

    #[test]
    fn short_parts_check_the_budget_as_well() {
        let budget = Budget::default();
        let steps = Steps::new(u64::MAX, &budget);
        budget.interrupt();
        let run = (0..10_000).take_while(|_| steps.within(5, |part| part.step()).is_ok()).count();
        assert!(run < 10_000, "{run}");
    }
}
