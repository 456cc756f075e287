//! Matching rules, and repeating it until nothing new follows.

use crate::error::{Error, Limits};
use crate::plan::{Pattern, Plan, Test};
use crate::relation::{MAX_INDEXED, Mask, Relation, Row};
use grundy_syntax::{Atom, Literal, PredicateId, Term, TermId, Terms, VariableId};
use std::ops::Range;
use std::time::Instant;

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

/// One pass over a rule.
struct Pass<'a> {
    plan: &'a Plan,
    /// The condition, if any, that is matched with these rows only.
    delta: Option<(usize, Range<usize>)>,
    negation: Negation<'a>,
    derived: Vec<Row>,
}

/// How far the matching of a rule has come.
struct Match {
    /// The values of the variables that are bound.
    bindings: Vec<Option<TermId>>,
    /// The bound variables in the order in which they were bound.
    trail: Vec<VariableId>,
    /// Which positive conditions are matched.
    matched: Vec<bool>,
    /// Which tests have passed.
    tested: Vec<bool>,
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
            self.run(Pass { plan, delta: None, negation, derived: Vec::new() })?;
        }
        loop {
            let now = self.sizes(component);
            if now == old {
                return Ok(());
            }
            for plan in plans {
                for (at, pattern) in plan.positive.iter().enumerate() {
                    let member = component.iter().position(|&member| member == pattern.atom.predicate);
                    let Some(member) = member else { continue };
                    let new_rows = old[member]..now[member];
                    if !new_rows.is_empty() {
                        let delta = Some((at, new_rows));
                        self.run(Pass { plan, delta, negation, derived: Vec::new() })?;
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
    fn run(&mut self, mut pass: Pass<'_>) -> Result<(), (Stop, usize)> {
        let plan = pass.plan;
        let mut state = Match {
            bindings: vec![None; plan.variables],
            trail: Vec::new(),
            matched: vec![false; plan.positive.len()],
            tested: vec![false; plan.tests.len()],
        };
        self.solve(&mut pass, &mut state).map_err(|stop| (stop, plan.rule))?;
        for row in pass.derived {
            self.insert(plan.head.predicate, row);
        }
        Ok(())
    }

    /// Matches the conditions that are left, and derives the head once there are none.
    ///
    /// Tests come as soon as they can be decided. Among the positive conditions, the next is the one
    /// that the fewest facts can match now; if that number is zero, so is the number of solutions.
    fn solve(&mut self, pass: &mut Pass<'_>, state: &mut Match) -> Result<(), Stop> {
        self.check_clock()?;
        let mut newly_tested = Vec::new();
        let mut passed = true;
        for (at, test) in pass.plan.tests.iter().enumerate() {
            let decided = test.variables.iter().all(|variable| state.bindings[variable.0 as usize].is_some());
            if passed && decided && !state.tested[at] {
                passed = self.passes(pass.negation, test, &state.bindings);
                state.tested[at] = true;
                newly_tested.push(at);
            }
        }
        if passed {
            match self.fewest_candidates(pass, state) {
                Some((at, candidates)) => self.try_candidates(pass, at, &candidates, state)?,
                None => {
                    let row = self.instantiate(&pass.plan.head, &state.bindings);
                    pass.derived.push(row);
                    self.check_limits(&pass.derived)?;
                }
            }
        }
        newly_tested.into_iter().for_each(|at| state.tested[at] = false);
        Ok(())
    }

    fn try_candidates(
        &mut self,
        pass: &mut Pass<'_>,
        at: usize,
        candidates: &[usize],
        state: &mut Match,
    ) -> Result<(), Stop> {
        let atom = &pass.plan.positive[at].atom;
        state.matched[at] = true;
        for &number in candidates {
            let bound_before = state.trail.len();
            let row = &self.relations[atom.predicate.0 as usize].rows()[number];
            let mut pairs = atom.args.iter().zip(row);
            if pairs.all(|(&pattern, &value)| matches(&self.terms, pattern, value, state)) {
                self.solve(pass, state)?;
            }
            for variable in state.trail.drain(bound_before..) {
                state.bindings[variable.0 as usize] = None;
            }
        }
        state.matched[at] = false;
        Ok(())
    }

    /// The unmatched condition that the fewest rows can match, with these rows; `None` if all are
    /// matched. A condition that is restricted to new rows comes first.
    fn fewest_candidates(&mut self, pass: &Pass<'_>, state: &Match) -> Option<(usize, Vec<usize>)> {
        if let Some((at, rows)) = &pass.delta
            && !state.matched[*at]
        {
            return Some((*at, rows.clone().collect()));
        }
        let unmatched = (0..pass.plan.positive.len()).filter(|&at| !state.matched[at]);
        let counted =
            unmatched.map(|at| (self.count_candidates(&pass.plan.positive[at], &state.bindings), at));
        let (_, at) = counted.min()?;
        let pattern = &pass.plan.positive[at];
        let (mask, key) = self.known_arguments(pattern, &state.bindings);
        let relation = &mut self.relations[pattern.atom.predicate.0 as usize];
        let rows =
            if mask == 0 { (0..relation.rows().len()).collect() } else { relation.find(mask, &key).to_vec() };
        Some((at, rows))
    }

    fn count_candidates(&mut self, pattern: &Pattern, bindings: &[Option<TermId>]) -> usize {
        let (mask, key) = self.known_arguments(pattern, bindings);
        let relation = &mut self.relations[pattern.atom.predicate.0 as usize];
        if mask == 0 { relation.rows().len() } else { relation.find(mask, &key).len() }
    }

    /// The arguments of a condition whose variables are all bound, and their values.
    fn known_arguments(&mut self, pattern: &Pattern, bindings: &[Option<TermId>]) -> (Mask, Vec<TermId>) {
        let mut mask = 0;
        let mut key = Vec::new();
        for (i, variables) in pattern.variables.iter().enumerate().take(MAX_INDEXED) {
            if variables.iter().all(|variable| bindings[variable.0 as usize].is_some()) {
                mask |= 1 << i;
                key.push(self.value(pattern.atom.args[i], bindings));
            }
        }
        (mask, key)
    }

    fn passes(&mut self, negation: Negation<'_>, test: &Test, bindings: &[Option<TermId>]) -> bool {
        match &test.literal {
            Literal::Not(atom) | Literal::Holds(atom) => {
                let row = self.instantiate(atom, bindings);
                !self.is_known(negation, atom.predicate, &row)
            }
            Literal::Distinct(a, b) => self.value(*a, bindings) != self.value(*b, bindings),
        }
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
                bindings[variable.0 as usize].expect("variables are bound before they are used")
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
fn matches(terms: &Terms, pattern: TermId, value: TermId, state: &mut Match) -> bool {
    if pattern == value {
        return true;
    }
    match (terms.get(pattern), terms.get(value)) {
        (Term::Variable(variable), _) => match state.bindings[variable.0 as usize] {
            Some(bound) => bound == value,
            None => {
                state.bindings[variable.0 as usize] = Some(value);
                state.trail.push(variable);
                true
            }
        },
        (Term::Compound(f, patterns), Term::Compound(g, values)) => {
            f == g
                && patterns.len() == values.len()
                && patterns.iter().zip(values).all(|(&pattern, &value)| matches(terms, pattern, value, state))
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
