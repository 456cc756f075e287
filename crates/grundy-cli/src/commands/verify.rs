//! `grundy verify`: replaying recorded games.

use crate::engine::{EngineArg, ReasonArgs};
use crate::files::{Loaded, ReadArgs, load_game, read_source, sheets_below};
use crate::limits::{LimitArgs, SheetLimitArgs, failure, for_sheet};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render;
use anyhow::Result;
use clap::ValueEnum;
use grundy::engine::{Engine, Task};
use grundy::machine::MachineKind;
use grundy::play::trace::{RecordedState, Replay, read_trace, replay};
use grundy::reasoner::{ReasonError, Reasoner};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Replay recorded games and compare every state
///
/// State, legal moves, terminal and goals are compared as sets, without regard to case. The first difference of
/// a state is named precisely. Traces have one JSON object a line:
/// {"playout":0,"step":0,"state":[facts],"legal":{role:[moves]},"terminal":false,"goals":{role:n},"moves":{role:move}}
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule sheet
    #[arg(required_unless_present = "corpus")]
    file: Option<String>,

    /// The trace, JSON lines; `-` for standard input
    #[arg(required_unless_present = "corpus")]
    trace: Option<String>,

    /// Replay all traces of a folder with `games/**/NAME.kif` and `traces/**/NAME.jsonl`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "trace"])]
    corpus: Option<PathBuf>,

    /// The engine, or `all` of them one after the other
    #[arg(long, default_value = "reference", value_parser = engines)]
    engine: Engines,

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

/// One engine or all of them.
#[derive(Clone, Copy, Debug)]
enum Engines {
    One(EngineArg),
    All,
}

impl Engines {
    fn name(self) -> &'static str {
        match self {
            Engines::One(engine) => Engine::from(engine).name(),
            Engines::All => "all",
        }
    }
}

fn engines(text: &str) -> Result<Engines, String> {
    if text == "all" {
        return Ok(Engines::All);
    }
    let names = || {
        EngineArg::value_variants()
            .iter()
            .map(|&engine| Engine::from(engine).name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    EngineArg::from_str(text, false)
        .map(Engines::One)
        .map_err(|_| format!("possible values: {}, all", names()))
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(corpus) = &args.corpus {
        return run_corpus(args, corpus);
    }
    let (Some(file), Some(trace)) = (&args.file, &args.trace) else { unreachable!("clap asks for both") };
    let replay = replay_files(args, file, trace)?;
    for difference in &replay.described {
        note(difference);
    }
    if args.json {
        print_json(json!({
            "states": replay.states,
            "differences": replay.differences,
            "engine": args.engine.name(),
        }));
    } else {
        let differ = if replay.differences == 1 { "differs" } else { "differ" };
        let states = render::count(replay.states, "state");
        print(&format!("{states} replayed, {} {differ}\n", replay.differences))?;
    }
    if replay.differences > 0 {
        let message = format!("{} found in the replay", render::count(replay.differences, "difference"));
        return Err(Failure::new(Outcome::Wrong, message).at("play").into());
    }
    Ok(Outcome::Fine)
}

fn replay_files(args: &Args, file: &str, trace: &str) -> Result<Replay> {
    let game = load_game(file, &args.read)?;
    let trace = read_trace(&read_source(trace, &args.read)?).map_err(Failure::from)?;
    match args.engine {
        Engines::One(engine) => replay_with(args, engine, &game, &trace),
        Engines::All => {
            let mut all = Replay::default();
            for engine in Engine::SINGLE {
                let one = replay_with(args, engine, &game, &trace)?;
                all.states = one.states;
                all.differences += one.differences;
                all.described.extend(one.described.iter().map(|text| format!("{}: {text}", engine.name())));
            }
            Ok(all)
        }
    }
}

fn replay_with(
    args: &Args,
    engine: impl Into<Engine>,
    game: &Loaded,
    trace: &[RecordedState],
) -> Result<Replay> {
    let engine = args.reason.engine(engine, game, true, MachineKind::Incremental)?;
    Ok(engine.run(ReplayTask { trace })?)
}

struct ReplayTask<'a> {
    trace: &'a [RecordedState],
}

impl Task for ReplayTask<'_> {
    type Output = Replay;
    type Error = Failure;

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, ReasonError>) -> Result<Replay, Failure> {
        Ok(replay(&mut make()?, self.trace)?)
    }
}

/// What became of one sheet of a corpus.
struct Line {
    name: String,
    states: u64,
    differences: u64,
    seconds: f64,
    failure: Option<(Outcome, String)>,
}

fn run_corpus(args: &Args, corpus: &Path) -> Result<Outcome> {
    let games = corpus.join("games");
    let mut sheets = sheets_below(&games)?;
    sheets.sort();
    let bar = ProgressBar::new(sheets.len() as u64);
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} {msg}");
    bar.set_style(style.expect("the template is well-formed"));
    let mut lines = Vec::new();
    let mut ended = None;
    for sheet in &sheets {
        let name = Path::new(sheet).strip_prefix(&games)?.with_extension("");
        let trace = corpus.join("traces").join(&name).with_added_extension("jsonl");
        bar.set_message(name.display().to_string());
        if trace.exists() {
            match for_sheet(args.sheet_limits.sheet_timeout, || replay_line(args, &name, sheet, &trace)) {
                Ok(line) => lines.push(line),
                Err(reason) => {
                    ended = Some(reason);
                    break;
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let reported = report_corpus(args, &lines);
    match ended {
        Some(reason) => {
            note(&format!("{} of {} before the end", lines.len(), render::count(sheets.len(), "sheet")));
            Err(failure(reason).into())
        }
        None => reported,
    }
}

fn replay_line(args: &Args, name: &Path, sheet: &str, trace: &Path) -> Line {
    let start = Instant::now();
    let result = replay_files(args, sheet, &trace.to_string_lossy());
    let seconds = start.elapsed().as_secs_f64();
    let name = name.display().to_string();
    match result {
        Ok(replay) => {
            replay.described.iter().take(1).for_each(|difference| note(&format!("{name}: {difference}")));
            Line { name, states: replay.states, differences: replay.differences, seconds, failure: None }
        }
        Err(error) => {
            let outcome = error.downcast_ref::<Failure>().map_or(Outcome::Wrong, |failure| failure.outcome);
            let failure = Some((outcome, format!("{error:#}")));
            Line { name, states: 0, differences: 0, seconds, failure }
        }
    }
}

fn report_corpus(args: &Args, lines: &[Line]) -> Result<Outcome> {
    let states: u64 = lines.iter().map(|line| line.states).sum();
    let differences: u64 = lines.iter().map(|line| line.differences).sum();
    let failed: Vec<&Line> = lines.iter().filter(|line| line.failure.is_some()).collect();
    if args.json {
        let sheets: Vec<Value> = lines.iter().map(line_to_json).collect();
        print_json(json!({
            "states": states,
            "differences": differences,
            "engine": args.engine.name(),
            "failed": failed.len(),
            "sheets": sheets,
        }));
    } else {
        let mut text = format!("{:<50} {:>8} {:>6} {:>9}\n", "sheet", "states", "differ", "seconds");
        for line in lines {
            let Line { name, states, differences, seconds, failure } = line;
            text.push_str(&format!("{name:<50} {states:>8} {differences:>6} {seconds:>9.2}"));
            if let Some((_, message)) = failure {
                text.push_str(&format!("  {}", message.lines().next().unwrap_or_default()));
            }
            text.push('\n');
        }
        text.push_str(&format!(
            "{}, {}, {}, {} failed\n",
            render::count(lines.len(), "sheet"),
            render::count(states, "state"),
            render::count(differences, "difference"),
            render::count(failed.len(), "sheet"),
        ));
        print(&text)?;
    }
    let wrong = if differences > 0 { Outcome::Wrong } else { Outcome::Fine };
    let outcomes = failed.iter().filter_map(|line| line.failure.as_ref()).map(|(outcome, _)| *outcome);
    let outcome = outcomes.fold(wrong, Outcome::max);
    if outcome == Outcome::Fine {
        return Ok(outcome);
    }
    let found = render::count(differences, "difference");
    let message = format!("{found} found, {} failed", render::count(failed.len(), "sheet"));
    Err(Failure::new(outcome, message).at("play").into())
}

fn line_to_json(line: &Line) -> Value {
    json!({
        "sheet": line.name,
        "states": line.states,
        "differences": line.differences,
        "seconds": line.seconds,
        "failure": line.failure.as_ref().map(|(_, message)| message),
    })
}
