//! States as sets of fluents.

use crate::ids::BitSet;
use crate::network::FluentId;

/// A state: the set of the fluents that are true, one bit for each fluent. Equality, hashing and copying cost a few
/// words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(BitSet<FluentId>);

impl State {
    /// The state without facts, for this many fluents.
    pub fn empty(fluents: usize) -> State {
        State(BitSet::empty(fluents))
    }

    /// The state with these facts, in the order of the fluents.
    pub(super) fn from_flags(flags: impl ExactSizeIterator<Item = bool>) -> State {
        State(BitSet::from_flags(flags))
    }

    /// Whether a fluent is true.
    #[inline]
    pub fn get(&self, fluent: FluentId) -> bool {
        self.0.contains(fluent)
    }

    /// Makes a fluent true or false.
    #[inline]
    pub fn set(&mut self, fluent: FluentId, value: bool) {
        self.0.set(fluent, value);
    }

    /// The bits, 64 fluents a word.
    pub fn words(&self) -> &[u64] {
        self.0.words()
    }

    /// Makes all fluents false.
    pub(super) fn clear(&mut self) {
        self.0.words_mut().fill(0);
    }

    /// The fluents that are true, in order.
    pub fn ones(&self) -> impl Iterator<Item = FluentId> + '_ {
        self.0.iter()
    }
}
