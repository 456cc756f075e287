//! How fast engines play random games.
//!
//! The caller prepares an engine for a game; [`machine_speed`] and [`reasoner_speed`] play it. Machines play several short
//! runs, of which the best counts: other work on the computer disturbs it least.

mod page;

use crate::numbers::{count, float, grouped, rounded};
use crate::report::{File, Origin};
use grundy::machine::{Machine, PlayoutConfig};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::{Budget, Exhausted, Stage};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// About how long each run plays.
    pub seconds: Duration,
    /// How many runs a machine has for each game.
    pub runs: u32,
    /// The seed of the random choices.
    pub seed: u64,
    /// How many threads play, with machines.
    pub threads: usize,
}

/// How fast an engine plays a game.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Games played to the end in a second.
    pub playouts_per_second: f64,
    /// Joint moves made in a second.
    pub states_per_second: f64,
    /// Joint moves of a game.
    pub mean_length: f64,
}

impl Speed {
    fn of(playouts: u64, states: u64, seconds: f64) -> Speed {
        Speed {
            playouts_per_second: float(playouts) / seconds,
            states_per_second: float(states) / seconds,
            mean_length: float(states) / float(playouts.max(1)),
        }
    }
}

/// The result of an engine in a game.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name of the game.
    pub game: String,
    /// The name of the engine.
    pub engine: &'static str,
    /// Seconds from the text to an engine that can play.
    pub setup: f64,
    /// Nodes and edges of the network, if the engine has one.
    pub size: Option<(usize, usize)>,
    /// How fast it plays, or why it does not.
    pub result: Result<Speed, String>,
}

/// Nodes and edges of the network of a machine.
pub fn size(machine: &Machine) -> (usize, usize) {
    let network = machine.game().network();
    (network.node_count(), network.edge_count())
}

/// The best of some runs. The number of games is found first: as many as fit into the time.
pub fn machine_speed(machine: &Machine, settings: &Settings, budget: &Budget) -> Result<Speed, Exhausted> {
    let config = PlayoutConfig {
        seed: settings.seed,
        threads: settings.threads,
        budget: budget.clone(),
        ..PlayoutConfig::default()
    };
    let never = std::sync::atomic::AtomicBool::new(false);
    let play = |count| {
        let start = Instant::now();
        let totals = machine.playouts_until(count, &config, &never);
        budget.check().map(|()| (totals, start.elapsed().as_secs_f64().max(1e-9)))
    };
    budget.enter(Stage::Play);
    let wanted = settings.seconds.as_secs_f64();
    let mut count = 32;
    let (mut totals, mut taken) = play(count)?;
    while taken < wanted / 2.0 {
        count = rounded(float(count) * (wanted / taken).clamp(2.0, 32.0));
        (totals, taken) = play(count)?;
    }
    let mut best = taken;
    for _ in 1..settings.runs {
        (totals, taken) = play(count)?;
        best = best.min(taken);
    }
    Ok(Speed::of(totals.playouts, totals.states, best))
}

/// A playout that is longer than this is abandoned.
const MOST_STEPS: u64 = 100_000;

/// One run of an engine that answers question by question, in one thread.
pub fn reasoner_speed<R: Reasoner>(reasoner: &mut R, settings: &Settings) -> Result<Speed, ReasonError> {
    let mut rng = fastrand::Rng::with_seed(settings.seed);
    let (mut playouts, mut states) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < settings.seconds {
        states += play_one(reasoner, &mut rng)?;
        playouts += 1;
    }
    Ok(Speed::of(playouts, states, start.elapsed().as_secs_f64()))
}

/// Plays a game and asks for its goals; the number of its joint moves.
fn play_one<R: Reasoner>(reasoner: &mut R, rng: &mut fastrand::Rng) -> Result<u64, ReasonError> {
    let mut state = reasoner.initial()?;
    let mut steps = 0;
    while steps < MOST_STEPS && !reasoner.is_terminal(&state)? {
        let legal = reasoner.legal(&state)?;
        if legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<R::Move> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
        state = reasoner.next(&state, &joint)?;
        steps += 1;
    }
    reasoner.goals(&state)?;
    Ok(steps)
}

/// All results, and where they come from.
#[derive(Clone, Debug)]
pub struct Results {
    /// The results, those of a game in succession.
    pub lines: Vec<Line>,
    origin: Origin,
}

impl Results {
    /// No results yet.
    pub fn new(settings: &Settings) -> Results {
        let seconds = settings.seconds.as_secs_f64();
        let parameters = vec![
            ("seed", settings.seed.to_string()),
            ("run length", format!("about {seconds} s, the best of {}", count(settings.runs, "run"))),
            ("threads", settings.threads.to_string()),
        ];
        Results { lines: Vec::new(), origin: Origin::now(parameters) }
    }

    /// The origin of the numbers, and the header of the table whose lines are [`Line::text`].
    pub fn header(&self) -> String {
        format!(
            "{}\n{:<28} {:<12} {:>12} {:>14} {:>8} {:>9} {:>10} {:>10}\n",
            self.origin.text(),
            "game",
            "engine",
            "playouts/s",
            "states/s",
            "length",
            "setup s",
            "nodes",
            "edges"
        )
    }

    /// All results for programs.
    pub fn json(&self) -> Value {
        let lines: Vec<Value> = self.lines.iter().map(Line::json).collect();
        json!({ "lines": lines, "origin": self.origin.json() })
    }

    /// The report: a page with plots and a table, the table for programs, and the origin of the numbers.
    pub fn files(&self) -> Vec<File> {
        vec![
            File::new("playouts.tsv", page::tsv(&self.lines)),
            File::new("run.tsv", self.origin.tsv()),
            File::new("playouts.html", page::html(self)),
        ]
    }
}

impl Line {
    /// A line for a terminal.
    pub fn text(&self) -> String {
        let Line { game, engine, setup, size, result } = self;
        let [nodes, edges] = page::sizes(*size, "-");
        match result {
            Ok(speed) => format!(
                "{game:<28} {engine:<12} {:>12} {:>14} {:>8.1} {setup:>9.3} {nodes:>10} {edges:>10}\n",
                grouped(rounded(speed.playouts_per_second)),
                grouped(rounded(speed.states_per_second)),
                speed.mean_length,
            ),
            Err(error) => format!("{game:<28} {engine:<12} {}\n", error.lines().next().unwrap_or_default()),
        }
    }

    fn json(&self) -> Value {
        let speed = self.result.as_ref().ok();
        json!({
            "game": self.game,
            "engine": self.engine,
            "playouts_per_second": speed.map(|speed| speed.playouts_per_second),
            "states_per_second": speed.map(|speed| speed.states_per_second),
            "mean_length": speed.map(|speed| speed.mean_length),
            "setup_seconds": self.setup,
            "nodes": self.size.map(|(nodes, _)| nodes),
            "edges": self.size.map(|(_, edges)| edges),
            "failure": self.result.as_ref().err(),
        })
    }
}
