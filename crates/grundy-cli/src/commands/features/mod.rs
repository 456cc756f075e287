//! `grundy features`: features of positions, written as logic.
//!
//! [`run`] is the outline: read and compile ([`load`]), read states ([`states`]), value them ([`value`]), and show what came
//! of it ([`show`]).

mod explain;
mod generate;
pub(crate) mod load;
mod plot;
mod show;
mod sizes;
mod states;
pub(crate) mod value;

use crate::files::ReadArgs;
use crate::limits::LimitArgs;
use crate::output::{Failure, Outcome};
use anyhow::Result;
use clap::ValueEnum;
use grundy::features::TableKind;
use load::{Compiled, compile};
use std::path::PathBuf;
use value::Run;

/// Value features of positions: clauses whose number of solutions is counted
///
/// THEORY is a domain theory (`.pl`) that declares its dynamic facts, or a game (`.kif`). FEATURES is a file of clauses over
/// its predicates. Each predicate that is defined there is a feature; its value in a state is the number of its
/// solutions. In a head, `f(S, max(N))`, `min(N)` or `sum(N)` asks for the largest, the smallest or the sum of an argument
/// instead.
///
/// States come from a file (`--states`: JSON lines `{"facts":["owns(x, a1)", …]}`), from a recorded match (`--trace`) or from
/// random play of a game (`--playouts`). Without states, features are compiled and their sizes told.
///
/// `grundy features generate GAME` makes features from the rules of a game.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Try:  grundy features theories/tic-tac-toe.pl theories/tic-tac-toe_features.pl --states theories/tic-tac-toe_states.jsonl\n      \
                  grundy features theories/othello.pl theories/othello_features.pl --sizes\n      \
                  grundy features games/tic-tac-toe.kif theories/tic-tac-toe_features.kif --playouts 1\n      \
                  grundy features generate games/tic-tac-toe.kif"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// The theory or game
    #[arg(required = true)]
    theory: Option<String>,

    /// The features
    #[arg(required = true)]
    features: Option<String>,

    /// States: a file with a line {"facts":["…","…"]} for each, the complete set of true dynamic facts
    #[arg(long, value_name = "F", help_heading = "States")]
    states: Option<String>,

    /// States of recorded matches of a game: a file with a line {"playout":…,"state":[…],…} for each
    #[arg(long, value_name = "F", help_heading = "States", conflicts_with = "states")]
    trace: Option<String>,

    /// States of random matches of a game: how many matches
    #[arg(long, value_name = "N", help_heading = "States", conflicts_with_all = ["states", "trace"])]
    playouts: Option<u64>,

    /// The seed of random matches
    #[arg(long, value_name = "K", default_value_t = 1, help_heading = "States")]
    seed: u64,

    /// Write the values as CSV: a row for each state, a column for each feature
    #[arg(long, value_name = "F", help_heading = "Output")]
    values: Option<PathBuf>,

    /// How values are printed
    #[arg(long, value_enum, default_value_t = Format::Table, help_heading = "Output")]
    format: Format,

    /// Print one JSON object with sizes and speed, and no values
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// List the solutions of this feature (`name/arity`, or just its name) in a state
    #[arg(long, value_name = "FEATURE", help_heading = "Output")]
    explain: Option<String>,

    /// Which state to explain, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Output", requires = "explain")]
    state: usize,

    /// Tell how large the tables are, for each feature and beside the paper's table 4
    #[arg(long, help_heading = "Output")]
    sizes: bool,

    /// Draw features over the states as SVG
    #[arg(long, value_name = "F", help_heading = "Output")]
    plot: Option<PathBuf>,

    /// Print and draw these features alone: names, or `name/arity`
    #[arg(long, value_name = "FEATURE", value_delimiter = ',', help_heading = "Output")]
    only: Vec<String>,

    /// The layout of the tables; by default flat as long as they are small, then shared
    #[arg(long, value_enum, help_heading = "Compiling")]
    tables: Option<TablesArg>,

    /// How states are valued
    #[arg(long, value_enum, default_value_t = EngineArg::Incremental, help_heading = "Compiling")]
    engine: EngineArg,

    /// In which order the conditions of a clause are unfolded
    #[arg(long, value_enum, default_value_t = OrderArg::Automatic, help_heading = "Compiling")]
    order: OrderArg,

    /// Do not prune by integrity constraints, neither given nor proved ones
    #[arg(long, help_heading = "Compiling")]
    no_constraints: bool,

    /// Value predicates of the theory as well, such as `span/4`
    #[arg(long, value_name = "NAME/ARITY", value_delimiter = ',', help_heading = "Compiling")]
    also: Vec<String>,

    /// Replace the facts of a predicate by this one, such as 'size(4)'; can be given several times
    #[arg(long, value_name = "FACT", help_heading = "Compiling")]
    with: Vec<String>,

    /// Limit: how many ground clauses there may be
    #[arg(long, value_name = "N", default_value_t = 50_000_000, help_heading = "Limits")]
    max_clauses: u64,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    /// The limits on the whole command.
    pub(crate) fn limits(&self) -> LimitArgs {
        match &self.command {
            Some(Command::Generate(args)) => args.limits.clone(),
            None => self.limits.clone(),
        }
    }
}

#[derive(clap::Subcommand)]
enum Command {
    Generate(generate::Args),
}

/// How values are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Columns for people
    Table,
    /// Comma-separated
    Csv,
    /// A JSON object for each state
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TablesArg {
    /// And-table and or-table, as in the paper
    Flat,
    /// A network that shares views
    Shared,
}

impl TablesArg {
    fn kind(self) -> TableKind {
        match self {
            TablesArg::Flat => TableKind::Flat,
            TablesArg::Shared => TableKind::Shared,
        }
    }
}

/// How states are valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The clauses, bottom-up, for each state
    Naive,
    /// The whole tables for each state
    Scratch,
    /// What changes from state to state
    Incremental,
    /// 512 states at once
    Batch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderArg {
    /// Those with the fewest clauses first
    Automatic,
    /// As they are written
    Written,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(Command::Generate(args)) = &args.command {
        return generate::run(args);
    }
    let compiled = compile(args)?;
    if args.sizes {
        return sizes::run(args, &compiled);
    }
    let states = states::read(args, &compiled)?;
    if args.explain.is_some() {
        return explain::run(args, &compiled, &states);
    }
    let run = Run::new(&compiled, &states.states, args.engine)?;
    show::show(args, &compiled, &states, &run)?;
    if let Some(path) = &args.plot {
        plot::write(args, &compiled, &states, &run, path)?;
    }
    if states.unknown > 0 {
        return Err(unvalued(&states).into());
    }
    Ok(Outcome::Fine)
}

/// The failure that states which cannot be read are.
fn unvalued(states: &states::States) -> Failure {
    let message = format!(
        "{} of {} could not be valued",
        states.unknown,
        crate::render::count(states.states.len(), "state")
    );
    Failure::new(Outcome::Wrong, message).at("features")
}

/// The numbers of the features that are asked for, or of all.
fn chosen(args: &Args, compiled: &Compiled) -> Result<Vec<usize>, Failure> {
    if args.only.is_empty() {
        return Ok((0..compiled.features.features().len()).collect());
    }
    let find = |name: &String| feature_named(compiled, name);
    let found = args.only.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// The features of a name, with or without the number of arguments.
fn feature_named(compiled: &Compiled, name: &str) -> Result<Vec<usize>, Failure> {
    let all = compiled.features.features().iter().enumerate();
    let found: Vec<usize> = all
        .filter(|(_, feature)| feature.name == name || feature.column() == name)
        .map(|(number, _)| number)
        .collect();
    if found.is_empty() {
        return Err(Failure::new(Outcome::Usage, format!("there is no feature `{name}`")));
    }
    Ok(found)
}
