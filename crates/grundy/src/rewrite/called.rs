//! Calls that are worth evaluating on demand.

use super::infer;
use crate::flat::{Flat, FlatLiteral, components};

/// Relations of which no larger share is ever asked for are evaluated on demand from the start.
const SMALL_SHARE: f64 = 0.125;

/// ... if they could have so many rows.
const WORTH_ASKING: f64 = 1_000.0;

/// Relations that are always called with constants, and so with a small part of what they could be called with. Calls
/// of relations that they depend on themselves do not count.
pub(crate) fn called_with_constants(flat: &Flat, askable: &[bool]) -> Vec<bool> {
    let mut component_of = vec![0; flat.relations.len()];
    for (number, members) in components(flat, |_| true).iter().enumerate() {
        members.iter().for_each(|&member| component_of[member] = number);
    }
    // For each relation the columns that are constant, for each of its callers.
    let mut calls: Vec<Vec<Vec<usize>>> = vec![Vec::new(); flat.relations.len()];
    for rule in &flat.rules {
        for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
            let relation = atom.relation.index();
            if askable[relation] && component_of[relation] != component_of[rule.head.relation.index()] {
                let constant = |column: &usize| flat.terms.is_ground(atom.args[*column]);
                calls[relation].push((0..atom.args.len()).filter(constant).collect());
            }
        }
    }
    let candidates: Vec<usize> = (0..flat.relations.len())
        .filter(|&relation| {
            !calls[relation].is_empty() && calls[relation].iter().all(|call| !call.is_empty())
        })
        .collect();
    let mut demanded = vec![false; flat.relations.len()];
    if candidates.is_empty() {
        return demanded;
    }
    let domains = infer(flat, &[]);
    for relation in candidates {
        let sizes: Vec<f64> = domains[relation].iter().map(|domain| domain.size().max(1.0)).collect();
        let share = |call: &Vec<usize>| 1.0 / call.iter().map(|&column| sizes[column]).product::<f64>();
        let shares: f64 = calls[relation].iter().map(share).sum();
        demanded[relation] = shares <= SMALL_SHARE && sizes.iter().product::<f64>() >= WORTH_ASKING;
    }
    demanded
}
