//! `grundy check`: everything that is wrong or doubtful.

use crate::files::{Loaded, ReadArgs, load};
use crate::limits::{LimitArgs, budget};
use crate::output::{Details, Failure, Outcome, note, print, print_json};
use crate::render;
use anyhow::Result;
use grundy::play::{PlayFinding, Scope, Survey, SurveyConfig, survey};
use grundy::reasoner::ReasonError;
use grundy_syntax::{Code, Diagnostic, Dialect, Severity, Stage};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Report everything that is wrong or doubtful in rule sheets and theories
///
/// All findings of all files come in one run, each with a stable code, its place, and, where it helps,
/// advice. `grundy check --explain CODE` tells what a code means. Errors make the exit code 1, warnings
/// do not.
///
/// With `--play N`, games are played: all reachable states are visited if there are not too many, otherwise N random
/// games are played. What is found says which of the two it is based on, and has the line of moves that leads to the
/// state in question, for `grundy simulate --moves`. The same seed finds the same.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rule sheets, theories, folders of them, or `-`
    #[arg(required_unless_present_any = ["explain", "codes"])]
    files: Vec<String>,

    /// Explain a code, such as E401
    #[arg(long, value_name = "CODE", conflicts_with = "files")]
    explain: Option<String>,

    /// List all codes
    #[arg(long, conflicts_with = "files")]
    codes: bool,

    /// Play, too: visit all states of small games, and play N random games of others, and report what goes wrong
    #[arg(long, value_name = "N")]
    play: Option<u64>,

    /// The seed of the random games
    #[arg(long, value_name = "K", default_value_t = 0, requires = "play")]
    seed: u64,

    /// Say nothing about warnings
    #[arg(long, short)]
    quiet: bool,

    /// Show at most N messages of each file, errors before warnings; 0 shows all of them
    #[arg(long, value_name = "N", default_value_t = render::MOST_MESSAGES)]
    max_messages: usize,

    /// Print one JSON object, with all messages
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(code) = &args.explain {
        return explain(code, args.json);
    }
    if args.codes {
        return list_codes(args.json);
    }
    let mut outcome = Outcome::Fine;
    let mut tally = Tally::default();
    let mut reports = Vec::new();
    let paths = all_files(&args.files)?;
    if paths.is_empty() {
        if args.json {
            print_json(json!({"files": []}));
        }
        let message =
            format!("nothing to check: no `.kif` or `.pl` files below `{}`", args.files.join("`, `"));
        return Err(Failure::new(Outcome::Wrong, message).at("read").into());
    }
    for path in paths {
        let report = match load(&path, &args.read) {
            Ok(loaded) => {
                let played = args.play.and_then(|games| play(&loaded, games, args.seed));
                outcome = outcome.max(outcome_of(&loaded.diagnostics));
                tally.add(&loaded);
                if played.is_some() {
                    let (of_play, limit) = end_of_play(played.as_ref());
                    outcome = outcome.max(of_play);
                    tally.limit = tally.limit.or(limit);
                }
                if let Some(Ok(played)) = &played {
                    let found: Vec<Diagnostic> = played.findings.iter().map(diagnostic).collect();
                    outcome = outcome.max(outcome_of(&found));
                    tally.count(&found);
                }
                report(&path, &loaded, played.as_ref(), args)
            }
            Err(error) => {
                tally.errors += 1;
                let failed =
                    error.downcast_ref::<Failure>().map_or(Outcome::Wrong, |failure| failure.outcome);
                outcome = outcome.max(failed);
                let limit = error.downcast_ref::<Failure>().and_then(|failure| failure.details.limit.clone());
                tally.limit = tally.limit.or(limit);
                if !args.json {
                    note(&format!("error: {error:#}\n"));
                }
                unreadable(&path, &error)
            }
        };
        reports.push(report);
    }
    if args.json {
        let files = render::count(reports.len(), "file");
        print_json(json!({"files": reports}));
        if outcome != Outcome::Fine {
            let mut message = format!("{} in {files}", render::count(tally.errors, "error"));
            if let Some(limit) = &tally.limit {
                message += &format!("; ended by limit `{limit}`");
            }
            let failure = match budget().check() {
                Ok(()) => Failure::new(outcome, message)
                    .with(Details { limit: tally.limit, ..Details::default() })
                    .at("read"),
                Err(reason) => Failure { message, ..crate::limits::failure(reason) },
            };
            return Err(failure.into());
        }
    } else {
        note(&format!(
            "{}: {}, {}",
            render::count(reports.len(), "file"),
            render::count(tally.errors, "error"),
            render::count(tally.warnings, "warning")
        ));
    }
    Ok(outcome)
}

#[derive(Default)]
struct Tally {
    errors: usize,
    warnings: usize,
    /// The first limit that was hit.
    limit: Option<String>,
}

impl Tally {
    fn add(&mut self, loaded: &Loaded) {
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
        self.count(&loaded.diagnostics);
        self.limit = self.limit.take().or_else(|| render::details(&loaded.source, &errors).limit);
    }

    fn count(&mut self, diagnostics: &[Diagnostic]) {
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        self.errors += errors;
        self.warnings += diagnostics.len() - errors;
    }
}

/// The usual work is meant for about this many games (a guess); more may take more in proportion.
const USUAL_GAMES: u64 = 100;

/// Playing one sheet of many, for the usual number of games, ends after this time. Counted work ends it far earlier in nearly all cases.
const LAST_RESORT: Duration = Duration::from_secs(60);

/// Plays a game; nothing for theories and for sheets with errors that no engine could play on with.
fn play(loaded: &Loaded, games: u64, seed: u64) -> Option<Result<Survey, ReasonError>> {
    if loaded.program.dialect != Dialect::Game || loaded.diagnostics.iter().any(|d| d.code.stops()) {
        return None;
    }
    budget().enter(Stage::Play);
    let usual = SurveyConfig::default();
    // More games than usual may take more work in proportion.
    let max_work = usual.max_work.max(games.saturating_mul(usual.max_work / USUAL_GAMES));
    let last_resort = LAST_RESORT.saturating_mul(u32::try_from(games / USUAL_GAMES + 1).unwrap_or(u32::MAX));
    let config = SurveyConfig { games, seed, max_work, budget: budget().part(last_resort), ..usual };
    Some(survey(&loaded.program, &config))
}

/// How a command ends that has played, as far as playing decides that, and the limit that has ended it.
fn end_of_play(played: Played) -> (Outcome, Option<String>) {
    match (budget().check(), played) {
        (Err(reason), _) => (Outcome::Limit, Some(reason.name().to_owned())),
        (_, Some(Err(ReasonError::Limit { limit, .. }))) => (Outcome::Limit, Some((*limit).to_owned())),
        (_, Some(Err(_))) => (Outcome::Wrong, None),
        _ => (Outcome::Fine, None),
    }
}

/// A finding of play as one about the text.
fn diagnostic(finding: &PlayFinding) -> Diagnostic {
    Diagnostic::new(finding.code, finding.place, &*finding.message)
}

fn outcome_of(diagnostics: &[Diagnostic]) -> Outcome {
    let of = |diagnostic: &Diagnostic| match diagnostic.severity() {
        Severity::Error => Outcome::Wrong,
        Severity::Limit => Outcome::Limit,
        Severity::Warning => Outcome::Fine,
    };
    diagnostics.iter().map(of).max().unwrap_or(Outcome::Fine)
}

/// Folders stand for the sheets and theories in them, in alphabetical order.
fn all_files(paths: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for path in paths {
        if Path::new(path).is_dir() {
            let mut inside = crate::files::sheets_below(Path::new(path))?;
            inside.sort();
            files.append(&mut inside);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// What came of playing a sheet, if it was played.
type Played<'a> = Option<&'a Result<Survey, ReasonError>>;

fn report(path: &str, loaded: &Loaded, played: Played, args: &Args) -> Value {
    if !args.json {
        show(loaded, played, args);
    }
    let findings = played.and_then(|played| played.as_ref().ok()).map_or(&[][..], |played| &played.findings);
    let all = |is_error: bool| -> Vec<Value> {
        let read = loaded.diagnostics.iter().filter(|d| d.is_error() == is_error);
        let read = read.map(|d| render::to_json(&loaded.source, d));
        let found = findings.iter().map(|finding| (diagnostic(finding), &finding.line));
        let found = found.filter(|(found, _)| found.is_error() == is_error).map(|(found, line)| {
            let mut object = render::to_json(&loaded.source, &found);
            object["moves"] = json!(line.as_ref().map(ToString::to_string));
            object
        });
        read.chain(found).collect()
    };
    let mut report = json!({"file": path, "errors": all(true), "warnings": all(false)});
    if let Some(played) = played {
        report["play"] = match played {
            Ok(played) => json!({
                "all_states": matches!(played.scope, Scope::AllStates(_)),
                "games": match played.scope { Scope::Games(games) => games, Scope::AllStates(_) => 0 },
                "states": played.states,
                "cut_short": played.cut_short,
            }),
            Err(error) => json!({"error": error.to_string()}),
        };
    }
    report
}

fn show(loaded: &Loaded, played: Played, args: &Args) {
    let name = loaded.source.name();
    let findings = played.and_then(|played| played.as_ref().ok()).map_or(&[][..], |played| &played.findings);
    let found: Vec<(Diagnostic, Option<String>)> = findings
        .iter()
        .map(|finding| (diagnostic(finding), finding.line.as_ref().map(ToString::to_string)))
        .collect();
    let all = loaded.diagnostics.iter().chain(found.iter().map(|(diagnostic, _)| diagnostic));
    let diagnostics = all.filter(|d| !args.quiet || d.is_error()).collect();
    let most = if args.max_messages == 0 { usize::MAX } else { args.max_messages };
    let (shown, hidden) = render::most_telling(diagnostics, most);
    for diagnostic in shown {
        let line = found.iter().find(|(found, _)| std::ptr::eq(found, diagnostic));
        let line = line.and_then(|(_, line)| line.as_deref()).map_or(String::new(), replay);
        note(&format!("{}{line}\n", render::diagnostic(&loaded.source, diagnostic)));
    }
    if hidden > 0 {
        let more = render::count(hidden, "more message");
        note(&format!("{name}: {more} (`--max-messages 0` shows all)\n"));
    }
    match played {
        None => {}
        Some(Err(error)) => note(&format!("{name}: cannot be played: {error}")),
        Some(Ok(played)) => {
            let states = render::count(played.states, "state");
            let what = match played.scope {
                Scope::AllStates(_) => format!("visited all {states}"),
                Scope::Games(games) => {
                    format!("played {} with {states}", render::count(games, "random game"))
                }
            };
            let cut =
                played.cut_short.as_ref().map_or(String::new(), |why| format!("; stopped early: {why}"));
            note(&format!("{name}: {what}{cut}"));
        }
    }
}

/// Longer lines of moves are printed with `--json` only.
const LONGEST_LINE: usize = 2_000;

/// How to get to the state of a finding.
fn replay(line: &str) -> String {
    match line.len() {
        0 => "\n   = in the initial state".to_owned(),
        1..=LONGEST_LINE => format!("\n   = first after --moves \"{line}\""),
        _ => "\n   = `--json` prints the moves".to_owned(),
    }
}

fn unreadable(path: &str, error: &anyhow::Error) -> Value {
    let error = json!({"code": "IO", "message": format!("{error:#}"), "line": 0, "column": 0});
    json!({"file": path, "errors": [error], "warnings": []})
}

fn explain(code: &str, as_json: bool) -> Result<Outcome> {
    let code: Code = code.parse().map_err(|error| {
        Failure::new(Outcome::Usage, format!("{error}; `grundy check --codes` lists them all"))
    })?;
    if as_json {
        print_json(json!({"code": code.id(), "title": code.title(), "explanation": code.explanation()}));
    } else {
        print(&format!("{}: {}\n\n{}\n", code.id(), code.title(), code.explanation()))?;
    }
    Ok(Outcome::Fine)
}

fn list_codes(as_json: bool) -> Result<Outcome> {
    if as_json {
        let codes = Code::ALL.iter().map(|code| json!({"code": code.id(), "title": code.title()}));
        print_json(json!({"codes": codes.collect::<Vec<_>>()}));
    } else {
        let lines = Code::ALL.iter().map(|code| format!("{}  {}\n", code.id(), code.title()));
        print(&lines.collect::<String>())?;
    }
    Ok(Outcome::Fine)
}
