//! Many states at once, a bit for each.
//!
//! A node is a block of 512 bits, one for each state, and is evaluated for all of them by a few wide instructions. Values
//! are added up in bit planes: plane `p` of an accumulator holds the binary digit `2^p` of its value in each state. Three
//! blocks of the same worth become one of that worth and one of twice that worth (a carry-save adder), so that adding a
//! node takes five operations on average, however large the value is.

use super::plan::{AccumulatorId, Share};
use super::{FactSet, Plan, Value, bits, simd};
use crate::ids::{Id, IdVec, ids_in};
use crate::machine::batch::{BLOCK_LANES, Block};
use crate::network::{Kind, Network, NodeId, Signal};
use std::ops::Range;
use std::sync::Arc;

/// Values features in many states at once.
pub struct Batch {
    plan: Arc<Plan>,
    blocks: IdVec<NodeId, Block>,
    /// The accumulators, and the nodes that add to them.
    accumulators: IdVec<AccumulatorId, Accumulator>,
    terms: Vec<Term>,
    adder: Adder,
    planes: Vec<Block>,
    /// The accumulators of some lanes.
    sums: IdVec<AccumulatorId, [i64; GROUP]>,
}

/// Where an accumulator's nodes and planes are: those that it adds, then those that it subtracts.
#[derive(Clone, Debug)]
struct Accumulator {
    terms: [Range<usize>; 2],
    planes: [Range<usize>; 2],
}

/// A node that adds a power of two to an accumulator.
#[derive(Clone, Copy, Debug)]
struct Term {
    node: NodeId,
    digit: u32,
}

/// The lanes whose values are read together. Their sums fit in the first-level cache.
const GROUP: usize = 16;

impl Batch {
    /// How many states are valued at once.
    pub const LANES: usize = BLOCK_LANES;

    /// Prepares.
    pub fn new(plan: Arc<Plan>) -> Batch {
        let mut by_accumulator: IdVec<AccumulatorId, [Vec<Term>; 2]> =
            IdVec::filled(Default::default(), plan.bases.len());
        for node in plan.network.nodes() {
            for &Share { accumulator, weight } in &plan.shares[node] {
                let terms = &mut by_accumulator[accumulator][usize::from(weight < 0)];
                let digits = bits(weight.unsigned_abs());
                terms.extend(digits.map(|digit| Term { node, digit }));
            }
        }
        let (mut terms, mut planes) = (Vec::new(), 0);
        let mut accumulators = Vec::with_capacity(by_accumulator.len());
        for both in by_accumulator.iter_mut() {
            let of_sign = std::mem::take(both).map(|mut own| {
                own.sort_by_key(|term| term.digit);
                let most: u64 = own.iter().map(|term| 1 << term.digit).fold(0, u64::saturating_add);
                let digits = (u64::BITS - most.leading_zeros()).index();
                planes += digits;
                terms.append(&mut own);
                (terms.len(), planes, digits)
            });
            let starts = (accumulators.last())
                .map_or((0, 0), |last: &Accumulator| (last.terms[1].end, last.planes[1].end));
            let [(middle, ..), (end, ..)] = of_sign;
            let planes = of_sign.map(|(_, end, digits)| end - digits..end);
            accumulators.push(Accumulator { terms: [starts.0..middle, middle..end], planes });
        }
        Batch {
            blocks: IdVec::filled(Block::NONE, plan.network.node_count()),
            sums: IdVec::filled([0; GROUP], accumulators.len()),
            planes: vec![Block::NONE; planes],
            adder: Adder::NEW,
            accumulators: accumulators.into(),
            terms,
            plan,
        }
    }

    /// Values all features in some states; `visit` gets the values of one state after the other.
    pub fn value(&mut self, states: &[FactSet], mut visit: impl FnMut(&[Value])) {
        let mut values = Vec::new();
        for states in states.chunks(BLOCK_LANES) {
            simd::add_up(self, states);
            for first in (0..states.len()).step_by(GROUP) {
                simd::collect(self, first);
                for lane in 0..GROUP.min(states.len() - first) {
                    self.plan.read(|accumulator| self.sums[accumulator][lane], &mut values);
                    visit(&values);
                }
            }
        }
    }

    /// Evaluates all nodes for some states, and adds them up in bit planes.
    #[inline(always)]
    pub(super) fn add_up(&mut self, states: &[FactSet]) {
        self.load(states);
        self.evaluate();
        let Batch { accumulators, terms, blocks, adder, planes, .. } = self;
        for accumulator in accumulators.iter() {
            for (terms_of_sign, planes_of_sign) in accumulator.terms.iter().zip(&accumulator.planes) {
                let planes = &mut planes[planes_of_sign.clone()];
                planes.fill(Block::NONE);
                for term in &terms[terms_of_sign.clone()] {
                    adder.add(planes, term.digit, blocks[term.node]);
                }
                adder.finish(planes);
            }
        }
    }

    /// Puts states into lanes.
    #[inline(always)]
    fn load(&mut self, states: &[FactSet]) {
        let facts = &mut self.blocks.as_mut_slice()[1..=self.plan.facts];
        for (lanes, states) in states.chunks(64).enumerate() {
            for (word, facts) in facts.chunks_mut(64).enumerate() {
                let mut bits = [0; 64];
                states.iter().zip(&mut bits).for_each(|(state, bits)| *bits = state.facts.words()[word]);
                transpose(&mut bits);
                facts.iter_mut().zip(bits).for_each(|(fact, bits)| fact.0[lanes] = bits);
            }
        }
    }

    #[inline(always)]
    fn evaluate(&mut self) {
        let Batch { plan, blocks, .. } = self;
        let network = &plan.network;
        let mut next = network.interface().first_gate();
        let last = network.end();
        for range in network.loops().iter().cloned().chain(std::iter::once(last..last)) {
            for node in ids_in(&(next..range.start)) {
                blocks[node] = gate(network, blocks, node);
            }
            ids_in(&range).for_each(|node| blocks[node] = Block::NONE);
            let mut changed = !range.is_empty();
            while changed {
                changed = false;
                for node in ids_in(&range) {
                    let value = gate(network, blocks, node);
                    changed |= value != blocks[node];
                    blocks[node] = value;
                }
            }
            next = range.end;
        }
    }

    /// Puts together the accumulators of some lanes.
    #[inline(always)]
    pub(super) fn collect(&mut self, first: usize) {
        let Batch { accumulators, plan, planes, sums, .. } = self;
        let known = accumulators.iter().zip(plan.bases.iter());
        for ((accumulator, &base), sums) in known.zip(sums.iter_mut()) {
            let [plus, minus] = &accumulator.planes;
            let plus = digits(&planes[plus.clone()], first);
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = base + plus[lane];
            }
            if !minus.is_empty() {
                let minus = digits(&planes[minus.clone()], first);
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum -= minus[lane];
                }
            }
        }
    }
}

/// The numbers in some lanes of planes. The loops are plain, so that they are compiled for the wide instructions of the
/// caller: closures inside of iterators are not.
#[inline(always)]
fn digits(planes: &[Block], first: usize) -> [i64; GROUP] {
    let mut low = [0u32; GROUP];
    let (near, far) = planes.split_at(planes.len().min(32));
    for (digit, plane) in near.iter().enumerate() {
        // The cast keeps the lower half, in which all lanes of the group are.
        let bits = (plane.0[first / 64] >> (first % 64)) as u32;
        for (lane, number) in low.iter_mut().enumerate() {
            *number |= (bits >> lane & 1) << digit;
        }
    }
    let mut numbers = [0; GROUP];
    for lane in 0..GROUP {
        numbers[lane] = i64::from(low[lane]);
    }
    for (digit, plane) in far.iter().enumerate() {
        for (lane, number) in numbers.iter_mut().enumerate() {
            // Sums are below 2^63, so that no digit is the sign.
            *number |= ((plane.0[first / 64] >> (first % 64 + lane) & 1) << (32 + digit)) as i64;
        }
    }
    numbers
}

#[inline(always)]
fn gate(network: &Network, blocks: &IdVec<NodeId, Block>, node: NodeId) -> Block {
    let is_and = network.kind(node) == Kind::And;
    let mut value = Block::splat(is_and);
    for &input in network.inputs(node) {
        match is_and {
            true => value &= read(blocks, input),
            false => value |= read(blocks, input),
        }
    }
    value
}

#[inline(always)]
fn read(blocks: &IdVec<NodeId, Block>, signal: Signal) -> Block {
    blocks[signal.node()] ^ Block::splat(signal.is_inverted())
}

/// A carry-save adder of blocks into planes. It holds back one block of each weight until a second one arrives.
struct Adder {
    /// By digit, valid where the bit of the digit is set.
    waiting: [Block; 64],
    is_waiting: u64,
}

impl Adder {
    const NEW: Adder = Adder { waiting: [Block::NONE; 64], is_waiting: 0 };

    /// Adds one to this digit in the lanes of a block. There are as many planes as the largest sum needs.
    #[inline(always)]
    fn add(&mut self, planes: &mut [Block], digit: u32, mut block: Block) {
        let mut digit = digit.index();
        while digit < planes.len() {
            let bit = 1 << digit;
            self.is_waiting ^= bit;
            if self.is_waiting & bit != 0 {
                self.waiting[digit] = block;
                return;
            }
            let (plane, other) = (planes[digit], self.waiting[digit]);
            let either = plane ^ block;
            block = plane & block | either & other;
            planes[digit] = either ^ other;
            digit += 1;
        }
    }

    /// Adds the blocks that are held back.
    #[inline(always)]
    fn finish(&mut self, planes: &mut [Block]) {
        for digit in bits(std::mem::take(&mut self.is_waiting)) {
            let mut carry = self.waiting[digit.index()];
            for plane in &mut planes[digit.index()..] {
                let before = *plane;
                *plane ^= carry;
                carry &= before;
            }
        }
    }
}

/// Turns rows of bits into columns.
#[inline(always)]
fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while width != 0 {
        for pair in (0..64).filter(|row| row & width == 0) {
            let swapped = (rows[pair] >> width ^ rows[pair + width]) & mask;
            rows[pair] ^= swapped << width;
            rows[pair + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut rng = fastrand::Rng::with_seed(1);
        let rows: [u64; 64] = std::array::from_fn(|_| rng.u64(..));
        let mut columns = rows;
        transpose(&mut columns);
        for (place, row) in rows.iter().enumerate() {
            (0..64).for_each(|column| assert_eq!(row >> column & 1, columns[column] >> place & 1));
        }
    }

    #[test]
    fn blocks_add_up_in_each_lane() {
        let mut rng = fastrand::Rng::with_seed(2);
        let mut adder = Adder::NEW;
        for count in 0..70 {
            let mut terms: Vec<(u32, Block)> =
                (0..count).map(|_| (rng.u32(..3), Block(std::array::from_fn(|_| rng.u64(..))))).collect();
            terms.sort_by_key(|(digit, _)| *digit);
            let mut planes = vec![Block::NONE; 9];
            terms.iter().for_each(|&(digit, block)| adder.add(&mut planes, digit, block));
            adder.finish(&mut planes);
            for lane in 0..BLOCK_LANES {
                let wanted: usize =
                    terms.iter().map(|(digit, block)| usize::from(block.get(lane)) << digit).sum();
                let found: usize = planes
                    .iter()
                    .enumerate()
                    .map(|(digit, plane)| usize::from(plane.get(lane)) << digit)
                    .sum();
                assert_eq!(found, wanted);
            }
        }
    }
}
