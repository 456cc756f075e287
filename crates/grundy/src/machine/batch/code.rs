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
#[inline(always)]
fn run<const TRACKED: bool>(mut words: &[u32], slots: &mut [Block]) -> Block {
    let mut changed = Block::NONE;
    while let [shape, count, rest @ ..] = words {
        let operands = (shape >> 1 & 0x7fff) as usize;
        let opposites = (shape >> 16) as usize;
        let stride = 1 + operands + opposites;
        let (run, rest) = rest.split_at(*count as usize * stride);
        words = rest;
        match (shape & 1 == 1, operands, opposites) {
            (true, 2, _) => changed |= each::<TRACKED>(run, 3, slots, |s, o| slot(s, o[0]) | slot(s, o[1])),
            (true, 3, _) => {
                changed |=
                    each::<TRACKED>(run, 4, slots, |s, o| slot(s, o[0]) | slot(s, o[1]) | slot(s, o[2]));
            }
            (true, ..) => {
                let or = |s: &[Block], o: &[u32]| o[1..].iter().fold(slot(s, o[0]), |or, &o| or | slot(s, o));
                changed |= each::<TRACKED>(run, stride, slots, or);
            }
            (false, 2, 0) => changed |= each::<TRACKED>(run, 3, slots, |s, o| slot(s, o[0]) & slot(s, o[1])),
            (false, 1, 1) => {
                changed |= each::<TRACKED>(run, 3, slots, |s, o| slot(s, o[0]).without(slot(s, o[1])));
            }
            (false, 3, 0) => {
                changed |=
                    each::<TRACKED>(run, 4, slots, |s, o| slot(s, o[0]) & slot(s, o[1]) & slot(s, o[2]));
            }
            (false, 2, 1) => {
                let and = |s: &[Block], o: &[u32]| (slot(s, o[0]) & slot(s, o[1])).without(slot(s, o[2]));
                changed |= each::<TRACKED>(run, 4, slots, and);
            }
            (false, ..) => {
                let and = |s: &[Block], o: &[u32]| {
                    let (operands, opposites) = o.split_at(operands);
                    let and = operands[1..].iter().fold(slot(s, operands[0]), |and, &o| and & slot(s, o));
                    opposites.iter().fold(and, |and, &o| and.without(slot(s, o)))
                };
                changed |= each::<TRACKED>(run, stride, slots, and);
            }
        }
    }
    changed
}

#[inline(always)]
fn slot(slots: &[Block], slot: u32) -> Block {
    slots[slot as usize]
}

#[inline(always)]
fn each<const TRACKED: bool>(
    run: &[u32],
    stride: usize,
    slots: &mut [Block],
    value: impl Fn(&[Block], &[u32]) -> Block,
) -> Block {
    let mut changed = Block::NONE;
    for instruction in run.chunks_exact(stride) {
        let value = value(slots, &instruction[1..]);
        let target = &mut slots[instruction[0] as usize];
        if TRACKED {
            changed |= *target ^ value;
        }
        *target = value;
    }
    changed
}
