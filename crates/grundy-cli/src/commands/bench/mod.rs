//! `grundy bench`: measurements that stand beside published ones.

mod differential;
mod features;
mod grounding;
mod metarules;
mod playouts;
mod process;
mod statistics;

use crate::limits::LimitArgs;
use crate::output::Outcome;
use anyhow::Result;
use clap::Subcommand;

/// Measure, and compare with what is published
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Grounding(grounding::Args),
    Playouts(playouts::Args),
    Features(features::Args),
    Metarules(metarules::Args),
    Differential(differential::Args),
}

impl Args {
    /// The limits on the whole command, where there are any: other benches limit each sheet instead.
    pub(crate) fn limits(&self) -> Option<LimitArgs> {
        match &self.what {
            What::Features(args) => Some(args.limits.clone()),
            What::Playouts(args) => Some(args.limits.clone()),
            What::Differential(_) | What::Grounding(_) | What::Metarules(_) => None,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match &args.what {
        What::Grounding(args) => grounding::run(args),
        What::Playouts(args) => playouts::run(args),
        What::Features(args) => features::run(args),
        What::Metarules(args) => metarules::run(args),
        What::Differential(args) => differential::run(args),
    }
}
