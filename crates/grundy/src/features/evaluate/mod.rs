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

use crate::ids::{Id, narrow};
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FactSet {
    pub(super) words: Vec<u64>,
}

impl FactSet {
    /// No fact of so many.
    pub fn new(facts: usize) -> FactSet {
        FactSet { words: vec![0; facts.div_ceil(64)] }
    }

    /// Makes a fact true or false.
    pub fn set(&mut self, fact: u32, value: bool) {
        let bit = 1 << (fact % 64);
        let word = &mut self.words[fact.index() / 64];
        *word = if value { *word | bit } else { *word & !bit };
    }

    /// Whether a fact is true.
    pub fn get(&self, fact: u32) -> bool {
        self.words[fact.index() / 64] >> (fact % 64) & 1 == 1
    }

    /// The true facts.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(number, &word)| bits(word).map(move |bit| narrow(number) * 64 + bit))
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
