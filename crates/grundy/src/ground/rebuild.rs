//! Replacing the rules of a ground program.

use super::arena::Arena;
use super::{AtomId, Block, BlockId, GroundLiteral, GroundProgram};
use crate::flat::RelationId;
use crate::ids::IdVec;
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// Head relation, and relation and sign of each condition.
type Signature = (RelationId, Vec<(RelationId, bool)>);

/// The work for a rule or a condition in the unit of [`Ticks`]. A guess.
const WORK: usize = 8;

impl GroundProgram {
    /// Replaces all rules, unless the budget is used up. The atoms are those of the program.
    pub(crate) fn set_rules(
        &mut self,
        rules: impl Iterator<Item = (AtomId, Vec<GroundLiteral>)>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut ticks = Ticks::default();
        let mut blocks: IdVec<BlockId, Block> = IdVec::default();
        let mut by_signature: FxHashMap<Signature, BlockId> = FxHashMap::default();
        let mut record = Vec::new();
        for (head, body) in rules {
            ticks.work(budget, WORK * (1 + body.len()))?;
            let (head_relation, head_row) = self.atoms.locate(head);
            let mut conditions: Vec<((RelationId, bool), u32)> = body
                .iter()
                .map(|literal| {
                    let (relation, row) = self.atoms.locate(literal.atom);
                    ((relation, literal.positive), row)
                })
                .collect();
            conditions.sort_unstable();
            record.clear();
            record.push(head_row);
            record.extend(conditions.iter().map(|(_, row)| *row));
            let kinds: Vec<(RelationId, bool)> = conditions.into_iter().map(|(kind, _)| kind).collect();
            let signature = (head_relation, kinds);
            let block = *by_signature.entry(signature).or_insert_with_key(|(head, literals)| {
                let rows = Arena::new(1 + literals.len());
                blocks.push(Block { head: *head, literals: literals.clone().into(), rows })
            });
            blocks[block].rows.push(&record);
        }
        self.blocks = blocks;
        Ok(())
    }
}
