//! Static relations that depend on their own negation.
//!
//! Such rules can be sound: negation may be stratified per ground atom where it is not stratified per predicate. Evaluation
//! component by component cannot decide that. Therefore these relations, and all that depend on them, are treated as
//! dynamic: their negation does not prune, their ground rules are kept, and the network orders the atoms.

use crate::flat::{Flat, FlatLiteral, RelationKind, components, raise_kinds};
use crate::graph::component_of;
use crate::ids::Id;
use grundy_syntax::{Keyword, Program};

/// Makes static relations that depend on their own negation dynamic. If `init` or `role`, which have to be static, depend on
/// such a relation, nothing changes.
pub(super) fn raise_negated(program: &Program, flat: &mut Flat) {
    let components = components(flat, |_| true);
    let component_of = component_of(&components, flat.relations.len());
    let mut raised = flat.clone();
    for rule in &flat.rules {
        let head = rule.head.relation;
        let negates_itself = rule.body.iter().any(|literal| match literal {
            FlatLiteral::Not(atom) => component_of[atom.relation] == component_of[head],
            FlatLiteral::Holds(_) | FlatLiteral::Distinct(_) => false,
        });
        if negates_itself && flat.info(head).kind == RelationKind::Static {
            for &member in &components[component_of[head].index()] {
                raised.relations[member].kind = RelationKind::Dynamic;
            }
        }
    }
    raise_kinds(&mut raised, |_| false);
    let is_needed = |keyword| matches!(keyword, Some(Keyword::Init | Keyword::Role));
    let mut relations = raised.relations.iter().zip(&flat.relations);
    if relations.all(|(new, old)| new.kind == old.kind || !is_needed(program.info(new.predicate).keyword)) {
        *flat = raised;
    }
}
