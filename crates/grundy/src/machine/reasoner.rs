//! Machines as engines like all others.

use super::{Player, State};
use crate::network::{MoveId, RoleId};
use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy_syntax::{Budget, Ticks};

grundy_syntax::define_id! {
    /// The text of a move; moves of several roles may share it.
    pub struct MoveName(u32);
}

/// A player that answers like any other engine.
pub struct MachineReasoner<P> {
    player: P,
    /// The state that the player looks at.
    current: State,
    budget: Budget,
    ticks: Ticks,
}

/// The work of answering a question, as [`Ticks`] count it.
const WORK: usize = 8;

impl<P: Player> MachineReasoner<P> {
    /// Wraps a player.
    pub fn new(mut player: P) -> MachineReasoner<P> {
        player.reset();
        let current = player.rules().initial().clone();
        MachineReasoner { player, current, budget: Budget::default(), ticks: Ticks::default() }
    }

    /// The same reasoner within a budget.
    pub fn within(mut self, budget: Budget) -> MachineReasoner<P> {
        self.budget = budget;
        self
    }

    fn look_at(&mut self, state: &State) -> Result<(), ReasonError> {
        self.ticks.work(&self.budget, WORK)?;
        if self.current != *state {
            self.player.look_at(state);
            self.current.clone_from(state);
        }
        Ok(())
    }

    fn joint(&self, moves: &[MoveName]) -> Result<Vec<MoveId>, ReasonError> {
        let rules = self.player.rules();
        let roles = &rules.interface().roles;
        if moves.len() != roles.len() {
            return Err(ReasonError::Game(format!("{} moves for {} roles", moves.len(), roles.len())));
        }
        let of_role = |(role, &name): (RoleId, &MoveName)| {
            rules.moves[role].get(&name).copied().ok_or_else(|| {
                ReasonError::Game(format!("{} can never play `{}`", roles[role], rules.names[name]))
            })
        };
        roles.ids().zip(moves).map(of_role).collect()
    }
}

impl<P: Player> Reasoner for MachineReasoner<P> {
    type State = State;
    type Move = MoveName;

    fn roles(&self) -> Vec<String> {
        self.player.rules().interface().roles.as_slice().to_vec()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        Ok(self.player.rules().initial().clone())
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<MoveName>>, ReasonError> {
        self.look_at(state)?;
        let mut legal = Vec::new();
        for role in self.player.rules().interface().role_ids() {
            let all = self.player.rules().interface().moves_of(role);
            let moves: Vec<MoveId> = all.filter(|&candidate| self.player.is_legal(candidate)).collect();
            let rules = self.player.rules();
            let name = |legal: MoveId| {
                rules.find_name(&rules.interface().moves[legal].text).expect("every text is a name")
            };
            legal.push(moves.into_iter().map(name).collect());
        }
        Ok(legal)
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.look_at(state)?;
        Ok(self.player.is_terminal())
    }

    fn goals(&mut self, state: &State) -> Result<Vec<GoalValue>, ReasonError> {
        self.look_at(state)?;
        let roles = self.player.rules().interface().role_ids();
        Ok(roles.map(|role| self.player.goal(role)).collect())
    }

    fn next(&mut self, state: &State, moves: &[MoveName]) -> Result<State, ReasonError> {
        let joint = self.joint(moves)?;
        self.look_at(state)?;
        self.player.play(&joint);
        self.player.state_into(&mut self.current);
        Ok(self.current.clone())
    }

    fn sees(&mut self, state: &State, moves: &[MoveName]) -> Result<Vec<Vec<String>>, ReasonError> {
        let joint = self.joint(moves)?;
        self.look_at(state)?;
        let roles = self.player.rules().interface().role_ids();
        Ok(roles.map(|role| self.player.sees(&joint, role)).collect())
    }

    fn facts(&self, state: &State) -> Vec<String> {
        self.player.rules().facts(state)
    }

    fn state_of(&mut self, facts: &[String]) -> Result<State, ReasonError> {
        let state = self.player.rules().state_of(facts.iter().map(String::as_str));
        state.map_err(|fact| ReasonError::Game(format!("`{fact}` can never be true")))
    }

    fn move_text(&self, name: MoveName) -> String {
        self.player.rules().names[name].clone()
    }

    fn move_of(&mut self, text: &str) -> Result<MoveName, ReasonError> {
        let unknown = || ReasonError::Game(format!("no role can ever play `{text}`"));
        self.player.rules().find_name(text).ok_or_else(unknown)
    }
}
