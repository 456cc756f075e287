//! Compiles a network to straight-line code for bit-sliced evaluation: a slot holds the values of a node in all lanes, and
//! an instruction computes one slot from others with bitwise operations.
//!
//! The code has four parts: `state` (legal moves and terminal), `goals`, and, after moves are chosen, `next` and `sees`.
//! Goals and percepts only run when they are needed. Each part is compiled like a basic block:
//!
//! 1. *Instruction selection.* A gate becomes an OR or an AND of slots. An AND starts with a plain operand and subtracts
//!    inverted ones (and-not); a gate without a suitable operand is stored inverted, so that no instruction is a NOT. A gate
//!    with two inputs and a single reader becomes a product in the instruction of its reader.
//! 2. *Scheduling.* Within windows, instructions are sorted by their level and their shape, so that runs of the same shape
//!    share one loop without branches (`code.rs`). Loops of the network become blocks that run until nothing changes.
//! 3. *Slot allocation.* Linear-scan register allocation in two passes: the first notes the last use of each value, the
//!    second frees a slot after it, so that the live values stay together in the cache.
//!
//! Next values are computed into free slots and copied over the fluents at the end of a step. In games with many fluents
//! those that nothing else reads are computed in place instead.

use super::choose::GROUP;
use super::code::{Code, CodeBlock, Shape, SlotId};
use crate::ids::{BitSet, IdVec, ids_in};
use crate::machine::CompiledGame;
use crate::machine::cones::{Component, Cone};
use crate::network::{FluentId, Kind, MoveId, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A reference to the value of a node: its slot, and whether the slot holds the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotRef {
    pub(super) slot: SlotId,
    pub(super) opposite: bool,
}

/// A game, compiled to code.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) state: Code,
    pub(super) goals: Code,
    pub(super) next: Code,
    /// The next values that are computed in place.
    pub(super) in_place: Code,
    pub(super) sees: Code,
    /// The number of slots. The first is empty, then come the fluents, then one that is full.
    pub(super) slots: usize,
    pub(super) terminal: SlotRef,
    /// For each role its moves, in groups with the same guard.
    pub(super) choices: IdVec<RoleId, Choices>,
    /// For each move the slot that is set where it is played; [`UNREAD`] if nothing reads it.
    pub(super) does: IdVec<MoveId, SlotId>,
    /// For each fluent its next value.
    pub(super) nexts: IdVec<FluentId, SlotRef>,
    /// The fluents that something reads. Lanes omit the others, which matter only to callers that inspect states.
    pub(super) kept: Vec<FluentId>,
    /// Those of them that do not get their next value in place.
    pub(super) copied: Vec<FluentId>,
    /// Slots of fluents that are next values of others, with the slots in which they are saved meanwhile.
    pub(super) aside: Vec<(SlotId, SlotId)>,
    pub(super) goal_values: IdVec<RoleId, Vec<(Option<i32>, SlotRef)>>,
    pub(super) percepts: IdVec<RoleId, Vec<SlotRef>>,
}

/// The moves of a role in the order in which they are counted and chosen.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// Places of legal moves, groups of [`GROUP`], each filled up with places that are never true.
    pub(super) legal: Vec<SlotRef>,
    /// For each of them the move.
    pub(super) moves: Vec<MoveId>,
    /// For each group its guard.
    pub(super) guards: Vec<SlotRef>,
}

/// The work for an operand, as [`Ticks`] count it: a guess.
const WORK: usize = 16;

/// Never true.
const NEVER: SlotRef = SlotRef { slot: SlotId(0), opposite: false };

/// No slot.
pub(super) const UNREAD: SlotId = SlotId(u32::MAX);

/// The number of instructions that are sorted together. Larger windows have longer runs, but more live values. A guess.
const SCHEDULING_WINDOW: usize = 256;

/// An instruction before slots are known.
#[derive(Clone, Debug)]
struct Instruction {
    target: NodeId,
    shape: Shape,
    operands: Vec<NodeId>,
}

/// Instructions of one block.
struct Draft {
    instructions: Vec<Instruction>,
    /// The nodes of a loop.
    members: Option<Vec<NodeId>>,
}

/// Selects instructions: which values are stored, inverted, shared or inlined.
struct Drafter<'a> {
    network: &'a Network,
    /// For each node the node whose slot it shares, inverted if it is the opposite of the stored value.
    stored: IdVec<NodeId, Signal>,
    /// The gates that are part of the instruction of the only one that reads them.
    inlined: BitSet<NodeId>,
    full: NodeId,
    /// The next number for an intermediate value.
    extra: NodeId,
}

/// An input of a gate.
enum Operand {
    Stored(Signal),
    /// The product of two if an OR reads it, the opposite of that if an AND does.
    Product([Signal; 2]),
}

impl Drafter<'_> {
    fn stored(&self, signal: Signal) -> Signal {
        let stored = self.stored[signal.node()];
        stored.inverted_if(signal.is_inverted())
    }

    /// An input, as a product if its node is inlined.
    fn operand(&self, signal: Signal) -> Operand {
        let node = signal.node();
        let (true, &[one, other]) = (self.inlined.contains(node), self.network.inputs(node)) else {
            return Operand::Stored(self.stored(signal));
        };
        // An OR is the opposite of a product of opposites.
        let is_or = self.network.kind(node) == Kind::Or;
        let factors = [one, other].map(|input| self.stored(input.inverted_if(is_or)));
        Operand::Product(factors)
    }

    /// Finds the gates that need no slot: those with two inputs of which a single OR reads the product, or a single AND its
    /// opposite.
    fn inline(&mut self, cone: &Cone, readers: &IdVec<NodeId, u32>) {
        let steps: Vec<Component<'_>> = cone.components().collect();
        let mut here: BitSet<NodeId> = BitSet::empty(self.network.node_count());
        let gates = || {
            steps.iter().filter_map(|step| if let Component::Gate(node) = step { Some(*node) } else { None })
        };
        gates().for_each(|node| here.set(node, true));
        // Readers come after what they read; they are inlined first.
        for reader in gates().collect::<Vec<_>>().into_iter().rev() {
            if self.inlined.contains(reader) || self.network.inputs(reader).len() < 2 {
                continue;
            }
            for &input in self.network.inputs(reader) {
                let node = input.node();
                let has_two = matches!(self.network.inputs(node), [one, other] if one.node() != other.node());
                let is_other_kind =
                    (self.network.kind(node) == self.network.kind(reader)) == input.is_inverted();
                if has_two && is_other_kind && here.contains(node) && readers[node] == 1 {
                    self.inlined.set(node, true);
                }
            }
        }
    }

    fn draft(&mut self, cone: &Cone, budget: &Budget) -> Result<Vec<Draft>, Exhausted> {
        let mut ticks = Ticks::default();
        let mut drafts = Vec::new();
        let mut straight = Vec::new();
        for step in cone.components() {
            match step {
                Component::Gate(node) => ticks.work(budget, WORK * (1 + self.network.inputs(node).len()))?,
                Component::Loop(members) => ticks.work(budget, WORK * members.len())?,
            }
            match step {
                Component::Gate(node) if self.inlined.contains(node) => {}
                Component::Gate(node) => straight.extend(self.instruction(node)),
                Component::Loop(members) => {
                    push_straight(&mut drafts, std::mem::take(&mut straight));
                    drafts.push(self.draft_loop(members));
                }
            }
        }
        push_straight(&mut drafts, straight);
        budget.check()?;
        Ok(drafts)
    }

    /// The instruction for a node; `None` if it is the same as another, perhaps inverted.
    fn instruction(&mut self, node: NodeId) -> Option<Instruction> {
        let kind = self.network.kind(node);
        match *self.network.inputs(node) {
            [] => self.stored[node] = kind.neutral(),
            [only] => self.stored[node] = self.stored(only),
            ref inputs => {
                let operands: Vec<Operand> = inputs.iter().map(|&input| self.operand(input)).collect();
                let (instruction, opposite) = gate(node, kind, &operands);
                self.stored[node] = Signal::of(node).inverted_if(opposite);
                return Some(instruction);
            }
        }
        None
    }

    /// The nodes of a loop are stored without inversion, so that earlier ones can read later ones.
    fn draft_loop(&mut self, members: &[NodeId]) -> Draft {
        members.iter().for_each(|&node| self.stored[node] = Signal::of(node));
        let mut instructions = Vec::new();
        let mut all = members.to_vec();
        for &node in members {
            let inputs = self.network.inputs(node).iter();
            let inputs: Vec<Operand> = inputs.map(|&input| Operand::Stored(self.stored(input))).collect();
            let (mut instruction, opposite) = gate(node, self.network.kind(node), &inputs);
            if opposite {
                let between = self.extra;
                self.extra.0 += 1;
                all.push(between);
                instruction.target = between;
                instructions.push(instruction);
                instruction = Instruction { target: node, shape: NOT, operands: vec![self.full, between] };
            }
            instructions.push(instruction);
        }
        Draft { instructions, members: Some(all) }
    }
}

fn push_straight(drafts: &mut Vec<Draft>, mut instructions: Vec<Instruction>) {
    if !instructions.is_empty() {
        instructions.chunks_mut(SCHEDULING_WINDOW).for_each(sort_window);
        drafts.push(Draft { instructions, members: None });
    }
}

/// A NOT: the slot that is full without another slot.
const NOT: Shape = Shape { is_or: false, plain: 1, opposite: 1, pairs: [0; 3] };

/// The instruction for a gate, and whether it gives the opposite of its value.
fn gate(target: NodeId, kind: Kind, inputs: &[Operand]) -> (Instruction, bool) {
    let mut plain = Vec::new();
    let mut inverted = Vec::new();
    let mut products: [Vec<NodeId>; 3] = Default::default();
    for input in inputs {
        match *input {
            Operand::Stored(signal) if signal.is_inverted() => inverted.push(signal.node()),
            Operand::Stored(signal) => plain.push(signal.node()),
            Operand::Product(mut factors) => {
                factors.sort_by_key(|factor| factor.is_inverted());
                let opposite = factors.iter().filter(|factor| factor.is_inverted()).count();
                products[opposite].extend(factors.map(Signal::node));
            }
        }
    }
    let is_and = kind == Kind::And;
    // An AND starts with something that is plain; otherwise its opposite is an OR.
    let is_opposite = if is_and { plain.is_empty() } else { !inverted.is_empty() };
    if is_opposite {
        std::mem::swap(&mut plain, &mut inverted);
    }
    let shape = Shape {
        is_or: is_and == is_opposite,
        plain: plain.len(),
        opposite: inverted.len(),
        pairs: [0, 1, 2].map(|kind: usize| products[kind].len() / 2),
    };
    let operands = [plain, inverted, products.concat()].concat();
    (Instruction { target, shape, operands }, is_opposite)
}

/// Extracts the instructions for next values that can be computed in place at the end of a step: those whose value has no
/// other reader and whose fluent no later instruction reads. Redirects the next values to the slots of the fluents.
/// Extracts nothing if there are fewer than `least`.
fn take_in_place(
    network: &Network,
    drafts: &mut [Draft],
    nexts: &mut IdVec<FluentId, Signal>,
    readers: &IdVec<NodeId, u32>,
    least: usize,
) -> Vec<Instruction> {
    let interface = network.interface();
    // A value that is stored for several nodes may have the readers of all of them.
    let is_alone = |&fluent: &FluentId| {
        let next = nexts[fluent];
        next == interface.fluents[fluent].next && !next.is_inverted() && readers[next.node()] == 1
    };
    let fluent_of: FxHashMap<NodeId, FluentId> =
        nexts.ids().filter(is_alone).map(|fluent| (nexts[fluent].node(), fluent)).collect();
    let straight = drafts.iter().filter(|draft| draft.members.is_none());
    let candidates = straight.flat_map(|draft| &draft.instructions);
    let candidates = candidates.filter_map(|one| Some((*fluent_of.get(&one.target)?, &one.operands)));
    let mut in_place: IdVec<FluentId, bool> = IdVec::filled(false, nexts.len());
    let mut is_read: IdVec<FluentId, bool> = IdVec::filled(false, nexts.len());
    for (number, next) in nexts.entries() {
        // A next value that is another fluent is copied at the end of the step.
        if let Some(other) = interface.fluent_of(next.node()) {
            is_read[other] |= other != number;
        }
    }
    for (fluent, operands) in candidates {
        in_place[fluent] = true;
        for other in operands.iter().filter_map(|&operand| interface.fluent_of(operand)) {
            is_read[other] |= other != fluent;
        }
    }
    in_place.iter_mut().zip(is_read).for_each(|(in_place, is_read)| *in_place &= !is_read);
    if in_place.iter().filter(|in_place| **in_place).count() < least {
        return Vec::new();
    }
    let is_last = |one: &Instruction| fluent_of.get(&one.target).is_some_and(|&fluent| in_place[fluent]);
    let mut last: Vec<Instruction> = Vec::new();
    for draft in drafts.iter_mut().filter(|draft| draft.members.is_none()) {
        last.extend(draft.instructions.extract_if(.., |one| is_last(one)));
    }
    for one in &mut last {
        let fluent = fluent_of[&one.target];
        one.target = interface.fluent_node(fluent);
        nexts[fluent] = Signal::of(one.target);
    }
    last.sort_by_key(|one| one.shape);
    last
}

/// Sorts instructions by level, and those of a level, which do not depend on each other, by shape.
fn sort_window(window: &mut [Instruction]) {
    let mut level_of: FxHashMap<NodeId, u32> = FxHashMap::default();
    for instruction in window.iter() {
        let levels = instruction.operands.iter().filter_map(|operand| level_of.get(operand));
        let level = levels.max().map_or(0, |level| level + 1);
        level_of.insert(instruction.target, level);
    }
    window.sort_by_key(|instruction| (level_of[&instruction.target], instruction.shape));
}

/// Allocates slots to nodes.
struct Allocator {
    slot_of: IdVec<NodeId, SlotId>,
    /// For each node when its value is needed for the last time; [`NEVER_FREE`] for fluents and the like.
    last_use: IdVec<NodeId, u32>,
    free: Vec<SlotId>,
    /// One past the last slot.
    slots: SlotId,
    now: u32,
}

const NEVER_FREE: u32 = u32::MAX;

impl Allocator {
    fn take(&mut self, node: NodeId) -> SlotId {
        let slot = self.free.pop().unwrap_or_else(|| self.new_slot());
        self.slot_of[node] = slot;
        slot
    }

    fn new_slot(&mut self) -> SlotId {
        let slot = self.slots;
        self.slots.0 += 1;
        slot
    }

    /// Frees the slot of a node if it is not needed any more.
    fn release(&mut self, node: NodeId) {
        if self.last_use[node] <= self.now {
            self.free.push(self.slot_of[node]);
            // A node that is an operand twice is freed once.
            self.last_use[node] = NEVER_FREE;
        }
    }

    fn note_use(&mut self, node: NodeId) {
        if self.last_use[node] != NEVER_FREE {
            self.last_use[node] = self.now;
        }
    }

    fn place(&self, stored: Signal) -> SlotRef {
        SlotRef { slot: self.slot_of[stored.node()], opposite: stored.is_inverted() }
    }

    /// Goes through the drafts of a part as [`emit`](Self::emit) will, and notes when values are used.
    fn note_uses(&mut self, drafts: &[Draft]) {
        for draft in drafts {
            for instruction in &draft.instructions {
                self.now += u32::from(draft.members.is_none());
                instruction.operands.iter().for_each(|&operand| self.note_use(operand));
            }
            // All that a loop reads or makes is needed until its end.
            self.now += 1;
            draft.members.iter().flatten().for_each(|&member| self.note_use(member));
            if draft.members.is_some() {
                let operands = draft.instructions.iter().flat_map(|instruction| &instruction.operands);
                operands.for_each(|&operand| self.note_use(operand));
            }
        }
    }

    fn emit(&mut self, drafts: &[Draft]) -> Code {
        let mut code = Code::default();
        for draft in drafts {
            let start = code.words.len();
            match &draft.members {
                None => {
                    self.emit_straight(&draft.instructions, &mut code);
                    self.now += 1;
                    code.blocks.push(CodeBlock::Straight(start..code.words.len()));
                }
                Some(members) => {
                    let slots = members.iter().map(|&member| (self.take(member), false)).collect();
                    for instruction in &draft.instructions {
                        self.push(instruction, None, &mut code);
                    }
                    self.now += 1;
                    let operands = draft.instructions.iter().flat_map(|instruction| &instruction.operands);
                    members.iter().chain(operands).for_each(|&node| self.release(node));
                    code.blocks.push(CodeBlock::Loop(start..code.words.len(), slots));
                }
            }
        }
        code.instructions = drafts.iter().map(|draft| draft.instructions.len()).sum();
        code.operands = drafts.iter().flat_map(|draft| &draft.instructions).map(|i| i.operands.len()).sum();
        code
    }

    fn emit_straight(&mut self, instructions: &[Instruction], code: &mut Code) {
        let mut run: Option<(Shape, usize)> = None;
        for instruction in instructions {
            self.now += 1;
            let count_at = match run {
                Some((shape, at)) if shape == instruction.shape => Some(at),
                _ => None,
            };
            let at = self.push_with(instruction, count_at, code);
            run = Some((instruction.shape, at));
        }
    }

    /// Appends an instruction whose target has a slot.
    fn push(&mut self, instruction: &Instruction, count_at: Option<usize>, code: &mut Code) -> usize {
        let count_at = count_at.unwrap_or_else(|| instruction.shape.write(&mut code.words));
        code.words[count_at] += 1;
        code.words.push(self.slot_of[instruction.target].0);
        code.words.extend(instruction.operands.iter().map(|&operand| self.slot_of[operand].0));
        count_at
    }

    /// Appends an instruction and gives a slot to its target, perhaps that of an operand.
    fn push_with(&mut self, instruction: &Instruction, count_at: Option<usize>, code: &mut Code) -> usize {
        let count_at = self.push(instruction, count_at, code);
        let target_at = code.words.len() - 1 - instruction.operands.len();
        instruction.operands.iter().for_each(|&operand| self.release(operand));
        // A fluent has a fixed slot.
        if self.last_use[instruction.target] != NEVER_FREE {
            code.words[target_at] = self.take(instruction.target).0;
            self.release(instruction.target);
        }
        count_at
    }
}

/// Compiles a game. Next values are put in place if there are many.
pub(super) fn compile(game: &CompiledGame, many_facts: usize, budget: &Budget) -> Result<Program, Exhausted> {
    let network = game.network();
    let interface = network.interface();
    let full = network.end();
    let stored = network.nodes().map(Signal::of).collect();
    let inlined = BitSet::empty(network.node_count());
    let mut drafter = Drafter { network, stored, inlined, full, extra: NodeId(full.0 + 1) };
    let readers = network.reader_counts();
    let cones = [&game.cones.state, &game.cones.goals, &game.cones.next, &game.cones.sees];
    for cone in cones {
        budget.check()?;
        drafter.inline(cone, &readers);
    }
    let state = drafter.draft(cones[0], budget)?;
    let goals = drafter.draft(cones[1], budget)?;
    let mut next = drafter.draft(cones[2], budget)?;
    let sees = drafter.draft(cones[3], budget)?;
    let mut allocator = Allocator {
        slot_of: IdVec::filled(UNREAD, drafter.extra.index()),
        last_use: IdVec::filled(0, drafter.extra.index()),
        free: Vec::new(),
        slots: SlotId(0),
        now: 0,
    };
    for node in ids_in(&(NodeId(0)..interface.fluent_nodes().end)).chain([full]) {
        allocator.take(node);
        allocator.last_use[node] = NEVER_FREE;
    }
    let stored = |signal: Signal| drafter.stored(signal);
    let legal: Vec<Signal> =
        interface.moves.iter().flat_map(|m| [stored(m.legal), stored(m.guard)]).collect();
    let goal_signals = || interface.goals.iter().flatten().map(|goal| stored(goal.holds));
    let mut nexts: IdVec<FluentId, Signal> =
        interface.fluents.iter().map(|fluent| stored(fluent.next)).collect();
    budget.check()?;
    let last = take_in_place(network, &mut next, &mut nexts, &readers, many_facts);
    let last = [Draft { instructions: last, members: None }];
    let percepts = || interface.sees.iter().flatten().map(|percept| stored(percept.holds));

    budget.check()?;
    allocator.note_uses(&state);
    allocator.note_uses(&goals);
    allocator.now += 1;
    legal.iter().for_each(|signal| allocator.note_use(signal.node()));
    goal_signals().chain([stored(interface.terminal)]).for_each(|signal| allocator.note_use(signal.node()));
    allocator.now += 1;
    allocator.note_uses(&next);
    allocator.note_uses(&last);
    allocator.note_uses(&sees);
    allocator.now += 1;
    nexts.iter().copied().chain(percepts()).for_each(|signal| allocator.note_use(signal.node()));

    budget.check()?;
    allocator.now = 0;
    let state = allocator.emit(&state);
    let goals = allocator.emit(&goals);
    allocator.now += 1;
    // Answers are read before the next part begins, so their slots are those of now.
    let place = |signal| allocator.place(stored(signal));
    let choices = interface.role_ids().map(|role| choices(network, role, &place)).collect();
    let terminal = allocator.place(stored(interface.terminal));
    let place_of = |allocator: &Allocator, signal| allocator.place(stored(signal));
    let goal_values = interface
        .goals
        .iter()
        .map(|goals| goals.iter().map(|goal| (goal.value, place_of(&allocator, goal.holds))).collect())
        .collect();
    let mut does = IdVec::filled(UNREAD, interface.moves.len());
    for played in interface.moves.ids() {
        let node = interface.move_node(played);
        if allocator.last_use[node] > 0 {
            does[played] = allocator.take(node);
        }
    }
    let answers: Vec<NodeId> = legal
        .iter()
        .copied()
        .chain(goal_signals())
        .chain([stored(interface.terminal)])
        .map(Signal::node)
        .collect();
    answers.into_iter().for_each(|node| allocator.release(node));
    allocator.now += 1;
    budget.check()?;
    let next = allocator.emit(&next);
    let in_place = allocator.emit(&last);
    // Percepts may evaluate some of the same nodes again, in other slots.
    let next_places: IdVec<FluentId, SlotRef> = nexts.iter().map(|&signal| allocator.place(signal)).collect();
    let sees = allocator.emit(&sees);
    let percepts = interface
        .sees
        .iter()
        .map(|percepts| percepts.iter().map(|percept| place_of(&allocator, percept.holds)).collect())
        .collect();
    let kept = read_fluents(network);
    let is_there =
        |fluent| next_places[fluent] == SlotRef { slot: SlotId::of_fluent(fluent), opposite: false };
    let copied = kept.iter().copied().filter(|&fluent| !is_there(fluent)).collect();
    let mut program = Program {
        state,
        goals,
        next,
        in_place,
        sees,
        slots: 0,
        terminal,
        choices,
        does,
        nexts: next_places,
        kept,
        copied,
        aside: Vec::new(),
        goal_values,
        percepts,
    };
    put_aside(&mut program, &mut allocator);
    program.slots = allocator.slots.index();
    budget.check()?;
    Ok(program)
}

fn read_fluents(network: &Network) -> Vec<FluentId> {
    let readers = network.reader_counts();
    let is_read = |&fluent: &FluentId| readers[network.interface().fluent_node(fluent)] > 0;
    network.interface().fluents.ids().filter(is_read).collect()
}

/// Sorts the moves of a role into groups.
fn choices(network: &Network, role: RoleId, place: &impl Fn(Signal) -> SlotRef) -> Choices {
    let interface = network.interface();
    let mut by_guard: BTreeMap<Signal, Vec<MoveId>> = BTreeMap::new();
    for number in interface.moves_of(role) {
        by_guard.entry(interface.moves[number].guard).or_default().push(number);
    }
    let mut choices = Choices::default();
    for (guard, moves) in by_guard {
        for group in moves.chunks(GROUP) {
            choices.guards.push(place(guard));
            choices.moves.extend_from_slice(group);
            choices.legal.extend(group.iter().map(|&number| place(interface.moves[number].legal)));
            choices.moves.resize(choices.guards.len() * GROUP, group[0]);
            choices.legal.resize(choices.guards.len() * GROUP, NEVER);
        }
    }
    choices
}

/// Fluents are overwritten one after another; a next value that is another fluent is saved in a slot before.
fn put_aside(program: &mut Program, allocator: &mut Allocator) {
    let of_fluents = SlotId(1)..SlotId::new(1 + program.nexts.len());
    for fluent in program.nexts.ids() {
        let next = &mut program.nexts[fluent];
        if of_fluents.contains(&next.slot) && next.slot != SlotId::of_fluent(fluent) {
            let slot = allocator.new_slot();
            program.aside.push((next.slot, slot));
            next.slot = slot;
        }
    }
}
