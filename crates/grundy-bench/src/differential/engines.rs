//! All engines that play a game, in all their configurations.

use super::transcript::States;
use super::{Difference, Transcript};
use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, Thresholds};
use grundy::lifted::{Lifted, LiftedConfig, OnDemand};
use grundy::machine::{Hybrid, Machine, MachineKind, MachineReasoner, Rules};
use grundy::meta::MoveRulesConfig;
use grundy::meta::invariants::InvariantConfig;
use grundy::meta::unfold::UnfoldConfig;
use grundy::network::ConnectError;
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::{Budget, Program};
use std::sync::Arc;

const KINDS: [(MachineKind, &str); 3] = [
    (MachineKind::Scratch, "scratch"),
    (MachineKind::Incremental, "incremental"),
    (MachineKind::Batch, "batch"),
];

pub(super) fn check(program: &Program, transcript: &Transcript) -> Result<(), Difference> {
    for on_demand in [OnDemand::WhereCheaper, OnDemand::WherePossible] {
        let name = format!("lifted ({on_demand:?})");
        let config = LiftedConfig { on_demand, ..LiftedConfig::default() };
        transcript.compare(&name, &mut made(&name, Lifted::new(program, &config))?, States::Whole)?;
    }
    let game = Game::from_program(program.clone());
    machines("", &game, &MachineConfig::default(), transcript)?;
    let needed = MachineConfig { whole_states: false, ..MachineConfig::default() };
    machines(", needed states", &game, &needed, transcript)?;
    let proved = InvariantConfig { effort: 200_000_000, samples: 64, ..InvariantConfig::default() };
    for whole_states in [true, false] {
        let config =
            MachineConfig { invariants: Some(proved.clone()), whole_states, ..MachineConfig::default() };
        let networks = made("networks with invariants", game.networks(&config))?;
        for (number, network) in networks.into_iter().enumerate() {
            let rules = Rules::new(network.network, &Budget::default());
            let rules = Arc::new(made("networks with invariants", rules)?);
            let name = format!(", invariants, whole states {whole_states}, network {number}");
            machines_of(&name, &rules, states(whole_states), transcript)?;
        }
    }
    hybrids(program, &game, transcript)?;
    with_move_rules(program, &game, transcript)
}

fn states(whole: bool) -> States {
    if whole { States::Whole } else { States::Needed }
}

fn made<T, E: std::fmt::Display>(engine: &str, result: Result<T, E>) -> Result<T, Difference> {
    result.map_err(|error| Difference { engine: engine.to_owned(), what: error.to_string() })
}

fn machines(
    name: &str,
    game: &Game,
    config: &MachineConfig,
    transcript: &Transcript,
) -> Result<(), Difference> {
    let rules = made(&format!("machines{name}"), game.rules(config))?;
    machines_of(name, &rules, states(config.whole_states), transcript)
}

fn machines_of(
    name: &str,
    rules: &Arc<Rules>,
    states: States,
    transcript: &Transcript,
) -> Result<(), Difference> {
    for (kind, kind_name) in KINDS {
        let machine = made(kind_name, Machine::new(rules.clone(), kind, &Budget::default()))?;
        let mut reasoner = MachineReasoner::new(machine.player());
        transcript.compare(&format!("{kind_name}{name}"), &mut reasoner, states)?;
    }
    Ok(())
}

/// Views stay lifted as soon as they have a few instances, so that some answers are left open.
fn hybrids(program: &Program, game: &Game, transcript: &Transcript) -> Result<(), Difference> {
    let thresholds = Thresholds { split: 0.0, demand: 2, demand_static: 2, lift: 4, ..Thresholds::default() };
    let ground = GroundConfig { thresholds, ..GroundConfig::default() };
    let config = MachineConfig { ground, open_answers: true, ..MachineConfig::default() };
    let rules = match game.rules(&config) {
        // Moves or facts depend on a view that stays lifted: there is no machine.
        Err(GameError::Connect(ConnectError::Lifted(_))) => return Ok(()),
        rules => made("hybrid", rules)?,
    };
    for (kind, kind_name) in KINDS {
        let machine = made("hybrid", Machine::new(rules.clone(), kind, &Budget::default()))?;
        let lifted = made("hybrid", Lifted::new(program, &LiftedConfig::default()))?;
        let mut hybrid = made("hybrid", Hybrid::new(&machine, lifted))?;
        transcript.compare(&format!("hybrid ({kind_name})"), &mut hybrid, States::Whole)?;
    }
    Ok(())
}

/// Rules about winning moves are unfolded into the game; they must change nothing but the hints.
fn with_move_rules(program: &Program, game: &Game, transcript: &Transcript) -> Result<(), Difference> {
    let initial = |program: &Program| -> Result<Vec<String>, ReasonError> {
        let mut lifted = Lifted::new(program, &LiftedConfig::default())?;
        let state = lifted.initial()?;
        Ok(lifted.facts(&state))
    };
    let states = [made("move rules", initial(program))?];
    let default = MoveRulesConfig::default();
    let unfold = UnfoldConfig { max_rules: 500, max_steps: 2000, ..default.unfold };
    let config = MoveRulesConfig { unfold, ..default };
    // Unfolding may give up; then there is nothing to compare.
    let Ok(game) = game.with_move_rules(&states, &config) else { return Ok(()) };
    match game.rules(&MachineConfig::default()) {
        Err(GameError::NoSafeMoves | GameError::Ground(_)) => Ok(()),
        rules => machines_of(", move rules", &made("move rules", rules)?, States::Whole, transcript),
    }
}
