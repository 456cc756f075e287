//! Instruction selection and scheduling: which instruction computes which node, and in which order.

use super::code::Shape;
use crate::ids::{BitSet, IdVec};
use crate::machine::cones::{Component, Cone};
use crate::network::{FluentId, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// The work for an operand, as [`Ticks`] count it: a guess.
const WORK: usize = 16;

/// The number of instructions that are sorted together. Larger windows have longer runs, but more live values. A guess.
const SCHEDULING_WINDOW: usize = 256;

/// An instruction before slots are known.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub(super) target: NodeId,
    pub(super) shape: Shape,
    pub(super) operands: Vec<NodeId>,
}

/// Instructions of one block.
pub(super) struct Draft {
    pub(super) instructions: Vec<Instruction>,
    /// The nodes of a loop.
    pub(super) members: Option<Vec<NodeId>>,
}

/// Selects instructions: which values are stored, inverted, shared or inlined.
pub(super) struct Drafter<'a> {
    pub(super) network: &'a Network,
    /// For each node the node whose slot it shares, inverted if it is the opposite of the stored value.
    pub(super) stored: IdVec<NodeId, Signal>,
    /// The gates that are part of the instruction of the only one that reads them.
    pub(super) inlined: BitSet<NodeId>,
    pub(super) full: NodeId,
    /// The next number for an intermediate value.
    pub(super) extra: NodeId,
}

/// An input of a gate.
enum Operand {
    Stored(Signal),
    /// The product of two if an OR reads it, the opposite of that if an AND does.
    Product([Signal; 2]),
}

impl Drafter<'_> {
    pub(super) fn stored(&self, signal: Signal) -> Signal {
        let stored = self.stored[signal.node()];
        stored.inverted_if(signal.is_inverted())
    }

    /// An input, as a product if its node is inlined.
    fn operand(&self, signal: Signal) -> Operand {
        let node = signal.node();
        let (true, &[one, other]) = (self.inlined.contains(node), self.network.inputs(node)) else {
            return Operand::Stored(self.stored(signal));
        };
        // An OR is the opposite of a product of opposites.
        let is_or = self.network.kind(node) == Kind::Or;
        let factors = [one, other].map(|input| self.stored(input.inverted_if(is_or)));
        Operand::Product(factors)
    }

    /// Finds the gates that need no slot: those with two inputs of which a single OR reads the product, or a single AND its
    /// opposite.
    pub(super) fn inline(&mut self, cone: &Cone, readers: &IdVec<NodeId, u32>) {
        let steps: Vec<Component<'_>> = cone.components().collect();
        let mut here: BitSet<NodeId> = BitSet::empty(self.network.node_count());
        let gates = || {
            steps.iter().filter_map(|step| if let Component::Gate(node) = step { Some(*node) } else { None })
        };
        gates().for_each(|node| here.set(node, true));
        // Readers come after what they read; they are inlined first.
        for reader in gates().collect::<Vec<_>>().into_iter().rev() {
            if self.inlined.contains(reader) || self.network.inputs(reader).len() < 2 {
                continue;
            }
            for &input in self.network.inputs(reader) {
                let node = input.node();
                let has_two = matches!(self.network.inputs(node), [one, other] if one.node() != other.node());
                let is_other_kind =
                    (self.network.kind(node) == self.network.kind(reader)) == input.is_inverted();
                if has_two && is_other_kind && here.contains(node) && readers[node] == 1 {
                    self.inlined.set(node, true);
                }
            }
        }
    }

    pub(super) fn draft(&mut self, cone: &Cone, budget: &Budget) -> Result<Vec<Draft>, Exhausted> {
        let mut ticks = Ticks::default();
        let mut drafts = Vec::new();
        let mut straight = Vec::new();
        for step in cone.components() {
            match step {
                Component::Gate(node) => ticks.work(budget, WORK * (1 + self.network.inputs(node).len()))?,
                Component::Loop(members) => ticks.work(budget, WORK * members.len())?,
            }
            match step {
                Component::Gate(node) if self.inlined.contains(node) => {}
                Component::Gate(node) => straight.extend(self.instruction(node)),
                Component::Loop(members) => {
                    push_straight(&mut drafts, std::mem::take(&mut straight));
                    drafts.push(self.draft_loop(members));
                }
            }
        }
        push_straight(&mut drafts, straight);
        budget.check()?;
        Ok(drafts)
    }

    /// The instruction for a node; `None` if it is the same as another, perhaps inverted.
    fn instruction(&mut self, node: NodeId) -> Option<Instruction> {
        let kind = self.network.kind(node);
        match *self.network.inputs(node) {
            [] => self.stored[node] = kind.neutral(),
            [only] => self.stored[node] = self.stored(only),
            ref inputs => {
                let operands: Vec<Operand> = inputs.iter().map(|&input| self.operand(input)).collect();
                let (instruction, opposite) = gate(node, kind, &operands);
                self.stored[node] = Signal::of(node).inverted_if(opposite);
                return Some(instruction);
            }
        }
        None
    }

    /// The nodes of a loop are stored without inversion, so that earlier ones can read later ones.
    fn draft_loop(&mut self, members: &[NodeId]) -> Draft {
        members.iter().for_each(|&node| self.stored[node] = Signal::of(node));
        let mut instructions = Vec::new();
        let mut all = members.to_vec();
        for &node in members {
            let inputs = self.network.inputs(node).iter();
            let inputs: Vec<Operand> = inputs.map(|&input| Operand::Stored(self.stored(input))).collect();
            let (mut instruction, opposite) = gate(node, self.network.kind(node), &inputs);
            if opposite {
                let between = self.extra;
                self.extra.0 += 1;
                all.push(between);
                instruction.target = between;
                instructions.push(instruction);
                instruction = Instruction { target: node, shape: NOT, operands: vec![self.full, between] };
            }
            instructions.push(instruction);
        }
        Draft { instructions, members: Some(all) }
    }
}

fn push_straight(drafts: &mut Vec<Draft>, mut instructions: Vec<Instruction>) {
    if !instructions.is_empty() {
        instructions.chunks_mut(SCHEDULING_WINDOW).for_each(sort_window);
        drafts.push(Draft { instructions, members: None });
    }
}

/// A NOT: the slot that is full without another slot.
const NOT: Shape = Shape { is_or: false, plain: 1, opposite: 1, pairs: [0; 3] };

/// The instruction for a gate, and whether it gives the opposite of its value.
fn gate(target: NodeId, kind: Kind, inputs: &[Operand]) -> (Instruction, bool) {
    let mut plain = Vec::new();
    let mut inverted = Vec::new();
    let mut products: [Vec<NodeId>; 3] = Default::default();
    for input in inputs {
        match *input {
            Operand::Stored(signal) if signal.is_inverted() => inverted.push(signal.node()),
            Operand::Stored(signal) => plain.push(signal.node()),
            Operand::Product(mut factors) => {
                factors.sort_by_key(|factor| factor.is_inverted());
                let opposite = factors.iter().filter(|factor| factor.is_inverted()).count();
                products[opposite].extend(factors.map(Signal::node));
            }
        }
    }
    let is_and = kind == Kind::And;
    // An AND starts with something that is plain; otherwise its opposite is an OR.
    let is_opposite = if is_and { plain.is_empty() } else { !inverted.is_empty() };
    if is_opposite {
        std::mem::swap(&mut plain, &mut inverted);
    }
    let shape = Shape {
        is_or: is_and == is_opposite,
        plain: plain.len(),
        opposite: inverted.len(),
        pairs: [0, 1, 2].map(|kind: usize| products[kind].len() / 2),
    };
    let operands = [plain, inverted, products.concat()].concat();
    (Instruction { target, shape, operands }, is_opposite)
}

/// Extracts the instructions for next values that can be computed in place at the end of a step: those whose value has no
/// other reader and whose fluent no later instruction reads. Redirects the next values to the slots of the fluents.
/// Extracts nothing if there are fewer than `least`.
pub(super) fn take_in_place(
    network: &Network,
    drafts: &mut [Draft],
    nexts: &mut IdVec<FluentId, Signal>,
    readers: &IdVec<NodeId, u32>,
    least: usize,
) -> Vec<Instruction> {
    let interface = network.interface();
    // A value that is stored for several nodes may have the readers of all of them.
    let is_alone = |&fluent: &FluentId| {
        let next = nexts[fluent];
        next == interface.fluents[fluent].next && !next.is_inverted() && readers[next.node()] == 1
    };
    let fluent_of: FxHashMap<NodeId, FluentId> =
        nexts.ids().filter(is_alone).map(|fluent| (nexts[fluent].node(), fluent)).collect();
    let straight = drafts.iter().filter(|draft| draft.members.is_none());
    let candidates = straight.flat_map(|draft| &draft.instructions);
    let candidates = candidates.filter_map(|one| Some((*fluent_of.get(&one.target)?, &one.operands)));
    let mut in_place: IdVec<FluentId, bool> = IdVec::filled(false, nexts.len());
    let mut is_read: IdVec<FluentId, bool> = IdVec::filled(false, nexts.len());
    for (number, next) in nexts.entries() {
        // A next value that is another fluent is copied at the end of the step.
        if let Some(other) = interface.fluent_of(next.node()) {
            is_read[other] |= other != number;
        }
    }
    for (fluent, operands) in candidates {
        in_place[fluent] = true;
        for other in operands.iter().filter_map(|&operand| interface.fluent_of(operand)) {
            is_read[other] |= other != fluent;
        }
    }
    in_place.iter_mut().zip(is_read).for_each(|(in_place, is_read)| *in_place &= !is_read);
    if in_place.iter().filter(|in_place| **in_place).count() < least {
        return Vec::new();
    }
    let is_last = |one: &Instruction| fluent_of.get(&one.target).is_some_and(|&fluent| in_place[fluent]);
    let mut last: Vec<Instruction> = Vec::new();
    for draft in drafts.iter_mut().filter(|draft| draft.members.is_none()) {
        last.extend(draft.instructions.extract_if(.., |one| is_last(one)));
    }
    for one in &mut last {
        let fluent = fluent_of[&one.target];
        one.target = interface.fluent_node(fluent);
        nexts[fluent] = Signal::of(one.target);
    }
    last.sort_by_key(|one| one.shape);
    last
}

/// Sorts instructions by level, and those of a level, which do not depend on each other, by shape.
fn sort_window(window: &mut [Instruction]) {
    let mut level_of: FxHashMap<NodeId, u32> = FxHashMap::default();
    for instruction in window.iter() {
        let levels = instruction.operands.iter().filter_map(|operand| level_of.get(operand));
        let level = levels.max().map_or(0, |level| level + 1);
        level_of.insert(instruction.target, level);
    }
    window.sort_by_key(|instruction| (level_of[&instruction.target], instruction.shape));
}
