//! Proving a condition from other conditions by the rules of the domain.
//!
//! This is SLD resolution with a bound on steps and depth. It shows that a rule contradicts itself (a negated
//! condition follows from its other conditions) and that a condition is useless. A proof that is not found within a few steps
//! is no proof.

use crate::ids::Id;
use crate::metarules::domain::{Domain, Kind};
use crate::metarules::limits::Steps;
use crate::metarules::terms::{Bindings, map_literal, unifiable};
use crate::metarules::useless::{Useless, is_useless};
use grundy_syntax::{Literal, TermId};

/// Limit: the steps of a proof.
const MOST_STEPS: u32 = 400;

/// The work of a step besides what is counted elsewhere, and that of unifying a fact.
const WORK_OF_STEP: u64 = 16;
const WORK_OF_ROW: u64 = 4;

/// Limit: the nesting of rules in a proof.
const MOST_NESTED_RULES: u32 = 12;

/// What a proof may use: conditions at one time, whose variables stand for themselves.
pub(crate) struct Assumptions<'a> {
    pub(crate) literals: &'a [&'a Literal],
    /// Metarules that say which terms differ.
    pub(crate) useless: &'a [Useless],
    /// Variables of the assumptions are numbered below this.
    pub(crate) variables: u32,
    /// A proof ends with this work.
    pub(crate) work: &'a Steps,
}

/// Whether an atom follows from assumptions. Variables of the goal that are not frozen may stand for
/// anything.
pub(crate) fn provable(domain: &mut Domain, assumptions: &Assumptions<'_>, goal: &Literal) -> bool {
    let mut prover = Prover { domain, assumptions, steps: MOST_STEPS };
    let bindings = Bindings::frozen_below(assumptions.variables);
    prover.prove(vec![(goal.clone(), 0)], bindings, assumptions.variables)
}

struct Prover<'a> {
    domain: &'a mut Domain,
    assumptions: &'a Assumptions<'a>,
    steps: u32,
}

impl Prover<'_> {
    /// Proves all goals, each with its depth.
    fn prove(&mut self, mut goals: Vec<(Literal, u32)>, bindings: Bindings, next_variable: u32) -> bool {
        let Some(place) = self.next_goal(&goals) else { return true };
        if self.steps == 0 || self.assumptions.work.work(WORK_OF_STEP).is_err() {
            return false;
        }
        self.steps -= 1;
        let (goal, depth) = goals.remove(place);
        let goal = map_literal(&goal, |term| bindings.apply(&mut self.domain.program.terms, term));
        if let Literal::Distinct(a, b) = goal
            && (!unifiable(&self.domain.program.terms, a, b) || self.differ_by_metarule(&goal))
        {
            return self.prove(goals, bindings, next_variable);
        }
        if self.prove_by_assumption(&goal, &goals, &bindings, next_variable) {
            return true;
        }
        match &goal {
            Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Topology => {
                self.prove_by_fact(&goal, &goals, &bindings, next_variable)
            }
            Literal::Holds(atom)
                if self.domain.kind(atom.predicate) == Kind::View && depth < MOST_NESTED_RULES =>
            {
                self.prove_by_rule(atom, &goals, &bindings, next_variable, depth)
            }
            _ => false,
        }
    }

    /// Whether the topology of the assumptions says that two terms differ.
    fn differ_by_metarule(&self, goal: &Literal) -> bool {
        let is_topology = |literal: &&&Literal| match literal {
            Literal::Holds(atom) => self.domain.kind(atom.predicate) == Kind::Topology,
            _ => false,
        };
        let topology: Vec<Literal> =
            self.assumptions.literals.iter().filter(is_topology).map(|&literal| literal.clone()).collect();
        let Assumptions { useless, work, .. } = self.assumptions;
        is_useless(&self.domain.program.terms, useless, &topology, goal, u32::MAX, work)
    }

    /// Complete facts come last: by then their variables are bound.
    fn next_goal(&self, goals: &[(Literal, u32)]) -> Option<usize> {
        let rank = |literal: &Literal| match literal {
            Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Topology => 1,
            Literal::Holds(_) => 0,
            _ => 2,
        };
        (0..goals.len()).min_by_key(|&place| rank(&goals[place].0))
    }

    fn prove_by_assumption(
        &mut self,
        goal: &Literal,
        rest: &[(Literal, u32)],
        bindings: &Bindings,
        next_variable: u32,
    ) -> bool {
        for assumption in self.assumptions.literals {
            let pairs: Option<Vec<(TermId, TermId)>> = match (goal, assumption) {
                (Literal::Holds(a), Literal::Holds(b)) | (Literal::Not(a), Literal::Not(b)) => (a.predicate
                    == b.predicate)
                    .then(|| a.args.iter().copied().zip(b.args.iter().copied()).collect()),
                (Literal::Distinct(a, b), Literal::Distinct(c, d)) => {
                    let same = (a, b) == (c, d) || (a, b) == (d, c);
                    same.then(Vec::new)
                }
                _ => None,
            };
            let Some(pairs) = pairs else { continue };
            let mut bindings = bindings.clone();
            let terms = &self.domain.program.terms;
            if pairs.into_iter().all(|(a, b)| bindings.unify(terms, a, b))
                && self.prove(rest.to_vec(), bindings, next_variable)
            {
                return true;
            }
        }
        false
    }

    fn prove_by_fact(
        &mut self,
        goal: &Literal,
        rest: &[(Literal, u32)],
        bindings: &Bindings,
        next_variable: u32,
    ) -> bool {
        let Literal::Holds(atom) = goal else { return false };
        let terms = &self.domain.program.terms;
        if atom.args.iter().all(|&arg| terms.is_ground(arg)) {
            return self.domain.topology.relation(atom.predicate).contains(&atom.args)
                && self.prove(rest.to_vec(), bindings.clone(), next_variable);
        }
        let mut unifiers = Vec::new();
        for row in self.domain.topology.relation(atom.predicate).rows() {
            if self.assumptions.work.work(WORK_OF_ROW).is_err() {
                return false;
            }
            let mut bindings = bindings.clone();
            if atom.args.iter().zip(row).all(|(&arg, &value)| bindings.unify(terms, arg, value)) {
                unifiers.push(bindings);
            }
            if unifiers.len() > self.steps.index() {
                return false;
            }
        }
        unifiers.into_iter().any(|bindings| self.prove(rest.to_vec(), bindings, next_variable))
    }

    fn prove_by_rule(
        &mut self,
        atom: &grundy_syntax::Atom,
        rest: &[(Literal, u32)],
        bindings: &Bindings,
        next_variable: u32,
        depth: u32,
    ) -> bool {
        for number in 0..self.domain.rules(atom.predicate).len() {
            let rule = self.domain.rules(atom.predicate)[number].clone();
            let rule = rule.renamed(&mut self.domain.program.terms, next_variable);
            let mut bindings = bindings.clone();
            let terms = &self.domain.program.terms;
            if !rule.head.args.iter().zip(&atom.args).all(|(&a, &b)| bindings.unify(terms, a, b)) {
                continue;
            }
            let mut goals: Vec<(Literal, u32)> =
                rule.body.into_iter().map(|literal| (literal, depth + 1)).collect();
            goals.extend(rest.iter().cloned());
            if self.prove(goals, bindings, next_variable + rule.variables) {
                return true;
            }
        }
        false
    }
}
