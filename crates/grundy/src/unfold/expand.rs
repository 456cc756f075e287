//! One step: a condition is chosen, and replaced by what makes it true.

use super::negation::{Escape, Negation};
use super::partial::{Goal, Partial};
use super::unfolder::Unfolder;
use crate::ids::wide;
use crate::metarules::clause::Clause;
use crate::metarules::domain::Kind;
use crate::metarules::limits::MetaError;
use crate::metarules::terms::Bindings;
use grundy_syntax::{Atom, Dialect, Literal, PredicateId, TermId};

/// The approximate work of renaming a definition and unifying its head.
pub(super) const WORK_OF_DEFINITION: u64 = 16;

impl Unfolder<'_> {
    /// Replaces one condition by all that it can come from; `None` if all conditions stay as they are.
    pub(super) fn expand(&mut self, rule: &Partial) -> Result<Option<Vec<Partial>>, MetaError> {
        let Some(place) = self.select(rule) else { return Ok(None) };
        let mut rest = rule.clone();
        let goal = rest.body.remove(place);
        if let Some(atom) = goal.literal.atom() {
            self.domain.work_on(atom.predicate, &self.config.budget);
        }
        Ok(Some(match &goal.literal {
            Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Does => {
                self.made(&rest, atom, goal.time)
            }
            Literal::Holds(atom) if self.is_unfoldable(atom, goal.time) => {
                let definitions = self.definitions(atom, goal.time);
                definitions
                    .into_iter()
                    .filter_map(|(body, time)| self.resolve(&rest, atom, &body, time))
                    .collect()
            }
            Literal::Holds(atom) => vec![self.with_auxiliary(rest, atom, goal.time, true)],
            Literal::Not(atom) => match self.negation(&rest, atom, goal.time) {
                Negation::Escapes(lists) => self.escape(&rest, &lists),
                Negation::Auxiliary => vec![self.with_auxiliary(rest, atom, goal.time, false)],
            },
            Literal::Distinct(..) => vec![rest],
        }))
    }

    /// The condition to unfold next: moves first, then the one that has the fewest definitions, what must
    /// not hold last.
    pub(super) fn select(&mut self, rule: &Partial) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (place, goal) in rule.body.iter().enumerate() {
            let cost = match &goal.literal {
                Literal::Distinct(..) => continue,
                Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Does => 0,
                Literal::Not(_) if self.levels(goal) == 0 => continue,
                Literal::Not(_) => usize::MAX - 1,
                Literal::Holds(atom) => match self.levels(goal) {
                    0 if !self.unfolds_now(atom) => continue,
                    _ if !self.is_unfoldable(atom, goal.time) => usize::MAX - 2,
                    _ => 1 + self.alternatives(rule, atom, goal.time),
                },
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Whether a condition on the state before the moves is unfolded further.
    pub(super) fn unfolds_now(&self, atom: &Atom) -> bool {
        if self.domain.kind(atom.predicate) != Kind::View || self.is_auxiliary(atom.predicate) {
            return false;
        }
        if self.unfolded.contains(&atom.predicate) {
            return true;
        }
        let is_legal = Some(atom.predicate) == self.domain.legal;
        let single = self.domain.rules(atom.predicate).len() <= 1;
        !self.domain.is_recursive(atom.predicate) && (self.config.unfold_views || is_legal || single)
    }

    pub(super) fn is_auxiliary(&self, predicate: PredicateId) -> bool {
        self.auxiliaries.iter().any(|auxiliary| auxiliary.predicate == predicate)
    }

    /// Whether a condition can be replaced by its definitions.
    pub(super) fn is_unfoldable(&self, atom: &Atom, time: u8) -> bool {
        match self.domain.kind(atom.predicate) {
            Kind::Fluent => time > 0,
            Kind::View => {
                !self.domain.is_recursive(atom.predicate) || self.unfolded.contains(&atom.predicate)
            }
            Kind::Topology | Kind::Does => false,
        }
    }

    /// The rules that a condition can come from, each with the time of its conditions.
    pub(super) fn definitions(&self, atom: &Atom, time: u8) -> Vec<(Clause, u8)> {
        if self.domain.kind(atom.predicate) != Kind::Fluent {
            return self.domain.rules(atom.predicate).iter().map(|rule| (rule.clone(), time)).collect();
        }
        match self.domain.effects(atom.predicate) {
            Some(effects) => effects.iter().map(|effect| (effect.clone(), time - 1)).collect(),
            // A fluent without effects never changes (frame axiom).
            None => {
                let stays =
                    Clause { head: atom.clone(), body: vec![Literal::Holds(atom.clone())], variables: 0 };
                vec![(stays, time - 1)]
            }
        }
    }

    pub(super) fn alternatives(&mut self, rule: &Partial, atom: &Atom, time: u8) -> usize {
        let definitions = self.definitions(atom, time);
        let mut unifies = |definition: &Clause| {
            self.work.work(WORK_OF_DEFINITION).is_ok() && self.head_unifier(rule, atom, definition).is_some()
        };
        definitions.iter().filter(|(definition, _)| unifies(definition)).count()
    }

    pub(super) fn head_unifier(
        &mut self,
        rule: &Partial,
        atom: &Atom,
        definition: &Clause,
    ) -> Option<(Clause, Bindings)> {
        let definition = match definition.variables {
            0 => definition.clone(),
            _ => definition.renamed(&mut self.domain.program.terms, rule.variables),
        };
        let mut bindings = Bindings::default();
        let terms = &self.domain.program.terms;
        let mut pairs = definition.head.args.iter().zip(&atom.args);
        let unifies = pairs.all(|(&a, &b)| bindings.unify(terms, a, b));
        unifies.then_some((definition, bindings))
    }

    /// A rule with one condition replaced by the conditions of a definition.
    pub(super) fn resolve(
        &mut self,
        rest: &Partial,
        atom: &Atom,
        definition: &Clause,
        time: u8,
    ) -> Option<Partial> {
        let size = rest.body.len() + definition.body.len();
        self.work.work(WORK_OF_DEFINITION + 4 * wide(size)).ok()?;
        let (definition, bindings) = self.head_unifier(rest, atom, definition)?;
        let mut rule = rest.clone();
        rule.body.extend(definition.body.into_iter().map(|literal| Goal::new(literal, time)));
        rule.substitute(&mut self.domain.program.terms, &bindings);
        Some(rule)
    }

    /// The rules in which a move was made, one for each player who could have made it.
    pub(super) fn made(&mut self, rest: &Partial, does: &Atom, time: u8) -> Vec<Partial> {
        let players = self.domain.players();
        let mut rules = Vec::new();
        for player in 0..players {
            let made = rest.moves[usize::from(time) * players + player];
            let pairs: Vec<(TermId, TermId)> = match self.domain.program.dialect {
                Dialect::Theory => vec![(does.args[0], made)],
                Dialect::Game => vec![(does.args[0], self.domain.roles[player]), (does.args[1], made)],
            };
            let mut bindings = Bindings::default();
            if pairs.into_iter().all(|(a, b)| bindings.unify(&self.domain.program.terms, a, b)) {
                let mut rule = rest.clone();
                rule.substitute(&mut self.domain.program.terms, &bindings);
                rules.push(rule);
            }
        }
        rules
    }

    /// All combinations of escapes, one from each list.
    pub(super) fn escape(&mut self, rest: &Partial, lists: &[Vec<Escape>]) -> Vec<Partial> {
        let mut combinations: Vec<Vec<&Escape>> = vec![Vec::new()];
        for list in lists {
            let mut longer = Vec::with_capacity(combinations.len() * list.len());
            for chosen in &combinations {
                longer.extend(list.iter().map(|escape| chosen.iter().copied().chain([escape]).collect()));
            }
            combinations = longer;
        }
        let mut rules = Vec::new();
        for combination in combinations {
            if self.work.work(WORK_OF_DEFINITION + 4 * wide(rest.body.len())).is_err() {
                return rules;
            }
            let mut rule = rest.clone();
            let mut bindings = Bindings::default();
            let is_possible = combination.into_iter().all(|escape| match escape {
                Escape::Goal(goal) => {
                    rule.body.push(goal.clone());
                    true
                }
                Escape::Equal(a, b) => bindings.unify(&self.domain.program.terms, *a, *b),
            });
            if is_possible {
                rule.substitute(&mut self.domain.program.terms, &bindings);
                rules.push(rule);
            }
        }
        rules
    }
}
