//! `grundy check`: everything that is wrong or doubtful.

use crate::files::{Loaded, ReadArgs, load};
use crate::limits::LimitArgs;
use crate::output::{Details, Failure, Outcome, note, print, print_json};
use crate::render;
use anyhow::Result;
use grundy_syntax::{Code, Diagnostic, Severity};
use serde_json::{Value, json};
use std::path::Path;

/// Report everything that is wrong or doubtful in rule sheets and theories
///
/// All findings of all files come in one run, each with a stable code, its place, and, where it helps,
/// advice. `grundy check --explain CODE` tells what a code means. Errors make the exit code 1, warnings
/// do not.
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
                outcome = outcome.max(outcome_of(&loaded.diagnostics));
                tally.add(&loaded);
                report(&path, &loaded, args)
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
            let message = format!("{} in {files}", render::count(tally.errors, "error"));
            let details = Details { limit: tally.limit, ..Details::default() };
            return Err(Failure::new(outcome, message).with(details).at("read").into());
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
        self.errors += errors.len();
        self.warnings += loaded.diagnostics.len() - errors.len();
        self.limit = self.limit.take().or_else(|| render::details(&loaded.source, &errors).limit);
    }
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

fn report(path: &str, loaded: &Loaded, args: &Args) -> Value {
    let (errors, warnings): (Vec<_>, Vec<_>) = loaded.diagnostics.iter().partition(|d| d.is_error());
    if !args.json {
        show(loaded, args);
    }
    json!({
        "file": path,
        "errors": errors.into_iter().map(|d| render::to_json(&loaded.source, d)).collect::<Vec<_>>(),
        "warnings": warnings.into_iter().map(|d| render::to_json(&loaded.source, d)).collect::<Vec<_>>(),
    })
}

fn show(loaded: &Loaded, args: &Args) {
    let diagnostics = loaded.diagnostics.iter().filter(|d| !args.quiet || d.is_error()).collect();
    let most = if args.max_messages == 0 { usize::MAX } else { args.max_messages };
    let (shown, hidden) = render::most_telling(diagnostics, most);
    shown
        .iter()
        .for_each(|diagnostic| note(&format!("{}\n", render::diagnostic(&loaded.source, diagnostic))));
    if hidden > 0 {
        let more = render::count(hidden, "more message");
        note(&format!("{}: {more} (`--max-messages 0` shows all)\n", loaded.source.name()));
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
