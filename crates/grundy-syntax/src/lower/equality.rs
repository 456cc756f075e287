//! Equalities of a body, solved by unification.

use super::normal_form::Simple;
use crate::clause::{Expr, ExprKind, Variable};
use crate::source::Span;

/// What variables stand for. Values may contain variables that are bound in turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Substitution {
    bindings: Vec<(Variable, Expr)>,
}

impl Substitution {
    pub(super) fn get(&self, variable: Variable) -> Option<&Expr> {
        self.bindings.iter().find(|(bound, _)| *bound == variable).map(|(_, value)| value)
    }

    /// The value behind a chain of bound variables.
    fn resolve<'a>(&'a self, mut expr: &'a Expr) -> &'a Expr {
        while let ExprKind::Variable(variable) = expr.kind {
            match self.get(variable) {
                Some(value) => expr = value,
                None => break,
            }
        }
        expr
    }

    fn occurs(&self, variable: Variable, expr: &Expr) -> bool {
        match &self.resolve(expr).kind {
            ExprKind::Variable(other) => *other == variable,
            ExprKind::Apply(_, args) => args.iter().any(|arg| self.occurs(variable, arg)),
        }
    }

    fn unify(&mut self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (self.resolve(a).clone(), self.resolve(b).clone());
        match (&a.kind, &b.kind) {
            (ExprKind::Variable(x), ExprKind::Variable(y)) if x == y => true,
            (ExprKind::Variable(x), _) => self.bind(*x, b),
            (_, ExprKind::Variable(y)) => self.bind(*y, a),
            (ExprKind::Apply(f, xs), ExprKind::Apply(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify(x, y))
            }
        }
    }

    fn bind(&mut self, variable: Variable, value: Expr) -> bool {
        let finite = !self.occurs(variable, &value);
        if finite {
            self.bindings.push((variable, value));
        }
        finite
    }
}

/// The most general substitution that makes all equalities of a branch hold, or the place of one
/// that cannot hold.
pub(super) fn solve(branch: &[Simple<'_>]) -> Result<Substitution, Span> {
    let mut substitution = Substitution::default();
    for simple in branch {
        if let Simple::Equal(a, b, span) = simple
            && !substitution.unify(a, b)
        {
            return Err(*span);
        }
    }
    Ok(substitution)
}
