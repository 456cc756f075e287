//! Putting rules back into a ground program.

use super::WORK;
use super::rules::Rules;
use crate::flat::RelationId;
use crate::ground::arena::Arena;
use crate::ground::{Block, GroundProgram};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// Head relation, and relation and sign of each condition.
type Signature = (RelationId, Vec<(RelationId, bool)>);

impl GroundProgram {
    /// Replaces all rules, unless the budget is used up.
    pub(super) fn set_rules(&mut self, rules: &Rules, budget: &Budget) -> Result<(), Exhausted> {
        let mut ticks = Ticks::default();
        let relation_of = |atom: u32| self.offsets.partition_point(|&offset| offset <= atom) - 1;
        let mut blocks: Vec<Block> = Vec::new();
        let mut by_signature: FxHashMap<Signature, usize> = FxHashMap::default();
        let mut record = Vec::new();
        for (head, body) in rules.iter() {
            ticks.work(budget, WORK * (1 + body.len()))?;
            let row = |atom: u32, relation: usize| atom - self.offsets[relation];
            let head_relation = relation_of(head);
            let mut conditions: Vec<((RelationId, bool), u32)> = body
                .iter()
                .map(|literal| {
                    let relation = relation_of(literal.atom());
                    ((RelationId(relation as u32), literal.is_positive()), row(literal.atom(), relation))
                })
                .collect();
            conditions.sort_unstable();
            record.clear();
            record.push(row(head, head_relation));
            record.extend(conditions.iter().map(|(_, row)| *row));
            let kinds: Vec<(RelationId, bool)> = conditions.into_iter().map(|(kind, _)| kind).collect();
            let signature = (RelationId(head_relation as u32), kinds);
            let block = *by_signature.entry(signature).or_insert_with_key(|(head, literals)| {
                let rows = Arena::new(1 + literals.len());
                blocks.push(Block { head: *head, literals: literals.clone().into(), rows });
                blocks.len() - 1
            });
            blocks[block].rows.push(&record);
        }
        self.blocks = blocks;
        Ok(())
    }
}
