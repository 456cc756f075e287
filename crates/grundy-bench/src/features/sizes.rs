//! Table 4 and figure 2: the sizes of the tables on boards of several sizes, and the time to make them.

use super::config;
use crate::BenchError;
use grundy::features::{Features, Selection, Sizes, TableKind};
use grundy::metarules::replace_fact;
use grundy::syntax::{Budget, Notation, Program};
use std::time::{Duration, Instant};

/// The tables of one board.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) side: u32,
    pub(super) clauses: usize,
    pub(super) flat: Sizes,
    /// From the clauses to the tables, grounding included.
    pub(super) flat_time: Duration,
    pub(super) shared: Sizes,
    pub(super) shared_time: Duration,
}

pub(super) fn measure(
    theory: &Program,
    features: &Program,
    side: u32,
    budget: &Budget,
) -> Result<Board, BenchError> {
    let mut theory = theory.clone();
    replace_fact(&mut theory, Notation::Prolog, &format!("size({side})"))?;
    let config = config(budget);
    let start = Instant::now();
    let compiled = Features::new(&theory, features, &Selection::default(), &[], &config);
    let compiled = compiled.map_err(BenchError::features)?;
    let ground = start.elapsed();
    let start = Instant::now();
    let shared = compiled.compile(TableKind::Shared, &config).map_err(BenchError::features)?;
    let shared_time = ground + start.elapsed();
    let start = Instant::now();
    let flat = compiled.compile(TableKind::Flat, &config).map_err(BenchError::features)?;
    let flat_time = ground + start.elapsed();
    // The paper counts the facts of the board, which here are made from its size.
    let clauses = compiled.clause_count();
    Ok(Board { side, clauses, flat: flat.sizes(), flat_time, shared: shared.sizes(), shared_time })
}
