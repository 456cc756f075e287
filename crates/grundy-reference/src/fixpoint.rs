//! Matching rules, and repeating it until nothing new follows.

use crate::error::{Error, Limits};
use crate::plan::{Plan, Step};
use crate::relation::Relation;
use grundy_syntax::{Atom, Literal, PredicateId, Term, TermId, Terms};
use std::ops::Range;
use std::time::Instant;

type Row = Box<[TermId]>;

/// All that is known, and the terms that it speaks of.
pub(crate) struct Facts {
    pub(crate) terms: Terms,
    pub(crate) relations: Vec<Relation>,
    pub(crate) limits: Limits,
    /// Rows in all relations.
    count: usize,
    /// Counts down to the next look at the clock.
    patience: u32,
}

/// Why matching stopped; the caller knows the rule.
#[derive(Clone, Copy)]
pub(crate) enum Stop {
    TooManyFacts,
    TooDeep,
    OutOfTime,
}

/// What a negated condition is tested against.
#[derive(Clone, Copy)]
pub(crate) enum Negation<'a> {
    /// Against what is known: right for predicates of earlier components.
    Known,
    /// Against this estimate for the predicates of the component itself.
    Estimate(&'a [(PredicateId, Relation)]),
}

/// One pass over a rule: which condition, if any, is matched with which rows only.
#[derive(Clone)]
struct Pass<'a> {
    plan: &'a Plan,
    delta: Option<(usize, Range<usize>)>,
    negation: Negation<'a>,
}

impl Facts {
    pub(crate) fn new(terms: Terms, predicates: usize, limits: Limits) -> Facts {
        let relations = std::iter::repeat_with(Relation::default).take(predicates).collect();
        Facts { terms, relations, limits, count: 0, patience: 0 }
    }

    pub(crate) fn relation(&self, predicate: PredicateId) -> &Relation {
        &self.relations[predicate.0 as usize]
    }

    pub(crate) fn insert(&mut self, predicate: PredicateId, row: Row) -> bool {
        let new = self.relations[predicate.0 as usize].insert(row);
        self.count += usize::from(new);
        new
    }

    pub(crate) fn clear(&mut self, predicate: PredicateId) {
        let relation = &mut self.relations[predicate.0 as usize];
        self.count -= relation.rows().len();
        relation.clear();
    }

    /// Semi-naive evaluation: derives all that follows by these rules for these predicates.
    ///
    /// After the first round, a rule can only give something new if one of its conditions matches
    /// a row that the round before has added; so each recursive condition in turn is matched with
    /// the new rows only.
    pub(crate) fn saturate(
        &mut self,
        plans: &[&Plan],
        component: &[PredicateId],
        negation: Negation<'_>,
    ) -> Result<(), (Stop, usize)> {
        let mut old: Vec<usize> = self.sizes(component);
        for plan in plans {
            self.run(Pass { plan, delta: None, negation })?;
        }
        loop {
            let now = self.sizes(component);
            if now == old {
                return Ok(());
            }
            for plan in plans {
                for (at, step) in plan.steps.iter().enumerate() {
                    let Literal::Holds(atom) = &step.literal else { continue };
                    let Some(member) = component.iter().position(|&p| p == atom.predicate) else { continue };
                    let new_rows = old[member]..now[member];
                    if !new_rows.is_empty() {
                        self.run(Pass { plan, delta: Some((at, new_rows)), negation })?;
                    }
                }
            }
            old = now;
        }
    }

    fn sizes(&self, component: &[PredicateId]) -> Vec<usize> {
        component.iter().map(|&predicate| self.relation(predicate).rows().len()).collect()
    }

    /// Derives what one rule gives.
    fn run(&mut self, pass: Pass<'_>) -> Result<(), (Stop, usize)> {
        let rule = pass.plan.rule;
        let mut derived = Vec::new();
        let mut bindings = vec![None; pass.plan.variables];
        self.solve(&pass, 0, &mut bindings, &mut derived).map_err(|stop| (stop, rule))?;
        for row in derived {
            self.insert(pass.plan.head.predicate, row);
        }
        if self.count > self.limits.facts { Err((Stop::TooManyFacts, rule)) } else { Ok(()) }
    }

    /// Matches the conditions from `at` on, and derives the head once all of them are matched.
    fn solve(
        &mut self,
        pass: &Pass<'_>,
        at: usize,
        bindings: &mut Vec<Option<TermId>>,
        derived: &mut Vec<Row>,
    ) -> Result<(), Stop> {
        let Some(step) = pass.plan.steps.get(at) else {
            derived.push(self.instantiate(&pass.plan.head, bindings));
            return self.check_limits(derived);
        };
        match &step.literal {
            Literal::Holds(atom) => self.solve_positive(pass, at, atom, bindings, derived),
            Literal::Not(atom) => {
                let row = self.instantiate(atom, bindings);
                if self.is_known(pass.negation, atom.predicate, &row) {
                    return Ok(());
                }
                self.solve(pass, at + 1, bindings, derived)
            }
            Literal::Distinct(a, b) => {
                if self.value(*a, bindings) == self.value(*b, bindings) {
                    return Ok(());
                }
                self.solve(pass, at + 1, bindings, derived)
            }
        }
    }

    fn solve_positive(
        &mut self,
        pass: &Pass<'_>,
        at: usize,
        atom: &Atom,
        bindings: &mut Vec<Option<TermId>>,
        derived: &mut Vec<Row>,
    ) -> Result<(), Stop> {
        let step = &pass.plan.steps[at];
        for number in self.candidates(pass, at, step, atom, bindings) {
            self.check_clock()?;
            let before = bindings.clone();
            let row = &self.relations[atom.predicate.0 as usize].rows()[number];
            if atom
                .args
                .iter()
                .zip(row)
                .all(|(&pattern, &value)| matches(&self.terms, pattern, value, bindings))
            {
                self.solve(pass, at + 1, bindings, derived)?;
            }
            *bindings = before;
        }
        Ok(())
    }

    /// The rows that can match a condition, by number.
    fn candidates(
        &mut self,
        pass: &Pass<'_>,
        at: usize,
        step: &Step,
        atom: &Atom,
        bindings: &[Option<TermId>],
    ) -> Vec<usize> {
        let all = 0..self.relation(atom.predicate).rows().len();
        let allowed = match &pass.delta {
            Some((delta_at, rows)) if *delta_at == at => rows.clone(),
            _ => all,
        };
        if step.mask == 0 {
            return allowed.collect();
        }
        let known = atom.args.iter().enumerate().filter(|(i, _)| *i < 64 && step.mask & (1 << i) != 0);
        let key: Vec<TermId> = known.map(|(_, &arg)| self.value(arg, bindings)).collect();
        let found = self.relation(atom.predicate).find(step.mask, &key);
        found.iter().copied().filter(|number| allowed.contains(number)).collect()
    }

    fn is_known(&self, negation: Negation<'_>, predicate: PredicateId, row: &[TermId]) -> bool {
        let estimated = match negation {
            Negation::Known => None,
            Negation::Estimate(relations) => relations.iter().find(|(member, _)| *member == predicate),
        };
        estimated.map_or(self.relation(predicate), |(_, relation)| relation).contains(row)
    }

    fn instantiate(&mut self, atom: &Atom, bindings: &[Option<TermId>]) -> Row {
        atom.args.iter().map(|&arg| self.value(arg, bindings)).collect()
    }

    /// A term with its variables replaced.
    fn value(&mut self, term: TermId, bindings: &[Option<TermId>]) -> TermId {
        match self.terms.get(term) {
            Term::Variable(variable) => {
                bindings[variable.0 as usize].expect("plans bind variables before use")
            }
            _ if self.terms.is_ground(term) => term,
            Term::Constant(_) => term,
            Term::Compound(name, args) => {
                let args: Vec<TermId> = args.to_vec();
                let args: Vec<TermId> = args.into_iter().map(|arg| self.value(arg, bindings)).collect();
                self.terms.compound(name, &args)
            }
        }
    }

    fn check_limits(&mut self, derived: &[Row]) -> Result<(), Stop> {
        let too_deep = |row: &Row| row.iter().any(|&term| self.terms.depth(term) > self.limits.term_depth);
        if derived.last().is_some_and(too_deep) {
            return Err(Stop::TooDeep);
        }
        if self.count + derived.len() > self.limits.facts {
            return Err(Stop::TooManyFacts);
        }
        self.check_clock()
    }

    fn check_clock(&mut self) -> Result<(), Stop> {
        if self.patience > 0 {
            self.patience -= 1;
            return Ok(());
        }
        self.patience = 4096;
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::OutOfTime),
            _ => Ok(()),
        }
    }
}

/// Matches a pattern with a ground term, binding the pattern's variables.
fn matches(terms: &Terms, pattern: TermId, value: TermId, bindings: &mut [Option<TermId>]) -> bool {
    if pattern == value {
        return true;
    }
    match (terms.get(pattern), terms.get(value)) {
        (Term::Variable(variable), _) => {
            let binding = &mut bindings[variable.0 as usize];
            *binding.get_or_insert(value) == value
        }
        (Term::Compound(f, patterns), Term::Compound(g, values)) => {
            f == g
                && patterns.len() == values.len()
                && patterns
                    .iter()
                    .zip(values)
                    .all(|(&pattern, &value)| matches(terms, pattern, value, bindings))
        }
        _ => false,
    }
}

impl Stop {
    /// The error, once the rule is known.
    pub(crate) fn into_error(self, limits: &Limits, rule: String) -> Error {
        match self {
            Stop::TooManyFacts => Error::TooManyFacts { limit: limits.facts, rule },
            Stop::TooDeep => Error::TooDeep { limit: limits.term_depth, rule },
            Stop::OutOfTime => Error::OutOfTime { rule },
        }
    }
}
