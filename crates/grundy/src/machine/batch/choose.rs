//! A uniform choice among the legal moves, for all lanes at once.
//!
//! The legal moves of a lane are counted in bit planes: plane `i` of a number holds its binary digit `i` for every
//! lane. Counts of groups of eight moves are added up in a binary tree. For each lane a number below the total is drawn,
//! which selects a path down the tree: where it is below the count of the left half the path goes left, otherwise that
//! count is subtracted and the path goes right. Subtrees without lanes are skipped.

use super::block::Block;
use super::random::Random;

/// Moves at a leaf of the tree. The count of eight bits takes four planes and seven adders. A guess.
pub(super) const GROUP: usize = 8;

/// The most binary digits of a number of moves: a role may have eight million. A guess.
pub(super) const MOST_PLANES: usize = 24;

/// A number for each lane.
type Planes = [Block; MOST_PLANES];

/// Counts of legal moves, for one role.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The levels from the groups upwards; each count of level `k` has `k + 4` planes.
    levels: Vec<Vec<Block>>,
    stack: Vec<Frame>,
}

/// Lanes at a node of the tree, with their numbers.
#[derive(Clone, Debug)]
struct Frame {
    level: usize,
    at: usize,
    lanes: Block,
    number: Planes,
}

/// The number of planes of a count of a level.
fn planes(level: usize) -> usize {
    level + 4
}

impl Tree {
    pub(super) fn new(groups: usize) -> Tree {
        let mut levels = Vec::new();
        let mut size = groups.max(1);
        loop {
            levels.push(vec![Block::NONE; size * planes(levels.len())]);
            if size == 1 {
                break;
            }
            size = size.div_ceil(2);
        }
        let empty = Frame { level: 0, at: 0, lanes: Block::NONE, number: [Block::NONE; MOST_PLANES] };
        let stack = vec![empty; levels.len() + 1];
        Tree { levels, stack }
    }

    /// Counts the legal moves, where the guards of their groups hold; tells in which lanes there are any.
    #[inline(always)]
    pub(super) fn count(
        &mut self,
        groups: usize,
        guard: impl Fn(usize) -> Block,
        legal: impl Fn(usize) -> Block,
    ) -> Block {
        for (group, count) in self.levels[0].chunks_exact_mut(planes(0)).enumerate().take(groups) {
            let guard = guard(group);
            if guard.is_empty() {
                count.fill(Block::NONE);
                continue;
            }
            let sum = sum_of_eight(&|at| legal(group * GROUP + at));
            for (plane, sum) in count.iter_mut().zip(sum) {
                *plane = sum & guard;
            }
        }
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let (below, width) = (&below[level - 1][..], planes(level - 1));
            for (at, sum) in above[0].chunks_exact_mut(width + 1).enumerate() {
                let left = &below[2 * at * width..][..width];
                match below.get((2 * at + 1) * width..(2 * at + 2) * width) {
                    Some(right) => add(left, right, sum),
                    None => {
                        sum[..width].copy_from_slice(left);
                        sum[width] = Block::NONE;
                    }
                }
            }
        }
        self.any()
    }

    /// In which lanes there are legal moves, as they were counted last.
    #[inline(always)]
    pub(super) fn any(&self) -> Block {
        self.total().iter().fold(Block::NONE, |any, &plane| any | plane)
    }

    fn total(&self) -> &[Block] {
        &self.levels[self.levels.len() - 1]
    }

    /// Chooses a move in each of these lanes, all of which have one. `choose` is called once for each move that is
    /// chosen anywhere, with the lanes.
    #[inline(always)]
    pub(super) fn choose(
        &mut self,
        lanes: Block,
        random: &mut Random,
        legal: impl Fn(usize) -> Block,
        mut choose: impl FnMut(usize, Block),
    ) {
        let top = self.levels.len() - 1;
        let mut stack = std::mem::take(&mut self.stack);
        stack[0].level = top;
        stack[0].at = 0;
        stack[0].lanes = lanes;
        draw(self.total(), lanes, random, &mut stack[0].number);
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (here, above) = stack.split_at_mut(depth + 1);
            let frame = &mut here[depth];
            if frame.lanes.is_empty() {
                continue;
            }
            if frame.level == 0 {
                let first = frame.at * GROUP;
                walk(
                    frame.lanes,
                    &frame.number,
                    |at| legal(first + at),
                    |at, lanes| {
                        choose(first + at, lanes);
                    },
                );
                continue;
            }
            let (level, width) = (frame.level - 1, planes(frame.level - 1));
            let left = &self.levels[level][2 * frame.at * width..][..width];
            // The right half: its frame goes on top of the left one's.
            let right = &mut above[0];
            let below = subtract(&frame.number, left, &mut right.number);
            right.level = level;
            right.at = 2 * frame.at + 1;
            right.lanes = frame.lanes.without(below);
            frame.level = level;
            frame.at *= 2;
            frame.lanes &= below;
            depth += 2;
        }
        self.stack = stack;
    }
}

#[inline(always)]
fn full_add(a: Block, b: Block, c: Block) -> (Block, Block) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

#[inline(always)]
fn sum_of_eight(bit: &impl Fn(usize) -> Block) -> [Block; 4] {
    let (a, carry_a) = full_add(bit(0), bit(1), bit(2));
    let (b, carry_b) = full_add(bit(3), bit(4), bit(5));
    let (c, carry_c) = full_add(bit(6), bit(7), a);
    let (ones, carry_d) = (b ^ c, b & c);
    let (d, carry_e) = full_add(carry_a, carry_b, carry_c);
    let (twos, carry_f) = (d ^ carry_d, d & carry_d);
    [ones, twos, carry_e ^ carry_f, carry_e & carry_f]
}

/// Adds two numbers of the same width; the sum has one plane more.
#[inline(always)]
fn add(a: &[Block], b: &[Block], sum: &mut [Block]) {
    let mut carry = Block::NONE;
    for ((&a, &b), sum) in a.iter().zip(b).zip(sum.iter_mut()) {
        (*sum, carry) = full_add(a, b, carry);
    }
    sum[a.len()] = carry;
}

/// Subtracts `b` from `a`, and tells where `a` is below `b`.
#[inline(always)]
fn subtract(a: &Planes, b: &[Block], rest: &mut Planes) -> Block {
    let mut borrow = Block::NONE;
    for ((&a, &b), rest) in a.iter().zip(b).zip(rest.iter_mut()) {
        let differ = a ^ b;
        *rest = differ ^ borrow;
        borrow = b.without(a) | borrow.without(differ);
    }
    borrow
}

/// Draws a number below `count` for each of these lanes: digits at random up to the highest of `count - 1`, again
/// where the number is too large. More than half of the lanes are done each time.
#[inline(always)]
fn draw(count: &[Block], lanes: Block, random: &mut Random, number: &mut Planes) {
    let mut most = [Block::NONE; MOST_PLANES];
    let mut mask = [Block::NONE; MOST_PLANES];
    let width = count.len();
    let mut borrow = Block::ALL;
    for (digit, &plane) in most.iter_mut().zip(count) {
        *digit = plane ^ borrow;
        borrow = borrow.without(plane);
    }
    let mut higher = Block::NONE;
    for at in (0..width).rev() {
        higher |= most[at] & lanes;
        mask[at] = higher;
    }
    number[..width].fill(Block::NONE);
    let mut open = lanes & higher;
    while !open.is_empty() {
        let mut too_large = Block::NONE;
        for at in 0..width {
            if mask[at].is_empty() {
                break;
            }
            let digit = random.block() & mask[at];
            number[at] = number[at].without(open) | (digit & open);
            // From the lowest digit up, the highest one that differs decides.
            too_large = number[at].without(most[at]) | (too_large & !(number[at] ^ most[at]));
        }
        open &= too_large;
    }
}

/// Finds the move of each lane in a group by counting down.
#[inline(always)]
fn walk(
    mut lanes: Block,
    number: &Planes,
    legal: impl Fn(usize) -> Block,
    mut choose: impl FnMut(usize, Block),
) {
    let [mut ones, mut twos, mut fours] = [number[0], number[1], number[2]];
    for at in 0..GROUP {
        let legal = legal(at) & lanes;
        let chosen = legal.without(ones | twos | fours);
        if !chosen.is_empty() {
            choose(at, chosen);
            lanes = lanes.without(chosen);
            if lanes.is_empty() {
                return;
            }
        }
        let borrow = legal.without(ones);
        ones ^= legal;
        fours ^= borrow.without(twos);
        twos ^= borrow;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::batch::block::LANES;

    /// Every lane gets a legal move of its own, and in the long run each as often as any other.
    #[test]
    fn choices_are_legal_and_uniform() {
        for moves in [1_usize, 2, 7, 8, 9, 30, 100] {
            let mut random = Random::new(moves as u64);
            // Lane `l` may play every move but those that `l` divides.
            let groups = moves.div_ceil(GROUP);
            let mut legal = vec![Block::NONE; groups * GROUP];
            for (at, block) in legal.iter_mut().enumerate().take(moves) {
                (0..LANES).for_each(|lane| block.set(lane, at == 0 || lane < 2 || at % lane != 0));
            }
            let mut tree = Tree::new(groups);
            let mut counts = vec![0u32; moves];
            let rounds = 400;
            for _ in 0..rounds {
                assert_eq!(tree.count(groups, |_| Block::ALL, |at| legal[at]), Block::ALL);
                let mut done = Block::NONE;
                tree.choose(
                    Block::ALL,
                    &mut random,
                    |at| legal[at],
                    |at, lanes| {
                        assert!(lanes.without(legal[at]).is_empty() && (lanes & done).is_empty());
                        done |= lanes;
                        counts[at] += lanes.count();
                    },
                );
                assert_eq!(done, Block::ALL);
            }
            let expected = |at: usize| -> f64 {
                let share = |lane: usize| {
                    let count = legal.iter().filter(|block| block.get(lane)).count();
                    if legal[at].get(lane) { 1.0 / count as f64 } else { 0.0 }
                };
                (0..LANES).map(share).sum::<f64>() * f64::from(rounds)
            };
            let chi_squared: f64 =
                (0..moves).map(|at| (f64::from(counts[at]) - expected(at)).powi(2) / expected(at)).sum();
            // Mean `moves - 1`, standard deviation √(2 (moves - 1)): five of them are beyond chance.
            let freedom = moves as f64 - 1.0;
            assert!(chi_squared <= freedom + 5.0 * (2.0 * freedom).sqrt() + 1e-9, "{moves}: {chi_squared}");
        }
    }
}
