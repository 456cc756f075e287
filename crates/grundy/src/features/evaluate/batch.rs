//! Many states at once, a bit for each.
//!
//! A node is a block of 512 bits, one for each state, and is evaluated for all of them by a few wide instructions. Values
//! are added up in bit planes: plane `p` of an accumulator holds the binary digit `2^p` of its value in each state.

use super::plan::Share;
use super::{FactSet, Plan, Value};
use crate::machine::batch::{BLOCK_LANES, Block};
use crate::network::{Kind, NodeId, Signal};
use std::sync::Arc;

/// Values features in many states at once.
pub struct Batch {
    plan: Arc<Plan>,
    blocks: Vec<Block>,
    /// For each accumulator the nodes that add to it.
    terms: Vec<Vec<(NodeId, i64)>>,
    planes: Planes,
    /// For each lane its accumulators.
    sums: Vec<i64>,
}

/// Binary digits, one block each, of what is added and of what is subtracted.
#[derive(Default)]
struct Planes {
    plus: Vec<Block>,
    minus: Vec<Block>,
}

impl Batch {
    /// How many states are valued at once.
    pub const LANES: usize = BLOCK_LANES;

    /// Prepares.
    pub fn new(plan: Arc<Plan>) -> Batch {
        let mut terms = vec![Vec::new(); plan.bases.len()];
        for node in plan.network.nodes() {
            for &Share { accumulator, weight } in plan.shares_of(node) {
                terms[accumulator as usize].push((node, weight));
            }
        }
        Batch {
            blocks: vec![Block::NONE; plan.network.node_count()],
            sums: vec![0; plan.bases.len() * BLOCK_LANES],
            planes: Planes::default(),
            terms,
            plan,
        }
    }

    /// Values all features in some states; `visit` gets the values of one state after the other.
    pub fn value(&mut self, states: &[FactSet], mut visit: impl FnMut(&[Value])) {
        let mut values = Vec::new();
        for states in states.chunks(BLOCK_LANES) {
            self.load(states);
            self.evaluate();
            self.add_up();
            let plan = self.plan.clone();
            let count = plan.bases.len();
            for lane in 0..states.len() {
                plan.read(&self.sums[lane * count..(lane + 1) * count], &mut values);
                visit(&values);
            }
        }
    }

    /// Puts states into lanes.
    fn load(&mut self, states: &[FactSet]) {
        self.blocks[1..=self.plan.facts].fill(Block::NONE);
        for (lane, state) in states.iter().enumerate() {
            for fact in state.iter() {
                self.blocks[1 + fact as usize].set(lane, true);
            }
        }
    }

    fn evaluate(&mut self) {
        let Batch { plan, blocks, .. } = self;
        let network = &plan.network;
        let gate = |blocks: &[Block], node: NodeId| {
            let inputs = network.inputs(node);
            match network.kind(node) {
                Kind::And => inputs.iter().fold(Block::ALL, |all, &input| all & read(blocks, input)),
                _ => inputs.iter().fold(Block::NONE, |any, &input| any | read(blocks, input)),
            }
        };
        let mut next = network.interface().first_gate();
        let last = network.node_count() as u32;
        for range in network.loops().iter().cloned().chain(std::iter::once(last..last)) {
            for node in next..range.start {
                blocks[node as usize] = gate(blocks, NodeId(node));
            }
            range.clone().for_each(|node| blocks[node as usize] = Block::NONE);
            let mut changed = !range.is_empty();
            while changed {
                changed = false;
                for node in range.clone() {
                    let value = gate(blocks, NodeId(node));
                    changed |= value != blocks[node as usize];
                    blocks[node as usize] = value;
                }
            }
            next = range.end;
        }
    }

    /// Adds up all accumulators in all lanes.
    fn add_up(&mut self) {
        let count = self.plan.bases.len();
        for (accumulator, terms) in self.terms.iter().enumerate() {
            self.planes.plus.clear();
            self.planes.minus.clear();
            for &(node, weight) in terms {
                let planes = if weight < 0 { &mut self.planes.minus } else { &mut self.planes.plus };
                let mut digits = weight.unsigned_abs();
                while digits != 0 {
                    add(planes, digits.trailing_zeros() as usize, self.blocks[node.index()]);
                    digits &= digits - 1;
                }
            }
            let base = self.plan.bases[accumulator];
            (0..BLOCK_LANES).for_each(|lane| self.sums[lane * count + accumulator] = base);
            for (planes, sign) in [(&self.planes.plus, 1), (&self.planes.minus, -1)] {
                for (digit, plane) in planes.iter().enumerate() {
                    plane.for_each(|lane| self.sums[lane * count + accumulator] += sign << digit);
                }
            }
        }
    }
}

fn read(blocks: &[Block], signal: Signal) -> Block {
    blocks[signal.node().index()] ^ Block::splat(signal.is_inverted())
}

/// Adds one to this digit in the lanes of a block.
fn add(planes: &mut Vec<Block>, digit: usize, mut carry: Block) {
    if planes.len() < digit {
        planes.resize(digit, Block::NONE);
    }
    for plane in &mut planes[digit..] {
        if carry.is_empty() {
            return;
        }
        let sum = *plane ^ carry;
        carry &= *plane;
        *plane = sum;
    }
    if !carry.is_empty() {
        planes.push(carry);
    }
}
