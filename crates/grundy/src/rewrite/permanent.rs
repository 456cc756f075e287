//! Facts that never change.
//!
//! Old sheets keep walls and boards in the state: `(init (wall 1 2 north))`, with the single rule
//! `(<= (next (wall ?x ?y ?d)) (true (wall ?x ?y ?d)))` for their next values. Such facts hold in all states, so conditions
//! can use `init` instead of `true`. They become static, and so do views that depend on nothing else.

use crate::flat::{Flat, FlatLiteral, FlatRule, Origin, RelationId, RelationKind, rules_in_order};
use grundy_syntax::{Keyword, Program, Term};
use rustc_hash::FxHashMap;

/// Replaces conditions on facts that never change by conditions on the initial state.
pub(super) fn use_permanent_facts(program: &Program, flat: &mut Flat) {
    let initial = permanent(program, flat);
    if initial.is_empty() {
        return;
    }
    for rule in flat.rules.iter_mut().filter(|rule| rule.origin != Origin::Link) {
        if is_copy(&flat.terms, rule) && initial.contains_key(&only_condition(rule)) {
            continue;
        }
        for literal in &mut rule.body {
            if let FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) = literal
                && let Some(&init) = initial.get(&Some(atom.relation))
            {
                atom.relation = init;
            }
        }
    }
    settle_kinds(program, flat);
}

/// For each relation of permanent facts under `true`, the relation of the same facts under `init`.
fn permanent(program: &Program, flat: &Flat) -> FxHashMap<Option<RelationId>, RelationId> {
    let keyword = |relation: RelationId| flat.keyword(program, relation);
    let of = |wanted: Keyword, like: RelationId| {
        flat.relations
            .ids()
            .filter(|&id| keyword(id) == Some(wanted))
            .find(|&id| flat.info(id).is_same_part(flat.info(like)))
    };
    let mut found = FxHashMap::default();
    for fact in flat.relations.ids().filter(|&relation| keyword(relation) == Some(Keyword::True)) {
        let Some((init, next)) = of(Keyword::Init, fact).zip(of(Keyword::Next, fact)) else { continue };
        let mut rules = flat.rules.iter().filter(|rule| rule.head.relation == next).peekable();
        let copies = |rule: &FlatRule| is_copy(&flat.terms, rule) && only_condition(rule) == Some(fact);
        if rules.peek().is_some() && rules.all(copies) {
            found.insert(Some(fact), init);
        }
    }
    found
}

fn only_condition(rule: &FlatRule) -> Option<RelationId> {
    match &rule.body[..] {
        [FlatLiteral::Holds(atom)] => Some(atom.relation),
        _ => None,
    }
}

/// Whether a rule copies all rows of one relation to another.
fn is_copy(terms: &grundy_syntax::Terms, rule: &FlatRule) -> bool {
    let [FlatLiteral::Holds(atom)] = &rule.body[..] else { return false };
    let are_variables = atom.args.iter().all(|&arg| matches!(terms.get(arg), Term::Variable(_)));
    are_variables && rule.variables == atom.args.len() && atom.args == rule.head.args
}

/// Makes views that no longer depend on a state static.
fn settle_kinds(program: &Program, flat: &mut Flat) {
    let is_view = |relation: RelationId| flat.keyword(program, relation).is_none();
    let mut dynamic = flat
        .relations_where(|&relation| flat.info(relation).kind == RelationKind::Dynamic && !is_view(relation));
    let order = rules_in_order(flat);
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().map(|&id| &flat.rules[id]) {
            if rule.relations_read().any(|read| dynamic.contains(read)) {
                changed |= dynamic.insert(rule.head.relation);
            }
        }
    }
    for relation in flat.relations.ids().filter(|&relation| !dynamic.contains(relation)) {
        flat.relations[relation].kind = RelationKind::Static;
    }
}
