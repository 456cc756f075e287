//! Equalities of a body, solved by unification.
//!
//! Unification can build huge terms from a small text: with `?b` equal to `(f ?a ?a)`, `?c` equal to
//! `(f ?b ?b)` and so on, every step doubles the term. The work is therefore counted, and the terms
//! that come out nest no deeper than those that can be read.

use super::normal_form::Simple;
use crate::clause::{Expr, ExprKind, Variable};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What variables stand for. Values may contain variables that are bound in turn.
#[derive(Debug, Default)]
pub(super) struct Substitution<'f> {
    bindings: FxHashMap<Variable, &'f Expr>,
}

/// Why the equalities of a branch were not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsolved {
    /// The two terms at this place cannot be equal.
    Never(Span),
    /// The terms would become too large.
    TooLarge,
}

/// What may be spent on the equalities of one clause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// How many nodes of terms may be looked at, in all branches together.
    pub(super) steps: usize,
    /// How deep the arguments of an atom may become.
    pub(super) depth: usize,
}

/// The most general substitution that makes all equalities of a branch hold.
pub(super) fn solve<'f>(
    head: Option<&'f Expr>,
    branch: &[Simple<'f>],
    budget: &mut Budget,
) -> Result<Substitution<'f>, Unsolved> {
    let mut solver = Solver { substitution: Substitution::default(), budget };
    for simple in branch {
        if let Simple::Equal(a, b, span) = *simple
            && !solver.unify(a, b, 1)?
        {
            return Err(Unsolved::Never(span));
        }
    }
    if !solver.substitution.bindings.is_empty() {
        solver.check_size(head, branch)?;
    }
    Ok(solver.substitution)
}

impl<'f> Substitution<'f> {
    /// The term itself, or what stands behind a chain of bound variables.
    pub(super) fn resolve(&self, mut expr: &'f Expr) -> &'f Expr {
        while let Some(value) = self.value(expr) {
            expr = value;
        }
        expr
    }

    fn value(&self, expr: &Expr) -> Option<&'f Expr> {
        match &expr.kind {
            ExprKind::Variable(variable) => self.bindings.get(variable).copied(),
            ExprKind::Apply(..) => None,
        }
    }
}

/// A substitution in the making. Functions are told how deep the terms stand that they look at.
struct Solver<'f, 'b> {
    substitution: Substitution<'f>,
    budget: &'b mut Budget,
}

impl<'f> Solver<'f, '_> {
    /// Makes two terms equal; `false` if they cannot be.
    fn unify(&mut self, a: &'f Expr, b: &'f Expr, depth: usize) -> Result<bool, Unsolved> {
        let (a, b) = (self.resolve(a, depth)?, self.resolve(b, depth)?);
        match (&a.kind, &b.kind) {
            (ExprKind::Variable(x), ExprKind::Variable(y)) if x == y => Ok(true),
            (ExprKind::Variable(x), _) => self.bind(*x, b, depth),
            (_, ExprKind::Variable(y)) => self.bind(*y, a, depth),
            (ExprKind::Apply(f, xs), ExprKind::Apply(g, ys)) => {
                let mut equal = f == g && xs.len() == ys.len();
                for (x, y) in xs.iter().zip(ys) {
                    equal = equal && self.unify(x, y, depth + 1)?;
                }
                Ok(equal)
            }
        }
    }

    /// Lets a variable stand for a term, unless the variable occurs in it.
    fn bind(&mut self, variable: Variable, value: &'f Expr, depth: usize) -> Result<bool, Unsolved> {
        let mut occurs = false;
        self.walk(value, depth, &mut |other| occurs |= other == variable)?;
        if !occurs {
            self.substitution.bindings.insert(variable, value);
        }
        Ok(!occurs)
    }

    /// Checks that the rule stays within the budget when variables are replaced by their values.
    fn check_size(&mut self, head: Option<&'f Expr>, branch: &[Simple<'f>]) -> Result<(), Unsolved> {
        if let Some(head) = head {
            self.walk(head, 0, &mut |_| {})?;
        }
        for simple in branch {
            match *simple {
                Simple::Holds(atom) | Simple::Not(atom) => self.walk(atom, 0, &mut |_| {})?,
                Simple::Distinct(a, b, _) => {
                    self.walk(a, 1, &mut |_| {})?;
                    self.walk(b, 1, &mut |_| {})?;
                }
                Simple::Equal(..) => {}
            }
        }
        Ok(())
    }

    /// Visits the variables that stand for nothing, from left to right.
    fn walk(
        &mut self,
        expr: &'f Expr,
        depth: usize,
        visit: &mut impl FnMut(Variable),
    ) -> Result<(), Unsolved> {
        match &self.resolve(expr, depth)?.kind {
            ExprKind::Variable(variable) => visit(*variable),
            ExprKind::Apply(_, args) => {
                for arg in args {
                    self.walk(arg, depth + 1, visit)?;
                }
            }
        }
        Ok(())
    }

    /// The same as [`Substitution::resolve`], within the budget.
    fn resolve(&mut self, mut expr: &'f Expr, depth: usize) -> Result<&'f Expr, Unsolved> {
        if depth > self.budget.depth {
            return Err(Unsolved::TooLarge);
        }
        loop {
            self.budget.steps = self.budget.steps.checked_sub(1).ok_or(Unsolved::TooLarge)?;
            match self.substitution.value(expr) {
                Some(value) => expr = value,
                None => return Ok(expr),
            }
        }
    }
}
