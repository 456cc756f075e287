//! `grundy features generate`: features made from the rules of a game.

use super::load::load_theory;
use crate::files::{ReadArgs, write_whole};
use crate::limits::{self, LimitArgs, seconds};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render::count;
use crate::sample::{random_states, read_states};
use anyhow::Result;
use grundy::features::{FeatureError, GenerateConfig, generate};
use grundy_syntax::{Dialect, Notation};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Make features from the rules of a game
///
/// Conditions of goals and legal moves (in a theory, of all views) are taken apart, generalised by dropping some,
/// specialised by roles and constants, replaced by what defines them, regressed over a move, and counted. No two features
/// are the same but for names, and none is the same in all states of sampled play. The same seed gives the same
/// features.
///
/// A game is sampled by playing it at random; for a theory, `--states F` gives states.
#[derive(clap::Args)]
#[command(
    after_help = "Try:  grundy features generate games/reversi.kif --count 127 --out reversi_features.kif\n      \
                        grundy features games/reversi.kif reversi_features.kif --playouts 1"
)]
pub(crate) struct Args {
    /// The game or theory
    game: String,

    /// How many features
    #[arg(long, value_name = "N", default_value_t = GenerateConfig::default().count)]
    count: usize,

    /// The seed of what is tried first, and of sampled play
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// A feature has no more conditions than this
    #[arg(long, value_name = "N", default_value_t = GenerateConfig::default().max_conditions)]
    max_conditions: usize,

    /// States to look at, instead of random play: a file with a line {"facts":["…","…"]} for each
    #[arg(long, value_name = "F")]
    states: Option<String>,

    /// For games: how many random playouts to look at
    #[arg(long, value_name = "N", default_value_t = 2)]
    playouts: u64,

    /// Replace the facts of a predicate by this one, such as 'size(4)'; can be given several times
    #[arg(long, value_name = "FACT")]
    with: Vec<String>,

    /// Write the features here instead of standard output
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,

    /// Limit: how many steps looking at states may take
    #[arg(long, value_name = "N", default_value_t = GenerateConfig::default().max_steps, help_heading = "Limits")]
    max_sample_steps: u64,

    /// Limit: how many seconds looking at states may take; with it, the features depend on the speed of the machine
    #[arg(long, value_name = "S", value_parser = seconds, help_heading = "Limits")]
    sample_time: Option<Duration>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let loaded = load_theory(&args.game, &args.with, &args.read)?;
    let notation = args.read.notation(&args.game);
    let states = match (&args.states, loaded.program.dialect) {
        (Some(path), _) => read_states(path, &args.read)?,
        (None, Dialect::Game) => random_states(&loaded.program, args.playouts, args.seed)?,
        (None, Dialect::Theory) => Vec::new(),
    };
    if states.is_empty() {
        note(
            "note: there are no states to look at (`--states F`), so features that never change are not found",
        );
    }
    let config = GenerateConfig {
        count: args.count,
        seed: args.seed,
        max_conditions: args.max_conditions,
        max_steps: args.max_sample_steps,
        timeout: args.sample_time,
        budget: limits::budget(),
    };
    let found = generate(&loaded.program, notation, &states, &config).map_err(|error| match error {
        FeatureError::Exhausted(reason) => limits::failure(reason),
        error => Failure::new(Outcome::Wrong, error),
    })?;
    let features = found.features;
    let comment = if notation == Notation::Kif { ";" } else { "%" };
    let clause =
        |one: &grundy::features::Generated| format!("{comment} {}\n{}\n", one.origin, one.clause.trim_end());
    let text = features.iter().map(clause).collect::<Vec<_>>().join("\n");
    if let Some(path) = &args.out {
        write_whole(path, &text)?;
    }
    if args.json {
        let list: Vec<_> = features
            .iter()
            .map(|one| json!({"clause": one.clause.trim_end(), "origin": one.origin}))
            .collect();
        let seconds = start.elapsed().as_secs_f64();
        print_json(json!({"features": list, "count": features.len(), "states": states.len(),
                "complete": found.complete, "seconds": seconds}));
    } else if args.out.is_none() {
        print(&text)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let (features, states) = (count(features.len(), "feature"), count(states.len(), "state"));
    note(&format!("{features} from {states} in {seconds:.3} s"));
    if !found.complete {
        note(
            "note: the search for features was cut short (limits `sample-steps`, --max-sample-steps, and \
             `sample-time`, --sample-time)",
        );
    }
    Ok(Outcome::Fine)
}
