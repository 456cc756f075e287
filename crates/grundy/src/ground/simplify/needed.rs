//! What answers depend on.

use super::Draft;
use crate::flat::{RelationId, RelationKind};
use crate::graph::Graph;
use crate::ground::Block;
use crate::ids::Id;

/// Drops rules for atoms of views that no answer needs.
pub(super) fn drop_unneeded(draft: &mut Draft<'_>) {
    let count = draft.relations.len();
    let is_view = |relation: usize| {
        draft.program.info(draft.flat.relations[relation].predicate).keyword.is_none()
            && draft.flat.relations[relation].kind == RelationKind::Dynamic
    };
    let views: Vec<bool> = (0..count).map(is_view).collect();
    let rows = |relation: usize| if views[relation] { draft.relations[relation].len().index() } else { 0 };
    let mut needed: Vec<Vec<bool>> = (0..count).map(|relation| vec![false; rows(relation)]).collect();
    let mut graph = Graph::new(count);
    let mut blocks_of: Vec<Vec<&Block>> = vec![Vec::new(); count];
    for block in draft.blocks.iter() {
        blocks_of[block.head.index()].push(block);
        block.literals.iter().for_each(|(body, _)| graph.add_edge(block.head.index(), body.index()));
    }
    // A component stands behind all that it needs, so callers come first from the end.
    for members in graph.components().into_iter().rev() {
        let mut changed = true;
        while changed && !draft.flat.budget.is_over() {
            changed = false;
            for block in members.iter().flat_map(|&member| &blocks_of[member]) {
                changed |= mark(block, &views, &mut needed, &members);
            }
        }
    }
    for block in draft.blocks.iter_mut().filter(|block| views[block.head.index()]) {
        let wanted = &needed[block.head.index()];
        if block.rows.iter().any(|record| !wanted[record[0].index()]) {
            block.rows.retain(|record| wanted[record[0].index()]);
        }
    }
}

/// Marks the conditions of the needed rules of a block; tells whether that has to be repeated for its component.
fn mark(block: &Block, views: &[bool], needed: &mut [Vec<bool>], members: &[usize]) -> bool {
    let head = block.head.index();
    let is_wanted = |relation: &RelationId| views[relation.index()];
    let literals: Vec<(usize, usize)> = (0..block.literals.len())
        .filter(|&at| is_wanted(&block.literals[at].0))
        .map(|at| (at + 1, block.literals[at].0.index()))
        .collect();
    if literals.is_empty() {
        return false;
    }
    let mut changed = false;
    // What a rule needs has mostly been derived before its head, so that most heads are known to be needed when it is
    // the rule's turn if one begins at the end.
    for record in block.rows.iter().rev() {
        if views[head] && !needed[head][record[0].index()] {
            continue;
        }
        for &(at, relation) in &literals {
            let known = std::mem::replace(&mut needed[relation][record[at].index()], true);
            changed |= !known && members.contains(&relation);
        }
    }
    changed
}
