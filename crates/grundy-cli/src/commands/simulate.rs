//! `grundy simulate`: random playouts.

use crate::engine::{Engine, Prepared, ReasonArgs, Task};
use crate::files::{Loaded, ReadArgs, load_game, write_whole};
use crate::limits::seconds;
use crate::limits::{self, LimitArgs};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render::count;
use crate::trace::record;
use anyhow::Result;
use grundy::machine::{Machine, MachineKind, PlayoutConfig};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy_syntax::Stage;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Play random games
///
/// In every state each role (the role `random` included) plays one of its legal moves, all equally likely.
/// Playout number i depends on the seed and on i alone: the result is the same at any number of threads.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule sheet, or `-`
    file: String,

    /// The engine
    #[arg(long, value_enum, default_value = "auto")]
    engine: Engine,

    /// How many games to play [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    playouts: Option<u64>,

    /// Play for this long instead
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<Duration>,

    /// The seed of the random choices
    #[arg(long, value_name = "K", default_value_t = 0)]
    seed: u64,

    /// How many threads play
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Limit: how many moves a game may have before it is given up
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Limits")]
    max_steps: u64,

    /// Write the games to a file, one JSON object a state, as `grundy verify` reads them
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Print each game: moves, what the roles see, goals
    #[arg(long, conflicts_with = "json")]
    show: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reason: ReasonArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// How many games are played if nobody says otherwise.
const DEFAULT_PLAYOUTS: u64 = 100;

/// Sums over playouts; integers, so that the order of adding does not matter.
#[derive(Default)]
struct Totals {
    playouts: u64,
    states: u64,
    /// For each role: how many playouts gave it a goal value, and the sum of these.
    goals: Vec<(u64, i64)>,
    /// Playouts that reached a state in which somebody had no legal move.
    stuck: u64,
    /// Playouts that were given up.
    unfinished: u64,
    /// The recorded playouts by number.
    records: Vec<(u64, String)>,
}

impl Totals {
    fn add(&mut self, mut other: Totals) {
        self.records.append(&mut other.records);
        self.playouts += other.playouts;
        self.states += other.states;
        self.stuck += other.stuck;
        self.unfinished += other.unfinished;
        self.goals.resize(self.goals.len().max(other.goals.len()), (0, 0));
        for (mine, theirs) in self.goals.iter_mut().zip(&other.goals) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
    }
}

/// With fewer games than this, most lanes of a batch would be idle.
const FEW: u64 = 128;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let game = load_game(&args.file, &args.read)?;
    let shown = args.show || args.record.is_some();
    let few = args.seconds.is_none() && args.playouts.unwrap_or(DEFAULT_PLAYOUTS) < FEW;
    let best = if shown || few { MachineKind::Incremental } else { MachineKind::Batch };
    let engine = args.reason.prepare(args.engine, &game, shown, best)?;
    match &engine {
        Prepared::Machine(machine) if !shown => play_machine(args, &game, machine, engine.name(), start),
        _ => Ok(engine.run(Simulate { args, game: &game, engine: engine.name(), start })?),
    }
}

/// Plays on a machine, which looks after threads and numbers of games by itself.
fn play_machine(
    args: &Args,
    game: &Loaded,
    machine: &Machine,
    engine: &'static str,
    start: Instant,
) -> Result<Outcome> {
    let setup = start.elapsed();
    let config = PlayoutConfig {
        seed: args.seed,
        threads: usize::from(args.threads),
        max_steps: args.max_steps,
        budget: limits::budget(),
    };
    let count = if args.seconds.is_some() { u64::MAX } else { args.playouts.unwrap_or(DEFAULT_PLAYOUTS) };
    let limit = limits::budget().time_left();
    let played = Instant::now();
    let totals = play_for(machine, count, &config, [args.seconds, limit].into_iter().flatten().min());
    limits::budget().enter(Stage::Play);
    if let Err(reason) = limits::budget().check() {
        note(&format!("{} played before", crate::render::count(totals.playouts, "game")));
        return Err(limits::failure(reason).into());
    }
    if args.seconds.is_none() && totals.playouts < count {
        return Err(Failure::limit("timeout", "out of time (limit `timeout`)").at("play").into());
    }
    let elapsed = played.elapsed();
    let totals = Totals {
        playouts: totals.playouts,
        states: totals.states,
        goals: totals.goals.iter().map(|goal| (goal.count, goal.sum)).collect(),
        stuck: totals.stuck,
        unfinished: totals.unfinished,
        records: Vec::new(),
    };
    let roles = machine.rules().interface().roles.clone();
    report(args, game, engine, &roles, &totals, (setup, elapsed))
}

/// Plays until there are enough games, or the time is over.
pub(crate) fn play_for(
    machine: &Machine,
    count: u64,
    config: &PlayoutConfig,
    time: Option<Duration>,
) -> grundy::machine::Totals {
    let stop = AtomicBool::new(false);
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let stop = &stop;
        let clock = scope.spawn(move || {
            if let Some(time) = time {
                let _ = is_done.recv_timeout(time);
                stop.store(true, Ordering::Relaxed);
            }
        });
        let totals = machine.playouts_until(count, config, stop);
        drop(done);
        clock.join().expect("the clock does not panic");
        totals
    })
}

/// Playing with any engine, state by state.
struct Simulate<'a> {
    args: &'a Args,
    game: &'a Loaded,
    engine: &'static str,
    start: Instant,
}

impl Task for Simulate<'_> {
    type Output = Outcome;

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, Failure>) -> Result<Outcome, Failure> {
        let Simulate { args, game, engine, start } = self;
        simulate(args, game, engine, make, start).map_err(|error| match error.downcast::<Failure>() {
            Ok(failure) => failure,
            Err(error) => Failure::new(Outcome::Wrong, format!("{error:#}")),
        })
    }
}

fn simulate<R: Reasoner + Send>(
    args: &Args,
    game: &Loaded,
    engine: &'static str,
    make: impl Fn() -> Result<R, Failure>,
    setup_start: Instant,
) -> Result<Outcome> {
    let mut reasoners = (0..args.threads).map(|_| make()).collect::<Result<Vec<R>, Failure>>()?;
    let setup = setup_start.elapsed();
    let roles = reasoners[0].roles();
    let start = Instant::now();
    let quota = Quota::new(args, start);
    let totals = if args.threads == 1 {
        play_quota(args, &mut reasoners[0], &quota)?
    } else {
        std::thread::scope(|scope| -> Result<Totals, Failure> {
            let threads: Vec<_> =
                reasoners.iter_mut().map(|r| scope.spawn(|| play_quota(args, r, &quota))).collect();
            let mut totals = Totals::default();
            for thread in threads {
                totals.add(thread.join().expect("playouts do not panic")?);
            }
            Ok(totals)
        })?
    };
    quota.bar.finish_and_clear();
    if let Some(path) = &args.record {
        let mut records: Vec<&(u64, String)> = totals.records.iter().collect();
        records.sort();
        write_whole(path, &records.iter().map(|(_, text)| text.as_str()).collect::<String>())?;
    }
    report(args, game, engine, &roles, &totals, (setup, start.elapsed()))
}

/// The playouts that are left, handed out by number.
struct Quota {
    next: AtomicU64,
    end: u64,
    deadline: Option<Instant>,
    bar: ProgressBar,
}

impl Quota {
    fn new(args: &Args, start: Instant) -> Quota {
        let deadline = args.seconds.map(|seconds| start + seconds);
        let end = if deadline.is_some() { u64::MAX } else { args.playouts.unwrap_or(DEFAULT_PLAYOUTS) };
        // Drawn on standard error, and only if that is a terminal.
        let bar = if deadline.is_some() { ProgressBar::new_spinner() } else { ProgressBar::new(end) };
        let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} playouts");
        bar.set_style(style.expect("the template is well-formed"));
        Quota { next: AtomicU64::new(0), end, deadline, bar }
    }

    fn take(&self) -> Option<u64> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.end).then_some(number)
    }
}

fn play_quota<R: Reasoner>(args: &Args, reasoner: &mut R, quota: &Quota) -> Result<Totals, Failure> {
    let mut totals = Totals { goals: vec![(0, 0); reasoner.roles().len()], ..Totals::default() };
    let initial = reasoner.initial()?;
    while let Some(number) = quota.take() {
        Playout { args, number, totals: &mut totals, record: String::new() }
            .play(reasoner, initial.clone())?;
        quota.bar.inc(1);
    }
    Ok(totals)
}

/// A seed for one playout (the finaliser of SplitMix64), so that neighbouring numbers share nothing.
fn stream(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One random game.
struct Playout<'a> {
    args: &'a Args,
    number: u64,
    totals: &'a mut Totals,
    record: String,
}

impl Playout<'_> {
    fn play<R: Reasoner>(mut self, reasoner: &mut R, mut state: R::State) -> Result<(), ReasonError> {
        let mut rng = fastrand::Rng::with_seed(stream(self.args.seed, self.number));
        self.totals.playouts += 1;
        let mut steps = 0;
        while !reasoner.is_terminal(&state)? {
            let legal = reasoner.legal(&state)?;
            let stuck = legal.iter().any(|moves| moves.is_empty());
            if stuck || steps == self.args.max_steps {
                *(if stuck { &mut self.totals.stuck } else { &mut self.totals.unfinished }) += 1;
                return self.finish(reasoner, steps, &state);
            }
            let joint: Vec<R::Move> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
            if self.args.show {
                show_step(reasoner, &state, &joint)?;
            }
            if self.args.record.is_some() {
                self.record += &record(reasoner, (self.number, steps), &state, Some(&joint))?;
            }
            state = reasoner.next(&state, &joint)?;
            steps += 1;
            self.totals.states += 1;
        }
        let goals = reasoner.goals(&state)?;
        if self.args.show {
            let texts = goals.iter().map(|goal| goal.map_or("none".to_owned(), |goal| goal.to_string()));
            note(&format!(
                "end after {}, goals: {}\n",
                count(steps, "move"),
                texts.collect::<Vec<_>>().join(" ")
            ));
        }
        for (sum, goal) in self.totals.goals.iter_mut().zip(goals) {
            if let Some(goal) = goal {
                sum.0 += 1;
                sum.1 += i64::from(goal);
            }
        }
        self.finish(reasoner, steps, &state)
    }

    /// Records the last state, in which nothing is played.
    fn finish<R: Reasoner>(
        mut self,
        reasoner: &mut R,
        steps: u64,
        state: &R::State,
    ) -> Result<(), ReasonError> {
        if self.args.record.is_some() {
            self.record += &record(reasoner, (self.number, steps), state, None)?;
            self.totals.records.push((self.number, self.record));
        }
        Ok(())
    }
}

fn show_step<R: Reasoner>(reasoner: &mut R, state: &R::State, joint: &[R::Move]) -> Result<(), ReasonError> {
    let moves: Vec<String> = joint.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
    let percepts = reasoner.sees(state, joint)?;
    let mut line = moves.join("  ");
    for (role, seen) in reasoner.roles().iter().zip(percepts).filter(|(_, seen)| !seen.is_empty()) {
        line.push_str(&format!("   [{role} sees {}]", seen.join(" ")));
    }
    note(&line);
    Ok(())
}

fn report(
    args: &Args,
    game: &Loaded,
    engine: &str,
    roles: &[String],
    totals: &Totals,
    (setup, elapsed): (Duration, Duration),
) -> Result<Outcome> {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let mean = |(games, sum): (u64, i64)| (games > 0).then(|| sum as f64 / games as f64);
    let mean_length = totals.states as f64 / totals.playouts.max(1) as f64;
    if args.json {
        let goals: Map<String, Value> =
            roles.iter().zip(&totals.goals).map(|(role, &sum)| (role.clone(), json!(mean(sum)))).collect();
        print_json(json!({
            "engine": engine,
            "playouts": totals.playouts,
            "states": totals.states,
            "seconds": seconds,
            "playouts_per_second": totals.playouts as f64 / seconds,
            "states_per_second": totals.states as f64 / seconds,
            "mean_length": mean_length,
            "setup_seconds": setup.as_secs_f64(),
            "goals": goals,
            "stuck": totals.stuck,
            "unfinished": totals.unfinished,
        }));
    } else {
        let mut text = format!(
            "{} of {} in {seconds:.2} s: {:.0} playouts/s, {:.0} states/s, {mean_length:.1} moves a game\n",
            count(totals.playouts, "playout"),
            game.source.name(),
            totals.playouts as f64 / seconds,
            totals.states as f64 / seconds,
        );
        for (role, &sum) in roles.iter().zip(&totals.goals) {
            let mean = mean(sum).map_or("no goal value".to_owned(), |mean| format!("{mean:.2}"));
            text.push_str(&format!("  {role}: {mean}\n"));
        }
        print(&text)?;
    }
    if totals.stuck > 0 {
        note(&format!("note: {} ended because a role had no legal move", count(totals.stuck, "game")));
    }
    if totals.unfinished > 0 {
        let message = format!(
            "{} not finished after {} (limit `steps`, --max-steps)",
            count(totals.unfinished, "game"),
            count(args.max_steps, "move")
        );
        return Err(Failure::limit("steps", message).at("play").into());
    }
    Ok(Outcome::Fine)
}
