//! Rules that stay the same when variables change places.
//!
//! ```text
//! two ← free(X), free(Y), X ≠ Y
//! ```
//!
//! matches every pair twice. Of the matches that differ by such an exchange one is enough: the one that comes first if
//! the values of the variables are read in order. For an exchange, the first variable that it moves cannot have a
//! greater value there than the one that it changes places with. This holds for all exchanges of a rule at once.

use crate::flat::{FlatLiteral, FlatRule};
use crate::ids::IdVec;
use grundy_syntax::{Term, TermId, Terms, VariableId};

/// In rules with more conditions than this nobody looks for exchanges.
const MOST_CONDITIONS: usize = 24;

/// Pairs of variables. Of the matches that are the same but for an exchange, those are enough in which the first
/// variable of each pair has no greater value than the second.
pub(super) fn orderings(terms: &Terms, rule: &FlatRule) -> Vec<(VariableId, VariableId)> {
    let mut found: Vec<(VariableId, VariableId)> = Vec::new();
    if rule.body.len() > MOST_CONDITIONS {
        return found;
    }
    for (at, literal) in rule.body.iter().enumerate() {
        for other in &rule.body[at + 1..] {
            let Some(exchange) = Exchange::of(terms, rule.variables, literal, other) else { continue };
            let Some(pair) = exchange.first_moved().filter(|pair| !found.contains(pair)) else { continue };
            if exchange.keeps(terms, rule) {
                found.push(pair);
            }
        }
    }
    found
}

/// For each variable the one that it changes places with, or itself.
struct Exchange(IdVec<VariableId, VariableId>);

impl Exchange {
    /// The exchange that makes one condition from another one, and the other way round.
    fn of(terms: &Terms, variables: usize, a: &FlatLiteral, b: &FlatLiteral) -> Option<Exchange> {
        let (args, others) = match (a, b) {
            (FlatLiteral::Holds(a), FlatLiteral::Holds(b)) | (FlatLiteral::Not(a), FlatLiteral::Not(b)) => {
                (a.relation == b.relation).then_some((&a.args, &b.args))?
            }
            _ => return None,
        };
        let mut partners: IdVec<VariableId, Option<VariableId>> = IdVec::filled(None, variables);
        for (&arg, &other) in args.iter().zip(others) {
            match (terms.get(arg), terms.get(other)) {
                (Term::Variable(a), Term::Variable(b)) => {
                    for (variable, partner) in [(a, b), (b, a)] {
                        if *partners[variable].get_or_insert(partner) != partner {
                            return None;
                        }
                    }
                }
                _ if arg != other => return None,
                _ => {}
            }
        }
        let partner = |(variable, partner): (VariableId, &Option<VariableId>)| partner.unwrap_or(variable);
        Some(Exchange(partners.entries().map(partner).collect()))
    }

    /// The first variable that changes places, and its partner.
    fn first_moved(&self) -> Option<(VariableId, VariableId)> {
        let mut moved = self.0.entries().filter(|(variable, partner)| variable != *partner);
        moved.next().map(|(variable, &partner)| (variable, partner))
    }

    /// Whether a rule stays the same.
    fn keeps(&self, terms: &Terms, rule: &FlatRule) -> bool {
        let stays = |literal: &FlatLiteral| rule.body.iter().any(|other| self.makes(terms, literal, other));
        rule.head.args.iter().all(|&arg| self.makes_term(terms, arg, arg)) && rule.body.iter().all(stays)
    }

    /// Whether it makes one condition into another one.
    fn makes(&self, terms: &Terms, literal: &FlatLiteral, other: &FlatLiteral) -> bool {
        match (literal, other) {
            (FlatLiteral::Holds(a), FlatLiteral::Holds(b)) | (FlatLiteral::Not(a), FlatLiteral::Not(b)) => {
                a.relation == b.relation
                    && a.args.iter().zip(&b.args).all(|(&a, &b)| self.makes_term(terms, a, b))
            }
            (FlatLiteral::Distinct(pairs), FlatLiteral::Distinct(others)) => {
                let makes = |(a, b): (TermId, TermId), (c, d): (TermId, TermId)| {
                    self.makes_term(terms, a, c) && self.makes_term(terms, b, d)
                };
                let is_there = |&pair: &(TermId, TermId)| {
                    others.iter().any(|&(c, d)| makes(pair, (c, d)) || makes(pair, (d, c)))
                };
                pairs.len() == others.len() && pairs.iter().all(is_there)
            }
            _ => false,
        }
    }

    fn makes_term(&self, terms: &Terms, term: TermId, other: TermId) -> bool {
        match (terms.get(term), terms.get(other)) {
            (Term::Variable(a), Term::Variable(b)) => self.0[a] == b,
            _ => {
                let mut unmoved = term == other;
                terms.for_each_variable(term, &mut |v| unmoved &= self.0[v] == v);
                unmoved
            }
        }
    }
}
