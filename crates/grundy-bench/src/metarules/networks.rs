//! The effect of invariants on networks: their size, and the speed of random playouts.

use super::Section;
use crate::numbers::{float, grouped};
use crate::process::thread_time;
use crate::report::{Row, Table};
use crate::statistics::median;
use crate::{BenchError, Host};
use grundy::game::{Game, MachineConfig};
use grundy::ground::GroundConfig;
use grundy::invariants::InvariantConfig;
use grundy::machine::{Machine, MachineKind};
use std::path::Path;
use std::time::Duration;

const KINDS: [(&str, MachineKind); 2] =
    [("incremental", MachineKind::Incremental), ("batch", MachineKind::Batch)];

/// How many rounds both machines play in turn; the best one of each counts, because other programs use the processor, too.
const ROUNDS: usize = 11;

/// The shortest time of a round.
const ROUND: Duration = Duration::from_millis(60);

/// The result for a game and a kind of machine.
struct Line {
    name: String,
    kind: &'static str,
    /// Nodes and edges, without and with invariants.
    sizes: [usize; 2],
    /// Speed with invariants as a multiple of that without; `None` if the network is the same.
    speed: Option<f64>,
}

/// Compares the networks of games below a folder. Each game may take the time `limit`.
pub fn networks(
    folder: &Path,
    sheets: &[String],
    limit: Duration,
    seed: u64,
    host: &dyn Host,
) -> Result<Section, BenchError> {
    let mut lines = Vec::new();
    for sheet in sheets {
        host.budget().check()?;
        let sheet = Path::new(sheet);
        let name = sheet.strip_prefix(folder).unwrap_or(sheet).with_extension("").display().to_string();
        for (kind_name, kind) in KINDS {
            match compare(sheet, kind, limit, seed, host) {
                Ok((sizes, speed)) => {
                    let line = Line { name: name.clone(), kind: kind_name, sizes, speed };
                    host.note(&show(&line));
                    lines.push(line);
                }
                Err(error) => {
                    let what = error.to_string();
                    let what = what.lines().next().unwrap_or_default();
                    host.note(&format!("{name:<44}{kind_name:<12}– {what}"));
                }
            }
        }
    }
    Ok(report(&lines))
}

/// Sizes without and with invariants, and how much faster the machine with them is.
fn compare(
    sheet: &Path,
    kind: MachineKind,
    limit: Duration,
    seed: u64,
    host: &dyn Host,
) -> Result<([usize; 2], Option<f64>), BenchError> {
    let game = Game::from_program(host.game(sheet)?);
    let config = |invariants: Option<InvariantConfig>| MachineConfig {
        kind,
        whole_states: false,
        ground: GroundConfig { budget: host.budget().part(limit), ..GroundConfig::default() },
        invariants,
        ..MachineConfig::default()
    };
    let plain = game.machine(&config(None))?;
    let known =
        game.machine(&config(Some(InvariantConfig { timeout: limit, ..InvariantConfig::default() })))?;
    let sizes = [&plain, &known].map(|machine| {
        let network = machine.game().network();
        network.node_count() + network.edge_count()
    });
    let is_same = plain.game().network() == known.game().network();
    Ok((sizes, if is_same { None } else { Some(race([&plain, &known], seed)) }))
}

/// Moves a second of the second machine as a multiple of those of the first. Random moves depend on the network, so that
/// games may have different lengths.
fn race(machines: [&Machine; 2], seed: u64) -> f64 {
    let play = |machine: &Machine, count: u64| {
        let start = thread_time();
        let totals = machine.playouts(count, seed);
        (thread_time() - start, float(totals.states.max(1)))
    };
    let mut count = 1;
    while play(machines[0], count).0 < ROUND {
        count *= 2;
    }
    let mut best = [0.0_f64; 2];
    for _ in 0..ROUNDS {
        for (best, machine) in best.iter_mut().zip(machines) {
            let (time, states) = play(machine, count);
            *best = best.max(states / time.as_secs_f64());
        }
    }
    best[1] / best[0]
}

fn show(line: &Line) -> String {
    let speed =
        line.speed.map_or_else(|| "the same network".to_owned(), |speed| format!("{speed:.3} times as fast"));
    let [without, with] = line.sizes.map(grouped);
    format!("{:<44}{:<12}{without:>10} → {with:<10}{speed}", line.name, line.kind)
}

fn report(lines: &[Line]) -> Section {
    let columns = [
        ("machine", ""),
        ("games", ""),
        ("smaller", ""),
        ("larger", ""),
        ("different", ""),
        ("lowest", ""),
        ("median", ""),
        ("highest", ""),
    ];
    let title = "Networks with invariants, against those without (times as fast where the networks differ)";
    let summary = Table::new(title, &columns).with(KINDS.map(|(kind, _)| sum(kind, lines)));
    Section { text: summary.text() + "\n", figures: Vec::new(), tables: vec![("networks.tsv", table(lines))] }
}

/// The sums for a kind of machine.
fn sum(kind: &str, lines: &[Line]) -> Row {
    let own: Vec<&Line> = lines.iter().filter(|line| line.kind == kind).collect();
    let number = |is: fn(&[usize; 2]) -> bool| grouped(own.iter().filter(|line| is(&line.sizes)).count());
    let speeds: Vec<f64> = own.iter().filter_map(|line| line.speed).collect();
    let extreme = |of: fn(f64, f64) -> f64| speeds.iter().copied().reduce(of);
    let speed = |speed: Option<f64>| speed.map_or_else(|| "–".to_owned(), |speed| format!("{speed:.3}"));
    Row::ours(vec![
        kind.to_owned(),
        grouped(own.len()),
        number(|[without, with]| with < without),
        number(|[without, with]| with > without),
        grouped(speeds.len()),
        speed(extreme(f64::min)),
        speed(median(speeds.iter().copied())),
        speed(extreme(f64::max)),
    ])
}

fn table(lines: &[Line]) -> Table {
    let columns = [
        ("game", "path of the sheet below the folder"),
        ("machine", "the kind of machine"),
        ("size", "nodes and edges of the network without invariants"),
        ("size_with_invariants", "nodes and edges of the network with invariants"),
        (
            "times_as_fast",
            "moves a second with invariants, as a multiple of those without; empty for equal networks",
        ),
    ];
    let row = |line: &Line| {
        let [without, with] = line.sizes.map(grouped);
        let speed = line.speed.map_or(String::new(), |speed| format!("{speed:.4}"));
        Row::ours(vec![line.name.clone(), line.kind.to_owned(), without, with, speed])
    };
    Table::new("Networks by game", &columns).with(lines.iter().map(row))
}
