//! All engines that play a game, in all their configurations.

use super::session::{Session, differs};
use super::transcript::States;
use super::{Difference, exact, hints, records};
use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, JoinOrder, Thresholds};
use grundy::invariants::InvariantConfig;
use grundy::lifted::{Lifted, LiftedConfig, OnDemand};
use grundy::machine::{CompiledGame, Hybrid, Machine, MachineKind, MachineReasoner};
use grundy::network::{ConnectError, PASSES};
use grundy::reasoner::ReasonError;
use std::sync::Arc;

const KINDS: [(MachineKind, &str); 3] = [
    (MachineKind::Scratch, "scratch"),
    (MachineKind::Incremental, "incremental"),
    (MachineKind::Batch, "batch"),
];

pub(super) fn check(session: &mut Session) -> Result<(), Difference> {
    lifted(session)?;
    let game = Game::from_program(session.program.clone());
    if let Some(rules) = machines(session, "", &game, MachineConfig::default())? {
        exact::check(session, &rules)?;
        records::check(session, &rules)?;
    }
    let needed = MachineConfig { whole_states: false, ..MachineConfig::default() };
    machines(session, ", needed states", &game, needed)?;
    without_passes(session, &game)?;
    with_invariants(session, &game)?;
    hybrids(session, &game)?;
    hints::check(session, &game)
}

fn lifted(session: &mut Session) -> Result<(), Difference> {
    for on_demand in [OnDemand::WhereCheaper, OnDemand::WherePossible] {
        for join_order in [JoinOrder::Branching, JoinOrder::Written] {
            let name = format!("lifted ({on_demand:?}, {join_order:?})");
            if !session.enter(&name) {
                continue;
            }
            let budget = session.budget();
            let config = LiftedConfig { on_demand, join_order, budget, ..LiftedConfig::default() };
            let made = Lifted::new(session.program, &config);
            if let Some(mut lifted) = session.made(&name, made)? {
                session.compare(&name, &mut lifted, States::Whole)?;
            }
        }
    }
    Ok(())
}

fn states(whole: bool) -> States {
    if whole { States::Whole } else { States::Needed }
}

/// The configuration, with as much time as there is.
fn within(session: &Session, mut config: MachineConfig) -> MachineConfig {
    config.ground.budget = session.budget();
    if session.may_skip() {
        config.ground.max_rules = config.ground.max_rules.min(MOST_RULES);
    }
    config
}

/// Larger ground programs of given sheets are not compared.
pub(super) const MOST_RULES: u64 = 2_000_000;

/// How much work to spend on the invariants of a small game.
const PROOFS: u64 = 200_000_000;

/// Machines of all kinds of a game.
fn machines(
    session: &mut Session,
    name: &str,
    game: &Game,
    config: MachineConfig,
) -> Result<Option<Arc<CompiledGame>>, Difference> {
    let engine = format!("machines{name}");
    if !session.enter(&engine) {
        return Ok(None);
    }
    let config = within(session, config);
    let rules = session.made(&engine, game.rules(&config))?;
    if let Some(rules) = &rules {
        machines_of(session, name, rules, states(config.whole_states))?;
    }
    Ok(rules)
}

/// A machine, unless a limit was hit.
pub(super) fn machine(
    session: &mut Session,
    engine: &str,
    rules: &Arc<CompiledGame>,
    kind: MachineKind,
) -> Result<Option<Machine>, Difference> {
    let made = Machine::new(rules.clone(), kind, &session.budget()).map_err(ReasonError::from);
    session.made(engine, made)
}

pub(super) fn machines_of(
    session: &mut Session,
    name: &str,
    rules: &Arc<CompiledGame>,
    states: States,
) -> Result<(), Difference> {
    for (kind, kind_name) in KINDS {
        let engine = format!("{kind_name}{name}");
        if session.enter(&engine) {
            let Some(machine) = machine(session, &engine, rules, kind)? else { continue };
            let mut reasoner = MachineReasoner::new(machine.cursor()).within(session.budget());
            session.compare(&engine, &mut reasoner, states)?;
        }
    }
    Ok(())
}

/// All passes are left out at once, then one: over many sheets, each of them.
fn without_passes(session: &mut Session, game: &Game) -> Result<(), Difference> {
    let names: Vec<String> = PASSES.iter().map(|pass| pass.name.to_owned()).collect();
    let turn = turn(session);
    let one = names[turn % names.len()].clone();
    let whole_states = (turn / names.len()).is_multiple_of(2);
    let name = format!(" without `{one}`, whole states {whole_states}");
    let ground = GroundConfig { join_order: JoinOrder::Written, ..GroundConfig::default() };
    let config = MachineConfig { without: vec![one], whole_states, ground, ..MachineConfig::default() };
    machines(session, &name, game, config)?;
    let config = MachineConfig { without: names, ..MachineConfig::default() };
    machines(session, " without passes", game, config)?;
    Ok(())
}

/// All networks that invariants may lead to.
fn with_invariants(session: &mut Session, game: &Game) -> Result<(), Difference> {
    for whole_states in [true, false] {
        let name = format!("invariants, whole states {whole_states}");
        if !session.enter(&name) {
            continue;
        }
        let effort = InvariantConfig { effort: PROOFS, samples: 64, ..InvariantConfig::default() };
        let config = MachineConfig { invariants: Some(effort), whole_states, ..MachineConfig::default() };
        let config = within(session, config);
        let networks = session.made(&name, game.networks(&config))?;
        for (number, network) in networks.into_iter().flatten().enumerate() {
            let made = CompiledGame::new(network.network, &session.budget()).map_err(ReasonError::from);
            let Some(rules) = session.made(&name, made)?.map(Arc::new) else { continue };
            machines_of(session, &format!(", {name}, network {number}"), &rules, states(whole_states))?;
        }
    }
    Ok(())
}

/// Views stay lifted as soon as they have a few instances, so that some answers are left open.
fn hybrids(session: &mut Session, game: &Game) -> Result<(), Difference> {
    let thresholds = Thresholds { split: 0.0, demand: 2, demand_static: 2, lift: 4, ..Thresholds::default() };
    let ground = GroundConfig { thresholds, ..GroundConfig::default() };
    let config = MachineConfig { ground, open_answers: true, ..MachineConfig::default() };
    if !session.enter("hybrid") {
        return Ok(());
    }
    let rules = match game.rules(&within(session, config)) {
        // Moves or facts depend on a view that stays lifted: there is no machine.
        Err(GameError::Connect(ConnectError::Lifted(_))) => return Ok(()),
        rules => rules,
    };
    let Some(rules) = session.made("hybrid", rules)? else { return Ok(()) };
    // All machines answer what is not open elsewhere: over many sheets, each of them here.
    let (kind, kind_name) = KINDS[turn(session) % KINDS.len()];
    let engine = format!("hybrid ({kind_name})");
    if !session.enter(&engine) {
        return Ok(());
    }
    let Some(machine) = machine(session, &engine, &rules, kind)? else { return Ok(()) };
    let config = LiftedConfig { budget: session.budget(), ..LiftedConfig::default() };
    let hybrid = Lifted::new(session.program, &config).and_then(|lifted| Hybrid::new(&machine, lifted));
    let Some(hybrid) = session.made(&engine, hybrid)? else { return Ok(()) };
    let mut hybrid = hybrid.within(session.budget());
    session.compare(&engine, &mut hybrid, States::Whole)
}

/// A number by which configurations take turns, from sheet to sheet.
pub(super) fn turn(session: &Session) -> usize {
    session.transcript.len() + session.program.rules.len()
}

/// An engine that cannot be made, in a configuration that has to work.
pub(super) fn required<T, E: std::fmt::Display>(engine: &str, result: Result<T, E>) -> Result<T, Difference> {
    result.map_err(|error| differs(engine, error.to_string()))
}
