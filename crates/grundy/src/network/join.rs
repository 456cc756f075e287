//! Which atoms of a ground program stand for the same fluent or the same move.
//!
//! `(true (cell 1 x))`, `(next (cell 1 x))` and the initial fact `(cell 1 x)` are atoms of three relations, and their
//! relations may take the term apart in different ways: one has a column for each argument of `cell`, another one column
//! for the whole term. So each argument is put together again as a hash-consed term, and atoms are joined by the ids of
//! these terms. Text is only written to sort fluents and moves, once for each.

use super::{Fluent, FluentId, Goal, Interface, Move, MoveId, Percept, RoleId, Signal};
use crate::flat::{substitute, write_term};
use crate::ground::{AtomId, GroundProgram};
use crate::ids::{Id, IdVec};
use grundy_syntax::{Budget, Exhausted, Keyword, Term, TermId, Terms, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fluents, moves and roles by their terms.
pub(super) struct Join<'a> {
    ground: &'a GroundProgram,
    terms: Terms,
    roles: FxHashMap<TermId, RoleId>,
    fluents: FxHashMap<TermId, FluentId>,
    moves: FxHashMap<(RoleId, TermId), MoveId>,
}

impl<'a> Join<'a> {
    /// The interface without outputs, and the terms of its parts. Atoms of `true`, `next`, `does` and `legal` for which
    /// `is_used` is false do not count: no rule reads them, and none derives them.
    pub(super) fn new(
        ground: &'a GroundProgram,
        is_used: impl Fn(AtomId) -> bool,
        budget: &Budget,
    ) -> Result<(Join<'a>, Interface), Exhausted> {
        let roles = ground.program().roles().into_iter().zip(crate::ids::ids(ground.program().roles().len()));
        let mut join = Join {
            ground,
            terms: ground.flat().terms.clone(),
            roles: roles.collect(),
            fluents: FxHashMap::default(),
            moves: FxHashMap::default(),
        };
        let fluents = join.fluents(&is_used);
        budget.check()?;
        let moves = join.moves(&is_used);
        budget.check()?;
        let roles: IdVec<RoleId, String> = ground.role_names().into();
        let moves_of = roles.ids().map(|role| {
            let first =
                |role: usize| MoveId::new(moves.as_slice().partition_point(|m: &Move| m.role.index() < role));
            first(role.index())..first(role.index() + 1)
        });
        let interface = Interface {
            fluents,
            moves_of: moves_of.collect(),
            moves,
            goals: IdVec::filled(Vec::new(), roles.len()),
            sees: IdVec::filled(Vec::new(), roles.len()),
            roles,
            ..Interface::default()
        };
        Ok((join, interface))
    }

    /// The fluents in the order of their texts: all that can be true, become true, or is true at the start.
    fn fluents(&mut self, is_used: &impl Fn(AtomId) -> bool) -> IdVec<FluentId, Fluent> {
        let ground = self.ground;
        let initial = ground.initial_parts().map(|(template, row)| self.term(template[0], &row));
        let initial: FxHashSet<TermId> = initial.collect();
        let mut found = initial.clone();
        for keyword in [Keyword::True, Keyword::Next] {
            let atoms = ground.atoms_of(keyword).filter(|&atom| is_used(atom));
            found.extend(atoms.map(|atom| self.argument(atom, 0)));
        }
        let mut sorted: Vec<(String, TermId)> =
            found.into_iter().map(|term| (self.text(term), term)).collect();
        sorted.sort_unstable();
        self.fluents = sorted.iter().map(|&(_, term)| term).zip((0..).map(FluentId)).collect();
        let fluent = |(text, term)| Fluent { text, initial: initial.contains(&term), next: Signal::FALSE };
        sorted.into_iter().map(fluent).collect()
    }

    /// The moves, by role and in the order of their texts.
    fn moves(&mut self, is_used: &impl Fn(AtomId) -> bool) -> IdVec<MoveId, Move> {
        let ground = self.ground;
        let mut found: FxHashSet<(RoleId, TermId)> = FxHashSet::default();
        for keyword in [Keyword::Legal, Keyword::Does] {
            let atoms = ground.atoms_of(keyword).filter(|&atom| is_used(atom));
            found.extend(atoms.filter_map(|atom| self.role_and_term(atom)));
        }
        let mut sorted: Vec<(RoleId, String, TermId)> =
            found.into_iter().map(|(role, term)| (role, self.text(term), term)).collect();
        sorted.sort_unstable();
        self.moves = sorted.iter().map(|&(role, _, term)| (role, term)).zip((0..).map(MoveId)).collect();
        let info = |(role, text, _)| Move { role, text, legal: Signal::FALSE, guard: Signal::TRUE };
        sorted.into_iter().map(info).collect()
    }

    /// The signals of the atoms of `true` and `does`; all other atoms are false until rules define them.
    pub(super) fn input_signals(&mut self, interface: &Interface) -> IdVec<AtomId, Signal> {
        let ground = self.ground;
        let mut signals = IdVec::filled(Signal::FALSE, ground.atom_count().index());
        for atom in ground.atoms_of(Keyword::True) {
            let fact = self.argument(atom, 0);
            if let Some(&fluent) = self.fluents.get(&fact) {
                signals[atom] = Signal::of(interface.fluent_node(fluent));
            }
        }
        for atom in ground.atoms_of(Keyword::Does) {
            if let Some(done) = self.move_of(atom) {
                signals[atom] = Signal::of(interface.move_node(done));
            }
        }
        signals
    }

    /// Adds the outputs to an interface.
    pub(super) fn outputs(&mut self, signals: &IdVec<AtomId, Signal>, interface: &mut Interface) {
        let ground = self.ground;
        for atom in ground.atoms_of(Keyword::Next) {
            let fact = self.argument(atom, 0);
            if let Some(&fluent) = self.fluents.get(&fact) {
                interface.fluents[fluent].next = signals[atom];
            }
        }
        for atom in ground.atoms_of(Keyword::Legal) {
            if let Some(legal) = self.move_of(atom) {
                interface.moves[legal].legal = signals[atom];
            }
        }
        for atom in ground.atoms_of(Keyword::Goal) {
            if let Some((role, value)) = self.role_and_term(atom) {
                let goal = Goal { value: self.text(value).parse().ok(), holds: signals[atom] };
                interface.goals[role].push(goal);
            }
        }
        for atom in ground.atoms_of(Keyword::Sees) {
            if let Some((role, term)) = self.role_and_term(atom) {
                let about = self.percept_about_move(role, term);
                interface.sees[role].push(Percept { text: self.text(term), holds: signals[atom], about });
            }
        }
        interface.sees.iter_mut().for_each(|percepts| percepts.sort_by(|a, b| a.text.cmp(&b.text)));
        let terminal = ground.atoms_of(Keyword::Terminal).next();
        interface.terminal = terminal.map_or(Signal::FALSE, |atom| signals[atom]);
    }

    /// The name and the move of a percept such as `(wins (mark 1 1))`.
    fn percept_about_move(&self, role: RoleId, percept: TermId) -> Option<(String, MoveId)> {
        let Term::Compound(name, &[argument]) = self.terms.get(percept) else { return None };
        let &about = self.moves.get(&(role, argument))?;
        Some((self.ground.program().symbols.name(name).to_owned(), about))
    }

    /// The move of an atom of `does` or `legal`.
    fn move_of(&mut self, atom: AtomId) -> Option<MoveId> {
        let key = self.role_and_term(atom)?;
        self.moves.get(&key).copied()
    }

    /// The first two arguments of an atom, if the first one is a role.
    fn role_and_term(&mut self, atom: AtomId) -> Option<(RoleId, TermId)> {
        let role = self.argument(atom, 0);
        Some((*self.roles.get(&role)?, self.argument(atom, 1)))
    }

    /// An argument of an atom as a ground term.
    fn argument(&mut self, atom: AtomId, number: usize) -> TermId {
        let (template, row) = self.ground.atom_parts(atom);
        self.term(template[number], &row)
    }

    /// A term with the columns of a row in the place of its variables.
    fn term(&mut self, template: TermId, row: &[u32]) -> TermId {
        let values: IdVec<VariableId, Option<TermId>> =
            row.iter().map(|&value| Some(TermId(value))).collect();
        substitute(&mut self.terms, template, &values)
    }

    fn text(&self, term: TermId) -> String {
        let mut text = String::new();
        write_term(&self.ground.program().symbols, &self.terms, term, &[], &mut text);
        text
    }
}
