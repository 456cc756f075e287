//! Rules without places: what unfolding works on.

use super::terms::{Renumbering, map_atom, map_literal, shift};
use crate::ids::{Id, narrow};
use grundy_syntax::{Atom, Condition, Literal, Program, Rule, Span, SymbolId, Terms};

/// A head and the conditions from which it follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// What follows.
    pub head: Atom,
    /// From what; all of it.
    pub body: Vec<Literal>,
    /// Variables are numbered below this.
    pub variables: u32,
}

impl Clause {
    /// A clause with its variables numbered by first occurrence.
    pub(crate) fn new(terms: &mut Terms, head: &Atom, body: &[Literal]) -> Clause {
        let mut renumbering = Renumbering::default();
        let head = map_atom(head, |term| renumbering.term(terms, term));
        let body = body.iter().map(|literal| renumbering.literal(terms, literal)).collect();
        Clause { head, body, variables: renumbering.count }
    }

    /// The clause of a rule.
    pub(crate) fn of_rule(rule: &Rule) -> Clause {
        Clause {
            head: rule.head.clone(),
            body: rule.literals().cloned().collect(),
            variables: narrow(rule.variables.len()),
        }
    }

    /// The same clause with other variables, numbered from `offset`.
    pub(crate) fn renamed(&self, terms: &mut Terms, offset: u32) -> Clause {
        let head = map_atom(&self.head, |term| shift(terms, term, offset));
        let shifted = self.body.iter().map(|literal| map_literal(literal, |term| shift(terms, term, offset)));
        Clause { head, body: shifted.collect(), variables: self.variables }
    }

    /// The rule of a clause, with names for its variables.
    pub(crate) fn to_rule(&self, program: &mut Program) -> Rule {
        let body =
            self.body.iter().map(|literal| Condition { literal: literal.clone(), span: Span::default() });
        Rule {
            head: self.head.clone(),
            body: body.collect(),
            variables: variable_names(program, self.variables),
            span: Span::default(),
            head_span: Span::default(),
        }
    }
}

/// Names for variables that have none: X, Y, Z, W, and so on.
pub(crate) fn variable_names(program: &mut Program, count: u32) -> Vec<SymbolId> {
    const LETTERS: &[u8] = b"xyzwvutsrqponmlkjihgfedcba";
    let name = |number: usize| {
        let letter = char::from(LETTERS[number % LETTERS.len()]);
        match number / LETTERS.len() {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        }
    };
    (0..count.index()).map(|number| program.symbols.intern(&name(number))).collect()
}
