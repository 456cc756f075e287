//! Atoms that always hold.

use super::Draft;
use crate::flat::RelationId;
use crate::ground::arena::Arena;
use crate::ground::{Block, BlockId};
use crate::ids::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Atoms that a rule without conditions gives, by relation.
type Facts = FxHashMap<RelationId, FxHashSet<u32>>;

/// Head relation, and relation and sign of each condition.
type Signature = (RelationId, Vec<(RelationId, bool)>);

/// Removes facts from conditions, and removes the rules that they make superfluous: those with their negation as a
/// condition, and other rules for the same atom. A rule without conditions left is a fact, so this is repeated.
pub(super) fn fold_facts(draft: &mut Draft<'_>) {
    let mut facts = Facts::default();
    loop {
        let before: usize = facts.values().map(FxHashSet::len).sum();
        for block in draft.blocks.iter().filter(|block| block.literals.is_empty()) {
            let known = facts.entry(block.head).or_default();
            known.extend(block.rows.iter().map(|record| record[0]));
        }
        let after: usize = facts.values().map(FxHashSet::len).sum();
        if after == before || draft.flat.budget.is_over() {
            return;
        }
        fold(draft.blocks, &facts);
    }
}

fn fold(blocks: &mut IdVec<BlockId, Block>, facts: &Facts) {
    let none = FxHashSet::default();
    let of = |relation: RelationId| facts.get(&relation).unwrap_or(&none);
    let mut changed: FxHashMap<Signature, FxHashSet<Vec<u32>>> = FxHashMap::default();
    for block in blocks.iter_mut() {
        let heads = of(block.head);
        let is_affected = block.literals.iter().any(|(relation, _)| !of(*relation).is_empty());
        if block.literals.is_empty() || (heads.is_empty() && !is_affected) {
            continue;
        }
        let literals: SmallVec<[(&FxHashSet<u32>, bool); 8]> =
            block.literals.iter().map(|&(relation, positive)| (of(relation), positive)).collect();
        let all = std::mem::replace(&mut block.rows, Arena::new(1 + block.literals.len()));
        for record in all.iter() {
            let is_fact = |at: usize| literals[at].0.contains(&record[at + 1]);
            if heads.contains(&record[0]) || (0..literals.len()).any(|at| !literals[at].1 && is_fact(at)) {
                continue;
            }
            let kept: SmallVec<[usize; 8]> = (0..literals.len()).filter(|&at| !is_fact(at)).collect();
            if kept.len() == literals.len() {
                block.rows.push(record);
                continue;
            }
            let kinds = kept.iter().map(|&at| block.literals[at]).collect();
            let shorter = std::iter::once(record[0]).chain(kept.iter().map(|&at| record[at + 1])).collect();
            changed.entry((block.head, kinds)).or_default().insert(shorter);
        }
    }
    let mut changed: Vec<_> = changed.into_iter().collect();
    changed.sort_by(|a, b| a.0.cmp(&b.0));
    let known = blocks.entries().map(|(at, block)| ((block.head, block.literals.to_vec()), at));
    let mut known: FxHashMap<Signature, BlockId> = known.collect();
    for (signature, records) in changed {
        let (head, literals) = &signature;
        let at = *known.entry(signature.clone()).or_insert_with(|| {
            let rows = Arena::new(1 + literals.len());
            blocks.push(Block { head: *head, literals: literals.as_slice().into(), rows })
        });
        add_records(&mut blocks[at], records);
    }
}

/// Adds records to a block, unless they are there.
fn add_records(block: &mut Block, mut records: FxHashSet<Vec<u32>>) {
    for record in block.rows.iter() {
        records.remove(record);
    }
    let mut records: Vec<Vec<u32>> = records.into_iter().collect();
    records.sort_unstable();
    records.iter().for_each(|record| block.rows.push(record));
}
