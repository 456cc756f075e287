//! Which engine answers.

use crate::files::Loaded;
use crate::limits::{budget, seconds};
use crate::output::{Details, Failure, Outcome, note};
use clap::ValueEnum;
use grundy::engine::{AnyEngine, Engine, EngineConfig, Note};
use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, GroundError, JoinOrder, LimitKind};
use grundy::invariants::InvariantConfig;
use grundy::machine::{CompiledGame, MachineKind};
use grundy_syntax::Exhausted;
use std::sync::Arc;
use std::time::Duration;

/// The engines that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// Slow and obvious: it judges the others
    Reference,
    /// No grounding: the Datalog engine evaluates the rules for each state
    Lifted,
    /// A network, every node of which is evaluated for each state
    Scratch,
    /// A network that only propagates what changes
    Incremental,
    /// A network that plays 512 games at once
    Batch,
    /// The fastest one that the game allows
    Auto,
}

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Engine {
        match engine {
            EngineArg::Reference => Engine::Reference,
            EngineArg::Lifted => Engine::Lifted,
            EngineArg::Scratch => Engine::Scratch,
            EngineArg::Incremental => Engine::Incremental,
            EngineArg::Batch => Engine::Batch,
            EngineArg::Auto => Engine::Auto,
        }
    }
}

/// The orders of joins.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum JoinOrderArg {
    /// By branching figures, counted on the facts that there are
    Branching,
    /// As the sheet has them: to see what the figures are worth
    Written,
}

impl From<JoinOrderArg> for JoinOrder {
    fn from(order: JoinOrderArg) -> JoinOrder {
        match order {
            JoinOrderArg::Branching => JoinOrder::Branching,
            JoinOrderArg::Written => JoinOrder::Written,
        }
    }
}

/// Bounds on reasoning, for all commands that play.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ReasonArgs {
    /// For machines: prove invariants of states first, and make the network smaller by them. Proofs are bounded by counted
    /// work, about eight seconds of it; the number of seconds is a last resort for slow machines
    #[arg(long, value_name = "SECONDS", value_parser = seconds, num_args = 0..=1, require_equals = true,
          default_missing_value = "600")]
    invariants: Option<Duration>,

    /// In which order grounding and the lifted engine match the conditions of a rule; the answers are the same
    #[arg(long, value_enum, default_value = "branching")]
    join_order: JoinOrderArg,

    /// Play a few random games side by side with the reference first, within 5 % of the time that setting up takes; an
    /// engine that disagrees is not used, but another one
    #[arg(long)]
    self_check: bool,

    /// Limit: how many facts may be derived in one state
    #[arg(long, value_name = "N", default_value_t = 20_000_000, help_heading = "Limits")]
    max_facts: usize,

    /// Limit: how many rules the ground program may have, for engines that need one
    #[arg(long, value_name = "N", default_value_t = 40_000_000, help_heading = "Limits")]
    max_rules: u64,

    /// Limit: how deep terms may nest
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits")]
    max_term_depth: usize,
}

impl ReasonArgs {
    /// How to make a machine within the limits.
    pub(crate) fn machine_config(&self, whole_states: bool) -> MachineConfig {
        let ground = GroundConfig {
            join_order: self.join_order.into(),
            max_rules: self.max_rules,
            max_term_depth: self.max_term_depth,
            budget: budget(),
            ..GroundConfig::default()
        };
        let invariants =
            self.invariants.map(|timeout| InvariantConfig { timeout, ..InvariantConfig::default() });
        MachineConfig { ground, whole_states, invariants, ..MachineConfig::default() }
    }

    /// CompiledGame whose states are whole, to follow games that a machine without whole states plays. No time is spent on
    /// invariants.
    pub(crate) fn whole_rules(&self, game: &Loaded) -> Result<Arc<CompiledGame>, Failure> {
        let kind = MachineKind::Incremental;
        let config =
            MachineConfig { kind, open_answers: true, invariants: None, ..self.machine_config(true) };
        Game::from_program(game.program.clone()).rules(&config).map_err(|error| failure(&error))
    }

    /// Makes an engine and prints what a user should know about it. `fastest` is the machine that `auto` takes;
    /// `whole_states` has to be set where states are looked at.
    pub(crate) fn engine(
        &self,
        engine: impl Into<Engine>,
        game: &Loaded,
        whole_states: bool,
        fastest: MachineKind,
    ) -> Result<AnyEngine, Failure> {
        let config = EngineConfig {
            machine: self.machine_config(whole_states),
            fastest,
            max_facts: self.max_facts,
            self_check: self.self_check,
        };
        let made = Game::from_program(game.program.clone()).engine(engine.into(), &config);
        let engine = made.map_err(|error| failure(&error))?;
        engine.notes().iter().for_each(|one| note(&one.to_string()));
        Ok(engine)
    }
}

/// Tells that invariants did not do what they could have done, because of this limit.
pub(crate) fn tell_exhausted(limit: Option<Exhausted>) {
    if let Some(limit) = limit {
        note(&Note::CutShort(limit).to_string());
    }
}

/// Why there is no machine, in one line.
fn reason(error: &GameError) -> String {
    match error {
        GameError::Ground(GroundError::Limit { limit, .. }) => {
            format!("limit `{}` hit while grounding", limit.name())
        }
        _ => error.to_string().replace('\n', " "),
    }
}

/// A machine that cannot be had as the end of a command.
pub(crate) fn failure(error: &GameError) -> Failure {
    let outcome = match error {
        GameError::Ground(GroundError::Limit { .. }) | GameError::Exhausted(_) => Outcome::Limit,
        GameError::Connect(
            grundy::network::ConnectError::TooLarge | grundy::network::ConnectError::Lifted(_),
        ) => Outcome::Limit,
        _ => Outcome::Wrong,
    };
    match error {
        GameError::Ground(GroundError::Limit { limit: LimitKind::Interrupt, .. }) => {
            crate::limits::failure(Exhausted::Interrupt)
        }
        GameError::Exhausted(reason) => crate::limits::failure(*reason),
        _ => Failure::new(outcome, format!("no network: {}", reason(error))).with(details(error)),
    }
}

/// The stage that failed, with the limit and the rule if there are any.
fn details(error: &GameError) -> Details {
    let (stage, limit, rule, instances) = match error {
        GameError::Ground(GroundError::Limit { limit, rule, instances, .. }) => {
            ("ground", Some(limit.name()), Some(rule.clone()), Some(*instances))
        }
        GameError::Ground(GroundError::NegationCycle { rule, .. }) => {
            ("ground", None, Some(rule.clone()), None)
        }
        GameError::Exhausted(reason) => ("network", Some(reason.name()), None, None),
        GameError::Connect(grundy::network::ConnectError::TooLarge) => ("network", Some("edges"), None, None),
        GameError::Connect(grundy::network::ConnectError::Lifted(_)) => {
            ("ground", Some("instances"), None, None)
        }
        GameError::Sheet(_) => ("read", None, None, None),
        GameError::Connect(_) | GameError::NoSafeMoves => ("network", None, None, None),
    };
    let limit = limit.map(str::to_owned);
    Details { stage: Some(stage), limit, rule, instances, ..Details::default() }
}
