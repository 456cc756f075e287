//! Which engine plays.

use super::self_check::{Disagreement, SelfCheck, Verdict, first_sound, self_check};
use super::{AnyEngine, Engine, EngineConfig, Kind, Note, Task};
use crate::game::{Game, GameError, MachineConfig};
use crate::ground::GroundError;
use crate::machine::{CompiledGame, Machine, MachineKind};
use crate::reasoner::{ReasonError, Reasoner, Reference};
use grundy_syntax::{Budget, Program};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a game is tried to be ground before the lifted engine plays it, and the share of the time that is left: guesses,
/// so that most of the time is left to play.
const AUTO_GROUNDING: Duration = Duration::from_secs(30);
const AUTO_SHARE: f64 = 0.5;

/// Makes an engine, checked if that is wanted. One that disagrees with the reference is replaced: by another machine, by the
/// lifted engine, at last by the reference itself.
pub(super) fn choose(game: &Game, engine: Engine, config: &EngineConfig) -> Result<AnyEngine, GameError> {
    let start = Instant::now();
    let program = Arc::new(game.program().clone());
    let chosen = choose_unchecked(game, &program, engine, config)?;
    if config.self_check { Ok(checked(&program, chosen, start.elapsed(), config)) } else { Ok(chosen) }
}

fn choose_unchecked(
    game: &Game,
    program: &Arc<Program>,
    engine: Engine,
    config: &EngineConfig,
) -> Result<AnyEngine, GameError> {
    let lifted = || AnyEngine::new(program, config, Kind::Lifted);
    match (engine, engine.machine()) {
        (_, Some(kind)) => with_machine(game, program, (kind, kind), config, config.budget()),
        (Engine::Reference, _) => Ok(AnyEngine::new(program, config, Kind::Reference)),
        (Engine::Auto, _) => {
            let budget = config.budget().share(AUTO_SHARE).part(AUTO_GROUNDING);
            // One state at a time is enough where the lifted engine has to be asked.
            let kinds = (config.fastest, MachineKind::Incremental);
            match with_machine(game, program, kinds, config, &budget) {
                Ok(mut engine) => {
                    let chosen = Note::Chosen { engine: engine.name() };
                    engine.notes.push(chosen);
                    Ok(engine)
                }
                Err(error) => {
                    config.budget().check()?;
                    let mut engine = lifted();
                    engine.notes.push(Note::NoNetwork { reason: reason(&error) });
                    Ok(engine)
                }
            }
        }
        _ => Ok(lifted()),
    }
}

/// A machine, of the first kind if it gives all answers, or a hybrid with one of the second kind.
fn with_machine(
    game: &Game,
    program: &Arc<Program>,
    (alone, helped): (MachineKind, MachineKind),
    config: &EngineConfig,
    budget: &Budget,
) -> Result<AnyEngine, GameError> {
    let mut machine_config = MachineConfig { kind: alone, open_answers: true, ..config.machine.clone() };
    machine_config.ground.budget = budget.clone();
    let network = game.network(&machine_config)?;
    let cut_short = network.exhausted.map(Note::CutShort);
    let rules = Arc::new(CompiledGame::new(network.network, budget)?);
    let lifted = rules.interface().lifted.clone();
    let mut engine = if lifted.any() {
        let kind = Kind::Hybrid(Machine::new(rules, helped, budget)?);
        let mut engine = AnyEngine::new(program, config, kind);
        engine.notes.push(Note::Hybrid { answers: lifted.names(), predicate: lifted.predicate });
        engine
    } else {
        AnyEngine::new(program, config, Kind::Machine(Machine::new(rules, alone, budget)?))
    };
    engine.notes.splice(0..0, cut_short);
    Ok(engine)
}

/// The first of several engines that does not disagree with the reference.
fn checked(
    program: &Arc<Program>,
    mut chosen: AnyEngine,
    setup: Duration,
    config: &EngineConfig,
) -> AnyEngine {
    let notes = RefCell::new(std::mem::take(&mut chosen.notes));
    let compared = SelfCheck::after(setup, config.machine.whole_states);
    // Machines of the same rules are cheap to make; `scratch` is the simplest one.
    let rules = chosen.machine().map(|machine| machine.game().clone());
    let scratch = rules.filter(|_| chosen.name() != "scratch");
    let scratch = scratch.and_then(|rules| Machine::new(rules, MachineKind::Scratch, config.budget()).ok());
    let scratch = scratch.map(|machine| AnyEngine::new(program, config, Kind::Machine(machine)));
    let candidates = [Some(chosen), scratch, Some(AnyEngine::new(program, config, Kind::Lifted))];
    let check = |candidate: &AnyEngine| {
        let task = Check { program, config, compared };
        let verdict = candidate
            .run(task)
            .unwrap_or_else(|error| Verdict::Agrees { states: 0, cut_short: Some(error.to_string()) });
        if let Verdict::Agrees { states, cut_short } = &verdict {
            let (engine, states, cut_short) = (candidate.name(), *states, cut_short.clone());
            notes.borrow_mut().push(Note::Agrees { engine, states, cut_short });
        }
        verdict
    };
    let disagrees = |candidate: &AnyEngine, disagreement: &Disagreement| {
        let disagreement = Box::new(disagreement.clone());
        notes.borrow_mut().push(Note::Disagrees { engine: candidate.name(), disagreement });
    };
    let sound = first_sound(candidates.into_iter().flatten(), check, disagrees);
    let mut engine = sound.unwrap_or_else(|| AnyEngine::new(program, config, Kind::Reference));
    engine.notes = notes.into_inner();
    engine
}

/// A check of an engine against the reference.
struct Check<'a> {
    program: &'a Program,
    config: &'a EngineConfig,
    compared: SelfCheck,
}

impl Task for Check<'_> {
    type Output = Verdict;
    type Error = ReasonError;

    fn run<R: Reasoner + Send>(
        self,
        make: impl Fn() -> Result<R, ReasonError>,
    ) -> Result<Verdict, ReasonError> {
        let mut engine = make()?;
        // The judge is made within the time of the check.
        let start = Instant::now();
        let mut limits = self.config.limits();
        limits.budget = limits.budget.part(self.compared.time);
        let mut judge = Reference::new(self.program.clone(), limits)?;
        let time = self.compared.time.saturating_sub(start.elapsed());
        Ok(self_check(&mut engine, &mut judge, &SelfCheck { time, ..self.compared }))
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
