//! Machines: networks compiled for play.
//!
//! A machine is immutable and shared between threads; each thread has a [`Cursor`], which holds all that changes during
//! play. Stepping allocates nothing. There are three machines, and all give the same answers:
//!
//! | machine | for | how |
//! |---|---|---|
//! | [`scratch`] | arbitrary states | every node is evaluated, in order |
//! | [`incremental`] | tree search | counters at the nodes, and only what changes is propagated |
//! | [`batch`] | millions of playouts | one bit a lane, hundreds of games at once |
//!
//! Where a predicate could not be ground, a [`Hybrid`] gets the answers that depend on it from the lifted engine.

pub mod batch;
mod cones;
mod hybrid;
pub mod incremental;
mod playouts;
mod position;
mod reasoner;
pub mod scratch;
mod state;
mod telling;
mod work;

use crate::ids::IdVec;
pub use hybrid::Hybrid;
pub(crate) use playouts::stream;
pub use playouts::{Ending, GoalSum, PlayoutConfig, Sightings, Totals};
pub use position::{AnyCursor, PlayError, Position};
pub use reasoner::{MachineReasoner, MoveName};
pub use state::State;
pub use telling::{Event, Tell, Told};
pub(crate) use work::{Work, work};

use crate::network::{Interface, MoveId, Network, RoleId, Signal, split_wide};
use crate::reasoner::GoalValue;
use cones::Cones;
use grundy_syntax::{Budget, Exhausted, Stage};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A network compiled for machines: with the nodes that each answer needs, the names of moves, and the initial state.
#[derive(Debug)]
pub struct CompiledGame {
    network: Network,
    cones: Cones,
    /// The texts of all moves, sorted, each once.
    names: IdVec<MoveName, String>,
    /// For each role its moves by name.
    moves: IdVec<RoleId, FxHashMap<MoveName, MoveId>>,
    initial: State,
}

/// The largest number of inputs of a gate. Derived: the incremental machine counts inputs in 15 bits
/// (`Cells::MOST`), and this is half of that.
const MAX_GATE_INPUTS: usize = 1 << 14;

impl CompiledGame {
    /// Prepares a network.
    pub fn new(network: Network, budget: &Budget) -> Result<CompiledGame, Exhausted> {
        budget.enter(Stage::Machine);
        let network = split_wide(network, MAX_GATE_INPUTS, budget)?;
        let interface = network.interface();
        let mut names: Vec<String> = interface.moves.iter().map(|m| m.text.clone()).collect();
        budget.check()?;
        names.sort_unstable();
        names.dedup();
        budget.check()?;
        let mut moves = IdVec::filled(FxHashMap::default(), interface.roles.len());
        for (number, m) in interface.moves.entries() {
            let name = MoveName::new(names.binary_search(&m.text).expect("every text is a name"));
            moves[m.role].insert(name, number);
        }
        let initial = State::from_flags(interface.fluents.iter().map(|fluent| fluent.initial));
        Ok(CompiledGame {
            cones: Cones::new(&network, budget)?,
            names: names.into(),
            moves,
            initial,
            network,
        })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Roles, fluents and moves.
    pub fn interface(&self) -> &Interface {
        self.network.interface()
    }

    /// The state at the start.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// The facts of a state in KIF notation, sorted.
    pub fn facts(&self, state: &State) -> Vec<String> {
        state.ones().map(|fluent| self.interface().fluents[fluent].text.clone()).collect()
    }

    /// The name of this text.
    fn find_name(&self, text: &str) -> Option<MoveName> {
        let found = self.names.as_slice().binary_search_by(|name| name.as_str().cmp(text));
        found.ok().map(MoveName::new)
    }

    /// The state in which exactly these facts are true; the first one that can never be is the error.
    pub fn state_of<'f>(&self, facts: impl IntoIterator<Item = &'f str>) -> Result<State, &'f str> {
        let mut state = State::empty(self.interface().fluents.len());
        for fact in facts {
            let fluent = self.interface().find_fluent(fact).ok_or(fact)?;
            state.set(fluent, true);
        }
        Ok(state)
    }
}

/// A position in a game, at one state, that can move to others.
///
/// Moves that are played must be legal: passes of the network rely on it.
pub trait Cursor {
    /// The game.
    fn game(&self) -> &CompiledGame;

    /// Goes to a state.
    fn look_at(&mut self, state: &State);

    /// Goes to the initial state.
    fn reset(&mut self);

    /// Copies the current state.
    fn state_into(&self, state: &mut State);

    /// Whether the game is over.
    fn is_terminal(&mut self) -> bool;

    /// Whether a move is legal.
    fn is_legal(&mut self, one_move: MoveId) -> bool;

    /// A legal move of a role, all equally likely; `None` if there is none.
    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId>;

    /// The goal value of a role.
    fn goal(&mut self, role: RoleId) -> GoalValue;

    /// Plays a joint move, one for each role.
    fn play(&mut self, joint: &[MoveId]);

    /// The moves with this hint in the current state, such as `wins`.
    fn hinted(&mut self, name: &str) -> Vec<MoveId>;

    /// The percepts of a role when this joint move is played now.
    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String>;
}

/// The kinds of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Every node is evaluated.
    Scratch,
    /// Changes are propagated.
    Incremental,
    /// Many games at once.
    Batch,
}

/// A compiled game, to be shared between threads.
#[derive(Clone, Debug)]
pub enum Machine {
    /// Every node is evaluated.
    Scratch(Arc<scratch::ScratchMachine>),
    /// Changes are propagated.
    Incremental(Arc<incremental::IncrementalMachine>),
    /// Many games at once.
    Batch(Arc<batch::BatchMachine>),
}

impl Machine {
    /// Makes a machine.
    pub fn new(game: Arc<CompiledGame>, kind: MachineKind, budget: &Budget) -> Result<Machine, Exhausted> {
        budget.enter(Stage::Machine);
        budget.check()?;
        Ok(match kind {
            MachineKind::Scratch => Machine::Scratch(Arc::new(scratch::ScratchMachine::new(game))),
            MachineKind::Incremental => {
                Machine::Incremental(Arc::new(incremental::IncrementalMachine::new(game, budget)?))
            }
            MachineKind::Batch => Machine::Batch(Arc::new(batch::BatchMachine::new(game, budget)?)),
        })
    }

    /// About how many bytes a player takes.
    fn cursor_bytes(&self) -> usize {
        match self {
            Machine::Scratch(machine) => machine.game().network().node_count(),
            Machine::Incremental(machine) => machine.cursor_bytes(),
            Machine::Batch(machine) => machine.lane_bytes(),
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<CompiledGame> {
        match self {
            Machine::Scratch(machine) => machine.game(),
            Machine::Incremental(machine) => machine.game(),
            Machine::Batch(machine) => machine.game(),
        }
    }
}

/// The goal values of a role, with the signals that say when it has them.
fn goal_signals(interface: &Interface, role: RoleId) -> impl Iterator<Item = (Option<i32>, Signal)> + '_ {
    interface.goals[role].iter().map(|goal| (goal.value, goal.holds))
}
