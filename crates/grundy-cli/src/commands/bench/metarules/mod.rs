//! `grundy bench metarules`: the experiments of Cazenave's paper, beside its numbers.
//!
//! The function [`run`] is the outline. `grid.rs` has the examples on boards, `go.rs` the unfolding and the
//! ordering of rules of Go, `positions.rs` the positions they are measured on; `hints.rs` and `joins.rs` put metarules to
//! use in games, `corpus.rs` proves invariants over a folder, `networks.rs` tells what they do for networks.

mod corpus;
mod go;
mod grid;
mod hints;
mod joins;
mod networks;
mod positions;

use crate::files::{ReadArgs, load_sound, make_folder, write_whole};
use crate::limits::budget;
use crate::output::{Outcome, print};
use crate::plot::Plot;
use crate::sample::failure;
use anyhow::Result;
use grundy::metarules::{DomainLimits, SearchConfig};
use grundy::unfold::UnfoldConfig;
use grundy_syntax::Program;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Find metarules, unfold and order rules as in the paper, and print the numbers beside the published ones
///
/// On a grid: no point is at distance three of itself, and what that saves when a path of length four is
/// matched. On the board of Abalone: no two points are neighbours of each other in one direction. In
/// Go: six rules about taking stones unfolded over a move, without metarules (counted) and with them, and
/// the tries and the time that matching takes when conditions are put in order. In games: winning and forced moves
/// read off the network of a state, against trying all moves, and the steps of joins that branching figures save.
/// With `--corpus`: invariants of states. With `--networks`: what these do for the size and the speed of networks.
///
/// `--report DIR` writes figures 5, 6 and 7 as SVG, and a table for programs of each.
#[derive(clap::Args)]
#[command(after_help = "Try:  grundy bench metarules\n      grundy bench metarules --report report")]
pub(crate) struct Args {
    /// The folder with the theories of the grid, of Abalone and of Go
    #[arg(long, value_name = "DIR", default_value = "theories")]
    theories: PathBuf,

    /// The folder with the games whose winning and forced moves and whose joins are looked at; without one, that is
    /// left out
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
    /// states, and leave the rest out
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// With `--corpus`: only these games (SET/NAME)
    #[arg(long, value_name = "GAME,…", value_delimiter = ',', requires = "corpus")]
    only: Vec<String>,

    /// Compare networks that know the invariants of states with those that do not, in size and in random playouts, for
    /// all games below `--games`, and leave the rest out
    #[arg(long, conflicts_with = "corpus")]
    networks: bool,

    /// Limit, with `--corpus` and `--networks`: how many seconds each game may take
    #[arg(long, value_name = "S", value_parser = crate::limits::seconds, default_value = "60", help_heading = "Limits")]
    timeout: Duration,

    /// Write figures and tables for programs
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    #[command(flatten)]
    read: ReadArgs,
}

/// How far to look for metarules, within the budget of the call.
fn search() -> SearchConfig {
    SearchConfig { budget: budget(), ..SearchConfig::default() }
}

fn domain_limits() -> DomainLimits {
    DomainLimits { budget: budget(), ..DomainLimits::default() }
}

fn unfold_config() -> UnfoldConfig {
    UnfoldConfig { budget: budget(), ..UnfoldConfig::default() }
}

/// What an experiment has to say.
#[derive(Default)]
pub(super) struct Section {
    /// For people.
    pub(super) text: String,
    /// Figures, each with the name of its file.
    pub(super) figures: Vec<(&'static str, Plot)>,
    /// Tables for programs, each with the name of its file.
    pub(super) tables: Vec<(&'static str, String)>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let load = |name: &str| -> Result<Program> {
        let path = args.theories.join(name);
        Ok(load_sound(&path.to_string_lossy(), &args.read)?.program)
    };
    let show = |section: Section| -> Result<()> {
        print(&section.text)?;
        args.report.as_deref().map_or(Ok(()), |folder| write_report(folder, &section))
    };
    if let Some(corpus) = &args.corpus {
        show(corpus::sweep(corpus, &args.only, args.timeout, &args.read)?)?;
        return Ok(Outcome::Fine);
    }
    if args.networks {
        show(networks::networks(&args.games, args.timeout, args.seed, &args.read)?)?;
        return Ok(Outcome::Fine);
    }
    show(grid::impossible(&load("grid.pl")?, &load("abalone.pl")?).map_err(failure)?)?;
    show(grid::path(&load("grid.pl")?).map_err(failure)?)?;
    show(go::unfolding(&load("go.pl")?).map_err(failure)?)?;
    show(go::ordering(&load("go.pl")?, &go::Sample::of(args)).map_err(failure)?)?;
    if args.games.is_dir() {
        show(hints::hints(&args.games, args.seed, &args.read)?)?;
        show(joins::joins(&args.games, args.seed, &args.read)?)?;
    }
    Ok(Outcome::Fine)
}

fn write_report(folder: &Path, section: &Section) -> Result<()> {
    make_folder(folder)?;
    for (name, plot) in &section.figures {
        write_whole(&folder.join(name), &plot.to_svg())?;
    }
    for (name, table) in &section.tables {
        write_whole(&folder.join(name), table)?;
    }
    Ok(())
}

/// Numbers in a line.
pub(super) fn numbers(counts: &[u64]) -> String {
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}
