//! The atoms that features depend on, in the order in which they can be treated.

use super::clauses::Clauses;
use crate::ground::AtomId;
use crate::ids::BitSet;
use grundy_syntax::Exhausted;

/// Atoms that depend on each other; mostly there is just one.
pub(super) struct Component {
    pub(super) atoms: Vec<AtomId>,
    /// Whether they depend on themselves.
    pub(super) is_loop: bool,
}

/// The components of views that the features depend on, each behind all that it depends on.
pub(super) fn needed(clauses: &Clauses) -> Result<Vec<Component>, Exhausted> {
    let rules = &clauses.rules;
    let mut wanted: BitSet<AtomId> = BitSet::empty(clauses.atom_count());
    let mut open: Vec<AtomId> = clauses.heads.iter().map(|head| head.atom).collect();
    open.iter().for_each(|&atom| wanted.set(atom, true));
    while let Some(atom) = open.pop() {
        for literal in rules.of(atom).iter().flat_map(|&rule| rules.body(rule)) {
            if wanted.insert(literal.atom) {
                open.push(literal.atom);
            }
        }
    }
    let is_view = |atom: AtomId| wanted.contains(atom) && clauses.fact_of(atom).is_none();
    let components = rules.components(&clauses.budget)?;
    let components = components.into_iter().filter(|atoms| is_view(atoms[0]));
    let component = |atoms: Vec<AtomId>| {
        let is_loop = atoms.len() > 1 || rules.depends_on(atoms[0], atoms[0]);
        Component { atoms, is_loop }
    };
    Ok(components.map(component).collect())
}
