//! Matching the conditions of a rule with what is known.

use crate::facts::{Facts, Stop};
use crate::plan::{Leaf, Pattern, Plan, TestKind};
use crate::relation::{MAX_INDEXED, Relation, read_leaves};
use grundy_syntax::{PredicateId, TermId, VariableId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// For some predicates, what their negations are tested against instead of what is known.
pub(crate) type Estimate = FxHashMap<PredicateId, Relation>;

/// One pass over a rule.
pub(crate) struct Pass<'a> {
    pub(crate) plan: &'a Plan,
    /// The positive condition, if any, that is matched with these rows only.
    pub(crate) only: Option<(usize, Range<usize>)>,
    pub(crate) estimate: &'a Estimate,
}

/// Derives what one pass over a rule gives.
///
/// This is a search with backtracking. Tests come as soon as they can be decided; among the positive
/// conditions, the next is the one that the fewest facts can match now. Bodies may be long, so that
/// the search has a stack of its own.
pub(crate) fn run(facts: &mut Facts, pass: &Pass<'_>) -> Result<(), Stop> {
    let plan = pass.plan;
    let mut matching = Matching {
        facts,
        pass,
        choices: Vec::new(),
        matched: vec![false; plan.positive.len()],
        bindings: vec![None; plan.variables],
        bound: Vec::new(),
        is_passed: vec![false; plan.tests.len()],
        passed: Vec::new(),
        leaves: Vec::new(),
    };
    loop {
        if matching.run_tests() {
            match matching.next_choice() {
                Some(choice) => matching.choices.push(choice),
                None => {
                    matching.facts.derive(&plan.head, &matching.bindings)?;
                    matching.cut();
                }
            }
        }
        if !matching.advance()? {
            return Ok(());
        }
    }
}

/// How far the matching of a rule has come.
struct Matching<'a> {
    facts: &'a mut Facts,
    pass: &'a Pass<'a>,
    /// The conditions that are matched, in this order.
    choices: Vec<Choice>,
    /// Which positive conditions are matched.
    matched: Vec<bool>,
    /// The values of the variables that are bound.
    bindings: Vec<Option<TermId>>,
    /// The bound variables, in the order in which they were bound.
    bound: Vec<VariableId>,
    /// Which tests have been passed.
    is_passed: Vec<bool>,
    /// The tests that have been passed, in this order.
    passed: Vec<usize>,
    /// A buffer.
    leaves: Vec<TermId>,
}

/// A condition that is matched with one row after the other.
struct Choice {
    condition: usize,
    rows: std::vec::IntoIter<usize>,
    /// How many variables were bound before.
    bound: usize,
    /// How many tests were passed before.
    passed: usize,
    /// Whether the variables of the head were bound before.
    head_is_bound: bool,
}

impl<'a> Matching<'a> {
    /// Goes back to the last choice that has a row left, and on with it; `false` if there is none.
    fn advance(&mut self) -> Result<bool, Stop> {
        while let Some(choice) = self.choices.last_mut() {
            self.facts.check_budget(self.pass.plan.positive.len() + self.pass.plan.tests.len())?;
            let condition = choice.condition;
            let row = choice.rows.next();
            for variable in self.bound.drain(choice.bound..) {
                self.bindings[variable.index()] = None;
            }
            for test in self.passed.drain(choice.passed..) {
                self.is_passed[test] = false;
            }
            match row {
                Some(row) if self.bind(&self.pass.plan.positive[condition], row) => return Ok(true),
                Some(_) => {}
                None => {
                    self.matched[condition] = false;
                    self.choices.pop();
                }
            }
        }
        Ok(false)
    }

    /// Gives up the rows that are left of the choices that were made when the variables of the head
    /// were bound: they would derive the same head again.
    fn cut(&mut self) {
        for choice in self.choices.iter_mut().rev().take_while(|choice| choice.head_is_bound) {
            choice.rows = Vec::new().into_iter();
        }
    }

    /// The condition to match next: one that is restricted to some rows, or else the one that the
    /// fewest rows can match. `None` if all are matched.
    fn next_choice(&mut self) -> Option<Choice> {
        let (condition, rows) = match &self.pass.only {
            Some((condition, rows)) if !self.matched[*condition] => (*condition, rows.clone().collect()),
            _ => {
                let condition = self.fewest_candidates()?;
                (condition, self.candidates(&self.pass.plan.positive[condition]).to_vec())
            }
        };
        self.matched[condition] = true;
        Some(Choice {
            condition,
            rows: rows.into_iter(),
            bound: self.bound.len(),
            passed: self.passed.len(),
            head_is_bound: self.are_bound(&self.pass.plan.head_variables),
        })
    }

    fn fewest_candidates(&mut self) -> Option<usize> {
        let mut best = None;
        for (condition, pattern) in self.pass.plan.positive.iter().enumerate() {
            if self.matched[condition] {
                continue;
            }
            let count = self.candidates(pattern).len();
            if best.is_none_or(|(fewest, _)| count < fewest) {
                best = Some((count, condition));
            }
            if count <= 1 {
                break;
            }
        }
        best.map(|(_, condition)| condition)
    }

    /// The rows that agree with all that is known of the leaves of a condition.
    fn candidates(&mut self, pattern: &Pattern) -> &[usize] {
        let mut mask = 0;
        self.leaves.clear();
        for (place, leaf) in pattern.leaves.iter().enumerate().take(MAX_INDEXED) {
            let value = match leaf {
                Leaf::Variable(variable) => self.bindings[variable.index()],
                Leaf::Ground(term) => Some(*term),
            };
            if let Some(value) = value {
                mask |= 1 << place;
                self.leaves.push(value);
            }
        }
        let Facts { relations, terms, .. } = self.facts;
        relations[pattern.predicate.index()].find(terms, &pattern.form, mask, &self.leaves)
    }

    /// Makes a condition agree with a row, if it can. Variables may be bound even if it cannot.
    fn bind(&mut self, pattern: &Pattern, number: usize) -> bool {
        let row = self.facts.relation(pattern.predicate).rows().get(number);
        self.leaves.clear();
        if !read_leaves(&self.facts.terms, &pattern.form, row, &mut self.leaves) {
            return false;
        }
        pattern.leaves.iter().zip(&self.leaves).all(|(leaf, &value)| match leaf {
            Leaf::Ground(term) => *term == value,
            Leaf::Variable(variable) => match &mut self.bindings[variable.index()] {
                Some(known) => *known == value,
                unbound => {
                    *unbound = Some(value);
                    self.bound.push(*variable);
                    true
                }
            },
        })
    }

    /// Runs the tests that can be decided now; `false` if one fails.
    fn run_tests(&mut self) -> bool {
        for (at, test) in self.pass.plan.tests.iter().enumerate() {
            if self.is_passed[at] || !self.are_bound(&test.variables) {
                continue;
            }
            if !self.passes(&test.kind) {
                return false;
            }
            self.is_passed[at] = true;
            self.passed.push(at);
        }
        true
    }

    fn passes(&mut self, test: &TestKind) -> bool {
        match test {
            TestKind::Not(atom) => {
                let row = self.facts.instantiate(atom, &self.bindings);
                let known = self.facts.relation(atom.predicate);
                !self.pass.estimate.get(&atom.predicate).unwrap_or(known).contains(&row)
            }
            TestKind::Distinct(a, b) => {
                self.facts.value(*a, &self.bindings) != self.facts.value(*b, &self.bindings)
            }
        }
    }

    fn are_bound(&self, variables: &[VariableId]) -> bool {
        variables.iter().all(|variable| self.bindings[variable.index()].is_some())
    }
}
