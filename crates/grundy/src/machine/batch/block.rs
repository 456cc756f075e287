//! One bit for each lane.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// Words in a block.
pub(super) const WORDS: usize = 8;

/// How many games are played at once.
pub(super) const LANES: usize = WORDS * 64;

/// A bit for each lane. The loops are written for the compiler, which makes them a few wide instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [u64; WORDS]);

impl Block {
    pub(super) const NONE: Block = Block([0; WORDS]);
    pub(super) const ALL: Block = Block([u64::MAX; WORDS]);

    /// All lanes or none.
    #[inline(always)]
    pub(super) fn splat(value: bool) -> Block {
        if value { Block::ALL } else { Block::NONE }
    }

    /// The lanes of this that are not in another.
    #[inline(always)]
    pub(super) fn without(self, other: Block) -> Block {
        Block(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    pub(super) fn get(self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, value: bool) {
        let bit = 1 << (lane % 64);
        self.0[lane / 64] = if value { self.0[lane / 64] | bit } else { self.0[lane / 64] & !bit };
    }

    /// The first lanes.
    pub(super) fn first(lanes: usize) -> Block {
        let mut block = Block::NONE;
        (0..lanes.min(LANES)).for_each(|lane| block.set(lane, true));
        block
    }

    /// Calls `visit` with each lane.
    #[inline(always)]
    pub(super) fn for_each(self, mut visit: impl FnMut(usize)) {
        for (number, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                visit(number * 64 + word.trailing_zeros() as usize);
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
