//! What happens in a few random games, counted: which nodes are worth what, and how much work a step is.

use super::arms::{SEED, steps_to_look_at};
use super::{IncrementalMachine, Late, Output};
use crate::network::MoveId;

/// A mark that changes costs as much as so many counters, and so does each output that is told: a move that gets legal, a
/// gate that gets armed.
const COST_OF_FLIP: u64 = 3;
const COST_OF_OUTPUT: u64 = 6;

/// What happens in some steps of random play.
pub(super) struct Sample {
    pub(super) steps: usize,
    /// For each place how often its mark changes. Those of goals are looked at in every state.
    pub(super) flips: Vec<u64>,
    /// How many games come to an end, or one if none does.
    pub(super) ends: u64,
    /// How many inputs of gates, and next values, the effects of moves look at.
    effects: u64,
}

impl Sample {
    /// `None` if there is so much to look at that there would be hardly any steps.
    pub(super) fn new(machine: &IncrementalMachine) -> Option<Sample> {
        let steps = steps_to_look_at(machine.place_count)?;
        let mut sample = Sample { steps, flips: vec![0; machine.place_count], ends: 0, effects: 0 };
        let mut old = vec![false; machine.place_count];
        // The next state is that of a new game, which is copied.
        let mut is_over = true;
        machine.sample(steps, SEED, |memory, joint| {
            memory.evaluate(&machine.goals);
            for (place, (flips, old)) in sample.flips.iter_mut().zip(&mut old).enumerate() {
                let mark = memory.cells.mark(place);
                *flips += u64::from(!is_over && *old != mark);
                *old = mark;
            }
            sample.effects += joint.iter().map(|&one_move| machine.looks_of(one_move)).sum::<u64>();
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
    /// About how many values a step reads or writes; `None` if that would take long to find out.
    pub(crate) fn work(&self) -> Option<f64> {
        let sample = Sample::new(self)?;
        let cost_of = |place: usize| COST_OF_FLIP + COST_OF_OUTPUT * self.outputs_of(place);
        let flips: u64 = (0..self.kept).map(|place| sample.flips[place] * cost_of(place)).sum();
        let goals = sample.ends * looks(&self.goals, 0..self.goals.gates.len());
        let all = sample.counted(self) + flips + sample.effects + goals;
        Some(all as f64 / sample.steps as f64)
    }

    /// How many outputs are told when the mark of a place changes.
    fn outputs_of(&self, place: usize) -> u64 {
        let output = self.wires.output(place);
        match output.tag() {
            Output::LIST => {
                let list = self.outputs[output.number() as usize..].iter();
                list.take_while(|&&output| output != Output::NOTHING).count() as u64
            }
            _ => u64::from(output != Output::NOTHING),
        }
    }

    /// The values that the effects of a move look at.
    fn looks_of(&self, one_move: MoveId) -> u64 {
        let lists = self.effects.alone();
        looks(&lists.gates, lists.gates_of(one_move)) + lists.of(one_move).len() as u64
    }
}

/// The inputs of some gates, and the gates.
fn looks(late: &Late, gates: std::ops::Range<usize>) -> u64 {
    late.gates[gates].iter().map(|gate| u64::from(1 + gate.end - gate.start)).sum()
}
