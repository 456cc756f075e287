//! Relations that are called with constants, and therefore evaluated on demand.

use super::infer;
use crate::datalog::Relations;
use crate::flat::{Flat, RelationId, component_numbers};
use crate::ids::{BitSet, IdVec};

/// The largest share of a relation that all calls together may use for evaluation on demand from the start. A guess.
const LARGEST_CALLED_SHARE: f64 = 0.125;

/// The least possible number of rows for evaluation on demand from the start. A guess.
const LEAST_ROWS: f64 = 1_000.0;

/// Relations that are always called with constants, and so for a small part of their rows. Recursive calls do not count.
pub(crate) fn called_with_constants(flat: &Flat, demandable: &BitSet<RelationId>) -> BitSet<RelationId> {
    let component_of = component_numbers(flat);
    // For each relation, for each call, the columns with constants.
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
        let is_worth_it = shares <= LARGEST_CALLED_SHARE && sizes.iter().product::<f64>() >= LEAST_ROWS;
        demanded.set(relation, is_worth_it);
    }
    demanded
}
