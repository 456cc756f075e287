//! Single-valued facts of the states of a game, proved by induction over its moves.
//!
//! A candidate (the content of a cell is determined by its coordinates; only one player is in control) holds in
//! sampled states. It is *proved* if it holds in the initial state, and if no legal moves lead from a state
//! in which all candidates hold to one in which it does not. The second part is unfolding: two facts
//! with one key and different values after a move, regressed over the move, must leave no rule that could
//! fire. What cannot be proved is dropped, and the rest is tried again without it, until nothing is dropped.

use super::{Kinds, Target, UnfoldConfig, unfold_assuming};
use crate::ids::narrow;
use crate::metarules::Metarules;
use crate::metarules::domain::Domain;
use crate::metarules::limits::{MetaError, Steps};
use crate::metarules::memory::Memory;
use crate::metarules::single_valued::{Origin, SingleValued, dependencies};
use grundy_syntax::{Budget, Dialect, Exhausted, Stage};

/// Bounds on the proofs.
#[derive(Clone, Debug)]
pub struct InductionConfig {
    /// Limit: how much work all proofs together may take, counted as in [`UnfoldConfig::max_work`].
    pub max_work: u64,
    /// Limit: how many steps of unfolding one proof may take.
    pub max_steps: u64,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for InductionConfig {
    fn default() -> InductionConfig {
        InductionConfig { max_work: 100_000_000, max_steps: 20_000, budget: Budget::default() }
    }
}

/// What was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The dependencies.
    pub dependencies: Vec<SingleValued>,
    /// Whether no proof was given up because of a limit; if one was, there may be more dependencies.
    pub complete: bool,
}

/// The dependencies among the facts of a game's states that can be proved.
///
/// The first of the sampled states has to be the initial one: a candidate that does not hold there is none.
pub fn prove_single_valued(
    domain: &mut Domain,
    states: &[Memory],
    metarules: &Metarules,
    config: &InductionConfig,
) -> Result<Proved, Exhausted> {
    let mut proved = Proved { dependencies: Vec::new(), complete: true };
    if domain.program.dialect != Dialect::Game || states.is_empty() {
        return Ok(proved);
    }
    config.budget.enter(Stage::Metarules);
    let work = Steps::new(config.max_work, &config.budget);
    let mut candidates = candidates(domain, states, &work);
    loop {
        config.budget.check()?;
        let before = candidates.len();
        let mut place = 0;
        while place < candidates.len() && !work.are_over() {
            match is_preserved(domain, &candidates[place], &candidates, metarules, (config, &work)) {
                Preserved::Yes => place += 1,
                outcome => {
                    proved.complete &= outcome == Preserved::No;
                    candidates.remove(place);
                }
            }
        }
        config.budget.check()?;
        if work.are_over() {
            // Candidates are proved together: without the last one, nothing is.
            proved.complete = false;
            return Ok(proved);
        }
        if candidates.len() == before {
            proved.dependencies = candidates;
            return Ok(proved);
        }
    }
}

/// What holds in all sampled states.
fn candidates(domain: &Domain, states: &[Memory], steps: &Steps) -> Vec<SingleValued> {
    let memories: Vec<&Memory> = states.iter().collect();
    let of_fluent = |fluent| {
        let arity = domain.program.info(fluent).arity;
        dependencies(&memories, (fluent, arity), Origin::Proof, steps)
    };
    domain.fluents().into_iter().flat_map(of_fluent).collect()
}

/// Whether moves preserve a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preserved {
    Yes,
    /// Some rule may violate it.
    No,
    /// A limit was hit first.
    GivenUp,
}

/// Whether a candidate holds after all moves from states in which all candidates hold.
fn is_preserved(
    domain: &mut Domain,
    candidate: &SingleValued,
    all: &[SingleValued],
    metarules: &Metarules,
    (config, work): (&InductionConfig, &Steps),
) -> Preserved {
    domain.work_on(candidate.predicate, &config.budget);
    let arity = domain.program.info(candidate.predicate).arity;
    let violation = candidate.conditions(&mut domain.program.terms, arity);
    let head = domain.shared_view("violation", 0);
    let goals = violation.into_iter().map(|literal| (literal, 1)).collect();
    let target =
        Target { head, args: Vec::new(), shown_moves: Vec::new(), goals, variables: 2 * narrow(arity) };
    let unfold_config = UnfoldConfig {
        moves: 1,
        kinds: Kinds::default(),
        unfold_views: true,
        max_rules: 0,
        max_steps: config.max_steps,
        budget: config.budget.clone(),
        ..UnfoldConfig::default()
    };
    match unfold_assuming(domain, &target, metarules, all, (&unfold_config, work)) {
        Ok(unfolding) if unfolding.rules.is_empty() => match unfolding.complete {
            true => Preserved::Yes,
            false => Preserved::GivenUp,
        },
        // One rule is enough to fail.
        Ok(_) | Err(MetaError::Limit { limit: "rules", .. }) => Preserved::No,
        // No proof within the limits is no proof.
        Err(_) => Preserved::GivenUp,
    }
}
