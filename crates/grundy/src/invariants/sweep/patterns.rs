//! Values of all nodes in many states at once, a bit for each.

use super::super::effort::Effort;
use super::super::samples::step_units;
use crate::ids::{IdVec, ids_in};
use crate::machine::incremental::IncrementalMachine;
use crate::machine::{CompiledGame, Cursor, State};
use crate::network::{Kind, MoveId, Network, NodeId, Signal};
use grundy_syntax::Exhausted;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// States in a column: the bits of a word.
const WIDTH: usize = 64;

/// Limit: the columns from random play. A guess.
const PLAYED_COLUMNS: usize = 24;

/// After the first playout, one state of this number is kept. A guess.
const STATES_PER_PATTERN: u32 = 3;

/// Play ends after this number of playouts without a new state. A guess.
const STALE_PLAYOUTS: usize = 64;

/// Play ends after this number of known states in a row, too. A guess.
const STALE_STATES: usize = 2_000;

/// Limit: the steps of a playout. A guess.
const MOST_STEPS: usize = 1_000;

/// States, with or without moves.
pub(super) struct Patterns {
    columns: Vec<Column>,
    /// How many states the last column has.
    filled: usize,
}

/// As many states as a word has bits.
struct Column {
    /// For each node, where it is true.
    values: IdVec<NodeId, u64>,
    /// The states that are there.
    all: u64,
    /// Those that are not terminal, with a legal move of each role.
    moved: u64,
}

impl Patterns {
    /// States of random play, each with the moves that were made there.
    pub(super) fn of_play(network: &Network, effort: &Effort) -> Result<Patterns, Exhausted> {
        let mut patterns = Patterns { columns: Vec::new(), filled: WIDTH };
        let rules = Arc::new(CompiledGame::new(network.clone(), effort.budget())?);
        let mut state = State::empty(network.interface().fluents.len());
        let machine = IncrementalMachine::new(rules, effort.budget())?;
        let mut player = Arc::new(machine).cursor();
        let step_units = step_units(network);
        let mut rng = fastrand::Rng::with_seed(3);
        let mut playouts = 0;
        let (mut seen, mut last_new, mut known_in_a_row) = (FxHashSet::default(), 0, 0);
        let is_stale = |playouts: usize, last_new: usize, known_in_a_row: usize| {
            playouts > last_new + STALE_PLAYOUTS || known_in_a_row > STALE_STATES
        };
        while patterns.columns.len() < PLAYED_COLUMNS
            && playouts < PLAYED_COLUMNS * WIDTH
            && !is_stale(playouts, last_new, known_in_a_row)
        {
            player.reset();
            for step in 0..MOST_STEPS {
                effort.spend(step_units);
                if effort.is_stopped() {
                    effort.budget().check()?;
                }
                player.state_into(&mut state);
                let roles = network.interface().role_ids();
                let joint: Option<Vec<MoveId>> = match player.is_terminal() {
                    true => None,
                    false => roles.map(|role| player.pick(role, &mut rng)).collect(),
                };
                let is_kept =
                    playouts == 0 || joint.is_none() || step == 0 || rng.u32(..STATES_PER_PATTERN) == 0;
                if is_kept && seen.insert((state.clone(), joint.clone())) {
                    (last_new, known_in_a_row) = (playouts, 0);
                    patterns.put(network, &state, joint.as_deref());
                } else if is_kept {
                    known_in_a_row += 1;
                }
                let Some(joint) = joint else { break };
                player.play(&joint);
            }
            playouts += 1;
        }
        for column in &mut patterns.columns {
            effort.spend(network.edge_count());
            effort.budget().check()?;
            evaluate(network, &mut column.values);
        }
        Ok(patterns)
    }

    /// The work of reading a number of signals.
    pub(super) fn units(&self, signals: usize) -> usize {
        self.columns.len() * signals
    }

    /// Makes room for another state and returns its bit.
    fn bit(&mut self, network: &Network, moved: bool) -> u64 {
        if self.filled == WIDTH {
            let values = IdVec::filled(0, network.node_count());
            self.columns.push(Column { values, all: 0, moved: 0 });
            self.filled = 0;
        }
        let bit = 1 << self.filled;
        self.filled += 1;
        let column = self.columns.last_mut().expect("there is a column");
        column.all |= bit;
        column.moved |= if moved { bit } else { 0 };
        bit
    }

    fn put(&mut self, network: &Network, state: &State, joint: Option<&[MoveId]>) {
        let bit = self.bit(network, joint.is_some());
        let interface = network.interface();
        let column = self.columns.last_mut().expect("there is a column");
        state.ones().for_each(|fluent| column.values[interface.fluent_node(fluent)] |= bit);
        for &action in joint.unwrap_or_default() {
            column.values[interface.move_node(action)] |= bit;
        }
    }

    /// Adds a state, given by the values of all inputs.
    pub(super) fn add(&mut self, network: &Network, inputs: &[bool], moved: bool) {
        let bit = self.bit(network, moved);
        let column = self.columns.last_mut().expect("there is a column");
        for (value, &holds) in column.values.as_mut_slice()[1..].iter_mut().zip(inputs) {
            *value |= if holds { bit } else { 0 };
        }
        evaluate(network, &mut column.values);
    }

    /// Whether all of these hold in some state.
    pub(super) fn has(&self, signals: &[Signal], moved: bool) -> bool {
        // The states that were added last, as counterexamples, refute most.
        self.columns.iter().rev().any(|column| {
            let start = if moved { column.moved } else { column.all };
            signals.iter().fold(start, |left, &signal| left & column.value(signal)) != 0
        })
    }

    /// The values of a node, with the opposite in all states if it holds in the first one, and whether that is so. Only
    /// the columns of play count, so that it is the same later.
    pub(super) fn signature(&self, node: NodeId, moved: bool) -> (Vec<u64>, bool) {
        let columns = &self.columns[..self.columns.len().min(PLAYED_COLUMNS - 1)];
        let mask = |column: &Column| if moved { column.moved } else { column.all };
        let first = columns.iter().find(|column| mask(column) != 0);
        let is_opposite = first.is_some_and(|column| {
            let lowest = mask(column) & mask(column).wrapping_neg();
            column.values[node] & lowest != 0
        });
        let flip = if is_opposite { u64::MAX } else { 0 };
        let values = columns.iter().map(|column| (column.values[node] ^ flip) & mask(column)).collect();
        (values, is_opposite)
    }
}

impl Column {
    fn value(&self, signal: Signal) -> u64 {
        let value = self.values[signal.node()];
        if signal.is_inverted() { !value } else { value }
    }
}

/// Fills in the values of all gates.
fn evaluate(network: &Network, values: &mut IdVec<NodeId, u64>) {
    let gate = |values: &IdVec<NodeId, u64>, node: NodeId| {
        let inputs = network.inputs(node).iter();
        let inputs = inputs.map(|input| {
            let value = values[input.node()];
            if input.is_inverted() { !value } else { value }
        });
        match network.kind(node) {
            Kind::And => inputs.fold(u64::MAX, |all, value| all & value),
            _ => inputs.fold(0, |any, value| any | value),
        }
    };
    let mut next = network.interface().first_gate();
    for range in network.loops() {
        ids_in(&(next..range.start)).for_each(|node| values[node] = gate(values, node));
        let nodes = ids_in(range);
        nodes.clone().for_each(|node| values[node] = 0);
        let mut changed = true;
        while changed {
            changed = false;
            for node in nodes.clone() {
                let value = gate(values, node);
                changed |= value != values[node];
                values[node] = value;
            }
        }
        next = range.end;
    }
    ids_in(&(next..network.end())).for_each(|node| values[node] = gate(values, node));
}
