//! Valuing features in states.
//!
//! | evaluator | for | how |
//! |---|---|---|
//! | [`Naive`] | a baseline, and a second opinion | the clauses bottom-up, anew for each state, as a deductive database does |
//! | [`Scratch`] | states that have nothing to do with each other | every node of the tables once, in order |
//! | [`Incremental`] | the states of a match | counters, and only what changes is propagated |
//! | [`Batch`] | many states | one bit a state, 512 states at once |
//!
//! All but the first work on a [`Plan`], which either kind of table can be made into, and give the same values.

mod batch;
mod incremental;
mod naive;
mod plan;
mod scratch;
mod simd;

use super::FactId;
use crate::ids::BitSet;
pub use batch::Batch;
pub use incremental::{Change, Incremental};
pub use naive::Naive;
pub(super) use naive::Observer;
pub use plan::Plan;
pub(super) use plan::{Solution, Summary};
pub use scratch::Scratch;

/// The value of a feature. A minimum or maximum without solutions has none.
pub type Value = Option<i64>;

/// The true facts of a state, one bit for each fact that the theory knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactSet {
    pub(super) facts: BitSet<FactId>,
}

impl FactSet {
    /// The empty set, for a number of facts.
    pub fn new(facts: usize) -> FactSet {
        FactSet { facts: BitSet::empty(facts) }
    }

    /// Makes a fact true or false.
    pub fn set(&mut self, fact: FactId, value: bool) {
        self.facts.set(fact, value);
    }

    /// Whether a fact is true.
    pub fn get(&self, fact: FactId) -> bool {
        self.facts.contains(fact)
    }

    /// The true facts.
    pub fn iter(&self) -> impl Iterator<Item = FactId> + '_ {
        self.facts.iter()
    }
}

/// The places of the ones of a word.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}
