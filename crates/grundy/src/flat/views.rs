//! The two programs of the paper that the grounder does not construct explicitly: g(R) and s(R).

use super::{Flat, FlatLiteral, FlatRule, FlatRuleId, Origin, RelationKind};
use crate::ids::IdVec;

fn kind(flat: &Flat, literal: &FlatLiteral) -> RelationKind {
    literal.atom().map_or(RelationKind::Static, |atom| flat.info(atom.relation).kind)
}

/// The rules with only the conditions that `wanted` accepts.
fn with_conditions(flat: &Flat, wanted: impl Fn(&FlatLiteral) -> bool) -> IdVec<FlatRuleId, FlatRule> {
    let mut rules = flat.rules.clone();
    rules.iter_mut().for_each(|rule| rule.body.retain(&wanted));
    rules
}

/// g(R), the matched rules: the rules without dynamic negation, which may not prune.
pub fn matched(flat: &Flat) -> Flat {
    let prunes = |literal: &FlatLiteral| {
        !matches!(literal, FlatLiteral::Not(_)) || kind(flat, literal) == RelationKind::Static
    };
    Flat { rules: with_conditions(flat, prunes), ..flat.clone() }
}

/// s(R), the stored rules: dynamic rules without their static conditions.
pub fn stored(flat: &Flat) -> Flat {
    let mut rules = with_conditions(flat, |literal| kind(flat, literal) == RelationKind::Dynamic);
    rules.retain(|rule| {
        matches!(rule.origin, Origin::Rule(_)) && flat.info(rule.head.relation).kind == RelationKind::Dynamic
    });
    Flat { rules, ..flat.clone() }
}

#[cfg(test)]
mod tests {
    use super::{matched, stored};
    use crate::flat::{flatten, print_flat};
    use grundy_syntax::{Source, read_game};

    #[test]
    fn conditions_are_split_into_matched_and_stored_ones() {
        let sheet = "(role r) (init (at a)) (edge a b) (<= (legal r (go ?y)) (true (at ?x)) (edge ?x ?y)
            (not (true (at ?y))) (not (edge ?y ?x)) (distinct ?x ?y))";
        let program = read_game(&Source::new("paper.kif", sheet), &Default::default()).program;
        let flat = flatten(&program, &Default::default());
        let rule =
            |text: String| text.lines().find(|line| line.starts_with("legal")).unwrap_or("").to_owned();
        let g = rule(print_flat(&program, &matched(&flat)));
        assert_eq!(g, "legal/_/go(r, V0) <- true/at(V1), edge(V1, V0), not edge(V0, V1), V1 != V0.");
        let s = rule(print_flat(&program, &stored(&flat)));
        assert_eq!(s, "legal/_/go(r, V0) <- true/at(V1), not true/at(V0).");
    }
}
