//! Removal of rules that no answer depends on.

use super::Draft;
use crate::datalog::Relation;
use crate::flat::{RelationId, RelationKind};
use crate::graph::Graph;
use crate::ground::Block;
use crate::ids::{BitSet, Csr, Id, IdVec};

/// Drops rules for atoms of views that no answer needs.
pub(super) fn drop_unneeded(draft: &mut Draft<'_>) {
    let count = draft.relations.len();
    let is_view = |&relation: &RelationId| {
        draft.flat.keyword(draft.program, relation).is_none()
            && draft.flat.info(relation).kind == RelationKind::Dynamic
    };
    let views = draft.flat.relations_where(is_view);
    let rows = |(relation, rows): (RelationId, &Relation)| {
        if views.contains(relation) { rows.len().index() } else { 0 }
    };
    let mut needed: Needed = draft.relations.entries().map(|entry| vec![false; rows(entry)]).collect();
    let mut graph = Graph::new(count);
    for block in draft.blocks.iter() {
        block.literals.iter().for_each(|&(body, _)| graph.add_edge(block.head, body));
    }
    let by_head = draft.blocks.entries().map(|(id, block)| (block.head, id));
    let blocks_of = Csr::grouped(count, by_head);
    // Components come after what they depend on, so the reverse order visits callers first.
    for members in graph.components().into_iter().rev() {
        let mut changed = true;
        while changed && !draft.flat.budget.is_over() {
            changed = false;
            for &block in members.iter().flat_map(|&member| &blocks_of[member]) {
                changed |= mark(&draft.blocks[block], &views, &mut needed, &members);
            }
        }
    }
    for block in draft.blocks.iter_mut().filter(|block| views.contains(block.head)) {
        let wanted = &needed[block.head];
        if block.rows.iter().any(|record| !wanted[record[0].index()]) {
            block.rows.retain(|record| wanted[record[0].index()]);
        }
    }
}

/// For each relation, for each of its rows, whether an answer needs the atom; no rows for relations that are not views.
type Needed = IdVec<RelationId, Vec<bool>>;

/// Marks the conditions of the needed rules of a block. Returns whether its component has to be visited again.
fn mark(block: &Block, views: &BitSet<RelationId>, needed: &mut Needed, members: &[RelationId]) -> bool {
    let head = block.head;
    let is_wanted = |relation: &RelationId| views.contains(*relation);
    let literals: Vec<(usize, RelationId)> = (0..block.literals.len())
        .filter(|&at| is_wanted(&block.literals[at].0))
        .map(|at| (at + 1, block.literals[at].0))
        .collect();
    if literals.is_empty() {
        return false;
    }
    let mut changed = false;
    // The conditions of a rule were mostly derived before its head, so in reverse order most heads are marked before their
    // rules are visited.
    for record in block.rows.iter().rev() {
        if views.contains(head) && !needed[head][record[0].index()] {
            continue;
        }
        for &(at, relation) in &literals {
            let known = std::mem::replace(&mut needed[relation][record[at].index()], true);
            changed |= !known && members.contains(&relation);
        }
    }
    changed
}
