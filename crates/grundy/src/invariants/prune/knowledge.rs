//! What is known about the atoms of a ground program.

use super::rules::Lit;
use crate::ground::{AtomId, GroundProgram};
use crate::ids::{Id, narrow};
use crate::invariants::{InvariantKind, Invariants};
use grundy_syntax::{Budget, Exhausted, Keyword};
use rustc_hash::FxHashMap;

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is given: a fact of the state, or a move.
    Input,
    /// Somebody asks for it from outside.
    Output,
    /// It is there for other rules.
    View,
}

/// Atoms of which at most one holds.
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    /// One of them holds.
    pub(super) exactly: bool,
}

pub(super) struct Knowledge {
    pub(super) roles: Vec<Role>,
    /// Atoms that are known to hold always, or never.
    pub(super) constant: Vec<Option<bool>>,
    pub(super) groups: Vec<Group>,
    /// For each atom, the groups that it is in.
    groups_of: Vec<Vec<u32>>,
    /// For a move, that it is legal.
    pub(super) legal: FxHashMap<u32, u32>,
}

impl Knowledge {
    pub(super) fn new(
        ground: &GroundProgram,
        invariants: &Invariants,
        wanted: &impl Fn(&str) -> bool,
        budget: &Budget,
    ) -> Result<Knowledge, Exhausted> {
        let atoms = ground.atom_count().index();
        let mut roles = vec![Role::Output; atoms];
        for (atom, role) in roles.iter_mut().enumerate() {
            let info = ground.program().info(ground.predicate_of(AtomId::new(atom)));
            *role = match info.keyword {
                None => Role::View,
                Some(Keyword::True | Keyword::Does) => Role::Input,
                Some(_) => Role::Output,
            };
        }
        let mut knowledge = Knowledge {
            roles,
            constant: vec![None; atoms],
            groups: Vec::new(),
            groups_of: vec![Vec::new(); atoms],
            legal: FxHashMap::default(),
        };
        knowledge.add_moves(ground);
        budget.check()?;
        knowledge.add_invariants(ground, invariants, wanted);
        budget.check()?;
        Ok(knowledge)
    }

    /// The groups of an atom.
    pub(super) fn groups_of(&self, atom: u32) -> &[u32] {
        &self.groups_of[atom.index()]
    }

    /// The value of a condition, if it is known.
    pub(super) fn value(&self, literal: Lit) -> Option<bool> {
        self.constant[literal.atom().index()].map(|value| value == literal.is_positive())
    }

    fn add_group(&mut self, members: Vec<u32>, exactly: bool) {
        if members.len() > 1 {
            members.iter().for_each(|&member| self.groups_of[member.index()].push(narrow(self.groups.len())));
            self.groups.push(Group { members, exactly });
        }
    }

    /// Each role does one of its moves, and only what is legal.
    fn add_moves(&mut self, ground: &GroundProgram) {
        let mut legal: FxHashMap<(String, String), u32> = FxHashMap::default();
        let name = |atom: AtomId| (ground.arg_text(atom, 0), ground.arg_text(atom, 1));
        for atom in ground.atoms_of(Keyword::Legal) {
            legal.insert(name(atom), atom.0);
        }
        let mut by_role: Vec<(String, u32)> = Vec::new();
        for atom in ground.atoms_of(Keyword::Does) {
            let name = name(atom);
            if let Some(&legal) = legal.get(&name) {
                self.legal.insert(atom.0, legal);
            }
            by_role.push((name.0, atom.0));
        }
        by_role.sort_unstable();
        for run in by_role.chunk_by(|a, b| a.0 == b.0) {
            // A move that no rule reads may have no atom, so that none of these may be done.
            self.add_group(run.iter().map(|(_, atom)| *atom).collect(), false);
        }
    }

    fn add_invariants(
        &mut self,
        ground: &GroundProgram,
        invariants: &Invariants,
        wanted: &impl Fn(&str) -> bool,
    ) {
        let atoms = |keyword| -> FxHashMap<String, u32> {
            ground.atoms_of(keyword).map(|atom| (ground.arg_text(atom, 0), atom.0)).collect()
        };
        let (now, next) = (atoms(Keyword::True), atoms(Keyword::Next));
        for invariant in &invariants.proved {
            let texts = invariant.members.iter().map(|&member| &invariants.fluents[member.index()]);
            let value = match invariant.kind {
                InvariantKind::Never => false,
                InvariantKind::Always => true,
                InvariantKind::AtMostOne | InvariantKind::ExactlyOne => {
                    let members: Vec<u32> = texts.filter_map(|text| now.get(text).copied()).collect();
                    let all = members.len() == invariant.members.len();
                    self.add_group(members, all && invariant.kind == InvariantKind::ExactlyOne);
                    continue;
                }
                InvariantKind::Exactly(_) => continue,
            };
            if wanted("constants") {
                for atom in texts.flat_map(|text| [now.get(text), next.get(text)]).flatten() {
                    self.constant[atom.index()] = Some(value);
                }
            }
        }
    }
}
