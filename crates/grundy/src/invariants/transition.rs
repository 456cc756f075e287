//! The transition relation of a game as clauses (Tseitin encoding of its network): a state that is not terminal, a legal
//! move of each role, and the next state.

use super::counting::at_most_one;
use super::solver::Solver;
use crate::ids::IdVec;
use crate::network::{FluentId, Kind, Network, NodeId, Signal};
use batsat::Lit;
use std::collections::VecDeque;

/// The transition relation: literals of the solver for the nodes of a network.
pub(super) struct Transition {
    nodes: IdVec<NodeId, Option<Lit>>,
    /// Whether some nodes have no clauses.
    pub(super) is_open: bool,
    /// For each fluent whether it holds before the step, and after it.
    pub(super) before: IdVec<FluentId, Lit>,
    pub(super) after: IdVec<FluentId, Lit>,
}

impl Transition {
    /// Adds the clauses of the transition relation, up to a number of literals. Nodes beyond it have no clauses and may have
    /// any value.
    pub(super) fn new(network: &Network, solver: &mut Solver, most_literals: usize) -> Transition {
        let interface = network.interface();
        let mut transition = Transition {
            nodes: IdVec::filled(None, network.node_count()),
            is_open: false,
            before: IdVec::default(),
            after: IdVec::default(),
        };
        transition.nodes[NodeId(0)] = Some(!solver.truth());
        for node in network.nodes().take(interface.first_gate().index()).skip(1) {
            transition.nodes[node] = Some(solver.fresh());
        }
        let mut open = VecDeque::new();
        transition.before =
            interface.fluents.ids().map(|fluent| transition.input(interface.fluent_node(fluent))).collect();
        transition.after = interface
            .fluents
            .iter()
            .map(|fluent| transition.literal(solver, network, &mut open, fluent.next))
            .collect();
        let terminal = transition.literal(solver, network, &mut open, interface.terminal);
        solver.add([!terminal]);
        for role in interface.role_ids() {
            let mut does = Vec::new();
            for number in interface.moves_of(role) {
                let done = transition.input(interface.move_node(number));
                for legal in [interface.moves[number].legal, interface.moves[number].guard] {
                    let legal = transition.literal(solver, network, &mut open, legal);
                    solver.add([!done, legal]);
                }
                does.push(done);
            }
            solver.add(does.iter().copied());
            at_most_one(solver, &does, None);
        }
        while let Some(node) = open.pop_front() {
            if solver.size >= most_literals || solver.effort().is_stopped() {
                transition.is_open = true;
                break;
            }
            transition.define(solver, network, &mut open, node);
        }
        transition
    }

    fn input(&self, node: NodeId) -> Lit {
        self.nodes[node].expect("inputs have literals from the start")
    }

    /// The literal of a signal; a node that is new has to be defined later.
    fn literal(
        &mut self,
        solver: &mut Solver,
        network: &Network,
        open: &mut VecDeque<NodeId>,
        signal: Signal,
    ) -> Lit {
        let node = signal.node();
        let literal = self.nodes[node].unwrap_or_else(|| {
            // A node with one input is that input, but for cycles, where it may be its own.
            if let [input] = *network.inputs(node)
                && input.node() < node
            {
                return self.literal(solver, network, open, input);
            }
            open.push_back(node);
            solver.fresh()
        });
        self.nodes[node] = Some(literal);
        literal.apply_sign(!signal.is_inverted())
    }

    /// Adds the clauses that make a node equivalent to its gate.
    fn define(&mut self, solver: &mut Solver, network: &Network, open: &mut VecDeque<NodeId>, node: NodeId) {
        let own = self.nodes[node].expect("an open node has a literal");
        // An OR is the mirror image of an AND.
        let is_and = network.kind(node) == Kind::And;
        let own = own.apply_sign(is_and);
        let mut all = vec![own];
        for &input in network.inputs(node) {
            let input = self.literal(solver, network, open, input).apply_sign(is_and);
            solver.add([!own, input]);
            all.push(!input);
        }
        solver.add(all);
    }
}
