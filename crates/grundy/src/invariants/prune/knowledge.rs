//! What is known about the atoms of a ground program.

use super::rules::Lit;
use crate::flat::{substitute, write_term};
use crate::ground::{AtomId, GroundProgram};
use crate::ids::{Id, IdVec, ids};
use crate::invariants::{InvariantKind, Invariants};
use grundy_syntax::{Budget, Exhausted, Keyword, TermId, Terms, VariableId};
use rustc_hash::FxHashMap;

/// The role of an atom in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A fact of the state, or a move.
    Input,
    /// An answer: `legal`, `next`, `terminal`, `goal`, `sees`.
    Output,
    /// Read by other rules only.
    View,
}

grundy_syntax::define_id! {
    /// A [`Group`].
    pub(super) struct GroupId(u32);
}

/// Atoms of which at most one holds.
pub(super) struct Group {
    pub(super) members: Vec<AtomId>,
    /// One of them holds.
    pub(super) exactly: bool,
}

pub(super) struct Knowledge {
    pub(super) roles: IdVec<AtomId, Role>,
    /// Atoms that are known to hold always, or never.
    pub(super) constant: IdVec<AtomId, Option<bool>>,
    pub(super) groups: IdVec<GroupId, Group>,
    /// For each atom, the groups that it is in.
    groups_of: IdVec<AtomId, Vec<GroupId>>,
    /// For a move, that it is legal.
    pub(super) legal: FxHashMap<AtomId, AtomId>,
}

impl Knowledge {
    pub(super) fn new(
        ground: &GroundProgram,
        invariants: &Invariants,
        uses_constants: bool,
        budget: &Budget,
    ) -> Result<Knowledge, Exhausted> {
        let atoms = ground.atom_count().index();
        let role = |atom: AtomId| match ground.program().info(ground.predicate_of(atom)).keyword {
            None => Role::View,
            Some(Keyword::True | Keyword::Does) => Role::Input,
            Some(_) => Role::Output,
        };
        let mut knowledge = Knowledge {
            roles: ids(atoms).map(role).collect(),
            constant: IdVec::filled(None, atoms),
            groups: IdVec::default(),
            groups_of: IdVec::filled(Vec::new(), atoms),
            legal: FxHashMap::default(),
        };
        knowledge.add_moves(ground);
        budget.check()?;
        knowledge.add_invariants(ground, invariants, uses_constants);
        budget.check()?;
        Ok(knowledge)
    }

    /// The groups of an atom.
    pub(super) fn groups_of(&self, atom: AtomId) -> &[GroupId] {
        &self.groups_of[atom]
    }

    /// The value of a condition, if it is known.
    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.constant[literal.atom()].map(|value| value == literal.is_positive())
    }

    fn add_group(&mut self, members: Vec<AtomId>, exactly: bool) {
        if members.len() > 1 {
            let group = GroupId::new(self.groups.len());
            members.iter().for_each(|&member| self.groups_of[member].push(group));
            self.groups.push(Group { members, exactly });
        }
    }

    /// Each role does one of its moves, and only what is legal.
    fn add_moves(&mut self, ground: &GroundProgram) {
        let mut arguments = Arguments { ground, terms: ground.flat().terms.clone() };
        let mut legal: FxHashMap<(TermId, TermId), AtomId> = FxHashMap::default();
        for atom in ground.atoms_of(Keyword::Legal) {
            legal.insert((arguments.of(atom, 0), arguments.of(atom, 1)), atom);
        }
        let mut by_role: FxHashMap<TermId, Vec<AtomId>> = FxHashMap::default();
        for atom in ground.atoms_of(Keyword::Does) {
            let (role, action) = (arguments.of(atom, 0), arguments.of(atom, 1));
            if let Some(&legal) = legal.get(&(role, action)) {
                self.legal.insert(atom, legal);
            }
            by_role.entry(role).or_default().push(atom);
        }
        let mut by_role: Vec<(String, Vec<AtomId>)> =
            by_role.into_iter().map(|(role, atoms)| (arguments.text(role), atoms)).collect();
        by_role.sort_unstable();
        for (_, mut atoms) in by_role {
            atoms.sort_unstable();
            // A move that no rule reads may have no atom, so that none of these may be done.
            self.add_group(atoms, false);
        }
    }

    fn add_invariants(&mut self, ground: &GroundProgram, invariants: &Invariants, uses_constants: bool) {
        // By text: the network that invariants come from has no terms in common with this program.
        let atoms = |keyword| -> FxHashMap<String, AtomId> {
            ground.atoms_of(keyword).map(|atom| (ground.arg_text(atom, 0), atom)).collect()
        };
        let (now, next) = (atoms(Keyword::True), atoms(Keyword::Next));
        for invariant in &invariants.proved {
            let texts = invariant.members.iter().map(|&member| &invariants.fluents[member]);
            let value = match invariant.kind {
                InvariantKind::Never => false,
                InvariantKind::Always => true,
                InvariantKind::AtMostOne | InvariantKind::ExactlyOne => {
                    let members: Vec<AtomId> = texts.filter_map(|text| now.get(text).copied()).collect();
                    let all = members.len() == invariant.members.len();
                    self.add_group(members, all && invariant.kind == InvariantKind::ExactlyOne);
                    continue;
                }
                InvariantKind::Exactly(_) => continue,
            };
            if uses_constants {
                for &atom in texts.flat_map(|text| [now.get(text), next.get(text)]).flatten() {
                    self.constant[atom] = Some(value);
                }
            }
        }
    }
}

/// The arguments of atoms as hash-consed terms, so that atoms of `does` and `legal` are joined by id although their
/// relations may split the same move into different columns.
struct Arguments<'a> {
    ground: &'a GroundProgram,
    terms: Terms,
}

impl Arguments<'_> {
    fn of(&mut self, atom: AtomId, argument: usize) -> TermId {
        let (template, row) = self.ground.atom_parts(atom);
        let values: IdVec<VariableId, Option<TermId>> =
            row.iter().map(|&value| Some(TermId(value))).collect();
        substitute(&mut self.terms, template[argument], &values)
    }

    fn text(&self, term: TermId) -> String {
        let mut text = String::new();
        write_term(&self.ground.program().symbols, &self.terms, term, &[], &mut text);
        text
    }
}
