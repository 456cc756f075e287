//! A machine for what is ground, the lifted engine for the rest.
//!
//! A view with too many instances stays lifted. Often only the end of a game or its goals depend on it: then a machine
//! plays, and the lifted engine gives only these answers, in the states where they are requested.

use super::{AnyCursor, Machine, MachineReasoner, MoveName, State};
use crate::ids::IdVec;
use crate::lifted::{Lifted, LiftedState};
use crate::network::{FluentId, LiftedAnswers};
use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy_syntax::Budget;
use grundy_syntax::TermId;
use std::sync::Arc;

/// A machine and the lifted engine side by side.
pub struct Hybrid {
    machine: MachineReasoner<AnyCursor>,
    /// The answers that come from the lifted engine.
    asked: LiftedAnswers,
    lifted: Lifted,
    /// For each fluent its term in the lifted engine.
    facts: IdVec<FluentId, TermId>,
}

impl Hybrid {
    /// Puts a machine and a lifted engine of the same game together. The machine has to have whole states.
    pub fn new(machine: &Machine, mut lifted: Lifted) -> Result<Hybrid, ReasonError> {
        let game = Arc::clone(machine.game());
        let fluents = game.interface().fluents.iter();
        let facts = fluents.map(|fluent| lifted.fact(&fluent.text)).collect::<Result<Vec<_>, _>>()?;
        let asked = game.interface().lifted.clone();
        Ok(Hybrid { machine: MachineReasoner::new(machine.cursor()), asked, lifted, facts: facts.into() })
    }

    /// Answers no more questions after this time.
    pub fn within(mut self, budget: Budget) -> Hybrid {
        self.machine = self.machine.within(budget);
        self
    }

    fn lift(&self, state: &State) -> LiftedState {
        LiftedState::of(state.ones().map(|fluent| self.facts[fluent]).collect())
    }
}

impl Reasoner for Hybrid {
    type State = State;
    type Move = MoveName;

    fn roles(&self) -> Vec<String> {
        self.machine.roles()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        self.machine.initial()
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<MoveName>>, ReasonError> {
        self.machine.legal(state)
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        if self.asked.terminal {
            let lifted = self.lift(state);
            return self.lifted.is_terminal(&lifted);
        }
        self.machine.is_terminal(state)
    }

    fn goals(&mut self, state: &State) -> Result<Vec<GoalValue>, ReasonError> {
        if self.asked.goals {
            let lifted = self.lift(state);
            return self.lifted.goals(&lifted);
        }
        self.machine.goals(state)
    }

    fn next(&mut self, state: &State, moves: &[MoveName]) -> Result<State, ReasonError> {
        self.machine.next(state, moves)
    }

    fn sees(&mut self, state: &State, moves: &[MoveName]) -> Result<Vec<Vec<String>>, ReasonError> {
        if self.asked.sees {
            let texts = moves.iter().map(|&name| self.machine.move_text(name));
            let texts: Vec<String> = texts.collect();
            let joint = texts.iter().map(|text| self.lifted.move_of(text)).collect::<Result<Vec<_>, _>>()?;
            let lifted = self.lift(state);
            return self.lifted.sees(&lifted, &joint);
        }
        self.machine.sees(state, moves)
    }

    fn facts(&self, state: &State) -> Vec<String> {
        self.machine.facts(state)
    }

    fn state_of(&mut self, facts: &[String]) -> Result<State, ReasonError> {
        self.machine.state_of(facts)
    }

    fn move_text(&self, name: MoveName) -> String {
        self.machine.move_text(name)
    }

    fn move_of(&mut self, text: &str) -> Result<MoveName, ReasonError> {
        self.machine.move_of(text)
    }
}
