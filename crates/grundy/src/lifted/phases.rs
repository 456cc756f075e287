//! The rules of a game as a lifted reasoner uses them.
//!
//! What is evaluated on demand is asked for twice: when a state is looked at, for `legal`, `terminal` and `goal`, and when
//! moves are played, for `next` and `sees`. If both filled the same call tables, looking at a state would have to wait
//! for moves. So the second phase has relations of its own for what is evaluated on demand and what depends on it.

use crate::analysis::Class;
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, demand};
use crate::graph::Graph;
use grundy_syntax::{Keyword, Program};

/// Rewrites a program so that these relations are evaluated on demand, in each phase for itself.
pub(super) fn demand_by_phase(program: &mut Program, flat: &mut Flat, demanded: &[bool]) {
    if !demanded.contains(&true) {
        return;
    }
    let mut wanted = demanded.to_vec();
    let copies = copy_for_moves(program, flat, demanded);
    wanted.resize(flat.relations.len(), false);
    for (relation, copy) in copies.iter().enumerate() {
        if let Some(copy) = copy {
            wanted[copy.index()] = demanded[relation];
        }
    }
    demand(program, flat, &wanted);
}

/// Adds copies of these relations, and of the views that depend on them, for the rules of `next` and `sees`.
fn copy_for_moves(program: &Program, flat: &mut Flat, demanded: &[bool]) -> Vec<Option<RelationId>> {
    let keyword = |flat: &Flat, relation: RelationId| program.info(flat.info(relation).predicate).keyword;
    let mut affected = demanded.to_vec();
    let mut changed = true;
    while changed {
        changed = false;
        for rule in flat.rules.iter().filter(|rule| rule.origin != Origin::Link) {
            let depends = rule.body.iter().filter_map(FlatLiteral::atom);
            let depends = depends.into_iter().any(|atom| affected[atom.relation.index()]);
            if depends && keyword(flat, rule.head.relation).is_none() {
                changed |= !std::mem::replace(&mut affected[rule.head.relation.index()], true);
            }
        }
    }
    let mut copies = Vec::new();
    for (relation, affected) in affected.iter().enumerate() {
        let info = flat.relations[relation].clone();
        copies.push(affected.then(|| flat.add_relation(info)));
    }
    let copied = |atom: &mut FlatAtom| {
        if let Some(copy) = copies.get(atom.relation.index()).copied().flatten() {
            atom.relation = copy;
        }
    };
    let mut added: Vec<FlatRule> = Vec::new();
    for rule in &mut flat.rules {
        let is_for_moves = {
            let keyword = program.info(flat.relations[rule.head.relation.index()].predicate).keyword;
            matches!(keyword, Some(Keyword::Next | Keyword::Sees))
        };
        let is_copied = copies[rule.head.relation.index()].is_some();
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

/// What each relation depends on.
pub(super) fn classes(program: &Program, flat: &Flat) -> Vec<Class> {
    let given = |relation: usize| match program.info(flat.relations[relation].predicate).keyword {
        Some(Keyword::True) => Class::State,
        Some(Keyword::Does) => Class::Move,
        _ => Class::Static,
    };
    let mut classes: Vec<Class> = (0..flat.relations.len()).map(given).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for rule in flat.rules.iter().filter(|rule| rule.origin != Origin::Link) {
            let needed = rule.body.iter().filter_map(FlatLiteral::atom);
            let needed = needed.map(|atom| classes[atom.relation.index()]).max().unwrap_or(Class::Static);
            let head = &mut classes[rule.head.relation.index()];
            if *head < needed {
                *head = needed;
                changed = true;
            }
        }
    }
    classes
}

/// The relations that depend on their own negation.
pub(super) fn negation_cycles(flat: &Flat) -> Vec<bool> {
    let rules = || flat.rules.iter().filter(|rule| rule.origin != Origin::Link);
    let mut graph = Graph::new(flat.relations.len());
    for rule in rules() {
        for atom in rule.body.iter().filter_map(FlatLiteral::atom) {
            graph.add_edge(rule.head.relation.index(), atom.relation.index());
        }
    }
    let mut component_of = vec![0; flat.relations.len()];
    for (number, members) in graph.components().iter().enumerate() {
        members.iter().for_each(|&member| component_of[member] = number);
    }
    let mut in_cycle = vec![false; flat.relations.len()];
    for rule in rules() {
        let head = component_of[rule.head.relation.index()];
        let is_inside = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Not(atom) if component_of[atom.relation.index()] == head);
        if rule.body.iter().any(is_inside) {
            in_cycle[head] = true;
        }
    }
    component_of.iter().map(|&component| in_cycle[component]).collect()
}
