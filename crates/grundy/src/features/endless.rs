//! Detection of unfolding that would not terminate.

use super::clauses::Clauses;
use super::error::FeatureError;
use super::merge::predicates_below;
use crate::analysis::{Class, classify};
use crate::ground::AtomId;
use crate::ids::ids;
use grundy_syntax::{Keyword, Literal, PredicateId, Rule};
use rustc_hash::FxHashSet;

const HINT: &str = "`--tables shared` values such a predicate as what follows in finitely many steps";

/// A recursive predicate without a clause that leads out of the recursion has no ground clause at all: unfolding it,
/// one condition after the other, does not terminate.
pub(super) fn check(clauses: &Clauses) -> Result<(), FeatureError> {
    let program = &clauses.merged.program;
    let analysis = classify(program);
    let atoms = ids(clauses.atom_count()).map(|atom| clauses.ground.predicate_of(atom));
    let known: FxHashSet<PredicateId> = atoms.collect();
    let needed = needed(clauses);
    for rule in &program.rules {
        let head = rule.head.predicate;
        let is_open =
            analysis.class(head) == Class::State && !known.contains(&head) && needed.contains(&head);
        let same = |literal: &&Literal| {
            let component = |atom: &grundy_syntax::Atom| analysis.component_of(atom.predicate);
            literal.atom().is_some_and(|atom| component(atom) == analysis.component_of(head))
        };
        if is_open && rule.literals().any(|literal| same(&literal)) {
            return Err(error(clauses, rule, "this recursion has no base clause"));
        }
    }
    Ok(())
}

/// The predicates that features depend on.
fn needed(clauses: &Clauses) -> FxHashSet<PredicateId> {
    let program = &clauses.merged.program;
    predicates_below(program, program.keyword(Keyword::Sees))
}

/// The error for an atom that depends on itself.
pub(super) fn cycle(clauses: &Clauses, atom: AtomId) -> FeatureError {
    let program = &clauses.merged.program;
    let analysis = classify(program);
    let predicate = clauses.ground.predicate_of(atom);
    let is_recursive = |rule: &&Rule| {
        let same = |other: PredicateId| analysis.component_of(other) == analysis.component_of(predicate);
        let is_link = program.info(rule.head.predicate).keyword == Some(Keyword::Sees);
        same(rule.head.predicate)
            && !is_link
            && rule.literals().filter_map(Literal::atom).any(|atom| same(atom.predicate))
    };
    match program.rules.iter().find(is_recursive) {
        Some(rule) => error(clauses, rule, "this clause depends on itself"),
        None => {
            let place = clauses.place_of(atom);
            FeatureError::wrong(place, "unfolding never ends".to_owned(), "this depends on itself", HINT)
        }
    }
}

fn error(clauses: &Clauses, rule: &Rule, label: &str) -> FeatureError {
    let name = clauses.merged.program.name(rule.head.predicate).trim_end_matches('\'');
    let message = format!("unfolding `{name}/{}` never ends", rule.head.args.len());
    FeatureError::wrong(clauses.merged.place(rule.span), message, label, HINT)
}
