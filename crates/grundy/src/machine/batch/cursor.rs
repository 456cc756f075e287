//! The cursor of the batch machine, with the same game in all lanes, so that it can be tested like any other machine.

use super::BatchMachine;
use super::block::Block;
use super::choose::GROUP;
use super::code::SlotId;
use super::code::Turnover;
use super::compile::{SlotRef, UNREAD};
use super::lanes::read;
use crate::machine::scratch::ScratchMachine;
use crate::machine::{CompiledGame, Cursor, State};
use crate::network::{MoveId, RoleId};
use crate::reasoner::GoalValue;
use std::sync::Arc;

/// A state in all lanes.
#[derive(Clone, Debug)]
pub struct BatchCursor {
    machine: Arc<BatchMachine>,
    slots: Vec<Block>,
    goals_known: bool,
}

impl BatchCursor {
    pub(super) fn new(machine: Arc<BatchMachine>) -> BatchCursor {
        let mut slots = vec![Block::NONE; machine.program.slots];
        slots[1 + machine.game().interface().fluents.len()] = Block::ALL;
        let mut cursor = BatchCursor { machine, slots, goals_known: false };
        cursor.reset();
        cursor
    }

    /// The value in all lanes.
    fn get(&self, place: SlotRef) -> bool {
        let block = read(&self.slots, place);
        debug_assert!(block == Block::ALL || block == Block::NONE, "all lanes are in the same state");
        block.get(0)
    }

    fn settle(&mut self) {
        self.goals_known = false;
        self.machine.program.state.run(&mut self.slots);
    }

    /// Asserts moves. This overwrites what legal moves are read from.
    fn assert_moves(&mut self, joint: &[MoveId]) {
        let does = &self.machine.program.does;
        does.iter().filter(|&&slot| slot != UNREAD).for_each(|&slot| self.slots[slot.index()] = Block::NONE);
        for &played in joint {
            if does[played] != UNREAD {
                self.slots[does[played].index()] = Block::ALL;
            }
        }
    }
}

impl Cursor for BatchCursor {
    fn game(&self) -> &CompiledGame {
        self.machine.game()
    }

    fn look_at(&mut self, state: &State) {
        for fluent in self.machine.game().interface().fluents.ids() {
            self.slots[SlotId::of_fluent(fluent).index()] = Block::splat(state.get(fluent));
        }
        self.settle();
    }

    fn reset(&mut self) {
        let machine = self.machine.clone();
        self.look_at(machine.game().initial());
    }

    fn state_into(&self, state: &mut State) {
        for fluent in self.machine.game().interface().fluents.ids() {
            state.set(fluent, self.slots[SlotId::of_fluent(fluent).index()].get(0));
        }
    }

    fn is_terminal(&mut self) -> bool {
        self.get(self.machine.program.terminal)
    }

    fn is_legal(&mut self, candidate: MoveId) -> bool {
        let role = self.machine.game().interface().moves[candidate].role;
        let choices = &self.machine.program.choices[role];
        let at =
            choices.moves.iter().position(|&other| other == candidate).expect("every move can be chosen");
        self.get(choices.guards[at / GROUP]) && self.get(choices.legal[at])
    }

    fn pick(&mut self, role: RoleId, rng: &mut fastrand::Rng) -> Option<MoveId> {
        let moves = self.machine.game().interface().moves_of(role);
        let legal: Vec<MoveId> = moves.filter(|&candidate| self.is_legal(candidate)).collect();
        rng.choice(legal)
    }

    fn goal(&mut self, role: RoleId) -> GoalValue {
        if !self.goals_known {
            self.machine.program.goals.run(&mut self.slots);
            self.goals_known = true;
        }
        let goals = &self.machine.program.goal_values[role];
        GoalValue::of(goals.iter().filter(|&&(_, place)| self.get(place)).map(|&(goal, _)| goal))
    }

    fn play(&mut self, joint: &[MoveId]) {
        self.assert_moves(joint);
        let machine = self.machine.clone();
        let program = &machine.program;
        program.next.run(&mut self.slots);
        program.in_place.run_in_place(&mut self.slots, Turnover::ALL);
        for &(from, to) in &program.aside {
            self.slots[to.index()] = self.slots[from.index()];
        }
        for (fluent, &next) in program.nexts.entries() {
            self.slots[SlotId::of_fluent(fluent).index()] = read(&self.slots, next);
        }
        self.settle();
    }

    fn hinted(&mut self, name: &str) -> Vec<MoveId> {
        // Batches play at random without hints, so that their code has none.
        let game = self.machine.game().clone();
        let mut state = game.initial().clone();
        self.state_into(&mut state);
        let mut scratch = Arc::new(ScratchMachine::new(game)).cursor();
        scratch.look_at(&state);
        scratch.hinted(name)
    }

    fn sees(&mut self, joint: &[MoveId], role: RoleId) -> Vec<String> {
        self.assert_moves(joint);
        let machine = self.machine.clone();
        // Percepts come last, in slots that may have been used for the next state before.
        machine.program.sees.run(&mut self.slots);
        let places = machine.program.percepts[role].iter();
        let percepts = &machine.game().interface().sees[role];
        let seen = places.zip(percepts).filter(|(place, _)| self.get(**place));
        let seen = seen.map(|(_, percept)| percept.text.clone()).collect();
        self.settle();
        seen
    }
}
