//! Table 3, how fast states are valued, and figure 1, how that depends on the number of features.

use super::config;
use crate::commands::bench::process::thread_time;
use crate::limits;
use crate::output::{Failure, Outcome};
use anyhow::Result;
use grundy::features::{
    Batch, FactSet, Features, Incremental, Naive, Scratch, Selection, StateReader, TableKind, Value,
};
use grundy_syntax::Program;
use std::time::Duration;

/// One way to value states, measured in time of the processor.
pub(super) struct Speed {
    pub(super) method: String,
    pub(super) states: usize,
    pub(super) time: Duration,
    /// Mean and standard deviation of the time of a match.
    pub(super) of_match: Option<(f64, f64)>,
    /// The sum of all values: all methods have to agree.
    pub(super) checksum: i64,
}

impl Speed {
    pub(super) fn per_second(&self) -> f64 {
        self.states as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Theory, features, and matches as lists of states.
pub(super) struct Experiment<'a> {
    pub(super) theory: &'a Program,
    pub(super) features: &'a Program,
    pub(super) matches: &'a [Vec<Vec<String>>],
}

fn failure(error: impl std::fmt::Display) -> Failure {
    match limits::budget().check() {
        Err(reason) => limits::failure(reason),
        Ok(()) => Failure::new(Outcome::Wrong, error),
    }
}

/// Sums up values, so that none of them is left out by the compiler.
fn checksum(values: &[Value]) -> i64 {
    values.iter().flatten().sum()
}

impl Experiment<'_> {
    fn compiled(&self, only: Option<Vec<String>>) -> Result<(Features, Vec<Vec<FactSet>>)> {
        let selection = Selection { also: Vec::new(), only };
        let config = config();
        let features =
            Features::new(self.theory, self.features, &selection, &[], &config).map_err(failure)?;
        let mut reader = StateReader::new(&features);
        let read = |state: &Vec<String>| reader.read(state).map_err(|unknown| failure(unknown.why));
        let mut read_match = {
            let mut read = read;
            move |states: &Vec<Vec<String>>| states.iter().map(&mut read).collect::<Result<Vec<_>, _>>()
        };
        let matches = self.matches.iter().map(&mut read_match).collect::<Result<Vec<_>, _>>()?;
        Ok((features, matches))
    }

    /// All methods on all features. The naive one gets the first matches, as it is slow.
    pub(super) fn table(&self, naive_matches: usize) -> Result<(usize, Vec<Speed>)> {
        let (features, matches) = self.compiled(None)?;
        let config = config();
        let shared = features.compile(TableKind::Shared, &config).map_err(failure)?;
        let plan = shared.plan(&features).map_err(failure)?;
        let mut speeds = Vec::new();
        let mut values = Vec::new();
        let mut incremental = Incremental::new(plan.clone());
        speeds.push(along("incremental", &matches, |state| {
            incremental.go_to(state);
            incremental.values(&mut values);
            Ok(checksum(&values))
        })?);
        let mut scratch = Scratch::new(plan.clone());
        speeds.push(along("scratch", &matches, |state| {
            scratch.value(state, &mut values);
            Ok(checksum(&values))
        })?);
        speeds.push(in_batches(&mut Batch::new(plan), &matches));
        let flat = features.compile(TableKind::Flat, &config).map_err(failure)?;
        let mut incremental = Incremental::new(flat.plan(&features).map_err(failure)?);
        speeds.push(along("incremental, flat tables", &matches, |state| {
            incremental.go_to(state);
            incremental.values(&mut values);
            Ok(checksum(&values))
        })?);
        let mut naive = Naive::new(&features).map_err(failure)?;
        speeds.push(along("naive", &matches[..naive_matches.min(matches.len())], |state| {
            naive.value(state, &mut values).map_err(failure)?;
            Ok(checksum(&values))
        })?);
        Ok((features.features().len(), speeds))
    }

    /// The sum of all values in the first states, to compare with what others find.
    pub(super) fn checksum(&self, states: usize) -> Result<i64> {
        let (features, matches) = self.compiled(None)?;
        let tables = features.compile(TableKind::Shared, &config()).map_err(failure)?;
        let mut scratch = Scratch::new(tables.plan(&features).map_err(failure)?);
        let mut values = Vec::new();
        let sum = matches.iter().flatten().take(states).map(|state| {
            scratch.value(state, &mut values);
            checksum(&values)
        });
        Ok(sum.sum())
    }

    /// The time of a state by the number of features: for each number, features drawn at random.
    pub(super) fn growth(&self, counts: &[usize], seed: u64) -> Result<Vec<Growth>> {
        let (all, _) = self.compiled(None)?;
        let mut columns: Vec<String> = all.features().iter().map(|feature| feature.column()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut columns);
        let mut points = Vec::new();
        for &count in counts.iter().filter(|&&count| count <= columns.len()) {
            let (features, matches) = self.compiled(Some(columns[..count].to_vec()))?;
            let tables = features.compile(TableKind::Shared, &config()).map_err(failure)?;
            let mut incremental = Incremental::new(tables.plan(&features).map_err(failure)?);
            let mut values = Vec::new();
            let speed = along("incremental", &matches, |state| {
                incremental.go_to(state);
                incremental.values(&mut values);
                Ok(checksum(&values))
            })?;
            let (mean, deviation) = speed.of_match.unwrap_or_default();
            points.push(Growth { features: count, states: speed.states, time: speed.time, mean, deviation });
        }
        Ok(points)
    }
}

/// A point of figure 1.
pub(super) struct Growth {
    pub(super) features: usize,
    pub(super) states: usize,
    pub(super) time: Duration,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

/// Values matches state by state.
fn along(
    method: &str,
    matches: &[Vec<FactSet>],
    mut value: impl FnMut(&FactSet) -> Result<i64>,
) -> Result<Speed> {
    let mut times = Vec::with_capacity(matches.len());
    let mut sum = 0;
    for states in matches {
        limits::budget().check()?;
        let start = thread_time();
        for state in states {
            sum += value(state)?;
        }
        times.push((thread_time() - start).as_secs_f64());
    }
    let total: f64 = times.iter().sum();
    let mean = total / times.len().max(1) as f64;
    let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / times.len().max(1) as f64;
    Ok(Speed {
        method: method.to_owned(),
        states: matches.iter().map(Vec::len).sum(),
        time: Duration::from_secs_f64(total),
        of_match: Some((mean, variance.sqrt())),
        checksum: sum,
    })
}

fn in_batches(batch: &mut Batch, matches: &[Vec<FactSet>]) -> Speed {
    let states: Vec<FactSet> = matches.iter().flatten().cloned().collect();
    let mut sum = 0;
    let start = thread_time();
    batch.value(&states, |values| sum += checksum(values));
    let time = thread_time() - start;
    Speed { method: "batch".to_owned(), states: states.len(), time, of_match: None, checksum: sum }
}
