//! Counts of a few random games: how often nodes change, and how much work a step is.

use super::arms::{SEED, steps_to_sample};
use super::cursor::Tally;
use super::effects::{Claims, Lists};
use super::memory::Memory;
use super::{CellId, IncrementalMachine, LazyGates, Output};
use crate::ids::{IdVec, float, ids, wide};
use crate::machine::work::Work;
use crate::network::{FluentId, MoveId};
use grundy_syntax::{Budget, Exhausted};

/// Costs in changes of counters: of a mark that changes, of the loop over its readers if it has any, of a stale entry of
/// the queue, and of an output, such as a move that becomes legal. Loops and stale entries are short; their cost is that of
/// branch mispredictions. Measured: fitted to the times of 800 pairs of networks of 143 games.
const COST_OF_FLIP: u64 = 4;
const COST_OF_READERS: u64 = 4;
const COST_OF_STALE: u64 = 8;
const COST_OF_OUTPUT: u64 = 8;

/// A list that changes other cells at once (`arms.rs`): the loop over the queue is left and entered again. Origin not recorded.
const COST_OF_LIST: u64 = 30;

/// A value that is read for the next state or the goals. Origin not recorded.
const COST_OF_LOOK: u64 = 2;

/// A step, whatever it changes. Origin not recorded.
const COST_OF_STEP: u64 = 20;

/// The search for the facts that a move carries, in values that are read. Origin not recorded.
const COST_OF_CARRYING: u64 = 6;

/// Counts of some steps of random play.
pub(super) struct Sample {
    pub(super) steps: usize,
    /// For each place how often its mark changes. Those of goals are looked at in every state.
    pub(super) flips: IdVec<CellId, u64>,
    /// How many games come to an end, or one if none does.
    pub(super) ends: u64,
    /// Counts of the queue. A mark may change there and back in one step.
    pub(super) tally: Tally,
    /// How many values are looked at to find the next state: inputs of gates, next values, facts to be carried on.
    effects: u64,
}

impl Sample {
    /// `None` if the machine is too large for a representative sample.
    pub(super) fn new(machine: &IncrementalMachine, budget: &Budget) -> Result<Option<Sample>, Exhausted> {
        let Some(steps) = steps_to_sample(machine.cell_count) else { return Ok(None) };
        let mut sample = Sample {
            steps,
            flips: IdVec::filled(0, machine.cell_count),
            ends: 0,
            effects: 0,
            tally: Tally::default(),
        };
        let mut old = vec![false; machine.cell_count];
        let mut claims = Claims::new(machine.nexts.len());
        // The next state is that of a new game, which is copied.
        let mut is_over = true;
        let tally = machine.sample(steps, SEED, budget, |memory, joint| {
            memory.evaluate(&machine.goals);
            let cells = sample.flips.ids();
            for (cell, (flips, old)) in cells.zip(sample.flips.iter_mut().zip(&mut old)) {
                let mark = memory.cells.mark(cell);
                *flips += u64::from(!is_over && *old != mark);
                *old = mark;
            }
            let lists = machine.effects.lists(joint, &mut claims);
            sample.effects += joint.iter().map(|&played| looks_of(lists, played)).sum::<u64>();
            sample.effects += machine.looks_at_touched(memory);
            is_over = memory.value(machine.terminal);
            sample.ends += u64::from(is_over);
        })?;
        sample.tally = tally;
        sample.ends = sample.ends.max(1);
        Ok(Some(sample))
    }

    /// Counters that change when the marks of what is kept up to date do.
    pub(super) fn counted(&self, machine: &IncrementalMachine) -> u64 {
        ids(machine.kept).map(|cell| self.flips[cell] * u64::from(machine.wires.reader_count(cell))).sum()
    }
}

impl IncrementalMachine {
    /// The average cost of a step, in changes of counters; `None` if the machine is too large to be sampled.
    pub(crate) fn work(&self, budget: &Budget) -> Result<Option<Work>, Exhausted> {
        let Some(sample) = Sample::new(self, budget)? else { return Ok(None) };
        let flips_of = |cost: &dyn Fn(CellId) -> u64| -> u64 {
            ids(self.kept).map(|cell| sample.tally.flips[cell] * cost(cell)).sum()
        };
        let readers = |cell: CellId| u64::from(self.wires.reader_count(cell));
        let is_list = |cell: CellId| u64::from(self.wires.output(cell).tag() == Output::LIST);
        let kinds = [
            flips_of(&readers),
            COST_OF_FLIP * flips_of(&|_| 1),
            COST_OF_READERS * flips_of(&|cell| readers(cell).min(1)),
            COST_OF_STALE * sample.tally.stale,
            COST_OF_OUTPUT * flips_of(&|cell| self.outputs_of(cell)),
            COST_OF_LIST * flips_of(&is_list),
            COST_OF_LOOK * sample.effects,
            COST_OF_LOOK * sample.ends * looks(&self.goals, 0..self.goals.gates.len()),
            COST_OF_STEP * wide(sample.steps),
        ];
        Ok(Some(Work(kinds.map(|cost| float(cost) / float(sample.steps)).to_vec())))
    }

    /// How many outputs are told when the mark of a place changes.
    fn outputs_of(&self, cell: CellId) -> u64 {
        let output = self.wires.output(cell);
        match output.tag() {
            Output::LIST | Output::PLAIN_LIST => wide(self.list(output.number()).count()),
            _ => u64::from(output != Output::NOTHING),
        }
    }

    /// The values that are looked at in the next step because fluents may change without the moves.
    fn looks_at_touched(&self, memory: &Memory) -> u64 {
        let touched = memory.touched().iter();
        let cost = |&fluent: &FluentId| {
            let is_carried = self.effects.carries_anything() && memory.cells.mark(CellId::of_fluent(fluent));
            1 + if is_carried { COST_OF_CARRYING * wide(self.sets_of.len()) } else { 0 }
        };
        touched.map(cost).sum()
    }
}

/// The values that the effects of a move look at.
fn looks_of(lists: &Lists, played: MoveId) -> u64 {
    looks(&lists.gates, lists.gates_of(played)) + wide(lists.of(played).len())
}

/// The inputs of some gates, and the gates.
fn looks(lazy: &LazyGates, gates: std::ops::Range<usize>) -> u64 {
    lazy.gates[gates].iter().map(|gate| u64::from(1 + gate.end - gate.start)).sum()
}
