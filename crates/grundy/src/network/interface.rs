//! What goes into a network and what comes out, by name.

use super::{NodeId, Signal};
use crate::ids::{IdVec, ids_in};
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

/// A percept of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Percept {
    /// In KIF notation.
    pub text: String,
    /// When the role gets it.
    pub holds: Signal,
    /// The name and the argument of a percept such as `(wins (mark 1 1))`, if that is a move of the role.
    pub(crate) about: Option<(String, MoveId)>,
}

/// A rule about a move that was compiled into the network, such as that it wins at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// What the rule says: `wins`, `safe`, `forced`.
    pub name: String,
    /// The move that it is about.
    pub about: MoveId,
    /// When the rule holds.
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
pub struct LiftedAnswers {
    /// Whether the game is over.
    pub terminal: bool,
    /// Goal values.
    pub goals: bool,
    /// Percepts.
    pub sees: bool,
    /// The predicate, or one of them.
    pub predicate: String,
}

impl LiftedAnswers {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.terminal || self.goals || self.sees
    }

    /// Their keywords.
    pub fn names(&self) -> Vec<&'static str> {
        let all = [(self.terminal, "terminal"), (self.goals, "goal"), (self.sees, "sees")];
        all.into_iter().filter(|(is_lifted, _)| *is_lifted).map(|(_, name)| name).collect()
    }
}

/// Roles, fluents, moves, and the outputs of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The names of the roles.
    pub roles: IdVec<RoleId, String>,
    /// All fluents, sorted by text.
    pub fluents: IdVec<FluentId, Fluent>,
    /// All moves, sorted by role and text.
    pub moves: IdVec<MoveId, Move>,
    /// When the game is over.
    pub terminal: Signal,
    /// For each role its goal values.
    pub goals: IdVec<RoleId, Vec<Goal>>,
    /// For each role its possible percepts, sorted by text.
    pub sees: IdVec<RoleId, Vec<Percept>>,
    /// Rules about moves, by name and in the order of the moves.
    pub hints: Vec<Hint>,
    /// The outputs that mean nothing, because another engine has to give these answers.
    pub lifted: LiftedAnswers,
    /// The groups of moves that are known, of one role or of several.
    pub(crate) choices: Vec<Choice>,
    /// The moves of each role.
    pub(super) moves_of: IdVec<RoleId, Range<MoveId>>,
}

impl Default for Signal {
    fn default() -> Signal {
        Signal::FALSE
    }
}

impl Interface {
    /// The input node of a fluent.
    #[inline]
    pub fn fluent_node(&self, fluent: FluentId) -> NodeId {
        NodeId(1 + fluent.0)
    }

    /// The input node of a move.
    #[inline]
    pub fn move_node(&self, played: MoveId) -> NodeId {
        NodeId::new(1 + self.fluents.len() + played.index())
    }

    /// The first node that is neither false nor an input.
    pub fn first_gate(&self) -> NodeId {
        NodeId::new(1 + self.fluents.len() + self.moves.len())
    }

    /// The nodes of the fluents, in order.
    pub(crate) fn fluent_nodes(&self) -> Range<NodeId> {
        NodeId(1)..NodeId::new(1 + self.fluents.len())
    }

    /// The nodes of the moves, in order.
    pub(crate) fn move_nodes(&self) -> Range<NodeId> {
        NodeId::new(1 + self.fluents.len())..self.first_gate()
    }

    /// The fluent of an input node.
    #[inline]
    pub fn fluent_of(&self, node: NodeId) -> Option<FluentId> {
        let fluent = FluentId(node.0.checked_sub(1)?);
        (fluent.index() < self.fluents.len()).then_some(fluent)
    }

    /// Whether a node is a fluent that is never true, either by the rules or because the pass `unread` removed it.
    pub(crate) fn is_dropped(&self, node: NodeId) -> bool {
        self.fluent_of(node)
            .map(|fluent| &self.fluents[fluent])
            .is_some_and(|f| !f.initial && f.next == Signal::FALSE)
    }

    /// The move of an input node.
    pub fn move_of(&self, node: NodeId) -> Option<MoveId> {
        let number = node.index().checked_sub(1 + self.fluents.len())?;
        (number < self.moves.len()).then_some(MoveId::new(number))
    }

    /// The moves of a role, in order.
    pub fn moves_of(
        &self,
        role: RoleId,
    ) -> impl DoubleEndedIterator<Item = MoveId> + ExactSizeIterator + Clone + use<> {
        ids_in(&self.moves_of[role])
    }

    /// The roles, in order.
    pub fn role_ids(&self) -> impl DoubleEndedIterator<Item = RoleId> + ExactSizeIterator + Clone + use<> {
        self.roles.ids()
    }

    /// The fluent of this text in KIF notation.
    pub fn find_fluent(&self, text: &str) -> Option<FluentId> {
        let found = self.fluents.as_slice().binary_search_by(|fluent| fluent.text.as_str().cmp(text));
        found.ok().map(FluentId::new)
    }

    /// The hints of a name.
    pub fn hints_named(&self, name: &str) -> &[Hint] {
        let start = self.hints.partition_point(|hint| hint.name.as_str() < name);
        let end = self.hints.partition_point(|hint| hint.name.as_str() <= name);
        &self.hints[start..end]
    }

    /// Turns percepts of these names, such as `(wins (mark 1 1))`, into hints about the moves that they name.
    pub(crate) fn percepts_to_hints(&mut self, names: &[String]) {
        for percepts in self.sees.iter_mut() {
            for percept in std::mem::take(percepts) {
                match &percept.about {
                    Some((name, about)) if names.contains(name) => {
                        self.hints.push(Hint { name: name.clone(), about: *about, holds: percept.holds });
                    }
                    _ => percepts.push(percept),
                }
            }
        }
        self.sort_hints();
    }

    /// Puts hints in order.
    pub(super) fn sort_hints(&mut self) {
        self.hints.sort_by(|a, b| (&a.name, a.about).cmp(&(&b.name, b.about)));
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
        let legal = self.moves.iter().flat_map(|m| [m.legal, m.guard]);
        let next = self.fluents.iter().map(|fluent| fluent.next);
        let goals = self.goals.iter().flatten().map(|goal| goal.holds);
        let sees = self.sees.iter().flatten().map(|percept| percept.holds);
        let hints = self.hints.iter().map(|hint| hint.holds);
        legal.chain(next).chain([self.terminal]).chain(goals).chain(sees).chain(hints)
    }

    /// The same interface with every output replaced.
    pub(crate) fn map_outputs(&self, mut map: impl FnMut(Signal) -> Signal) -> Interface {
        let mut mapped = self.clone();
        for m in mapped.moves.iter_mut() {
            m.legal = map(m.legal);
            m.guard = map(m.guard);
        }
        mapped.fluents.iter_mut().for_each(|fluent| fluent.next = map(fluent.next));
        mapped.terminal = map(mapped.terminal);
        mapped.goals.iter_mut().flatten().for_each(|goal| goal.holds = map(goal.holds));
        mapped.hints.iter_mut().for_each(|hint| hint.holds = map(hint.holds));
        mapped.sees.iter_mut().flatten().for_each(|percept| percept.holds = map(percept.holds));
        mapped
    }
}
