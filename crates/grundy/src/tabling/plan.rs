//! Join plans: the conditions of a rule in the order in which they are matched.
//!
//! Positive conditions stand in the order that [`order`] finds; tests come as soon as their variables are known.

use super::order::order;
use super::relation::{IndexId, Relation};
use crate::flat::{FlatLiteral, FlatRule};
use grundy_syntax::{SymbolId, Term, TermId, Terms};

/// Which rows of its relation a condition sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visible {
    /// All that there were when the round began.
    All,
    /// Those from before the round before.
    Old,
    /// Those that the round before has added.
    New,
}

/// How a term is put together from registers.
#[derive(Clone, Debug)]
pub(crate) enum Build {
    Register(usize),
    Constant(u32),
    Function(SymbolId, Box<[Build]>),
}

/// What happens to a value of a matched row.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// It is put into a register.
    Bind(usize),
    /// It has to be that of a register.
    Check(usize),
    /// It has to be this one.
    Constant(u32),
    /// It has to be a function whose arguments meet these.
    Function(SymbolId, Box<[Action]>),
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Tries all rows.
    Scan { relation: usize, literal: usize, actions: Box<[(usize, Action)]> },
    /// Tries the rows that an index finds.
    Probe {
        relation: usize,
        literal: usize,
        index: IndexId,
        key: Box<[Build]>,
        actions: Box<[(usize, Action)]>,
    },
    /// Asks for one row.
    Find { relation: usize, literal: usize, key: Box<[Build]> },
    /// Asks that a row is not there.
    Absent { relation: usize, key: Box<[Build]> },
    /// Asks that some pair differs.
    Distinct(Box<[(Build, Build)]>),
}

/// A rule, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) head: Box<[Build]>,
    pub(crate) head_relation: usize,
    pub(crate) registers: usize,
    /// For each condition which rows it sees.
    pub(crate) visible: Box<[Visible]>,
}

/// Plans a rule.
///
/// `ignored` conditions are not matched (negations that may not prune); with `first`, that condition
/// comes first. The rule has to be safe.
pub(crate) fn plan(
    terms: &Terms,
    relations: &mut [Relation],
    rule: &FlatRule,
    first: Option<usize>,
    visible: Box<[Visible]>,
    ignored: impl Fn(&FlatLiteral) -> bool,
) -> Plan {
    let waiting: Vec<usize> = (0..rule.body.len()).filter(|&literal| !ignored(&rule.body[literal])).collect();
    let order = order(terms, relations, rule, first, &waiting);
    let mut planner =
        Planner { terms, relations, rule, bound: vec![false; rule.variables], waiting, steps: Vec::new() };
    planner.add_ready_tests();
    order.into_iter().for_each(|literal| planner.add_positive(literal));
    debug_assert!(planner.waiting.is_empty(), "the rule is safe");
    let steps = planner.steps;
    Plan {
        steps,
        head: rule.head.args.iter().map(|&arg| build(terms, arg)).collect(),
        head_relation: rule.head.relation.0 as usize,
        registers: rule.variables,
        visible,
    }
}

struct Planner<'a> {
    terms: &'a Terms,
    relations: &'a mut [Relation],
    rule: &'a FlatRule,
    bound: Vec<bool>,
    /// The conditions that have no step yet.
    waiting: Vec<usize>,
    steps: Vec<Step>,
}

impl Planner<'_> {
    fn is_bound(&self, term: TermId) -> bool {
        let mut bound = true;
        self.terms.for_each_variable(term, &mut |variable| bound &= self.bound[variable.0 as usize]);
        bound
    }

    fn add_ready_tests(&mut self) {
        let ready = |planner: &Self, literal: usize| match &planner.rule.body[literal] {
            FlatLiteral::Holds(_) => false,
            test => test.terms().all(|term| planner.is_bound(term)),
        };
        while let Some(at) = (0..self.waiting.len()).find(|&at| ready(self, self.waiting[at])) {
            let literal = self.waiting.remove(at);
            self.steps.push(match &self.rule.body[literal] {
                FlatLiteral::Distinct(pairs) => {
                    let pair = |&(a, b): &(TermId, TermId)| (build(self.terms, a), build(self.terms, b));
                    Step::Distinct(pairs.iter().map(pair).collect())
                }
                FlatLiteral::Not(atom) | FlatLiteral::Holds(atom) => {
                    let key = atom.args.iter().map(|&arg| build(self.terms, arg)).collect();
                    Step::Absent { relation: atom.relation.0 as usize, key }
                }
            });
        }
    }

    fn add_positive(&mut self, literal: usize) {
        self.waiting.retain(|&other| other != literal);
        let FlatLiteral::Holds(atom) = &self.rule.body[literal] else {
            unreachable!("only atoms are matched")
        };
        let relation = atom.relation.0 as usize;
        let (key_columns, open): (Vec<usize>, Vec<usize>) =
            (0..atom.args.len()).partition(|&column| self.is_bound(atom.args[column]));
        let key: Box<[Build]> =
            key_columns.iter().map(|&column| build(self.terms, atom.args[column])).collect();
        let mut bound = std::mem::take(&mut self.bound);
        let actions =
            open.iter().map(|&column| (column, action(self.terms, atom.args[column], &mut bound))).collect();
        self.bound = bound;
        self.steps.push(if open.is_empty() {
            Step::Find { relation, literal, key }
        } else if key_columns.is_empty() {
            Step::Scan { relation, literal, actions }
        } else {
            let index = self.relations[relation].index(&key_columns);
            Step::Probe { relation, literal, index, key, actions }
        });
        self.add_ready_tests();
    }
}

/// How to put a term together, its variables being known.
pub(crate) fn build(terms: &Terms, term: TermId) -> Build {
    match terms.get(term) {
        Term::Variable(variable) => Build::Register(variable.0 as usize),
        _ if terms.is_ground(term) => Build::Constant(term.0),
        Term::Constant(_) => Build::Constant(term.0),
        Term::Compound(name, args) => {
            Build::Function(name, args.iter().map(|&arg| build(terms, arg)).collect())
        }
    }
}

/// How to match a term, binding the variables that are not bound yet.
fn action(terms: &Terms, term: TermId, bound: &mut [bool]) -> Action {
    match terms.get(term) {
        Term::Variable(variable) => {
            let register = variable.0 as usize;
            if std::mem::replace(&mut bound[register], true) {
                Action::Check(register)
            } else {
                Action::Bind(register)
            }
        }
        _ if terms.is_ground(term) => Action::Constant(term.0),
        Term::Constant(_) => Action::Constant(term.0),
        Term::Compound(name, args) => {
            Action::Function(name, args.iter().map(|&arg| action(terms, arg, bound)).collect())
        }
    }
}
