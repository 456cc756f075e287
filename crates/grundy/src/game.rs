//! From a rule sheet to a machine in two calls.
//!
//! ```
//! use grundy::game::{Game, MachineConfig};
//! use grundy::network::RoleId;
//!
//! let sheet = "
//!     (role a) (role b) (init (turn a)) (init (left 2)) (minus 2 1) (minus 1 0)
//!     (<= (legal ?r take) (true (turn ?r)))
//!     (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
//!     (<= (next (turn a)) (true (turn b)))  (<= (next (turn b)) (true (turn a)))
//!     (<= (next (left ?n)) (true (left ?m)) (minus ?m ?n))
//!     (<= terminal (true (left 0)))
//!     (<= (goal ?r 100) (role ?r) (not (true (turn ?r)))) (<= (goal ?r 0) (true (turn ?r)))";
//! let game = Game::from_kif(sheet)?;
//! let machine = game.machine(&MachineConfig::default())?;
//!
//! let mut position = machine.initial();
//! while !position.is_terminal() {
//!     let joint: Vec<_> = position.roles().map(|role| position.legal(role)[0]).collect();
//!     position.play(&joint)?;
//! }
//! assert_eq!(position.goals(), [Some(0), Some(100)]);
//! assert_eq!(position.facts(), ["(left 0)", "(turn a)"]);
//!
//! let totals = machine.playouts(1000, 1);
//! assert_eq!(totals.goals[RoleId(1)].mean(), Some(100.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::analysis::analyze;
use crate::ground::{GroundConfig, GroundError, GroundProgram, ground};
use crate::invariants::{InvariantConfig, Invariants, prove_invariants};
use crate::machine::{CompiledGame, Machine, MachineKind};
use crate::metarules::MetaError;
use crate::network::{ConnectError, Groups, Optimized, connect};
use crate::variants;
use crate::winning::{MoveRulesConfig, move_rules};
use grundy_syntax::{Budget, Exhausted, Limits, Program, Source, read_game};
use std::sync::Arc;

/// Why there is no game, or no machine for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The sheet is wrong; each line tells what, and where.
    #[error("{0}")]
    Sheet(String),
    /// It cannot be ground.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// The budget was used up while the network or the machine was made.
    #[error("{0} while the network or the machine was made")]
    Exhausted(#[from] Exhausted),
    /// Its network cannot tell which moves stop the others from winning.
    #[error("safe moves cannot be told: roles do not take turns, or there is too much to look at")]
    NoSafeMoves,
    /// Its ground rules make no network.
    #[error(transparent)]
    Connect(ConnectError),
}

impl From<ConnectError> for GameError {
    fn from(error: ConnectError) -> GameError {
        match error {
            ConnectError::Exhausted(reason) => GameError::Exhausted(reason),
            error => GameError::Connect(error),
        }
    }
}

/// How to make a machine.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Which one.
    pub kind: MachineKind,
    /// How to ground; its budget is that of the network as well.
    pub ground: GroundConfig,
    /// Whether states are complete. Playouts alone do not need facts that no answer ever depends on.
    pub whole_states: bool,
    /// Whether answers may be left [open](crate::network::LiftedAnswers) that depend on predicates which stay lifted. A
    /// [`Hybrid`](crate::machine::Hybrid) gives them; a machine alone cannot.
    pub open_answers: bool,
    /// Names of [`PASSES`](crate::network::PASSES) and [`PruningPass`](crate::invariants::PruningPass)es to leave out, or
    /// `sweep`. A name that a pass over the network and a pruning pass share leaves out both.
    pub without: Vec<String>,
    /// Groups of fluents of which exactly one is true in every state, proved by somebody else.
    pub groups: Groups,
    /// Whether, and with how much effort, to prove invariants of states and to make the network smaller by them.
    pub invariants: Option<InvariantConfig>,
}

impl Default for MachineConfig {
    fn default() -> MachineConfig {
        MachineConfig {
            kind: MachineKind::Incremental,
            ground: GroundConfig::default(),
            whole_states: true,
            open_answers: false,
            without: Vec::new(),
            groups: Groups::default(),
            invariants: None,
        }
    }
}

/// A game, ready to be made into machines.
#[derive(Clone, Debug)]
pub struct Game {
    program: Program,
    hints: Hints,
}

/// What machines tell about moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    /// The names of rules about moves that were added to the game.
    pub(crate) rules: Vec<String>,
    /// The rules about winning moves, if safe and forced moves are to be found by them.
    pub(crate) wins: Option<String>,
}

impl Game {
    /// Reads a rule sheet in KIF notation. Warnings do not matter here; `grundy check` shows them.
    pub fn from_kif(text: &str) -> Result<Game, GameError> {
        let source = Source::new("game.kif", text);
        let mut reading = read_game(&source, &Limits::default());
        analyze(&source, &reading.program, &mut reading.diagnostics, &Budget::default())?;
        let stopping = reading.diagnostics.iter().filter(|diagnostic| diagnostic.code.stops());
        let messages: Vec<String> = stopping
            .map(|diagnostic| {
                let place = source.place(diagnostic.primary.start);
                format!("{}:{}: {}", place.line, place.column, diagnostic.message)
            })
            .collect();
        if messages.is_empty() {
            Ok(Game::from_program(reading.program))
        } else {
            Err(GameError::Sheet(messages.join("\n")))
        }
    }

    /// A game that was read already.
    pub fn from_program(program: Program) -> Game {
        Game { program, hints: Hints::default() }
    }

    /// The game with rules for its winning moves, and perhaps its forced moves, which machines then tell as
    /// [hints](crate::machine::Position::hinted). The states, each a list of facts, are samples of play; the first
    /// one has to be the initial state.
    pub fn with_move_rules(
        &self,
        states: &[Vec<String>],
        config: &MoveRulesConfig,
    ) -> Result<Game, MetaError> {
        if config.forced {
            // Where roles take turns, the network of the winning moves tells what a move allows the others.
            let rules =
                move_rules(&self.program, states, &MoveRulesConfig { forced: false, ..config.clone() })?;
            let wins = Some(rules.program.name(rules.wins).to_owned());
            let hints = Hints { rules: rules.hint_names(), wins };
            let game = Game { program: rules.as_percepts(), hints };
            let ground = GroundConfig { budget: config.budget.clone(), ..GroundConfig::default() };
            if game.network(&MachineConfig { ground, ..MachineConfig::default() }).is_ok() {
                return Ok(game);
            }
        }
        let rules = move_rules(&self.program, states, config)?;
        let hints = Hints { rules: rules.hint_names(), wins: None };
        Ok(Game { program: rules.as_percepts(), hints })
    }

    /// The rules as they were read.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The network, after all passes that are wanted. This is the whole way from rules to machines.
    pub fn network(&self, config: &MachineConfig) -> Result<Optimized, GameError> {
        let best = variants::best_network(self.ground(config)?, &self.hints, config)?;
        let lifted = &best.network.interface().lifted;
        if lifted.any() && !config.open_answers {
            return Err(ConnectError::Lifted(lifted.predicate.clone()).into());
        }
        Ok(best)
    }

    /// All networks that [`network`](Self::network) can choose from where invariants are used: they give the same
    /// answers, which a test wants to see.
    pub fn networks(&self, config: &MachineConfig) -> Result<Vec<Optimized>, GameError> {
        variants::all_networks(self.ground(config)?, &self.hints, config)
    }

    fn ground(&self, config: &MachineConfig) -> Result<GroundProgram, GroundError> {
        let mut ground_config = config.ground.clone();
        ground_config.thresholds.complement = false;
        ground(&self.program, &ground_config)
    }

    /// What can be proved about all states that play can reach, within the budget of the last argument; see
    /// [`Invariants::exhausted`].
    pub fn invariants(
        &self,
        ground_config: &GroundConfig,
        config: &InvariantConfig,
    ) -> Result<Invariants, GameError> {
        let ground = ground(&self.program, ground_config)?;
        Ok(prove_invariants(&connect(&ground, &config.budget)?, config))
    }

    /// What machines are made from; several can share it.
    pub fn rules(&self, config: &MachineConfig) -> Result<Arc<CompiledGame>, GameError> {
        Ok(Arc::new(CompiledGame::new(self.network(config)?.network, &config.ground.budget)?))
    }

    /// A machine.
    pub fn machine(&self, config: &MachineConfig) -> Result<Machine, GameError> {
        Ok(Machine::new(self.rules(config)?, config.kind, &config.ground.budget)?)
    }
}
