//! The batch machine: hundreds of games at once, one bit a lane.
//!
//! A node is a block of bits, one for each game, and is evaluated for all of them by a few wide instructions. All
//! games make a move at the same time; a game that is over waits until some more are, then their goals are counted
//! and new games begin in their lanes. The number of games is fixed beforehand and all of them are played to their
//! end, so that short games are not favoured.

mod block;
mod choose;
mod code;
mod compile;
mod cursor;
mod lanes;
mod random;
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

/// From this many facts on, next values are put in place. Fewer stay in the cache in any case, and what is put off to the
/// end keeps others waiting.
const MANY_FACTS: usize = 2048;

/// A game for many lanes.
#[derive(Debug)]
pub struct BatchMachine {
    game: Arc<CompiledGame>,
    program: Program,
}

impl BatchMachine {
    /// Makes the machine.
    pub fn new(game: Arc<CompiledGame>, budget: &Budget) -> Result<BatchMachine, Exhausted> {
        let program = compile::compile(&game, MANY_FACTS, budget)?;
        Ok(BatchMachine { game, program })
    }

    /// The same, with all next values in place that can be, however few there are.
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

    /// Blocks that a step reads or writes, by and large: operands, results, moves that are counted, facts that are set.
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

    /// How many games may wait for their goals to be counted. Counting takes the same time for one as for all, and
    /// waiting lanes do nothing: the square root balances the two. It depends on what was played so far, and not on
    /// the clock, so that results can be repeated.
    fn patience(&self, length: u64, ended: u64) -> u32 {
        let step = self.program.state.operands
            + self.program.next.operands
            + self.program.in_place.operands
            + 2 * self.program.does.len()
            + 1;
        let ratio = float(self.program.goals.operands) / float(step);
        let length = (float(length.max(1)) / float(ended.max(1))).max(1.0);
        let lanes = float(LANES);
        (2.0 * lanes * ratio * lanes / length).sqrt().clamp(1.0, lanes / 4.0) as u32
    }
}
