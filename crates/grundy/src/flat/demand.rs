//! Evaluation on demand by magic sets (Bancilhon et al. 1986).
//!
//! A view of which only a small part is used gets a *call table* (a magic predicate): a relation of the values that its
//! callers bind. Its rules have the call table as their first condition, and every rule that uses the view yields a rule
//! that fills the call table from the preceding conditions:
//!
//! ```text
//! count(W, B) ← loop(ne, 0, 0, W, B)           call(ne, 0, 0)
//! loop(X, W1, B1, W, B) ←                       call(Y, W2, B2) ← call(X, W1, B1), one(X, W1, B1, W2, B2), next(X, Y)
//!     one(X, W1, B1, W2, B2), next(X, Y),       loop(X, W1, B1, W, B) ← call(X, W1, B1),
//!     loop(Y, W2, B2, W, B)                         one(X, W1, B1, W2, B2), next(X, Y), loop(Y, W2, B2, W, B)
//! ```
//!
//! The rewritten rules do bottom-up what tabling engines do with calls and answers: each call is made once, each answer is
//! derived once, and recursion of any kind terminates.
//!
//! A relation has one call table. Its columns are those that all callers bind.

use super::components::component_numbers;
use super::{
    Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationInfo, RelationKind, renumber, rules_in_order,
};
use crate::ids::{BitSet, IdVec};
use grundy_syntax::{Keyword, Program, Term, TermId, Terms, Ticks, VariableId};
use rustc_hash::FxHashSet;

/// For each relation that is evaluated on demand, which of its columns its callers bind.
type Adornments = IdVec<RelationId, Option<Vec<bool>>>;

/// The call table of each relation that is evaluated on demand.
type CallTables = IdVec<RelationId, Option<RelationId>>;

/// Rewrites a program so that the wanted relations are evaluated on demand. A relation of which callers bind no column is
/// not changed.
pub(crate) fn demand(program: &mut Program, flat: &mut Flat, wanted: &BitSet<RelationId>) {
    let adornments = adorn(flat, wanted);
    if adornments.iter().any(Option::is_some) {
        let tables = call_tables(program, flat, &adornments);
        let rules = std::mem::take(&mut flat.rules);
        let mut ticks = Ticks::default();
        for rule in rules {
            if ticks.work(&flat.budget, rule.variables + rule.body.len()).is_err() {
                break;
            }
            rewrite(flat, rule, &adornments, &tables);
        }
        let mut call_tables = flat.no_relations();
        tables.iter().flatten().for_each(|&table| call_tables.set(table, true));
        raise_kinds(flat, |relation| call_tables.contains(relation));
    }
}

/// Adds a relation to those that are evaluated on demand, if possible. If its callers bind no column because they are views
/// that are evaluated whole, they are added as well.
pub(crate) fn add_demanded(
    flat: &Flat,
    demandable: &BitSet<RelationId>,
    demanded: &mut BitSet<RelationId>,
    relation: RelationId,
) {
    let mut more_demanded = demanded.clone();
    more_demanded.set(relation, true);
    while adorn(flat, &more_demanded)[relation].is_none() {
        let callers = callers(flat, &more_demanded);
        let is_demandable =
            |caller: &RelationId| demandable.contains(*caller) && !more_demanded.contains(*caller);
        let more: Vec<RelationId> = callers.into_iter().filter(is_demandable).collect();
        if more.is_empty() {
            return;
        }
        more.into_iter().for_each(|caller| more_demanded.set(caller, true));
    }
    *demanded = more_demanded;
}

/// The relations that depend on themselves by a condition that puts a term together: on demand, they could be asked for ever
/// larger terms, although their facts have none.
pub(crate) fn with_growing_calls(flat: &Flat) -> BitSet<RelationId> {
    let component_of = component_numbers(flat);
    let grows = |rule: &&FlatRule| {
        let builds =
            |&arg: &TermId| matches!(flat.terms.get(arg), Term::Compound(..)) && !flat.terms.is_ground(arg);
        let recursive = |atom: &&FlatAtom| component_of[atom.relation] == component_of[rule.head.relation];
        let atoms = rule.body.iter().filter_map(FlatLiteral::atom).filter(recursive);
        atoms.flat_map(|atom| &atom.args).any(builds)
    };
    let growing: FxHashSet<u32> =
        flat.rules.iter().filter(grows).map(|rule| component_of[rule.head.relation]).collect();
    BitSet::of(flat.relations.len(), |&relation| growing.contains(&component_of[relation]))
}

/// The relations with a rule that uses one of these.
pub(crate) fn callers(flat: &Flat, relations: &BitSet<RelationId>) -> Vec<RelationId> {
    let calls = |rule: &&FlatRule| rule.relations_read().any(|read| relations.contains(read));
    flat.rules.iter().filter(calls).map(|rule| rule.head.relation).collect()
}

/// The relations that can be evaluated on demand: views, except those that have to be complete before calls exist. These are
/// the relations that `init` and the roles depend on, and those that a relation negated in a static rule depends on.
pub(crate) fn demandable(program: &Program, flat: &Flat) -> BitSet<RelationId> {
    let is_static = |rule: &FlatRule| flat.info(rule.head.relation).kind == RelationKind::Static;
    demandable_except(program, flat, |rule, _| is_static(rule))
}

/// The static relations that can be evaluated on demand without a change to dynamic rules: those whose negation, and the
/// negation of every static relation that depends on them, is not a condition.
pub(crate) fn demandable_statics(program: &Program, flat: &Flat) -> BitSet<RelationId> {
    let is_static = |relation: RelationId| flat.info(relation).kind == RelationKind::Static;
    let mut demandable = demandable_except(program, flat, |_, atom| is_static(atom.relation));
    demandable.intersect(&flat.relations_where(|&relation| is_static(relation)));
    demandable
}

/// The views that neither `init`, the roles, nor the negated conditions selected by `has_to_be_complete` depend on.
fn demandable_except(
    program: &Program,
    flat: &Flat,
    has_to_be_complete: impl Fn(&FlatRule, &FlatAtom) -> bool,
) -> BitSet<RelationId> {
    let keyword = |relation: RelationId| flat.keyword(program, relation);
    let mut complete_first =
        flat.relations_where(|&relation| matches!(keyword(relation), Some(Keyword::Init | Keyword::Role)));
    for rule in &flat.rules {
        for literal in &rule.body {
            if let FlatLiteral::Not(atom) = literal
                && has_to_be_complete(rule, atom)
            {
                complete_first.set(atom.relation, true);
            }
        }
    }
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for rule in order.iter().rev().map(|&number| &flat.rules[number]) {
            if ticks.work(&flat.budget, rule.body.len()).is_err() {
                break;
            }
            if complete_first.contains(rule.head.relation) {
                rule.relations_read().for_each(|read| changed |= complete_first.insert(read));
            }
        }
    }
    flat.relations_where(|&relation| keyword(relation).is_none() && !complete_first.contains(relation))
}

/// The columns that all callers bind: a greatest fixpoint, starting with all columns.
fn adorn(flat: &Flat, wanted: &BitSet<RelationId>) -> Adornments {
    let all_columns = |(relation, info): (RelationId, &RelationInfo)| {
        wanted.contains_if_known(relation).then(|| vec![true; info.arity])
    };
    let mut adornments: Adornments = flat.relations.entries().map(all_columns).collect();
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    loop {
        let mut changed = false;
        for rule in order.iter().rev().map(|&number| &flat.rules[number]) {
            if ticks.work(&flat.budget, rule.variables + rule.body.len()).is_err() {
                return adornments;
            }
            for call in calls(flat, rule, &adornments) {
                if let Some(columns) = &mut adornments[call.relation] {
                    for (column, bound) in columns.iter_mut().zip(&call.bound) {
                        changed |= *column && !bound;
                        *column &= bound;
                    }
                }
            }
        }
        for columns in &mut adornments {
            if columns.as_ref().is_some_and(|columns| !columns.contains(&true)) {
                *columns = None;
                changed = true;
            }
        }
        if !changed {
            return adornments;
        }
    }
}

/// A call: a condition, with the conditions before it.
struct Call {
    literal: usize,
    relation: RelationId,
    /// Which columns are bound when it is reached.
    bound: Vec<bool>,
    /// The conditions that bind them, by number.
    before: Vec<usize>,
}

/// The calls of a rule, in order: conditions that are evaluated whole come first, then the call with the fewest unbound
/// arguments.
fn calls(flat: &Flat, rule: &FlatRule, adornments: &Adornments) -> Vec<Call> {
    let is_demanded =
        |literal: &FlatLiteral| literal.atom().is_some_and(|atom| adornments[atom.relation].is_some());
    let mut bound = BitSet::empty(rule.variables);
    if let Some(columns) = &adornments[rule.head.relation] {
        let called = rule.head.args.iter().zip(columns).filter(|(_, bound)| **bound);
        called.for_each(|(&arg, _)| bind(&flat.terms, arg, &mut bound));
    }
    let mut before: Vec<usize> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    let mut negated: Vec<usize> = Vec::new();
    for (number, literal) in rule.body.iter().enumerate() {
        match literal {
            FlatLiteral::Holds(_) if is_demanded(literal) => waiting.push(number),
            FlatLiteral::Holds(atom) => {
                before.push(number);
                atom.args.iter().for_each(|&arg| bind(&flat.terms, arg, &mut bound));
            }
            FlatLiteral::Not(_) if is_demanded(literal) => negated.push(number),
            _ => {}
        }
    }
    let mut calls = Vec::new();
    while !waiting.is_empty() || !negated.is_empty() {
        let open = |&number: &usize| {
            let atom = rule.body[number].atom();
            atom.map_or(0, |atom| {
                atom.args.iter().filter(|&&arg| !is_bound(&flat.terms, arg, &bound)).count()
            })
        };
        // Negated conditions bind nothing, so they come last.
        let next = waiting.iter().copied().min_by_key(open);
        let literal = match next {
            Some(next) => {
                waiting.retain(|&other| other != next);
                next
            }
            None => negated.remove(0),
        };
        let Some(atom) = rule.body[literal].atom() else { continue };
        let columns = atom.args.iter().map(|&arg| is_bound(&flat.terms, arg, &bound)).collect();
        calls.push(Call { literal, relation: atom.relation, bound: columns, before: before.clone() });
        // A call without unbound arguments binds nothing, so others do not wait for it.
        let binds_something = calls.last().is_some_and(|call| call.bound.contains(&false));
        if next.is_some() && binds_something {
            before.push(literal);
            atom.args.iter().for_each(|&arg| bind(&flat.terms, arg, &mut bound));
        }
    }
    calls
}

fn bind(terms: &Terms, term: TermId, bound: &mut BitSet<VariableId>) {
    terms.for_each_variable(term, &mut |variable| bound.set(variable, true));
}

fn is_bound(terms: &Terms, term: TermId, bound: &BitSet<VariableId>) -> bool {
    let mut all = true;
    terms.for_each_variable(term, &mut |variable| all &= bound.contains(variable));
    all
}

/// A call table for each relation that is evaluated on demand.
fn call_tables(program: &mut Program, flat: &mut Flat, adornments: &Adornments) -> CallTables {
    let mut tables = CallTables::default();
    for (relation, columns) in adornments.entries() {
        tables.push(columns.as_ref().map(|columns| {
            let arity = columns.iter().filter(|bound| **bound).count();
            let info = &flat.relations[relation];
            let kind = if info.kind == RelationKind::Static { info.kind } else { RelationKind::Guard };
            let name = format!("{}~call{}", program.name(info.predicate), relation.0);
            let predicate = program.fresh_predicate(&name, arity);
            let plain = RelationInfo::plain(&mut flat.terms, predicate, arity, kind);
            flat.add_relation(plain)
        }));
    }
    tables
}

/// The atom of a call table for an atom of its relation.
fn call_atom(atom: &FlatAtom, adornments: &Adornments, tables: &CallTables) -> Option<FlatAtom> {
    let (columns, table) = (adornments[atom.relation].as_ref()?, tables[atom.relation]?);
    let args = atom.args.iter().zip(columns).filter(|(_, bound)| **bound).map(|(&arg, _)| arg).collect();
    Some(FlatAtom { relation: table, args })
}

/// Adds the rules that fill call tables, and the rule itself with its call table as a condition.
fn rewrite(flat: &mut Flat, mut rule: FlatRule, adornments: &Adornments, tables: &CallTables) {
    let own = call_atom(&rule.head, adornments, tables).map(FlatLiteral::Holds);
    for call in calls(flat, &rule, adornments) {
        let Some(head) = rule.body[call.literal].atom().and_then(|atom| call_atom(atom, adornments, tables))
        else {
            continue;
        };
        let mut body: Vec<FlatLiteral> = own.iter().cloned().collect();
        let before: Vec<FlatLiteral> = call.before.iter().map(|&number| rule.body[number].clone()).collect();
        body.extend(connected(flat, &head, before));
        let tests = rule.body.iter().filter(|literal| is_ready_test(flat, literal, &body));
        let tests: Vec<FlatLiteral> = tests.cloned().collect();
        body.extend(tests);
        // A recursive call with the same values adds nothing.
        if body.contains(&FlatLiteral::Holds(head.clone())) {
            continue;
        }
        let mut filling = FlatRule { head, body, variables: rule.variables, origin: rule.origin };
        renumber(&mut flat.terms, &mut filling);
        flat.rules.push(filling);
    }
    rule.body.splice(0..0, own);
    renumber(&mut flat.terms, &mut rule);
    flat.rules.push(rule);
}

/// The conditions that are connected to the variables of an atom. Leaving out the others may add calls, but a call does not
/// wait for relations that it does not depend on.
fn connected(flat: &Flat, atom: &FlatAtom, mut literals: Vec<FlatLiteral>) -> Vec<FlatLiteral> {
    let mut variables: Vec<VariableId> = Vec::new();
    atom.args.iter().for_each(|&arg| flat.terms.for_each_variable(arg, &mut |v| variables.push(v)));
    let mut connected = Vec::new();
    loop {
        let touches = |literal: &FlatLiteral| {
            literal.terms().any(|term| variables.iter().any(|&variable| flat.terms.contains(term, variable)))
        };
        let (near, far): (Vec<_>, Vec<_>) = literals.into_iter().partition(touches);
        if near.is_empty() {
            return connected;
        }
        for term in near.iter().flat_map(|literal| literal.terms()) {
            flat.terms.for_each_variable(term, &mut |variable| variables.push(variable));
        }
        connected.extend(near);
        literals = far;
    }
}

/// Whether a condition is a comparison over variables of these conditions. Negations are left out, so that a call does not
/// wait for the negated relation to be complete.
fn is_ready_test(flat: &Flat, literal: &FlatLiteral, body: &[FlatLiteral]) -> bool {
    let binds = |variable: VariableId| {
        body.iter().flat_map(|literal| literal.terms()).any(|term| flat.terms.contains(term, variable))
    };
    let is_known = |term: TermId| {
        let mut all = true;
        flat.terms.for_each_variable(term, &mut |variable| all &= binds(variable));
        all
    };
    matches!(literal, FlatLiteral::Distinct(_)) && literal.terms().all(is_known)
}

/// The kind of each relation.
type Kinds = IdVec<RelationId, RelationKind>;

/// Raises the kinds of relations to the least kinds consistent with their conditions.
///
/// A static relation that is called from dynamic rules cannot be evaluated before the dynamic ones. Its rows are still facts
/// of every state, so it becomes a guard, or dynamic if it is negated. Call tables are at most guards.
pub(crate) fn raise_kinds(flat: &mut Flat, is_table: impl Fn(RelationId) -> bool) {
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        let mut kinds: Kinds = flat.relations.iter().map(|info| info.kind).collect();
        let mut raise = |kinds: &mut Kinds, relation: RelationId, kind: RelationKind| {
            let kind = if is_table(relation) { kind.min(RelationKind::Guard) } else { kind };
            let known = &mut kinds[relation];
            if *known < kind {
                *known = kind;
                changed = true;
            }
        };
        for rule in order.iter().map(|&number| &flat.rules[number]) {
            if ticks.work(&flat.budget, rule.body.len()).is_err() {
                break;
            }
            for literal in &rule.body {
                let Some(atom) = literal.atom() else { continue };
                let kind = kinds[atom.relation];
                raise(&mut kinds, rule.head.relation, kind);
                if matches!(literal, FlatLiteral::Not(_)) && kind == RelationKind::Guard {
                    raise(&mut kinds, atom.relation, RelationKind::Dynamic);
                }
            }
        }
        flat.relations.iter_mut().zip(kinds).for_each(|(info, kind)| info.kind = kind);
    }
}
