//! Unfolding: from a goal to rules that say, in the state before some moves, when it will be reached.
//!
//! A goal is replaced by the conditions of a rule that concludes it; a fact that has to hold after a move,
//! by the conditions under which the move makes it true. This is repeated until all conditions can be asked
//! before the moves. After *every* step the metarules are applied: most of what plain unfolding makes can
//! never fire, and to cut it at once is what makes unfolding feasible at all.
//!
//! The result is exact. A rule fires in a state, with moves that are legal, if and only if the goal holds
//! after them; conditions that cannot be regressed piece by piece get auxiliary predicates, whose rules are
//! part of the result.

mod auxiliary;
mod config;
mod count;
mod expand;
mod goal;
mod induction;
mod knowledge;
mod negation;
mod partial;
mod prove;
mod results;
mod simplify;
mod unfolder;
mod winning_goal;

pub use config::{Counts, Kinds, UnfoldConfig};
pub use count::{Count, count_unfolded};
pub use goal::ParsedGoal;
pub use induction::{InductionConfig, Proved, prove_single_valued};
pub use winning_goal::{losing_target, winning_target};

use crate::metarules::{
    Bindings, Clause, Domain, MetaError, Metarules, Ordering, Pattern, SingleValued, Steps, Useless,
    map_literal,
};
use grundy_syntax::{Literal, PredicateId, Stage, TermId};
use knowledge::Knowledge;
use partial::Partial;
use unfolder::Unfolder;

/// A goal: what has to hold after the moves, and what the rules conclude.
#[derive(Clone, Debug)]
pub struct Target {
    /// The predicate that the rules define.
    pub head: PredicateId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// Which moves are arguments of the head, too, by time and player.
    pub shown_moves: Vec<(u8, usize)>,
    /// What has to hold, and after how many moves.
    pub goals: Vec<(Literal, u8)>,
    /// Variables are numbered below this.
    pub variables: u32,
}

/// The rules that unfolding made.
#[derive(Clone, Debug, Default)]
pub struct Unfolding {
    /// The rules of the goal.
    pub rules: Vec<Clause>,
    /// The rules of auxiliary predicates.
    pub auxiliary: Vec<Clause>,
    /// What the metarules did.
    pub counts: Counts,
    /// Whether no rule had to be given up.
    pub complete: bool,
    /// Impossible patterns that were found on the way, minimal.
    pub impossible: Vec<Pattern>,
    /// Useless conditions that were found on the way.
    pub useless: Vec<Useless>,
}

/// The same goal by one of its rules at a time, if it is a single view.
pub fn split_by_rules(domain: &mut Domain, target: &Target) -> Vec<Target> {
    let [(Literal::Holds(atom), time)] = &target.goals[..] else { return vec![target.clone()] };
    let mut targets = Vec::new();
    for rule in domain.rules(atom.predicate).to_vec() {
        let terms = &mut domain.program.terms;
        let rule = rule.renamed(terms, target.variables);
        let mut bindings = Bindings::default();
        if !rule.head.args.iter().zip(&atom.args).all(|(&a, &b)| bindings.unify(terms, a, b)) {
            continue;
        }
        let args = target.args.iter().map(|&arg| bindings.apply(terms, arg)).collect();
        let apply = |literal: &Literal, terms: &mut grundy_syntax::Terms| {
            map_literal(literal, |term| bindings.apply(terms, term))
        };
        let goals = rule.body.iter().map(|literal| (apply(literal, terms), *time)).collect();
        let variables = target.variables + rule.variables;
        targets.push(Target { args, goals, variables, ..target.clone() });
    }
    targets
}

/// Unfolds a goal. Dependencies of fluents that were proved elsewhere can be given.
pub fn unfold(
    domain: &mut Domain,
    target: &Target,
    metarules: Option<&Metarules>,
    proved: &[SingleValued],
    config: &UnfoldConfig,
) -> Result<Unfolding, MetaError> {
    let work = Steps::new(config.max_work, &config.budget);
    let mut knowledge = Knowledge::new(domain, metarules, &work);
    knowledge.single_valued.extend(proved.iter().copied());
    config.budget.enter(Stage::Unfold);
    unfold_knowing(domain, target, metarules, knowledge, (config, &work))
}

/// The same with dependencies that are assumed of the state before all moves; its work is counted by the caller.
pub(crate) fn unfold_assuming(
    domain: &mut Domain,
    target: &Target,
    metarules: &Metarules,
    assumed: &[SingleValued],
    (config, work): (&UnfoldConfig, &Steps),
) -> Result<Unfolding, MetaError> {
    let mut knowledge = Knowledge::new(domain, Some(metarules), work);
    knowledge.assumed.extend(assumed.iter().copied());
    unfold_knowing(domain, target, Some(metarules), knowledge, (config, work))
}

fn unfold_knowing(
    domain: &mut Domain,
    target: &Target,
    metarules: Option<&Metarules>,
    knowledge: Knowledge,
    (config, work): (&UnfoldConfig, &Steps),
) -> Result<Unfolding, MetaError> {
    let (known_impossible, known_useless) = (knowledge.topology.len(), knowledge.useless.len());
    let ordered_by = metarules.filter(|_| config.kinds.ordering);
    let ordering = ordered_by.map(|metarules| Ordering::new(&metarules.branching).within(&config.budget));
    let mut unfolder = Unfolder {
        knowledge,
        config,
        work,
        held_bytes: 0,
        counts: Counts::default(),
        unfolded: target.goals.iter().filter_map(|(literal, _)| Some(literal.atom()?.predicate)).collect(),
        auxiliaries: Vec::new(),
        ordering,
        domain,
    };
    let main = unfolder.main_rule(target);
    let shown = |rule: &Partial, players: usize| -> Vec<TermId> {
        let moves =
            target.shown_moves.iter().map(|&(time, player)| rule.moves[usize::from(time) * players + player]);
        rule.head.iter().copied().chain(moves).collect()
    };
    let mut result =
        Unfolding { rules: unfolder.run(vec![main], target.head, &shown)?, ..Unfolding::default() };
    let mut done = 0;
    while let Some(auxiliary) = unfolder.auxiliaries.get(done).cloned() {
        done += 1;
        let starts = unfolder.auxiliary_rules(&auxiliary);
        let all = |rule: &Partial, _: usize| rule.outside();
        result.auxiliary.extend(unfolder.run(starts, auxiliary.predicate, &all)?);
    }
    unfolder.check()?;
    result.complete = unfolder.counts.too_long == 0;
    result.counts = unfolder.counts;
    result.impossible = unfolder.knowledge.topology.split_off(known_impossible);
    result.useless = unfolder.knowledge.useless.split_off(known_useless);
    Ok(result)
}
