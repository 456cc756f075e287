//! Regressing what must not hold.
//!
//! That an atom does not hold after a move means that none of the rules that would make it true fires. For
//! each such rule at least one condition fails; where the conditions have no variables of their own
//! that is a choice of a few simple conditions, and is written down as such. Otherwise the atom gets an
//! auxiliary predicate: what makes it true after the move, asked before the move.

use super::Unfolder;
use super::expand::WORK_OF_DEFINITION;
use super::partial::{Goal, Partial};
use crate::ids::wide;
use crate::metarules::clause::Clause;
use crate::metarules::domain::Kind;
use crate::metarules::terms::{Bindings, map_literal};
use grundy_syntax::{Atom, Dialect, Literal, Term, TermId};

/// One way in which a rule fails to fire.
#[derive(Clone, Debug)]
pub(super) enum Escape {
    /// This condition holds.
    Goal(Goal),
    /// These terms are equal.
    Equal(TermId, TermId),
}

/// How to say that an atom does not hold.
pub(super) enum Negation {
    /// Of each of these lists, one escape.
    Escapes(Vec<Vec<Escape>>),
    /// Only by a predicate of its own.
    Auxiliary,
}

/// Limit: the rules that one negated condition may become. With more, an auxiliary predicate is smaller.
const MOST_COMBINATIONS: usize = 24;

impl Unfolder<'_> {
    /// How to say that an atom does not hold at a time.
    pub(super) fn negation(&mut self, rule: &Partial, atom: &Atom, time: u8) -> Negation {
        let mut all = Vec::new();
        let definitions: Vec<(Clause, u8)> = match self.domain.kind(atom.predicate) {
            Kind::Does => match self.not_done(rule, atom, time) {
                Some(escapes) => return Negation::Escapes(escapes),
                None => return Negation::Auxiliary,
            },
            Kind::Fluent => match self.domain.effects(atom.predicate) {
                None => {
                    let stays = Goal::new(Literal::Not(atom.clone()), time - 1);
                    return Negation::Escapes(vec![vec![Escape::Goal(stays)]]);
                }
                Some(effects) => effects.iter().map(|effect| (effect.clone(), time - 1)).collect(),
            },
            _ if self.domain.is_recursive(atom.predicate) => return Negation::Auxiliary,
            _ => self.domain.rules(atom.predicate).iter().map(|rule| (rule.clone(), time)).collect(),
        };
        for (definition, time) in definitions {
            match self.escapes(rule, atom, &definition, time) {
                Some(lists) => all.extend(lists),
                None => return Negation::Auxiliary,
            }
        }
        let combinations =
            all.iter().try_fold(1usize, |product, list| product.checked_mul(list.len().max(1)));
        match combinations {
            Some(product) if product <= MOST_COMBINATIONS => Negation::Escapes(all),
            _ => Negation::Auxiliary,
        }
    }

    /// The ways in which one rule fails to make an atom true; several lists if a move of any of several
    /// players could do it. `None` if that cannot be said without a new predicate.
    fn escapes(
        &mut self,
        rule: &Partial,
        atom: &Atom,
        definition: &Clause,
        time: u8,
    ) -> Option<Vec<Vec<Escape>>> {
        self.work.work(WORK_OF_DEFINITION + 4 * wide(definition.body.len())).ok()?;
        let definition = definition.renamed(&mut self.domain.program.terms, rule.variables);
        let mut start = Equations::new(rule.variables);
        let pairs = definition.head.args.iter().copied().zip(atom.args.iter().copied());
        let mut possible = true;
        for (a, b) in pairs {
            possible = possible && start.equate(self, a, b);
        }
        if !possible {
            return Some(Vec::new());
        }
        let mut branches = vec![(start, Vec::new())];
        for literal in &definition.body {
            branches = self.resolve_move(rule, branches, literal, time);
        }
        branches.into_iter().map(|(equations, literals)| self.fail(rule, equations, literals, time)).collect()
    }

    /// Takes a condition about moves apart, for each player who could have made it; others are collected.
    fn resolve_move(
        &mut self,
        rule: &Partial,
        branches: Vec<(Equations, Vec<Literal>)>,
        literal: &Literal,
        time: u8,
    ) -> Vec<(Equations, Vec<Literal>)> {
        let is_does =
            matches!(literal, Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Does);
        let mut next = Vec::new();
        for (equations, mut literals) in branches {
            let Literal::Holds(does) = literal else {
                literals.push(literal.clone());
                next.push((equations, literals));
                continue;
            };
            if !is_does {
                literals.push(literal.clone());
                next.push((equations, literals));
                continue;
            }
            for player in 0..self.domain.players() {
                let mut equations = equations.clone();
                let made = rule.moves[usize::from(time) * self.domain.players() + player];
                let fits = match self.domain.program.dialect {
                    Dialect::Theory => equations.equate(self, does.args[0], made),
                    Dialect::Game => {
                        let role = self.domain.roles[player];
                        equations.equate(self, does.args[0], role)
                            && equations.equate(self, does.args[1], made)
                    }
                };
                if fits {
                    next.push((equations, literals.clone()));
                }
            }
        }
        next
    }

    /// The ways in which equations and conditions fail, if they have no variables of their own.
    fn fail(
        &mut self,
        rule: &Partial,
        equations: Equations,
        literals: Vec<Literal>,
        time: u8,
    ) -> Option<Vec<Escape>> {
        let terms = &mut self.domain.program.terms;
        let apply = |terms: &mut grundy_syntax::Terms, term: TermId| equations.bindings.apply(terms, term);
        let mut left = Vec::new();
        let mut right = Vec::new();
        for &(a, b) in &equations.pairs {
            left.push(apply(terms, a));
            right.push(apply(terms, b));
        }
        let literals: Vec<Literal> =
            literals.iter().map(|literal| map_literal(literal, |term| apply(terms, term))).collect();
        let highest = |terms: &grundy_syntax::Terms, term: TermId| {
            let mut highest = 0;
            terms.for_each_variable(term, &mut |variable| highest = highest.max(variable.0 + 1));
            highest
        };
        let in_literals = literals.iter().flat_map(Literal::terms);
        let is_foreign = |&term: &TermId| highest(terms, term) > rule.variables;
        if left.iter().chain(&right).copied().chain(in_literals).any(|term| is_foreign(&term)) {
            return None;
        }
        let mut escapes = Vec::new();
        if let ([a], [b]) = (&left[..], &right[..]) {
            escapes.push(Escape::Goal(Goal::new(Literal::Distinct(*a, *b), 0)));
        } else if !left.is_empty() {
            let tuple = self.domain.program.symbols.intern("tuple");
            let terms = &mut self.domain.program.terms;
            let (a, b) = (terms.compound(tuple, &left), terms.compound(tuple, &right));
            escapes.push(Escape::Goal(Goal::new(Literal::Distinct(a, b), 0)));
        }
        for literal in literals {
            escapes.push(match literal {
                Literal::Holds(atom) => Escape::Goal(Goal::new(Literal::Not(atom), time)),
                Literal::Not(atom) => Escape::Goal(Goal::new(Literal::Holds(atom), time)),
                Literal::Distinct(a, b) => Escape::Equal(a, b),
            });
        }
        Some(escapes)
    }

    /// The ways in which a move was not made.
    fn not_done(&mut self, rule: &Partial, does: &Atom, time: u8) -> Option<Vec<Vec<Escape>>> {
        let branches = vec![(Equations::new(rule.variables), Vec::new())];
        let branches = self.resolve_move(rule, branches, &Literal::Holds(does.clone()), time);
        branches.into_iter().map(|(equations, literals)| self.fail(rule, equations, literals, time)).collect()
    }
}

/// What has to be equal for a rule to fire: variables of the rule's own are bound, the rest is noted.
#[derive(Clone)]
struct Equations {
    bindings: Bindings,
    pairs: Vec<(TermId, TermId)>,
    /// Variables from this number on belong to the rule.
    own: u32,
}

impl Equations {
    fn new(own: u32) -> Equations {
        Equations { bindings: Bindings::default(), pairs: Vec::new(), own }
    }

    /// Notes that two terms have to be equal; `false` if they cannot be.
    fn equate(&mut self, unfolder: &Unfolder<'_>, a: TermId, b: TermId) -> bool {
        let terms = &unfolder.domain.program.terms;
        let (a, b) = (self.bindings.walk(terms, a), self.bindings.walk(terms, b));
        if a == b {
            return true;
        }
        let own = |term: TermId| match terms.get(term) {
            Term::Variable(variable) if variable.0 >= self.own => Some(variable),
            _ => None,
        };
        if let Some(variable) = own(a) {
            self.bindings.bind(variable, b);
            return true;
        }
        if let Some(variable) = own(b) {
            self.bindings.bind(variable, a);
            return true;
        }
        match (terms.get(a), terms.get(b)) {
            (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                f == g
                    && xs.len() == ys.len()
                    && xs.iter().zip(ys).all(|(&x, &y)| self.equate(unfolder, x, y))
            }
            (Term::Variable(_), _) | (_, Term::Variable(_)) => {
                self.pairs.push((a, b));
                true
            }
            _ => false,
        }
    }
}
