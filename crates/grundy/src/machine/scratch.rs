//! The scratch machine: every node is evaluated, in order.
//!
//! Nothing is kept from state to state, which makes it the simplest machine, and the one to go to a state that has
//! nothing to do with the last one.

use super::cones::{Cone, Step};
use super::{Player, Rules, State, goal_signals};
use crate::ids::{IdVec, ids_in};
use crate::network::{Kind, Move, MoveId, Network, NodeId, RoleId, Signal};
use crate::reasoner::GoalValue;
use std::sync::Arc;

/// A game for scratch evaluation.
#[derive(Debug)]
pub struct ScratchMachine {
    rules: Arc<Rules>,
}

impl ScratchMachine {
    /// Makes the machine.
    pub fn new(rules: Arc<Rules>) -> ScratchMachine {
        ScratchMachine { rules }
    }

    /// The game.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// A player in the initial state.
    pub fn player(self: &Arc<Self>) -> ScratchPlayer {
        let values = IdVec::filled(false, self.rules.network().node_count());
        let mut player = ScratchPlayer {
            rules: self.rules.clone(),
            values,
            following: Vec::new(),
            legal: Vec::new(),
            goals_known: false,
        };
        player.reset();
        player
    }
}

/// A state with the values of all nodes.
#[derive(Clone, Debug)]
pub struct ScratchPlayer {
    rules: Arc<Rules>,
    values: IdVec<NodeId, bool>,
    following: Vec<bool>,
    legal: Vec<MoveId>,
    goals_known: bool,
}

pub(super) fn value(values: &IdVec<NodeId, bool>, signal: Signal) -> bool {
    values[signal.node()] != signal.is_inverted()
}

pub(super) fn is_legal(values: &IdVec<NodeId, bool>, m: &Move) -> bool {
    value(values, m.guard) && value(values, m.legal)
}

fn gate(network: &Network, values: &IdVec<NodeId, bool>, node: NodeId) -> bool {
    let mut inputs = network.inputs(node).iter();
    match network.kind(node) {
        Kind::And => inputs.all(|&input| value(values, input)),
        _ => inputs.any(|&input| value(values, input)),
    }
}

/// Evaluates the nodes of a cone.
pub(super) fn evaluate(network: &Network, cone: &Cone, values: &mut IdVec<NodeId, bool>) {
    for step in cone.steps() {
        match step {
            Step::Gate(node) => values[node] = gate(network, values, node),
            Step::Loop(nodes) => {
                nodes.iter().for_each(|&node| values[node] = false);
                let mut changed = true;
                while changed {
                    changed = false;
                    for &node in nodes {
                        if !values[node] && gate(network, values, node) {
                            values[node] = true;
                            changed = true;
                        }
                    }
                }
            }
        }
    }
}

impl ScratchPlayer {
    fn value(&self, signal: Signal) -> bool {
        value(&self.values, signal)
    }

    fn set_moves(&mut self, joint: &[MoveId], value: bool) {
        for &played in joint {
            self.values[self.rules.interface().move_node(played)] = value;
        }
    }

    /// Evaluates what every state is asked for.
    fn settle(&mut self) {
        self.goals_known = false;
        evaluate(self.rules.network(), &self.rules.cones.state, &mut self.values);
    }
}

impl Player for ScratchPlayer {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn look_at(&mut self, state: &State) {
        for fluent in self.rules.interface().fluents.ids() {
            self.values[self.rules.interface().fluent_node(fluent)] = state.get(fluent);
        }
        self.settle();
    }

    fn reset(&mut self) {
        let rules = self.rules.clone();
        self.look_at(&rules.initial);
    }

    fn state_into(&self, state: &mut State) {
        for fluent in self.rules.interface().fluents.ids() {
            state.set(fluent, self.values[self.rules.interface().fluent_node(fluent)]);
        }
    }

    fn is_terminal(&mut self) -> bool {
        self.value(self.rules.interface().terminal)
    }

    fn is_legal(&mut self, candidate: MoveId) -> bool {
        is_legal(&self.values, &self.rules.interface().moves[candidate])
    }

    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        self.legal.clear();
        for candidate in self.rules.interface().moves_of(role) {
            if is_legal(&self.values, &self.rules.interface().moves[candidate]) {
                self.legal.push(candidate);
            }
        }
        rng.choice(&self.legal).copied()
    }

    fn goal(&mut self, role: RoleId) -> GoalValue {
        if !self.goals_known {
            evaluate(self.rules.network(), &self.rules.cones.goals, &mut self.values);
            self.goals_known = true;
        }
        let goals = goal_signals(self.rules.interface(), role);
        GoalValue::of(goals.filter(|&(_, holds)| self.value(holds)).map(|(goal, _)| goal))
    }

    fn play(&mut self, joint: &[MoveId]) {
        self.set_moves(joint, true);
        let rules = &self.rules;
        evaluate(rules.network(), &rules.cones.next, &mut self.values);
        // A fluent may be the next value of another one, so that all are read before any is written.
        self.following.clear();
        let nexts = rules.interface().fluents.iter().map(|fluent| value(&self.values, fluent.next));
        self.following.extend(nexts);
        for (node, &next) in ids_in(&rules.interface().fluent_nodes()).zip(&self.following) {
            self.values[node] = next;
        }
        self.set_moves(joint, false);
        self.settle();
    }

    fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        let hints = self.rules.interface().hints_named(name).iter();
        hints.filter(|hint| self.value(hint.holds)).map(|hint| hint.about).collect()
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        self.set_moves(joint, true);
        evaluate(self.rules.network(), &self.rules.cones.sees, &mut self.values);
        let percepts = &self.rules.interface().sees[role];
        let seen = percepts.iter().filter(|percept| self.value(percept.holds));
        let seen = seen.map(|percept| percept.text.clone()).collect();
        self.set_moves(joint, false);
        seen
    }
}
