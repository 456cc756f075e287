//! Join plans: the conditions of a rule in matching order, compiled to registers and indexes.
//!
//! Positive conditions are in the order that [`order`] chooses. Tests are placed as soon as their variables are bound. Once
//! all variables that the consumer distinguishes are bound, the rest of the plan is only searched for one match.

use super::index::IndexId;
use super::order::{JoinOrder, order, written_order};
use super::relation::Relations;
use super::symmetry::orderings;
use crate::flat::{FlatLiteral, FlatRule, RelationId};
use crate::ids::{BitSet, narrow};
use grundy_syntax::{SymbolId, Term, TermId, Terms, VariableId};
use rustc_hash::FxHashMap;

/// Which rows of its relation a condition sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visible {
    /// All rows at the start of the round.
    All,
    /// The rows from before the previous round.
    Old,
    /// The rows that the previous round added.
    New,
}

grundy_syntax::define_id! {
    /// Holds a value while a plan runs. The first registers hold the variables of the rule, in order; those for constants
    /// and functions follow.
    pub(crate) struct Register(u32);
}

impl From<VariableId> for Register {
    fn from(variable: VariableId) -> Register {
        Register(variable.0)
    }
}

/// Registers that hold the values of a key or a row.
pub(crate) type Key = Box<[Register]>;

/// What to do with a value of a matched row.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Store it in a register.
    Bind(Register),
    /// Compare it with a register.
    Check(Register),
    /// Compare it with a constant.
    Constant(u32),
    /// Match it with a function and its arguments.
    Function(SymbolId, Box<[Action]>),
}

/// What to do with the columns of a matched row that were not used to find it.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Columns stored in registers.
    pub(crate) binds: Box<[(u32, Register)]>,
    /// Columns tested afterwards.
    pub(crate) tests: Box<[(u32, Action)]>,
}

impl Columns {
    fn new(actions: impl Iterator<Item = (u32, Action)>) -> Columns {
        let (binds, tests): (Vec<_>, Vec<_>) =
            actions.partition(|(_, action)| matches!(action, Action::Bind(_)));
        let bind = |(column, action)| match action {
            Action::Bind(register) => Some((column, register)),
            _ => None,
        };
        Columns { binds: binds.into_iter().filter_map(bind).collect(), tests: tests.into() }
    }
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum PlanStep {
    /// Tries all rows.
    Scan { relation: RelationId, literal: usize, open: Columns },
    /// Tries the rows that an index finds.
    Probe { relation: RelationId, literal: usize, index: IndexId, key: Key, open: Columns },
    /// Looks one row up.
    Find { relation: RelationId, literal: usize, key: Key },
    /// Tests that a row is absent.
    Absent { relation: RelationId, key: Key },
    /// Tests that at least one pair differs.
    Distinct(Box<[(Register, Register)]>),
    /// Tests that the first value is not greater than the second.
    Ordered(Register, Register),
    /// Builds a term.
    Function { name: SymbolId, args: Key, into: Register },
}

/// The largest number of steps with several matches in a plan. Each is a level of recursion, so
/// more of them could overflow the stack. A guess.
pub(super) const MOST_NESTED: usize = 2_000;

/// A rule, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    pub(crate) head: Key,
    pub(crate) head_relation: RelationId,
    /// The initial values of the registers: constants are set.
    pub(crate) registers: Box<[u32]>,
    /// The atoms of the conditions that are not matched, in order.
    pub(crate) ignored: Box<[Key]>,
    /// The rows that each condition sees.
    pub(crate) visible: Box<[Visible]>,
    /// From this step on, one match is enough: all variables that the consumer distinguishes are bound.
    pub(crate) settled: usize,
    /// Whether matches may differ only in variables that the consumer does not distinguish.
    pub(crate) repeats: bool,
    /// Whether it has more than [`MOST_NESTED`] steps that may have several matches.
    pub(super) is_too_deep: bool,
}

/// What a plan is for.
pub(crate) struct Purpose<I, K> {
    /// Conditions that are not matched (negations that may not prune).
    pub(crate) ignored: I,
    /// Conditions whose variables distinguish matches, besides those of the head.
    pub(crate) kept: K,
    /// Whether matches that differ only by a symmetry of the rule are distinct.
    pub(crate) exchanged: bool,
    /// How the order of conditions is chosen.
    pub(crate) order: JoinOrder,
    /// Whether the plan runs many times, so that an index pays even for a single lookup in each run.
    pub(crate) lasting: bool,
}

/// From this number of rows on, a relation is scanned rather than indexed for a single lookup. A guess.
const ROWS_TO_SCAN: u32 = 1 << 14;

/// Plans a rule, with the condition `first` in front. The rule has to be safe.
pub(crate) fn plan<I: Fn(&FlatLiteral) -> bool, K: Fn(&FlatLiteral) -> bool>(
    terms: &Terms,
    relations: &mut Relations,
    rule: &FlatRule,
    first: Option<usize>,
    visible: Box<[Visible]>,
    purpose: &Purpose<I, K>,
) -> Plan {
    let (ignored, waiting): (Vec<usize>, Vec<usize>) =
        (0..rule.body.len()).partition(|&literal| (purpose.ignored)(&rule.body[literal]));
    let mut wanted = BitSet::empty(rule.variables);
    let kept = rule.body.iter().filter(|literal| (purpose.kept)(literal));
    for term in kept.flat_map(|literal| literal.terms()).chain(rule.head.args.iter().copied()) {
        terms.for_each_variable(term, &mut |variable| wanted.set(variable, true));
    }
    let order = match purpose.order {
        JoinOrder::Branching => order(terms, relations, rule, first, &waiting, purpose.lasting),
        JoinOrder::Written => written_order(rule, first, &waiting),
    };
    // Exchanged conditions have to see the same rows.
    let is_symmetric = !purpose.exchanged && visible.iter().all(|&rows| rows == Visible::All);
    let mut planner = Planner {
        terms,
        relations,
        rule,
        bound: BitSet::empty(rule.variables),
        wanted,
        visible: &visible,
        lasting: purpose.lasting,
        settled: None,
        registers: vec![0; rule.variables],
        known: FxHashMap::default(),
        waiting,
        orderings: if is_symmetric { orderings(terms, rule) } else { Vec::new() },
        steps: Vec::new(),
    };
    planner.note_settled();
    planner.add_ready_tests();
    order.into_iter().for_each(|literal| planner.add_positive(literal));
    debug_assert!(planner.waiting.is_empty(), "the rule is safe");
    let (settled, repeats) = planner.settled.unwrap_or((usize::MAX, true));
    let settled = if planner.steps.iter().skip(settled).any(branches) { settled } else { usize::MAX };
    let head = planner.key(&rule.head.args);
    let atoms = ignored.iter().filter_map(|&literal| rule.body[literal].atom());
    let ignored = atoms.map(|atom| planner.key(&atom.args)).collect();
    Plan {
        is_too_deep: planner.steps.iter().filter(|step| branches(step)).count() > MOST_NESTED,
        steps: planner.steps,
        head,
        head_relation: rule.head.relation,
        registers: planner.registers.into(),
        ignored,
        visible,
        settled,
        repeats,
    }
}

/// Whether a step may have several matches.
fn branches(step: &PlanStep) -> bool {
    matches!(step, PlanStep::Scan { .. } | PlanStep::Probe { .. })
}

struct Planner<'a> {
    terms: &'a Terms,
    relations: &'a mut Relations,
    rule: &'a FlatRule,
    bound: BitSet<VariableId>,
    wanted: BitSet<VariableId>,
    visible: &'a [Visible],
    lasting: bool,
    /// The number of steps after which all wanted variables are bound, and whether others are bound as well.
    settled: Option<(usize, bool)>,
    /// The initial values of the registers.
    registers: Vec<u32>,
    /// The registers of constants and functions.
    known: FxHashMap<TermId, Register>,
    /// The conditions without a step.
    waiting: Vec<usize>,
    /// The orderings of variables without a step.
    orderings: Vec<(VariableId, VariableId)>,
    steps: Vec<PlanStep>,
}

impl Planner<'_> {
    fn is_bound(&self, term: TermId) -> bool {
        let mut bound = true;
        self.terms.for_each_variable(term, &mut |variable| bound &= self.bound.contains(variable));
        bound
    }

    fn note_settled(&mut self) {
        if self.settled.is_none() && self.wanted.is_subset(&self.bound) {
            self.settled = Some((self.steps.len(), !self.bound.is_subset(&self.wanted)));
        }
    }

    fn add_ready_tests(&mut self) {
        let ready = |planner: &Self, literal: usize| match &planner.rule.body[literal] {
            FlatLiteral::Holds(_) => false,
            test => test.terms().all(|term| planner.is_bound(term)),
        };
        while let Some(at) = (0..self.waiting.len()).find(|&at| ready(self, self.waiting[at])) {
            let literal = self.waiting.remove(at);
            let step = match &self.rule.body[literal] {
                FlatLiteral::Distinct(pairs) => {
                    let pair = |&(a, b): &(TermId, TermId)| (self.register(a), self.register(b));
                    PlanStep::Distinct(pairs.iter().map(pair).collect())
                }
                FlatLiteral::Not(atom) | FlatLiteral::Holds(atom) => {
                    PlanStep::Absent { relation: atom.relation, key: self.key(&atom.args) }
                }
            };
            self.steps.push(step);
        }
        let is_ready =
            |pair: &mut (VariableId, VariableId)| self.bound.contains(pair.0) && self.bound.contains(pair.1);
        let ready = self.orderings.extract_if(.., is_ready);
        self.steps.extend(ready.map(|(a, b)| PlanStep::Ordered(a.into(), b.into())));
    }

    fn key(&mut self, terms: &[TermId]) -> Key {
        terms.iter().map(|&term| self.register(term)).collect()
    }

    /// The register that holds a term, its variables being bound.
    fn register(&mut self, term: TermId) -> Register {
        if let Term::Variable(variable) = self.terms.get(term) {
            return variable.into();
        }
        if let Some(&register) = self.known.get(&term) {
            return register;
        }
        let function = match self.terms.get(term) {
            Term::Compound(name, args) if !self.terms.is_ground(term) => Some((name, self.key(args))),
            _ => None,
        };
        let into = Register::new(self.registers.len());
        self.registers.push(term.0);
        self.known.insert(term, into);
        if let Some((name, args)) = function {
            self.steps.push(PlanStep::Function { name, args, into });
        }
        into
    }

    /// Whether a condition scans its relation although some of its columns are bound: extending an index to all rows would
    /// cost more than the single lookup saves.
    fn is_scanned(&self, literal: usize, relation: RelationId, columns: &[usize]) -> bool {
        let rows = &self.relations[relation];
        let is_new = self.visible[literal] == Visible::New;
        let runs_once = !self.steps.iter().any(branches);
        runs_once && rows.len() >= ROWS_TO_SCAN && (is_new || !self.lasting && !rows.has_index(columns))
    }

    fn add_positive(&mut self, literal: usize) {
        self.waiting.retain(|&other| other != literal);
        let FlatLiteral::Holds(atom) = &self.rule.body[literal] else {
            unreachable!("only atoms are matched")
        };
        let relation = atom.relation;
        let (key_columns, open): (Vec<usize>, Vec<usize>) =
            (0..atom.args.len()).partition(|&column| self.is_bound(atom.args[column]));
        let (key_columns, open) = if !open.is_empty() && self.is_scanned(literal, relation, &key_columns) {
            (Vec::new(), (0..atom.args.len()).collect())
        } else {
            (key_columns, open)
        };
        let key: Key = key_columns.iter().map(|&column| self.register(atom.args[column])).collect();
        let mut bound = std::mem::replace(&mut self.bound, BitSet::empty(0));
        let action = |&column: &usize| (narrow(column), action(self.terms, atom.args[column], &mut bound));
        let columns = Columns::new(open.iter().map(action));
        self.bound = bound;
        self.steps.push(if open.is_empty() {
            PlanStep::Find { relation, literal, key }
        } else if key_columns.is_empty() {
            PlanStep::Scan { relation, literal, open: columns }
        } else {
            let index = self.relations[relation].index(&key_columns);
            PlanStep::Probe { relation, literal, index, key, open: columns }
        });
        self.note_settled();
        self.add_ready_tests();
    }
}

/// How to match a term. Binds its unbound variables.
fn action(terms: &Terms, term: TermId, bound: &mut BitSet<VariableId>) -> Action {
    match terms.get(term) {
        Term::Variable(variable) => {
            if bound.insert(variable) {
                Action::Bind(variable.into())
            } else {
                Action::Check(variable.into())
            }
        }
        _ if terms.is_ground(term) => Action::Constant(term.0),
        Term::Constant(_) => Action::Constant(term.0),
        Term::Compound(name, args) => {
            Action::Function(name, args.iter().map(|&arg| action(terms, arg, bound)).collect())
        }
    }
}
