//! Working memories for the metarules: states from files, or from games that are played at random.

use crate::files::{Loaded, ReadArgs, read_source};
use crate::limits;
use crate::output::{Failure, Outcome, note};
use anyhow::Result;
use grundy::lifted::{Lifted, LiftedConfig, LiftedState};
use grundy::metarules::{Domain, Memory, MetaError, WorkingMemories, replace_fact};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy_reference::Limits;
use grundy_syntax::{Dialect, Program, Stage};
use serde::Deserialize;

/// A state in a file of facts.
#[derive(Deserialize)]
struct StateLine {
    facts: Vec<String>,
}

/// Where working memories come from.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SampleArgs {
    /// States to count on: a file with a line {"facts":["…","…"]} for each
    #[arg(long, value_name = "F")]
    pub(crate) states: Option<String>,

    /// For games: how many random playouts to take states from
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) playouts: u64,

    /// The seed of random playouts
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Replace the facts of a predicate by this one, such as 'size(19)'; can be given several times
    #[arg(long, value_name = "FACT")]
    with: Vec<String>,
}

/// A playout that is longer than this is left there.
const MOST_STEPS: usize = 200;

/// So many states are enough.
const MOST_STATES: usize = 2_000;

/// Sampling takes no more than so many steps of the lifted engine.
const MOST_SAMPLE_STEPS: u64 = 100_000_000;

/// So many facts, of all states together, are enough to count on, and so many steps to derive them.
const MOST_FACTS: usize = 4_000_000;
const MOST_FACT_STEPS: u64 = 400_000_000;

impl SampleArgs {
    /// Replaces the facts that are given on the command line.
    pub(crate) fn replace_facts(&self, loaded: &mut Loaded, read: &ReadArgs) -> Result<(), Failure> {
        let notation = read.notation(loaded.source.name());
        let mut replace = |text| replace_fact(&mut loaded.program, notation, text).map_err(failure);
        self.with.iter().try_for_each(|text| replace(text))
    }

    /// The states as lists of facts in print.
    pub(crate) fn states(&self, loaded: &Loaded, read: &ReadArgs) -> Result<Vec<Vec<String>>> {
        match (&self.states, loaded.program.dialect) {
            (Some(path), _) => read_states(path, read),
            (None, Dialect::Game) => Ok(random_states(&loaded.program, self.playouts, self.seed)?),
            (None, Dialect::Theory) => Ok(Vec::new()),
        }
    }

    /// The working memories of states; of the first ones only, if all of them have too many facts.
    pub(crate) fn memories(
        &self,
        loaded: &Loaded,
        domain: &mut Domain,
        states: &[Vec<String>],
    ) -> Result<Vec<Memory>, Failure> {
        working_memories(&loaded.program, domain, states, MOST_FACT_STEPS).map_err(failure)
    }
}

/// The working memories of states, or of the first ones.
pub(crate) fn working_memories(
    program: &Program,
    domain: &mut Domain,
    states: &[Vec<String>],
    steps: u64,
) -> Result<Vec<Memory>, MetaError> {
    let limits = Limits { facts: MOST_FACTS, steps, budget: limits::budget(), ..Limits::default() };
    let mut working = WorkingMemories::new(program, domain, limits)?;
    let mut memories = Vec::new();
    for facts in states {
        match working.memory(domain, facts) {
            Ok(memory) => memories.push(memory),
            Err(MetaError::Limit { .. }) if !memories.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(memories)
}

/// The failure that an error of the metarules is.
pub(crate) fn failure(error: MetaError) -> Failure {
    match error {
        MetaError::Exhausted(reason) => return limits::failure(reason),
        MetaError::Limit { limit, .. } => Failure::limit(limit, error),
        MetaError::Wrong(_) => Failure::new(Outcome::Wrong, error),
        MetaError::BadGoal(_) => Failure::new(Outcome::Usage, error),
    }
    .at("metarules")
}

/// Reads a file of states, a line each.
pub(crate) fn read_states(path: &str, read: &ReadArgs) -> Result<Vec<Vec<String>>> {
    let source = read_source(path, read)?;
    let mut states = Vec::new();
    for (number, line) in source.text().lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: StateLine = serde_json::from_str(line).map_err(|error| {
            Failure::new(Outcome::Wrong, format!("{path}:{}: not a line of states: {error}", number + 1))
        })?;
        states.push(line.facts);
    }
    Ok(states)
}

/// The states of random playouts, the terminal ones left out; fewer, or none, if playing takes too many steps.
pub(crate) fn random_states(game: &Program, playouts: u64, seed: u64) -> Result<Vec<Vec<String>>, Failure> {
    let states = sampled_states(game, playouts, seed);
    limits::budget().check()?;
    match states {
        Err(ReasonError::Limit { limit: "steps", message, .. }) => {
            note(&format!("note: no states were sampled: {message}"));
            Ok(Vec::new())
        }
        states => Ok(states?),
    }
}

fn sampled_states(game: &Program, playouts: u64, seed: u64) -> Result<Vec<Vec<String>>, ReasonError> {
    let budget = limits::budget();
    budget.enter(Stage::Play);
    let max_steps = MOST_SAMPLE_STEPS;
    let config = LiftedConfig { max_steps, budget: budget.clone(), ..LiftedConfig::default() };
    let mut reasoner = Lifted::new(game, &config)?;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut states = Vec::new();
    for _ in 0..playouts {
        let note = |reasoner: &Lifted, state: &LiftedState| {
            let has_room = states.len() < MOST_STATES && !budget.is_over();
            if has_room {
                states.push(reasoner.facts(state));
            }
            has_room
        };
        match play_lifted(&mut reasoner, &mut rng, note) {
            // What was played until then is still good.
            Err(ReasonError::Limit { .. }) if !states.is_empty() => break,
            other => other?,
        }
    }
    Ok(states)
}

/// Plays a game at random; `look` sees each state but a terminal one, and tells whether to go on.
fn play_lifted(
    reasoner: &mut Lifted,
    rng: &mut fastrand::Rng,
    mut look: impl FnMut(&Lifted, &LiftedState) -> bool,
) -> Result<(), ReasonError> {
    let mut state = reasoner.initial()?;
    for _ in 0..MOST_STEPS {
        if reasoner.is_terminal(&state)? || !look(reasoner, &state) {
            break;
        }
        let legal = reasoner.legal(&state)?;
        if legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<_> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
        state = reasoner.next(&state, &joint)?;
    }
    Ok(())
}
