//! Relations that are not grounded.
//!
//! Some views have too many instances to ground, such as paths with the list of their cells. They stay *lifted*: their
//! rules are removed from the program (the *residue*), and their atoms in conditions of other rules become *external*:
//! atoms of the ground program without rules, which a lifted engine evaluates for a state on request.
//!
//! The external atoms are enumerated by rules as well. If all variables of an atom are bound by other conditions of its
//! rule, these conditions are the body; otherwise a relation with the possible values of the column is added.

use crate::flat::{
    Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationInfo, RelationKind, raise_kinds,
    renumber,
};
use crate::ids::BitSet;
use crate::rewrite::{Domains, drop_irrelevant};
use grundy_syntax::{Program, Term, TermId, VariableId};

/// The largest product of the numbers of possible values over the open columns of an external atom. A guess.
const MOST_COMBINATIONS: f64 = 100_000.0;

/// Removes the rules of these relations from a program and returns them. The remaining rules use external atoms. `None` if
/// these cannot be enumerated.
pub(super) fn lift(
    program: &mut Program,
    flat: &mut Flat,
    lifted: &BitSet<RelationId>,
    domains: &Domains,
) -> Option<Vec<FlatRule>> {
    let is_lifted = |atom: &FlatAtom| lifted.contains_if_known(atom.relation);
    let residue = needed_rules(flat, lifted);
    flat.rules.retain(|rule| !is_lifted(&rule.head));
    drop_irrelevant(program, flat);
    let mut asking = Vec::new();
    for rule in &flat.rules {
        let Origin::Rule(number) = rule.origin else { continue };
        for atom in rule.body.iter().filter_map(FlatLiteral::atom).filter(|atom| is_lifted(atom)) {
            let mut body: Vec<FlatLiteral> = Vec::new();
            for literal in &rule.body {
                let is_usable = match literal {
                    FlatLiteral::Holds(other) => !is_lifted(other),
                    FlatLiteral::Not(_) | FlatLiteral::Distinct(_) => false,
                };
                if is_usable {
                    body.push(literal.clone());
                }
            }
            let origin = Origin::External(number);
            asking.push(FlatRule { head: atom.clone(), body, variables: rule.variables, origin });
        }
    }
    for mut rule in asking {
        let mut columns = open_columns(flat, &rule)?;
        let values = |&column: &usize| domains[rule.head.relation][column].size();
        if columns.iter().map(values).product::<f64>() > MOST_COMBINATIONS {
            return None;
        }
        columns.extend(columns_to_narrow(flat, &rule));
        for column in columns {
            let guard = domain_guard(program, flat, rule.head.relation, column, domains)?;
            let arg = rule.head.args[column];
            rule.body.push(FlatLiteral::Holds(FlatAtom { relation: guard, args: [arg].into() }));
        }
        renumber(&mut flat.terms, &mut rule);
        flat.rules.push(rule);
    }
    lifted.iter().for_each(|relation| flat.relations[relation].kind = RelationKind::Dynamic);
    raise_kinds(flat, |_| false);
    Some(residue)
}

/// The rules that these relations depend on.
fn needed_rules(flat: &Flat, relations: &BitSet<RelationId>) -> Vec<FlatRule> {
    let mut needed = relations.clone();
    let rules = || flat.rules.iter().filter(|rule| rule.origin != Origin::Link);
    let mut changed = true;
    while changed {
        changed = false;
        for rule in rules() {
            if needed.contains(rule.head.relation) {
                rule.relations_read().for_each(|read| changed |= needed.insert(read));
            }
        }
    }
    rules().filter(|rule| needed.contains(rule.head.relation)).cloned().collect()
}

/// The columns of the head with unbound variables; `None` if such a variable is inside a function.
fn open_columns(flat: &Flat, rule: &FlatRule) -> Option<Vec<usize>> {
    let is_bound = |variable: VariableId| {
        rule.body.iter().flat_map(|literal| literal.terms()).any(|term| flat.terms.contains(term, variable))
    };
    let mut columns = Vec::new();
    for (column, &arg) in rule.head.args.iter().enumerate() {
        let mut open = false;
        flat.terms.for_each_variable(arg, &mut |variable| open |= !is_bound(variable));
        match flat.terms.get(arg) {
            Term::Variable(_) if open => columns.push(column),
            _ if open => return None,
            _ => {}
        }
    }
    Some(columns)
}

/// The columns for constants whose variable may also be a function, because the condition that excludes this is lifted.
fn columns_to_narrow(flat: &Flat, rule: &FlatRule) -> Vec<usize> {
    let of_constants = |atom: &FlatAtom, arg: TermId| {
        let info = flat.info(atom.relation);
        (0..atom.args.len()).any(|column| atom.args[column] == arg && info.is_constant(column))
    };
    let is_narrow =
        |&arg: &TermId| rule.body.iter().filter_map(FlatLiteral::atom).any(|atom| of_constants(atom, arg));
    let is_bound = |variable: VariableId| {
        rule.body.iter().flat_map(|literal| literal.terms()).any(|term| flat.terms.contains(term, variable))
    };
    let info = flat.info(rule.head.relation);
    let may_widen = |&column: &usize| {
        let arg = rule.head.args[column];
        let is_bound = matches!(flat.terms.get(arg), Term::Variable(variable) if is_bound(variable));
        info.is_constant(column) && is_bound && !is_narrow(&arg)
    };
    (0..rule.head.args.len()).filter(may_widen).collect()
}

/// A relation with the possible values of a column; `None` if they are unknown.
fn domain_guard(
    program: &mut Program,
    flat: &mut Flat,
    relation: RelationId,
    column: usize,
    domains: &Domains,
) -> Option<RelationId> {
    let values: Vec<TermId> = domains[relation][column].values()?.map(TermId).collect();
    let name = format!("{}~{}column{}", program.name(flat.info(relation).predicate), relation.0, column + 1);
    let is_guard = |rule: &&FlatRule| {
        let predicate = flat.info(rule.head.relation).predicate;
        rule.origin == Origin::Link && program.name(predicate) == name
    };
    if let Some(known) = flat.rules.iter().find(is_guard) {
        return Some(known.head.relation);
    }
    let predicate = program.fresh_predicate(&name, 1);
    let plain = RelationInfo::plain(&mut flat.terms, predicate, 1, RelationKind::Static);
    let guard = flat.add_relation(plain);
    for value in values {
        let head = FlatAtom { relation: guard, args: [value].into() };
        flat.rules.push(FlatRule { head, body: Vec::new(), variables: 0, origin: Origin::Link });
    }
    Some(guard)
}
