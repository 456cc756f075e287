//! `grundy bench metarules`: the experiments of Cazenave's paper, beside its numbers.

use super::{failure, kif_below, write_files};
use crate::files::{ReadArgs, load_sound, sheets_below};
use crate::limits::budget;
use crate::output::{Outcome, print, print_json};
use anyhow::Result;
use grundy_bench::BenchError;
use grundy_bench::metarules::{self, Sample, Section};
use grundy_bench::report::Origin;
use grundy_syntax::Program;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Find metarules, unfold and order rules as in the paper, and print the numbers beside the published ones
///
/// On a grid: no point is at distance three of itself, and what that saves when a path of length four is
/// matched. On the board of Abalone: no two points are neighbours of each other in one direction. In
/// Go: six rules about taking stones unfolded over a move, without metarules (counted) and with them, and
/// the tries and the time of matching when conditions are put in order. In games: winning and forced moves
/// read off the network of a state, against trying all moves, and the steps of joins that branching figures save.
/// With `--corpus`: invariants of states. With `--networks`: their effect on the size and the speed of networks.
///
/// `--report DIR` writes a page, figures 5, 6 and 7 as SVG, tables for programs, and `run.tsv` with the machine, the date
/// and the version.
#[derive(clap::Args)]
#[command(after_help = "Try:  grundy bench metarules\n      grundy bench metarules --report report")]
pub(crate) struct Args {
    /// The folder with the theories of the grid, of Abalone and of Go
    #[arg(long, value_name = "DIR", default_value = "theories")]
    theories: PathBuf,

    /// The folder with the games whose winning and forced moves and whose joins are measured; skipped if there is no such
    /// folder
    #[arg(long, value_name = "DIR", default_value = "games")]
    games: PathBuf,

    /// How many positions of Go to count branching figures on, and as many again to measure on
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    positions: u16,

    /// The side of the board of Go
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u8).range(3..=19))]
    size: u8,

    /// The seed of the positions
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// A folder of games (games/SET/NAME.kif, recorded games in traces/SET/NAME.jsonl): prove invariants of their
    /// states, and skip everything else
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// With `--corpus`: only these games (SET/NAME)
    #[arg(long, value_name = "GAME,…", value_delimiter = ',', requires = "corpus")]
    only: Vec<String>,

    /// Compare networks with and without invariants of states, in size and in random playouts, for all games below
    /// `--games`, and skip everything else
    #[arg(long, conflicts_with = "corpus")]
    networks: bool,

    /// Limit, with `--corpus` and `--networks`: how many seconds each game may take
    #[arg(long, value_name = "S", value_parser = crate::limits::seconds, default_value = "60", help_heading = "Limits")]
    timeout: Duration,

    /// Write figures and tables for programs
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let origin = Origin::now(settings(args));
    if !args.json {
        print(&(origin.text() + "\n"))?;
    }
    let mut sections = Vec::new();
    for experiment in experiments(args) {
        let section = experiment()?;
        if !args.json {
            print(&section.text)?;
        }
        if let Some(folder) = &args.report {
            write_files(folder, &section.files())?;
        }
        sections.push(section);
    }
    if args.json {
        let sections: Vec<Value> = sections.iter().map(Section::json).collect();
        print_json(json!({"origin": origin.json(), "sections": sections}));
    }
    if let Some(folder) = &args.report {
        write_files(folder, &metarules::page(&origin, &sections))?;
    }
    Ok(Outcome::Fine)
}

fn settings(args: &Args) -> Vec<(&'static str, String)> {
    let mut settings = vec![("seed", args.seed.to_string())];
    if args.corpus.is_some() || args.networks {
        settings.push(("limit for each game", format!("{} s", args.timeout.as_secs_f64())));
    } else {
        settings.push(("positions of Go", format!("{0} of side {1}", args.positions, args.size)));
    }
    settings
}

/// Something to measure.
type Experiment<'a> = Box<dyn FnOnce() -> Result<Section> + 'a>;

/// What the arguments ask for, in order.
fn experiments(args: &Args) -> Vec<Experiment<'_>> {
    let (read, seed, timeout) = (&args.read, args.seed, args.timeout);
    if let Some(corpus) = &args.corpus {
        return vec![Box::new(move || {
            let mut sheets = sheets_below(&corpus.join("games"))?;
            sheets.sort();
            metarules::invariants(corpus, &sheets, &args.only, timeout, read).map_err(failure)
        })];
    }
    let games = &args.games;
    if args.networks {
        return vec![Box::new(move || {
            metarules::networks(games, &kif_below(games)?, timeout, seed, read).map_err(failure)
        })];
    }
    let sample = Sample { positions: args.positions.into(), size: args.size.into(), seed };
    let load = |name: &str| -> Result<Program> {
        Ok(load_sound(&args.theories.join(name).to_string_lossy(), read)?.program)
    };
    let meta = |error| failure(BenchError::Meta(error));
    let mut experiments: Vec<Experiment> = vec![
        Box::new(move || {
            metarules::impossible(&load("grid.pl")?, &load("abalone.pl")?, &budget()).map_err(meta)
        }),
        Box::new(move || metarules::path(&load("grid.pl")?, &budget()).map_err(meta)),
        Box::new(move || metarules::unfolding(&load("go.pl")?, &budget()).map_err(meta)),
        Box::new(move || metarules::ordering(&load("go.pl")?, &sample, &budget()).map_err(meta)),
    ];
    if games.is_dir() {
        experiments.push(Box::new(move || metarules::hints(games, seed, read).map_err(failure)));
        experiments.push(Box::new(move || metarules::joins(&kif_below(games)?, seed, read).map_err(failure)));
    }
    experiments
}
