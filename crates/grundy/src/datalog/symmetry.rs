//! Symmetry breaking: rules that are invariant under an exchange of variables.
//!
//! ```text
//! two ← free(X), free(Y), X ≠ Y
//! ```
//!
//! matches every pair twice. One match of each orbit is enough, for instance the lexicographically least assignment. In it,
//! the first variable that an exchange moves has no greater value than its partner; these constraints hold for all
//! exchanges of a rule at once (lex-leader constraints, Crawford et al. 1996).

use crate::flat::{FlatLiteral, FlatRule};
use crate::ids::IdVec;
use grundy_syntax::{Term, TermId, Terms, VariableId};

/// Rules with more conditions are not searched for exchanges: the search compares all pairs of conditions with all
/// conditions. A guess.
const MOST_CONDITIONS: usize = 24;

/// Pairs of variables: it is enough to find the matches in which the first variable of each pair has no greater value than
/// the second.
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

/// The partner of each variable: another variable, or itself.
struct Exchange(IdVec<VariableId, VariableId>);

impl Exchange {
    /// The exchange that maps two conditions to each other.
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

    /// The first variable that the exchange moves, and its partner.
    fn first_moved(&self) -> Option<(VariableId, VariableId)> {
        let mut moved = self.0.entries().filter(|(variable, partner)| variable != *partner);
        moved.next().map(|(variable, &partner)| (variable, partner))
    }

    /// Whether a rule is invariant under the exchange.
    fn keeps(&self, terms: &Terms, rule: &FlatRule) -> bool {
        let stays = |literal: &FlatLiteral| rule.body.iter().any(|other| self.maps(terms, literal, other));
        rule.head.args.iter().all(|&arg| self.maps_term(terms, arg, arg)) && rule.body.iter().all(stays)
    }

    /// Whether the exchange maps a condition to another one.
    fn maps(&self, terms: &Terms, literal: &FlatLiteral, other: &FlatLiteral) -> bool {
        match (literal, other) {
            (FlatLiteral::Holds(a), FlatLiteral::Holds(b)) | (FlatLiteral::Not(a), FlatLiteral::Not(b)) => {
                a.relation == b.relation
                    && a.args.iter().zip(&b.args).all(|(&a, &b)| self.maps_term(terms, a, b))
            }
            (FlatLiteral::Distinct(pairs), FlatLiteral::Distinct(others)) => {
                let maps = |(a, b): (TermId, TermId), (c, d): (TermId, TermId)| {
                    self.maps_term(terms, a, c) && self.maps_term(terms, b, d)
                };
                let is_there = |&pair: &(TermId, TermId)| {
                    others.iter().any(|&(c, d)| maps(pair, (c, d)) || maps(pair, (d, c)))
                };
                pairs.len() == others.len() && pairs.iter().all(is_there)
            }
            _ => false,
        }
    }

    fn maps_term(&self, terms: &Terms, term: TermId, other: TermId) -> bool {
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
