//! Plays the games of a chunk in the lanes of blocks.
//!
//! All lanes make a step at a time: evaluate `state`, count legal moves, find the games that are over, choose moves, and
//! evaluate `next`. A game that is over keeps its lane and its final state and *waits*. When enough games wait
//! ([`collection_threshold`](super::BatchMachine::collection_threshold)), their goals are evaluated once for all of them,
//! and new games begin in their lanes. A chunk is finished when no game is left to begin and none is in play, so that long
//! games count as much as short ones.
//!
//! Games begin in the *rhythm* of turns: if the same groups of moves are available in all lanes after every `period` steps,
//! games only begin at multiples of the period. Then the same role moves in all lanes, and the moves of the others, whose
//! guards are false everywhere, are skipped.

use super::BatchMachine;
use super::block::{Block, LANES};
use super::choose::Tree;
use super::code::{SlotId, Store, Turnover};
use super::compile::{Program, SlotRef, UNREAD};
use super::random::Random;
use crate::ids::{Id, IdVec, length, narrow, wide};
use crate::machine::State;
use crate::machine::playouts::{Chunk, Totals, stream};
use crate::network::{FluentId, MoveId, RoleId};
use crate::reasoner::GoalValue;
use grundy_syntax::Ticks;
use std::sync::Arc;

/// Games in play.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Lanes {
    machine: Arc<BatchMachine>,
    slots: Vec<Block>,
    /// For each role the counts of its legal moves.
    trees: IdVec<RoleId, Tree>,
    /// For each lane when its game began, and in which state.
    begun: Vec<u64>,
    starts: Vec<u32>,
    /// For each lane the number of its game.
    games: Vec<u64>,
    /// The moves of a role that are chosen somewhere.
    chosen: Vec<(u32, Block)>,
}

/// Sees which moves the games of a chunk make.
pub(in crate::machine) trait Watch {
    /// A game begins in a lane.
    fn begins(&mut self, _lane: usize, _game: u64) {}
    /// A role has chosen a move in these lanes.
    fn chooses(&mut self, _role: RoleId, _chosen: MoveId, _lanes: Block) {}
    /// All roles have chosen in these lanes, and their moves are made.
    fn moves(&mut self, _lanes: Block) {}
    /// The game of a lane is over.
    fn ends(&mut self, _lane: usize) {}
    /// Whether there is nothing more to see.
    fn is_done(&self) -> bool {
        false
    }
}

/// Watches nothing, which compiles to no instructions.
pub(in crate::machine) struct Unwatched;

impl Watch for Unwatched {}

/// The progress of a chunk.
struct Course {
    random: Random,
    /// How many joint moves were made.
    clock: u64,
    /// No game in play began earlier.
    oldest: u64,
    next_game: u64,
    /// Lanes with a game, be it over or not.
    playing: Block,
    /// Lanes whose game is over and not counted yet, and those that ended as a game should.
    waiting: Block,
    finished: Block,
    /// Lanes that get a new game.
    fresh: Block,
    rhythm: Rhythm,
    ended: u64,
    length: u64,
}

/// The period after which it is the turn of the first role again. Games begin in this rhythm, so that the same role moves
/// in all lanes, and the moves of all others are skipped.
#[derive(Default)]
struct Rhythm {
    /// Which groups of moves there are at the start, as long as all lanes agree.
    at_start: Vec<bool>,
    period: Option<u64>,
}

/// The longest period that is searched for. A guess.
const MAX_PERIOD: u64 = 8;

impl Rhythm {
    /// Compares the groups of moves that are available in these lanes after `clock` steps with those at the start.
    #[inline(always)]
    fn look(&mut self, clock: u64, lanes: Block, guards: impl Iterator<Item = Block>) {
        let mut groups = Vec::new();
        for guard in guards {
            let here = guard & lanes;
            if !here.is_empty() && here != lanes {
                self.period = Some(1);
                return;
            }
            groups.push(!here.is_empty());
        }
        if clock == 0 {
            self.at_start = groups;
        } else if groups == self.at_start {
            self.period = Some(clock);
        } else if clock == MAX_PERIOD {
            self.period = Some(1);
        }
    }

    /// Whether a game may begin after `clock` steps.
    fn is_beat(&self, clock: u64) -> bool {
        clock.is_multiple_of(self.period.unwrap_or(1))
    }
}

impl Lanes {
    pub(super) fn new(machine: Arc<BatchMachine>) -> Lanes {
        let interface = machine.game().interface();
        let mut slots = vec![Block::NONE; machine.program.slots];
        slots[1 + interface.fluents.len()] = Block::ALL;
        let trees = machine.program.choices.iter().map(|choices| Tree::new(choices.guards.len())).collect();
        let (begun, starts, games) = (vec![0; LANES], vec![0; LANES], vec![0; LANES]);
        Lanes { slots, trees, begun, starts, games, chosen: Vec::new(), machine }
    }

    /// Plays the games of a chunk.
    pub(in crate::machine) fn play(&mut self, chunk: &Chunk, totals: &mut [Totals]) {
        super::simd::play(self, chunk, totals);
    }

    /// Plays the same games with a watcher, more slowly.
    pub(in crate::machine) fn play_watched(
        &mut self,
        chunk: &Chunk,
        totals: &mut [Totals],
        watch: &mut impl Watch,
    ) {
        self.play_chunk(chunk, totals, watch);
    }

    #[inline(always)]
    pub(super) fn play_chunk(&mut self, chunk: &Chunk, totals: &mut [Totals], watch: &mut impl Watch) {
        let machine = self.machine.clone();
        let program = &machine.program;
        let games = length((chunk.games.end - chunk.games.start).min(wide(LANES)));
        let mut course = Course {
            random: Random::new(stream(chunk.config.seed, chunk.number)),
            clock: 0,
            oldest: 0,
            next_game: chunk.games.start,
            playing: Block::first(games),
            waiting: Block::NONE,
            finished: Block::NONE,
            fresh: Block::first(games),
            rhythm: Rhythm::default(),
            ended: 0,
            length: 0,
        };
        self.begin(chunk, &mut course, watch);
        let turnover = Turnover { moving: Block::NONE, staying: !course.fresh };
        commit(&mut self.slots, &program.nexts, &program.kept, turnover);
        self.start(chunk, course.fresh);
        let mut ticks = Ticks::default();
        while !course.playing.is_empty() {
            if ticks.work(&chunk.config.budget, machine.step_units()).is_err() || watch.is_done() {
                self.count_waiting(program, &mut course, totals);
                return;
            }
            self.step(&machine, program, chunk, &mut course, totals, watch);
        }
    }

    /// Counts the waiting games when the others are interrupted.
    #[cold]
    fn count_waiting(&mut self, program: &Program, course: &mut Course, totals: &mut [Totals]) {
        program.state.run(&mut self.slots);
        self.collect(program, course, totals);
    }

    /// Finds the games that are over, counts them if enough of them wait, and makes a move in all others.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a step changes is kept in places of its own, for speed"
    )]
    #[inline(always)]
    fn step(
        &mut self,
        machine: &BatchMachine,
        program: &Program,
        chunk: &Chunk,
        course: &mut Course,
        totals: &mut [Totals],
        watch: &mut impl Watch,
    ) {
        program.state.run(&mut self.slots);
        let can_move = self.count_moves(program);
        let terminal = self.get(program.terminal);
        let mut over = (terminal | !can_move) & course.playing;
        over = over.without(course.waiting);
        let mut overlong = Block::NONE;
        if course.clock - course.oldest >= chunk.config.max_steps {
            overlong = self.find_overlong(chunk, course).without(over);
        }
        if !(over | overlong).is_empty() {
            self.end(course, over, overlong, terminal, totals, watch);
        }
        course.fresh = Block::NONE;
        let moving = course.playing.without(course.waiting);
        if course.rhythm.period.is_none() && !moving.is_empty() {
            let guards = program.choices.iter().flat_map(|choices| &choices.guards);
            course.rhythm.look(course.clock, moving, guards.map(|&guard| self.get(guard)));
        }
        let are_many = course.waiting.count() >= machine.collection_threshold(course.length, course.ended);
        if are_many && course.rhythm.is_beat(course.clock + 1) || moving.is_empty() {
            self.collect(program, course, totals);
            self.begin(chunk, course, watch);
        }
        let moving = moving.without(course.waiting);
        self.choose(program, moving, &mut course.random, watch);
        watch.moves(moving);
        let turnover = Turnover { moving, staying: !(moving | course.fresh) };
        program.next.run(&mut self.slots);
        program.in_place.run_in_place(&mut self.slots, turnover);
        for &(from, to) in &program.aside {
            self.slots[to.index()] = self.slots[from.index()];
        }
        commit(&mut self.slots, &program.nexts, &program.copied, turnover);
        self.start(chunk, course.fresh);
        course.clock += 1;
    }

    #[inline(always)]
    fn get(&self, place: SlotRef) -> Block {
        read(&self.slots, place)
    }

    /// Counts the legal moves of all roles, and returns the lanes in which all roles have one.
    #[inline(always)]
    fn count_moves(&mut self, program: &Program) -> Block {
        let mut all = Block::ALL;
        for (choices, tree) in program.choices.iter().zip(self.trees.iter_mut()) {
            let guard = |group: usize| read(&self.slots, choices.guards[group]);
            all &= tree.count(choices.guards.len(), guard, |at| read(&self.slots, choices.legal[at]));
        }
        all
    }

    /// The games that are abandoned, because they have reached the limit of steps.
    fn find_overlong(&self, chunk: &Chunk, course: &mut Course) -> Block {
        let mut overlong = Block::NONE;
        course.oldest = course.clock;
        course.playing.without(course.waiting).for_each(|lane| {
            if course.clock - self.begun[lane] >= chunk.config.max_steps {
                overlong.set(lane, true);
            } else {
                course.oldest = course.oldest.min(self.begun[lane]);
            }
        });
        overlong
    }

    /// Notes which games are over, and how they ended.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a step changes is kept in places of its own, for speed"
    )]
    #[inline(always)]
    fn end(
        &mut self,
        course: &mut Course,
        over: Block,
        overlong: Block,
        terminal: Block,
        totals: &mut [Totals],
        watch: &mut impl Watch,
    ) {
        (over | overlong).for_each(|lane| {
            let totals = &mut totals[self.starts[lane].index()];
            let length = course.clock - self.begun[lane];
            totals.playouts += 1;
            totals.states += length;
            totals.unfinished += u64::from(overlong.get(lane));
            course.ended += 1;
            course.length += length;
            watch.ends(lane);
        });
        let stuck = over.without(terminal);
        if !stuck.is_empty() {
            self.note_stuck(stuck, totals);
        }
        course.waiting |= over | overlong;
        course.finished |= over & terminal;
    }

    /// Counts games that ended because roles have no legal move.
    #[cold]
    fn note_stuck(&self, stuck: Block, totals: &mut [Totals]) {
        stuck.for_each(|lane| totals[self.starts[lane].index()].stuck += 1);
        for (role, tree) in self.trees.entries() {
            stuck.without(tree.any()).for_each(|lane| {
                totals[self.starts[lane].index()].stuck_roles[role].note(self.games[lane]);
            });
        }
    }

    /// Adds up the goals of the games that are over.
    #[inline(always)]
    fn collect(&mut self, program: &Program, course: &mut Course, totals: &mut [Totals]) {
        program.goals.run(&mut self.slots);
        for (role, goals) in program.goal_values.entries() {
            let (mut once, mut twice) = (Block::NONE, Block::NONE);
            for &(_, place) in goals {
                let holds = self.get(place);
                twice |= once & holds;
                once |= holds;
            }
            let valid = (once & course.finished).without(twice);
            let mut counted = Block::NONE;
            for &(value, place) in goals {
                let Some(value) = value else { continue };
                let holds = self.get(place) & valid;
                counted |= holds;
                if let [totals] = totals {
                    let count = u64::from(holds.count());
                    totals.goals[role].count += count;
                    totals.goals[role].sum += i64::from(value) * i64::from(holds.count());
                } else {
                    holds.for_each(|lane| {
                        let goal = GoalValue::Number(value);
                        totals[self.starts[lane].index()].add_goal(role, goal, self.games[lane]);
                    });
                }
            }
            let irregular = course.finished.without(counted);
            if !irregular.is_empty() {
                self.note_irregular(role, irregular, (once, twice), totals);
            }
        }
        course.fresh = course.waiting;
        (course.waiting, course.finished) = (Block::NONE, Block::NONE);
    }

    /// Counts final states without a goal that is a single number: in which lanes there are goals at all, and several.
    #[cold]
    fn note_irregular(
        &self,
        role: RoleId,
        irregular: Block,
        (once, twice): (Block, Block),
        totals: &mut [Totals],
    ) {
        let kinds = [
            (GoalValue::Missing, irregular.without(once)),
            (GoalValue::Several, irregular & twice),
            (GoalValue::NotANumber, (irregular & once).without(twice)),
        ];
        for (goal, lanes) in kinds {
            lanes.for_each(|lane| {
                totals[self.starts[lane].index()].add_goal(role, goal, self.games[lane]);
            });
        }
    }

    /// Assigns the next games to the fresh lanes.
    #[inline(always)]
    fn begin(&mut self, chunk: &Chunk, course: &mut Course, watch: &mut impl Watch) {
        let begins = if course.next_game == chunk.games.start { course.clock } else { course.clock + 1 };
        let mut idle = Block::NONE;
        course.fresh.for_each(|lane| {
            if course.next_game < chunk.games.end {
                self.begun[lane] = begins;
                self.starts[lane] = narrow(chunk.start_of(course.next_game));
                self.games[lane] = course.next_game;
                watch.begins(lane, course.next_game);
                course.next_game += 1;
            } else {
                idle.set(lane, true);
            }
        });
        course.playing = course.playing.without(idle);
        course.fresh = course.fresh.without(idle);
    }

    /// Chooses a move for each role, in these lanes.
    #[inline(always)]
    fn choose(&mut self, program: &Program, lanes: Block, random: &mut Random, watch: &mut impl Watch) {
        for &slot in program.does.iter().filter(|&&slot| slot != UNREAD) {
            self.slots[slot.index()] = Block::NONE;
        }
        for ((role, choices), tree) in program.choices.entries().zip(self.trees.iter_mut()) {
            // Legal moves are read during the choice; moves are written after it, to slots that may be the same.
            let mut chosen = std::mem::take(&mut self.chosen);
            chosen.clear();
            let legal = |at: usize| read(&self.slots, choices.legal[at]);
            tree.choose(lanes, random, legal, |at, lanes| chosen.push((narrow(at), lanes)));
            for &(at, lanes) in &chosen {
                let chosen = choices.moves[at.index()];
                watch.chooses(role, chosen, lanes);
                let slot = program.does[chosen];
                if slot != UNREAD {
                    self.slots[slot.index()] = lanes;
                }
            }
            self.chosen = chosen;
        }
    }

    /// Adds the facts of the start in fresh lanes.
    #[inline(always)]
    fn start(&mut self, chunk: &Chunk, fresh: Block) {
        if fresh.is_empty() {
            return;
        }
        if let [start] = chunk.states {
            start.ones().for_each(|fluent| self.slots[SlotId::of_fluent(fluent).index()] |= fresh);
        } else {
            fresh.for_each(|lane| self.add_facts(lane, &chunk.states[self.starts[lane].index()]));
        }
    }

    fn add_facts(&mut self, lane: usize, state: &State) {
        let slots = state.ones().map(SlotId::of_fluent);
        slots.for_each(|slot| self.slots[slot.index()].set(lane, true));
    }
}

#[inline(always)]
pub(super) fn read(slots: &[Block], place: SlotRef) -> Block {
    let block = slots[place.slot.index()];
    if place.opposite { !block } else { block }
}

/// Gives these fluents their next values.
#[inline(always)]
fn commit(
    slots: &mut [Block],
    nexts: &IdVec<FluentId, SlotRef>,
    fluents: &[FluentId],
    mut turnover: Turnover,
) {
    for &fluent in fluents {
        let next = read(slots, nexts[fluent]);
        turnover.store(&mut slots[SlotId::of_fluent(fluent).index()], next);
    }
}
