//! Machines behind the trait of all engines.

use super::{Cursor, State};
use crate::network::{MoveId, RoleId};
use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy_syntax::{Budget, Ticks};

grundy_syntax::define_id! {
    /// The text of a move; moves of several roles may share it.
    pub struct MoveName(u32);
}

/// A cursor that answers like any other engine.
pub struct MachineReasoner<P> {
    cursor: P,
    /// The state of the cursor.
    current: State,
    budget: Budget,
    ticks: Ticks,
}

/// The work of an answer, as [`Ticks`] count it: a guess.
const WORK: usize = 8;

impl<P: Cursor> MachineReasoner<P> {
    /// Wraps a player.
    pub fn new(mut cursor: P) -> MachineReasoner<P> {
        cursor.reset();
        let current = cursor.game().initial().clone();
        MachineReasoner { cursor, current, budget: Budget::default(), ticks: Ticks::default() }
    }

    /// The same reasoner within a budget.
    pub fn within(mut self, budget: Budget) -> MachineReasoner<P> {
        self.budget = budget;
        self
    }

    fn look_at(&mut self, state: &State) -> Result<(), ReasonError> {
        self.ticks.work(&self.budget, WORK)?;
        if self.current != *state {
            self.cursor.look_at(state);
            self.current.clone_from(state);
        }
        Ok(())
    }

    fn joint(&self, moves: &[MoveName]) -> Result<Vec<MoveId>, ReasonError> {
        let game = self.cursor.game();
        let roles = &game.interface().roles;
        if moves.len() != roles.len() {
            return Err(ReasonError::Game(format!("{} moves for {} roles", moves.len(), roles.len())));
        }
        let of_role = |(role, &name): (RoleId, &MoveName)| {
            game.moves[role].get(&name).copied().ok_or_else(|| {
                ReasonError::Game(format!("{} can never play `{}`", roles[role], game.names[name]))
            })
        };
        roles.ids().zip(moves).map(of_role).collect()
    }
}

impl<P: Cursor> Reasoner for MachineReasoner<P> {
    type State = State;
    type Move = MoveName;

    fn roles(&self) -> Vec<String> {
        self.cursor.game().interface().roles.as_slice().to_vec()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        Ok(self.cursor.game().initial().clone())
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<MoveName>>, ReasonError> {
        self.look_at(state)?;
        let mut legal = Vec::new();
        for role in self.cursor.game().interface().role_ids() {
            let all = self.cursor.game().interface().moves_of(role);
            let moves: Vec<MoveId> = all.filter(|&candidate| self.cursor.is_legal(candidate)).collect();
            let game = self.cursor.game();
            let name = |legal: MoveId| {
                game.find_name(&game.interface().moves[legal].text).expect("every text is a name")
            };
            legal.push(moves.into_iter().map(name).collect());
        }
        Ok(legal)
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.look_at(state)?;
        Ok(self.cursor.is_terminal())
    }

    fn goals(&mut self, state: &State) -> Result<Vec<GoalValue>, ReasonError> {
        self.look_at(state)?;
        let roles = self.cursor.game().interface().role_ids();
        Ok(roles.map(|role| self.cursor.goal(role)).collect())
    }

    fn next(&mut self, state: &State, moves: &[MoveName]) -> Result<State, ReasonError> {
        let joint = self.joint(moves)?;
        self.look_at(state)?;
        self.cursor.play(&joint);
        self.cursor.state_into(&mut self.current);
        Ok(self.current.clone())
    }

    fn sees(&mut self, state: &State, moves: &[MoveName]) -> Result<Vec<Vec<String>>, ReasonError> {
        let joint = self.joint(moves)?;
        self.look_at(state)?;
        let roles = self.cursor.game().interface().role_ids();
        Ok(roles.map(|role| self.cursor.sees(&joint, role)).collect())
    }

    fn facts(&self, state: &State) -> Vec<String> {
        self.cursor.game().facts(state)
    }

    fn state_of(&mut self, facts: &[String]) -> Result<State, ReasonError> {
        let state = self.cursor.game().state_of(facts.iter().map(String::as_str));
        state.map_err(|fact| ReasonError::Game(format!("`{fact}` can never be true")))
    }

    fn move_text(&self, name: MoveName) -> String {
        self.cursor.game().names[name].clone()
    }

    fn move_of(&mut self, text: &str) -> Result<MoveName, ReasonError> {
        let unknown = || ReasonError::Game(format!("no role can ever play `{text}`"));
        self.cursor.game().find_name(text).ok_or_else(unknown)
    }
}
