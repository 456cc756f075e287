//! Removal of unused columns.

use crate::flat::{Flat, FlatLiteral, RelationId, RelationInfo, renumber};
use crate::ids::IdVec;
use grundy_syntax::{Program, Term, Ticks, VariableId};

/// Drops the columns of views that every condition leaves open, with a variable that occurs nowhere else. This may leave a
/// variable alone in another rule, so it is repeated.
pub(super) fn drop_unused_columns(program: &mut Program, flat: &mut Flat) {
    loop {
        let unused = find_unused(program, flat);
        if unused.is_empty() || flat.budget.is_over() {
            return;
        }
        drop_columns(program, flat, &unused);
    }
}

/// The views with unused columns, and which columns to keep.
fn find_unused(program: &Program, flat: &Flat) -> Vec<(RelationId, Vec<bool>)> {
    let mut used: IdVec<RelationId, Vec<bool>> =
        flat.relations.iter().map(|info| vec![false; info.arity]).collect();
    let mut is_used = flat.no_relations();
    let mut ticks = Ticks::default();
    for rule in &flat.rules {
        if ticks.work(&flat.budget, rule.variables + rule.body.len()).is_err() {
            return Vec::new();
        }
        let mut occurrences: IdVec<VariableId, u32> = IdVec::filled(0, rule.variables);
        let in_body = rule.body.iter().flat_map(|literal| literal.terms());
        for term in rule.head.args.iter().copied().chain(in_body) {
            flat.terms.for_each_variable(term, &mut |variable| occurrences[variable] += 1);
        }
        for literal in &rule.body {
            let Some(atom) = literal.atom() else { continue };
            let relation = atom.relation;
            is_used.set(relation, true);
            for (column, &arg) in atom.args.iter().enumerate() {
                let open =
                    matches!(flat.terms.get(arg), Term::Variable(variable) if occurrences[variable] == 1);
                used[relation][column] |= !open || matches!(literal, FlatLiteral::Not(_));
            }
        }
    }
    let is_view = |relation: RelationId| flat.keyword(program, relation).is_none();
    let candidates = is_used.iter().filter(|&relation| is_view(relation));
    let unused = candidates.filter(|&relation| used[relation].iter().any(|used| !used));
    unused.map(|relation| (relation, used[relation].clone())).collect()
}

/// Replaces views by ones with fewer columns.
pub(super) fn drop_columns(program: &mut Program, flat: &mut Flat, dropped: &[(RelationId, Vec<bool>)]) {
    let mut projections: IdVec<RelationId, Option<Projection>> = IdVec::filled(None, flat.relations.len());
    for (relation, keep) in dropped {
        let info = flat.info(*relation);
        let kept: Vec<usize> = (0..keep.len()).filter(|&column| keep[column]).collect();
        let name = format!("{}~", program.name(info.predicate));
        let kind = info.kind;
        let predicate = program.fresh_predicate(&name, kept.len());
        let plain = RelationInfo::plain(&mut flat.terms, predicate, kept.len(), kind);
        projections[*relation] = Some(Projection { relation: flat.add_relation(plain), kept });
    }
    for rule in &mut flat.rules {
        let in_body = rule.body.iter_mut().filter_map(|literal| match literal {
            FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) => Some(atom),
            FlatLiteral::Distinct(_) => None,
        });
        for atom in in_body.chain([&mut rule.head]) {
            if let Some(projection) = projections.get(atom.relation).and_then(Option::as_ref) {
                atom.relation = projection.relation;
                atom.args = projection.kept.iter().map(|&column| atom.args[column]).collect();
            }
        }
        renumber(&mut flat.terms, rule);
    }
}

/// The relation that takes the place of another one, and the columns that it keeps.
#[derive(Clone)]
struct Projection {
    relation: RelationId,
    kept: Vec<usize>,
}
