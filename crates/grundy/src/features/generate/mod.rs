//! Features made from the rules of a game, in the manner of Fawcett's Zenith (1993).
//!
//! The conditions of goals and of legal moves are where features come from: what a rule asks for is worth counting. From
//! there, transformations lead on (`transform`): conditions are taken apart, dropped, replaced by what defines them,
//! specialised by a role or a constant, and regressed over a move; and what is counted is all variables or one.
//!
//! What comes out has no two features that differ in names alone, and, where there are states to look at, none that is the
//! same in all of them (`sample`). The same seed gives the same features.

mod candidate;
mod sample;
mod transform;

use super::error::FeatureError;
use candidate::{Candidate, Known};
use fastrand::Rng;
use grundy_syntax::{
    Atom, Budget, Condition, Notation, Printer, Program, Rule, Span, Stage, SymbolId, VariableId,
};
use sample::Sample;
use std::collections::VecDeque;
use std::time::Duration;
use transform::Transformer;

/// How to generate features.
#[derive(Clone, Debug)]
pub struct GenerateConfig {
    /// How many features are wanted.
    pub count: usize,
    /// The seed of what is tried first.
    pub seed: u64,
    /// A feature has no more conditions than this.
    pub max_conditions: usize,
    /// Limit: how many steps valuing features on states may take, counted as those of
    /// [`Lifted`](crate::lifted::Lifted::steps).
    pub max_steps: u64,
    /// Limit: how long valuing features on states may take. With it, results depend on the speed of the machine.
    pub timeout: Option<Duration>,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for GenerateConfig {
    fn default() -> GenerateConfig {
        GenerateConfig {
            count: 150,
            seed: 1,
            max_conditions: 7,
            max_steps: 600_000_000,
            timeout: None,
            budget: Budget::default(),
        }
    }
}

/// A feature that was made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its clause, in the notation asked for.
    pub clause: String,
    /// How it was made.
    pub origin: String,
}

/// The features that were made.
#[derive(Clone, Debug)]
pub struct Generation {
    /// In the order in which they were found.
    pub features: Vec<Generated>,
    /// Whether no limit on valuing features ended the search before there were as many as wanted.
    pub complete: bool,
}

/// Makes features from the rules of a game or theory. `states` are lists of facts as they are written in states.
pub fn generate(
    program: &Program,
    notation: Notation,
    states: &[Vec<String>],
    config: &GenerateConfig,
) -> Result<Generation, FeatureError> {
    config.budget.enter(Stage::Features);
    config.budget.check()?;
    let mut rng = Rng::with_seed(config.seed);
    let mut transformer = Transformer::new(program, config);
    let mut known = Known::new(&config.budget);
    let mut queue: VecDeque<Candidate> = VecDeque::new();
    let mut sample = Sample::new(program, states, config);
    let mut kept: Vec<Candidate> = Vec::new();
    let mut fresh: Vec<Candidate> = Vec::new();
    let mut seeds = transformer.seeds();
    rng.shuffle(&mut seeds);
    queue.extend(seeds.into_iter().filter(|seed| known.insert(&mut transformer.program.terms, seed)));
    while kept.len() < config.count && !sample.is_over() {
        config.budget.check()?;
        let Some(candidate) = queue.pop_front() else { break };
        let mut next = transformer.transformed(&candidate);
        rng.shuffle(&mut next);
        queue.extend(next.into_iter().filter(|next| known.insert(&mut transformer.program.terms, next)));
        if transformer.is_feature(&candidate) {
            fresh.push(candidate);
        }
        if fresh.len() >= sample::CHUNK {
            kept.append(&mut sample.changing(&mut transformer.program, std::mem::take(&mut fresh)));
        }
    }
    if kept.len() < config.count {
        kept.append(&mut sample.changing(&mut transformer.program, fresh));
    }
    config.budget.check()?;
    let complete = kept.len() >= config.count || !sample.is_over();
    kept.truncate(config.count);
    let program = &mut transformer.program;
    let rules: Vec<Rule> =
        kept.iter().enumerate().map(|(number, one)| to_rule(program, number, one)).collect();
    let printer = Printer::new(program, notation);
    let pairs = rules.iter().zip(kept);
    let features = pairs.map(|(rule, one)| Generated { clause: printer.rule(rule), origin: one.origin });
    Ok(Generation { features: features.collect(), complete })
}

/// The clause of a candidate; features are numbered.
fn to_rule(program: &mut Program, number: usize, candidate: &Candidate) -> Rule {
    let span = Span::default();
    let args = candidate.counted.iter().map(|&v| program.terms.variable(VariableId(v))).collect();
    let predicate = program.predicate(&format!("f{}", number + 1), candidate.counted.len());
    let variables: Vec<SymbolId> =
        (0..candidate.variables).map(|v| program.symbols.intern(&variable_name(candidate, v))).collect();
    let body = candidate.body.iter().map(|literal| Condition { literal: literal.clone(), span }).collect();
    Rule { head: Atom { predicate, args }, body, variables, span, head_span: span }
}

/// A capital letter with a number; a variable that is used once says so.
fn variable_name(candidate: &Candidate, variable: u32) -> String {
    let unused = if candidate.is_single(variable) { "_" } else { "" };
    format!("{unused}V{}", variable + 1)
}
