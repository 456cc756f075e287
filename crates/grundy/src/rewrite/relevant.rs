//! Removal of rules that no answer depends on.

use crate::flat::{Flat, RelationId, rules_in_order};
use grundy_syntax::{Keyword, Program};

/// Keeps the rules that `init`, `legal`, `next`, `terminal`, `goal` and `sees` depend on.
pub(crate) fn drop_irrelevant(program: &Program, flat: &mut Flat) {
    let is_answer = |&relation: &RelationId| {
        let keyword = flat.keyword(program, relation);
        keyword.is_some_and(|keyword| !matches!(keyword, Keyword::Base | Keyword::Input))
    };
    let mut needed = flat.relations_where(is_answer);
    let order = rules_in_order(flat);
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().rev().map(|&id| &flat.rules[id]) {
            if needed.contains(rule.head.relation) {
                rule.relations_read().for_each(|read| changed |= needed.insert(read));
            }
        }
    }
    flat.rules.retain(|rule| needed.contains(rule.head.relation));
}
