//! `grundy bench features`: the experiments of Kaneko, Yamaguchi & Kawai, beside their numbers.
//!
//! [`run`] is the outline. `matches.rs` plays Othello, `speed.rs` has table 3 and figure 1, `sizes.rs` table 4 and figure
//! 2, `prolog.rs` the comparison with a tabled Prolog, `report.rs` what it all looks like.

mod matches;
mod prolog;
mod published;
mod report;
mod sizes;
mod speed;

use crate::commands::features::load::{load_features, load_theory};
use crate::files::{ReadArgs, make_folder, write_whole};
use crate::limits::{self, LimitArgs};
use crate::output::{Outcome, note, print};
use anyhow::Result;
use clap::ValueEnum;
use fastrand::Rng;
use grundy::features::{FeatureConfig, Features, Selection};
use report::Results;
use speed::Experiment;
use std::path::PathBuf;

/// Value features of Othello as in the paper, and print the numbers beside the published ones
///
/// Table 3: states a second, by incremental calculation, from scratch, and by bottom-up evaluation of the clauses for
/// each state. Figure 1: the time by the number of features. Table 4 and figure 2: the sizes of the tables and the time to
/// make them, for boards of several sizes. `--against swipl` adds a tabled Prolog.
///
/// `--report DIR` writes a page, the figures as SVG, and tables for programs.
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

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// How to compile, within the budget of the call.
fn config() -> FeatureConfig {
    FeatureConfig { budget: limits::budget(), ..FeatureConfig::default() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RivalArg {
    /// SWI-Prolog, everything tabled
    Swipl,
}

/// The numbers of features in figure 1.
const GROWTH: [usize; 9] = [8, 16, 32, 48, 64, 80, 96, 112, 127];

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let side = format!("size({})", args.side);
    let theory = load_theory(&args.theory, &[side], &args.read)?.program;
    let (_, features) = load_features(&args.features, &theory, &args.read)?;
    let mut rng = Rng::with_seed(args.seed);
    let matches: Vec<_> =
        (0..args.matches).map(|_| matches::play(usize::from(args.side), &mut rng)).collect();
    let experiment = Experiment { theory: &theory, features: &features, matches: &matches };
    let (count, mut speeds) = experiment.table(usize::from(args.naive_matches))?;
    if args.against.contains(&RivalArg::Swipl) {
        let all = Features::new(&theory, &features, &Selection::default(), &[], &config())?;
        let states: Vec<Vec<String>> = matches.iter().flatten().take(args.rival_states).cloned().collect();
        match prolog::run(&theory, &features, &all, &states) {
            Ok(speed) => {
                if experiment.checksum(speed.states)? != speed.checksum {
                    note(&format!("error: {} gives other values", speed.method));
                }
                speeds.push(speed);
            }
            Err(error) => note(&format!("note: {error:#}")),
        }
    }
    let growth = experiment.growth(&GROWTH, args.seed)?;
    let boards =
        args.sizes.iter().map(|&side| sizes::measure(&theory, &features, side)).collect::<Result<_>>()?;
    let results = Results { features: count, matches: matches.len(), speeds, growth, boards };
    print(&results.text())?;
    check(&results);
    if let Some(folder) = &args.report {
        make_folder(folder)?;
        for (name, table) in results.tsv() {
            write_whole(&folder.join(name), &table)?;
        }
        for (name, plot) in results.figures() {
            write_whole(&folder.join(name), &plot.to_svg())?;
        }
        write_whole(&folder.join("index.html"), &results.html())?;
    }
    Ok(Outcome::Fine)
}

/// Tells whether all methods that valued the same states found the same.
fn check(results: &Results) {
    for speed in &results.speeds {
        let same = results.speeds.iter().find(|other| other.states == speed.states);
        if same.is_some_and(|other| other.checksum != speed.checksum) {
            note(&format!("error: {} gives other values", speed.method));
        }
    }
}
