//! Valuing states with one of the evaluators, and how long it took.

use super::EngineArg;
use super::load::Compiled;
use crate::output::{Failure, Outcome};
use grundy::features::{Batch, FactSet, Incremental, Naive, Scratch, Value};
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
        let plan =
            compiled.tables.plan(&compiled.features).map_err(|error| Failure::new(Outcome::Wrong, error))?;
        let mut rows: Vec<Option<Vec<Value>>> = vec![None; states.len()];
        let known =
            || states.iter().enumerate().filter_map(|(number, state)| Some((number, state.as_ref()?)));
        let mut values = Vec::new();
        let time = match engine {
            EngineArg::Naive => {
                let mut naive = Naive::new(&compiled.features).map_err(Failure::from)?;
                let start = Instant::now();
                for (number, state) in known() {
                    naive.value(state, &mut values).map_err(Failure::from)?;
                    rows[number] = Some(values.clone());
                }
                start.elapsed()
            }
            EngineArg::Scratch => {
                let mut scratch = Scratch::new(plan.clone());
                let start = Instant::now();
                for (number, state) in known() {
                    scratch.value(state, &mut values);
                    rows[number] = Some(values.clone());
                }
                start.elapsed()
            }
            EngineArg::Incremental => {
                let mut incremental = Incremental::new(plan.clone());
                let start = Instant::now();
                for (number, state) in known() {
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
                batch.value(&all, |values| {
                    if let Some(number) = numbers.next() {
                        rows[number] = Some(values.to_vec());
                    }
                });
                start.elapsed()
            }
        };
        Ok(Run { rows, time })
    }
}
