//! Dropping what no answer depends on.

use crate::flat::{Flat, FlatLiteral, rules_in_order};
use grundy_syntax::{Keyword, Program};

/// Keeps the rules that `init`, `legal`, `next`, `terminal`, `goal` and `sees` depend on.
pub(crate) fn drop_irrelevant(program: &Program, flat: &mut Flat) {
    let is_answer = |relation: usize| {
        let keyword = program.info(flat.relations[relation].predicate).keyword;
        keyword.is_some_and(|keyword| !matches!(keyword, Keyword::Base | Keyword::Input))
    };
    let mut needed: Vec<bool> = (0..flat.relations.len()).map(is_answer).collect();
    let order = rules_in_order(flat);
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().rev().map(|&number| &flat.rules[number]) {
            if !needed[rule.head.relation.index()] {
                continue;
            }
            for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
                changed |= !std::mem::replace(&mut needed[atom.relation.index()], true);
            }
        }
    }
    flat.rules.retain(|rule| needed[rule.head.relation.index()]);
}
