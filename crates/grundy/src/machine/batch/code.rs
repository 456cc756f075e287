//! Straight-line code for the nodes of a network.
//!
//! A value is kept in a slot, a block of lanes. An instruction is the OR of slots and of products of two slots, or the AND
//! of slots and of negated slots and products; all other gates are stored inverted (De Morgan), so that no instruction is
//! a NOT. Instructions of the same shape form *runs*, so that the branches of the loops over their operands are predicted;
//! the common shapes have numbers and specialized code.
//!
//! ```text
//! run:     number  count  (dst  operand…) × count
//!          0  count  is_or  plain  opposite  pairs  pairs  pairs  (dst  operand…) × count
//! ```

use super::block::Block;
use crate::ids::{Id, narrow};
use crate::network::FluentId;

grundy_syntax::define_id! {
    /// A slot: a block of lanes with the values of a node. Slot 0 is always empty, and the fluents come next.
    pub(super) struct SlotId(u32);
}

impl SlotId {
    /// The slot of a fluent.
    #[inline(always)]
    pub(super) fn of_fluent(fluent: FluentId) -> SlotId {
        SlotId(1 + fluent.0)
    }
}

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
    Loop(std::ops::Range<usize>, Vec<(SlotId, bool)>),
}

/// How the result of an instruction is stored.
pub(super) trait Store {
    fn store(&mut self, slot: &mut Block, value: Block);
}

/// Overwrites the slot.
struct Overwrite;

impl Store for Overwrite {
    #[inline(always)]
    fn store(&mut self, slot: &mut Block, value: Block) {
        *slot = value;
    }
}

/// Overwrites the slot, and collects the lanes in which the value changed.
struct Changed(Block);

impl Store for Changed {
    #[inline(always)]
    fn store(&mut self, slot: &mut Block, value: Block) {
        self.0 |= *slot ^ value;
        *slot = value;
    }
}

/// Stores the next value of a fluent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turnover {
    /// The lanes that get it.
    pub(super) moving: Block,
    /// The lanes that keep their value; in all others the fluent becomes false.
    pub(super) staying: Block,
}

impl Turnover {
    /// All lanes move.
    pub(super) const ALL: Turnover = Turnover { moving: Block::ALL, staying: Block::NONE };
}

impl Store for Turnover {
    #[inline(always)]
    fn store(&mut self, slot: &mut Block, value: Block) {
        *slot = (value & self.moving) | (*slot & self.staying);
    }
}

/// The shape of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shape {
    pub(super) is_or: bool,
    /// The number of slots.
    pub(super) plain: usize,
    /// The number of slots that an AND takes away.
    pub(super) opposite: usize,
    /// The numbers of products that are added to an OR, or taken away from an AND, by the number of their operands that
    /// are opposite: a∧b, a∧¬b, ¬a∧¬b.
    pub(super) pairs: [usize; 3],
}

/// Hands the common shapes to another macro, with numbers.
macro_rules! common_shapes {
    ($macro:ident) => {
        $macro! {
            1: true 2 0 [0 0 0], 2: true 3 0 [0 0 0], 3: true 4 0 [0 0 0],
            4: false 1 1 [0 0 0], 5: false 1 2 [0 0 0], 6: false 2 0 [0 0 0], 7: false 2 1 [0 0 0],
            8: false 2 2 [0 0 0], 9: false 3 0 [0 0 0], 10: false 3 1 [0 0 0], 11: false 4 0 [0 0 0],
            12: false 5 0 [0 0 0],
            13: true 0 0 [1 1 0], 14: true 0 0 [2 0 0], 15: true 0 0 [0 2 0],
            16: true 1 0 [1 0 0], 17: true 1 0 [0 1 0], 18: true 1 0 [1 1 0], 19: true 1 0 [2 0 0],
            20: true 1 0 [0 2 0], 21: true 2 0 [1 0 0], 22: true 2 0 [0 1 0], 23: true 3 0 [0 1 0],
            24: false 1 0 [0 0 1], 25: false 2 0 [0 0 1], 26: false 1 1 [0 1 0]
        }
    };
}

impl Shape {
    fn operands(self) -> usize {
        self.plain + self.opposite + 2 * self.pairs.iter().sum::<usize>()
    }

    /// The number of a common shape; 0 for others.
    fn number(self) -> u32 {
        macro_rules! number {
            ($($number:literal: $is_or:literal $plain:literal $opposite:literal [$both:literal $one:literal $neither:literal]),*) => {
                match (self.is_or, self.plain, self.opposite, self.pairs) {
                    $(($is_or, $plain, $opposite, [$both, $one, $neither]) => $number,)*
                    _ => 0,
                }
            };
        }
        common_shapes!(number)
    }

    /// Appends the words that a run begins with; where its count is.
    pub(super) fn write(self, words: &mut Vec<u32>) -> usize {
        let number = self.number();
        words.extend([number, 0]);
        let count_at = words.len() - 1;
        if number == 0 {
            let [both, one, neither] = self.pairs.map(narrow);
            let (plain, opposite) = (narrow(self.plain), narrow(self.opposite));
            words.extend([u32::from(self.is_or), plain, opposite, both, one, neither]);
        }
        count_at
    }
}

impl Code {
    /// Runs the code.
    #[inline(always)]
    pub(super) fn run(&self, slots: &mut [Block]) {
        for block in &self.blocks {
            match block {
                CodeBlock::Straight(range) => run(&self.words[range.clone()], slots, &mut Overwrite),
                CodeBlock::Loop(range, starts) => {
                    starts.iter().for_each(|&(slot, value)| slots[slot.index()] = Block::splat(value));
                    let mut changed = Changed(Block::ALL);
                    while !changed.0.is_empty() {
                        changed.0 = Block::NONE;
                        run(&self.words[range.clone()], slots, &mut changed);
                    }
                }
            }
        }
    }

    /// Runs the code, which has no loops, for fluents that get their next values in place.
    #[inline(always)]
    pub(super) fn run_in_place(&self, slots: &mut [Block], mut turnover: Turnover) {
        run(&self.words, slots, &mut turnover);
    }
}

/// Runs instructions.
#[inline(always)]
fn run<S: Store>(mut words: &[u32], slots: &mut [Block], store: &mut S) {
    while let [number, count, rest @ ..] = words {
        let count = count.index();
        macro_rules! by_number {
            ($($number:literal: $is_or:literal $plain:literal $opposite:literal [$both:literal $one:literal $neither:literal]),*) => {
                match (number, rest) {
                    $(($number, rest) => {
                        let (run, rest) = rest.split_at(count * (1 + $plain + $opposite + 2 * ($both + $one + $neither)));
                        words = rest;
                        fixed::<S, $is_or, $plain, $opposite, $both, $one, $neither>(run, slots, store)
                    })*
                    (_, [is_or, plain, opposite, both, one, neither, rest @ ..]) => {
                        let shape = Shape {
                            is_or: *is_or == 1,
                            plain: plain.index(),
                            opposite: opposite.index(),
                            pairs: [both.index(), one.index(), neither.index()],
                        };
                        let (run, rest) = rest.split_at(count * (1 + shape.operands()));
                        words = rest;
                        many(run, shape, slots, store)
                    }
                    _ => break,
                }
            };
        }
        common_shapes!(by_number);
    }
}

/// Instructions of a shape that is known at compile time.
#[inline(always)]
fn fixed<
    S: Store,
    const IS_OR: bool,
    const PLAIN: usize,
    const OPPOSITE: usize,
    const BOTH: usize,
    const ONE: usize,
    const NEITHER: usize,
>(
    run: &[u32],
    slots: &mut [Block],
    store: &mut S,
) {
    for instruction in run.chunks_exact(1 + PLAIN + OPPOSITE + 2 * (BOTH + ONE + NEITHER)) {
        let slot = |at: usize| slots[instruction[1 + at].index()];
        let mut value = if IS_OR { Block::NONE } else { Block::ALL };
        for at in 0..PLAIN {
            if IS_OR { value |= slot(at) } else { value &= slot(at) }
        }
        for at in PLAIN..PLAIN + OPPOSITE {
            value = value.without(slot(at));
        }
        for pair in 0..BOTH + ONE + NEITHER {
            let at = PLAIN + OPPOSITE + 2 * pair;
            let product = match pair {
                _ if pair < BOTH => slot(at) & slot(at + 1),
                _ if pair < BOTH + ONE => slot(at).without(slot(at + 1)),
                _ => !(slot(at) | slot(at + 1)),
            };
            value = if IS_OR { value | product } else { value.without(product) };
        }
        store.store(&mut slots[instruction[0].index()], value);
    }
}

/// Instructions of any shape. (Plain loops: what takes a closure may be compiled for the wrong processor.)
#[inline(always)]
fn many<S: Store>(run: &[u32], shape: Shape, slots: &mut [Block], store: &mut S) {
    match (shape.is_or, shape.pairs == [0; 3]) {
        (true, true) => any::<S, true, false>(run, shape, slots, store),
        (true, false) => any::<S, true, true>(run, shape, slots, store),
        (false, true) => any::<S, false, false>(run, shape, slots, store),
        (false, false) => any::<S, false, true>(run, shape, slots, store),
    }
}

#[inline(always)]
fn any<S: Store, const IS_OR: bool, const HAS_PAIRS: bool>(
    run: &[u32],
    shape: Shape,
    slots: &mut [Block],
    store: &mut S,
) {
    let [both, one, _] = shape.pairs.map(|pairs| 2 * pairs);
    for instruction in run.chunks_exact(1 + shape.operands()) {
        let (plain, rest) = instruction[1..].split_at(shape.plain);
        let (opposite, pairs) = rest.split_at(shape.opposite);
        let mut value = if IS_OR { Block::NONE } else { Block::ALL };
        for &operand in plain {
            if IS_OR { value |= slots[operand.index()] } else { value &= slots[operand.index()] }
        }
        if !IS_OR {
            for &operand in opposite {
                value = value.without(slots[operand.index()]);
            }
        }
        if HAS_PAIRS {
            let mut products = Block::NONE;
            for pair in pairs[..both].chunks_exact(2) {
                products |= slots[pair[0].index()] & slots[pair[1].index()];
            }
            for pair in pairs[both..both + one].chunks_exact(2) {
                products |= slots[pair[0].index()].without(slots[pair[1].index()]);
            }
            for pair in pairs[both + one..].chunks_exact(2) {
                products |= !(slots[pair[0].index()] | slots[pair[1].index()]);
            }
            value = if IS_OR { value | products } else { value.without(products) };
        }
        store.store(&mut slots[instruction[0].index()], value);
    }
}
