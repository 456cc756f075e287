//! Join plans: the conditions of a rule in the order in which they are matched.
//!
//! Positive conditions stand in the order that [`order`] finds; tests come as soon as their variables are known.

use super::order::{JoinOrder, order, written_order};
use super::relation::{IndexId, Relations};
use super::symmetry::orderings;
use crate::flat::{FlatLiteral, FlatRule, RelationId};
use crate::ids::{BitSet, narrow};
use grundy_syntax::{SymbolId, Term, TermId, Terms, VariableId};
use rustc_hash::FxHashMap;

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

/// What happens to a value of a matched row.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// It is put into a register.
    Bind(Register),
    /// It has to be that of a register.
    Check(Register),
    /// It has to be this one.
    Constant(u32),
    /// It has to be a function whose arguments meet these.
    Function(SymbolId, Box<[Action]>),
}

/// What happens to the open columns of a matched row.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Columns that are put into registers.
    pub(crate) binds: Box<[(u32, Register)]>,
    /// Columns that have to meet something, when the others are in their registers.
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
    /// Asks for one row.
    Find { relation: RelationId, literal: usize, key: Key },
    /// Asks that a row is not there.
    Absent { relation: RelationId, key: Key },
    /// Asks that some pair differs.
    Distinct(Box<[(Register, Register)]>),
    /// Asks that the first value is not the greater one.
    Ordered(Register, Register),
    /// Puts a term together.
    Function { name: SymbolId, args: Key, into: Register },
}

/// Steps that may have several matches run inside each other; a plan with more of them would overflow the stack.
pub(super) const MOST_NESTED: usize = 2_000;

/// A rule, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    pub(crate) head: Key,
    pub(crate) head_relation: RelationId,
    /// What registers hold in the beginning: constants are there already.
    pub(crate) registers: Box<[u32]>,
    /// The atoms of the conditions that are not matched, in their order.
    pub(crate) ignored: Box<[Key]>,
    /// For each condition which rows it sees.
    pub(crate) visible: Box<[Visible]>,
    /// From this step on, one match is enough: all variables that are wanted are bound.
    pub(crate) settled: usize,
    /// Whether matches may differ in variables that are not wanted.
    pub(crate) repeats: bool,
    /// Whether it has more than [`MOST_NESTED`] steps that may have several matches.
    pub(super) is_too_deep: bool,
}

/// What a plan is wanted for.
pub(crate) struct Purpose<I, K> {
    /// Conditions that are not matched (negations that may not prune).
    pub(crate) ignored: I,
    /// Conditions whose variables are wanted. Those of the head always are; of matches that agree in all of these,
    /// one is enough.
    pub(crate) kept: K,
    /// Whether matches are wanted that differ only by an exchange of variables which leaves the rule as it is.
    pub(crate) exchanged: bool,
    /// In which order conditions are matched.
    pub(crate) order: JoinOrder,
    /// Whether the plan will run again and again, so that an index pays even for a single lookup in each run.
    pub(crate) lasting: bool,
}

/// Relations with so many rows are read from end to end rather than put into an index for one lookup.
const LARGE: u32 = 1 << 14;

/// Plans a rule. With `first`, that condition comes first. The rule has to be safe.
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
    // What one condition sees, its counterpart may not see.
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
    planner.look_whether_settled();
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
    /// The first step by which all that is wanted is bound, and whether something else is.
    settled: Option<(usize, bool)>,
    /// What registers hold in the beginning.
    registers: Vec<u32>,
    /// The registers of constants and functions.
    known: FxHashMap<TermId, Register>,
    /// The conditions that have no step yet.
    waiting: Vec<usize>,
    /// The orderings of variables that have no step yet.
    orderings: Vec<(VariableId, VariableId)>,
    steps: Vec<PlanStep>,
}

impl Planner<'_> {
    fn is_bound(&self, term: TermId) -> bool {
        let mut bound = true;
        self.terms.for_each_variable(term, &mut |variable| bound &= self.bound.contains(variable));
        bound
    }

    fn look_whether_settled(&mut self) {
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

    /// Whether the rows that a condition sees are read one after the other although a few of its columns are bound: an
    /// index would have to learn of all of them for a single lookup.
    fn is_read_whole(&self, literal: usize, relation: RelationId, columns: &[usize]) -> bool {
        let rows = &self.relations[relation];
        let is_new = self.visible[literal] == Visible::New;
        let runs_once = !self.steps.iter().any(branches);
        runs_once && rows.len() >= LARGE && (is_new || !self.lasting && !rows.has_index(columns))
    }

    fn add_positive(&mut self, literal: usize) {
        self.waiting.retain(|&other| other != literal);
        let FlatLiteral::Holds(atom) = &self.rule.body[literal] else {
            unreachable!("only atoms are matched")
        };
        let relation = atom.relation;
        let (key_columns, open): (Vec<usize>, Vec<usize>) =
            (0..atom.args.len()).partition(|&column| self.is_bound(atom.args[column]));
        let (key_columns, open) = if !open.is_empty() && self.is_read_whole(literal, relation, &key_columns) {
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
        self.look_whether_settled();
        self.add_ready_tests();
    }
}

/// How to match a term, binding the variables that are not bound yet.
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
