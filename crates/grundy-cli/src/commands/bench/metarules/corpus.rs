//! Invariants over a folder of games: what is proved, how long it takes, and whether recorded games agree.

use super::Section;
use crate::files::{ReadArgs, load_game, read_source, sheets_below};
use crate::limits;
use crate::output::{Failure, note};
use crate::render;
use anyhow::Result;
use grundy::ground::{GroundConfig, ground};
use grundy::invariants::{InvariantConfig, InvariantKind, Invariants, prove_invariants};
use grundy::network::connect;
use grundy::play::trace::{fold, read_trace};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// What became of one game.
struct Line {
    name: String,
    /// How many groups there are of each kind.
    groups: [usize; 5],
    texts: Vec<String>,
    seconds: f64,
    complete: bool,
    /// How many recorded states there are, and how many of them violate an invariant.
    states: usize,
    violations: usize,
    error: Option<String>,
}

const KINDS: [&str; 5] = ["at most 1", "exactly 1", "exactly k", "never", "always"];

fn place(kind: InvariantKind) -> usize {
    match kind {
        InvariantKind::AtMostOne => 0,
        InvariantKind::ExactlyOne => 1,
        InvariantKind::Exactly(_) => 2,
        InvariantKind::Never => 3,
        InvariantKind::Always => 4,
    }
}

/// The games of a corpus (`games/SET/NAME.kif`, recorded games in `traces/SET/NAME.jsonl`), or only some of them.
pub(super) fn sweep(corpus: &Path, only: &[String], limit: Duration, read: &ReadArgs) -> Result<Section> {
    let games = corpus.join("games");
    let mut sheets = sheets_below(&games)?;
    sheets.sort();
    let mut lines = Vec::new();
    for sheet in &sheets {
        let name = Path::new(sheet).strip_prefix(&games)?.with_extension("");
        if !only.is_empty() && !only.iter().any(|wanted| Path::new(wanted) == name) {
            continue;
        }
        limits::budget().check()?;
        let trace = corpus.join("traces").join(&name).with_added_extension("jsonl");
        let start = Instant::now();
        let mut line = Line {
            name: name.display().to_string(),
            groups: [0; 5],
            texts: Vec::new(),
            seconds: 0.0,
            complete: false,
            states: 0,
            violations: 0,
            error: None,
        };
        match invariants_of(sheet, limit, read) {
            Ok(invariants) => {
                line.seconds = start.elapsed().as_secs_f64();
                line.complete = invariants.complete;
                invariants.proved.iter().for_each(|one| line.groups[place(one.kind)] += 1);
                line.texts = invariants.lifted().into_iter().map(|one| one.text).collect();
                if trace.exists() {
                    (line.states, line.violations) = replay(&invariants, &trace, read)?;
                }
            }
            Err(error) => line.error = Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
        }
        line.seconds = if line.seconds > 0.0 { line.seconds } else { start.elapsed().as_secs_f64() };
        note(&show(&line));
        lines.push(line);
    }
    Ok(report(&lines))
}

fn invariants_of(sheet: &str, limit: Duration, read: &ReadArgs) -> Result<Invariants> {
    let start = Instant::now();
    let game = load_game(sheet, read)?;
    let ground = ground(
        &game.program,
        &GroundConfig { budget: limits::budget().part(limit), ..GroundConfig::default() },
    )?;
    let budget = limits::budget().part(limit.saturating_sub(start.elapsed()));
    let network = connect(&ground, &budget)?;
    Ok(prove_invariants(&network, &InvariantConfig { budget, ..InvariantConfig::default() }))
}

/// How many states of a trace there are, and how many of them violate an invariant.
fn replay(invariants: &Invariants, trace: &Path, read: &ReadArgs) -> Result<(usize, usize)> {
    let steps = read_trace(&read_source(&trace.to_string_lossy(), read)?).map_err(Failure::from)?;
    let number: FxHashMap<String, usize> =
        invariants.fluents.iter().enumerate().map(|(number, text)| (fold(text), number)).collect();
    let mut violations = 0;
    for step in &steps {
        let mut holding = vec![false; invariants.fluents.len()];
        let facts = step.state().iter().filter_map(|fact| number.get(&fold(fact)));
        facts.for_each(|&fact| holding[fact] = true);
        violations += usize::from(invariants.violated_in(&holding).is_some());
    }
    Ok((steps.len(), violations))
}

fn show(line: &Line) -> String {
    let what = match &line.error {
        Some(error) => format!("– {error}"),
        None => {
            let counts = line.groups.iter().zip(KINDS).filter(|(count, _)| **count > 0);
            let counts: Vec<String> = counts.map(|(count, kind)| format!("{count} {kind}")).collect();
            let more = if line.complete { "" } else { ", not all decided" };
            format!("{}{more}", if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") })
        }
    };
    let bad = if line.violations > 0 {
        format!("  VIOLATED in {}", render::count(line.violations, "state"))
    } else {
        String::new()
    };
    format!("{:<44}{:>8.2} s  {what}{bad}", line.name, line.seconds)
}

fn report(lines: &[Line]) -> Section {
    let proved = lines.iter().filter(|line| line.groups.iter().any(|&count| count > 0)).count();
    let exact = lines.iter().filter(|line| line.groups[1] > 0).count();
    let violations: usize = lines.iter().map(|line| line.violations).sum();
    let states: usize = lines.iter().map(|line| line.states).sum();
    let slowest = lines.iter().map(|line| line.seconds).fold(0.0, f64::max);
    let share = 100.0 * proved as f64 / lines.len().max(1) as f64;
    let mut text = format!("Invariants of states over {}\n", render::count(lines.len(), "game"));
    let games = render::count(proved, "game");
    _ = writeln!(text, "  proved for {games} ({share:.1} %), exactly one of a group for {exact}");
    _ = writeln!(text, "  slowest game {slowest:.1} s, grounding included");
    let (violations, states) =
        (render::count(violations, "violation"), render::count(states, "recorded state"));
    _ = writeln!(text, "  {violations} in {states}\n");
    let mut table = String::from(
        "game\tseconds\tat-most-one\texactly-one\texactly-k\tnever\talways\tcomplete\tstates\tviolations\terror\ttexts\n",
    );
    for line in lines {
        let groups = line.groups.map(|count| count.to_string()).join("\t");
        _ = writeln!(
            table,
            "{}\t{:.3}\t{groups}\t{}\t{}\t{}\t{}\t{}",
            line.name,
            line.seconds,
            line.complete,
            line.states,
            line.violations,
            line.error.as_deref().unwrap_or(""),
            line.texts.join(" | "),
        );
    }
    Section { text, figures: Vec::new(), tables: vec![("invariants.tsv", table)] }
}
