//! Slots: moves of which at most one is played at a time.

use super::scope::Scope;
use crate::ids::Id;
use crate::network::{Choice, Interface, MoveId};

/// Moves of which at most one is played.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) moves: Vec<MoveId>,
    /// All of a group of which exactly one is played, if they are all here that matter; else nothing.
    pub(super) group: Vec<MoveId>,
    /// For each role the move that it plays if it plays none of the slot, if there is just one.
    pub(super) rest: Vec<Option<MoveId>>,
}

/// The moves that matter, each in one slot, but for those that a role plays whenever it plays none of a slot. As few
/// slots as the known groups allow, by taking the largest first.
pub(super) fn slots(interface: &Interface, scope: &Scope) -> Vec<Slot> {
    let mut is_open: Vec<bool> = (0..interface.moves.len() as u32)
        .map(|number| scope.is_read(interface.move_node(MoveId(number))))
        .collect();
    let open_of = |moves: &[MoveId], is_open: &[bool]| -> Vec<MoveId> {
        moves.iter().copied().filter(|one_move| is_open[one_move.index()]).collect()
    };
    let of_roles = interface.role_ids().map(|role| {
        let moves = interface.moves_of(role).map(MoveId).collect();
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
        rest.iter_mut().for_each(|rest| *rest = rest.filter(|one_move| is_open[one_move.index()]));
        // A move that says nothing by itself still tells that its role does not rest.
        let tells = |one_move: &MoveId| {
            let role = interface.moves[one_move.index()].role;
            is_open[one_move.index()] || rest[role.index()].is_some()
        };
        let moves: Vec<MoveId> = all.iter().copied().filter(tells).collect();
        moves.iter().chain(rest.iter().flatten()).for_each(|one_move| is_open[one_move.index()] = false);
        let is_whole = all.iter().all(|&one_move| {
            moves.binary_search(&one_move).is_ok() || !scope.is_read(interface.move_node(one_move))
        });
        let group = if exactly_one && is_whole { all } else { Vec::new() };
        slots.push(Slot { moves, group, rest });
    }
    slots
}

/// For each role the only move that is not among these, where there is one; and it has to have others.
pub(super) fn rest_moves(interface: &Interface, moves: &[MoveId]) -> Vec<Option<MoveId>> {
    let mut is_here = vec![false; interface.moves.len()];
    moves.iter().for_each(|one_move| is_here[one_move.index()] = true);
    let rest_of = |role| {
        let mut others = interface.moves_of(role).filter(|&number| !is_here[number.index()]);
        let only = others.next().filter(|_| others.next().is_none())?;
        (interface.moves_of(role).len() > 1).then_some(MoveId(only))
    };
    interface.role_ids().map(rest_of).collect()
}
