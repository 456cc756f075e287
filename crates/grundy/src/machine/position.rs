//! Positions: a checked interface to a cursor of any machine.

use super::batch::BatchCursor;
use super::incremental::IncrementalCursor;
use super::scratch::ScratchCursor;
use super::{CompiledGame, Cursor, Machine, State};
use crate::network::{MoveId, RoleId};
use crate::reasoner::GoalValue;

/// A player of any machine.
#[derive(Clone, Debug)]
pub enum AnyCursor {
    /// Every node is evaluated.
    Scratch(ScratchCursor),
    /// Changes are propagated.
    Incremental(Box<IncrementalCursor>),
    /// Many games at once, all the same here.
    Batch(BatchCursor),
}

macro_rules! delegate {
    ($self:ident, $cursor:ident => $call:expr) => {
        match $self {
            AnyCursor::Scratch($cursor) => $call,
            AnyCursor::Incremental($cursor) => $call,
            AnyCursor::Batch($cursor) => $call,
        }
    };
}

impl Cursor for AnyCursor {
    fn game(&self) -> &CompiledGame {
        delegate!(self, cursor => cursor.game())
    }

    fn look_at(&mut self, state: &State) {
        delegate!(self, cursor => cursor.look_at(state));
    }

    fn reset(&mut self) {
        delegate!(self, cursor => cursor.reset());
    }

    fn state_into(&self, state: &mut State) {
        delegate!(self, cursor => cursor.state_into(state));
    }

    fn is_terminal(&mut self) -> bool {
        delegate!(self, cursor => cursor.is_terminal())
    }

    fn is_legal(&mut self, candidate: MoveId) -> bool {
        delegate!(self, cursor => cursor.is_legal(candidate))
    }

    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        delegate!(self, cursor => cursor.pick(role, rng))
    }

    fn goal(&mut self, role: RoleId) -> GoalValue {
        delegate!(self, cursor => cursor.goal(role))
    }

    fn play(&mut self, joint: &[MoveId]) {
        delegate!(self, cursor => cursor.play(joint));
    }

    fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        delegate!(self, cursor => cursor.hinted(name))
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        delegate!(self, cursor => cursor.sees(joint, role))
    }
}

/// Why a joint move was not played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// There has to be one move for each role.
    #[error("{given} moves for {roles} roles")]
    WrongNumber {
        /// The number of moves.
        given: usize,
        /// The number of roles.
        roles: usize,
    },
    /// The move is not legal.
    #[error("{role} may not play `{text}` now")]
    Illegal {
        /// The role.
        role: String,
        /// The move.
        text: String,
    },
}

/// A state of a game with its legal moves and answers. Each thread needs its own.
#[derive(Clone, Debug)]
pub struct Position {
    cursor: AnyCursor,
}

impl Machine {
    /// A player in the initial state.
    pub fn cursor(&self) -> AnyCursor {
        match self {
            Machine::Scratch(machine) => AnyCursor::Scratch(machine.cursor()),
            Machine::Incremental(machine) => AnyCursor::Incremental(machine.cursor().into()),
            Machine::Batch(machine) => AnyCursor::Batch(machine.cursor()),
        }
    }

    /// The initial position.
    pub fn initial(&self) -> Position {
        Position { cursor: self.cursor() }
    }

    /// The position of a state. The state must be reachable by play: networks rely on invariants, such as that it is the
    /// turn of one role at a time.
    pub fn position(&self, state: &State) -> Position {
        let mut position = self.initial();
        position.cursor.look_at(state);
        position
    }
}

impl Position {
    /// The roles by number.
    pub fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        self.cursor.game().interface().role_ids()
    }

    /// The name of a role.
    pub fn role_name(&self, role: RoleId) -> &str {
        &self.cursor.game().interface().roles[role]
    }

    /// A move in KIF notation.
    pub fn move_text(&self, id: MoveId) -> &str {
        &self.cursor.game().interface().moves[id].text
    }

    /// The legal moves of a role, in the order of their texts.
    pub fn legal(&mut self, role: RoleId) -> Vec<MoveId> {
        let moves = self.cursor.game().interface().moves_of(role);
        moves.filter(|&candidate| self.cursor.is_legal(candidate)).collect()
    }

    /// A legal move of a role, all equally likely.
    pub fn random_move(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        self.cursor.pick(role, rng)
    }

    /// Plays a joint move, one for each role, if it is legal.
    pub fn play(&mut self, joint: &[MoveId]) -> Result<(), PlayError> {
        let roles = self.cursor.game().interface().roles.len();
        if joint.len() != roles {
            return Err(PlayError::WrongNumber { given: joint.len(), roles });
        }
        for (role, &played) in self.roles().zip(joint) {
            let known = self.cursor.game().interface().moves.get(played);
            if known.is_none_or(|m| m.role != role) || !self.cursor.is_legal(played) {
                let known = self.cursor.game().interface().moves.get(played);
                let text = known.map_or("?", |m| &m.text);
                return Err(PlayError::Illegal {
                    role: self.role_name(role).to_owned(),
                    text: text.to_owned(),
                });
            }
        }
        self.cursor.play(joint);
        Ok(())
    }

    /// Plays a joint move that is known to be legal. Otherwise the next state is unspecified.
    pub fn play_unchecked(&mut self, joint: &[MoveId]) {
        self.cursor.play(joint);
    }

    /// Whether the game is over.
    pub fn is_terminal(&mut self) -> bool {
        self.cursor.is_terminal()
    }

    /// For each role its goal value, if there is exactly one and it is a number.
    pub fn goals(&mut self) -> Vec<Option<i32>> {
        self.goal_values().into_iter().map(GoalValue::number).collect()
    }

    /// For each role its goal value, also where there is none, or more than one.
    pub fn goal_values(&mut self) -> Vec<GoalValue> {
        self.roles().map(|role| self.cursor.goal(role)).collect()
    }

    /// The moves, of all roles, of which a rule that was compiled into the network says this: `wins` (it wins at
    /// once), `safe` (no other role can win at once after it), `forced` (safe, where some other move is not).
    ///
    /// Such rules are there if the game was made by [`Game::with_move_rules`](crate::game::Game::with_move_rules).
    pub fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        self.cursor.hinted(name)
    }

    /// The state.
    pub fn state(&self) -> State {
        let mut state = self.cursor.game().initial().clone();
        self.cursor.state_into(&mut state);
        state
    }

    /// The true facts in KIF notation, sorted.
    pub fn facts(&self) -> Vec<String> {
        self.cursor.game().facts(&self.state())
    }
}
