//! The batch machine: hundreds of games at once by bit-slicing, one bit for each lane.
//!
//! The value of a node is a block of bits, one for each game, and is evaluated for all games by a few wide instructions.
//! All games make a move at the same time. Games that are over wait until there are enough of them; then their goals are
//! counted and new games begin in their lanes. The number of games is fixed in advance and all of them are played to
//! their end, so that the results are not biased towards short games.

mod allocate;
mod block;
mod choose;
mod code;
mod compile;
mod cursor;
mod lanes;
mod random;
mod select;
mod simd;

use crate::ids::float;
pub(crate) use block::{Block, LANES as BLOCK_LANES};
pub use cursor::BatchCursor;
pub(super) use lanes::{Lanes, Watch};
#[cfg(target_arch = "x86_64")]
pub(crate) use simd::has_avx2;

use super::CompiledGame;
use block::LANES;
use compile::Program;
use grundy_syntax::{Budget, Exhausted};
use std::sync::Arc;

/// The fewest next values that are computed in place. With fewer, fluents stay in the cache in any case, and instructions
/// that are moved to the end of the step lengthen the lives of their operands. A guess: 2,048 blocks are 128 KiB.
const MIN_FLUENTS_IN_PLACE: usize = 2048;

/// A game for many lanes.
#[derive(Debug)]
pub struct BatchMachine {
    game: Arc<CompiledGame>,
    program: Program,
}

impl BatchMachine {
    /// Makes the machine.
    pub fn new(game: Arc<CompiledGame>, budget: &Budget) -> Result<BatchMachine, Exhausted> {
        let program = compile::compile(&game, MIN_FLUENTS_IN_PLACE, budget)?;
        Ok(BatchMachine { game, program })
    }

    /// The same, with all possible next values computed in place, however few there are.
    pub fn in_place(game: Arc<CompiledGame>) -> BatchMachine {
        let program = compile::compile(&game, 0, &Budget::default()).expect("the budget has no bounds");
        BatchMachine { game, program }
    }

    /// The game.
    pub fn game(&self) -> &Arc<CompiledGame> {
        &self.game
    }

    /// A player in the initial state.
    pub fn cursor(self: &Arc<Self>) -> BatchCursor {
        BatchCursor::new(self.clone())
    }

    /// The memory of the games in play.
    pub fn lane_bytes(&self) -> usize {
        self.program.slots * LANES / 8
    }

    pub(super) fn lanes(self: &Arc<Self>) -> Lanes {
        Lanes::new(self.clone())
    }

    /// About the number of blocks that a step reads or writes: operands, results, counts of moves, and fluents.
    pub(super) fn work(&self) -> usize {
        let Program { state, next, in_place, choices, does, copied, aside, .. } = &self.program;
        let code =
            [state, next, in_place].iter().map(|code| code.operands + code.instructions).sum::<usize>();
        let moves: usize = choices.iter().map(|choices| 3 * choices.legal.len()).sum();
        let done = does.iter().filter(|&&slot| slot != compile::UNREAD).count();
        code + moves + done + 3 * copied.len() + 2 * aside.len()
    }

    /// The work of a step, as [`Ticks`](grundy_syntax::Ticks) count it, about.
    fn step_units(&self) -> usize {
        const OPERANDS_A_UNIT: usize = 4;
        let Program { state, next, in_place, .. } = &self.program;
        1 + (state.operands + next.operands + in_place.operands) / OPERANDS_A_UNIT
    }

    /// The number of ended games at which goals are counted. Counting takes the same time for one game as for all, and
    /// waiting lanes are idle: the square root balances the two. It depends on the games so far and not on the clock, so
    /// that results are reproducible.
    fn collection_threshold(&self, length: u64, ended: u64) -> u32 {
        let step = self.program.state.operands
            + self.program.next.operands
            + self.program.in_place.operands
            + 2 * self.program.does.len()
            + 1;
        let ratio = float(self.program.goals.operands) / float(step);
        let length = (float(length.max(1)) / float(ended.max(1))).max(1.0);
        let lanes = float(LANES);
        // Floats have no named conversion; the value is clamped to a quarter of the lanes.
        (2.0 * lanes * ratio * lanes / length).sqrt().clamp(1.0, lanes / 4.0) as u32
    }
}
