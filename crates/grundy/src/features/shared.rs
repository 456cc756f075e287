//! Tables that share: a network with a node for each ground clause and each view.
//!
//! Views are not unfolded, so that the size stays linear: a view is one node, however many clauses read it. The
//! contradictions and duplicates that unfolding finds are found here by the literals that a node *needs*: those that hold
//! whenever it does, up to a limit. For a conjunction these are its literals; for a disjunction, what all its branches need.
//!
//! - A clause that needs what never holds together is pruned.
//! - Conjunctions of the same literals are one node, however they were put together: a span of stones from a1 to a3 is
//!   the one from a3 to a1.

use super::clauses::{Clauses, Head};
use super::error::FeatureError;
use super::literal::InputLiteral;
use super::needed::{Component, needed};
use crate::ground::{AtomId, GroundLiteral};
use crate::ids::{IdVec, length};
use crate::network::{Builder, Fluent, Groups, Interface, Kind, Network, NodeId, Percept, Signal, optimize};
use grundy_syntax::{Budget, Ticks};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// A node that needs more literals than this is not compared with others.
const MOST_LITERALS: usize = 24;

type Literals = SmallVec<[InputLiteral; 12]>;

/// What holds whenever a signal does.
#[derive(Clone, Debug, Default)]
struct Needs {
    literals: Rc<Literals>,
    /// Whether it holds whenever these literals do.
    is_exact: bool,
}

/// The approximate work of making the node of a clause, in units of [`Ticks::work`].
const WORK_OF_RULE: usize = 32;

/// Makes the network of the features; the percepts of its first role are the heads, in order.
pub(super) fn share(clauses: &Clauses, budget: &Budget) -> Result<Network, FeatureError> {
    let mut interface = inputs(clauses);
    let mut sharer = Sharer::new(clauses, &interface);
    let mut ticks = Ticks::default();
    for component in needed(clauses)? {
        let atoms = component.atoms.iter();
        let rules: usize = atoms.map(|&atom| 1 + clauses.rules.of(atom).len()).sum();
        ticks.work(budget, WORK_OF_RULE * rules)?;
        match component.is_loop {
            false => sharer.connect(component.atoms[0]),
            true => sharer.connect_loop(&component)?,
        }
    }
    let percept =
        |head: &Head| Percept { text: String::new(), holds: sharer.signals[head.atom], about: None };
    interface.sees = vec![clauses.heads.iter().map(percept).collect()].into();
    let network = sharer.builder.finish(interface);
    budget.check()?;
    Ok(optimize(network, &Groups::default(), |pass| pass == "unneeded", budget)?.network)
}

/// An interface with the facts as fluents.
pub(super) fn inputs(clauses: &Clauses) -> Interface {
    let mut interface = Interface::default();
    let fluent = |_| Fluent { text: String::new(), initial: false, next: Signal::FALSE };
    interface.fluents = clauses.facts.iter().map(fluent).collect();
    interface
}

struct Sharer<'a> {
    clauses: &'a Clauses,
    builder: Builder,
    signals: IdVec<AtomId, Signal>,
    needs: IdVec<NodeId, Option<Needs>>,
    /// Conjunctions by their literals.
    known: FxHashMap<Rc<Literals>, Signal>,
}

impl<'a> Sharer<'a> {
    fn new(clauses: &'a Clauses, interface: &Interface) -> Sharer<'a> {
        let mut signals = IdVec::filled(Signal::FALSE, clauses.atom_count());
        for (fluent, &atom) in interface.fluents.ids().zip(&clauses.facts) {
            signals[atom] = Signal::of(interface.fluent_node(fluent));
        }
        let edges = length(clauses.ground.literal_count());
        let builder = Builder::with_capacity(interface, clauses.atom_count(), edges);
        Sharer { clauses, builder, signals, needs: IdVec::default(), known: FxHashMap::default() }
    }

    /// Makes the node of an atom whose rules lead to known ones.
    fn connect(&mut self, atom: AtomId) {
        let branches = self.branches(atom);
        self.signals[atom] = self.or(branches);
    }

    /// The nodes of the clauses of an atom.
    fn branches(&mut self, atom: AtomId) -> Vec<Signal> {
        let rules = &self.clauses.rules;
        let mut branches = Vec::new();
        for &rule in rules.of(atom) {
            let signal = |literal: &GroundLiteral| self.signals[literal.atom].inverted_if(!literal.positive);
            let inputs: Vec<Signal> = rules.body(rule).iter().map(signal).collect();
            branches.push(self.and(inputs));
        }
        branches
    }

    fn and(&mut self, mut inputs: Vec<Signal>) -> Signal {
        inputs.retain(|&input| input != Signal::TRUE);
        if inputs.contains(&Signal::FALSE) {
            return Signal::FALSE;
        }
        let Some(needs) = self.needs_of_and(&inputs) else { return Signal::FALSE };
        if needs.is_exact
            && let Some(&known) = self.known.get(&needs.literals)
        {
            return known;
        }
        let signal = self.builder.gate(Kind::And, &mut inputs);
        self.remember(signal, &needs);
        if needs.is_exact {
            self.known.insert(needs.literals, signal);
        }
        signal
    }

    fn or(&mut self, mut inputs: Vec<Signal>) -> Signal {
        inputs.retain(|&input| input != Signal::FALSE);
        if inputs.contains(&Signal::TRUE) {
            return Signal::TRUE;
        }
        let common = match &inputs[..] {
            [] | [_] => None,
            [first, rest @ ..] => {
                let mut common = (*self.needs_of(*first).literals).clone();
                for &input in rest {
                    if common.is_empty() {
                        break;
                    }
                    let other = self.needs_of(input).literals;
                    common.retain(|literal| other.binary_search(literal).is_ok());
                }
                Some(common)
            }
        };
        let signal = self.builder.gate(Kind::Or, &mut inputs);
        if let Some(common) = common.filter(|_| inputs.len() > 1) {
            self.remember(signal, &Needs { literals: Rc::new(common), is_exact: false });
        }
        signal
    }

    fn remember(&mut self, signal: Signal, needs: &Needs) {
        let node = signal.node();
        if signal.is_inverted() || self.clauses.facts.len() >= node.index() {
            return;
        }
        if self.needs.len() <= node.index() {
            self.needs.resize(node.index() + 1, None);
        }
        self.needs[node].get_or_insert_with(|| needs.clone());
    }

    /// What holds whenever a signal does.
    fn needs_of(&self, signal: Signal) -> Needs {
        let node = signal.node();
        if node.0 >= 1 && node.index() <= self.clauses.facts.len() {
            let literal = InputLiteral::of_input(node.0 - 1, !signal.is_inverted());
            return Needs { literals: Rc::new(SmallVec::from_slice(&[literal])), is_exact: true };
        }
        if signal.is_inverted() {
            return Needs::default();
        }
        self.needs.get(node).cloned().flatten().unwrap_or_default()
    }

    /// What a conjunction needs; `None` if it never holds.
    fn needs_of_and(&self, inputs: &[Signal]) -> Option<Needs> {
        let mut literals = Literals::new();
        let mut is_exact = true;
        for &input in inputs {
            let needs = self.needs_of(input);
            is_exact &= needs.is_exact;
            literals.extend_from_slice(&needs.literals);
        }
        literals.sort_unstable();
        literals.dedup();
        let has = |literal: InputLiteral| literals.binary_search(&literal).is_ok();
        if !literals.iter().all(|&literal| self.clauses.conflicts.admits(literal, has)) {
            return None;
        }
        is_exact &= literals.len() <= MOST_LITERALS;
        literals.truncate(MOST_LITERALS);
        Some(Needs { literals: Rc::new(literals), is_exact })
    }

    /// Atoms that depend on each other get their nodes first, and the inputs of these later.
    fn connect_loop(&mut self, component: &Component) -> Result<(), FeatureError> {
        let rules = &self.clauses.rules;
        for &atom in &component.atoms {
            let negated = |literal: &GroundLiteral| {
                !literal.positive && component.atoms.binary_search(&literal.atom).is_ok()
            };
            if rules.of(atom).iter().any(|&rule| rules.body(rule).iter().any(negated)) {
                let message = "a predicate depends on its own negation".to_owned();
                return Err(FeatureError::wrong(
                    self.clauses.place_of(atom),
                    message,
                    "in a clause of this predicate",
                    "",
                ));
            }
        }
        self.builder.open_loop();
        let nodes: Vec<NodeId> = component.atoms.iter().map(|_| self.builder.reserve()).collect();
        for (&atom, &node) in component.atoms.iter().zip(&nodes) {
            self.signals[atom] = Signal::of(node);
        }
        for (&atom, &node) in component.atoms.iter().zip(&nodes) {
            let mut branches = self.branches(atom);
            branches.retain(|&branch| branch != Signal::FALSE);
            branches.sort_unstable();
            branches.dedup();
            if branches.contains(&Signal::TRUE) {
                branches = vec![Signal::TRUE];
            }
            self.builder.define(node, Kind::Or, &branches);
        }
        self.builder.close_loop();
        debug_assert!(component.atoms.iter().all(|&atom| self.clauses.fact_of(atom).is_none()));
        Ok(())
    }
}
