//! One sheet through every engine.
//!
//! The reference plays some random games and writes down all that it knows of each state. Every other engine plays the
//! same moves and has to give the same answers; then it is given each of these states and has to give them again.

mod engines;
mod grounding;
mod transcript;

use grundy::analysis::analyze;
use grundy::reasoner::{ReasonError, Reference};
use grundy::syntax::{Program, Source, read_game};
pub use transcript::Transcript;

/// How much of a game is compared.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// How many random games the reference plays.
    pub playouts: u64,
    /// How many moves each of them has at most.
    pub steps: usize,
    /// The seed of their moves.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config { playouts: 2, steps: 6, seed: 0 }
    }
}

/// What became of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All engines agree; so many states were compared.
    Agree(usize),
    /// The sheet is wrong, or the reference cannot play it: nothing to compare.
    Rejected(String),
    /// An engine disagrees with the reference.
    Differs(Difference),
}

/// Where two engines disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The engine, with its configuration.
    pub engine: String,
    /// What it answered, and what the reference did.
    pub what: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.engine, self.what)
    }
}

/// Compares all engines on a sheet.
pub fn check(sheet: &str, config: &Config) -> Verdict {
    let source = Source::new("random.kif", sheet);
    let mut reading = read_game(&source, &Default::default());
    let unlimited = Default::default();
    if let Err(reason) = analyze(&source, &reading.program, &mut reading.diagnostics, &unlimited) {
        return Verdict::Rejected(reason.to_string());
    }
    if let Some(stop) = reading.diagnostics.iter().find(|diagnostic| diagnostic.code.stops()) {
        return Verdict::Rejected(stop.message.clone());
    }
    match check_program(&reading.program, config) {
        Ok(states) => Verdict::Agree(states),
        Err(Halt::Rejected(why)) => Verdict::Rejected(why),
        Err(Halt::Differs(difference)) => Verdict::Differs(difference),
    }
}

enum Halt {
    Rejected(String),
    Differs(Difference),
}

impl From<Difference> for Halt {
    fn from(difference: Difference) -> Halt {
        Halt::Differs(difference)
    }
}

fn check_program(program: &Program, config: &Config) -> Result<usize, Halt> {
    let rejected = |error: ReasonError| Halt::Rejected(error.to_string());
    let mut reference = reference(program).map_err(rejected)?;
    let transcript = Transcript::play(&mut reference, config).map_err(rejected)?;
    engines::check(program, &transcript)?;
    grounding::check(program, &transcript)?;
    Ok(transcript.len())
}

fn reference(program: &Program) -> Result<Reference, ReasonError> {
    let limits = grundy_reference::Limits { facts: 200_000, ..Default::default() };
    Reference::new(program.clone(), limits)
}
