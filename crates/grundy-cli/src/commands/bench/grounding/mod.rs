//! `grundy bench grounding`: a whole folder of sheets, one process each.
//!
//! The function [`run`] is the outline. `run.rs` starts the processes, `record.rs` is what they measured,
//! `summary.rs` what there is to say about it, `text.rs`, `figures.rs` and `page.rs` how that looks.

mod figures;
mod page;
mod published;
mod record;
pub(super) mod rivals;
mod run;
mod summary;
mod text;

use crate::files::{make_folder, sheets_below, write_whole};
use crate::limits;
use crate::output::{Failure, Outcome, note, print, print_json};
use anyhow::{Context, Result};
use clap::ValueEnum;
use grundy::ground::GroundConfig;
use record::{Record, Task, to_tsv};
use rivals::{Found, Rival};
use run::{Bench, Sheet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use summary::Summary;

/// Where our own games are, seen from the root of the repository.
const BUNDLED: &str = "games";

const EXAMPLES: &str = "\
Examples:
  grundy bench grounding
  grundy bench grounding games/hex.kif games/chess.kif --form compact
  grundy bench grounding --corpus DIR --timeout 10 --against gringo,swipl --report report";

/// Ground all sheets of a folder, one process each, and tell how long it took
///
/// Time is that of the whole process by the clock, memory its peak, both taken from outside. A sheet that
/// hits a limit, or a crash, is told in the end with the rule that is to blame, and stops nothing. Sheets
/// that cannot be read are counted, and left out of all shares.
///
/// The table has the share of sheets that are done within 10 ms, 0.1 s, 1 s, 10 s and a minute, with the
/// numbers of Vittaut & Méhat (2014) below. Then follow rules a second and bytes a rule of the games above
/// 10⁶ rules, how time grows with size above 10⁴ rules (an exponent of 1 is linear), and the conditions
/// of the compact form against the faithful one.
///
/// `--report DIR` writes `index.html` with the paper's figures 2 to 6, each figure as SVG, and
/// `grounding.tsv` with a line for each process. It also runs the paper's two ways to base and input.
///
/// `--against gringo` gives gringo the same program (`grundy export asp`); both write aspif to a file in
/// memory. `--against swipl` runs the paper's method in SWI-Prolog (`grundy export prolog`). What is not
/// installed is left out with a message.
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Rule sheets
    files: Vec<String>,

    /// A folder, searched for `.kif` files [default: `games`, if no files are given]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Which ground programs to make
    #[arg(long, value_enum, default_value = "both")]
    form: Form,

    /// Other grounders to run beside, game by game
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',')]
    against: Vec<Rival>,

    /// Write a page with figures, and a table for programs
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// How many games to ground at a time; with more than one, times mean less
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,

    /// Limit: how many seconds a process may take
    #[arg(long, value_name = "S", default_value = "60", value_parser = crate::limits::seconds,
          help_heading = "Limits for each process")]
    timeout: Duration,

    /// Limit: how many bytes of memory a process may take, such as `2G`
    #[arg(long, value_name = "BYTES", value_parser = crate::limits::bytes, default_value = "4G",
          help_heading = "Limits for each process")]
    max_memory: usize,

    /// Limit: how many rules a ground program may have
    #[arg(long, value_name = "N", default_value_t = GroundConfig::default().max_rules,
          help_heading = "Limits for each process")]
    max_rules: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// As few and as small rules as possible
    Compact,
    /// Exactly the instances of the sheet's own rules
    Faithful,
    /// One after the other
    Both,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sheets = sheets(args)?;
    if args.jobs > 1 {
        note("several games at a time: they share caches and memory, so that times mean less");
    }
    let found = find_rivals(&args.against);
    let budget = limits::budget();
    let bench = Bench {
        program: std::env::current_exe().context("where is this program?")?,
        tasks: tasks(args),
        rivals: found,
        timeout: args.timeout,
        max_memory: args.max_memory as u64,
        max_rules: args.max_rules,
        budget: budget.clone(),
    };
    let records = bench.run(&sheets, args.jobs.into())?;
    let summary = Summary::of(&records, &bench);
    if let Some(folder) = &args.report {
        write_report(folder, &records, &summary)?;
    }
    if args.json {
        print_json(serde_json::to_value(&summary)?);
    } else {
        print(&text::text(&summary))?;
    }
    match budget.is_interrupted() {
        true => Err(limits::failure(grundy_syntax::Exhausted::Interrupt).into()),
        false => Ok(Outcome::Fine),
    }
}

/// The sheets to ground: files as they were given, then those of the folder by name.
fn sheets(args: &Args) -> Result<Vec<Sheet>> {
    let mut sheets: Vec<Sheet> = args.files.iter().map(|path| Sheet::below("", path)).collect();
    let bundled = args.files.is_empty().then(|| PathBuf::from(BUNDLED));
    if let Some(folder) = args.corpus.clone().or(bundled) {
        let mut paths = sheets_below(&folder)?;
        paths.retain(|path| Path::new(path).extension().is_some_and(|extension| extension == "kif"));
        paths.sort();
        sheets.extend(paths.iter().map(|path| Sheet::below(&folder.to_string_lossy(), path)));
        if paths.is_empty() {
            let message = format!("no `.kif` files below `{}`", folder.display());
            return Err(Failure::new(Outcome::Wrong, message).into());
        }
    }
    Ok(sheets)
}

/// What to run for each sheet of our own. The paper's figures need its two methods as well.
fn tasks(args: &Args) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut add = |wanted: bool, task: Task| tasks.extend(wanted.then_some(task));
    add(args.form != Form::Faithful, Task::Compact);
    add(args.form != Form::Compact, Task::Faithful);
    add(args.report.is_some(), Task::OneStep);
    add(args.report.is_some(), Task::Iterative);
    add(args.against.contains(&Rival::Gringo), Task::Aspif);
    tasks
}

/// The other grounders, each once; for those that cannot be had, a message.
fn find_rivals(names: &[Rival]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for &name in names {
        if found.iter().any(|known| known.rival == name) {
            continue;
        }
        match name.find() {
            Ok(rival) => found.push(rival),
            Err(why) => note(&format!("{} is skipped: {why}", name.task().name())),
        }
    }
    found
}

fn write_report(folder: &Path, records: &[Record], summary: &Summary) -> Result<()> {
    make_folder(folder)?;
    let figures = figures::figures(records, summary);
    for figure in &figures {
        write_whole(&folder.join(format!("{}.svg", figure.file)), &figure.plot.to_svg())?;
    }
    write_whole(&folder.join("grounding.tsv"), &to_tsv(records))?;
    write_whole(&folder.join("index.html"), &page::page(records, summary, &figures))
}
