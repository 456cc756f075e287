//! What happens in a few random games, counted: which nodes are worth what, and how much work a step is.

use super::arms::{SEED, steps_to_look_at};
use super::effects::{Claims, Lists};
use super::player::Memory;
use super::{IncrementalMachine, Late, Output};
use crate::machine::work::Work;
use crate::network::MoveId;

/// What things cost, compared with a value that is looked at where it stands among others: a counter that changes, a mark
/// that does, and an output that is told of it, such as a move that gets legal. Found by comparing the times of two hundred
/// games with what their steps do.
const COST_OF_COUNTER: u64 = 3;
const COST_OF_FLIP: u64 = 2;
const COST_OF_OUTPUT: u64 = 4;

/// Where marks change other nodes at once (`arms.rs`), the loop over the queue is left and entered again.
const COST_OF_LIST: u64 = 8;

/// Finding out where a move carries a fact costs as much as this.
const COST_OF_CARRYING: u64 = 6;

/// What happens in some steps of random play.
pub(super) struct Sample {
    pub(super) steps: usize,
    /// For each place how often its mark changes. Those of goals are looked at in every state.
    pub(super) flips: Vec<u64>,
    /// How many games come to an end, or one if none does.
    pub(super) ends: u64,
    /// How many values are looked at to find the next state: inputs of gates, next values, facts to be carried on.
    effects: u64,
}

impl Sample {
    /// `None` if there is so much to look at that there would be hardly any steps.
    pub(super) fn new(machine: &IncrementalMachine) -> Option<Sample> {
        let steps = steps_to_look_at(machine.place_count)?;
        let mut sample = Sample { steps, flips: vec![0; machine.place_count], ends: 0, effects: 0 };
        let mut old = vec![false; machine.place_count];
        let mut claims = Claims::new(machine.nexts.len());
        // The next state is that of a new game, which is copied.
        let mut is_over = true;
        machine.sample(steps, SEED, |memory, joint| {
            memory.evaluate(&machine.goals);
            for (place, (flips, old)) in sample.flips.iter_mut().zip(&mut old).enumerate() {
                let mark = memory.cells.mark(place);
                *flips += u64::from(!is_over && *old != mark);
                *old = mark;
            }
            let lists = machine.effects.lists(joint, &mut claims);
            sample.effects += joint.iter().map(|&one_move| looks_of(lists, one_move)).sum::<u64>();
            sample.effects += machine.looks_at_touched(memory);
            is_over = memory.value(machine.terminal);
            sample.ends += u64::from(is_over);
        });
        sample.ends = sample.ends.max(1);
        Some(sample)
    }

    /// Counters that change when the marks of what is kept up to date do.
    pub(super) fn counted(&self, machine: &IncrementalMachine) -> u64 {
        (0..machine.kept).map(|place| self.flips[place] * u64::from(machine.wires.reader_count(place))).sum()
    }
}

impl IncrementalMachine {
    /// What a step costs, about, in values that are looked at; `None` if that would take long to find out.
    pub(crate) fn work(&self) -> Option<Work> {
        let sample = Sample::new(self)?;
        let flips_of = |cost: &dyn Fn(usize) -> u64| -> u64 {
            (0..self.kept).map(|place| sample.flips[place] * cost(place)).sum()
        };
        let is_list = |place: usize| u64::from(self.wires.output(place).tag() == Output::LIST);
        let kinds = [
            COST_OF_COUNTER * sample.counted(self),
            flips_of(&|_| COST_OF_FLIP),
            flips_of(&|place| COST_OF_OUTPUT * self.outputs_of(place)),
            flips_of(&|place| COST_OF_LIST * is_list(place)),
            sample.effects,
            sample.ends * looks(&self.goals, 0..self.goals.gates.len()),
        ];
        Some(Work(kinds.map(|cost| cost as f64 / sample.steps as f64).to_vec()))
    }

    /// How many outputs are told when the mark of a place changes.
    fn outputs_of(&self, place: usize) -> u64 {
        let output = self.wires.output(place);
        match output.tag() {
            Output::LIST | Output::PLAIN_LIST => self.list(output.number()).count() as u64,
            _ => u64::from(output != Output::NOTHING),
        }
    }

    /// The values that are looked at in the next step because fluents may change without the moves.
    fn looks_at_touched(&self, memory: &Memory) -> u64 {
        let touched = memory.touched().iter();
        let cost = |&fluent: &u32| {
            let is_carried = self.effects.carries_anything() && memory.cells.mark(1 + fluent as usize);
            1 + if is_carried { COST_OF_CARRYING * self.sets_of.len() as u64 } else { 0 }
        };
        touched.map(cost).sum()
    }
}

/// The values that the effects of a move look at.
fn looks_of(lists: &Lists, one_move: MoveId) -> u64 {
    looks(&lists.gates, lists.gates_of(one_move)) + lists.of(one_move).len() as u64
}

/// The inputs of some gates, and the gates.
fn looks(late: &Late, gates: std::ops::Range<usize>) -> u64 {
    late.gates[gates].iter().map(|gate| u64::from(1 + gate.end - gate.start)).sum()
}
