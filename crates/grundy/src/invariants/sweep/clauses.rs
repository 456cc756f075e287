//! A network as clauses, with what is known about states.

use super::super::counting::{at_most_one, compare};
use super::super::effort::{Effort, Units};
use super::super::solver::{Answer, Solver};
use super::super::{InvariantKind, Invariants};
use crate::ids::IdVec;
use crate::network::{FluentId, Kind, Network, NodeId, Signal};
use batsat::Lit;

/// Clauses over the nodes of a network. Loops are seen by their completion, which allows more than they do.
pub(super) struct Clauses {
    solver: Solver,
    /// For each node its literal.
    literals: IdVec<NodeId, Lit>,
    /// Legal moves are made.
    moving: Lit,
    inputs: usize,
}

/// What a search found.
pub(super) enum Found {
    /// There is no such state.
    Unsatisfiable,
    /// The search reached its limit of work.
    GivenUp,
    /// The values of the inputs.
    State(Vec<bool>),
}

impl Clauses {
    pub(super) fn new(network: &Network, invariants: &Invariants, effort: &Effort) -> Clauses {
        let mut solver = Solver::new(effort);
        let mut literals = vec![!solver.truth()];
        literals.extend((1..network.node_count()).map(|_| solver.fresh()));
        let moving = solver.fresh();
        let inputs = network.interface().first_gate().index() - 1;
        let mut clauses = Clauses { solver, literals: literals.into(), moving, inputs };
        clauses.define(network);
        clauses.add_moves(network);
        clauses.add_invariants(network, invariants);
        clauses
    }

    fn literal(&self, signal: Signal) -> Lit {
        self.literals[signal.node()].apply_sign(!signal.is_inverted())
    }

    fn define(&mut self, network: &Network) {
        for node in network.gates() {
            // Nothing is looked for then.
            if self.solver.effort().is_stopped() {
                return;
            }
            // An OR is the mirror image of an AND.
            let is_and = network.kind(node) == Kind::And;
            let own = self.literal(Signal::of(node)).apply_sign(is_and);
            let inputs: Vec<Lit> =
                network.inputs(node).iter().map(|&input| self.literal(input).apply_sign(is_and)).collect();
            inputs.iter().for_each(|&input| self.solver.add([!own, input]));
            self.solver.add(inputs.into_iter().map(|input| !input).chain([own]));
        }
    }

    /// If moves are made, the state is not terminal, and each role makes one that is legal.
    fn add_moves(&mut self, network: &Network) {
        let interface = network.interface();
        let terminal = self.literal(interface.terminal);
        self.solver.add([!self.moving, !terminal]);
        for role in interface.role_ids() {
            let mut does = Vec::new();
            for number in interface.moves_of(role) {
                let done = self.literals[interface.move_node(number)];
                let action = &interface.moves[number];
                for legal in [self.literal(action.legal), self.literal(action.guard)] {
                    self.solver.add([!self.moving, !done, legal]);
                }
                does.push(done);
            }
            self.solver.add(does.iter().copied().chain([!self.moving]));
            if !does.is_empty() {
                at_most_one(&mut self.solver, &does, Some(self.moving));
            }
        }
    }

    /// A fluent that was taken out of the states is false, so that what is said about a group with it is less.
    fn add_invariants(&mut self, network: &Network, invariants: &Invariants) {
        let interface = network.interface();
        for invariant in &invariants.proved {
            let texts = invariant.members.iter().map(|&member| &invariants.fluents[member]);
            let fluents: Vec<FluentId> = texts.filter_map(|text| interface.find_fluent(text)).collect();
            let nodes = || fluents.iter().map(|&fluent| interface.fluent_node(fluent));
            let members: Vec<Lit> = nodes().map(|node| self.literals[node]).collect();
            let is_whole =
                members.len() == invariant.members.len() && !nodes().any(|node| interface.is_dropped(node));
            match invariant.kind {
                _ if members.is_empty() => {}
                InvariantKind::AtMostOne => at_most_one(&mut self.solver, &members, None),
                InvariantKind::ExactlyOne => {
                    at_most_one(&mut self.solver, &members, None);
                    if is_whole {
                        self.solver.add(members);
                    }
                }
                InvariantKind::Never => members.into_iter().for_each(|member| self.solver.add([!member])),
                InvariantKind::Exactly(number) if is_whole => {
                    let (enough, more) = compare(&mut self.solver, &members, number);
                    self.solver.add([enough]);
                    self.solver.add([!more]);
                }
                InvariantKind::Always if is_whole => {
                    members.into_iter().for_each(|member| self.solver.add([member]));
                }
                InvariantKind::Exactly(_) | InvariantKind::Always => {}
            }
        }
    }

    /// A state in which all signals hold; with `moved`, one with legal moves.
    pub(super) fn find(&mut self, signals: &[Signal], moved: bool, until: Units) -> Found {
        let mut assumptions: Vec<Lit> = signals.iter().map(|&signal| self.literal(signal)).collect();
        if moved {
            assumptions.push(self.moving);
        }
        match self.solver.solve(&assumptions, until) {
            Answer::Unsatisfiable => Found::Unsatisfiable,
            Answer::GivenUp => Found::GivenUp,
            Answer::Satisfiable => Found::State(
                self.literals.as_slice()[1..=self.inputs].iter().map(|&lit| self.solver.value(lit)).collect(),
            ),
        }
    }
}
