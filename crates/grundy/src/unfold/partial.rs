//! A rule on the way: conditions that hold at certain times, and the moves between them.

use crate::metarules::terms::{Bindings, Renumbering, map_literal};
use grundy_syntax::{Literal, TermId, Terms};

/// A condition and how many moves from now it has to hold. Moves that are made have the time of the state
/// in which they are made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Goal {
    pub(crate) literal: Literal,
    pub(crate) time: u8,
}

impl Goal {
    pub(crate) fn new(literal: Literal, time: u8) -> Goal {
        Goal { literal, time }
    }
}

/// A rule that is being unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    /// The arguments of the head.
    pub(crate) head: Vec<TermId>,
    /// The moves, for each time one for each player.
    pub(crate) moves: Vec<TermId>,
    pub(crate) body: Vec<Goal>,
    /// Variables are numbered below this.
    pub(crate) variables: u32,
}

impl Partial {
    /// Replaces variables everywhere, and numbers the rest anew.
    pub(crate) fn substitute(&mut self, terms: &mut Terms, bindings: &Bindings) {
        let mut renumbering = Renumbering::default();
        let mut replace = |term: TermId| {
            let term = bindings.apply(terms, term);
            renumbering.term(terms, term)
        };
        self.head.iter_mut().for_each(|term| *term = replace(*term));
        self.moves.iter_mut().for_each(|term| *term = replace(*term));
        for goal in &mut self.body {
            goal.literal = map_literal(&goal.literal, &mut replace);
        }
        self.variables = renumbering.count;
    }

    /// The conditions that hold at a time, and those that hold at all times.
    pub(crate) fn at(&self, time: u8, is_timeless: impl Fn(&Literal) -> bool) -> Vec<&Literal> {
        let goals = self.body.iter().filter(|goal| goal.time == time || is_timeless(&goal.literal));
        goals.map(|goal| &goal.literal).collect()
    }

    /// The times of the conditions, each once.
    pub(crate) fn times(&self) -> Vec<u8> {
        let mut times: Vec<u8> = self.body.iter().map(|goal| goal.time).collect();
        times.sort_unstable();
        times.dedup();
        times
    }

    /// About what the rule takes.
    pub(super) fn bytes(&self) -> usize {
        const ARGUMENTS: usize = 32;
        let terms = (self.head.len() + self.moves.len()) * size_of::<TermId>();
        size_of::<Partial>() + terms + self.body.len() * (size_of::<Goal>() + ARGUMENTS)
    }

    /// The head with the moves: all that is seen from outside.
    pub(crate) fn outside(&self) -> Vec<TermId> {
        self.head.iter().chain(&self.moves).copied().collect()
    }
}
