//! Lifted reasoning: the answers of a state without grounding.
//!
//! The rules are the flat rules of grounding without links: `true` and `does` are given. Static relations are evaluated
//! once. Of the others, each answer evaluates the components that it depends on. Join plans use branching figures counted
//! in the first states. Expensive views are evaluated on demand where a trial shows that this takes fewer steps.

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

/// Configuration of lifted evaluation.
#[derive(Clone, Debug)]
pub struct LiftedConfig {
    /// Limit: depth of terms.
    pub max_term_depth: usize,
    /// Limit: steps of all answers together, as counted by [`Lifted::steps`].
    pub max_steps: u64,
    /// The time and memory of the call.
    pub budget: Budget,
    /// Which views are evaluated on demand.
    pub on_demand: OnDemand,
    /// How the order of the conditions of a rule is chosen.
    pub join_order: JoinOrder,
}

/// Which views are evaluated on demand, that is, only for the arguments that other rules use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDemand {
    /// Views that take fewer steps on demand, as measured in the first states.
    #[default]
    WhereCheaper,
    /// All views with an argument that all callers bind.
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

/// A game that is evaluated without grounding.
pub struct Lifted {
    evaluation: Evaluation,
    roles: Vec<String>,
}

impl Lifted {
    /// Prepares a game, and evaluates its static relations.
    pub fn new(program: &Program, config: &LiftedConfig) -> Result<Lifted, ReasonError> {
        let evaluation = Evaluation::new(program, config)?;
        let roles = evaluation.role_names();
        Ok(Lifted { evaluation, roles })
    }

    /// The predicates that are evaluated on demand, at least in part. They change during the first states.
    pub fn on_demand(&self) -> Vec<&str> {
        self.evaluation.on_demand()
    }

    /// The number of steps of all answers so far: attempts to match a condition, and derived rows.
    pub fn steps(&self) -> u64 {
        self.evaluation.steps
    }

    /// A fact as a term.
    pub(crate) fn fact(&mut self, text: &str) -> Result<TermId, ReasonError> {
        self.evaluation.term(text)
    }

    /// Evaluates the percepts of a state without moves, and calls `visit` with each of their relations: the shape of the
    /// percepts, in which a variable stands for the column of its number, and the rows.
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

    /// The percepts of each role in a state without moves.
    pub(crate) fn sees_without_moves(
        &mut self,
        state: &LiftedState,
    ) -> Result<Vec<Vec<String>>, ReasonError> {
        self.evaluation.look_at(state)?;
        self.evaluation.play_nothing();
        self.evaluation.answer(Answer::Sees)?;
        Ok(self.evaluation.percepts())
    }

    /// The state that follows a state without moves.
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

    fn move_text(&self, played: TermId) -> String {
        self.evaluation.text(played)
    }

    fn move_of(&mut self, text: &str) -> Result<TermId, ReasonError> {
        self.evaluation.term(text)
    }
}
