//! Table 3, the speed of valuing states, and figure 1, its dependence on the number of features.

use super::config;
use crate::BenchError;
use crate::numbers::float;
use crate::process::thread_time;
use grundy::features::{
    Batch, FactSet, Features, Incremental, Naive, Scratch, Selection, StateReader, TableKind, Value,
};
use grundy::syntax::{Budget, Program};
use std::time::Duration;

/// One method of valuing states, measured in processor time.
#[derive(Clone, Debug)]
pub(super) struct Speed {
    pub(super) method: String,
    pub(super) states: usize,
    pub(super) time: Duration,
    /// Mean and standard deviation of the time of a match.
    pub(super) of_match: Option<(f64, f64)>,
    /// The sum of all values: all methods have to agree.
    pub(super) checksum: i64,
    /// The sum that it has to be, where no other method has valued the same states.
    pub(super) expected: Option<i64>,
}

impl Speed {
    pub(super) fn per_second(&self) -> f64 {
        float(self.states) / self.time.as_secs_f64().max(1e-9)
    }
}

/// Theory, features, and matches as lists of states.
pub(super) struct Experiment<'a> {
    pub(super) theory: &'a Program,
    pub(super) features: &'a Program,
    pub(super) matches: &'a [Vec<Vec<String>>],
    pub(super) budget: &'a Budget,
}

/// Sums up values, so that the compiler removes none of them.
fn checksum(values: &[Value]) -> i64 {
    values.iter().flatten().sum()
}

impl Experiment<'_> {
    fn compiled(&self, only: Option<Vec<String>>) -> Result<(Features, Vec<Vec<FactSet>>), BenchError> {
        let selection = Selection { also: Vec::new(), only };
        let config = config(self.budget);
        let features = Features::new(self.theory, self.features, &selection, &[], &config)
            .map_err(BenchError::features)?;
        let mut reader = StateReader::new(&features);
        let read =
            |state: &Vec<String>| reader.read(state).map_err(|unknown| BenchError::Features(unknown.why));
        let mut read_match = {
            let mut read = read;
            move |states: &Vec<Vec<String>>| states.iter().map(&mut read).collect::<Result<Vec<_>, _>>()
        };
        let matches = self.matches.iter().map(&mut read_match).collect::<Result<Vec<_>, _>>()?;
        Ok((features, matches))
    }

    /// All methods on all features. The naive one gets the first matches, as it is slow.
    pub(super) fn table(&self, naive_matches: usize) -> Result<(usize, Vec<Speed>), BenchError> {
        let (features, matches) = self.compiled(None)?;
        let config = config(self.budget);
        let shared = features.compile(TableKind::Shared, &config).map_err(BenchError::features)?;
        let plan = shared.plan(&features).map_err(BenchError::features)?;
        let mut speeds = Vec::new();
        let mut values = Vec::new();
        let mut incremental = Incremental::new(plan.clone());
        speeds.push(self.along("incremental", &matches, |state| {
            incremental.go_to(state);
            incremental.values(&mut values);
            Ok(checksum(&values))
        })?);
        let mut scratch = Scratch::new(plan.clone());
        speeds.push(self.along("scratch", &matches, |state| {
            scratch.value(state, &mut values);
            Ok(checksum(&values))
        })?);
        speeds.push(in_batches(&mut Batch::new(plan), &matches));
        let flat = features.compile(TableKind::Flat, &config).map_err(BenchError::features)?;
        let mut incremental = Incremental::new(flat.plan(&features).map_err(BenchError::features)?);
        speeds.push(self.along("incremental, flat tables", &matches, |state| {
            incremental.go_to(state);
            incremental.values(&mut values);
            Ok(checksum(&values))
        })?);
        let mut naive = Naive::new(&features)?;
        speeds.push(self.along("naive", &matches[..naive_matches.min(matches.len())], |state| {
            naive.value(state, &mut values)?;
            Ok(checksum(&values))
        })?);
        Ok((features.features().len(), speeds))
    }

    /// The sum of all values in the first states, to compare with that of a rival.
    pub(super) fn checksum(&self, states: usize) -> Result<i64, BenchError> {
        let (features, matches) = self.compiled(None)?;
        let tables =
            features.compile(TableKind::Shared, &config(self.budget)).map_err(BenchError::features)?;
        let mut scratch = Scratch::new(tables.plan(&features).map_err(BenchError::features)?);
        let mut values = Vec::new();
        let sum = matches.iter().flatten().take(states).map(|state| {
            scratch.value(state, &mut values);
            checksum(&values)
        });
        Ok(sum.sum())
    }

    /// The time of a state by the number of features: for each number, features drawn at random.
    pub(super) fn growth(&self, counts: &[usize], seed: u64) -> Result<Vec<Growth>, BenchError> {
        let (all, _) = self.compiled(None)?;
        let mut columns: Vec<String> = all.features().iter().map(|feature| feature.column()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut columns);
        let mut points = Vec::new();
        for &count in counts.iter().filter(|&&count| count <= columns.len()) {
            let (features, matches) = self.compiled(Some(columns[..count].to_vec()))?;
            let tables =
                features.compile(TableKind::Shared, &config(self.budget)).map_err(BenchError::features)?;
            let mut incremental = Incremental::new(tables.plan(&features).map_err(BenchError::features)?);
            let mut values = Vec::new();
            let speed = self.along("incremental", &matches, |state| {
                incremental.go_to(state);
                incremental.values(&mut values);
                Ok(checksum(&values))
            })?;
            let (mean, deviation) = speed.of_match.unwrap_or_default();
            points.push(Growth { features: count, states: speed.states, time: speed.time, mean, deviation });
        }
        Ok(points)
    }

    /// Values matches state by state.
    fn along(
        &self,
        method: &str,
        matches: &[Vec<FactSet>],
        mut value: impl FnMut(&FactSet) -> Result<i64, BenchError>,
    ) -> Result<Speed, BenchError> {
        let mut times = Vec::with_capacity(matches.len());
        let mut sum = 0;
        for states in matches {
            self.budget.check()?;
            let start = thread_time();
            for state in states {
                sum += value(state)?;
            }
            times.push((thread_time() - start).as_secs_f64());
        }
        let total: f64 = times.iter().sum();
        let mean = total / float(times.len().max(1));
        let variance =
            times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / float(times.len().max(1));
        Ok(Speed {
            method: method.to_owned(),
            states: matches.iter().map(Vec::len).sum(),
            time: Duration::from_secs_f64(total),
            of_match: Some((mean, variance.sqrt())),
            checksum: sum,
            expected: None,
        })
    }
}

/// A point of figure 1.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    pub(super) features: usize,
    pub(super) states: usize,
    pub(super) time: Duration,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

fn in_batches(batch: &mut Batch, matches: &[Vec<FactSet>]) -> Speed {
    let states: Vec<FactSet> = matches.iter().flatten().cloned().collect();
    let mut sum = 0;
    let start = thread_time();
    batch.value(&states, |values| sum += checksum(values));
    let time = thread_time() - start;
    Speed {
        method: "batch".to_owned(),
        states: states.len(),
        time,
        of_match: None,
        checksum: sum,
        expected: None,
    }
}
