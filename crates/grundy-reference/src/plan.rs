//! The order in which the conditions of a rule are matched.

use crate::relation::{MAX_INDEXED, Mask};
use grundy_syntax::{Atom, Literal, Rule, TermId, Terms, VariableId};
use rustc_hash::FxHashSet;

/// A rule, ready to be matched.
pub(crate) struct Plan {
    /// Its number in the program.
    pub(crate) rule: usize,
    pub(crate) head: Atom,
    pub(crate) steps: Vec<Step>,
    pub(crate) variables: usize,
}

/// A condition, and which of its arguments are known when its turn comes.
pub(crate) struct Step {
    pub(crate) literal: Literal,
    pub(crate) mask: Mask,
}

/// Orders the conditions of a rule: tests as soon as their variables are known, otherwise the
/// condition with the most known arguments. `None` if some variable is never known.
pub(crate) fn plan(terms: &Terms, number: usize, rule: &Rule) -> Option<Plan> {
    let mut bound = FxHashSet::default();
    let mut waiting: Vec<&Literal> = rule.literals().collect();
    let mut steps = Vec::new();
    while !waiting.is_empty() {
        let ready = |literal: &&Literal| {
            is_test(literal) && literal.terms().all(|term| is_bound(terms, &bound, term))
        };
        let next = match waiting.iter().position(|literal| ready(&literal)) {
            Some(test) => test,
            None => most_bound(terms, &bound, &waiting)?,
        };
        let literal = waiting.remove(next).clone();
        let mask = mask_of(terms, &bound, &literal);
        if !is_test(&literal) {
            literal.terms().for_each(|term| terms.for_each_variable(term, &mut |v| _ = bound.insert(v)));
        }
        steps.push(Step { literal, mask });
    }
    let safe = rule.head.args.iter().all(|&term| is_bound(terms, &bound, term));
    safe.then(|| Plan { rule: number, head: rule.head.clone(), steps, variables: rule.variables.len() })
}

fn is_test(literal: &Literal) -> bool {
    !matches!(literal, Literal::Holds(_))
}

fn is_bound(terms: &Terms, bound: &FxHashSet<VariableId>, term: TermId) -> bool {
    let mut all = true;
    terms.for_each_variable(term, &mut |variable| all &= bound.contains(&variable));
    all
}

/// The positive condition with the fewest unknown arguments, and among those the one with the
/// most known ones.
fn most_bound(terms: &Terms, bound: &FxHashSet<VariableId>, waiting: &[&Literal]) -> Option<usize> {
    let candidates = waiting.iter().enumerate().filter(|(_, literal)| !is_test(literal));
    let best = candidates.min_by_key(|(_, literal)| {
        let known = literal.terms().filter(|&term| is_bound(terms, bound, term)).count();
        let unknown = literal.terms().count() - known;
        (known == 0 && unknown > 0, unknown, usize::MAX - known)
    });
    best.map(|(position, _)| position)
}

fn mask_of(terms: &Terms, bound: &FxHashSet<VariableId>, literal: &Literal) -> Mask {
    let known = literal.terms().take(MAX_INDEXED).enumerate();
    known.filter(|&(_, term)| is_bound(terms, bound, term)).fold(0, |mask, (i, _)| mask | 1 << i)
}
