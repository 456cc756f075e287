//! Slot allocation: linear-scan register allocation, with slots for registers and nodes for values.

use super::code::{Code, CodeBlock, Shape, SlotId};
use super::compile::SlotRef;
use super::select::{Draft, Instruction};
use crate::ids::IdVec;
use crate::network::{NodeId, Signal};

/// Allocates slots to nodes.
pub(super) struct Allocator {
    pub(super) slot_of: IdVec<NodeId, SlotId>,
    /// For each node when its value is needed for the last time; [`NEVER_FREE`] for fluents and the like.
    pub(super) last_use: IdVec<NodeId, u32>,
    pub(super) free: Vec<SlotId>,
    /// One past the last slot.
    pub(super) slots: SlotId,
    pub(super) now: u32,
}

pub(super) const NEVER_FREE: u32 = u32::MAX;

impl Allocator {
    pub(super) fn take(&mut self, node: NodeId) -> SlotId {
        let slot = self.free.pop().unwrap_or_else(|| self.new_slot());
        self.slot_of[node] = slot;
        slot
    }

    pub(super) fn new_slot(&mut self) -> SlotId {
        let slot = self.slots;
        self.slots.0 += 1;
        slot
    }

    /// Frees the slot of a node if it is not needed any more.
    pub(super) fn release(&mut self, node: NodeId) {
        if self.last_use[node] <= self.now {
            self.free.push(self.slot_of[node]);
            // A node that is an operand twice is freed once.
            self.last_use[node] = NEVER_FREE;
        }
    }

    pub(super) fn note_use(&mut self, node: NodeId) {
        if self.last_use[node] != NEVER_FREE {
            self.last_use[node] = self.now;
        }
    }

    pub(super) fn place(&self, stored: Signal) -> SlotRef {
        SlotRef { slot: self.slot_of[stored.node()], opposite: stored.is_inverted() }
    }

    /// Goes through the drafts of a part as [`emit`](Self::emit) will, and notes when values are used.
    pub(super) fn note_uses(&mut self, drafts: &[Draft]) {
        for draft in drafts {
            for instruction in &draft.instructions {
                self.now += u32::from(draft.members.is_none());
                instruction.operands.iter().for_each(|&operand| self.note_use(operand));
            }
            // All that a loop reads or makes is needed until its end.
            self.now += 1;
            draft.members.iter().flatten().for_each(|&member| self.note_use(member));
            if draft.members.is_some() {
                let operands = draft.instructions.iter().flat_map(|instruction| &instruction.operands);
                operands.for_each(|&operand| self.note_use(operand));
            }
        }
    }

    pub(super) fn emit(&mut self, drafts: &[Draft]) -> Code {
        let mut code = Code::default();
        for draft in drafts {
            let start = code.words.len();
            match &draft.members {
                None => {
                    self.emit_straight(&draft.instructions, &mut code);
                    self.now += 1;
                    code.blocks.push(CodeBlock::Straight(start..code.words.len()));
                }
                Some(members) => {
                    let slots = members.iter().map(|&member| (self.take(member), false)).collect();
                    for instruction in &draft.instructions {
                        self.push(instruction, None, &mut code);
                    }
                    self.now += 1;
                    let operands = draft.instructions.iter().flat_map(|instruction| &instruction.operands);
                    members.iter().chain(operands).for_each(|&node| self.release(node));
                    code.blocks.push(CodeBlock::Loop(start..code.words.len(), slots));
                }
            }
        }
        code.instructions = drafts.iter().map(|draft| draft.instructions.len()).sum();
        code.operands = drafts.iter().flat_map(|draft| &draft.instructions).map(|i| i.operands.len()).sum();
        code
    }

    fn emit_straight(&mut self, instructions: &[Instruction], code: &mut Code) {
        let mut run: Option<(Shape, usize)> = None;
        for instruction in instructions {
            self.now += 1;
            let count_at = match run {
                Some((shape, at)) if shape == instruction.shape => Some(at),
                _ => None,
            };
            let at = self.push_with(instruction, count_at, code);
            run = Some((instruction.shape, at));
        }
    }

    /// Appends an instruction whose target has a slot.
    fn push(&mut self, instruction: &Instruction, count_at: Option<usize>, code: &mut Code) -> usize {
        let count_at = count_at.unwrap_or_else(|| instruction.shape.write(&mut code.words));
        code.words[count_at] += 1;
        code.words.push(self.slot_of[instruction.target].0);
        code.words.extend(instruction.operands.iter().map(|&operand| self.slot_of[operand].0));
        count_at
    }

    /// Appends an instruction and gives a slot to its target, perhaps that of an operand.
    fn push_with(&mut self, instruction: &Instruction, count_at: Option<usize>, code: &mut Code) -> usize {
        let count_at = self.push(instruction, count_at, code);
        let target_at = code.words.len() - 1 - instruction.operands.len();
        instruction.operands.iter().for_each(|&operand| self.release(operand));
        // A fluent has a fixed slot.
        if self.last_use[instruction.target] != NEVER_FREE {
            code.words[target_at] = self.take(instruction.target).0;
            self.release(instruction.target);
        }
        count_at
    }
}
