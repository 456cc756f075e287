//! Compiles a network to straight-line code for bit-sliced evaluation: a slot holds the values of a node in all lanes, and
//! an instruction computes one slot from others with bitwise operations.
//!
//! The code has four parts: `state` (legal moves and terminal), `goals`, and, after moves are chosen, `next` and `sees`.
//! Goals and percepts only run when they are needed. Each part is compiled like a basic block:
//!
//! 1. *Instruction selection* (`select.rs`). A gate becomes an OR or an AND of slots. An AND starts with a plain operand and subtracts
//!    inverted ones (and-not); a gate without a suitable operand is stored inverted, so that no instruction is a NOT. A gate
//!    with two inputs and a single reader becomes a product in the instruction of its reader.
//! 2. *Scheduling* (`select.rs`). Within windows, instructions are sorted by their level and their shape, so that runs of the same shape
//!    share one loop without branches (`code.rs`). Loops of the network become blocks that run until nothing changes.
//! 3. *Slot allocation* (`allocate.rs`). Linear-scan register allocation in two passes: the first notes the last use of each value, the
//!    second frees a slot after it, so that the live values stay together in the cache.
//!
//! Next values are computed into free slots and copied over the fluents at the end of a step. In games with many fluents
//! those that nothing else reads are computed in place instead.

use super::allocate::{Allocator, NEVER_FREE};
use super::choose::GROUP;
use super::code::{Code, SlotId};
use super::select::{Draft, Drafter, take_in_place};
use crate::ids::{BitSet, IdVec, ids_in};
use crate::machine::CompiledGame;
use crate::network::{FluentId, MoveId, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted};
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
    pub(super) goal_values: IdVec<RoleId, Vec<GoalRef>>,
    pub(super) percepts: IdVec<RoleId, Vec<SlotRef>>,
}

/// A goal value, if it is a number, and where to read whether the role has it.
pub(super) type GoalRef = (Option<i32>, SlotRef);

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

/// Never true.
const NEVER: SlotRef = SlotRef { slot: SlotId(0), opposite: false };

/// No slot.
pub(super) const UNREAD: SlotId = SlotId(u32::MAX);

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
