//! What can go wrong, and the bounds within which the evaluator works.

use grundy_syntax::{Budget, Exhausted, Keyword};

/// Bounds on one evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many facts may be known at a time.
    pub facts: usize,
    /// How deep terms may nest.
    pub term_depth: usize,
    /// How many steps all evaluations together may take: conditions that are matched with a fact.
    pub steps: u64,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { facts: 20_000_000, term_depth: 100, steps: u64::MAX, budget: Budget::default() }
    }
}

/// Why an evaluation stopped. Rules are printed in KIF notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A rule has a variable that no condition binds.
    #[error("a variable is not bound by any condition of {rule}")]
    Unsafe {
        /// The rule.
        rule: String,
    },
    /// A rule defines what is given from outside.
    #[error("facts are given from outside, and cannot be defined by {rule}")]
    DefinesGiven {
        /// The rule.
        rule: String,
    },
    /// `init` depends on the state, or `legal`, `goal` or `terminal` on the moves.
    #[error("`{keyword}` cannot depend on `{on}`")]
    DependsOn {
        /// What is defined.
        keyword: Keyword,
        /// What it depends on: `true` or `does`.
        on: Keyword,
    },
    /// An atom depends on its own negation.
    #[error("`{atom}` depends on its own negation")]
    NegationCycle {
        /// One such atom.
        atom: String,
    },
    /// The limit on facts was hit.
    #[error("more than {limit} facts (limit `facts`); last derived by {rule}")]
    TooManyFacts {
        /// The limit.
        limit: usize,
        /// The rule that passed it.
        rule: String,
    },
    /// The limit on steps was hit.
    #[error("more than {limit} steps (limit `steps`) in {rule}")]
    TooManySteps {
        /// The limit.
        limit: u64,
        /// The rule that was being evaluated.
        rule: String,
    },
    /// The limit on the depth of terms was hit.
    #[error("terms nest deeper than {limit} (limit `term-depth`) in {rule}")]
    TooDeep {
        /// The limit.
        limit: usize,
        /// The rule that builds them.
        rule: String,
    },
    /// The budget is used up.
    #[error("{reason} in {rule}")]
    Exhausted {
        /// The limit.
        reason: Exhausted,
        /// The rule that was being evaluated.
        rule: String,
    },
    /// The number of moves is not the number of roles.
    #[error("{found} moves for {roles} roles")]
    WrongNumberOfMoves {
        /// How many moves were given.
        found: usize,
        /// How many roles there are.
        roles: usize,
    },
}

impl Error {
    /// Whether a bound was hit, as opposed to the program being wrong.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Error::TooManyFacts { .. }
                | Error::TooManySteps { .. }
                | Error::TooDeep { .. }
                | Error::Exhausted { .. }
        )
    }
}
