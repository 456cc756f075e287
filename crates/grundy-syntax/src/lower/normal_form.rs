//! Disjunctive form: a body becomes the list of conjunctions that it is the disjunction of.

use crate::clause::{Expr, Formula};
use crate::source::Span;

/// A condition without connectives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Simple<'f> {
    Holds(&'f Expr),
    Not(&'f Expr),
    Distinct(&'f Expr, &'f Expr, Span),
    Equal(&'f Expr, &'f Expr, Span),
}

type Branches<'f> = Vec<Vec<Simple<'f>>>;

/// The conjunctions of a body, or `None` if there are more than `limit`.
pub(super) fn branches(body: &[Formula], limit: usize) -> Option<Branches<'_>> {
    all_of(body, true, limit)
}

/// The branches of a formula, or of its negation.
fn branches_of(formula: &Formula, positive: bool, limit: usize) -> Option<Branches<'_>> {
    let simple = match (formula, positive) {
        (Formula::Not(part), _) => return branches_of(part, !positive, limit),
        (Formula::And(parts), true) | (Formula::Or(parts), false) => return all_of(parts, positive, limit),
        (Formula::Or(parts), true) | (Formula::And(parts), false) => return any_of(parts, positive, limit),
        (Formula::Atom(atom), true) => Simple::Holds(atom),
        (Formula::Atom(atom), false) => Simple::Not(atom),
        (Formula::Distinct(a, b, span), true) | (Formula::Equal(a, b, span), false) => {
            Simple::Distinct(a, b, *span)
        }
        (Formula::Equal(a, b, span), true) | (Formula::Distinct(a, b, span), false) => {
            Simple::Equal(a, b, *span)
        }
    };
    Some(vec![vec![simple]])
}

fn all_of(parts: &[Formula], positive: bool, limit: usize) -> Option<Branches<'_>> {
    let mut product: Branches<'_> = vec![Vec::new()];
    for part in parts {
        let choices = branches_of(part, positive, limit)?;
        if let [only] = &choices[..] {
            product.iter_mut().for_each(|branch| branch.extend_from_slice(only));
            continue;
        }
        if product.len().checked_mul(choices.len())? > limit {
            return None;
        }
        product = product
            .iter()
            .flat_map(|branch| choices.iter().map(move |choice| [&branch[..], choice].concat()))
            .collect();
    }
    Some(product)
}

fn any_of(parts: &[Formula], positive: bool, limit: usize) -> Option<Branches<'_>> {
    let mut sum = Vec::new();
    for part in parts {
        sum.append(&mut branches_of(part, positive, limit)?);
        if sum.len() > limit {
            return None;
        }
    }
    Some(sum)
}
