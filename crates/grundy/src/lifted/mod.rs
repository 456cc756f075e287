//! Lifted reasoning: the answers of a state without grounding.
//!
//! The rules are the flat ones of grounding, without links: `true` and `does` are given. What is
//! static is evaluated once; of the rest, only what an answer needs is evaluated, component by
//! component, when it is asked for. Join plans are made with branching figures that are counted in the
//! first states. What takes many steps is tried on demand, and stays so if that takes fewer.
//! Relations keep their memory from state to state.

mod evaluate;
mod phases;
mod prepare;
mod state;
mod treatment;
mod trials;

use crate::datalog::{JoinOrder, Relation};
use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use evaluate::Evaluation;
use grundy_syntax::{Budget, Keyword, Program, Symbols, TermId, Terms};
use prepare::Answer;
pub use state::LiftedState;

/// Bounds on lifted reasoning.
#[derive(Clone, Debug)]
pub struct LiftedConfig {
    /// Limit: depth of terms.
    pub max_term_depth: usize,
    /// Limit: how many steps all answers together may take, as [`Lifted::steps`] counts them.
    pub max_steps: u64,
    /// The time and memory of the call.
    pub budget: Budget,
    /// Which views are evaluated on demand.
    pub on_demand: OnDemand,
    /// In which order the conditions of a rule are matched.
    pub join_order: JoinOrder,
}

/// Which views are evaluated on demand: only as far as somebody asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDemand {
    /// Those that take fewer steps then, which shows in the first states.
    #[default]
    WhereCheaper,
    /// All of which callers bind something.
    WherePossible,
}

impl Default for LiftedConfig {
    fn default() -> LiftedConfig {
        LiftedConfig {
            max_term_depth: 64,
            max_steps: u64::MAX,
            budget: Budget::default(),
            on_demand: OnDemand::default(),
            join_order: JoinOrder::default(),
        }
    }
}

/// A game that answers without being ground.
pub struct Lifted {
    evaluation: Evaluation,
    roles: Vec<String>,
}

impl Lifted {
    /// Prepares a game; everything static is evaluated.
    pub fn new(program: &Program, config: &LiftedConfig) -> Result<Lifted, ReasonError> {
        let evaluation = Evaluation::new(program, config)?;
        let roles = evaluation.role_names();
        Ok(Lifted { evaluation, roles })
    }

    /// The predicates of which something is evaluated only as far as it is asked for. It takes some states to see for
    /// which of them that is worth it.
    pub fn on_demand(&self) -> Vec<&str> {
        self.evaluation.on_demand()
    }

    /// How many steps all answers so far have taken: attempts to match a condition, and what was derived.
    pub fn steps(&self) -> u64 {
        self.evaluation.steps
    }

    /// A fact as a term.
    pub(crate) fn fact(&mut self, text: &str) -> Result<TermId, ReasonError> {
        self.evaluation.term(text)
    }

    /// Evaluates what can be seen in a state if nobody makes a move, and calls `visit` with each relation of it: the shape
    /// of what is seen, in which a variable stands for the column of its number, and the rows.
    pub(crate) fn observe(
        &mut self,
        state: &LiftedState,
        visit: impl FnMut(&Symbols, &Terms, TermId, &Relation),
    ) -> Result<(), ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.answer(Answer::Sees)?;
        self.evaluation.for_each_percept(visit);
        Ok(())
    }

    /// What each role is told in a state in which no move is made.
    pub(crate) fn sees_without_moves(
        &mut self,
        state: &LiftedState,
    ) -> Result<Vec<Vec<String>>, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.play_nothing();
        self.evaluation.answer(Answer::Sees)?;
        Ok(self.evaluation.percepts())
    }

    /// What follows if nobody makes a move.
    pub(crate) fn next_without_moves(&mut self, state: &LiftedState) -> Result<LiftedState, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.play_nothing();
        self.evaluation.answer(Answer::Next)?;
        self.evaluation.next_state()
    }
}

impl Reasoner for Lifted {
    type State = LiftedState;
    type Move = TermId;

    fn roles(&self) -> Vec<String> {
        self.roles.clone()
    }

    fn initial(&mut self) -> Result<LiftedState, ReasonError> {
        Ok(self.evaluation.initial())
    }

    fn legal(&mut self, state: &LiftedState) -> Result<Vec<Vec<TermId>>, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.answer(Answer::Legal)?;
        Ok(self.evaluation.legal_moves())
    }

    fn is_terminal(&mut self, state: &LiftedState) -> Result<bool, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.answer(Answer::Terminal)?;
        Ok(self.evaluation.any(Keyword::Terminal))
    }

    fn goals(&mut self, state: &LiftedState) -> Result<Vec<GoalValue>, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.answer(Answer::Goal)?;
        Ok(self.evaluation.goals())
    }

    fn next(&mut self, state: &LiftedState, moves: &[TermId]) -> Result<LiftedState, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.play(moves)?;
        self.evaluation.answer(Answer::Next)?;
        self.evaluation.next_state()
    }

    fn sees(&mut self, state: &LiftedState, moves: &[TermId]) -> Result<Vec<Vec<String>>, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.play(moves)?;
        self.evaluation.answer(Answer::Sees)?;
        Ok(self.evaluation.percepts())
    }

    fn facts(&self, state: &LiftedState) -> Vec<String> {
        let mut texts: Vec<String> = state.0.iter().map(|&fact| self.evaluation.text(fact)).collect();
        texts.sort_unstable();
        texts
    }

    fn state_of(&mut self, facts: &[String]) -> Result<LiftedState, ReasonError> {
        let facts = facts.iter().map(|fact| self.evaluation.term(fact));
        let mut facts = facts.collect::<Result<Vec<TermId>, _>>()?;
        facts.sort_unstable();
        facts.dedup();
        Ok(LiftedState(facts))
    }

    fn move_text(&self, one_move: TermId) -> String {
        self.evaluation.text(one_move)
    }

    fn move_of(&mut self, text: &str) -> Result<TermId, ReasonError> {
        self.evaluation.term(text)
    }
}
