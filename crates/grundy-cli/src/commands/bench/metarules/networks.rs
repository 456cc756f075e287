//! What invariants do for networks: their size, and the random playouts that machines make with them.

use super::Section;
use crate::commands::bench::process::thread_time;
use crate::commands::bench::statistics::median;
use crate::files::{ReadArgs, load_game, sheets_below};
use crate::limits;
use crate::output::note;
use anyhow::Result;
use grundy::game::{Game, MachineConfig};
use grundy::ground::GroundConfig;
use grundy::invariants::InvariantConfig;
use grundy::machine::{Machine, MachineKind};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

const KINDS: [(&str, MachineKind); 2] =
    [("incremental", MachineKind::Incremental), ("batch", MachineKind::Batch)];

/// Both machines play in turn, so often, and the best time of each counts: others use the processor, too.
const ROUNDS: usize = 11;

/// A round takes at least this long.
const ROUND: Duration = Duration::from_millis(60);

/// What became of the network of a game.
struct Line {
    name: String,
    kind: &'static str,
    /// Nodes and edges, without and with invariants.
    sizes: [usize; 2],
    /// Playouts a second with invariants, in those without; `None` if the network is the same.
    speed: Option<f64>,
}

/// Compares the networks of all games below a folder.
pub(super) fn networks(folder: &Path, limit: Duration, seed: u64, read: &ReadArgs) -> Result<Section> {
    let mut sheets = sheets_below(folder)?;
    sheets.retain(|sheet| sheet.ends_with(".kif"));
    sheets.sort();
    let mut lines = Vec::new();
    for sheet in &sheets {
        limits::budget().check()?;
        let name = Path::new(sheet).strip_prefix(folder)?.with_extension("").display().to_string();
        for kind in KINDS {
            match compare(sheet, kind, limit, seed, read) {
                Ok(([without, with], speed)) => {
                    let line = Line { name: name.clone(), kind: kind.0, sizes: [without, with], speed };
                    note(&show(&line));
                    lines.push(line);
                }
                Err(error) => {
                    let what = error.to_string();
                    note(&format!("{name:<44}{:<12}– {}", kind.0, what.lines().next().unwrap_or_default()));
                }
            }
        }
    }
    Ok(report(&lines))
}

/// Sizes without and with invariants, and how much faster the machine with them is.
fn compare(
    sheet: &str,
    (_, kind): (&str, MachineKind),
    limit: Duration,
    seed: u64,
    read: &ReadArgs,
) -> Result<([usize; 2], Option<f64>)> {
    let game = Game::from_program(load_game(sheet, read)?.program);
    let config = |invariants: Option<InvariantConfig>| MachineConfig {
        kind,
        whole_states: false,
        ground: GroundConfig { budget: limits::budget().part(limit), ..GroundConfig::default() },
        invariants,
        ..MachineConfig::default()
    };
    let plain = game.machine(&config(None))?;
    let known =
        game.machine(&config(Some(InvariantConfig { timeout: limit, ..InvariantConfig::default() })))?;
    let sizes = [&plain, &known].map(|machine| {
        let network = machine.rules().network();
        network.node_count() + network.edge_count()
    });
    let is_same = plain.rules().network() == known.rules().network();
    Ok((sizes, if is_same { None } else { Some(race([&plain, &known], seed)) }))
}

/// Moves a second of the second machine, in those of the first. Which moves are chosen depends on the network, so that
/// games may be of different lengths.
fn race(machines: [&Machine; 2], seed: u64) -> f64 {
    let play = |machine: &Machine, count: u64| {
        let start = thread_time();
        let totals = machine.playouts(count, seed);
        (thread_time() - start, totals.states.max(1) as f64)
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
    format!("{:<44}{:<12}{:>10} → {:<10}{speed}", line.name, line.kind, line.sizes[0], line.sizes[1])
}

fn report(lines: &[Line]) -> Section {
    let mut text = String::from(
        "Networks that know invariants, against those that do not (times as fast where the network is another one)\n  \
         machine       games   smaller   larger   another   lowest   median   highest\n",
    );
    for (kind, _) in KINDS {
        let own: Vec<&Line> = lines.iter().filter(|line| line.kind == kind).collect();
        let smaller = own.iter().filter(|line| line.sizes[1] < line.sizes[0]).count();
        let larger = own.iter().filter(|line| line.sizes[1] > line.sizes[0]).count();
        let speeds: Vec<f64> = own.iter().filter_map(|line| line.speed).collect();
        let lowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = speeds.iter().copied().fold(0.0, f64::max);
        _ = writeln!(
            text,
            "  {kind:<12}{:>7}{smaller:>10}{larger:>9}{:>10}{lowest:>9.3}{:>9.3}{highest:>10.2}",
            own.len(),
            speeds.len(),
            median(speeds.iter().copied()).unwrap_or(1.0),
        );
    }
    let mut table = String::from("game\tmachine\tsize\tsize_with_invariants\ttimes_as_fast\n");
    for line in lines {
        let speed = line.speed.map_or(String::new(), |speed| format!("{speed:.4}"));
        _ = writeln!(table, "{}\t{}\t{}\t{}\t{speed}", line.name, line.kind, line.sizes[0], line.sizes[1]);
    }
    text.push('\n');
    Section { text, figures: Vec::new(), tables: vec![("networks.tsv", table)] }
}
