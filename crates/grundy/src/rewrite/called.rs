//! Calls that are worth evaluating on demand.

use super::infer;
use crate::datalog::Relations;
use crate::flat::{Flat, RelationId, component_numbers};
use crate::ids::{BitSet, IdVec};

/// Relations of which no larger share is ever asked for are evaluated on demand from the start.
const SMALL_SHARE: f64 = 0.125;

/// ... if they could have so many rows.
const WORTH_ASKING: f64 = 1_000.0;

/// Relations that are always called with constants, and so with a small part of what they could be called with. Calls
/// of relations that they depend on themselves do not count.
pub(crate) fn called_with_constants(flat: &Flat, demandable: &BitSet<RelationId>) -> BitSet<RelationId> {
    let component_of = component_numbers(flat);
    // For each relation the columns that are constant, for each of its callers.
    let mut calls: IdVec<RelationId, Vec<Vec<usize>>> = IdVec::filled(Vec::new(), flat.relations.len());
    for rule in &flat.rules {
        for atom in rule.atoms() {
            let relation = atom.relation;
            if demandable.contains(relation) && component_of[relation] != component_of[rule.head.relation] {
                let constant = |column: &usize| flat.terms.is_ground(atom.args[*column]);
                calls[relation].push((0..atom.args.len()).filter(constant).collect());
            }
        }
    }
    let always_bind =
        |calls: &Vec<Vec<usize>>| !calls.is_empty() && calls.iter().all(|call| !call.is_empty());
    let candidates: Vec<RelationId> =
        calls.entries().filter(|(_, calls)| always_bind(calls)).map(|(relation, _)| relation).collect();
    let mut demanded = flat.no_relations();
    if candidates.is_empty() {
        return demanded;
    }
    let domains = infer(flat, &Relations::default());
    for relation in candidates {
        let sizes: Vec<f64> = domains[relation].iter().map(|domain| domain.size().max(1.0)).collect();
        let share = |call: &Vec<usize>| 1.0 / call.iter().map(|&column| sizes[column]).product::<f64>();
        let shares: f64 = calls[relation].iter().map(share).sum();
        let is_worth_it = shares <= SMALL_SHARE && sizes.iter().product::<f64>() >= WORTH_ASKING;
        demanded.set(relation, is_worth_it);
    }
    demanded
}
