//! The cursor of the incremental machine: how a step is played, undone and sampled.
//!
//! A step has three phases.
//!
//! 1. *Assert.* The inputs of the joint move change and are propagated. Gates that still read moves (next values that are
//!    too large to be listed as effects) now have their values for this step.
//! 2. *Announce.* Every fluent whose next value may differ gets it: *touched* fluents, whose plain next value differs from
//!    their value; fluents that moves *carry* truth to; and the *effects* of the moves, which override the plain next
//!    values. Announcing changes the counter of a cell but not its mark, and everything reads marks, so that all next
//!    values are those of the old state.
//! 3. *Settle.* Changes are propagated through the counters until the queue is empty (`flow.rs`, difference propagation in
//!    the and-/or-tables of Kaneko, Yamaguchi & Kawai 2000); then the first loop with changed ports is brought to its
//!    least fixpoint (`loops.rs`), and so on until nothing changes.
//!
//! Move sets and the list of touched fluents are outputs of the propagation, so that after a step only what has changed was
//! visited. A trail of the announced fluents makes steps reversible: flipping them again and settling restores the state.

use super::arms::{ArmId, TriggerId};
use super::effects::{Claims, Lists};
use super::flow::Queue;
use super::loops::{LoopWork, PortId};
use super::memory::{Memory, NOTHING, Sets};
use super::{CellId, IncrementalMachine, Output, Probe};
use crate::ids::{Id, IdVec, narrow};
use crate::machine::{CompiledGame, Cursor, State, goal_signals};
use crate::network::{FluentId, MoveId, RoleId};
use crate::reasoner::GoalValue;
use grundy_syntax::{Budget, Exhausted};
use std::sync::Arc;

/// What is needed to undo steps: the joint move before each of them, and the fluents that it changed.
#[derive(Clone, Debug, Default)]
struct Trail {
    joints: Vec<MoveId>,
    fluents: Vec<FluentId>,
    /// Where the fluents of each step begin.
    starts: Vec<u32>,
}

/// A state with the values of all nodes, updated incrementally.
#[derive(Clone, Debug)]
pub struct IncrementalCursor {
    machine: Arc<IncrementalMachine>,
    work: Work,
}

/// All mutable data of a cursor.
#[derive(Clone, Debug)]
struct Work {
    memory: Memory,
    queue: Queue,
    /// Changed ports of loops.
    dirty: Vec<PortId>,
    loop_work: LoopWork,
    goals_known: bool,
    claims: Claims,
    trail: Option<Trail>,
    /// Counts of the propagation, while networks are compared.
    tally: Option<Tally>,
}

/// Counts of the work of the queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// For each cell how often its mark has changed and was propagated.
    pub(super) flips: IdVec<CellId, u64>,
    /// Entries whose mark had not changed.
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

    /// Announces the mark of an input, for the next propagation.
    fn set(&mut self, input: CellId, marked: bool) {
        self.memory.cells.announce(input, marked);
        self.queue.push(input);
    }

    /// Like [`set`](Self::set), but sets the mark of an input without readers at once.
    #[inline]
    fn set_move(&mut self, machine: &IncrementalMachine, input: CellId, is_played: bool) {
        if machine.wires.is_idle(input) {
            self.memory.cells.set_mark(input, is_played);
        } else {
            self.set(input, is_played);
        }
    }

    /// Propagates until nothing changes.
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

    /// Propagates until the queue is empty, or until a cell has changed whose list of outputs changes other cells at once.
    fn drain_to_list(&mut self, machine: &IncrementalMachine) -> Option<(u32, bool)> {
        if self.tally.is_some() {
            return self.drain_and_count(machine);
        }
        self.flow(machine, |_, _| {})
    }

    /// The same, counted. A separate cold function keeps the counting out of the hot loop.
    #[cold]
    #[inline(never)]
    fn drain_and_count(&mut self, machine: &IncrementalMachine) -> Option<(u32, bool)> {
        let mut tally = self.tally.take()?;
        let list = self.flow(machine, |cell, has_changed| tally.count(cell, has_changed));
        self.tally = Some(tally);
        list
    }

    /// The memory is destructured first, so that the compiler knows that its parts do not alias.
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

    /// Passes the mark of a node to its list of outputs.
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
        // Marks change when changes are propagated: until then, all next values are those of the old state.
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

    /// Announces the next value of a fluent.
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

    /// Makes fluents true that others are carried to.
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

    /// Announces the effects of a move, which override the plain next values.
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

    /// Records the announced fluents in the trail.
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
    /// Plays random games one after another and calls `look` after each step with the moves that led there, if any. The
    /// games are the same for all machines of a game, however they are compiled.
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

    /// Whether steps are recorded, so that they can be undone.
    pub fn keep_trail(&mut self, keep: bool) {
        self.work.trail = keep.then(Trail::default);
    }

    /// Undoes the last step; `false` if none is recorded.
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
