//! `grundy bench playouts`: how fast the engines play.
//!
//! Each game is read, ground and connected once; then the engines play it one after the other, a few short runs each,
//! of which the best counts: on a machine with other work, that is the one that says most.

mod page;

use crate::engine::{Engine, Prepared, ReasonArgs, Task};
use crate::files::{Loaded, ReadArgs, load_game, sheets_below, write_whole};
use crate::limits::{LimitArgs, SheetLimitArgs, budget, for_sheet, seconds};
use crate::output::{Failure, Outcome, note, print, print_json};
use anyhow::Result;
use grundy::game::{Game, MachineConfig};
use grundy::machine::{Machine, PlayoutConfig};
use grundy::reasoner::Reasoner;
use grundy_syntax::Stage;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How fast the engines play random games
///
///     grundy bench playouts games/*.kif --engines incremental,batch --report report/
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Rule sheets, and folders of rule sheets
    #[arg(required = true, value_name = "FILE|DIR")]
    games: Vec<String>,

    /// The engines, side by side
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["lifted", "scratch", "incremental", "batch"])]
    engines: Vec<Engine>,

    /// How long each run plays, about
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "0.5")]
    seconds: Duration,

    /// How many runs each engine has for each game; the best one counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// The seed of the random choices
    #[arg(long, value_name = "K", default_value_t = 0)]
    seed: u64,

    /// How many threads play, with machines
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Write `playouts.html` with plots and `playouts.tsv` into this folder
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reason: ReasonArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    sheet_limits: SheetLimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// What became of a game with an engine.
#[derive(Clone, Debug)]
struct Line {
    game: String,
    engine: &'static str,
    /// From the text to an engine that can play.
    setup: f64,
    nodes: Option<usize>,
    edges: Option<usize>,
    result: Result<Speed, String>,
}

#[derive(Clone, Copy, Debug)]
struct Speed {
    playouts_per_second: f64,
    states_per_second: f64,
    mean_length: f64,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let mut lines = Vec::new();
    let mut ended = None;
    if !args.json {
        print(&header())?;
    }
    for path in sheets(&args.games)? {
        let measured = for_sheet(args.sheet_limits.sheet_timeout, || {
            measure_game(args, &path, |line| {
                show(args, &line)?;
                lines.push(line);
                Ok(())
            })
        });
        match measured {
            Ok(measured) => measured?,
            Err(reason) => {
                ended = Some(reason);
                break;
            }
        }
    }
    if let Some(folder) = &args.report {
        std::fs::create_dir_all(folder)?;
        write_whole(&folder.join("playouts.tsv"), &page::tsv(&lines))?;
        write_whole(&folder.join("playouts.html"), &page::html(&lines))?;
        note(&format!("written: {}", folder.join("playouts.html").display()));
    }
    if args.json {
        print_json(json!({ "lines": lines.iter().map(to_json).collect::<Vec<_>>() }));
    }
    ended.map_or(Ok(()), Err)?;
    Ok(Outcome::Fine)
}

/// Prints a row as soon as it is measured: in the table, or as progress where standard output is JSON.
fn show(args: &Args, line: &Line) -> Result<()> {
    if args.json {
        note(line_text(line).trim_end());
        return Ok(());
    }
    print(&line_text(line))
}

/// The sheets that are meant, those of folders in order.
fn sheets(games: &[String]) -> Result<Vec<String>> {
    let mut sheets = Vec::new();
    for game in games {
        if Path::new(game).is_dir() {
            let mut below = sheets_below(Path::new(game))?;
            below.retain(|path| path.ends_with(".kif"));
            below.sort();
            sheets.append(&mut below);
        } else {
            sheets.push(game.clone());
        }
    }
    Ok(sheets)
}

fn measure_game(args: &Args, path: &str, mut add: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let name = Path::new(path).file_stem().map_or(path.into(), |stem| stem.to_string_lossy()).into_owned();
    let start = Instant::now();
    let failed = |engine: Engine, error: String| Line {
        game: name.clone(),
        engine: engine.name(),
        setup: start.elapsed().as_secs_f64(),
        nodes: None,
        edges: None,
        result: Err(error),
    };
    let game = match load_game(path, &args.read) {
        Ok(game) => game,
        Err(error) => {
            return args.engines.iter().try_for_each(|&engine| add(failed(engine, format!("{error:#}"))));
        }
    };
    let read = start.elapsed();
    let rules_for = |kind| {
        let config = MachineConfig { kind, ..args.reason.machine_config(false) };
        let start = Instant::now();
        (Game::from_program(game.program.clone()).rules(&config), start.elapsed())
    };
    let mut rules = None;
    for &engine in &args.engines {
        // Machines share a network, but for one that was chosen for one of them.
        if let Some(kind) = engine.machine()
            && (rules.is_none() || args.reason.machine_config(false).invariants.is_some())
        {
            rules = Some(rules_for(kind));
        }
        let start = Instant::now();
        let line = match (engine.machine(), &rules) {
            (Some(_), Some((Err(error), _))) => failed(engine, crate::engine::failure(error).to_string()),
            (Some(kind), Some((Ok(rules), shared))) => match Machine::new(rules.clone(), kind, &budget()) {
                Ok(machine) => Line {
                    game: name.clone(),
                    engine: engine.name(),
                    setup: (read + *shared + start.elapsed()).as_secs_f64(),
                    nodes: Some(rules.network().node_count()),
                    edges: Some(rules.network().edge_count()),
                    result: play_machine(args, &machine).map_err(|error| error.to_string()),
                },
                Err(reason) => failed(engine, crate::limits::failure(reason).to_string()),
            },
            _ => play_other(args, &game, engine, &name, read)
                .unwrap_or_else(|error| failed(engine, error.to_string())),
        };
        add(line)?;
    }
    Ok(())
}

/// The best of some runs. The number of games is found first: as many as fit into the time.
fn play_machine(args: &Args, machine: &Machine) -> Result<Speed, Failure> {
    let config = PlayoutConfig {
        seed: args.seed,
        threads: usize::from(args.threads),
        budget: budget(),
        ..PlayoutConfig::default()
    };
    let never = std::sync::atomic::AtomicBool::new(false);
    let play = |count| {
        let start = Instant::now();
        let totals = machine.playouts_until(count, &config, &never);
        config.budget.check().map(|()| (totals, start.elapsed().as_secs_f64().max(1e-9)))
    };
    config.budget.enter(Stage::Play);
    let wanted = args.seconds.as_secs_f64();
    let mut count = 32;
    let (mut totals, mut taken) = play(count)?;
    while taken < wanted / 2.0 {
        count = (count as f64 * (wanted / taken).clamp(2.0, 32.0)) as u64;
        (totals, taken) = play(count)?;
    }
    let mut best = taken;
    for _ in 1..args.runs {
        (totals, taken) = play(count)?;
        best = best.min(taken);
    }
    Ok(Speed {
        playouts_per_second: totals.playouts as f64 / best,
        states_per_second: totals.states as f64 / best,
        mean_length: totals.states as f64 / totals.playouts.max(1) as f64,
    })
}

fn play_other(
    args: &Args,
    game: &Loaded,
    engine: Engine,
    name: &str,
    read: Duration,
) -> Result<Line, Failure> {
    let start = Instant::now();
    let prepared: Prepared = args.reason.prepare(engine, game, false, grundy::machine::MachineKind::Batch)?;
    if let Prepared::Machine(machine) = &prepared {
        let setup = (read + start.elapsed()).as_secs_f64();
        let network = machine.rules().network();
        let (nodes, edges) = (Some(network.node_count()), Some(network.edge_count()));
        let result = play_machine(args, machine).map_err(|error| error.to_string());
        return Ok(Line { game: name.to_owned(), engine: prepared.name(), setup, nodes, edges, result });
    }
    let (setup, speed) = prepared.run(PlayForTime { args, start })?;
    let setup = (read + setup).as_secs_f64();
    Ok(Line {
        game: name.to_owned(),
        engine: prepared.name(),
        setup,
        nodes: None,
        edges: None,
        result: Ok(speed),
    })
}

/// Playing with an engine that answers question by question.
struct PlayForTime<'a> {
    args: &'a Args,
    start: Instant,
}

/// A playout without an end is given up.
const MOST_STEPS: u64 = 100_000;

impl Task for PlayForTime<'_> {
    type Output = (Duration, Speed);

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, Failure>) -> Result<Self::Output, Failure> {
        let mut reasoner = make()?;
        let setup = self.start.elapsed();
        let mut rng = fastrand::Rng::with_seed(self.args.seed);
        let (mut playouts, mut states) = (0u64, 0u64);
        let start = Instant::now();
        while start.elapsed() < self.args.seconds {
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
            playouts += 1;
            states += steps;
        }
        let seconds = start.elapsed().as_secs_f64();
        let speed = Speed {
            playouts_per_second: playouts as f64 / seconds,
            states_per_second: states as f64 / seconds,
            mean_length: states as f64 / playouts as f64,
        };
        Ok((setup, speed))
    }
}

fn to_json(line: &Line) -> serde_json::Value {
    let speed = line.result.as_ref().ok();
    json!({
        "game": line.game,
        "engine": line.engine,
        "playouts_per_second": speed.map(|speed| speed.playouts_per_second),
        "states_per_second": speed.map(|speed| speed.states_per_second),
        "mean_length": speed.map(|speed| speed.mean_length),
        "setup_seconds": line.setup,
        "nodes": line.nodes,
        "edges": line.edges,
        "failure": line.result.as_ref().err(),
    })
}

fn header() -> String {
    format!(
        "{:<28} {:<12} {:>12} {:>14} {:>8} {:>9} {:>9} {:>9}\n",
        "game", "engine", "playouts/s", "states/s", "length", "setup s", "nodes", "edges"
    )
}

fn line_text(line: &Line) -> String {
    let Line { game, engine, setup, nodes, edges, result } = line;
    let size = |size: &Option<usize>| size.map_or("-".to_owned(), |size| size.to_string());
    match result {
        Ok(speed) => format!(
            "{game:<28} {engine:<12} {:>12.0} {:>14.0} {:>8.1} {setup:>9.3} {:>9} {:>9}\n",
            speed.playouts_per_second,
            speed.states_per_second,
            speed.mean_length,
            size(nodes),
            size(edges)
        ),
        Err(error) => format!("{game:<28} {engine:<12} {}\n", error.lines().next().unwrap_or_default()),
    }
}
