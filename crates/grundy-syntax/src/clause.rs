//! Clauses as they stand in a text, in either notation: where the two readers meet.
//!
//! A clause is short-lived. It is made from one form of the text, checked, lowered to rules of a
//! [`Program`](crate::Program) and forgotten.

use crate::program::SymbolId;
use crate::source::Span;

/// A term as written, or an atom: the two look the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expr {
    /// What it is.
    pub(crate) kind: ExprKind,
    /// Where it stands.
    pub(crate) span: Span,
}

/// The shapes of an [`Expr`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExprKind {
    /// A variable by its name. Two anonymous variables have the same name and different numbers.
    Variable(Variable),
    /// A name with its arguments, often none.
    Apply(SymbolId, Vec<Expr>),
}

/// A variable of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variable {
    /// Its name in the text.
    pub(crate) name: SymbolId,
    /// Zero, or which of the anonymous variables it is.
    pub(crate) anonymous: u32,
}

impl Expr {
    /// Calls `visit` for each variable, from left to right.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(Variable, Span)) {
        match &self.kind {
            ExprKind::Variable(variable) => visit(*variable, self.span),
            ExprKind::Apply(_, args) => args.iter().for_each(|arg| arg.for_each_variable(visit)),
        }
    }

    /// Calls `visit` for each name, from left to right.
    pub(crate) fn for_each_name(&self, visit: &mut impl FnMut(SymbolId)) {
        if let ExprKind::Apply(name, args) = &self.kind {
            visit(*name);
            args.iter().for_each(|arg| arg.for_each_name(visit));
        }
    }
}

/// A body, or a part of one.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// An atom holds.
    Atom(Expr),
    /// Two terms differ.
    Distinct(Expr, Expr, Span),
    /// Two terms are the same.
    Equal(Expr, Expr, Span),
    /// The part does not hold.
    Not(Box<Formula>),
    /// All parts hold.
    And(Vec<Formula>),
    /// Some part holds.
    Or(Vec<Formula>),
}

impl Formula {
    /// Calls `visit` for each term and atom, from left to right.
    pub(crate) fn for_each_expr<'f>(&'f self, visit: &mut impl FnMut(&'f Expr)) {
        match self {
            Formula::Atom(atom) => visit(atom),
            Formula::Distinct(a, b, _) | Formula::Equal(a, b, _) => {
                visit(a);
                visit(b);
            }
            Formula::Not(part) => part.for_each_expr(visit),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.for_each_expr(visit));
            }
        }
    }
}

/// A rule, a fact or (without a head) an integrity constraint.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// What follows; nothing may, in a constraint.
    pub(crate) head: Option<Expr>,
    /// From what.
    pub(crate) body: Vec<Formula>,
    /// The whole clause.
    pub(crate) span: Span,
}

/// The complaint about a keyword with the wrong number of arguments.
pub(crate) fn wrong_arity(word: &str, wanted: usize, found: usize) -> String {
    let wanted = match wanted {
        0 => "no argument",
        1 => "one argument",
        _ => "two arguments",
    };
    let found = match found {
        0 => "none".to_owned(),
        1 => "one".to_owned(),
        2 => "two".to_owned(),
        more => more.to_string(),
    };
    format!("`{word}` takes {wanted}, but has {found} here")
}
