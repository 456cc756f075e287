//! `grundy bench`: arguments, progress and files for the benches of `grundy-bench`.

mod differential;
mod features;
mod grounding;
mod metarules;
mod playouts;

use crate::files::{ReadArgs, load_game, make_folder, read_source, sheets_below, write_whole};
use crate::limits::{self, LimitArgs};
use crate::output::{Failure, Outcome, note};
use crate::{engine, sample};
use anyhow::Result;
use clap::Subcommand;
use grundy_bench::report::File;
use grundy_bench::{BenchError, Host};
use grundy_syntax::{Budget, Program, Source};
use std::path::Path;

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

/// Writes the files of a report into a folder.
fn write_files(folder: &Path, files: &[File]) -> Result<()> {
    make_folder(folder)?;
    files.iter().try_for_each(|file| write_whole(&folder.join(&file.name), &file.text))
}

/// The sheets that a call names: folders stand for the sheets below them, of which there has to be one.
fn sheets_of(paths: &[String]) -> Result<Vec<String>> {
    let mut sheets = Vec::new();
    for path in paths {
        match Path::new(path).is_dir() {
            true => sheets.append(&mut kif_below(Path::new(path))?),
            false => sheets.push(path.clone()),
        }
    }
    if sheets.is_empty() {
        let message = format!("no `.kif` files below `{}`", paths.join("`, `"));
        return Err(Failure::new(Outcome::Wrong, message).at("read").into());
    }
    Ok(sheets)
}

/// The `.kif` files below a folder, in order.
fn kif_below(folder: &Path) -> Result<Vec<String>> {
    let mut sheets = sheets_below(folder)?;
    sheets.retain(|path| path.ends_with(".kif"));
    sheets.sort();
    Ok(sheets)
}

/// The failure that an error of a bench is.
fn failure(error: BenchError) -> anyhow::Error {
    match error {
        BenchError::Exhausted(reason) => limits::failure(reason).into(),
        BenchError::Game(error) => engine::failure(&error).into(),
        BenchError::Meta(error) => sample::failure(error).into(),
        BenchError::Reason(error) => Failure::from(error).into(),
        BenchError::Trace(error) => Failure::from(error).into(),
        BenchError::Features(message) => match limits::budget().check() {
            Err(reason) => limits::failure(reason).into(),
            Ok(()) => Failure::new(Outcome::Wrong, message).into(),
        },
        BenchError::Caller(error) => match error.downcast::<Failure>() {
            Ok(failure) => (*failure).into(),
            Err(error) => anyhow::Error::from_boxed(error),
        },
        error => error.into(),
    }
}

/// An error on its way through a bench and back, with its exit code.
fn through_bench(error: anyhow::Error) -> BenchError {
    match error.downcast::<Failure>() {
        Ok(failure) => BenchError::Caller(Box::new(failure)),
        Err(error) => BenchError::Caller(error.into()),
    }
}

impl Host for ReadArgs {
    fn budget(&self) -> Budget {
        limits::budget()
    }

    fn note(&self, line: &str) {
        note(line);
    }

    fn game(&self, path: &Path) -> Result<Program, BenchError> {
        let loaded = load_game(&path.to_string_lossy(), self).map_err(through_bench)?;
        Ok(loaded.program)
    }

    fn source(&self, path: &Path) -> Result<Source, BenchError> {
        read_source(&path.to_string_lossy(), self).map_err(through_bench)
    }

    fn random_states(
        &self,
        game: &Program,
        playouts: u64,
        seed: u64,
    ) -> Result<Vec<Vec<String>>, BenchError> {
        sample::random_states(game, playouts, seed).map_err(|failure| through_bench(failure.into()))
    }
}
