//! Matching the rules of a component until nothing new follows.

use crate::facts::{Facts, Stop};
use crate::matching::{Estimate, Pass, run};
use crate::plan::Plan;
use crate::relation::Relation;
use grundy_syntax::{PredicateId, TermId};
use rustc_hash::FxHashMap;

/// Predicates that depend on each other, and their rules.
pub(crate) struct Component {
    pub(crate) members: Vec<PredicateId>,
    pub(crate) plans: Vec<Plan>,
    /// Whether a member depends on the negation of a member.
    pub(crate) has_negation: bool,
}

/// Why a component could not be evaluated.
pub(crate) enum Failure {
    /// A limit was hit in the rule of this number.
    Stopped(Stop, usize),
    /// This atom depends on its own negation.
    Cycle(PredicateId, Box<[TermId]>),
}

/// Derives all that follows for a component. Whatever else it depends on is known.
pub(crate) fn evaluate(facts: &mut Facts, component: &Component) -> Result<(), Failure> {
    let first = component.plans.first();
    first
        .map_or(Ok(()), |plan| facts.check_budget_now().map_err(|stop| Failure::Stopped(stop, plan.rule)))?;
    if component.has_negation {
        alternate(facts, component)
    } else {
        saturate(facts, component, &Estimate::default())
    }
}

/// The alternating fixpoint (Van Gelder): too few true atoms make too few negations fail, which
/// gives too many true atoms, and the other way round. The two estimates close in on each other.
/// Where they meet, the program has one meaning; an atom that stays between them depends on its
/// negation.
///
/// The first estimate from above takes every negation of a member to be true. It may hit a limit
/// that the meaning of the program would not.
fn alternate(facts: &mut Facts, component: &Component) -> Result<(), Failure> {
    let mut certain: Estimate =
        component.members.iter().map(|&member| (member, Relation::default())).collect();
    loop {
        let possible = consequences(facts, component, &certain)?;
        let more_certain = consequences(facts, component, &possible)?;
        let undecided = component.members.iter().find_map(|member| {
            let mut rows = possible[member].rows().iter();
            rows.find(|row| !more_certain[member].contains(row)).map(|row| (*member, row.into()))
        });
        let Some((predicate, row)) = undecided else {
            more_certain.into_iter().for_each(|(member, relation)| _ = facts.replace(member, relation));
            return Ok(());
        };
        // What is certain only grows, so that sizes tell whether it has.
        if size(&more_certain) == size(&certain) {
            return Err(Failure::Cycle(predicate, row));
        }
        certain = more_certain;
    }
}

/// What follows for the members of a component if an estimate decides their negations.
fn consequences(facts: &mut Facts, component: &Component, estimate: &Estimate) -> Result<Estimate, Failure> {
    saturate(facts, component, estimate)?;
    let members = component.members.iter();
    Ok(members.map(|&member| (member, facts.replace(member, Relation::default()))).collect())
}

fn size(estimate: &Estimate) -> usize {
    estimate.values().map(|relation| relation.rows().len()).sum()
}

/// The least fixpoint, by semi-naive evaluation.
///
/// After the first round, a rule can only give something new if one of its conditions matches
/// a row that the round before has added; so each recursive condition in turn is matched with
/// the new rows only.
fn saturate(facts: &mut Facts, component: &Component, estimate: &Estimate) -> Result<(), Failure> {
    let mut old = sizes(facts, component);
    for plan in &component.plans {
        let pass = Pass { plan, only: None, estimate };
        run(facts, &pass).map_err(|stop| Failure::Stopped(stop, plan.rule))?;
    }
    loop {
        let now = sizes(facts, component);
        if now == old {
            return Ok(());
        }
        for plan in &component.plans {
            facts.check_budget(1).map_err(|stop| Failure::Stopped(stop, plan.rule))?;
            for (at, condition) in plan.positive.iter().enumerate() {
                let Some(&end) = now.get(&condition.predicate) else { continue };
                let new_rows = old[&condition.predicate]..end;
                if !new_rows.is_empty() {
                    let pass = Pass { plan, only: Some((at, new_rows)), estimate };
                    run(facts, &pass).map_err(|stop| Failure::Stopped(stop, plan.rule))?;
                }
            }
        }
        old = now;
    }
}

/// How many rows the members of a component have.
fn sizes(facts: &Facts, component: &Component) -> FxHashMap<PredicateId, usize> {
    component.members.iter().map(|&member| (member, facts.relation(member).rows().len())).collect()
}
