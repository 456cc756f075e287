//! Looking at states: features that are the same everywhere say nothing.

use super::candidate::Candidate;
use super::{GenerateConfig, to_rule};
use crate::features::candidates::add_candidates;
use crate::features::evaluate::{Observer, Value};
use crate::features::merge::{Selection, merge};
use crate::features::state::plain_fact;
use crate::lifted::{LiftedConfig, LiftedState};
use grundy_syntax::{Budget, Dialect, Program};
use std::time::{Duration, Instant};

/// So many candidates are valued together.
pub(super) const CHUNK: usize = 24;

/// No more states than this are looked at.
const MOST_STATES: usize = 40;

/// A chunk of candidates gets no more time than this; then each of them is tried alone.
const CHUNK_TIME: Duration = Duration::from_secs(1);

/// A candidate that takes longer than this, for all states, is left out.
const SINGLE_TIME: Duration = Duration::from_millis(100);

pub(super) struct Sample<'a> {
    theory: &'a Program,
    states: Vec<Vec<String>>,
    deadline: Instant,
}

impl<'a> Sample<'a> {
    pub(super) fn new(theory: &'a Program, states: &[Vec<String>], config: &GenerateConfig) -> Sample<'a> {
        let step = states.len().div_ceil(MOST_STATES).max(1);
        let text = |fact: &String| match theory.dialect {
            Dialect::Game => fact.clone(),
            Dialect::Theory => plain_fact(fact).unwrap_or_else(|| fact.clone()),
        };
        let states = states.iter().step_by(step).map(|state| state.iter().map(text).collect()).collect();
        Sample { theory, states, deadline: Instant::now() + config.timeout }
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The candidates that are not the same in all states. Without states, nothing is known against any.
    pub(super) fn changing(&mut self, program: &mut Program, candidates: Vec<Candidate>) -> Vec<Candidate> {
        if self.states.is_empty() || candidates.is_empty() {
            return candidates;
        }
        if let Some(changing) = self.value(program, &candidates, CHUNK_TIME) {
            let pairs = candidates.into_iter().zip(changing);
            return pairs.filter(|(_, changing)| *changing).map(|(candidate, _)| candidate).collect();
        }
        let mut kept = Vec::new();
        for candidate in candidates {
            if self.is_out_of_time() {
                break;
            }
            if self.value(program, std::slice::from_ref(&candidate), SINGLE_TIME) == Some(vec![true]) {
                kept.push(candidate);
            }
        }
        kept
    }

    /// Which candidates have different values in different states; `None` if that cannot be told in time.
    fn value(&self, program: &mut Program, candidates: &[Candidate], time: Duration) -> Option<Vec<bool>> {
        let mut source = program.clone();
        source.rules =
            candidates.iter().enumerate().map(|(number, one)| to_rule(&mut source, number, one)).collect();
        source.dynamic.clear();
        source.constraints.clear();
        let mut merged = merge(self.theory, &source, &Selection::default()).ok()?;
        add_candidates(&mut merged).ok()?;
        let config = LiftedConfig { budget: Budget::new(Some(time)), ..LiftedConfig::default() };
        let mut observer = Observer::new(&merged.program, &merged.features, &config).ok()?;
        let mut first: Option<Vec<Value>> = None;
        let mut changing = vec![false; candidates.len()];
        let mut values = Vec::new();
        for state in &self.states {
            let facts =
                state.iter().map(|fact| observer.lifted.fact(fact)).collect::<Result<Vec<_>, _>>().ok()?;
            observer.value(&LiftedState::of(facts), &mut values).ok()?;
            let first = first.get_or_insert_with(|| values.clone());
            for (place, changing) in changing.iter_mut().enumerate() {
                *changing |= values[place] != first[place];
            }
        }
        Some(changing)
    }
}
