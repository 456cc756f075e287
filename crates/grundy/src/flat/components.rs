//! The order in which relations are evaluated.

use super::{Flat, FlatLiteral};
use crate::graph::Graph;

/// Components of relations, each behind all that it needs. A negated condition counts where it is
/// `kept`: where negation may prune, what is negated has to be complete.
pub(crate) fn components(flat: &Flat, kept: impl Fn(&FlatLiteral) -> bool) -> Vec<Vec<usize>> {
    let mut graph = Graph::new(flat.relations.len());
    for rule in &flat.rules {
        for atom in rule.body.iter().filter(|literal| kept(literal)).filter_map(FlatLiteral::atom) {
            graph.add_edge(rule.head.relation.index(), atom.relation.index());
        }
    }
    graph.components()
}
