//! `grundy simulate`: random playouts.

mod clock;
mod engines;
mod machines;
mod observer;
mod report;

use crate::engine::{EngineArg, ReasonArgs};
use crate::files::{Loaded, ReadArgs, load_game, write_streamed};
use crate::limits::{LimitArgs, budget, seconds};
use crate::output::{Failure, Outcome};
use anyhow::{Result, anyhow};
use clock::Clock;
use grundy::engine::AnyEngine;
use grundy::machine::{MachineKind, PlayoutConfig, Totals};
use grundy::play::{FollowError, Line};
use observer::Observer;
use report::Report;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Play random games
///
/// In every state each role (the role `random` included) plays one of its legal moves, all equally likely.
///
/// The same engine, seed and number of playouts give the same games and the same numbers (but for times), at any number of
/// threads; `--show` and `--record` show exactly the games that are counted without them. `reference`, `lifted` and `scratch`
/// play the same games as each other, and the same with `--invariants`: playout number i depends on the seed and on i alone.
/// `incremental` and `batch` choose from faster structures and play other games, which may differ with `--invariants`; those
/// of `batch` depend on the number of playouts, too. `auto` takes `incremental` for fewer than 128 playouts and `batch` from
/// there on, whether games are shown or not. How many games there are depends on the time with `--seconds`, and so do
/// the numbers.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule sheet, or `-`
    file: String,

    /// The engine
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineArg,

    /// How many games to play [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    playouts: Option<u64>,

    /// Play for this long instead; games that have begun are finished
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<Duration>,

    /// The seed of the random choices
    #[arg(long, value_name = "K", default_value_t = 0)]
    seed: u64,

    /// How many threads play; one, where games are shown or recorded
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Play on from the position after these moves: joint moves separated by `;`, the moves of the roles in order,
    /// such as "(mark 1 1) noop; noop (mark 2 2)". With `--show`, the position is shown first
    #[arg(long, value_name = "MOVES")]
    moves: Option<Line>,

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

/// How many games are played by default.
const DEFAULT_PLAYOUTS: u64 = 100;

/// With fewer games than this, most lanes of a batch would be idle.
const FEW: u64 = 128;

impl Args {
    /// How many games are played, if the time does not end before.
    fn count(&self) -> u64 {
        if self.seconds.is_some() { u64::MAX } else { self.playouts.unwrap_or(DEFAULT_PLAYOUTS) }
    }

    /// Whether each game is looked at while it is played.
    fn watches(&self) -> bool {
        self.show || self.record.is_some()
    }

    /// The moves before the playouts begin.
    fn line(&self) -> Line {
        self.moves.clone().unwrap_or_default()
    }
}

/// What every way of playing knows.
struct Session<'a> {
    args: &'a Args,
    game: &'a Loaded,
    engine: &'static str,
    line: Line,
    clock: Clock,
    start: Instant,
}

/// What came of playing.
struct Played {
    roles: Vec<String>,
    totals: Totals,
    /// The lines of moves that lead to the games that the totals name, by number.
    lines: Vec<(u64, Line)>,
    setup: Duration,
    elapsed: Duration,
    /// The limit that ended it, if one did.
    limit: Option<Failure>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let game = load_game(&args.file, &args.read)?;
    let best = if args.count() < FEW { MachineKind::Incremental } else { MachineKind::Batch };
    let engine = args.reason.engine(args.engine, &game, false, best)?;
    let clock = Clock::new(args.seconds, budget());
    let session = Session { args, game: &game, engine: engine.name(), line: args.line(), clock, start };
    let played = match &args.record {
        None => session.play(&engine, &mut Observer::new(args.show, None))?,
        Some(path) => session.record(&engine, path)?,
    };
    Report::new(&session, &played).print()
}

impl Session<'_> {
    fn play(&self, engine: &AnyEngine, observer: &mut Observer) -> Result<Played> {
        match engine.machine() {
            Some(machine) => machines::play(self, machine, observer),
            None => engines::play(self, engine, observer),
        }
    }

    /// Plays and writes the games to a file. Where a limit ends it, no file is left, and what is known so far is returned.
    fn record(&self, engine: &AnyEngine, path: &std::path::Path) -> Result<Played> {
        let mut played = None;
        let written = write_streamed(path, |out| {
            let result = self.play(engine, &mut Observer::new(self.args.show, Some(out)))?;
            let limit = result.limit.as_ref().map(|limit| anyhow!("{limit}"));
            played = Some(result);
            limit.map_or(Ok(()), Err)
        });
        match played {
            Some(played) if played.limit.is_some() => Ok(played),
            Some(played) => written.map(|()| played),
            None => Err(written.expect_err("it was played, or it failed")),
        }
    }

    /// How a machine plays.
    fn config(&self) -> PlayoutConfig {
        PlayoutConfig {
            seed: self.args.seed,
            threads: usize::from(self.args.threads),
            max_steps: self.args.max_steps,
            budget: budget(),
        }
    }
}

/// A line that cannot be followed is a mistake in the call.
pub(crate) fn unplayable(error: FollowError) -> Failure {
    match error {
        FollowError::Reason(error) => error.into(),
        FollowError::Unplayable { .. } => {
            Failure::new(Outcome::Usage, format!("--moves: {error}")).at("play")
        }
    }
}

/// The smallest numbers of games in which something irregular happened, each once.
fn firsts(totals: &Totals) -> Vec<u64> {
    let goals = totals.goals.iter().flat_map(|goal| goal.irregular()).map(|(_, sightings)| sightings);
    let mut firsts: Vec<u64> =
        goals.chain(totals.stuck_roles.iter().copied()).filter_map(|sightings| sightings.first).collect();
    firsts.sort_unstable();
    firsts.dedup();
    firsts
}
