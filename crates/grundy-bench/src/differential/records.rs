//! Records: games that one engine writes down replay without a difference in another one.

use super::engines::machine;
use super::session::{Session, differs};
use super::{Difference, reference};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::machine::{CompiledGame, MachineKind, MachineReasoner};
use grundy::play::trace::{read_trace, record, replay};
use grundy::play::{RandomGame, play_random};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::Source;
use std::sync::Arc;

pub(super) fn check(session: &mut Session, rules: &Arc<CompiledGame>) -> Result<(), Difference> {
    if !session.enter("records") {
        return Ok(());
    }
    let judge = reference(session.program, session.budget());
    let Some(mut judge) = session.made("records of the reference", judge)? else { return Ok(()) };
    let config = LiftedConfig { budget: session.budget(), ..LiftedConfig::default() };
    let lifted = Lifted::new(session.program, &config);
    if let Some(mut lifted) = session.made("records of lifted", lifted)? {
        both_ways(session, "lifted", &mut judge, &mut lifted)?;
    }
    for kind in [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch] {
        let name = format!("{kind:?}").to_lowercase();
        let Some(machine) = machine(session, &name, rules, kind)? else { continue };
        let mut engine = MachineReasoner::new(machine.cursor()).within(session.budget());
        both_ways(session, &name, &mut judge, &mut engine)?;
    }
    Ok(())
}

/// The reference replays what the engine has recorded, and the engine what the reference has recorded.
fn both_ways<J: Reasoner, E: Reasoner>(
    session: &mut Session,
    engine: &str,
    judge: &mut J,
    other: &mut E,
) -> Result<(), Difference> {
    let config = session.config;
    let game = |number| RandomGame { seed: config.seed, number, max_steps: config.steps as u64 };
    let name = format!("record of {engine}");
    if session.enter(&name) {
        let found = recorded(other, &game(1)).and_then(|text| verified(judge, &text));
        told(session, &name, found)?;
    }
    let name = format!("record verified by {engine}");
    if session.enter(&name) {
        let found = recorded(judge, &game(0)).and_then(|text| verified(other, &text));
        told(session, &name, found)?;
    }
    Ok(())
}

fn told(
    session: &mut Session,
    name: &str,
    found: Result<Option<String>, ReasonError>,
) -> Result<(), Difference> {
    match session.made(name, found)? {
        Some(Some(difference)) => Err(differs(name, difference)),
        _ => Ok(()),
    }
}

/// A random game as `simulate --record` writes it.
fn recorded<R: Reasoner>(reasoner: &mut R, game: &RandomGame) -> Result<String, ReasonError> {
    let mut text = String::new();
    let initial = reasoner.initial()?;
    play_random(reasoner, &initial, game, |reasoner, step, state, joint| {
        text.push_str(&record(reasoner, (game.number, step), state, joint)?);
        Ok::<(), ReasonError>(())
    })?;
    Ok(text)
}

/// The first difference that `verify` finds in a record.
fn verified<R: Reasoner>(reasoner: &mut R, text: &str) -> Result<Option<String>, ReasonError> {
    let trace = match read_trace(&Source::new("record", text)) {
        Ok(trace) if trace.is_empty() => return Ok(Some("the record is empty".to_owned())),
        Ok(trace) => trace,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let replay = replay(reasoner, &trace)?;
    let states = trace.len() as u64;
    if replay.states != states {
        return Ok(Some(format!("{} of {states} states are replayed", replay.states)));
    }
    Ok(replay.described.into_iter().next())
}
