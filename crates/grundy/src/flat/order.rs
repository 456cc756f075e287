//! The order in which fixpoints over the rules of a flat program converge fast.

use super::{Flat, FlatLiteral};
use crate::graph::Graph;

/// The numbers of all rules, each behind the rules for the relations that it reads, as far as there are no cycles. What
/// flows from conditions to heads converges in one pass over this order, what flows from heads to conditions in one
/// pass over its reverse.
pub(crate) fn rules_in_order(flat: &Flat) -> Vec<usize> {
    let mut graph = Graph::new(flat.relations.len());
    let mut rules_of = vec![Vec::new(); flat.relations.len()];
    for (number, rule) in flat.rules.iter().enumerate() {
        let head = rule.head.relation.index();
        rules_of[head].push(number);
        for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
            graph.add_edge(head, atom.relation.index());
        }
    }
    graph
        .components()
        .into_iter()
        .flatten()
        .flat_map(|relation| std::mem::take(&mut rules_of[relation]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::rules_in_order;
    use crate::flat::{FlatLiteral, flatten};
    use grundy_syntax::{Budget, Source, read_game};

    #[test]
    fn rules_stand_behind_what_they_read() {
        let sheet = "(role r) (init (s 1)) (<= (a ?x) (b ?x)) (<= (b ?x) (c ?x)) (<= (c ?x) (true (s ?x)))
            (<= (legal r (m ?x)) (a ?x)) (<= terminal (a 1)) (goal r 0)";
        let program = read_game(&Source::new("chain", sheet), &Default::default()).program;
        let flat = flatten(&program, &Budget::default());
        let order = rules_in_order(&flat);
        assert_eq!(order.len(), flat.rules.len());
        let place_of = |number: usize| order.iter().position(|&other| other == number).expect("all rules");
        for (number, rule) in flat.rules.iter().enumerate() {
            for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
                for (other, _) in
                    flat.rules.iter().enumerate().filter(|(_, other)| other.head.relation == atom.relation)
                {
                    assert!(place_of(other) < place_of(number));
                }
            }
        }
    }
}
