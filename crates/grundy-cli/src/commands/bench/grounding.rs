//! `grundy bench grounding`: a whole folder of sheets, one process each.

use super::{failure, kif_below, sheets_of, write_files};
use crate::limits;
use crate::output::{Failure, Outcome, note, print, print_json};
use anyhow::{Context, Result};
use clap::ValueEnum;
use grundy::ground::GroundConfig;
use grundy_bench::grounding::{Bench, Event, Found, Rival, Sheet, Task};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::time::Duration;

/// The folder of our own games, relative to the root of the repository.
const BUNDLED: &str = "games";

const EXAMPLES: &str = "\
Examples:
  grundy bench grounding
  grundy bench grounding games/hex.kif games/chess.kif --form compact
  grundy bench grounding --corpus DIR --timeout 10 --against gringo,swipl --report report";

/// Ground all sheets of a folder, one process each, and report time and memory
///
/// Time is that of the whole process by the clock, memory its peak, both measured from outside. Sheets that
/// hit a limit or crash are listed at the end with the responsible rule; the run continues. Sheets that
/// cannot be read are counted, and excluded from all shares.
///
/// The table has the share of sheets that are done within 10 ms, 0.1 s, 1 s, 10 s and a minute, beside the
/// numbers of Vittaut & Méhat (2014). Then follow rules a second and bytes a rule of the games above
/// 10⁶ rules, the growth of time with size above 10⁴ rules (an exponent of 1 is linear), and the conditions
/// of the compact form against the faithful one.
///
/// `--report DIR` writes `index.html` with the paper's figures 2 to 6, each figure as SVG, `grounding.tsv`
/// with a line for each process, and `run.tsv` with the machine, the date and the version. It also runs the
/// paper's two methods for base and input.
///
/// `--against gringo` gives gringo the same program (`grundy export asp`); both write aspif to a file in
/// memory. `--against swipl` runs the paper's method in SWI-Prolog (`grundy export prolog`). Programs that
/// are not installed are skipped with a message.
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

    /// Other grounders to run on the same games
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',')]
    against: Vec<RivalArg>,

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

/// The grounders that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RivalArg {
    /// The grounder of answer-set programs, writing aspif
    Gringo,
    /// SWI-Prolog with tabling, the paper's method
    Swipl,
}

impl RivalArg {
    fn rival(self) -> Rival {
        match self {
            RivalArg::Gringo => Rival::Gringo,
            RivalArg::Swipl => Rival::Swipl,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sheets = sheets(args)?;
    if args.jobs > 1 {
        note("several games at a time share caches and memory, which makes times less exact");
    }
    let budget = limits::budget();
    let bench = Bench {
        program: std::env::current_exe().context("cannot find the path of this program")?,
        tasks: tasks(args),
        rivals: find_rivals(&args.against),
        timeout: args.timeout,
        max_memory: args.max_memory as u64,
        max_rules: args.max_rules,
        jobs: args.jobs.into(),
        budget: budget.clone(),
    };
    let bar = progress_bar(sheets.len());
    let results = bench.run(&sheets, &|event| match event {
        Event::Started(game) => bar.set_message(game.to_owned()),
        Event::Done => bar.inc(1),
    });
    let results = results.map_err(failure)?;
    bar.finish_and_clear();
    if let Some(folder) = &args.report {
        write_files(folder, &results.files())?;
    }
    if args.json {
        print_json(results.json());
    } else {
        print(&results.text())?;
    }
    match budget.is_interrupted() {
        true => Err(limits::failure(grundy_syntax::Exhausted::Interrupt).into()),
        false => Ok(Outcome::Fine),
    }
}

fn progress_bar(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} {bar:30} {elapsed} {wide_msg}");
    let style = style.expect("the template is well-formed");
    ProgressBar::new(length as u64).with_style(style)
}

/// The sheets to ground: files as they were given, then those of the folder by name.
fn sheets(args: &Args) -> Result<Vec<Sheet>> {
    let files = if args.files.is_empty() { Vec::new() } else { sheets_of(&args.files)? };
    let mut sheets: Vec<Sheet> = files.iter().map(|path| Sheet::below("", path)).collect();
    let bundled = args.files.is_empty().then(|| PathBuf::from(BUNDLED));
    if let Some(folder) = args.corpus.clone().or(bundled) {
        let paths = kif_below(&folder)?;
        sheets.extend(paths.iter().map(|path| Sheet::below(&folder.to_string_lossy(), path)));
        if paths.is_empty() {
            let message = format!("no `.kif` files below `{}`", folder.display());
            return Err(Failure::new(Outcome::Wrong, message).into());
        }
    }
    Ok(sheets)
}

/// What to run for each sheet with this program. The paper's figures need its two methods as well.
fn tasks(args: &Args) -> Vec<Task> {
    let tasks = [
        (args.form != Form::Faithful, Task::Compact),
        (args.form != Form::Compact, Task::Faithful),
        (args.report.is_some(), Task::OneStep),
        (args.report.is_some(), Task::Iterative),
        (args.against.contains(&RivalArg::Gringo), Task::Aspif),
    ];
    tasks.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, task)| task).collect()
}

/// The other grounders, each once; a message for those that are not installed.
fn find_rivals(names: &[RivalArg]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for rival in names.iter().map(|name| name.rival()) {
        if found.iter().any(|known| known.rival == rival) {
            continue;
        }
        match rival.find() {
            Ok(rival) => found.push(rival),
            Err(why) => note(&format!("{} is skipped: {why}", rival.task().name())),
        }
    }
    found
}
