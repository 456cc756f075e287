//! What every engine can be asked, so that one piece of code plays, replays and counts with any.

use crate::flat::read_ground_term;
use grundy_syntax::{Exhausted, Program, TermId};
use std::fmt;

/// Why an engine could not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReasonError {
    /// The description of the game is at fault.
    #[error("{0}")]
    Game(String),
    /// A limit was hit.
    #[error("{message}")]
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// What happened, with the rule if there is one.
        message: String,
        /// The responsible rule; empty if there is none.
        rule: String,
    },
    /// A fact or move was given that is no ground term.
    #[error("`{0}` is not a ground term")]
    NotATerm(String),
}

impl From<Exhausted> for ReasonError {
    fn from(reason: Exhausted) -> ReasonError {
        ReasonError::Limit { limit: reason.name(), message: reason.to_string(), rule: String::new() }
    }
}

/// What the rules say about the goal of a role in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalValue {
    /// No goal rule of the role applies.
    Missing,
    /// Exactly one value, and it is a number.
    Number(i32),
    /// More than one value.
    Several,
    /// Exactly one value, and it is not a number.
    NotANumber,
}

impl GoalValue {
    /// Combines the values that rules give to one role; `None` stands for a value that is not a number.
    pub fn of(values: impl Iterator<Item = Option<i32>>) -> GoalValue {
        let mut values = values.fuse();
        match (values.next(), values.next()) {
            (None, _) => GoalValue::Missing,
            (Some(Some(value)), None) => GoalValue::Number(value),
            (Some(None), None) => GoalValue::NotANumber,
            (Some(_), Some(_)) => GoalValue::Several,
        }
    }

    /// The value, if it is a single number.
    pub fn number(self) -> Option<i32> {
        match self {
            GoalValue::Number(value) => Some(value),
            GoalValue::Missing | GoalValue::Several | GoalValue::NotANumber => None,
        }
    }
}

impl fmt::Display for GoalValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoalValue::Missing => f.write_str("none"),
            GoalValue::Number(value) => value.fmt(f),
            GoalValue::Several => f.write_str("several"),
            GoalValue::NotANumber => f.write_str("not-a-number"),
        }
    }
}

/// An engine that answers questions about the states of one game.
///
/// Roles are numbered in the order of the sheet. Moves and facts are terms, which the engine can
/// print and read. `&mut self` is for caches: the answers depend on the arguments alone.
pub trait Reasoner {
    /// A state, cheap enough to keep some of.
    type State: Clone;
    /// A move of one role.
    type Move: Copy + Eq;

    /// The names of the roles.
    fn roles(&self) -> Vec<String>;

    /// The state at the start.
    fn initial(&mut self) -> Result<Self::State, ReasonError>;

    /// For each role, its legal moves. The order is the same for equal states.
    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<Self::Move>>, ReasonError>;

    /// Whether the game is over.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError>;

    /// For each role its goal value.
    fn goals(&mut self, state: &Self::State) -> Result<Vec<GoalValue>, ReasonError>;

    /// The state after these moves, one for each role.
    fn next(&mut self, state: &Self::State, moves: &[Self::Move]) -> Result<Self::State, ReasonError>;

    /// What each role is told when these moves are played (GDL-II), as text.
    fn sees(&mut self, state: &Self::State, moves: &[Self::Move]) -> Result<Vec<Vec<String>>, ReasonError>;

    /// The true facts of a state, as text, sorted.
    fn facts(&self, state: &Self::State) -> Vec<String>;

    /// The state in which exactly these facts are true.
    fn state_of(&mut self, facts: &[String]) -> Result<Self::State, ReasonError>;

    /// A move as text.
    fn move_text(&self, one_move: Self::Move) -> String;

    /// The move that a text stands for.
    fn move_of(&mut self, text: &str) -> Result<Self::Move, ReasonError>;
}

/// The reference reasoner as an engine. Moves are sorted by their text, as are those of the other
/// engines, so that equal seeds give equal games.
pub struct Reference {
    game: grundy_reference::Game,
    roles: Vec<String>,
}

impl Reference {
    /// Prepares a game.
    pub fn new(program: Program, limits: grundy_reference::Limits) -> Result<Reference, ReasonError> {
        let game = grundy_reference::Game::new(program, limits)?;
        let roles = game.roles().iter().map(|&role| game.text(role)).collect();
        Ok(Reference { game, roles })
    }

    fn texts(&self, terms: &[TermId]) -> Vec<String> {
        let mut texts: Vec<String> = terms.iter().map(|&term| self.game.text(term)).collect();
        texts.sort_unstable();
        texts
    }

    fn term(&mut self, text: &str) -> Result<TermId, ReasonError> {
        let (symbols, terms) = self.game.names_and_terms_mut();
        read_ground_term(text, symbols, terms).ok_or_else(|| ReasonError::NotATerm(text.to_owned()))
    }
}

impl From<grundy_reference::Error> for ReasonError {
    fn from(error: grundy_reference::Error) -> ReasonError {
        let message = error.to_string();
        match error {
            grundy_reference::Error::TooManyFacts { rule, .. } => {
                ReasonError::Limit { limit: "facts", message, rule }
            }
            grundy_reference::Error::TooManySteps { rule, .. } => {
                ReasonError::Limit { limit: "steps", message, rule }
            }
            grundy_reference::Error::TooDeep { rule, .. } => {
                ReasonError::Limit { limit: "term-depth", message, rule }
            }
            grundy_reference::Error::Exhausted { reason, rule } => {
                ReasonError::Limit { limit: reason.name(), message, rule }
            }
            _ => ReasonError::Game(message),
        }
    }
}

impl Reasoner for Reference {
    type State = grundy_reference::State;
    type Move = TermId;

    fn roles(&self) -> Vec<String> {
        self.roles.clone()
    }

    fn initial(&mut self) -> Result<Self::State, ReasonError> {
        Ok(self.game.initial()?)
    }

    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<TermId>>, ReasonError> {
        let mut legal = self.game.legal(state)?;
        for moves in &mut legal {
            moves.sort_by_cached_key(|&one_move| self.game.text(one_move));
        }
        Ok(legal)
    }

    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError> {
        Ok(self.game.is_terminal(state)?)
    }

    fn goals(&mut self, state: &Self::State) -> Result<Vec<GoalValue>, ReasonError> {
        let goals = self.game.goals(state)?;
        let number = |&value: &TermId| self.game.text(value).parse().ok();
        Ok(goals.iter().map(|values| GoalValue::of(values.iter().map(number))).collect())
    }

    fn next(&mut self, state: &Self::State, moves: &[TermId]) -> Result<Self::State, ReasonError> {
        Ok(self.game.next(state, moves)?)
    }

    fn sees(&mut self, state: &Self::State, moves: &[TermId]) -> Result<Vec<Vec<String>>, ReasonError> {
        let sees = self.game.sees(state, moves)?;
        Ok(sees.iter().map(|percepts| self.texts(percepts)).collect())
    }

    fn facts(&self, state: &Self::State) -> Vec<String> {
        self.texts(state)
    }

    fn state_of(&mut self, facts: &[String]) -> Result<Self::State, ReasonError> {
        let mut state = facts.iter().map(|fact| self.term(fact)).collect::<Result<Vec<_>, _>>()?;
        state.sort_unstable();
        state.dedup();
        Ok(state)
    }

    fn move_text(&self, one_move: TermId) -> String {
        self.game.text(one_move)
    }

    fn move_of(&mut self, text: &str) -> Result<TermId, ReasonError> {
        self.term(text)
    }
}
