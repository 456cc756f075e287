//! `grundy bench features`: the experiments of Kaneko, Yamaguchi & Kawai, beside their numbers.

use super::{failure, write_files};
use crate::commands::features::load::{load_features, load_theory};
use crate::files::ReadArgs;
use crate::limits::{self, LimitArgs};
use crate::output::{Outcome, note, print, print_json};
use anyhow::Result;
use clap::ValueEnum;
use grundy_bench::features::Bench;
use std::path::PathBuf;

/// Value features of Othello as in the paper, and print the numbers beside the published ones
///
/// Table 3: states a second, by incremental calculation, from scratch, and by bottom-up evaluation of the clauses for
/// each state. Figure 1: the time by the number of features. Table 4 and figure 2: the sizes of the tables and the time to
/// make them, for boards of several sizes. `--against swipl` adds a tabled Prolog.
///
/// `--report DIR` writes a page, the figures as SVG, tables for programs, and `run.tsv` with the machine, the date and the
/// version.
#[derive(clap::Args)]
#[command(after_help = "Try:  grundy bench features --matches 20\n      \
                        grundy bench features --against swipl --report report")]
pub(crate) struct Args {
    /// The theory of Othello, with a fact `size(N)`
    #[arg(long, value_name = "F", default_value = "theories/othello.pl")]
    theory: String,

    /// The features
    #[arg(long, value_name = "F", default_value = "theories/othello_features.pl")]
    features: String,

    /// How many matches to value
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..))]
    matches: u16,

    /// How many of them the naive evaluator gets
    #[arg(long, value_name = "N", default_value_t = 300)]
    naive_matches: u16,

    /// How many states a rival gets
    #[arg(long, value_name = "N", default_value_t = 60)]
    rival_states: usize,

    /// The side of the board of the matches
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(4..=16))]
    side: u8,

    /// The sides of the boards of table 4
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "4,8,16")]
    sizes: Vec<u32>,

    /// Other programs to compare with
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PROGRAM")]
    against: Vec<RivalArg>,

    /// The seed of the matches
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Write a page, figures and tables for programs
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RivalArg {
    /// SWI-Prolog, everything tabled
    Swipl,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let side = format!("size({})", args.side);
    let theory = load_theory(&args.theory, &[side], &args.read)?.program;
    let (_, features) = load_features(&args.features, &theory, &args.read)?;
    let bench = Bench {
        theory: &theory,
        features: &features,
        side: args.side,
        matches: args.matches,
        naive_matches: args.naive_matches,
        sizes: &args.sizes,
        prolog_states: args.against.contains(&RivalArg::Swipl).then_some(args.rival_states),
        seed: args.seed,
        budget: &limits::budget(),
    };
    let results = bench.run(&note).map_err(failure)?;
    if args.json {
        print_json(results.json());
    } else {
        print(&results.text())?;
    }
    if let Some(folder) = &args.report {
        write_files(folder, &results.files())?;
    }
    Ok(Outcome::Fine)
}
