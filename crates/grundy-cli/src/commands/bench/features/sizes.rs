//! Table 4 and figure 2: how large the tables are on boards of several sizes, and how long they take to make.

use super::config;
use crate::limits;
use crate::output::{Failure, Outcome};
use anyhow::Result;
use grundy::features::{Features, Selection, Sizes, TableKind};
use grundy::metarules::replace_fact;
use grundy_syntax::{Notation, Program};
use std::time::{Duration, Instant};

/// The tables of one board.
pub(super) struct Board {
    pub(super) side: u32,
    pub(super) clauses: usize,
    pub(super) flat: Sizes,
    /// From the clauses to the tables, grounding among it.
    pub(super) flat_time: Duration,
    pub(super) shared: Sizes,
    pub(super) shared_time: Duration,
}

pub(super) fn measure(theory: &Program, features: &Program, side: u32) -> Result<Board> {
    let failure = |error: &dyn std::fmt::Display| match limits::budget().check() {
        Err(reason) => limits::failure(reason),
        Ok(()) => Failure::new(Outcome::Wrong, error),
    };
    let mut theory = theory.clone();
    replace_fact(&mut theory, Notation::Prolog, &format!("size({side})")).map_err(|error| failure(&error))?;
    let config = config();
    let start = Instant::now();
    let compiled = Features::new(&theory, features, &Selection::default(), &[], &config)
        .map_err(|error| failure(&error))?;
    let ground = start.elapsed();
    let start = Instant::now();
    let shared = compiled.compile(TableKind::Shared, &config).map_err(|error| failure(&error))?;
    let shared_time = ground + start.elapsed();
    let start = Instant::now();
    let flat = compiled.compile(TableKind::Flat, &config).map_err(|error| failure(&error))?;
    let flat_time = ground + start.elapsed();
    // The paper counts the facts of the board, which here are made from its size.
    let clauses = compiled.clause_count();
    Ok(Board { side, clauses, flat: flat.sizes(), flat_time, shared: shared.sizes(), shared_time })
}
