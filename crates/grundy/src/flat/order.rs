//! The order in which fixpoints over the rules of a flat program converge fast.

use super::{Flat, FlatRuleId};
use crate::graph::Graph;
use crate::ids::Csr;

/// All rules, each behind the rules for the relations that it reads, except in cycles. Without cycles, a forward analysis
/// converges in one pass over this order, and a backward analysis in one pass over its reverse.
pub(crate) fn rules_in_order(flat: &Flat) -> Vec<FlatRuleId> {
    let mut graph = Graph::new(flat.relations.len());
    for rule in &flat.rules {
        rule.relations_read().for_each(|read| graph.add_edge(rule.head.relation, read));
    }
    let by_head = flat.rules.entries().map(|(id, rule)| (rule.head.relation, id));
    let rules_of = Csr::grouped(flat.relations.len(), by_head);
    graph.components().iter().flatten().flat_map(|&relation| rules_of[relation].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::rules_in_order;
    use crate::flat::flatten;
    use grundy_syntax::{Budget, Source, read_game};

    #[test]
    fn rules_stand_behind_what_they_read() {
        let sheet = "(role r) (init (s 1)) (<= (a ?x) (b ?x)) (<= (b ?x) (c ?x)) (<= (c ?x) (true (s ?x)))
            (<= (legal r (m ?x)) (a ?x)) (<= terminal (a 1)) (goal r 0)";
        let program = read_game(&Source::new("chain", sheet), &Default::default()).program;
        let flat = flatten(&program, &Budget::default());
        let order = rules_in_order(&flat);
        assert_eq!(order.len(), flat.rules.len());
        let position = |id| order.iter().position(|&other| other == id).expect("all rules");
        for (id, rule) in flat.rules.entries() {
            for read in rule.relations_read() {
                for (other, _) in flat.rules.entries().filter(|(_, other)| other.head.relation == read) {
                    assert!(position(other) < position(id));
                }
            }
        }
    }
}
