//! What looking for metarules and unfolding may cost.

use std::time::{Duration, Instant};

/// Why a search for metarules, or an unfolding, gave up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The theory or game is at fault.
    #[error("{0}")]
    Wrong(String),
    /// The goal, or a fact, cannot be read, or speaks of what the theory does not know.
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
}

impl MetaError {
    pub(crate) fn limit(limit: &'static str, what: impl Into<String>) -> MetaError {
        MetaError::Limit { limit, what: what.into() }
    }

    /// Whether a bound was hit, as opposed to the input being wrong.
    pub fn is_limit(&self) -> bool {
        matches!(self, MetaError::Limit { .. })
    }
}

impl From<grundy_reference::Error> for MetaError {
    fn from(error: grundy_reference::Error) -> MetaError {
        match error.is_limit() {
            true => MetaError::limit("facts", error.to_string()),
            false => MetaError::Wrong(error.to_string()),
        }
    }
}

/// Steps and time that are left.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    steps: u64,
    deadline: Option<Instant>,
}

/// The budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Budget {
    pub(crate) fn new(steps: u64, deadline: Option<Instant>) -> Budget {
        Budget { steps, deadline }
    }

    /// So many steps from now on, and the same deadline.
    pub(crate) fn part(&self, steps: u64) -> Budget {
        Budget { steps: steps.min(self.steps), deadline: self.deadline }
    }

    /// Takes one step; the clock is looked at now and then.
    pub(crate) fn step(&mut self) -> Result<(), Exhausted> {
        self.steps = self.steps.checked_sub(1).ok_or(Exhausted)?;
        if self.steps.is_multiple_of(1024) && self.is_late() { Err(Exhausted) } else { Ok(()) }
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The moment after this time from now, if there is one.
pub(crate) fn deadline_after(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}
