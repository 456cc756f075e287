//! Which predicates are complete facts, which depend on moves, and which on themselves.

use super::domain::DomainLimits;
use super::limits::MetaError;
use crate::analysis::{Analysis, Class};
use grundy_reference::{Evaluator, Limits};
use grundy_syntax::{Condition, Dialect, Keyword, Literal, PredicateId, Program, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

/// These predicates and all that depend on them and on which they depend.
pub(super) fn with_components(analysis: &Analysis, goals: &[PredicateId]) -> FxHashSet<PredicateId> {
    goals.iter().flat_map(|&goal| analysis.component(analysis.component_of(goal)).iter().copied()).collect()
}

/// The static predicates that occur in rules whose head is dynamic, or a goal, or
/// something that no other rule uses.
pub(super) fn topology_of(
    program: &Program,
    analysis: &Analysis,
    unfolded: &FxHashSet<PredicateId>,
) -> Vec<PredicateId> {
    let is_static = |predicate: PredicateId| {
        let keyword = program.info(predicate).keyword;
        let is_plain = keyword.is_none() || keyword == Some(Keyword::Role);
        is_plain && analysis.class(predicate) == Class::Static && !unfolded.contains(&predicate)
    };
    let mut used: FxHashSet<PredicateId> = FxHashSet::default();
    for rule in &program.rules {
        let atoms = rule.literals().filter_map(Literal::atom);
        used.extend(atoms.map(|atom| atom.predicate).filter(|&body| body != rule.head.predicate));
    }
    let mut wanted: FxHashSet<PredicateId> = FxHashSet::default();
    let ignored = |predicate: PredicateId| {
        matches!(
            program.info(predicate).keyword,
            Some(Keyword::Init | Keyword::Base | Keyword::Input | Keyword::Role)
        )
    };
    for rule in &program.rules {
        let head = rule.head.predicate;
        let looks = !is_static(head) || !used.contains(&head);
        if looks && !ignored(head) && !rule.body.is_empty() {
            let atoms = rule.literals().filter_map(Literal::atom).map(|atom| atom.predicate);
            wanted.extend(atoms.filter(|&predicate| predicate != head && is_static(predicate)));
        }
    }
    for condition in program.constraints.iter().flat_map(|constraint| &constraint.body) {
        wanted.extend(condition.literal.atom().map(|atom| atom.predicate).filter(|&p| is_static(p)));
    }
    let mut wanted: Vec<PredicateId> = wanted.into_iter().collect();
    if wanted.is_empty() {
        // A file of facts: they are the domain.
        wanted = program.predicates().map(|(id, _)| id).filter(|&id| is_static(id) && !ignored(id)).collect();
    }
    wanted.sort_unstable();
    wanted
}

pub(super) fn derive_topology(
    program: &Program,
    wanted: &[PredicateId],
    limits: &DomainLimits,
) -> Result<Evaluator, MetaError> {
    let given = super::states::given_predicates(program);
    let DomainLimits { facts, steps, ref budget } = *limits;
    let limits = Limits { facts, steps, budget: budget.clone(), ..Limits::default() };
    Ok(Evaluator::new(program.clone(), given, wanted, limits)?)
}

/// The approximate size of a copy of a program.
pub(super) fn copy_bytes(program: &Program) -> usize {
    let conditions: usize = program.rules.iter().map(|rule| rule.body.len()).sum();
    program.rules.len() * size_of::<Rule>() + conditions * size_of::<Condition>() + program.terms.bytes()
}

/// The predicates that depend on `does`.
pub(super) fn predicates_by_moves(program: &Program) -> FxHashSet<PredicateId> {
    let does = match program.dialect {
        Dialect::Game => program.keyword(Keyword::Does),
        Dialect::Theory => program.find_predicate("does", 1),
    };
    predicates_above(program, does)
}

/// These predicates, and all that depend on them.
pub(crate) fn predicates_above(
    program: &Program,
    below: impl IntoIterator<Item = PredicateId>,
) -> FxHashSet<PredicateId> {
    let mut readers: FxHashMap<PredicateId, Vec<PredicateId>> = FxHashMap::default();
    for rule in &program.rules {
        for atom in rule.literals().filter_map(Literal::atom) {
            readers.entry(atom.predicate).or_default().push(rule.head.predicate);
        }
    }
    let mut open: Vec<PredicateId> = below.into_iter().collect();
    let mut found: FxHashSet<PredicateId> = open.iter().copied().collect();
    while let Some(predicate) = open.pop() {
        for &reader in readers.get(&predicate).into_iter().flatten() {
            if found.insert(reader) {
                open.push(reader);
            }
        }
    }
    found
}

pub(super) fn recursive_predicates(program: &Program, analysis: &Analysis) -> FxHashSet<PredicateId> {
    let mut recursive = FxHashSet::default();
    for rule in &program.rules {
        let component = analysis.component_of(rule.head.predicate);
        for atom in rule.literals().filter_map(Literal::atom) {
            if analysis.component_of(atom.predicate) == component {
                recursive.insert(rule.head.predicate);
            }
        }
    }
    recursive
}
