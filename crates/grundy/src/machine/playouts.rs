//! Random playouts: how many, from where, and what came out.

use super::{Machine, Player, State};
use crate::network::{MoveId, RoleId};
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What to play.
#[derive(Clone, Debug)]
pub struct PlayoutConfig {
    /// The seed of all choices.
    pub seed: u64,
    /// How many threads play. The result is the same at any number.
    pub threads: usize,
    /// A playout with more moves is given up.
    pub max_steps: u64,
    /// When it is used up, playing stops at once, and games in play are not counted. Whoever bounds it has to check it
    /// afterwards.
    pub budget: Budget,
}

impl Default for PlayoutConfig {
    fn default() -> PlayoutConfig {
        PlayoutConfig { seed: 0, threads: 1, max_steps: 100_000, budget: Budget::default() }
    }
}

/// The goal values of a role, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalSum {
    /// How many playouts gave it a value.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
}

impl GoalSum {
    /// The mean value, if there is any.
    pub fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// What came out of playouts. Integers, so that the order of adding does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many there were.
    pub playouts: u64,
    /// How many joint moves were made.
    pub states: u64,
    /// For each role its goal values.
    pub goals: Vec<GoalSum>,
    /// Playouts that reached a state in which somebody had no legal move.
    pub stuck: u64,
    /// Playouts that were given up.
    pub unfinished: u64,
}

impl Totals {
    /// Nothing played yet, for this many roles.
    pub fn new(roles: usize) -> Totals {
        Totals { goals: vec![GoalSum::default(); roles], ..Totals::default() }
    }

    /// Adds others to these.
    pub fn add(&mut self, other: &Totals) {
        self.playouts += other.playouts;
        self.states += other.states;
        self.stuck += other.stuck;
        self.unfinished += other.unfinished;
        self.goals.resize(self.goals.len().max(other.goals.len()), GoalSum::default());
        for (mine, theirs) in self.goals.iter_mut().zip(&other.goals) {
            mine.count += theirs.count;
            mine.sum += theirs.sum;
        }
    }

    fn end_game(&mut self, steps: u64) {
        self.playouts += 1;
        self.states += steps;
    }

    pub(super) fn add_goal(&mut self, role: usize, goal: i32) {
        self.goals[role].count += 1;
        self.goals[role].sum += i64::from(goal);
    }
}

/// The seed of a part of the work: independent streams for neighbouring numbers.
pub(super) fn stream(seed: u64, number: u64) -> u64 {
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

    /// Plays random games from the initial state, until there are `count` or somebody sets the flag or the budget is used up. The same seed
    /// gives the same result, at any number of threads. Games that have begun are played to their end, so that short
    /// ones are not favoured; when the flag is set, their number depends on the time it took.
    pub fn playouts_until(&self, count: u64, config: &PlayoutConfig, stop: &AtomicBool) -> Totals {
        let start = std::slice::from_ref(self.rules().initial());
        self.play_chunks(start, count, config, stop).pop().unwrap_or_default()
    }

    /// Plays `each` random games from each of these states.
    pub fn playouts_from(&self, states: &[State], each: u64, config: &PlayoutConfig) -> Vec<Totals> {
        let never = AtomicBool::new(false);
        self.play_chunks(states, each, config, &never)
    }

    /// The work is cut into chunks, and threads take one after the other. Those of a batch depend on the number of games
    /// alone. What comes out of games that are played one by one depends on nothing but their numbers, so that chunks
    /// can be as small as is worth the trouble.
    fn play_chunks(
        &self,
        states: &[State],
        each: u64,
        config: &PlayoutConfig,
        stop: &AtomicBool,
    ) -> Vec<Totals> {
        let roles = self.rules().interface().roles.len();
        let total = each.saturating_mul(states.len() as u64);
        let next = AtomicU64::new(0);
        let work = || {
            let mut totals = vec![Totals::new(roles); states.len()];
            // Each thread has a copy of what changes in play.
            if config.budget.check_room(self.player_bytes()).is_err() {
                return totals;
            }
            let mut worker = Worker::new(self);
            let step_units = self.step_units();
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
                let steps =
                    worker.play(step_units, &Chunk { number, games, each, states, config }, &mut totals);
                if steps < FEW_STEPS && at_once < MOST_AT_ONCE {
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

impl Machine {
    /// The work of a step when games are played one by one, as [`Ticks`] count it, about.
    fn step_units(&self) -> usize {
        const AT_LEAST: usize = 8;
        match self {
            Machine::Scratch(machine) => AT_LEAST + machine.rules().network().edge_count() / 4,
            Machine::Incremental(machine) => AT_LEAST + machine.counted_edges() / 256,
            Machine::Batch(_) => AT_LEAST,
        }
    }
}

/// Where games are played one by one, a thread takes more of them at once as long as they have fewer steps than this in
/// all, or until they are as many as that.
const FEW_STEPS: u64 = 1_000;
const MOST_AT_ONCE: u64 = 1 << 10;

/// The first game of a chunk of a batch. Chunks begin small, so that little work is done soon and can be shared between
/// threads, and double until they are large enough to keep all lanes of a batch busy nearly to their end.
fn batch_start(number: u64) -> u64 {
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
        (game / self.each) as usize
    }
}

/// What a thread plays with.
enum Worker {
    Scratch(super::scratch::ScratchPlayer),
    Incremental(Box<super::incremental::IncrementalPlayer>),
    Batch(super::batch::Lanes),
}

impl Worker {
    fn new(machine: &Machine) -> Worker {
        match machine {
            Machine::Scratch(machine) => Worker::Scratch(machine.player()),
            Machine::Incremental(machine) => Worker::Incremental(machine.player().into()),
            Machine::Batch(machine) => Worker::Batch(machine.lanes()),
        }
    }

    /// Plays the games of a chunk: how many steps they have, if they are played one by one.
    fn play(&mut self, step_units: usize, chunk: &Chunk, totals: &mut [Totals]) -> u64 {
        match self {
            Worker::Scratch(player) => play_one_by_one(player, step_units, chunk, totals),
            Worker::Incremental(player) => play_one_by_one(&mut **player, step_units, chunk, totals),
            Worker::Batch(lanes) => {
                lanes.play(chunk, totals);
                0
            }
        }
    }
}

fn play_one_by_one<P: Player>(
    player: &mut P,
    step_units: usize,
    chunk: &Chunk,
    totals: &mut [Totals],
) -> u64 {
    let mut joint = vec![MoveId(0); player.rules().interface().roles.len()];
    let mut steps = 0;
    let mut ticks = Ticks::default();
    for game in chunk.games.clone() {
        let start = chunk.start_of(game);
        if chunk.states[start] == *player.rules().initial() {
            player.reset();
        } else {
            player.look_at(&chunk.states[start]);
        }
        let mut rng = fastrand::Rng::with_seed(stream(chunk.config.seed, game));
        let totals = &mut totals[start];
        let before = totals.states;
        let mut count_step = || ticks.work(&chunk.config.budget, step_units);
        let max_steps = chunk.config.max_steps;
        if play_to_the_end(player, &mut rng, &mut joint, max_steps, &mut count_step, totals).is_err() {
            break;
        }
        steps += totals.states - before;
    }
    steps
}

fn play_to_the_end<P: Player>(
    player: &mut P,
    rng: &mut fastrand::Rng,
    joint: &mut [MoveId],
    max_steps: u64,
    count_step: &mut impl FnMut() -> Result<(), Exhausted>,
    totals: &mut Totals,
) -> Result<(), Exhausted> {
    let mut steps = 0;
    while !player.is_terminal() {
        for (role, choice) in joint.iter_mut().enumerate() {
            match player.pick(RoleId(role as u16), rng) {
                Some(one_move) => *choice = one_move,
                None => {
                    totals.stuck += 1;
                    totals.end_game(steps);
                    return Ok(());
                }
            }
        }
        if steps == max_steps {
            totals.unfinished += 1;
            totals.end_game(steps);
            return Ok(());
        }
        count_step()?;
        player.play(joint);
        steps += 1;
    }
    totals.end_game(steps);
    for role in 0..joint.len() {
        if let Some(goal) = player.goal(RoleId(role as u16)) {
            totals.add_goal(role, goal);
        }
    }
    Ok(())
}
