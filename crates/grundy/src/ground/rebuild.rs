//! Other rules for a ground program.

use super::arena::Arena;
use super::{AtomId, Block, GroundLiteral, GroundProgram};
use crate::flat::RelationId;
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// Head relation, and relation and sign of each condition.
type Signature = (RelationId, Vec<(RelationId, bool)>);

/// The work for a rule or a condition, as [`Ticks`] count it.
const WORK: usize = 8;

impl GroundProgram {
    /// Replaces all rules, unless the budget is used up. The atoms are those of the program.
    pub(crate) fn set_rules(
        &mut self,
        rules: impl Iterator<Item = (AtomId, Vec<GroundLiteral>)>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut ticks = Ticks::default();
        let mut blocks: Vec<Block> = Vec::new();
        let mut by_signature: FxHashMap<Signature, usize> = FxHashMap::default();
        let mut record = Vec::new();
        for (head, body) in rules {
            ticks.work(budget, WORK * (1 + body.len()))?;
            let (head_relation, head_row) = self.place_of(head);
            let mut conditions: Vec<((RelationId, bool), u32)> = body
                .iter()
                .map(|literal| {
                    let (relation, row) = self.place_of(literal.atom);
                    ((RelationId::new(relation), literal.positive), row)
                })
                .collect();
            conditions.sort_unstable();
            record.clear();
            record.push(head_row);
            record.extend(conditions.iter().map(|(_, row)| *row));
            let kinds: Vec<(RelationId, bool)> = conditions.into_iter().map(|(kind, _)| kind).collect();
            let signature = (RelationId::new(head_relation), kinds);
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

    /// The relation of an atom, and its row.
    pub(super) fn place_of(&self, atom: AtomId) -> (usize, u32) {
        let relation = self.offsets.partition_point(|&offset| offset <= atom.0) - 1;
        (relation, atom.0 - self.offsets[relation])
    }
}
