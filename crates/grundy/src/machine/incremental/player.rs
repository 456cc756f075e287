//! Playing on an incremental machine.

use super::{IncrementalMachine, NO_EXTRA, Probe, Reader};
use crate::machine::cones::{Cone, Step};
use crate::machine::{Player, Rules, State, goal_signals, single_goal};
use crate::network::{Kind, MoveId, NodeId, RoleId, Signal};
use std::sync::Arc;

/// No move is asserted.
const NOTHING: MoveId = MoveId(u32::MAX);

/// All that changes while playing, as far as it is worth being copied at the start of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    counters: Vec<u16>,
    marks: Vec<bool>,
    /// Members of the move sets, each set from its base on.
    members: Vec<u32>,
    /// For each move its place in its set.
    places: Vec<u32>,
    /// The sizes of the move sets.
    sizes: Vec<u32>,
    /// The joint move that is asserted.
    joint: Vec<MoveId>,
    /// All fluents whose next value may differ from their value are here.
    touched: Vec<u32>,
}

impl Memory {
    fn copy_from(&mut self, other: &Memory) {
        self.counters.copy_from_slice(&other.counters);
        self.marks.copy_from_slice(&other.marks);
        self.members.copy_from_slice(&other.members);
        self.places.copy_from_slice(&other.places);
        self.sizes.copy_from_slice(&other.sizes);
        self.joint.copy_from_slice(&other.joint);
        self.touched.clear();
        self.touched.extend_from_slice(&other.touched);
    }

    fn value(&self, probe: Probe) -> bool {
        self.marks[probe.node as usize] != probe.inverted
    }

    fn insert(&mut self, machine: &IncrementalMachine, one_move: u32) {
        let set = machine.set_of[one_move as usize] as usize;
        let place = machine.sets[set].base + self.sizes[set];
        self.members[place as usize] = one_move;
        self.places[one_move as usize] = place;
        self.sizes[set] += 1;
    }

    /// Whether the guard of a set holds.
    fn is_open(&self, machine: &IncrementalMachine, set: usize) -> bool {
        self.value(machine.sets[set].guard)
    }

    fn is_legal(&self, machine: &IncrementalMachine, one_move: MoveId) -> bool {
        let set = machine.set_of[one_move.0 as usize] as usize;
        let place = self.places[one_move.0 as usize];
        let in_set = place.checked_sub(machine.sets[set].base).is_some_and(|place| place < self.sizes[set]);
        in_set && self.members[place as usize] == one_move.0 && self.is_open(machine, set)
    }

    fn remove(&mut self, machine: &IncrementalMachine, one_move: u32) {
        let set = machine.set_of[one_move as usize] as usize;
        self.sizes[set] -= 1;
        let last = self.members[(machine.sets[set].base + self.sizes[set]) as usize];
        let place = self.places[one_move as usize];
        self.members[place as usize] = last;
        self.places[last as usize] = place;
    }

    /// The memory in the initial state, with no move asserted.
    pub(super) fn initial(machine: &IncrementalMachine) -> Memory {
        let network = machine.rules.network();
        let interface = network.interface();
        let mut memory = Memory {
            counters: vec![0; network.node_count()],
            marks: vec![false; network.node_count()],
            members: vec![0; interface.moves.len()],
            places: vec![0; interface.moves.len()],
            sizes: vec![0; machine.sets.len()],
            joint: vec![NOTHING; interface.roles.len()],
            touched: Vec::with_capacity(interface.fluents.len()),
        };
        // False is an OR without inputs, and a mark of an OR is the opposite of its value.
        memory.marks[0] = true;
        for (fluent, info) in interface.fluents.iter().enumerate() {
            memory.marks[1 + fluent] = info.initial;
        }
        for cone in [&machine.rules.cones.state, &machine.rules.cones.next] {
            for step in cone.steps() {
                match step {
                    Step::Gate(node) => memory.count(machine, node),
                    Step::Loop(members) => memory.evaluate_loop(machine, members),
                }
            }
        }
        for (number, one_move) in interface.moves.iter().enumerate() {
            if memory.value(machine.probe(one_move.legal)) {
                memory.insert(machine, number as u32);
            }
        }
        memory.touch_all(machine);
        memory
    }

    fn count(&mut self, machine: &IncrementalMachine, node: NodeId) {
        let network = machine.rules.network();
        let counts = network.kind(node) == Kind::Or;
        let inputs = network.inputs(node).iter();
        let count = inputs.filter(|input| self.value(machine.probe(**input)) == counts).count();
        self.counters[node.index()] = count as u16;
        self.marks[node.index()] = count == 0;
    }

    /// Finds out which fluents will change.
    fn touch_all(&mut self, machine: &IncrementalMachine) {
        self.touched.clear();
        for (fluent, &next) in machine.nexts.iter().enumerate() {
            if self.value(next) != self.marks[1 + fluent] {
                self.touched.push(fluent as u32);
            }
        }
    }

    fn gate(&self, machine: &IncrementalMachine, node: NodeId) -> bool {
        let network = machine.rules.network();
        let mut inputs = network.inputs(node).iter();
        match network.kind(node) {
            Kind::And => inputs.all(|&input| self.value(machine.probe(input))),
            _ => inputs.any(|&input| self.value(machine.probe(input))),
        }
    }

    fn set_value(&mut self, machine: &IncrementalMachine, node: NodeId, value: bool) {
        self.marks[node.index()] = value != (machine.rules.network().kind(node) == Kind::Or);
    }

    /// Evaluates the nodes of a loop, from all false.
    fn evaluate_loop(&mut self, machine: &IncrementalMachine, members: &[NodeId]) {
        members.iter().for_each(|&node| self.set_value(machine, node, false));
        let mut changed = true;
        while changed {
            changed = false;
            for &node in members {
                let probe = machine.probe(Signal::of(node));
                if !self.value(probe) && self.gate(machine, node) {
                    self.set_value(machine, node, true);
                    changed = true;
                }
            }
        }
    }

    /// Evaluates nodes that have no counters.
    fn evaluate(&mut self, machine: &IncrementalMachine, cone: &Cone) {
        for step in cone.steps() {
            match step {
                Step::Gate(node) => {
                    let value = self.gate(machine, node);
                    self.set_value(machine, node, value);
                }
                Step::Loop(members) => self.evaluate_loop(machine, members),
            }
        }
    }
}

/// Nodes whose counters have left or reached zero, first in, first out. Entries may turn out to be stale.
#[derive(Clone, Debug, Default)]
struct Queue {
    nodes: Vec<u32>,
    head: usize,
    len: usize,
}

impl Queue {
    fn pop(&mut self) -> Option<u32> {
        if self.head == self.len {
            (self.head, self.len) = (0, 0);
            return None;
        }
        self.head += 1;
        Some(self.nodes[self.head - 1])
    }

    /// Counts all these up or down by one, as the mark of the node that they read has changed.
    ///
    /// Whether a counter crosses zero is as good as random, so that a branch on it would be mispredicted again and
    /// again: every node is written to the end of the queue, which moves on only where it should.
    #[inline]
    fn count(&mut self, counters: &mut [u16], readers: &[Reader], marked: bool) {
        if self.nodes.len() < self.len + readers.len() + 1 {
            self.nodes.resize((self.len + readers.len() + 1) * 2, 0);
        }
        let turned = u32::from(!marked);
        let mut len = self.len;
        for &Reader(reader) in readers {
            let counter = &mut counters[(reader >> 1) as usize];
            let before = *counter;
            let goes_down = (reader & 1) ^ turned;
            let after = before.wrapping_add(1).wrapping_sub(2 * goes_down as u16);
            *counter = after;
            self.nodes[len] = reader >> 1;
            len += usize::from(before.min(after) == 0);
        }
        self.len = len;
    }
}

/// A step that can be taken back: the joint move before it, and the fluents that it changed.
#[derive(Clone, Debug, Default)]
struct Trail {
    joints: Vec<MoveId>,
    fluents: Vec<u32>,
    /// Where the fluents of each step begin.
    starts: Vec<u32>,
}

/// A state with the values of all nodes, kept up to date.
#[derive(Clone, Debug)]
pub struct IncrementalPlayer {
    machine: Arc<IncrementalMachine>,
    work: Work,
}

/// All that changes while playing.
#[derive(Clone, Debug)]
struct Work {
    memory: Memory,
    queue: Queue,
    /// Fluents with the value that they are going to have.
    following: Vec<(u32, bool)>,
    /// Fluents whose marks have been changed.
    flipped: Vec<u32>,
    dirty: Vec<bool>,
    any_dirty: bool,
    /// The marks of a loop before it is evaluated.
    before: Vec<bool>,
    goals_known: bool,
    trail: Option<Trail>,
}

impl Work {
    /// Tells the readers of a node that its mark has changed.
    #[inline]
    fn propagate(&mut self, machine: &IncrementalMachine, node: u32, marked: bool) {
        let span = machine.spans[node as usize];
        let readers = &machine.readers[span.start as usize..span.end as usize];
        self.queue.count(&mut self.memory.counters, readers, marked);
        if span.extra != NO_EXTRA {
            self.report(machine, span.extra, marked);
        }
    }

    fn report(&mut self, machine: &IncrementalMachine, extra: u32, marked: bool) {
        let extra = &machine.extras[extra as usize];
        // There are a few at most, not worth a call.
        for &fluent in &extra.fluents {
            self.memory.touched.push(fluent);
        }
        for &(one_move, legal_mark) in &extra.moves {
            if marked == legal_mark {
                self.memory.insert(machine, one_move);
            } else {
                self.memory.remove(machine, one_move);
            }
        }
        for &number in &extra.loops {
            self.dirty[number as usize] = true;
            self.any_dirty = true;
        }
    }

    /// Propagates until nothing changes any more.
    fn settle(&mut self, machine: &IncrementalMachine) {
        loop {
            while let Some(node) = self.queue.pop() {
                let marked = self.memory.counters[node as usize] == 0;
                if marked != self.memory.marks[node as usize] {
                    self.memory.marks[node as usize] = marked;
                    self.propagate(machine, node, marked);
                }
            }
            if !self.any_dirty {
                return;
            }
            // A loop depends on loops before it at most.
            match self.dirty.iter().position(|&dirty| dirty) {
                Some(number) => {
                    self.dirty[number] = false;
                    self.settle_loop(machine, number);
                }
                None => self.any_dirty = false,
            }
        }
    }

    fn settle_loop(&mut self, machine: &IncrementalMachine, number: usize) {
        let members = &machine.loops[number];
        self.before.clear();
        self.before.extend(members.iter().map(|node| self.memory.marks[node.index()]));
        self.memory.evaluate_loop(machine, members);
        for (at, &node) in members.iter().enumerate() {
            let marked = self.memory.marks[node.index()];
            if marked != self.before[at] {
                self.propagate(machine, node.0, marked);
            }
        }
    }

    /// Asserts a joint move instead of the one before.
    fn assert_moves(&mut self, machine: &IncrementalMachine, joint: &[MoveId]) {
        let first_move = 1 + machine.nexts.len() as u32;
        for (role, &new) in joint.iter().enumerate() {
            let old = std::mem::replace(&mut self.memory.joint[role], new);
            if old == new {
                continue;
            }
            for (one_move, marked) in [(old, false), (new, true)] {
                if one_move != NOTHING {
                    self.memory.marks[(first_move + one_move.0) as usize] = marked;
                    self.propagate(machine, first_move + one_move.0, marked);
                }
            }
        }
        self.settle(machine);
    }

    /// Propagates the fluents whose marks have been changed.
    fn propagate_flips(&mut self, machine: &IncrementalMachine) {
        for at in 0..self.flipped.len() {
            let fluent = self.flipped[at];
            self.propagate(machine, 1 + fluent, self.memory.marks[1 + fluent as usize]);
        }
        self.goals_known = false;
        self.settle(machine);
    }

    fn play(&mut self, machine: &IncrementalMachine, joint: &[MoveId]) {
        if let Some(trail) = &mut self.trail {
            trail.joints.extend_from_slice(&self.memory.joint);
        }
        self.assert_moves(machine, joint);
        // The next value of a fluent may be another fluent, so that all are read before any is written.
        self.following.clear();
        for &fluent in &self.memory.touched {
            let next = self.memory.value(machine.nexts[fluent as usize]);
            self.following.push((fluent, next));
        }
        self.memory.touched.clear();
        self.flipped.clear();
        for &(fluent, next) in &self.following {
            let mark = &mut self.memory.marks[1 + fluent as usize];
            if *mark != next {
                *mark = next;
                self.flipped.push(fluent);
            }
        }
        if let Some(trail) = &mut self.trail {
            trail.starts.push(trail.fluents.len() as u32);
            trail.fluents.extend_from_slice(&self.flipped);
        }
        self.propagate_flips(machine);
    }

    fn undo(&mut self, machine: &IncrementalMachine) -> bool {
        let Some(trail) = &mut self.trail else { return false };
        let Some(start) = trail.starts.pop() else { return false };
        self.flipped.clear();
        self.flipped.extend(trail.fluents.drain(start as usize..));
        let joint: Vec<MoveId> = trail.joints.split_off(trail.joints.len() - self.memory.joint.len());
        for &fluent in &self.flipped {
            self.memory.marks[1 + fluent as usize] ^= true;
        }
        self.propagate_flips(machine);
        self.assert_moves(machine, &joint);
        self.memory.touch_all(machine);
        true
    }

    fn look_at(&mut self, machine: &IncrementalMachine, state: &State) {
        self.flipped.clear();
        for fluent in 0..machine.nexts.len() {
            let value = state.get(fluent);
            if self.memory.marks[1 + fluent] != value {
                self.memory.marks[1 + fluent] = value;
                self.flipped.push(fluent as u32);
            }
        }
        self.propagate_flips(machine);
        self.memory.touch_all(machine);
        self.forget_trail();
    }

    fn forget_trail(&mut self) {
        if let Some(trail) = &mut self.trail {
            *trail = Trail::default();
        }
    }
}

impl IncrementalPlayer {
    pub(super) fn new(machine: Arc<IncrementalMachine>) -> IncrementalPlayer {
        let work = Work {
            memory: machine.initial.clone(),
            queue: Queue::default(),
            following: Vec::new(),
            flipped: Vec::new(),
            dirty: vec![false; machine.loops.len()],
            any_dirty: false,
            before: Vec::new(),
            goals_known: false,
            trail: None,
        };
        IncrementalPlayer { machine, work }
    }

    /// From now on, or no longer, steps can be taken back.
    pub fn keep_trail(&mut self, keep: bool) {
        self.work.trail = keep.then(Trail::default);
    }

    /// Takes the last step back; `false` if there is none that could be.
    pub fn undo(&mut self) -> bool {
        self.work.undo(&self.machine)
    }
}

impl Player for IncrementalPlayer {
    fn rules(&self) -> &Rules {
        &self.machine.rules
    }

    fn look_at(&mut self, state: &State) {
        self.work.look_at(&self.machine, state);
    }

    fn reset(&mut self) {
        self.work.memory.copy_from(&self.machine.initial);
        self.work.goals_known = false;
        self.work.forget_trail();
    }

    fn state_into(&self, state: &mut State) {
        state.words_mut().fill(0);
        for fluent in (0..self.machine.nexts.len()).filter(|fluent| self.work.memory.marks[1 + fluent]) {
            state.set(fluent, true);
        }
    }

    #[inline]
    fn is_terminal(&mut self) -> bool {
        self.work.memory.value(self.machine.terminal)
    }

    fn is_legal(&mut self, one_move: MoveId) -> bool {
        self.work.memory.is_legal(&self.machine, one_move)
    }

    #[inline]
    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        let (machine, memory) = (&*self.machine, &self.work.memory);
        let sets = machine.sets_of[role.0 as usize].clone();
        let size = |set: usize| if memory.is_open(machine, set) { memory.sizes[set] } else { 0 };
        let total: u32 = sets.clone().map(size).sum();
        let mut choice = match total {
            0 => return None,
            1 => 0,
            _ => rng.u32(..total),
        };
        for set in sets {
            let size = size(set);
            if choice < size {
                return Some(MoveId(memory.members[(machine.sets[set].base + choice) as usize]));
            }
            choice -= size;
        }
        None
    }

    fn goal(&mut self, role: RoleId) -> Option<i32> {
        let (machine, work) = (&*self.machine, &mut self.work);
        if !work.goals_known {
            work.memory.evaluate(machine, &machine.goals);
            work.goals_known = true;
        }
        let goals = goal_signals(machine.rules.interface(), role);
        single_goal(goals.filter(|&(_, holds)| work.memory.value(machine.probe(holds))).map(|(goal, _)| goal))
    }

    #[inline]
    fn play(&mut self, joint: &[MoveId]) {
        self.work.play(&self.machine, joint);
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        let (machine, work) = (&*self.machine, &mut self.work);
        work.assert_moves(machine, joint);
        work.memory.evaluate(machine, &machine.sees);
        let percepts = &machine.rules.interface().sees[role.0 as usize];
        let seen = percepts.iter().filter(|percept| work.memory.value(machine.probe(percept.holds)));
        seen.map(|percept| percept.text.clone()).collect()
    }
}
