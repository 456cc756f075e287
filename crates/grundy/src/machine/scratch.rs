//! The scratch machine: every node is evaluated, in order.
//!
//! Nothing is kept from state to state. This is the simplest machine, and the fastest one for states that are unrelated
//! to the previous state.

use super::cones::{Component, Cone};
use super::{CompiledGame, Cursor, State, goal_signals};
use crate::ids::{IdVec, ids_in};
use crate::network::{Kind, Move, MoveId, Network, NodeId, RoleId, Signal};
use crate::reasoner::GoalValue;
use std::sync::Arc;

/// A game for scratch evaluation.
#[derive(Debug)]
pub struct ScratchMachine {
    game: Arc<CompiledGame>,
}

impl ScratchMachine {
    /// Makes the machine.
    pub fn new(game: Arc<CompiledGame>) -> ScratchMachine {
        ScratchMachine { game }
    }

    /// The game.
    pub fn game(&self) -> &Arc<CompiledGame> {
        &self.game
    }

    /// A player in the initial state.
    pub fn cursor(self: &Arc<Self>) -> ScratchCursor {
        let values = IdVec::filled(false, self.game.network().node_count());
        let mut cursor = ScratchCursor {
            game: self.game.clone(),
            values,
            following: Vec::new(),
            legal: Vec::new(),
            goals_known: false,
        };
        cursor.reset();
        cursor
    }
}

/// A state with the values of all nodes.
#[derive(Clone, Debug)]
pub struct ScratchCursor {
    game: Arc<CompiledGame>,
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
    for step in cone.components() {
        match step {
            Component::Gate(node) => values[node] = gate(network, values, node),
            Component::Loop(nodes) => {
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

impl ScratchCursor {
    fn value(&self, signal: Signal) -> bool {
        value(&self.values, signal)
    }

    fn set_moves(&mut self, joint: &[MoveId], value: bool) {
        for &played in joint {
            self.values[self.game.interface().move_node(played)] = value;
        }
    }

    /// Evaluates `legal`, `terminal` and hints.
    fn settle(&mut self) {
        self.goals_known = false;
        evaluate(self.game.network(), &self.game.cones.state, &mut self.values);
    }
}

impl Cursor for ScratchCursor {
    fn game(&self) -> &CompiledGame {
        &self.game
    }

    fn look_at(&mut self, state: &State) {
        for fluent in self.game.interface().fluents.ids() {
            self.values[self.game.interface().fluent_node(fluent)] = state.get(fluent);
        }
        self.settle();
    }

    fn reset(&mut self) {
        let game = self.game.clone();
        self.look_at(&game.initial);
    }

    fn state_into(&self, state: &mut State) {
        for fluent in self.game.interface().fluents.ids() {
            state.set(fluent, self.values[self.game.interface().fluent_node(fluent)]);
        }
    }

    fn is_terminal(&mut self) -> bool {
        self.value(self.game.interface().terminal)
    }

    fn is_legal(&mut self, candidate: MoveId) -> bool {
        is_legal(&self.values, &self.game.interface().moves[candidate])
    }

    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        self.legal.clear();
        for candidate in self.game.interface().moves_of(role) {
            if is_legal(&self.values, &self.game.interface().moves[candidate]) {
                self.legal.push(candidate);
            }
        }
        rng.choice(&self.legal).copied()
    }

    fn goal(&mut self, role: RoleId) -> GoalValue {
        if !self.goals_known {
            evaluate(self.game.network(), &self.game.cones.goals, &mut self.values);
            self.goals_known = true;
        }
        let goals = goal_signals(self.game.interface(), role);
        GoalValue::of(goals.filter(|&(_, holds)| self.value(holds)).map(|(goal, _)| goal))
    }

    fn play(&mut self, joint: &[MoveId]) {
        self.set_moves(joint, true);
        let game = &self.game;
        evaluate(game.network(), &game.cones.next, &mut self.values);
        // A fluent may be the next value of another one, so all are read before any is written.
        self.following.clear();
        let nexts = game.interface().fluents.iter().map(|fluent| value(&self.values, fluent.next));
        self.following.extend(nexts);
        for (node, &next) in ids_in(&game.interface().fluent_nodes()).zip(&self.following) {
            self.values[node] = next;
        }
        self.set_moves(joint, false);
        self.settle();
    }

    fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        let hints = self.game.interface().hints_named(name).iter();
        hints.filter(|hint| self.value(hint.holds)).map(|hint| hint.about).collect()
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        self.set_moves(joint, true);
        evaluate(self.game.network(), &self.game.cones.sees, &mut self.values);
        let percepts = &self.game.interface().sees[role];
        let seen = percepts.iter().filter(|percept| self.value(percept.holds));
        let seen = seen.map(|percept| percept.text.clone()).collect();
        self.set_moves(joint, false);
        seen
    }
}
