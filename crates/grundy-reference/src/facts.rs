//! All that is known, and the terms that it speaks of.

use crate::error::{Error, Limits};
use crate::relation::Relation;
use grundy_syntax::{Atom, Exhausted, PredicateId, Span, Term, TermId, Terms, Ticks, wide};

/// What the variables of a rule stand for, as far as that is known.
pub(crate) type Bindings = [Option<TermId>];

/// Facts, kept within limits.
pub(crate) struct Facts {
    pub(crate) terms: Terms,
    pub(crate) relations: Vec<Relation>,
    limits: Limits,
    /// Rows in all relations.
    count: usize,
    /// Steps taken so far.
    steps: u64,
    ticks: Ticks,
}

/// Which limit was hit.
#[derive(Clone, Copy)]
pub(crate) enum Stop {
    TooManyFacts,
    TooManySteps,
    TooDeep,
    Exhausted(Exhausted),
}

impl Facts {
    pub(crate) fn new(terms: Terms, predicates: usize, limits: Limits) -> Facts {
        let relations = std::iter::repeat_with(Relation::default).take(predicates).collect();
        Facts { terms, relations, limits, count: 0, steps: 0, ticks: Ticks::default() }
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    pub(crate) fn relation(&self, predicate: PredicateId) -> &Relation {
        &self.relations[predicate.index()]
    }

    pub(crate) fn insert(&mut self, predicate: PredicateId, row: &[TermId]) {
        let new = self.relations[predicate.index()].insert(row);
        self.count += usize::from(new);
    }

    pub(crate) fn clear(&mut self, predicate: PredicateId) {
        let relation = &mut self.relations[predicate.index()];
        self.count -= relation.rows().len();
        relation.clear();
    }

    /// Makes this all that is known of a predicate, and gives what was known before.
    pub(crate) fn replace(&mut self, predicate: PredicateId, relation: Relation) -> Relation {
        self.count += relation.rows().len();
        let before = std::mem::replace(&mut self.relations[predicate.index()], relation);
        self.count -= before.rows().len();
        before
    }

    /// Adds the head of a rule.
    pub(crate) fn derive(&mut self, head: &Atom, bindings: &Bindings) -> Result<(), Stop> {
        let row = self.instantiate(head, bindings);
        if row.iter().any(|&term| self.terms.depth(term) > self.limits.term_depth) {
            return Err(Stop::TooDeep);
        }
        self.insert(head.predicate, &row);
        if self.count > self.limits.facts { Err(Stop::TooManyFacts) } else { Ok(()) }
    }

    /// The arguments of an atom with their variables replaced.
    pub(crate) fn instantiate(&mut self, atom: &Atom, bindings: &Bindings) -> Vec<TermId> {
        atom.args.iter().map(|&arg| self.value(arg, bindings)).collect()
    }

    /// A term with its variables replaced.
    pub(crate) fn value(&mut self, term: TermId, bindings: &Bindings) -> TermId {
        match self.terms.get(term) {
            Term::Variable(variable) => {
                bindings[variable.index()].expect("variables are bound before they are used")
            }
            Term::Compound(name, args) if !self.terms.is_ground(term) => {
                let args: Vec<TermId> = args.to_vec();
                let args: Vec<TermId> = args.into_iter().map(|arg| self.value(arg, bindings)).collect();
                self.terms.compound(name, &args)
            }
            Term::Constant(_) | Term::Compound(..) => term,
        }
    }

    /// Checks the budget.
    pub(crate) fn check_budget_now(&self) -> Result<(), Stop> {
        self.limits.budget.check().map_err(Stop::Exhausted)
    }

    /// Checks the budget now and then; to be called in every turn of a loop that can be long, with the work that it does.
    pub(crate) fn check_budget(&mut self, work: usize) -> Result<(), Stop> {
        self.steps += wide(work);
        if self.steps > self.limits.steps {
            return Err(Stop::TooManySteps);
        }
        self.ticks.work(&self.limits.budget, work).map_err(Stop::Exhausted)
    }

    /// Records the rule that a limit was hit in.
    pub(crate) fn at_rule(&self, span: Span) {
        self.limits.budget.at_rule(span);
    }

    /// The error that a stop is, given the rule in print.
    pub(crate) fn error(&self, stop: Stop, rule: String) -> Error {
        match stop {
            Stop::TooManyFacts => Error::TooManyFacts { limit: self.limits.facts, rule },
            Stop::TooManySteps => Error::TooManySteps { limit: self.limits.steps, rule },
            Stop::TooDeep => Error::TooDeep { limit: self.limits.term_depth, rule },
            Stop::Exhausted(reason) => Error::Exhausted { reason, rule },
        }
    }
}
