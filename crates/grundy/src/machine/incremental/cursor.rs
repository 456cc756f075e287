//! Playing on an incremental machine.

use super::arms::{ArmId, Armed, TriggerId};
use super::effects::{Claims, Lists};
use super::flow::{Cells, Queue};
use super::loops::{LoopMemory, LoopWork, PortId};
use super::lower::{ArmedGate, probe};
use super::{CellId, IncrementalMachine, LazyGates, Output, Probe, SetId};
use crate::ids::{Id, IdVec, ids_in, narrow};
use crate::machine::cones::{Component, Cone};
use crate::machine::{CompiledGame, Cursor, State, goal_signals};
use crate::network::{FluentId, Kind, MoveId, Network, NodeId, RoleId};
use crate::reasoner::GoalValue;
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::ops::Range;
use std::sync::Arc;

/// The work of setting up a node, as [`Ticks`] count it.
const WORK: usize = 8;

/// No move is asserted.
const NOTHING: MoveId = MoveId(u32::MAX);

/// All that changes while playing, as far as it is worth being copied at the start of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// For each place its counter and its mark. Behind those that are kept up to date are marks that only matter while
    /// something is evaluated.
    pub(super) cells: Cells,
    pub(super) loops: LoopMemory,
    armed: Armed,
    /// Members of the move sets, each set from its base on.
    members: Vec<MoveId>,
    /// For each move its place in its set.
    places: IdVec<MoveId, u32>,
    /// The sizes of the move sets.
    sizes: IdVec<SetId, u32>,
    /// The joint move that is asserted.
    joint: Vec<MoveId>,
    /// All fluents whose next value may differ from their value.
    touched: Vec<FluentId>,
}

impl Memory {
    /// The fluents whose next values may be other ones than now.
    pub(super) fn touched(&self) -> &[FluentId] {
        &self.touched
    }

    /// Becomes what another one is, which has this many places that are kept up to date.
    fn copy_from(&mut self, other: &Memory, kept: usize) {
        self.cells.copy_from(&other.cells, kept);
        self.loops.copy_from(&other.loops);
        self.armed.copy_from(&other.armed);
        self.members.copy_from_slice(&other.members);
        self.places.copy_from(&other.places);
        self.sizes.copy_from(&other.sizes);
        self.joint.copy_from_slice(&other.joint);
        self.touched.clear();
        self.touched.extend_from_slice(&other.touched);
    }

    pub(super) fn value(&self, probe: Probe) -> bool {
        self.cells.mark(probe.cell()) != probe.is_inverted()
    }

    /// Looks at the move sets alone.
    fn move_sets(&mut self) -> Sets<'_> {
        Sets {
            members: &mut self.members,
            places: self.places.as_mut_slice(),
            sizes: self.sizes.as_mut_slice(),
        }
    }

    /// Whether the guard of a set holds.
    fn is_open(&self, machine: &IncrementalMachine, set: SetId) -> bool {
        self.value(machine.sets[set].guard)
    }

    fn is_legal(&self, machine: &IncrementalMachine, candidate: MoveId) -> bool {
        let (set, base) = machine.homes[candidate];
        let place = self.places[candidate];
        let in_set = place.checked_sub(base).is_some_and(|place| place < self.sizes[set]);
        in_set && self.members[place.index()] == candidate && self.is_open(machine, set)
    }

    /// A legal move of a role, all equally likely.
    #[inline]
    fn pick(&self, machine: &IncrementalMachine, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        let sets = ids_in(&machine.sets_of[role]);
        let size = |set: SetId| if self.is_open(machine, set) { self.sizes[set] } else { 0 };
        let total: u32 = sets.clone().map(size).sum();
        let mut choice = match total {
            0 => return None,
            1 => 0,
            _ => rng.u32(..total),
        };
        for set in sets {
            let size = size(set);
            if choice < size {
                return Some(self.members[(machine.sets[set].base + choice).index()]);
            }
            choice -= size;
        }
        None
    }

    /// The memory in the initial state, with no move asserted.
    pub(super) fn initial(
        machine: &IncrementalMachine,
        network: &Network,
        cones: [&Cone; 2],
        goals: &[NodeId],
        armed: &IdVec<ArmId, ArmedGate>,
        budget: &Budget,
    ) -> Result<Memory, Exhausted> {
        let interface = network.interface();
        let mut memory = Memory {
            cells: Cells::new(machine.cell_count),
            loops: LoopMemory::new(&machine.loops),
            armed: Armed::new(&machine.arms),
            members: vec![MoveId(0); interface.moves.len()],
            places: IdVec::filled(0, interface.moves.len()),
            sizes: IdVec::filled(0, machine.sets.len()),
            joint: vec![NOTHING; interface.roles.len()],
            touched: Vec::with_capacity(interface.fluents.len()),
        };
        // False is an OR without inputs, and a mark of an OR is the opposite of its value.
        memory.cells.set_mark(CellId(0), true);
        for node in ids_in(&(NodeId(1)..interface.first_gate())) {
            let is_initial =
                interface.fluent_of(node).is_some_and(|fluent| interface.fluents[fluent].initial);
            memory.cells.set_mark(machine.cells[node], is_initial);
        }
        let mut ticks = Ticks::default();
        for step in cones.iter().flat_map(|cone| cone.components()) {
            ticks.work(budget, WORK)?;
            match step {
                Component::Gate(node) => memory.count(machine, network, node),
                Component::Loop(members) => machine.loops.start(&mut memory, machine.cells[members[0]]),
            }
        }
        goals.iter().for_each(|&node| memory.count(machine, network, node));
        for (arm, gate) in armed.entries() {
            memory.arm(machine, network, arm, gate);
        }
        for (number, m) in interface.moves.entries() {
            if memory.value(machine.probe(m.legal)) {
                memory.move_sets().insert(machine, number);
            }
        }
        memory.touch_all(machine);
        Ok(memory)
    }

    fn count(&mut self, machine: &IncrementalMachine, network: &Network, node: NodeId) {
        let counts = network.kind(node) == Kind::Or;
        let inputs = network.inputs(node).iter();
        let count =
            inputs.filter(|&&input| self.value(probe(network, &machine.cells, input)) == counts).count();
        self.cells.set_count(machine.cells[node], count);
    }

    /// Puts a gate on the list of its trigger, if it is armed.
    fn arm(&mut self, machine: &IncrementalMachine, network: &Network, arm: ArmId, gate: &ArmedGate) {
        let counts = gate.counts_true(network);
        let probe = |input| probe(network, &machine.cells, input);
        let count = gate.others(network).filter(|&input| self.value(probe(input)) == counts).count();
        if let Some(rest) = gate.rest() {
            self.cells.set_count(rest, count);
        }
        if count == 0 {
            self.armed.insert(&machine.arms, arm);
        }
        let gate = machine.arms.arms[arm].gate;
        self.cells.announce(gate, self.cells.will_be_marked(gate));
    }

    /// Finds out which fluents will change.
    fn touch_all(&mut self, machine: &IncrementalMachine) {
        self.touched.clear();
        for (fluent, &next) in machine.nexts.entries() {
            if self.value(next) != self.cells.mark(CellId::of_fluent(fluent)) {
                self.touched.push(fluent);
            }
        }
    }

    fn gate(&self, lazy: &LazyGates, at: usize) -> bool {
        let gate = lazy.gates[at];
        let mut inputs = lazy.inputs[gate.start.index()..gate.end.index()].iter();
        if gate.is_or {
            inputs.any(|&input| self.value(input))
        } else {
            inputs.all(|&input| self.value(input))
        }
    }

    fn set_value(&mut self, lazy: &LazyGates, at: usize, value: bool) {
        self.cells.set_mark(lazy.gates[at].cell, value != lazy.gates[at].is_or);
    }

    /// Evaluates nodes that have no counters.
    pub(super) fn evaluate(&mut self, lazy: &LazyGates) {
        let mut done = 0;
        for range in &lazy.loops {
            self.evaluate_straight(lazy, done..range.start);
            self.evaluate_loop(lazy, range.clone());
            done = range.end;
        }
        self.evaluate_straight(lazy, done..lazy.gates.len());
    }

    fn evaluate_straight(&mut self, lazy: &LazyGates, range: Range<usize>) {
        for at in range {
            let value = self.gate(lazy, at);
            self.set_value(lazy, at, value);
        }
    }

    /// Evaluates the nodes of a loop, from all false.
    fn evaluate_loop(&mut self, lazy: &LazyGates, range: Range<usize>) {
        range.clone().for_each(|at| self.set_value(lazy, at, false));
        let mut changed = true;
        while changed {
            changed = false;
            for at in range.clone() {
                let gate = lazy.gates[at];
                if self.cells.mark(gate.cell) == gate.is_or && self.gate(lazy, at) {
                    self.set_value(lazy, at, true);
                    changed = true;
                }
            }
        }
    }
}

/// The move sets of a memory.
struct Sets<'a> {
    members: &'a mut [MoveId],
    /// By move and by set. (Slices instead of `IdVec`: one dereference less at every change.)
    places: &'a mut [u32],
    sizes: &'a mut [u32],
}

impl Sets<'_> {
    /// Puts a move into its set, or takes it out.
    #[inline]
    fn change(&mut self, machine: &IncrementalMachine, changed: MoveId, is_in: bool) {
        if is_in {
            self.insert(machine, changed);
        } else {
            self.remove(machine, changed);
        }
    }

    #[inline]
    fn insert(&mut self, machine: &IncrementalMachine, changed: MoveId) {
        let (set, base) = machine.homes[changed];
        let size = &mut self.sizes[set.index()];
        let place = base + *size;
        *size += 1;
        self.members[place.index()] = changed;
        self.places[changed.index()] = place;
    }

    #[inline]
    fn remove(&mut self, machine: &IncrementalMachine, changed: MoveId) {
        let (set, base) = machine.homes[changed];
        let size = &mut self.sizes[set.index()];
        *size -= 1;
        let last = self.members[(base + *size).index()];
        let place = self.places[changed.index()];
        self.members[place.index()] = last;
        self.places[last.index()] = place;
    }
}

/// A step that can be taken back: the joint move before it, and the fluents that it changed.
#[derive(Clone, Debug, Default)]
struct Trail {
    joints: Vec<MoveId>,
    fluents: Vec<FluentId>,
    /// Where the fluents of each step begin.
    starts: Vec<u32>,
}

/// A state with the values of all nodes, kept up to date.
#[derive(Clone, Debug)]
pub struct IncrementalCursor {
    machine: Arc<IncrementalMachine>,
    work: Work,
}

/// All that changes while playing.
#[derive(Clone, Debug)]
struct Work {
    memory: Memory,
    queue: Queue,
    /// Ports of loops that have changed.
    dirty: Vec<PortId>,
    loop_work: LoopWork,
    goals_known: bool,
    claims: Claims,
    trail: Option<Trail>,
    /// What is counted while machines are compared.
    tally: Option<Tally>,
}

/// What the queue had to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// For each place how often its mark has changed, and its readers were told.
    pub(super) flips: IdVec<CellId, u64>,
    /// Entries that had turned out to be stale.
    pub(super) stale: u64,
}

impl Tally {
    fn count(&mut self, cell: CellId, has_changed: bool) {
        if has_changed {
            self.flips[cell] += 1;
        } else {
            self.stale += 1;
        }
    }
}

impl Work {
    fn new(machine: &IncrementalMachine) -> Work {
        Work {
            memory: machine.initial.clone(),
            queue: Queue::new(machine.cell_count),
            dirty: Vec::new(),
            loop_work: LoopWork::default(),
            goals_known: false,
            claims: Claims::new(machine.nexts.len()),
            trail: None,
            tally: None,
        }
    }

    /// Lets an input be marked, or not, from the next time that changes are propagated.
    fn set(&mut self, input: CellId, marked: bool) {
        self.memory.cells.announce(input, marked);
        self.queue.push(input);
    }

    /// Like [`set`](Self::set), but what nothing depends on is done at once.
    #[inline]
    fn set_move(&mut self, machine: &IncrementalMachine, input: CellId, is_played: bool) {
        if machine.wires.is_idle(input) {
            self.memory.cells.set_mark(input, is_played);
        } else {
            self.set(input, is_played);
        }
    }

    /// Propagates until nothing changes any more.
    fn settle(&mut self, machine: &IncrementalMachine) {
        loop {
            self.drain(machine);
            if self.dirty.is_empty() {
                return;
            }
            let Work { memory, queue, dirty, loop_work, .. } = self;
            machine.loops.settle(memory, loop_work, dirty, |memory, cell, marked| {
                memory.cells.announce(cell, marked);
                queue.push(cell);
            });
        }
    }

    /// Propagates until the queue is empty.
    fn drain(&mut self, machine: &IncrementalMachine) {
        while let Some((outputs, marked)) = self.drain_to_list(machine) {
            self.follow_list(machine, outputs, marked);
        }
    }

    /// Propagates until the queue is empty, or something is changed that has a list of outputs which change other nodes
    /// at once.
    fn drain_to_list(&mut self, machine: &IncrementalMachine) -> Option<(u32, bool)> {
        if self.tally.is_some() {
            return self.drain_and_count(machine);
        }
        self.flow(machine, |_, _| {})
    }

    /// The same, counted. This has a function of its own, so that the compiler keeps it apart from where time matters.
    #[cold]
    #[inline(never)]
    fn drain_and_count(&mut self, machine: &IncrementalMachine) -> Option<(u32, bool)> {
        let mut tally = self.tally.take()?;
        let list = self.flow(machine, |cell, has_changed| tally.count(cell, has_changed));
        self.tally = Some(tally);
        list
    }

    /// The parts of the memory are taken apart first, so that the compiler need not fear that one overlaps another.
    #[inline(always)]
    fn flow(&mut self, machine: &IncrementalMachine, watch: impl FnMut(CellId, bool)) -> Option<(u32, bool)> {
        let Memory { cells, members, places, sizes, touched, .. } = &mut self.memory;
        let mut sets = Sets { members, places: places.as_mut_slice(), sizes: sizes.as_mut_slice() };
        let mut tell = |output: Output, marked: bool| match output.tag() {
            Output::FLUENT => touched.push(FluentId(output.number())),
            Output::PORT => self.dirty.push(PortId(output.number())),
            tag => sets.change(machine, MoveId(output.number()), (tag != Output::MOVE) == marked),
        };
        machine.wires.flow(cells, &mut self.queue, watch, |output, marked| match output.tag() {
            Output::PLAIN_LIST => machine.list(output.number()).for_each(|output| tell(output, marked)),
            _ => tell(output, marked),
        })
    }

    /// Tells several outputs of a node that it is marked, or not.
    fn follow_list(&mut self, machine: &IncrementalMachine, start: u32, marked: bool) {
        let Work { memory, queue, dirty, .. } = self;
        for output in machine.list(start) {
            match output.tag() {
                Output::FLUENT => memory.touched.push(FluentId(output.number())),
                Output::PORT => dirty.push(PortId(output.number())),
                Output::ARM => {
                    let number = ArmId(output.number() >> 1);
                    let arm = machine.arms.arms[number];
                    let is_armed = marked == (output.number() & 1 == 1);
                    memory.armed.change(&machine.arms, number, is_armed);
                    if memory.cells.mark(arm.trigger) != arm.blocks {
                        memory.cells.announce(arm.gate, is_armed);
                        queue.push(arm.gate);
                    }
                }
                Output::TRIGGER => {
                    for &number in memory.armed.of(&machine.arms, TriggerId(output.number())) {
                        let arm = machine.arms.arms[number];
                        memory.cells.announce(arm.gate, marked != arm.blocks);
                        queue.push(arm.gate);
                    }
                }
                tag => memory.move_sets().change(
                    machine,
                    MoveId(output.number()),
                    (tag != Output::MOVE) == marked,
                ),
            }
        }
    }

    /// Asserts a joint move instead of the one before.
    fn assert_moves(&mut self, machine: &IncrementalMachine, joint: &[MoveId]) {
        let first_move = 1 + narrow(machine.nexts.len());
        for (role, &new) in joint.iter().enumerate() {
            let old = std::mem::replace(&mut self.memory.joint[role], new);
            if old != new {
                for (changed, is_played) in [(old, false), (new, true)] {
                    if changed != NOTHING {
                        self.set_move(machine, CellId(first_move + changed.0), is_played);
                    }
                }
            }
        }
        if !self.queue.is_empty() {
            self.settle(machine);
        }
    }

    fn play(&mut self, machine: &IncrementalMachine, joint: &[MoveId]) {
        if let Some(trail) = &mut self.trail {
            trail.joints.extend_from_slice(&self.memory.joint);
            trail.starts.push(narrow(trail.fluents.len()));
        }
        self.assert_moves(machine, joint);
        // Marks change when changes are propagated: until then, all next values are those of the state before.
        let mut touched = std::mem::take(&mut self.memory.touched);
        let effects = &machine.effects;
        let lists = effects.lists(joint, &mut self.claims);
        touched.iter().for_each(|&fluent| self.follow(fluent, machine.nexts[fluent]));
        let before = touched.len();
        if effects.carries_anything() && effects.are_alone(lists) {
            self.carry(machine, joint, &mut touched);
        }
        touched.drain(..before);
        joint.iter().for_each(|&played| self.apply(lists, played, &mut touched));
        self.memory.touched = touched;
        self.write_trail();
        self.goals_known = false;
        self.settle(machine);
    }

    /// Lets a fluent have its next value.
    #[inline]
    fn follow(&mut self, fluent: FluentId, next: Probe) {
        let next = self.memory.value(next);
        self.change(fluent, next);
    }

    #[inline]
    fn change(&mut self, fluent: FluentId, next: bool) {
        let cell = CellId::of_fluent(fluent);
        if self.memory.cells.will_be_marked(cell) != next {
            self.set(cell, next);
        }
    }

    /// Carries the truth of fluents on to others.
    fn carry(&mut self, machine: &IncrementalMachine, joint: &[MoveId], touched: &mut Vec<FluentId>) {
        for at in 0..touched.len() {
            let fluent = touched[at];
            if self.memory.cells.mark(CellId::of_fluent(fluent)) {
                for carried in joint.iter().flat_map(|&by| machine.effects.carried(fluent, by)) {
                    if machine.effects.conditions(carried).iter().all(|&holds| self.memory.value(holds)) {
                        self.change(carried.to, true);
                        touched.push(carried.to);
                    }
                }
            }
        }
    }

    /// Lets a move have its effects, whatever was to become of these fluents without it.
    #[inline]
    fn apply(&mut self, lists: &Lists, played: MoveId, touched: &mut Vec<FluentId>) {
        self.memory.evaluate_straight(&lists.gates, lists.gates_of(played));
        for effect in lists.of(played) {
            self.follow(effect.fluent(), effect.next);
            if effect.drifts() {
                touched.push(effect.fluent());
            }
        }
    }

    /// Remembers the fluents that are going to change.
    fn write_trail(&mut self) {
        if let Some(trail) = &mut self.trail {
            let cells = &self.memory.cells;
            let changes = |&&cell: &&CellId| cells.will_be_marked(cell) != cells.mark(cell);
            let changed = self.queue.entries().iter().filter(changes);
            trail.fluents.extend(changed.map(|cell| FluentId(cell.0 - 1)));
        }
    }

    fn undo(&mut self, machine: &IncrementalMachine) -> bool {
        let Some(trail) = &mut self.trail else { return false };
        let Some(start) = trail.starts.pop() else { return false };
        let flipped = trail.fluents.split_off(start.index());
        let joint: Vec<MoveId> = trail.joints.split_off(trail.joints.len() - self.memory.joint.len());
        for cell in flipped.into_iter().map(CellId::of_fluent) {
            self.set(cell, !self.memory.cells.mark(cell));
        }
        self.goals_known = false;
        self.settle(machine);
        self.assert_moves(machine, &joint);
        self.memory.touch_all(machine);
        true
    }

    fn look_at(&mut self, machine: &IncrementalMachine, state: &State) {
        for fluent in machine.nexts.ids() {
            let (cell, value) = (CellId::of_fluent(fluent), state.get(fluent));
            if self.memory.cells.mark(cell) != value {
                self.set(cell, value);
            }
        }
        self.goals_known = false;
        self.settle(machine);
        self.memory.touch_all(machine);
        self.forget_trail();
    }

    fn forget_trail(&mut self) {
        if let Some(trail) = &mut self.trail {
            *trail = Trail::default();
        }
    }
}

impl IncrementalMachine {
    /// Plays at random, one game after the other, and shows what there is after each step, and the moves that led there,
    /// if any. The games are the same for all machines of a game, however their move sets are kept.
    pub(super) fn sample(
        &self,
        steps: usize,
        seed: u64,
        budget: &Budget,
        mut look: impl FnMut(&mut Memory, &[MoveId]),
    ) -> Result<Tally, Exhausted> {
        budget.check()?;
        let interface = self.game.interface();
        let mut rng = fastrand::Rng::with_seed(seed);
        let tally = Tally { flips: IdVec::filled(0, self.cell_count), stale: 0 };
        let mut work = Work { tally: Some(tally), ..Work::new(self) };
        let mut joint = Vec::new();
        for _ in 0..steps {
            joint.clear();
            joint.extend(interface.role_ids().map_while(|role| {
                let moves = interface.moves_of(role);
                let legal: Vec<MoveId> = moves.filter(|&one| work.memory.is_legal(self, one)).collect();
                rng.choice(&legal).copied()
            }));
            if work.memory.value(self.terminal) || joint.len() < self.sets_of.len() {
                work.memory.copy_from(&self.initial, self.kept);
                joint.clear();
            } else {
                work.play(self, &joint);
            }
            look(&mut work.memory, &joint);
            budget.check()?;
        }
        Ok(work.tally.unwrap_or_default())
    }
}

impl IncrementalCursor {
    pub(super) fn new(machine: Arc<IncrementalMachine>) -> IncrementalCursor {
        let work = Work::new(&machine);
        IncrementalCursor { machine, work }
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

impl Cursor for IncrementalCursor {
    fn game(&self) -> &CompiledGame {
        &self.machine.game
    }

    fn look_at(&mut self, state: &State) {
        self.work.look_at(&self.machine, state);
    }

    fn reset(&mut self) {
        self.work.memory.copy_from(&self.machine.initial, self.machine.kept);
        self.work.goals_known = false;
        self.work.forget_trail();
    }

    fn state_into(&self, state: &mut State) {
        state.clear();
        let cells = &self.work.memory.cells;
        let facts = self.machine.nexts.ids().filter(|&fluent| cells.mark(CellId::of_fluent(fluent)));
        facts.for_each(|fluent| state.set(fluent, true));
    }

    #[inline]
    fn is_terminal(&mut self) -> bool {
        self.work.memory.value(self.machine.terminal)
    }

    fn is_legal(&mut self, candidate: MoveId) -> bool {
        self.work.memory.is_legal(&self.machine, candidate)
    }

    #[inline]
    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        self.work.memory.pick(&self.machine, role, rng)
    }

    fn goal(&mut self, role: RoleId) -> GoalValue {
        let (machine, work) = (&*self.machine, &mut self.work);
        if !work.goals_known {
            work.memory.evaluate(&machine.goals);
            work.goals_known = true;
        }
        let goals = goal_signals(machine.game.interface(), role);
        GoalValue::of(
            goals.filter(|&(_, holds)| work.memory.value(machine.probe(holds))).map(|(goal, _)| goal),
        )
    }

    #[inline]
    fn play(&mut self, joint: &[MoveId]) {
        self.work.play(&self.machine, joint);
    }

    fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        let (machine, memory) = (&*self.machine, &self.work.memory);
        let hints = machine.game.interface().hints_named(name).iter();
        hints.filter(|hint| memory.value(machine.probe(hint.holds))).map(|hint| hint.about).collect()
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        let (machine, work) = (&*self.machine, &mut self.work);
        work.assert_moves(machine, joint);
        work.memory.evaluate(&machine.sees);
        let percepts = &machine.game.interface().sees[role];
        let seen = percepts.iter().filter(|percept| work.memory.value(machine.probe(percept.holds)));
        seen.map(|percept| percept.text.clone()).collect()
    }
}
