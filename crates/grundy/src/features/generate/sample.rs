//! Features are evaluated in sampled states; those that are constant are dropped.

use super::candidate::Candidate;
use super::{GenerateConfig, to_rule};
use crate::features::candidates::add_candidates;
use crate::features::evaluate::{Observer, Value};
use crate::features::merge::{Selection, merge};
use crate::features::state::plain_fact;
use crate::lifted::{LiftedConfig, LiftedState};
use crate::reasoner::ReasonError;
use grundy_syntax::{Budget, Dialect, Program};

/// The candidates that are valued together.
pub(super) const CHUNK: usize = 24;

/// Limit: the states in which candidates are valued.
const MOST_STATES: usize = 40;

/// Limit: the steps of a chunk of candidates. Beyond it, each candidate is tried alone.
const CHUNK_STEPS: u64 = 20_000_000;

/// Limit: the steps of one candidate in all states. A slower one is dropped.
const SINGLE_STEPS: u64 = 2_000_000;

pub(super) struct Sample<'a> {
    theory: &'a Program,
    states: Vec<Vec<String>>,
    steps_left: u64,
    budget: Budget,
}

impl<'a> Sample<'a> {
    pub(super) fn new(theory: &'a Program, states: &[Vec<String>], config: &GenerateConfig) -> Sample<'a> {
        let step = states.len().div_ceil(MOST_STATES).max(1);
        let text = |fact: &String| match theory.dialect {
            Dialect::Game => fact.clone(),
            Dialect::Theory => plain_fact(fact).unwrap_or_else(|| fact.clone()),
        };
        let states = states.iter().step_by(step).map(|state| state.iter().map(text).collect()).collect();
        let budget = config.timeout.map_or_else(|| config.budget.clone(), |time| config.budget.part(time));
        Sample { theory, states, steps_left: config.max_steps, budget }
    }

    /// Whether candidates can no longer be valued.
    pub(super) fn is_over(&self) -> bool {
        self.steps_left == 0 || self.budget.is_over()
    }

    /// The candidates that are not the same in all states. Without states, nothing is known against any.
    pub(super) fn changing(&mut self, program: &mut Program, candidates: Vec<Candidate>) -> Vec<Candidate> {
        if self.states.is_empty() || candidates.is_empty() {
            return candidates;
        }
        if let Some(changing) = self.value(program, &candidates, CHUNK_STEPS) {
            let pairs = candidates.into_iter().zip(changing);
            return pairs.filter(|(_, changing)| *changing).map(|(candidate, _)| candidate).collect();
        }
        let mut kept = Vec::new();
        for candidate in candidates {
            if self.is_over() {
                break;
            }
            if self.value(program, std::slice::from_ref(&candidate), SINGLE_STEPS) == Some(vec![true]) {
                kept.push(candidate);
            }
        }
        kept
    }

    /// Which candidates have different values in different states; `None` if that takes too many steps or
    /// fails.
    fn value(
        &mut self,
        program: &mut Program,
        candidates: &[Candidate],
        max_steps: u64,
    ) -> Option<Vec<bool>> {
        let mut source = program.clone();
        source.rules =
            candidates.iter().enumerate().map(|(number, one)| to_rule(&mut source, number, one)).collect();
        source.dynamic.clear();
        source.constraints.clear();
        let mut merged = merge(self.theory, &source, &Selection::default(), &self.budget).ok()?;
        add_candidates(&mut merged, &self.budget).ok()?;
        let max_steps = max_steps.min(self.steps_left);
        let budget = self.budget.clone();
        let config = LiftedConfig { max_steps, budget, ..LiftedConfig::default() };
        let mut taken = 0;
        let changing = Observer::new(&merged.program, &merged.features, &config).and_then(|mut observer| {
            let changing = self.compare(&mut observer, candidates.len());
            taken = observer.lifted.steps();
            changing
        });
        if matches!(changing, Err(ReasonError::Limit { limit: "steps", .. })) {
            taken = max_steps;
        }
        self.steps_left = self.steps_left.saturating_sub(taken);
        changing.ok()
    }

    fn compare(&self, observer: &mut Observer, candidates: usize) -> Result<Vec<bool>, ReasonError> {
        let mut first: Option<Vec<Value>> = None;
        let mut changing = vec![false; candidates];
        let mut values = Vec::new();
        for state in &self.states {
            let facts = state.iter().map(|fact| observer.lifted.fact(fact)).collect::<Result<Vec<_>, _>>()?;
            observer.value(&LiftedState::of(facts), &mut values)?;
            let first = first.get_or_insert_with(|| values.clone());
            for (place, changing) in changing.iter_mut().enumerate() {
                *changing |= values[place] != first[place];
            }
        }
        Ok(changing)
    }
}
