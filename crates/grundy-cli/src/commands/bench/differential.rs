//! `grundy bench differential`: all engines side by side with the reference, on random games or given sheets.

use crate::files::{ReadArgs, make_folder, read_source, sheets_below, write_whole};
use crate::limits::{self, seconds};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render::count;
use anyhow::Result;
use grundy_bench::campaign::{self, Outcome as SheetOutcome, Plan, Sheet, Sheets, Wait};
use grundy_bench::differential::{Config, Verdict};
use grundy_bench::{Campaign, Coverage, Findings};
use grundy_syntax::{Budget, Exhausted};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Compare all engines with the reference: on random games, on sheets, on mutants of sheets
///
/// The comparison covers states, legal moves, goals, the end, percepts and perft of the lifted engine, of the machines with and
/// without invariants and rules about moves, of hybrids, and of ground programs that are read back; also the ground programs
/// of all methods, winning and forced moves, and the totals of playouts. Without SHEET, random games are made from seeds:
///
///     grundy bench differential --games 10000 --seed 1
///     grundy bench differential games/nim.kif games/tron.kif --mutants 100
///
/// Sheets on which engines disagree are reduced and written to DIR, or printed. The same call gives the same result at any
/// number of threads. The exit code is 1 if an engine disagrees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Sheets to compare the engines on instead of random games; folders are searched for sheets
    #[arg(value_name = "SHEET")]
    sheets: Vec<String>,

    /// How many random games
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "sheets")]
    games: u64,

    /// The seed of the first game or mutant; the others follow
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Compare the engines on N mutants of each sheet instead of the sheet: a few random edits each
    #[arg(long, value_name = "N", requires = "sheets")]
    mutants: Option<u64>,

    /// How many threads
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Write the sheets on which engines disagree into this folder, in full and reduced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write all sheets into the folder, also those on which the engines agree
    #[arg(long, requires = "out")]
    keep: bool,

    /// Tell in which share of the games there are mixed positions, choices, goals and so on
    #[arg(long)]
    coverage: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Limit: how long to compare one given sheet; engines that take longer are skipped
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20", help_heading = "Limits")]
    sheet_time: Duration,

    /// Limit: how many seconds the whole command may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    timeout: Option<Duration>,

    #[command(flatten)]
    read: ReadArgs,
}

/// How often the main thread checks whether it has to stop.
const TICK: Duration = Duration::from_millis(50);

/// An engine that takes longer for a random game, which is small, is considered stuck.
const PATIENCE: Duration = Duration::from_secs(900);

/// How many failures are reduced.
const MOST_MINIMISED: usize = 20;

/// Why it ended early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    Interrupt,
    Timeout,
}

/// When to stop early.
struct Clock {
    budget: Budget,
    deadline: Option<Instant>,
}

impl Clock {
    fn stopped(&self) -> Option<Stopped> {
        if self.budget.is_interrupted() {
            return Some(Stopped::Interrupt);
        }
        self.deadline.is_some_and(|end| Instant::now() >= end).then_some(Stopped::Timeout)
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let deadline = args.timeout.and_then(|timeout| start.checked_add(timeout));
    let clock = Clock { budget: limits::budget(), deadline };
    let (number, sheets) = sheets(args)?;
    let config = if args.sheets.is_empty() { Config::default() } else { Config::for_sheets(args.sheet_time) };
    let patience = if args.sheets.is_empty() { PATIENCE } else { args.sheet_time * 2 + PATIENCE };
    let plan = Plan { sheets: number, threads: usize::from(args.threads), config, patience };
    if let Some(folder) = &args.out {
        make_folder(folder)?;
    }
    let mut found = Findings::default();
    let mut coverage = args.coverage.then(Coverage::default);
    let mut kept = Ok(());
    let mut stopped = compare(plan, sheets, &clock, |name, text, outcome| {
        if let Some(coverage) = &mut coverage {
            coverage.add(&text);
        }
        if let (Some(folder), Ok(())) = (&args.out, &kept) {
            // A sheet with a disagreement is written under its own name when it has been reduced.
            let suffix = match &outcome {
                SheetOutcome::Checked(Verdict::Agree(_) | Verdict::Rejected(_)) if args.keep => Some(""),
                SheetOutcome::Checked(Verdict::Differs(_)) => Some("-original"),
                SheetOutcome::Stuck(_) => Some("-stuck"),
                SheetOutcome::Checked(_) => None,
            };
            if let Some(suffix) = suffix {
                kept = write_whole(&folder.join(file_name(&format!("{name}{suffix}"))), &text);
            }
        }
        if let SheetOutcome::Checked(Verdict::Differs(difference)) = &outcome {
            note(&format!("{name}: {difference}"));
        }
        found.add(name, text, outcome);
    });
    kept?;
    for failed in found.failed.iter_mut().take(MOST_MINIMISED) {
        let is_stopped = || clock.stopped().is_some();
        if stopped.is_none() && !failed.reduce(config, patience, &clock.budget, is_stopped) {
            stopped = clock.stopped();
        }
    }
    report(args, &found, coverage.as_ref())?;
    note(&format!("{:.1} s", start.elapsed().as_secs_f64()));
    ending(&found, stopped)
}

/// How many sheets there are, and what makes them.
fn sheets(args: &Args) -> Result<(u64, Box<Sheets>)> {
    if args.sheets.is_empty() {
        return Ok((args.games, campaign::random_games(args.seed)));
    }
    let mut paths = Vec::new();
    for path in &args.sheets {
        if Path::new(path).is_dir() {
            let mut below = sheets_below(Path::new(path))?;
            below.sort();
            paths.append(&mut below);
        } else {
            paths.push(path.clone());
        }
    }
    let mut given = Vec::new();
    for path in paths {
        let text = read_source(&path, &args.read)?.text().to_owned();
        let name = Path::new(&path).with_extension("").display().to_string();
        given.push(Sheet { name, text });
    }
    if given.is_empty() {
        return Err(Failure::new(Outcome::Wrong, "there is no sheet in these folders").at("read").into());
    }
    let number = given.len() as u64;
    Ok(match args.mutants {
        None => (number, campaign::given(given)),
        Some(mutants) => (mutants * number, campaign::mutants(given, args.seed)),
    })
}

/// Compares the engines on all sheets; `add` gets the outcome of each, in order.
fn compare(
    plan: Plan,
    sheets: Box<Sheets>,
    clock: &Clock,
    mut add: impl FnMut(String, String, SheetOutcome),
) -> Option<Stopped> {
    let bar = ProgressBar::new(plan.sheets);
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {pos}/{len} sheets");
    bar.set_style(style.expect("the template is well-formed"));
    let mut campaign = Campaign::start(plan, sheets);
    let stopped = loop {
        if let Some(stopped) = clock.stopped() {
            break Some(stopped);
        }
        match campaign.next(TICK) {
            Wait::Over => break None,
            Wait::NotYet => {}
            Wait::Done(done) => {
                bar.inc(1);
                add(done.sheet.name, done.sheet.text, done.outcome);
            }
        }
    };
    bar.finish_and_clear();
    stopped
}

fn report(args: &Args, found: &Findings, coverage: Option<&Coverage>) -> Result<()> {
    let mut files = Vec::new();
    for failed in &found.failed {
        files.push(match &args.out {
            Some(folder) => {
                let path = folder.join(file_name(&failed.name));
                write_whole(&path, &failed.commented())?;
                Some(path)
            }
            None => None,
        });
    }
    for line in found.rejected.iter().filter(|_| !args.sheets.is_empty()) {
        note(&format!("not compared: {line}"));
    }
    found.skipped.iter().for_each(|line| note(&format!("limit: {line}")));
    found.stuck.iter().for_each(|line| note(line));
    if args.json {
        print_json(found.json(&files, coverage));
        return Ok(());
    }
    print(&text(args, found, &files, coverage))
}

fn text(args: &Args, found: &Findings, files: &[Option<PathBuf>], coverage: Option<&Coverage>) -> String {
    let mut text = String::new();
    for (failed, file) in found.failed.iter().zip(files) {
        text.push_str(&format!("{}: {}\n", failed.name, failed.difference));
        match file {
            Some(path) => text.push_str(&format!("  written: {}\n", path.display())),
            None => failed.text.lines().for_each(|line| text.push_str(&format!("  {line}\n"))),
        }
    }
    for (name, share, _) in coverage.into_iter().flat_map(Coverage::shares) {
        text.push_str(&format!("{share:>6.1} %  {name}\n"));
    }
    let noun = if args.sheets.is_empty() { "game" } else { "sheet" };
    text + &found.text(noun)
}

/// A path as the name of a file.
fn file_name(name: &str) -> String {
    let parts = name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
    format!("{}.kif", parts.collect::<Vec<_>>().join("-"))
}

fn ending(found: &Findings, stopped: Option<Stopped>) -> Result<Outcome> {
    let known = format!("{} compared so far", count(found.compared, "sheet"));
    let failure = match (stopped, found.failed.first(), found.stuck.first()) {
        (Some(Stopped::Interrupt), ..) => limits::failure(Exhausted::Interrupt),
        (Some(Stopped::Timeout), ..) => {
            Failure::limit("timeout", format!("out of time (limit `timeout`): {known}")).at("play")
        }
        (None, Some(first), _) => {
            let disagree = count(found.failed.len(), "sheet");
            let message = format!("engines disagree on {disagree}; the first one is {}", first.name);
            Failure::new(Outcome::Wrong, message).at("play")
        }
        (None, None, Some(first)) => Failure::limit("timeout", first).at("play"),
        (None, None, None) => return Ok(Outcome::Fine),
    };
    Err(failure.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_bench::differential::Difference;

    #[test]
    fn paths_become_names() {
        assert_eq!(file_name("seed-12"), "seed-12.kif");
        assert_eq!(file_name("../games/./nim-mutant-3"), "games-nim-mutant-3.kif");
    }

    #[test]
    fn disagreement_and_stuck_engines_are_failures() {
        let outcome = |found: &Findings, stopped| match ending(found, stopped) {
            Ok(outcome) => outcome,
            Err(error) => error.downcast_ref::<Failure>().expect("a failure").outcome,
        };
        let mut found = Findings::default();
        let add = |found: &mut Findings, name: &str, outcome| {
            found.add(name.to_owned(), "(role x)".to_owned(), outcome);
        };
        add(&mut found, "seed-1", SheetOutcome::Checked(Verdict::Agree(Default::default())));
        add(&mut found, "seed-2", SheetOutcome::Checked(Verdict::Rejected("no roles".to_owned())));
        assert_eq!(outcome(&found, None), Outcome::Fine);
        add(&mut found, "seed-3", SheetOutcome::Stuck("lifted".to_owned()));
        assert_eq!(outcome(&found, None), Outcome::Limit);
        let difference = Difference { engine: "batch".to_owned(), what: "goals 1, expected 2".to_owned() };
        add(&mut found, "seed-4", SheetOutcome::Checked(Verdict::Differs(difference)));
        assert_eq!(outcome(&found, None), Outcome::Wrong);
        assert_eq!(outcome(&found, Some(Stopped::Timeout)), Outcome::Limit);
    }
}
