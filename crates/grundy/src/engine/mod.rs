//! One entry point for all engines.
//!
//! [`Game::engine`](crate::game::Game::engine) makes an engine for any game: the one that was asked for, or, with
//! [`Engine::Auto`], the fastest one that the game allows. A game that can be ground is played by a machine; where a part of
//! it stays lifted, a hybrid of a machine and the lifted engine plays; and where there is no network, the lifted engine plays
//! alone. The result says what was chosen, and why, in its [notes](AnyEngine::notes).
//!
//! With [`EngineConfig::self_check`], a few random games are played side by side with the reference, and an engine that
//! disagrees is not used ([`self_check`](mod@self_check)).
//!
//! ```
//! use grundy::engine::{Engine, EngineConfig};
//! use grundy::game::Game;
//!
//! let game = Game::from_kif("(role r) (init (n 1)) (legal r go) (<= terminal (true (n 2))) (goal r 100)
//!     (<= (next (n 2)) (true (n 1)))")?;
//! let engine = game.engine(Engine::Auto, &EngineConfig::default())?;
//! assert_eq!(engine.name(), "incremental");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod note;
pub mod self_check;

pub use note::Note;

use crate::game::{Game, GameError, MachineConfig};
use crate::lifted::{Lifted, LiftedConfig};
use crate::machine::{AnyCursor, Hybrid, Machine, MachineKind, MachineReasoner};
use crate::reasoner::{ReasonError, Reasoner, Reference};
use choose::choose;
use grundy_syntax::{Budget, Program};
use std::sync::Arc;

/// The engines by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Slow and obvious: it judges the others.
    Reference,
    /// No grounding: the Datalog engine evaluates the rules for each state.
    Lifted,
    /// A network, every node of which is evaluated for each state.
    Scratch,
    /// A network that only propagates what changes.
    Incremental,
    /// A network that plays 512 games at once.
    Batch,
    /// The fastest one that the game allows.
    #[default]
    Auto,
}

impl Engine {
    /// All engines but [`Engine::Auto`].
    pub const SINGLE: [Engine; 5] =
        [Engine::Reference, Engine::Lifted, Engine::Scratch, Engine::Incremental, Engine::Batch];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Reference => "reference",
            Engine::Lifted => "lifted",
            Engine::Scratch => "scratch",
            Engine::Incremental => "incremental",
            Engine::Batch => "batch",
            Engine::Auto => "auto",
        }
    }

    /// The machine, if it is one.
    pub fn machine(self) -> Option<MachineKind> {
        match self {
            Engine::Scratch => Some(MachineKind::Scratch),
            Engine::Incremental => Some(MachineKind::Incremental),
            Engine::Batch => Some(MachineKind::Batch),
            Engine::Reference | Engine::Lifted | Engine::Auto => None,
        }
    }
}

/// How to make an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// How to make machines. Its grounding has the limits, the budget and the join order of the other engines as well.
    pub machine: MachineConfig,
    /// The machine that [`Engine::Auto`] takes for a game that can be ground as a whole.
    pub fastest: MachineKind,
    /// Limit: how many facts the reference may derive in one state.
    pub max_facts: usize,
    /// Whether to compare the engine with the reference first.
    pub self_check: bool,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            machine: MachineConfig::default(),
            fastest: MachineKind::Incremental,
            max_facts: 20_000_000,
            self_check: false,
        }
    }
}

impl EngineConfig {
    /// The time and memory of the call.
    pub fn budget(&self) -> &Budget {
        &self.machine.ground.budget
    }

    fn limits(&self) -> grundy_reference::Limits {
        grundy_reference::Limits {
            facts: self.max_facts,
            term_depth: self.machine.ground.max_term_depth,
            budget: self.budget().clone(),
            ..grundy_reference::Limits::default()
        }
    }
}

/// An engine that is ready for a game. Any number of threads can play with it at once.
pub struct AnyEngine {
    program: Arc<Program>,
    config: EngineConfig,
    kind: Kind,
    notes: Vec<Note>,
}

/// What plays.
enum Kind {
    Reference,
    Lifted,
    Machine(Machine),
    /// The lifted engine answers what the machine leaves open.
    Hybrid(Machine),
}

impl Game {
    /// An engine that plays the game.
    pub fn engine(&self, engine: Engine, config: &EngineConfig) -> Result<AnyEngine, GameError> {
        choose(self, engine, config)
    }
}

/// Something to do with any engine.
pub trait Task {
    /// What comes of it.
    type Output;
    /// Why it fails; errors of engines are among the reasons.
    type Error: From<ReasonError>;

    /// Does it; `make` gives as many reasoners as are wanted.
    fn run<R: Reasoner + Send>(
        self,
        make: impl Fn() -> Result<R, ReasonError>,
    ) -> Result<Self::Output, Self::Error>;
}

impl AnyEngine {
    fn new(program: &Arc<Program>, config: &EngineConfig, kind: Kind) -> AnyEngine {
        AnyEngine { program: Arc::clone(program), config: config.clone(), kind, notes: Vec::new() }
    }

    /// Does something with the engine.
    pub fn run<T: Task>(&self, task: T) -> Result<T::Output, T::Error> {
        let budget = || self.config.budget().clone();
        match &self.kind {
            Kind::Reference => task.run(|| self.reference()),
            Kind::Lifted => task.run(|| self.lifted()),
            Kind::Machine(machine) => {
                task.run(|| Ok(MachineReasoner::<AnyCursor>::new(machine.cursor()).within(budget())))
            }
            Kind::Hybrid(machine) => task.run(|| Ok(Hybrid::new(machine, self.lifted()?)?.within(budget()))),
        }
    }

    /// The name of the engine that answers in the end: that of an [`Engine`], or `hybrid`.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Reference => "reference",
            Kind::Lifted => "lifted",
            Kind::Machine(Machine::Scratch(_)) => "scratch",
            Kind::Machine(Machine::Incremental(_)) => "incremental",
            Kind::Machine(Machine::Batch(_)) => "batch",
            Kind::Hybrid(_) => "hybrid",
        }
    }

    /// The machine, if one gives all answers.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.kind {
            Kind::Machine(machine) => Some(machine),
            _ => None,
        }
    }

    /// What was chosen, why, and what a user should know about it.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn reference(&self) -> Result<Reference, ReasonError> {
        Reference::new((*self.program).clone(), self.config.limits())
    }

    fn lifted(&self) -> Result<Lifted, ReasonError> {
        let ground = &self.config.machine.ground;
        let config = LiftedConfig {
            max_term_depth: ground.max_term_depth,
            budget: ground.budget.clone(),
            join_order: ground.join_order,
            ..LiftedConfig::default()
        };
        Lifted::new(&self.program, &config)
    }
}
