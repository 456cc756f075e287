//! From a ground program to its network: the completion of the program as AND and OR nodes.
//!
//! A ground rule is the AND of its conditions, an atom the OR of its rules; negated conditions are inverted edges.
//! The atoms of `true` and `does` are inputs, those of `next`, `legal`, `terminal`, `goal` and `sees` outputs (`join.rs`
//! finds out which of them stand for the same fluent or move). The builder hash-conses, so that equal rules and equal
//! atoms share a node.
//!
//! Atoms are connected in the order of the strongly connected components of their dependence graph (Tarjan's
//! algorithm), so that all inputs of a node exist before the node. Where a component has several atoms, or one atom
//! that depends on itself, its rules are recursive: the nodes of its atoms are reserved first and get their inputs
//! afterwards, and the range of nodes becomes a loop, whose meaning is the least fixpoint. Negation inside a component
//! has no least fixpoint and is an error.

use super::join::Join;
use super::{Builder, Kind, LiftedAnswers, Network, Signal};
use crate::graph::components;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use crate::ids::{BitSet, Csr, Id, IdVec, ids, length};
use grundy_syntax::{Budget, Exhausted, Keyword, Stage, Ticks};

/// Why a ground program has no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// An atom depends on its own negation.
    #[error("`{0}` depends on its own negation")]
    NegationCycle(String),
    /// A predicate was left lifted when the game was ground.
    #[error(
        "`{0}` has too many instances to be ground (limit `instances`); only the lifted engine can evaluate it"
    )]
    Lifted(String),
    /// There are more rules than a network can hold.
    #[error("the network would have too many edges (limit `edges`)")]
    TooLarge,
    /// The budget was used up.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// The largest number of edges. Derived: node numbers have 32 bits, one of which a [`Signal`] uses for inversion, and
/// passes may add nodes.
const EDGE_LIMIT: u64 = 1 << 30;

/// The work for a condition, as [`Ticks`] count it: a guess.
const WORK: usize = 8;

grundy_syntax::define_id! {
    /// A rule of a ground program, numbered in the order of the program.
    pub(crate) struct GroundRuleId(u32);
}

/// Makes the network of a ground program. If the end of a game, goals or percepts depend on predicates that stayed lifted,
/// the network does not give these answers ([`LiftedAnswers`]).
pub fn connect(ground: &GroundProgram, budget: &Budget) -> Result<Network, ConnectError> {
    budget.enter(Stage::Network);
    if ground.literal_count() + ground.rule_count() + u64::from(ground.atom_count()) > EDGE_LIMIT {
        return Err(ConnectError::TooLarge);
    }
    let rules = RulesByHead::new(ground, budget)?;
    let components = rules.components(budget)?;
    let is_read = rules.read_atoms();
    let is_used = |atom| is_read.contains(atom) || !rules.of(atom).is_empty();
    let (mut join, mut interface) = Join::new(ground, is_used, budget)?;
    interface.lifted = lifted_answers(ground, &rules, &components)?;
    let signals = join.input_signals(&interface);
    let builder =
        Builder::with_capacity(&interface, length(ground.rule_count()), length(ground.literal_count()));
    let mut connector = Connector { ground, rules: &rules, builder, signals };
    let mut ticks = Ticks::default();
    for members in components {
        ticks.work(budget, WORK * members.iter().map(|&member| rules.size(member)).sum::<usize>())?;
        match members[..] {
            [only] if !rules.depends_on(only, only) => connector.add_atom(only),
            _ => connector.add_loop(&members)?,
        }
    }
    let Connector { builder, signals, .. } = connector;
    budget.check_with(builder.bytes())?;
    join.outputs(&signals, &mut interface);
    Ok(builder.finish(interface))
}

/// The answers that depend on external atoms. `legal` and `next` must not: passes and machines need all of them.
fn lifted_answers(
    ground: &GroundProgram,
    rules: &RulesByHead,
    components: &[Vec<AtomId>],
) -> Result<LiftedAnswers, ConnectError> {
    let Some(lifted) = ground.lifted().first() else { return Ok(LiftedAnswers::default()) };
    let name = ground.program().name(ground.lifted_predicate(lifted)).to_owned();
    let mut unknown: BitSet<AtomId> = BitSet::empty(ground.atom_count().index());
    ground.external_atoms().for_each(|atom| unknown.set(atom, true));
    for members in components {
        let conditions =
            members.iter().flat_map(|&member| rules.of(member)).flat_map(|&rule| rules.body(rule));
        if conditions.map(|literal| literal.atom).any(|atom| unknown.contains(atom)) {
            members.iter().for_each(|&member| unknown.set(member, true));
        }
    }
    let is_lifted = |keyword| ground.atoms_of(keyword).any(|atom| unknown.contains(atom));
    if is_lifted(Keyword::Legal) || is_lifted(Keyword::Next) {
        return Err(ConnectError::Lifted(name));
    }
    let (terminal, goals) = (is_lifted(Keyword::Terminal), is_lifted(Keyword::Goal));
    Ok(LiftedAnswers { terminal, goals, sees: is_lifted(Keyword::Sees), predicate: name })
}

/// A network in the making, with the signals of the atoms that are connected.
struct Connector<'a> {
    ground: &'a GroundProgram,
    rules: &'a RulesByHead,
    builder: Builder,
    signals: IdVec<AtomId, Signal>,
}

impl Connector<'_> {
    /// Adds the node of an atom whose conditions are all connected. An atom without rules keeps its signal: it is an
    /// input, or false.
    fn add_atom(&mut self, atom: AtomId) {
        if !self.rules.of(atom).is_empty() {
            let mut ands = self.ands(atom);
            self.signals[atom] = self.builder.node(Kind::Or, &mut ands);
        }
    }

    /// Adds the atoms of a cycle: their nodes first, the inputs of these afterwards.
    fn add_loop(&mut self, members: &[AtomId]) -> Result<(), ConnectError> {
        for &member in members {
            let negated =
                |literal: &GroundLiteral| !literal.positive && members.binary_search(&literal.atom).is_ok();
            if self.rules.of(member).iter().any(|&rule| self.rules.body(rule).iter().any(negated)) {
                return Err(ConnectError::NegationCycle(self.ground.atom_text(member)));
            }
        }
        self.builder.open_loop();
        let nodes: Vec<_> = members.iter().map(|_| self.builder.reserve()).collect();
        for (&member, &node) in members.iter().zip(&nodes) {
            self.signals[member] = Signal::of(node);
        }
        for (&member, &node) in members.iter().zip(&nodes) {
            let mut ands = self.ands(member);
            ands.sort_unstable();
            ands.dedup();
            self.builder.define(node, Kind::Or, &ands);
        }
        self.builder.close_loop();
        Ok(())
    }

    /// A node for each rule of an atom.
    fn ands(&mut self, head: AtomId) -> Vec<Signal> {
        let Connector { rules, builder, signals, .. } = self;
        let mut inputs = Vec::new();
        let and = |&rule: &GroundRuleId| {
            inputs.clear();
            let signal = |literal: &GroundLiteral| signals[literal.atom].inverted_if(!literal.positive);
            inputs.extend(rules.body(rule).iter().map(signal));
            builder.node(Kind::And, &mut inputs)
        };
        rules.of(head).iter().map(and).collect()
    }
}

/// The rules of a ground program by the atom that they derive.
pub(crate) struct RulesByHead {
    /// The conditions of each rule.
    bodies: Csr<GroundRuleId, GroundLiteral>,
    /// The rules of each atom.
    rules: Csr<AtomId, GroundRuleId>,
}

impl RulesByHead {
    pub(crate) fn new(ground: &GroundProgram, budget: &Budget) -> Result<RulesByHead, Exhausted> {
        let (rules, literals) = (length(ground.rule_count()), length(ground.literal_count()));
        budget.check_room(rules * 3 * size_of::<u32>() + literals * size_of::<GroundLiteral>())?;
        let mut ticks = Ticks::default();
        let mut bodies = Csr::with_capacity(rules, literals);
        let mut heads = Vec::with_capacity(rules);
        ground.for_each_rule(|head, body| {
            // The visit cannot be ended early; after the budget is used up it only counts.
            if ticks.work(budget, WORK * (1 + body.len())).is_err() {
                return;
            }
            heads.push((head, bodies.push(body.iter().copied())));
        });
        budget.check()?;
        let rules = Csr::grouped(ground.atom_count().index(), heads.iter().copied());
        Ok(RulesByHead { bodies, rules })
    }

    pub(crate) fn of(&self, head: AtomId) -> &[GroundRuleId] {
        &self.rules[head]
    }

    pub(crate) fn body(&self, rule: GroundRuleId) -> &[GroundLiteral] {
        &self.bodies[rule]
    }

    /// The number of rules of an atom and of their conditions.
    fn size(&self, head: AtomId) -> usize {
        self.of(head).iter().map(|&rule| 1 + self.body(rule).len()).sum()
    }

    /// The atoms that are a condition of some rule.
    fn read_atoms(&self) -> BitSet<AtomId> {
        let mut read = BitSet::empty(self.rules.len());
        self.bodies.items().iter().for_each(|literal| read.set(literal.atom, true));
        read
    }

    /// Whether a rule of an atom has another atom, or the atom itself, as a condition.
    pub(crate) fn depends_on(&self, head: AtomId, atom: AtomId) -> bool {
        self.of(head).iter().any(|&rule| self.body(rule).iter().any(|literal| literal.atom == atom))
    }

    /// The strongly connected components of the atoms, each after all that it depends on.
    pub(crate) fn components(&self, budget: &Budget) -> Result<Vec<Vec<AtomId>>, Exhausted> {
        let needs = |head| self.of(head).iter().flat_map(|&rule| self.body(rule)).map(|literal| literal.atom);
        let edges: Csr<AtomId, AtomId> = ids(self.rules.len()).map(needs).collect();
        components(&edges, budget)
    }
}
