//! What goes into a network and what comes out, by name.

use super::{NodeId, Signal};
use crate::ids::narrow;
use std::ops::Range;

grundy_syntax::define_id! {
    /// A role, numbered in the order of the sheet.
    pub struct RoleId(u16);
}

grundy_syntax::define_id! {
    /// A fluent; fluents are numbered in the order of their texts.
    pub struct FluentId(u32);
}

grundy_syntax::define_id! {
    /// A move of one role; the moves of a role are numbered in the order of their texts.
    pub struct MoveId(u32);
}

/// A fact that can be true.
#[derive(Clone, Debug, PartialEq)]
pub struct Fluent {
    /// In KIF notation, without `true`.
    pub text: String,
    /// Whether it is true at the start.
    pub initial: bool,
    /// When it is true in the next state.
    pub next: Signal,
}

/// Something that a role can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Whose move it is.
    pub role: RoleId,
    /// In KIF notation.
    pub text: String,
    /// When it is allowed, if the guard holds, too.
    pub legal: Signal,
    /// A condition that it shares with other moves; always true before there are any.
    pub guard: Signal,
}

/// A goal value of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The value, if it is a number.
    pub value: Option<i32>,
    /// When the role has it.
    pub holds: Signal,
}

/// Something that a role can be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Percept {
    /// In KIF notation.
    pub text: String,
    /// When it is told.
    pub holds: Signal,
}

/// A rule about a move that was compiled into the network, such as that it wins at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// What the rule says: `wins`, `safe`, `forced`.
    pub name: String,
    /// About which move.
    pub one_move: MoveId,
    /// When it says so.
    pub holds: Signal,
}

/// Moves of which no two are played at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) moves: Vec<MoveId>,
    /// Whether one of them is played at every step.
    pub(crate) exactly_one: bool,
}

/// The answers that a network does not give, because they depend on a predicate that stays lifted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// Whether the game is over.
    pub terminal: bool,
    /// Goal values.
    pub goals: bool,
    /// What roles are told.
    pub sees: bool,
    /// The predicate, or one of them.
    pub because_of: String,
}

impl Open {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.terminal || self.goals || self.sees
    }

    /// What they are called.
    pub fn names(&self) -> Vec<&'static str> {
        let all = [(self.terminal, "terminal"), (self.goals, "goal"), (self.sees, "sees")];
        all.into_iter().filter(|(open, _)| *open).map(|(_, name)| name).collect()
    }
}

/// Roles, fluents, moves, and the outputs of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The names of the roles.
    pub roles: Vec<String>,
    /// All that can be true, sorted by text.
    pub fluents: Vec<Fluent>,
    /// All that can be done, sorted by role and text.
    pub moves: Vec<Move>,
    /// When the game is over.
    pub terminal: Signal,
    /// For each role its goal values.
    pub goals: Vec<Vec<Goal>>,
    /// For each role what it can be told, sorted by text.
    pub sees: Vec<Vec<Percept>>,
    /// What rules say about moves, by name and in the order of the moves.
    pub hints: Vec<Hint>,
    /// The outputs that mean nothing: somebody else has to give these answers.
    pub open: Open,
    /// Groups of moves, of several roles perhaps, as far as somebody has found any.
    pub(crate) choices: Vec<Choice>,
    /// Which moves a role has.
    pub(super) moves_of: Vec<Range<u32>>,
}

impl Default for Signal {
    fn default() -> Signal {
        Signal::FALSE
    }
}

impl Interface {
    /// The input node of a fluent.
    pub fn fluent_node(&self, fluent: usize) -> NodeId {
        NodeId(1 + narrow(fluent))
    }

    /// The input node of a move.
    pub fn move_node(&self, one_move: MoveId) -> NodeId {
        NodeId(1 + narrow(self.fluents.len()) + one_move.0)
    }

    /// The first node that is neither false nor given.
    pub fn first_gate(&self) -> u32 {
        1 + narrow(self.fluents.len() + self.moves.len())
    }

    /// The number of the fluent that a node is, if it is one.
    pub fn fluent_of(&self, node: NodeId) -> Option<usize> {
        let fluent = node.index().checked_sub(1)?;
        (fluent < self.fluents.len()).then_some(fluent)
    }

    /// Whether a node is a fluent that is never true, be it by the rules or because nobody reads it.
    pub(crate) fn is_dropped(&self, node: NodeId) -> bool {
        self.fluent_of(node)
            .map(|fluent| &self.fluents[fluent])
            .is_some_and(|f| !f.initial && f.next == Signal::FALSE)
    }

    /// The move that a node is, if it is one.
    pub fn move_of(&self, node: NodeId) -> Option<MoveId> {
        let number = node.index().checked_sub(1 + self.fluents.len())?;
        (number < self.moves.len()).then_some(MoveId::new(number))
    }

    /// The moves of a role.
    pub fn moves_of(&self, role: RoleId) -> Range<u32> {
        self.moves_of[role.index()].clone()
    }

    /// The roles by number.
    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles.len() as u16).map(RoleId)
    }

    /// The hints of a name.
    pub fn hints_named(&self, name: &str) -> &[Hint] {
        let start = self.hints.partition_point(|hint| hint.name.as_str() < name);
        let end = self.hints.partition_point(|hint| hint.name.as_str() <= name);
        &self.hints[start..end]
    }

    /// Turns percepts such as `(wins (mark 1 1))` into hints about the moves that they name.
    pub(crate) fn percepts_to_hints(&mut self, names: &[String]) {
        for role in self.role_ids() {
            let percepts = std::mem::take(&mut self.sees[role.index()]);
            for percept in percepts {
                let inside = percept.text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
                let named = inside
                    .and_then(|text| text.split_once(' '))
                    .filter(|(name, _)| names.iter().any(|other| other == name))
                    .and_then(|(name, text)| Some((name, super::connect::find_move(self, role, text)?)));
                match named {
                    Some((name, one_move)) => {
                        self.hints.push(Hint { name: name.to_owned(), one_move, holds: percept.holds });
                    }
                    None => self.sees[role.index()].push(percept),
                }
            }
        }
        self.sort_hints();
    }

    /// Puts hints in order.
    pub(super) fn sort_hints(&mut self) {
        self.hints.sort_by(|a, b| (&a.name, a.one_move).cmp(&(&b.name, b.one_move)));
    }

    /// Calls `visit` with every output.
    pub fn for_each_output(&self, mut visit: impl FnMut(Signal)) {
        self.outputs().for_each(&mut visit);
    }

    /// Whether another interface of the same game has the same outputs and initial state.
    pub(super) fn has_same_outputs(&self, other: &Interface) -> bool {
        let initial = self.fluents.iter().map(|fluent| fluent.initial);
        self.outputs().eq(other.outputs()) && initial.eq(other.fluents.iter().map(|fluent| fluent.initial))
    }

    fn outputs(&self) -> impl Iterator<Item = Signal> + '_ {
        let legal = self.moves.iter().flat_map(|one_move| [one_move.legal, one_move.guard]);
        let next = self.fluents.iter().map(|fluent| fluent.next);
        let goals = self.goals.iter().flatten().map(|goal| goal.holds);
        let sees = self.sees.iter().flatten().map(|percept| percept.holds);
        let hints = self.hints.iter().map(|hint| hint.holds);
        legal.chain(next).chain([self.terminal]).chain(goals).chain(sees).chain(hints)
    }

    /// The same interface with every output replaced.
    pub(crate) fn map_outputs(&self, mut map: impl FnMut(Signal) -> Signal) -> Interface {
        let mut mapped = self.clone();
        for one_move in &mut mapped.moves {
            one_move.legal = map(one_move.legal);
            one_move.guard = map(one_move.guard);
        }
        mapped.fluents.iter_mut().for_each(|fluent| fluent.next = map(fluent.next));
        mapped.terminal = map(mapped.terminal);
        mapped.goals.iter_mut().flatten().for_each(|goal| goal.holds = map(goal.holds));
        mapped.hints.iter_mut().for_each(|hint| hint.holds = map(hint.holds));
        mapped.sees.iter_mut().flatten().for_each(|percept| percept.holds = map(percept.holds));
        mapped
    }
}
