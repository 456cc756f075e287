//! Random playouts: configuration, distribution over threads, and totals.

use super::{Cursor, Machine, State};
use crate::ids::{IdVec, float, length, wide};
use crate::network::{MoveId, RoleId};
use crate::reasoner::GoalValue;
use grundy_syntax::Budget;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The configuration of playouts.
#[derive(Clone, Debug)]
pub struct PlayoutConfig {
    /// The seed of all choices.
    pub seed: u64,
    /// How many threads play. The result is the same at any number.
    pub threads: usize,
    /// A playout with more moves is abandoned.
    pub max_steps: u64,
    /// When it is used up, playing stops at once, and unfinished games are not counted. Callers that set limits must check
    /// it afterwards.
    pub budget: Budget,
}

impl Default for PlayoutConfig {
    fn default() -> PlayoutConfig {
        PlayoutConfig { seed: 0, threads: 1, max_steps: 100_000, budget: Budget::default() }
    }
}

/// How many games something was seen in, and the number of the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// How many games.
    pub games: u64,
    /// The smallest number of a game, if there is any.
    pub first: Option<u64>,
}

impl Sightings {
    /// Seen in this game.
    pub(crate) fn note(&mut self, game: u64) {
        self.add(&Sightings { games: 1, first: Some(game) });
    }

    fn add(&mut self, other: &Sightings) {
        self.games += other.games;
        self.first = [self.first, other.first].into_iter().flatten().min();
    }
}

/// The goal values of a role, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalSum {
    /// How many playouts gave it a single number.
    pub count: u64,
    /// The sum of these numbers.
    pub sum: i64,
    /// Final states in which it has no goal.
    pub missing: Sightings,
    /// Final states in which it has several.
    pub several: Sightings,
    /// Final states in which it has one that is not a number.
    pub not_a_number: Sightings,
}

impl GoalSum {
    /// The mean value, if there is any.
    pub fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| float(self.sum) / float(self.count))
    }

    /// Final states in which the goal is not a single number, by what is wrong with it.
    pub fn irregular(&self) -> [(GoalValue, Sightings); 3] {
        [
            (GoalValue::Missing, self.missing),
            (GoalValue::Several, self.several),
            (GoalValue::NotANumber, self.not_a_number),
        ]
    }

    fn add(&mut self, other: &GoalSum) {
        self.count += other.count;
        self.sum += other.sum;
        self.missing.add(&other.missing);
        self.several.add(&other.several);
        self.not_a_number.add(&other.not_a_number);
    }
}

/// The results of playouts, as integers, so that the order of addition does not matter.
///
/// Games are numbered from zero; where playouts start from several states, the numbers go on from state to state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many there were.
    pub playouts: u64,
    /// How many joint moves were made.
    pub states: u64,
    /// For each role its goal values.
    pub goals: IdVec<RoleId, GoalSum>,
    /// Playouts that reached a state in which some role had no legal move.
    pub stuck: u64,
    /// For each role the playouts that ended because it had no legal move.
    pub stuck_roles: IdVec<RoleId, Sightings>,
    /// Playouts that were given up.
    pub unfinished: u64,
}

impl Totals {
    /// Nothing played yet, for this many roles.
    pub fn new(roles: usize) -> Totals {
        Totals {
            goals: IdVec::filled(GoalSum::default(), roles),
            stuck_roles: IdVec::filled(Sightings::default(), roles),
            ..Totals::default()
        }
    }

    /// Adds others to these.
    pub fn add(&mut self, other: &Totals) {
        self.playouts += other.playouts;
        self.states += other.states;
        self.stuck += other.stuck;
        self.unfinished += other.unfinished;
        self.goals.resize(self.goals.len().max(other.goals.len()), GoalSum::default());
        self.goals.iter_mut().zip(&other.goals).for_each(|(mine, theirs)| mine.add(theirs));
        self.stuck_roles.resize(self.goals.len(), Sightings::default());
        self.stuck_roles.iter_mut().zip(&other.stuck_roles).for_each(|(mine, theirs)| mine.add(theirs));
    }

    /// Counts the goal of a role in the final state of a game.
    pub(crate) fn add_goal(&mut self, role: RoleId, goal: GoalValue, game: u64) {
        let sum = &mut self.goals[role];
        match goal {
            GoalValue::Number(value) => {
                sum.count += 1;
                sum.sum += i64::from(value);
            }
            GoalValue::Missing => sum.missing.note(game),
            GoalValue::Several => sum.several.note(game),
            GoalValue::NotANumber => sum.not_a_number.note(game),
        }
    }

    /// Counts a game that was played to its end.
    pub fn add_game(&mut self, game: u64, steps: u64, ending: &Ending) {
        self.playouts += 1;
        self.states += steps;
        match ending {
            Ending::Terminal(goals) => {
                let roles = self.goals.ids();
                roles.zip(goals).for_each(|(role, &goal)| self.add_goal(role, goal, game));
            }
            Ending::Stuck(roles) => {
                self.stuck += 1;
                roles.iter().for_each(|&role| self.stuck_roles[role].note(game));
            }
            Ending::Unfinished => self.unfinished += 1,
        }
    }
}

/// How a playout ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In a terminal state, with these goals.
    Terminal(Vec<GoalValue>),
    /// In a state that is not terminal, in which these roles have no legal move.
    Stuck(Vec<RoleId>),
    /// It was given up after the most moves that are allowed.
    Unfinished,
}

/// The seed of a part of the work: independent streams for neighbouring numbers.
pub(crate) fn stream(seed: u64, number: u64) -> u64 {
    let mut mixed = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
    }
    mixed
}

impl Machine {
    /// Plays `count` random games from the initial state.
    pub fn playouts(&self, count: u64, seed: u64) -> Totals {
        self.playouts_until(
            count,
            &PlayoutConfig { seed, ..PlayoutConfig::default() },
            &AtomicBool::new(false),
        )
    }

    /// Plays random games from the initial state, until there are `count`, the flag is set, or the budget is
    /// used up. The same seed and count
    /// give the same result, at any number of threads. Games that have begun are played to their end, so that short
    /// ones are not favoured; when the flag is set, their number depends on the time it took.
    pub fn playouts_until(&self, count: u64, config: &PlayoutConfig, stop: &AtomicBool) -> Totals {
        self.playouts_from_until(self.game().initial(), count, config, stop)
    }

    /// The same from another state.
    pub fn playouts_from_until(
        &self,
        start: &State,
        count: u64,
        config: &PlayoutConfig,
        stop: &AtomicBool,
    ) -> Totals {
        self.play_chunks(std::slice::from_ref(start), count, config, stop).pop().unwrap_or_default()
    }

    /// Plays `each` random games from each of these states.
    pub fn playouts_from(&self, states: &[State], each: u64, config: &PlayoutConfig) -> Vec<Totals> {
        let never = AtomicBool::new(false);
        self.play_chunks(states, each, config, &never)
    }

    /// The work is divided into chunks, and threads take one after another. Chunks of a batch depend on the number of games
    /// alone. The result of a game that is played singly depends on its number alone, so that chunks may have any size.
    fn play_chunks(
        &self,
        states: &[State],
        each: u64,
        config: &PlayoutConfig,
        stop: &AtomicBool,
    ) -> Vec<Totals> {
        let roles = self.game().interface().roles.len();
        let total = each.saturating_mul(wide(states.len()));
        let next = AtomicU64::new(0);
        let work = || {
            let mut totals = vec![Totals::new(roles); states.len()];
            // Each thread has a copy of what changes in play.
            if config.budget.check_room(self.cursor_bytes()).is_err() {
                return totals;
            }
            let mut worker = Worker::new(self);
            let mut at_once = 1;
            while !stop.load(Ordering::Relaxed) && !config.budget.is_over() {
                let (number, games) = match self {
                    Machine::Batch(_) => {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        (number, batch_start(number)..batch_start(number + 1))
                    }
                    Machine::Scratch(_) | Machine::Incremental(_) => {
                        let first = next.fetch_add(at_once, Ordering::Relaxed);
                        (first, first..first + at_once)
                    }
                };
                let games = games.start.min(total)..games.end.min(total);
                if games.is_empty() {
                    break;
                }
                let steps = worker.play(&Chunk { number, games, each, states, config }, &mut totals);
                if steps < STEPS_OF_CHUNK && at_once < MAX_GAMES_OF_CHUNK {
                    at_once *= 2;
                }
            }
            totals
        };
        let threads = config.threads.max(1);
        if threads == 1 {
            return work();
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut totals = work();
            for other in others {
                let other = other.join().expect("playouts do not panic");
                totals.iter_mut().zip(&other).for_each(|(mine, theirs)| mine.add(theirs));
            }
            totals
        })
    }
}

/// Where games are played singly, a thread doubles the size of its chunks until a chunk has this many steps or games, so
/// that the shared counter is touched rarely. Both are guesses.
const STEPS_OF_CHUNK: u64 = 1_000;
const MAX_GAMES_OF_CHUNK: u64 = 1 << 10;

/// The first game of a chunk of a batch. Chunks begin small, so that short runs finish soon and are shared between threads,
/// and double until all lanes of a batch stay busy for most of a chunk. The smallest chunk is one block of lanes; the number
/// of doublings is a guess.
pub(super) fn batch_start(number: u64) -> u64 {
    const SMALLEST: u64 = 512;
    const DOUBLINGS: u64 = 5;
    let doubled = SMALLEST * ((1 << number.min(DOUBLINGS)) - 1);
    doubled.saturating_add(number.saturating_sub(DOUBLINGS).saturating_mul(SMALLEST << DOUBLINGS))
}

/// A part of the work.
pub(super) struct Chunk<'a> {
    pub(super) number: u64,
    /// The numbers of the games. Game `i` starts from state `i / each`.
    pub(super) games: std::ops::Range<u64>,
    pub(super) each: u64,
    pub(super) states: &'a [State],
    pub(super) config: &'a PlayoutConfig,
}

impl Chunk<'_> {
    /// The number of the state that a game starts from.
    pub(super) fn start_of(&self, game: u64) -> usize {
        length(game / self.each)
    }
}

/// The cursor or lanes of a thread.
enum Worker {
    Scratch(super::scratch::ScratchCursor),
    Incremental(Box<super::incremental::IncrementalCursor>),
    Batch(super::batch::Lanes),
}

impl Worker {
    fn new(machine: &Machine) -> Worker {
        match machine {
            Machine::Scratch(machine) => Worker::Scratch(machine.cursor()),
            Machine::Incremental(machine) => Worker::Incremental(machine.cursor().into()),
            Machine::Batch(machine) => Worker::Batch(machine.lanes()),
        }
    }

    /// Plays the games of a chunk: how many steps they have, if they are played one by one.
    fn play(&mut self, chunk: &Chunk, totals: &mut [Totals]) -> u64 {
        match self {
            Worker::Scratch(cursor) => play_one_by_one(cursor, chunk, totals),
            Worker::Incremental(cursor) => play_one_by_one(&mut **cursor, chunk, totals),
            Worker::Batch(lanes) => {
                lanes.play(chunk, totals);
                0
            }
        }
    }
}

fn play_one_by_one<P: Cursor>(cursor: &mut P, chunk: &Chunk, totals: &mut [Totals]) -> u64 {
    let mut joint = vec![MoveId(0); cursor.game().interface().roles.len()];
    let mut steps = 0;
    for game in chunk.games.clone() {
        let start = chunk.start_of(game);
        let totals = &mut totals[start];
        let before = totals.states;
        play_game(cursor, (game, &chunk.states[start]), chunk.config, &mut joint, totals, |_| true);
        steps += totals.states - before;
    }
    steps
}

/// Plays the game of this number from a state and counts it. `tell` sees each joint move before it is made, and ends the
/// game by returning `false`; a game that ends this way, or by the budget, is not counted. Returns whether it was counted.
pub(super) fn play_game<P: Cursor>(
    cursor: &mut P,
    (game, start): (u64, &State),
    config: &PlayoutConfig,
    joint: &mut [MoveId],
    totals: &mut Totals,
    tell: impl FnMut(&[MoveId]) -> bool,
) -> bool {
    if start == cursor.game().initial() {
        cursor.reset();
    } else {
        cursor.look_at(start);
    }
    let mut rng = fastrand::Rng::with_seed(stream(config.seed, game));
    let (steps, end) = play_to_the_end(cursor, &mut rng, joint, config, tell);
    match end {
        End::Stopped => return false,
        End::Unfinished => totals.unfinished += 1,
        End::Stuck => {
            totals.stuck += 1;
            for role in stuck_roles(cursor) {
                totals.stuck_roles[role].note(game);
            }
        }
        End::Terminal => {
            for role in totals.goals.ids() {
                totals.add_goal(role, cursor.goal(role), game);
            }
        }
    }
    totals.playouts += 1;
    totals.states += steps;
    true
}

/// The roles without a legal move in the state of the player.
pub(super) fn stuck_roles<P: Cursor>(cursor: &mut P) -> Vec<RoleId> {
    let mut rng = fastrand::Rng::with_seed(0);
    let roles = cursor.game().interface().role_ids();
    roles.filter(|&role| cursor.pick(role, &mut rng).is_none()).collect()
}

/// How a playout ended.
enum End {
    Terminal,
    Stuck,
    Unfinished,
    Stopped,
}

/// At most this many moves are made between two checks of the budget, and about this many inputs of gates are read. Both are
/// guesses.
const MAX_STEPS_BETWEEN_CHECKS: u64 = 1 << 10;
const INPUTS_BETWEEN_CHECKS: u64 = 1 << 18;

fn play_to_the_end<P: Cursor>(
    cursor: &mut P,
    rng: &mut fastrand::Rng,
    joint: &mut [MoveId],
    config: &PlayoutConfig,
    mut tell: impl FnMut(&[MoveId]) -> bool,
) -> (u64, End) {
    let mut steps = 0;
    let roles = cursor.game().interface().role_ids();
    let inputs = wide(cursor.game().network().edge_count());
    let interval = (INPUTS_BETWEEN_CHECKS / inputs.max(1)).clamp(1, MAX_STEPS_BETWEEN_CHECKS);
    let mut next_check = interval.min(config.max_steps);
    while !cursor.is_terminal() {
        for (role, choice) in roles.clone().zip(joint.iter_mut()) {
            match cursor.pick(role, rng) {
                Some(chosen) => *choice = chosen,
                None => return (steps, End::Stuck),
            }
        }
        if steps == next_check {
            if steps == config.max_steps {
                return (steps, End::Unfinished);
            }
            if config.budget.is_over() {
                return (steps, End::Stopped);
            }
            next_check = (steps + interval).min(config.max_steps);
        }
        if !tell(joint) {
            return (steps, End::Stopped);
        }
        cursor.play(joint);
        steps += 1;
    }
    (steps, End::Terminal)
}
