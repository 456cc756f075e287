//! Simplification of a ground program.
//!
//! 1. [`facts`]: atoms that always hold are removed from conditions.
//! 2. [`complement`]: a disjunction of nearly all moves of a role becomes the negation of the others.
//! 3. [`needed`]: rules that no answer depends on are dropped.

mod complement;
mod facts;
mod needed;

use super::{Block, BlockId};
use crate::datalog::{Relations, Stop};
use crate::flat::Flat;
use crate::ids::IdVec;
use grundy_syntax::Budget;
use grundy_syntax::Program;

/// A ground program in the making.
pub(super) struct Draft<'a> {
    pub(super) program: &'a mut Program,
    pub(super) flat: &'a mut Flat,
    pub(super) relations: &'a mut Relations,
    pub(super) blocks: &'a mut IdVec<BlockId, Block>,
}

/// Runs all steps within a budget. The second one is optional.
pub(super) fn refine(mut draft: Draft<'_>, with_complements: bool, budget: &Budget) -> Result<(), Stop> {
    facts::fold_facts(&mut draft);
    if with_complements {
        complement::use_complements(&mut draft, budget)?;
    }
    budget.check()?;
    needed::drop_unneeded(&mut draft);
    budget.check()?;
    draft.blocks.retain(|block| block.rows.len() > 0);
    Ok(())
}
