//! States as bits.

use crate::ids::Id;
/// A state: a bit for each fluent. Equality, hashing and copying cost a few words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    words: Box<[u64]>,
}

impl State {
    /// The state without facts, for this many fluents.
    pub fn empty(fluents: usize) -> State {
        State { words: vec![0; fluents.div_ceil(64)].into() }
    }

    /// The state with these facts, in the order of the fluents.
    pub(super) fn from_flags(flags: impl ExactSizeIterator<Item = bool>) -> State {
        let mut state = State::empty(flags.len());
        flags.enumerate().for_each(|(fluent, flag)| state.set(fluent, flag));
        state
    }

    /// Whether a fluent is true.
    pub fn get(&self, fluent: usize) -> bool {
        self.words[fluent / 64] >> (fluent % 64) & 1 == 1
    }

    /// Makes a fluent true or false.
    pub fn set(&mut self, fluent: usize, value: bool) {
        let bit = 1 << (fluent % 64);
        if value {
            self.words[fluent / 64] |= bit;
        } else {
            self.words[fluent / 64] &= !bit;
        }
    }

    /// The bits, 64 fluents a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits, to be changed.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The numbers of the fluents that are true, in order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let rest = |word: &u64| (word & (word - 1) != 0).then(|| word & (word - 1));
            let words = std::iter::successors((word != 0).then_some(word), rest);
            words.map(move |word| number * 64 + word.trailing_zeros().index())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_and_listed() {
        let mut state = State::empty(130);
        [0, 63, 64, 129].iter().for_each(|&fluent| state.set(fluent, true));
        assert_eq!(state.ones().collect::<Vec<_>>(), [0, 63, 64, 129]);
        state.set(63, false);
        assert!(!state.get(63) && state.get(64));
    }
}
