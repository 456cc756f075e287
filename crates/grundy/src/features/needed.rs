//! The atoms that features depend on, in the order in which they can be treated.

use super::clauses::{Clauses, NO_FACT};
use crate::ground::AtomId;
use crate::ids::Id;
use grundy_syntax::Exhausted;

/// Atoms that depend on each other; mostly there is just one.
pub(super) struct Component {
    pub(super) atoms: Vec<u32>,
    /// Whether they depend on themselves.
    pub(super) is_loop: bool,
}

/// The components of views that the features depend on, each behind all that it depends on.
pub(super) fn needed(clauses: &Clauses) -> Result<Vec<Component>, Exhausted> {
    let rules = &clauses.rules;
    let mut wanted = vec![false; clauses.fact_of.len()];
    let mut open: Vec<u32> = clauses.heads.iter().map(|head| head.atom.0).collect();
    open.iter().for_each(|&atom| wanted[atom.index()] = true);
    while let Some(atom) = open.pop() {
        for literal in rules.of(AtomId(atom)).iter().flat_map(|&rule| rules.body(rule)) {
            if !std::mem::replace(&mut wanted[literal.atom.index()], true) {
                open.push(literal.atom.0);
            }
        }
    }
    let is_view = |atom: &AtomId| wanted[atom.index()] && clauses.fact_of[atom.index()] == NO_FACT;
    let components = rules.components(&clauses.budget)?;
    let components = components.into_iter().filter(|atoms| is_view(&atoms[0]));
    let component = |atoms: Vec<AtomId>| {
        let is_loop = atoms.len() > 1 || rules.depends_on(atoms[0], atoms[0]);
        Component { atoms: atoms.into_iter().map(|atom| atom.0).collect(), is_loop }
    };
    Ok(components.map(component).collect())
}
