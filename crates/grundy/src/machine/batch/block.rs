//! One bit for each lane.

use crate::ids::Id;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// Words in a block.
pub(crate) const WORDS: usize = 8;

/// How many games are played at once.
pub(crate) const LANES: usize = WORDS * 64;

/// A bit for each lane. The loops are written for the compiler, which makes them a few wide instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Block(pub(crate) [u64; WORDS]);

impl Block {
    pub(crate) const NONE: Block = Block([0; WORDS]);
    pub(crate) const ALL: Block = Block([u64::MAX; WORDS]);

    /// All lanes or none.
    #[inline(always)]
    pub(crate) fn splat(value: bool) -> Block {
        if value { Block::ALL } else { Block::NONE }
    }

    /// The lanes of this that are not in another.
    #[inline(always)]
    pub(crate) fn without(self, other: Block) -> Block {
        Block(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    pub(crate) fn get(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, value: bool) {
        let bit = 1 << (lane % 64);
        self.0[lane / 64] = if value { self.0[lane / 64] | bit } else { self.0[lane / 64] & !bit };
    }

    /// The first lanes.
    pub(crate) fn first(lanes: usize) -> Block {
        let mut block = Block::NONE;
        (0..lanes.min(LANES)).for_each(|lane| block.set(lane, true));
        block
    }

    /// Calls `visit` with each lane.
    #[inline(always)]
    pub(crate) fn for_each(self, mut visit: impl FnMut(usize)) {
        for (number, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                visit(number * 64 + word.trailing_zeros().index());
                word &= word - 1;
            }
        }
    }
}

macro_rules! bitwise {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt) => {
        impl $trait for Block {
            type Output = Block;

            #[inline(always)]
            fn $method(self, other: Block) -> Block {
                Block(std::array::from_fn(|word| self.0[word] $op other.0[word]))
            }
        }

        impl $assign for Block {
            #[inline(always)]
            fn $assign_method(&mut self, other: Block) {
                *self = *self $op other;
            }
        }
    };
}

bitwise!(BitAnd bitand BitAndAssign bitand_assign &);
bitwise!(BitOr bitor BitOrAssign bitor_assign |);
bitwise!(BitXor bitxor BitXorAssign bitxor_assign ^);

impl Not for Block {
    type Output = Block;

    #[inline(always)]
    fn not(self) -> Block {
        Block(std::array::from_fn(|word| !self.0[word]))
    }
}
