//! Phases of lifted evaluation: answers that depend on the state only, and answers that depend on moves.
//!
//! Views on demand are called in two phases: for `legal`, `terminal` and `goal` when a state is looked at, and for `next`
//! and `sees` when moves are played. With shared call tables, the first phase would depend on moves. Therefore the second
//! phase has copies of the relations that are evaluated on demand and of those that depend on them.

use crate::analysis::Class;
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, demand};
use crate::graph::{Graph, component_of};
use crate::ids::{BitSet, Id, IdVec};
use grundy_syntax::{Keyword, Program};

/// Rewrites a program so that these relations are evaluated on demand, separately in each phase.
pub(super) fn demand_by_phase(program: &mut Program, flat: &mut Flat, demanded: &BitSet<RelationId>) {
    if demanded.is_empty() {
        return;
    }
    let copies = copy_for_moves(program, flat, demanded);
    let mut wanted = demanded.widened(flat.relations.len());
    for (relation, &copy) in copies.entries() {
        if let Some(copy) = copy {
            wanted.set(copy, demanded.contains(relation));
        }
    }
    demand(program, flat, &wanted);
}

/// Adds copies of these relations, and of the views that depend on them, for the rules of `next` and `sees`.
fn copy_for_moves(
    program: &Program,
    flat: &mut Flat,
    demanded: &BitSet<RelationId>,
) -> IdVec<RelationId, Option<RelationId>> {
    let mut affected = demanded.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for rule in flat.rules.iter().filter(|rule| rule.origin != Origin::Link) {
            let depends = rule.relations_read().any(|read| affected.contains(read));
            if depends && flat.keyword(program, rule.head.relation).is_none() {
                changed |= affected.insert(rule.head.relation);
            }
        }
    }
    let mut copies = IdVec::filled(None, flat.relations.len());
    for relation in affected.iter() {
        let info = flat.relations[relation].clone();
        copies[relation] = Some(flat.add_relation(info));
    }
    let copied = |atom: &mut FlatAtom| {
        if let Some(copy) = copies.get(atom.relation).copied().flatten() {
            atom.relation = copy;
        }
    };
    let mut added: Vec<FlatRule> = Vec::new();
    for rule in &mut flat.rules {
        let is_for_moves = {
            let keyword = program.info(flat.relations[rule.head.relation].predicate).keyword;
            matches!(keyword, Some(Keyword::Next | Keyword::Sees))
        };
        let is_copied = copies[rule.head.relation].is_some();
        if is_for_moves {
            atoms(rule).for_each(copied);
        } else if is_copied {
            let mut copy = rule.clone();
            copied(&mut copy.head);
            atoms(&mut copy).for_each(copied);
            added.push(copy);
        }
    }
    flat.rules.extend(added);
    copies
}

/// The atoms of the conditions of a rule.
fn atoms(rule: &mut FlatRule) -> impl Iterator<Item = &mut FlatAtom> {
    rule.body.iter_mut().filter_map(|literal| match literal {
        FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) => Some(atom),
        FlatLiteral::Distinct(_) => None,
    })
}

/// The class of each relation.
pub(super) fn classes(program: &Program, flat: &Flat) -> IdVec<RelationId, Class> {
    let given = |relation: RelationId| match flat.keyword(program, relation) {
        Some(Keyword::True) => Class::State,
        Some(Keyword::Does) => Class::Move,
        _ => Class::Static,
    };
    let mut classes: IdVec<RelationId, Class> = flat.relations.ids().map(given).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for rule in flat.rules.iter().filter(|rule| rule.origin != Origin::Link) {
            let needed = rule.relations_read().map(|read| classes[read]).max().unwrap_or(Class::Static);
            let head = &mut classes[rule.head.relation];
            if *head < needed {
                *head = needed;
                changed = true;
            }
        }
    }
    classes
}

/// The relations that depend on their own negation.
pub(super) fn negation_cycles(flat: &Flat) -> BitSet<RelationId> {
    let rules = || flat.rules.iter().filter(|rule| rule.origin != Origin::Link);
    let mut graph = Graph::new(flat.relations.len());
    for rule in rules() {
        rule.relations_read().for_each(|read| graph.add_edge(rule.head.relation, read));
    }
    let components = graph.components();
    let component_of = component_of(&components, flat.relations.len());
    let mut in_cycle = flat.no_relations();
    for rule in rules() {
        let head = component_of[rule.head.relation];
        let is_inside = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Not(atom) if component_of[atom.relation] == head);
        if rule.body.iter().any(is_inside) {
            components[head.index()].iter().for_each(|&member| in_cycle.set(member, true));
        }
    }
    in_cycle
}
