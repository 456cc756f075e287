//! Machines: networks made ready to play.
//!
//! A machine is immutable and shared between threads; what changes while playing is a [`Cursor`] of its own for
//! each thread. Stepping allocates nothing. There are three, and all give the same answers:
//!
//! | machine | for | how |
//! |---|---|---|
//! | [`scratch`] | arbitrary states | every node is evaluated, in order |
//! | [`incremental`] | tree search | counters at the nodes, and only what changes is propagated |
//! | [`batch`] | millions of playouts | one bit a lane, hundreds of games at once |
//!
//! Where a predicate could not be ground, a [`Hybrid`] asks the lifted engine for the answers that depend on it.

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

/// A game that machines are made from: its network, and which nodes are needed for which answer.
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

/// More inputs of a node would not fit into the counters of one machine, and the instructions of another.
const MOST_INPUTS: usize = 1 << 14;

impl CompiledGame {
    /// Prepares a network.
    pub fn new(network: Network, budget: &Budget) -> Result<CompiledGame, Exhausted> {
        budget.enter(Stage::Machine);
        let network = split_wide(network, MOST_INPUTS, budget)?;
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

/// A machine at work: it looks at one state, and plays on from there.
///
/// Moves that are played have to be legal: the network takes that for granted.
pub trait Cursor {
    /// The game.
    fn game(&self) -> &CompiledGame;

    /// Goes to a state.
    fn look_at(&mut self, state: &State);

    /// Goes to the initial state.
    fn reset(&mut self);

    /// Copies the state that it looks at.
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

    /// The moves of which a rule that was compiled into the network says this now, such as `wins`.
    fn hinted(&mut self, name: &str) -> Vec<MoveId>;

    /// What a role is told when this joint move is played now.
    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String>;
}

/// Which machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Every node is evaluated.
    Scratch,
    /// Changes are propagated.
    Incremental,
    /// Many games at once.
    Batch,
}

/// A game made ready to play, to be shared between threads.
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

/// The signals that tell the goal values of a role.
fn goal_signals(interface: &Interface, role: RoleId) -> impl Iterator<Item = (Option<i32>, Signal)> + '_ {
    interface.goals[role].iter().map(|goal| (goal.value, goal.holds))
}
