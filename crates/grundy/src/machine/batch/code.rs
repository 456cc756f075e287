//! Straight-line code for the nodes of a network.
//!
//! A value lives in a slot, a block of lanes. An instruction is the AND of some slots and of the opposites of others,
//! or the OR of some slots; whatever else a node needs is done by storing the opposite of its value, so that no
//! instruction is spent on a NOT. Instructions of the same shape stand together in *runs*, so that the loops over
//! their operands always take the same way.
//!
//! ```text
//! run:          shape  count  (dst  operand…) × count
//! shape:        bit 0: OR; bits 1 to 15: operands; bits 16 to 31: opposite operands
//! ```

use super::block::Block;

/// Code for a part of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) blocks: Vec<CodeBlock>,
    pub(super) words: Vec<u32>,
    /// The number of operands, a measure of time.
    pub(super) operands: usize,
    /// The number of instructions.
    pub(super) instructions: usize,
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(super) enum CodeBlock {
    /// Run once.
    Straight(std::ops::Range<usize>),
    /// Run until nothing changes, after setting these slots to a value.
    Loop(std::ops::Range<usize>, Vec<(u32, bool)>),
}

/// The shape of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shape(pub(super) u32);

impl Shape {
    pub(super) fn and(operands: usize, opposites: usize) -> Shape {
        Shape((operands as u32) << 1 | (opposites as u32) << 16)
    }

    pub(super) fn or(operands: usize) -> Shape {
        Shape((operands as u32) << 1 | 1)
    }
}

impl Code {
    /// Runs the code.
    #[inline(always)]
    pub(super) fn run(&self, slots: &mut [Block]) {
        for block in &self.blocks {
            match block {
                CodeBlock::Straight(range) => _ = run::<false>(&self.words[range.clone()], slots),
                CodeBlock::Loop(range, starts) => {
                    starts.iter().for_each(|&(slot, value)| slots[slot as usize] = Block::splat(value));
                    while !run::<true>(&self.words[range.clone()], slots).is_empty() {}
                }
            }
        }
    }
}

/// Runs instructions; tells in which lanes something changed, if it is asked to.
///
/// Loops over a variable number of operands cost more than the operands themselves, so that the common shapes have
/// code of their own.
#[inline(always)]
fn run<const TRACKED: bool>(mut words: &[u32], slots: &mut [Block]) -> Block {
    let mut changed = Block::NONE;
    while let [shape, count, rest @ ..] = words {
        let operands = (shape >> 1 & 0x7fff) as usize;
        let opposites = (shape >> 16) as usize;
        let stride = 1 + operands + opposites;
        let (run, rest) = rest.split_at(*count as usize * stride);
        words = rest;
        let run_changed = match (shape & 1 == 1, operands, opposites) {
            (true, 2, _) => ors::<TRACKED, 2>(run, slots),
            (true, 3, _) => ors::<TRACKED, 3>(run, slots),
            (true, 4, _) => ors::<TRACKED, 4>(run, slots),
            (true, ..) => many::<TRACKED>(run, operands, 0, true, slots),
            (false, 1, 1) => ands::<TRACKED, 1, 1>(run, slots),
            (false, 1, 2) => ands::<TRACKED, 1, 2>(run, slots),
            (false, 2, 0) => ands::<TRACKED, 2, 0>(run, slots),
            (false, 2, 1) => ands::<TRACKED, 2, 1>(run, slots),
            (false, 3, 0) => ands::<TRACKED, 3, 0>(run, slots),
            (false, 3, 1) => ands::<TRACKED, 3, 1>(run, slots),
            (false, 4, 0) => ands::<TRACKED, 4, 0>(run, slots),
            (false, 5, 0) => ands::<TRACKED, 5, 0>(run, slots),
            (false, ..) => many::<TRACKED>(run, operands, opposites, false, slots),
        };
        changed |= run_changed;
    }
    changed
}

/// ANDs of `P` slots and the opposites of `N` others.
#[inline(always)]
fn ands<const TRACKED: bool, const P: usize, const N: usize>(run: &[u32], slots: &mut [Block]) -> Block {
    let mut changed = Block::NONE;
    for instruction in run.chunks_exact(1 + P + N) {
        let mut value = slots[instruction[1] as usize];
        for at in 1..P {
            value &= slots[instruction[1 + at] as usize];
        }
        for at in 0..N {
            value = value.without(slots[instruction[1 + P + at] as usize]);
        }
        store::<TRACKED>(&mut slots[instruction[0] as usize], value, &mut changed);
    }
    changed
}

/// ORs of `P` slots.
#[inline(always)]
fn ors<const TRACKED: bool, const P: usize>(run: &[u32], slots: &mut [Block]) -> Block {
    let mut changed = Block::NONE;
    for instruction in run.chunks_exact(1 + P) {
        let mut value = slots[instruction[1] as usize];
        for at in 1..P {
            value |= slots[instruction[1 + at] as usize];
        }
        store::<TRACKED>(&mut slots[instruction[0] as usize], value, &mut changed);
    }
    changed
}

/// ANDs or ORs with any number of operands.
#[inline(always)]
fn many<const TRACKED: bool>(
    run: &[u32],
    operands: usize,
    opposites: usize,
    is_or: bool,
    slots: &mut [Block],
) -> Block {
    let mut changed = Block::NONE;
    for instruction in run.chunks_exact(1 + operands + opposites) {
        let (first, rest) = (instruction[1], &instruction[2..1 + operands]);
        let mut value = slots[first as usize];
        if is_or {
            for &operand in rest {
                value |= slots[operand as usize];
            }
        } else {
            for &operand in rest {
                value &= slots[operand as usize];
            }
        }
        for &opposite in &instruction[1 + operands..] {
            value = value.without(slots[opposite as usize]);
        }
        store::<TRACKED>(&mut slots[instruction[0] as usize], value, &mut changed);
    }
    changed
}

#[inline(always)]
fn store<const TRACKED: bool>(target: &mut Block, value: Block, changed: &mut Block) {
    if TRACKED {
        *changed |= *target ^ value;
    }
    *target = value;
}
