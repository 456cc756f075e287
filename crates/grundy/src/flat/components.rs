//! The order in which relations are evaluated.

use super::{Flat, FlatLiteral, RelationId};
use crate::graph::{Graph, component_of};
use crate::ids::IdVec;

/// For each relation the number of its component, if negated conditions count as well.
pub(crate) fn component_numbers(flat: &Flat) -> IdVec<RelationId, u32> {
    component_of(&components(flat, |_| true), flat.relations.len())
}

/// Components of relations, each behind those that it depends on. Conditions count as dependences if `kept` accepts them:
/// where negation may prune, negated relations have to be complete.
pub(crate) fn components(flat: &Flat, kept: impl Fn(&FlatLiteral) -> bool) -> Vec<Vec<RelationId>> {
    let mut graph = Graph::new(flat.relations.len());
    for rule in &flat.rules {
        for atom in rule.body.iter().filter(|literal| kept(literal)).filter_map(FlatLiteral::atom) {
            graph.add_edge(rule.head.relation, atom.relation);
        }
    }
    graph.components()
}
