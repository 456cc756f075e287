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

/// How long branches may be on average where there are as many as the limit allows. A few `or` in a
/// body of a million conditions would else fill the memory with copies of it.
const CONDITIONS_OF_A_BRANCH: usize = 100;

/// Why a body was not expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// There would be more branches than the limit.
    Branches,
    /// There would be more conditions in them than this.
    Conditions(usize),
}

/// The conjunctions of a body, if there are no more than `limit`.
pub(super) fn branches(body: &[Formula], limit: usize) -> Result<Branches<'_>, TooMuch> {
    let size = Size::all_of(body, true);
    let most_conditions = limit.saturating_mul(CONDITIONS_OF_A_BRANCH);
    // A single branch is no longer than the text that it comes from; only copies can be too long.
    if size.branches > 1 && size.conditions > most_conditions {
        Err(TooMuch::Conditions(most_conditions))
    } else if size.branches > limit {
        Err(TooMuch::Branches)
    } else {
        Ok(all_of(body, true))
    }
}

/// A formula, or its negation, if there is no connective left in it.
fn simple(formula: &Formula, positive: bool) -> Option<Simple<'_>> {
    Some(match (formula, positive) {
        (Formula::Atom(atom), true) => Simple::Holds(atom),
        (Formula::Atom(atom), false) => Simple::Not(atom),
        (Formula::Distinct(a, b, span), true) | (Formula::Equal(a, b, span), false) => {
            Simple::Distinct(a, b, *span)
        }
        (Formula::Equal(a, b, span), true) | (Formula::Distinct(a, b, span), false) => {
            Simple::Equal(a, b, *span)
        }
        (Formula::Not(part), _) => return simple(part, !positive),
        (Formula::And(_) | Formula::Or(_), _) => return None,
    })
}

/// The branches of a formula, or of its negation.
fn branches_of(formula: &Formula, positive: bool) -> Branches<'_> {
    match (formula, positive) {
        (Formula::Not(part), _) => branches_of(part, !positive),
        (Formula::And(parts), true) | (Formula::Or(parts), false) => all_of(parts, positive),
        (Formula::Or(parts), true) | (Formula::And(parts), false) => {
            parts.iter().flat_map(|part| branches_of(part, positive)).collect()
        }
        _ => simple(formula, positive).map(|simple| vec![simple]).into_iter().collect(),
    }
}

fn all_of(parts: &[Formula], positive: bool) -> Branches<'_> {
    let mut product: Branches<'_> = vec![Vec::new()];
    for part in parts {
        // Most bodies have no connective in them, and need no lists of lists.
        if let Some(simple) = simple(part, positive) {
            product.iter_mut().for_each(|branch| branch.push(simple));
            continue;
        }
        let choices = branches_of(part, positive);
        product = product
            .iter()
            .flat_map(|branch| choices.iter().map(move |choice| [&branch[..], choice].concat()))
            .collect();
    }
    product
}

/// How large the disjunctive form of a formula is, known without making it.
#[derive(Clone, Copy)]
struct Size {
    branches: usize,
    conditions: usize,
}

impl Size {
    fn of(formula: &Formula, positive: bool) -> Size {
        match (formula, positive) {
            (Formula::Not(part), _) => Size::of(part, !positive),
            (Formula::And(parts), true) | (Formula::Or(parts), false) => Size::all_of(parts, positive),
            (Formula::Or(parts), true) | (Formula::And(parts), false) => Size::any_of(parts, positive),
            _ => Size { branches: 1, conditions: 1 },
        }
    }

    fn all_of(parts: &[Formula], positive: bool) -> Size {
        let sizes = parts.iter().map(|part| Size::of(part, positive));
        sizes.fold(Size { branches: 1, conditions: 0 }, |a, b| Size {
            branches: a.branches.saturating_mul(b.branches),
            conditions: (a.conditions.saturating_mul(b.branches))
                .saturating_add(b.conditions.saturating_mul(a.branches)),
        })
    }

    /// An empty `or` counts as one branch: it must not hide what has to be made on the way to it.
    fn any_of(parts: &[Formula], positive: bool) -> Size {
        let sizes = parts.iter().map(|part| Size::of(part, positive));
        let sum = sizes.fold(Size { branches: 0, conditions: 0 }, |a, b| Size {
            branches: a.branches.saturating_add(b.branches),
            conditions: a.conditions.saturating_add(b.conditions),
        });
        Size { branches: sum.branches.max(1), ..sum }
    }
}
