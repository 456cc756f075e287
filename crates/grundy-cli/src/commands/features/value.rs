//! Valuing states with one of the evaluators, and how long it took.

use super::EngineArg;
use super::load::Compiled;
use crate::limits;
use crate::output::{Failure, Outcome};
use grundy::features::{Batch, FactSet, FeatureError, Incremental, Naive, Plan, Scratch, Value};
use grundy_syntax::Stage;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Values of all features along states.
pub(crate) struct Run {
    /// For each state its values, or nothing if the state could not be read.
    pub(crate) rows: Vec<Option<Vec<Value>>>,
    /// What valuing took, without making the evaluator.
    pub(crate) time: Duration,
}

impl Run {
    pub(crate) fn new(
        compiled: &Compiled,
        states: &[Option<FactSet>],
        engine: EngineArg,
    ) -> Result<Run, Failure> {
        let budget = limits::budget();
        let plan = plan(compiled)?;
        let mut rows: Vec<Option<Vec<Value>>> = vec![None; states.len()];
        let known =
            || states.iter().enumerate().filter_map(|(number, state)| Some((number, state.as_ref()?)));
        let mut values = Vec::new();
        let time = match engine {
            EngineArg::Naive => {
                budget.enter(Stage::Machine);
                let mut naive = Naive::new(&compiled.features).map_err(Failure::from)?;
                let start = Instant::now();
                budget.enter(Stage::Play);
                for (number, state) in known() {
                    budget.check()?;
                    naive.value(state, &mut values).map_err(Failure::from)?;
                    rows[number] = Some(values.clone());
                }
                start.elapsed()
            }
            EngineArg::Scratch => {
                let mut scratch = Scratch::new(plan.clone());
                let start = Instant::now();
                budget.enter(Stage::Play);
                for (number, state) in known() {
                    budget.check()?;
                    scratch.value(state, &mut values);
                    rows[number] = Some(values.clone());
                }
                start.elapsed()
            }
            EngineArg::Incremental => {
                let mut incremental = Incremental::new(plan.clone());
                let start = Instant::now();
                budget.enter(Stage::Play);
                for (number, state) in known() {
                    budget.check()?;
                    incremental.go_to(state);
                    incremental.values(&mut values);
                    rows[number] = Some(values.clone());
                }
                start.elapsed()
            }
            EngineArg::Batch => {
                let mut batch = Batch::new(plan.clone());
                let (numbers, all): (Vec<usize>, Vec<FactSet>) =
                    known().map(|(number, state)| (number, state.clone())).unzip();
                let mut numbers = numbers.into_iter();
                let start = Instant::now();
                budget.enter(Stage::Play);
                for states in all.chunks(STATES_AT_ONCE) {
                    budget.check()?;
                    batch.value(states, |values| {
                        if let Some(number) = numbers.next() {
                            rows[number] = Some(values.to_vec());
                        }
                    });
                }
                start.elapsed()
            }
        };
        Ok(Run { rows, time })
    }
}

/// So many states are valued between checks of the budget: some blocks of the batch evaluator.
const STATES_AT_ONCE: usize = 4096;

/// What the evaluators work on.
pub(super) fn plan(compiled: &Compiled) -> Result<Arc<Plan>, Failure> {
    limits::budget().enter(Stage::Machine);
    compiled.tables.plan(&compiled.features).map_err(|error| match error {
        FeatureError::Exhausted(reason) => limits::failure(reason),
        error => Failure::new(Outcome::Wrong, error),
    })
}
