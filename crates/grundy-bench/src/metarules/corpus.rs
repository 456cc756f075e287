//! Invariants over a folder of games: what is proved, how long it takes, and whether recorded games agree.

use super::Section;
use crate::numbers::{count, float, grouped, short};
use crate::report::{Row, Table};
use crate::{BenchError, Host};
use grundy::ground::{GroundConfig, ground};
use grundy::invariants::{InvariantConfig, InvariantKind, Invariants, prove_invariants};
use grundy::network::{FluentId, connect};
use grundy::play::trace::{fold, read_trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The result for one game.
#[derive(Default)]
struct Line {
    name: String,
    /// How many invariants there are of each kind.
    groups: [usize; 5],
    texts: Vec<String>,
    seconds: f64,
    complete: bool,
    /// How many states were recorded, and how many of them violate an invariant.
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

/// Proves invariants for games (`games/SET/NAME.kif` below a corpus, recorded games in `traces/SET/NAME.jsonl`), or only for
/// those whose names are in `only`. Each game may take the time `limit`.
pub fn invariants(
    corpus: &Path,
    sheets: &[String],
    only: &[String],
    limit: Duration,
    host: &dyn Host,
) -> Result<Section, BenchError> {
    let mut lines = Vec::new();
    for sheet in sheets {
        let name = Path::new(sheet).strip_prefix(corpus.join("games")).unwrap_or(Path::new(sheet));
        let name = name.with_extension("");
        if !only.is_empty() && !only.iter().any(|wanted| Path::new(wanted) == name) {
            continue;
        }
        host.budget().check()?;
        let trace = corpus.join("traces").join(&name).with_added_extension("jsonl");
        let line = line_of(&name, Path::new(sheet), &trace, limit, host)?;
        host.note(&show(&line));
        lines.push(line);
    }
    Ok(report(&lines))
}

/// Proves the invariants of a game and looks at its recorded states. Only what is wrong with a recorded game is an error.
fn line_of(
    name: &Path,
    sheet: &Path,
    trace: &Path,
    limit: Duration,
    host: &dyn Host,
) -> Result<Line, BenchError> {
    let start = Instant::now();
    let mut line = Line { name: name.display().to_string(), ..Line::default() };
    let proved = invariants_of(sheet, limit, host);
    line.seconds = start.elapsed().as_secs_f64();
    match proved {
        Ok(invariants) => {
            line.complete = invariants.complete;
            invariants.proved.iter().for_each(|one| line.groups[place(one.kind)] += 1);
            line.texts = invariants.lifted().into_iter().map(|one| one.text).collect();
            if trace.exists() {
                (line.states, line.violations) = replay(&invariants, trace, host)?;
            }
        }
        Err(error) => line.error = Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
    Ok(line)
}

fn invariants_of(sheet: &Path, limit: Duration, host: &dyn Host) -> Result<Invariants, BenchError> {
    let start = Instant::now();
    let game = host.game(sheet)?;
    let config = GroundConfig { budget: host.budget().part(limit), ..GroundConfig::default() };
    let ground = ground(&game, &config)?;
    let budget = host.budget().part(limit.saturating_sub(start.elapsed()));
    let network = connect(&ground, &budget)?;
    Ok(prove_invariants(&network, &InvariantConfig { budget, ..InvariantConfig::default() }))
}

/// How many states of a trace there are, and how many of them violate an invariant.
fn replay(invariants: &Invariants, trace: &Path, host: &dyn Host) -> Result<(usize, usize), BenchError> {
    let steps = read_trace(&host.source(trace)?)?;
    let fluents: FxHashMap<String, FluentId> =
        invariants.fluents().map(|(fluent, text)| (fold(text), fluent)).collect();
    let mut violations = 0;
    for step in &steps {
        let facts = step.state().iter().filter_map(|fact| fluents.get(&fold(fact)).copied());
        let holding: FxHashSet<FluentId> = facts.collect();
        violations += usize::from(invariants.violated_in(|fluent| holding.contains(&fluent)).is_some());
    }
    Ok((steps.len(), violations))
}

fn show(line: &Line) -> String {
    let what = match &line.error {
        Some(error) => format!("– {error}"),
        None => {
            let counts = line.groups.iter().zip(KINDS).filter(|(count, _)| **count > 0);
            let counts: Vec<String> =
                counts.map(|(count, kind)| format!("{} {kind}", grouped(*count))).collect();
            let more = if line.complete { "" } else { ", not all decided" };
            format!("{}{more}", if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") })
        }
    };
    let bad = if line.violations > 0 {
        format!("  VIOLATED in {}", count(grouped(line.violations), "state"))
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
    let share = 100.0 * float(proved) / float(lines.len().max(1));
    let mut text = format!("Invariants of states over {}\n", count(grouped(lines.len()), "game"));
    let games = count(grouped(proved), "game");
    _ = writeln!(text, "  proved for {games} ({share:.1} %), exactly one of a group for {exact}");
    _ = writeln!(text, "  slowest game {slowest:.1} s, grounding included");
    let (violations, states) =
        (count(grouped(violations), "violation"), count(grouped(states), "recorded state"));
    _ = writeln!(text, "  {violations} in {states}\n");
    Section { text, figures: Vec::new(), tables: vec![("invariants.tsv", table(lines))] }
}

fn table(lines: &[Line]) -> Table {
    let columns = [
        ("game", "path of the sheet below the folder"),
        ("seconds", "time for grounding and proofs"),
        ("at-most-one", "groups of facts of which at most one holds"),
        ("exactly-one", "groups of facts of which exactly one holds"),
        ("exactly-k", "groups of facts of which a fixed number holds"),
        ("never", "facts that never hold"),
        ("always", "facts that always hold"),
        ("complete", "whether all guesses were decided within the limits"),
        ("states", "recorded states that were checked"),
        ("violations", "recorded states that violate an invariant"),
        ("error", "why nothing was proved"),
        ("texts", "the invariants"),
    ];
    let row = |line: &Line| {
        let mut cells = vec![line.name.clone(), short(line.seconds)];
        cells.extend(line.groups.map(grouped));
        cells.extend([line.complete.to_string(), grouped(line.states), grouped(line.violations)]);
        cells.extend([line.error.clone().unwrap_or_default(), line.texts.join(" | ")]);
        Row::ours(cells)
    };
    Table::new("Invariants by game", &columns).with(lines.iter().map(row))
}
