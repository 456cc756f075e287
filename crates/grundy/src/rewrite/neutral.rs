//! Removal of columns without influence on the truth of an atom.
//!
//! A column of a view is *neutral* if the truth of an atom is the same for all values of a *sort* in it: its rules only test
//! the sort of the value, and pass it on to neutral columns.
//!
//! ```text
//! ready(B, C) ← bit(B), bit(C), true(step(2))                    ready2() ← true(step(2))
//! ready(B) ← bit(B), ready(B, 0), ready(B, 1)           ⇒        ready1() ← ready2()
//! legal(robot, go) ← ready(0)                                    legal(robot, go) ← ready1(), bit(0)
//! ```
//!
//! The greatest fixpoint is computed: all columns are assumed neutral until a rule refutes it. With n neutral columns over d
//! values, a view has d to the power of n times as many rows as needed.

use super::project::drop_columns;
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationKind, rules_in_order};
use crate::ids::IdVec;
use grundy_syntax::{Program, Term, TermId, Ticks, VariableId};
use rustc_hash::FxHashSet;

/// The sort of a neutral column: the unary static relations that hold for its values, in order.
type Sort = Vec<RelationId>;

/// For each column of each relation its sort, if it may be neutral.
type Columns = IdVec<RelationId, Vec<Option<Sort>>>;

/// Drops neutral columns of views.
pub(super) fn drop_neutral_columns(program: &mut Program, flat: &mut Flat) {
    let facts = unary_facts(flat);
    let columns = neutral_columns(program, flat, &facts);
    let is_dropped = |columns: &[Option<Sort>]| columns.iter().any(Option::is_some);
    for rule in &mut flat.rules {
        let sorts = added_sorts(rule, &columns);
        rule.body.extend(sorts);
    }
    let dropped = columns.entries().filter(|(_, columns)| is_dropped(columns));
    let keep = |columns: &[Option<Sort>]| columns.iter().map(Option::is_none).collect();
    let dropped: Vec<_> = dropped.map(|(relation, columns)| (relation, keep(columns))).collect();
    drop_columns(program, flat, &dropped);
    if columns.iter().flatten().any(Option::is_some) {
        flat.rules.iter_mut().for_each(|rule| drop_sorts_of_nothing(&flat.terms, rule, &facts));
        let Flat { rules, terms, .. } = flat;
        rules.iter_mut().for_each(|rule| crate::flat::renumber(terms, rule));
    }
}

/// The sorts of the values that a rule passes to columns that will be dropped.
fn added_sorts(rule: &FlatRule, columns: &Columns) -> Vec<FlatLiteral> {
    let mut added: Vec<FlatLiteral> = Vec::new();
    for literal in &rule.body {
        let FlatLiteral::Holds(atom) = literal else { continue };
        for (&arg, sort) in atom.args.iter().zip(&columns[atom.relation]) {
            for &kind in sort.iter().flatten() {
                let literal = FlatLiteral::Holds(FlatAtom { relation: kind, args: [arg].into() });
                if !rule.body.contains(&literal) && !added.contains(&literal) {
                    added.push(literal);
                }
            }
        }
    }
    added
}

/// Drops conditions that only ask for some value of a sort that has values.
fn drop_sorts_of_nothing(terms: &grundy_syntax::Terms, rule: &mut FlatRule, facts: &Facts) {
    let occurrences = |variable: VariableId| {
        let body = rule.body.iter().flat_map(|literal| literal.terms());
        body.chain(rule.head.args.iter().copied()).filter(|&term| terms.contains(term, variable)).count()
    };
    let is_needed = |literal: &FlatLiteral| {
        let FlatLiteral::Holds(atom) = literal else { return true };
        let [arg] = atom.args[..] else { return true };
        match terms.get(arg) {
            Term::Variable(variable) => {
                occurrences(variable) > 1 || !facts.by_relation.contains(&atom.relation)
            }
            _ => true,
        }
    };
    let needed: Vec<bool> = rule.body.iter().map(is_needed).collect();
    let mut needed = needed.into_iter();
    rule.body.retain(|_| needed.next().unwrap_or(true));
}

/// The facts of unary static relations that are defined by facts only.
struct Facts {
    by_relation: FxHashSet<RelationId>,
    atoms: FxHashSet<(RelationId, TermId)>,
}

fn unary_facts(flat: &Flat) -> Facts {
    let unary = |rule: &&FlatRule| {
        let info = flat.info(rule.head.relation);
        info.arity == 1 && info.kind == RelationKind::Static
    };
    let is_fact = |rule: &FlatRule| rule.body.is_empty() && flat.terms.is_ground(rule.head.args[0]);
    let derived: FxHashSet<RelationId> = flat
        .rules
        .iter()
        .filter(unary)
        .filter(|rule| !is_fact(rule))
        .map(|rule| rule.head.relation)
        .collect();
    let facts = flat.rules.iter().filter(unary).filter(|rule| !derived.contains(&rule.head.relation));
    let atoms: FxHashSet<(RelationId, TermId)> =
        facts.map(|rule| (rule.head.relation, rule.head.args[0])).collect();
    Facts { by_relation: atoms.iter().map(|(relation, _)| *relation).collect(), atoms }
}

/// The columns that are neutral.
fn neutral_columns(program: &Program, flat: &Flat, facts: &Facts) -> Columns {
    let mut columns: Columns = flat.relations.iter().map(|info| vec![None; info.arity]).collect();
    let mut seen = flat.no_relations();
    for rule in &flat.rules {
        let relation = rule.head.relation;
        let info = &flat.relations[relation];
        let is_view = program.info(info.predicate).keyword.is_none()
            && info.kind == RelationKind::Dynamic
            && !info.is_part;
        let sorts: Vec<Option<Sort>> =
            rule.head.args.iter().map(|&arg| sort_of(flat, rule, arg, facts).filter(|_| is_view)).collect();
        if seen.insert(relation) {
            columns[relation] = sorts;
        } else {
            for (known, sort) in columns[relation].iter_mut().zip(sorts) {
                if *known != sort {
                    *known = None;
                }
            }
        }
    }
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().map(|&id| &flat.rules[id]) {
            if ticks.work(&flat.budget, rule.body.len() * (1 + rule.head.args.len())).is_err() {
                break;
            }
            changed |= refute(flat, rule, facts, &mut columns);
        }
    }
    columns
}

/// The sort that a rule requires of a variable.
fn sort_of(flat: &Flat, rule: &FlatRule, term: TermId, facts: &Facts) -> Option<Sort> {
    let Term::Variable(_) = flat.terms.get(term) else { return None };
    let kind = |literal: &FlatLiteral| match literal {
        FlatLiteral::Holds(atom) if *atom.args == [term] && facts.by_relation.contains(&atom.relation) => {
            Some(atom.relation)
        }
        _ => None,
    };
    let mut sort: Sort = rule.body.iter().filter_map(kind).collect();
    sort.sort_unstable();
    sort.dedup();
    (!sort.is_empty()).then_some(sort)
}

/// Removes the columns that a rule shows not to be neutral. Returns whether there were any.
fn refute(flat: &Flat, rule: &FlatRule, facts: &Facts, columns: &mut Columns) -> bool {
    let mut refuted: Vec<(RelationId, usize)> = Vec::new();
    for (column, &arg) in rule.head.args.iter().enumerate() {
        if let Some(sort) = &columns[rule.head.relation][column]
            && !is_passed_on(flat, rule, arg, sort, facts, columns)
        {
            refuted.push((rule.head.relation, column));
        }
    }
    for literal in &rule.body {
        let FlatLiteral::Not(atom) = literal else { continue };
        for (column, &arg) in atom.args.iter().enumerate() {
            let Some(sort) = &columns[atom.relation][column] else { continue };
            let own = sort_of(flat, rule, arg, facts).unwrap_or_default();
            let is_of = |kind: &RelationId| own.contains(kind) || facts.atoms.contains(&(*kind, arg));
            if !sort.iter().all(is_of) {
                refuted.push((atom.relation, column));
            }
        }
    }
    refuted.iter().for_each(|&(relation, column)| columns[relation][column] = None);
    !refuted.is_empty()
}

/// Whether a rule uses a variable of its head only for tests of its sort and in neutral columns of the same or a larger
/// sort.
fn is_passed_on(
    flat: &Flat,
    rule: &FlatRule,
    term: TermId,
    sort: &Sort,
    facts: &Facts,
    columns: &Columns,
) -> bool {
    let Term::Variable(variable) = flat.terms.get(term) else { return false };
    let has = |&term: &TermId| flat.terms.contains(term, variable);
    let is_fine = |literal: &FlatLiteral| {
        let Some(atom) = literal.atom() else { return !literal.terms().any(|term| has(&term)) };
        let is_sort = matches!(literal, FlatLiteral::Holds(_)) && facts.by_relation.contains(&atom.relation);
        is_sort
            || atom.args.iter().enumerate().filter(|(_, arg)| has(arg)).all(|(column, &arg)| {
                let wanted = &columns[atom.relation][column];
                arg == term
                    && wanted.as_ref().is_some_and(|wanted| wanted.iter().all(|kind| sort.contains(kind)))
            })
    };
    rule.head.args.iter().filter(|arg| has(arg)).count() == 1 && rule.body.iter().all(is_fine)
}
