//! `grundy bench playouts`: how fast the engines play.
//!
//! Each game is read, ground and connected once; then the engines play it one after the other.

use super::{sheets_of, write_files};
use crate::engine::{EngineArg, ReasonArgs};
use crate::files::{Loaded, ReadArgs, load_game};
use crate::limits::{LimitArgs, SheetLimitArgs, budget, for_sheet, seconds};
use crate::output::{Failure, Outcome, note, print, print_json};
use anyhow::Result;
use grundy::engine::{Engine, Task};
use grundy::game::{Game, GameError, MachineConfig};
use grundy::machine::{CompiledGame, Machine, MachineKind};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy_bench::playouts::{Line, Results, Settings, Speed, machine_speed, reasoner_speed, size};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    engines: Vec<EngineArg>,

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

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let settings = Settings {
        seconds: args.seconds,
        runs: args.runs,
        seed: args.seed,
        threads: usize::from(args.threads),
    };
    let mut results = Results::new(&settings);
    if !args.json {
        print(&results.header())?;
    }
    let mut ended = None;
    for path in sheets_of(&args.games)? {
        let measured = for_sheet(args.sheet_limits.sheet_timeout, || {
            measure_game(args, &settings, &path, |line| {
                show(args, &line)?;
                results.lines.push(line);
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
        write_files(folder, &results.files())?;
        note(&format!("written: {}", folder.join("playouts.html").display()));
    }
    if args.json {
        print_json(results.json());
    }
    ended.map_or(Ok(()), Err)?;
    Ok(Outcome::Fine)
}

/// Prints a row as soon as it is measured: in the table, or as progress where standard output is JSON.
fn show(args: &Args, line: &Line) -> Result<()> {
    if args.json {
        note(line.text().trim_end());
        return Ok(());
    }
    print(&line.text())
}

/// Measures all engines in a game.
fn measure_game(
    args: &Args,
    settings: &Settings,
    path: &str,
    mut add: impl FnMut(Line) -> Result<()>,
) -> Result<()> {
    let name = Path::new(path).file_stem().map_or(path.into(), |stem| stem.to_string_lossy()).into_owned();
    let start = Instant::now();
    let engines = || args.engines.iter().map(|&engine| Engine::from(engine));
    let failed = |engine: Engine, error: String| {
        let setup = start.elapsed().as_secs_f64();
        Line { game: name.clone(), engine: engine.name(), setup, size: None, result: Err(error) }
    };
    let game = match load_game(path, &args.read) {
        Ok(game) => game,
        Err(error) => {
            return engines().try_for_each(|engine| add(failed(engine, format!("{error:#}"))));
        }
    };
    let mut contest =
        Contest { args, settings, name: &name, game: &game, read: start.elapsed(), shared: None };
    for engine in engines() {
        let line = match engine.machine() {
            Some(kind) => contest.machine(engine, kind),
            None => contest.other(engine),
        };
        add(line.unwrap_or_else(|failure| failed(engine, failure.to_string())))?;
    }
    Ok(())
}

/// The rules that machines of a game share, and the time to make them.
type Shared = (Result<Arc<CompiledGame>, GameError>, Duration);

/// All engines in one game.
struct Contest<'a> {
    args: &'a Args,
    settings: &'a Settings,
    name: &'a str,
    game: &'a Loaded,
    /// The time to read the game.
    read: Duration,
    shared: Option<Shared>,
}

impl Contest<'_> {
    /// Machines share a network, except where one was chosen for a kind of machine.
    fn machine(&mut self, engine: Engine, kind: MachineKind) -> Result<Line, Failure> {
        let config = MachineConfig { kind, ..self.args.reason.machine_config(false) };
        if config.invariants.is_some() {
            self.shared = None;
        }
        let (rules, shared) = self.shared.get_or_insert_with(|| {
            let start = Instant::now();
            (Game::from_program(self.game.program.clone()).rules(&config), start.elapsed())
        });
        let rules = rules.as_ref().map_err(crate::engine::failure)?;
        let start = Instant::now();
        let machine = Machine::new(rules.clone(), kind, &budget())?;
        let setup = self.read + *shared + start.elapsed();
        Ok(self.line(engine.name(), setup, &machine))
    }

    fn line(&self, engine: &'static str, setup: Duration, machine: &Machine) -> Line {
        let speed = machine_speed(machine, self.settings, &budget());
        Line {
            game: self.name.to_owned(),
            engine,
            setup: setup.as_secs_f64(),
            size: Some(size(machine)),
            result: speed.map_err(|error| Failure::from(error).to_string()),
        }
    }

    /// An engine that is no machine, or that the choice of engines decides on.
    fn other(&self, engine: Engine) -> Result<Line, Failure> {
        let start = Instant::now();
        let prepared = self.args.reason.engine(engine, self.game, false, MachineKind::Batch)?;
        if let Some(machine) = prepared.machine() {
            return Ok(self.line(prepared.name(), self.read + start.elapsed(), machine));
        }
        let (setup, speed) = prepared.run(PlayForTime { settings: self.settings, start })?;
        let setup = (self.read + setup).as_secs_f64();
        let (game, engine) = (self.name.to_owned(), prepared.name());
        Ok(Line { game, engine, setup, size: None, result: Ok(speed) })
    }
}

/// Playing with an engine that answers question by question.
struct PlayForTime<'a> {
    settings: &'a Settings,
    start: Instant,
}

impl Task for PlayForTime<'_> {
    type Output = (Duration, Speed);
    type Error = Failure;

    fn run<R: Reasoner + Send>(
        self,
        make: impl Fn() -> Result<R, ReasonError>,
    ) -> Result<Self::Output, Failure> {
        let mut reasoner = make()?;
        let setup = self.start.elapsed();
        Ok((setup, reasoner_speed(&mut reasoner, self.settings)?))
    }
}
