//! Slots: moves of which at most one is played at a time.

use super::scope::Scope;
use crate::ids::{BitSet, IdVec};
use crate::network::{Choice, Interface, MoveId, RoleId};

/// Moves of which at most one is played.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) moves: Vec<MoveId>,
    /// All moves of a group of which exactly one is played, if all of them that are read are in the slot; else nothing.
    pub(super) group: Vec<MoveId>,
    /// For each role the move that it plays if it plays none of the slot, if there is just one.
    pub(super) rest: IdVec<RoleId, Option<MoveId>>,
}

/// Assigns each move that some gate reads to one slot, except moves that a role plays whenever it plays none of a slot.
/// The number of slots is kept small by a greedy choice: the largest known group first.
pub(super) fn slots(interface: &Interface, scope: &Scope) -> Vec<Slot> {
    let is_read = |played| scope.is_read(interface.move_node(played));
    let mut is_open: BitSet<MoveId> = BitSet::from_flags(interface.moves.ids().map(is_read));
    let open_of = |moves: &[MoveId], is_open: &BitSet<MoveId>| -> Vec<MoveId> {
        moves.iter().copied().filter(|&played| is_open.contains(played)).collect()
    };
    let of_roles = interface.role_ids().map(|role| {
        let moves = interface.moves_of(role).collect();
        Choice { moves, exactly_one: true }
    });
    let mut choices: Vec<Choice> = interface.choices.iter().cloned().chain(of_roles).collect();
    choices.sort_by_key(|choice| std::cmp::Reverse(open_of(&choice.moves, &is_open).len()));
    let mut slots: Vec<Slot> = Vec::new();
    for Choice { moves: mut all, exactly_one } in choices {
        if open_of(&all, &is_open).is_empty() {
            continue;
        }
        all.sort_unstable();
        let mut rest = rest_moves(interface, &all);
        rest.iter_mut().for_each(|rest| *rest = rest.filter(|&played| is_open.contains(played)));
        // A move that no gate reads still implies that its role does not rest.
        let tells =
            |&played: &MoveId| is_open.contains(played) || rest[interface.moves[played].role].is_some();
        let moves: Vec<MoveId> = all.iter().copied().filter(tells).collect();
        moves.iter().chain(rest.iter().flatten()).for_each(|&played| is_open.set(played, false));
        let is_whole = all.iter().all(|&played| moves.binary_search(&played).is_ok() || !is_read(played));
        let group = if exactly_one && is_whole { all } else { Vec::new() };
        slots.push(Slot { moves, group, rest });
    }
    slots
}

/// For each role with several moves the only one that is not among these, if there is just one.
pub(super) fn rest_moves(interface: &Interface, moves: &[MoveId]) -> IdVec<RoleId, Option<MoveId>> {
    let mut is_here: BitSet<MoveId> = BitSet::empty(interface.moves.len());
    moves.iter().for_each(|&played| is_here.set(played, true));
    let rest_of = |role| {
        let mut others = interface.moves_of(role).filter(|&played| !is_here.contains(played));
        let only = others.next().filter(|_| others.next().is_none())?;
        (interface.moves_of(role).len() > 1).then_some(only)
    };
    interface.role_ids().map(rest_of).collect()
}
