//! Single-valued facts of the states of a game, proved by induction over its moves.
//!
//! A candidate (the content of a cell is determined by its coordinates; only one player is in control) holds in
//! sampled states. It is *proved* if it holds in the initial state, and if no legal moves lead from a state
//! in which all candidates hold to one in which it does not. The second part is unfolding: two facts
//! with one key and different values after a move, regressed over the move, must leave no rule that could
//! fire. What cannot be proved is dropped, and the rest is tried again without it, until nothing is dropped.

use super::Metarules;
use super::domain::Domain;
use super::limits::MetaError;
use super::memory::Memory;
use super::single_valued::{Origin, SingleValued, dependencies};
use super::unfold::{Kinds, Target, UnfoldConfig, unfold_assuming};
use grundy_syntax::Dialect;
use std::time::{Duration, Instant};

/// Bounds on the proofs.
#[derive(Clone, Copy, Debug)]
pub struct InductionConfig {
    /// Limit: how long all proofs together may take.
    pub timeout: Duration,
    /// Limit: how many steps one proof may take.
    pub max_steps: u64,
}

impl Default for InductionConfig {
    fn default() -> InductionConfig {
        InductionConfig { timeout: Duration::from_secs(10), max_steps: 20_000 }
    }
}

/// The dependencies among the facts of a game's states that can be proved.
///
/// The first of the sampled states has to be the initial one: a candidate that does not hold there is none.
pub fn prove_single_valued(
    domain: &mut Domain,
    states: &[Memory],
    metarules: &Metarules,
    config: &InductionConfig,
) -> Vec<SingleValued> {
    if domain.program.dialect != Dialect::Game || states.is_empty() {
        return Vec::new();
    }
    let deadline = Instant::now() + config.timeout;
    let mut candidates = candidates(domain, states);
    loop {
        let before = candidates.len();
        let mut place = 0;
        while place < candidates.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Vec::new();
            }
            match is_preserved(domain, &candidates[place], &candidates, metarules, config, left) {
                true => place += 1,
                false => _ = candidates.remove(place),
            }
        }
        if candidates.len() == before {
            return candidates;
        }
    }
}

/// What holds in all sampled states.
fn candidates(domain: &Domain, states: &[Memory]) -> Vec<SingleValued> {
    let memories: Vec<&Memory> = states.iter().collect();
    let of_fluent = |fluent| {
        let arity = domain.program.info(fluent).arity;
        dependencies(&memories, fluent, arity, Origin::Proof)
    };
    domain.fluents().into_iter().flat_map(of_fluent).collect()
}

/// Whether a candidate holds after all moves from states in which all candidates hold.
fn is_preserved(
    domain: &mut Domain,
    candidate: &SingleValued,
    all: &[SingleValued],
    metarules: &Metarules,
    config: &InductionConfig,
    timeout: Duration,
) -> bool {
    let arity = domain.program.info(candidate.predicate).arity;
    let violation = candidate.conditions(&mut domain.program.terms, arity);
    let head = domain.shared_view("violation", 0);
    let goals = violation.into_iter().map(|literal| (literal, 1)).collect();
    let target =
        Target { head, args: Vec::new(), shown_moves: Vec::new(), goals, variables: 2 * arity as u32 };
    let unfold_config = UnfoldConfig {
        moves: 1,
        kinds: Kinds::default(),
        unfold_views: true,
        max_rules: 0,
        max_steps: config.max_steps,
        timeout: Some(timeout),
        ..UnfoldConfig::default()
    };
    match unfold_assuming(domain, &target, metarules, all, &unfold_config) {
        Ok(unfolding) => unfolding.rules.is_empty() && unfolding.complete,
        // One rule is enough to fail, and no proof in time is no proof.
        Err(MetaError::Limit { .. }) => false,
        Err(_) => false,
    }
}
