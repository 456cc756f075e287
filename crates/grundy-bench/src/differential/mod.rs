//! One sheet through every engine.
//!
//! The reference plays some random games and writes down all that it knows of each state. Every other engine plays the
//! same moves and has to give the same answers; then it is given each of these states, in another order, and has to give
//! them again.
//!
//! With a [time limit](Config::time), an engine that hits a limit is left out and named in the result. Without one, a limit
//! is a disagreement: the reference could play the sheet.

mod engines;
mod exact;
mod grounding;
mod hints;
mod records;
mod session;
mod transcript;

use grundy::analysis::analyze;
use grundy::reasoner::{ReasonError, Reference};
use grundy::syntax::{Budget, Code, Program, Source, read_game};
use session::Session;
pub use session::Watch;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
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
    /// How many joint moves of a state are counted by perft.
    pub width: usize,
    /// The time for a sheet. The reference may take a quarter of it, each other engine a quarter of what is left.
    pub time: Option<Duration>,
}

impl Default for Config {
    fn default() -> Config {
        Config { playouts: 2, steps: 6, seed: 0, width: 8, time: None }
    }
}

impl Config {
    /// For sheets that were not made for this, which can be large.
    pub fn for_sheets(time: Duration) -> Config {
        Config { steps: 30, width: 6, time: Some(time), ..Config::default() }
    }
}

/// What became of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All engines agree.
    Agree(Agreement),
    /// The sheet is wrong, or the reference cannot play it: nothing to compare.
    Rejected(String),
    /// An engine disagrees with the reference.
    Differs(Difference),
}

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// How many states the reference played.
    pub states: usize,
    /// In how many ways these states were played again: engines and their configurations.
    pub engines: usize,
    /// Engines that hit a limit, with the limit.
    pub skipped: Vec<String>,
}

/// Where two engines disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The engine, with its configuration.
    pub engine: String,
    /// What it answered, and what the reference did.
    pub what: String,
}

impl Difference {
    /// Whether this may well have the same cause as another one: the same engine, apart from its configuration, and a panic
    /// or none.
    pub fn is_like(&self, other: &Difference) -> bool {
        let kind = |difference: &Difference| {
            let engine = difference.engine.split([',', '(']).next().unwrap_or_default().trim().to_owned();
            (engine, difference.what.starts_with("panic"))
        };
        kind(self) == kind(other)
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.engine, self.what)
    }
}

/// Compares all engines on a sheet.
pub fn check(sheet: &str, config: &Config) -> Verdict {
    check_watched(sheet, config, &Watch::default())
}

/// Compares all engines on a sheet. Another thread can see which engine is at work. An engine that panics disagrees.
pub fn check_watched(sheet: &str, config: &Config, watch: &Watch) -> Verdict {
    let checked = catch_unwind(AssertUnwindSafe(|| check_sheet(sheet, config, watch)));
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Verdict::Differs(Difference { engine: watch.engine(), what: format!("panic: {text}") })
    })
}

fn check_sheet(sheet: &str, config: &Config, watch: &Watch) -> Verdict {
    watch.enter("reading");
    let source = Source::new("random.kif", sheet);
    let mut reading = read_game(&source, &Default::default());
    let unlimited = Default::default();
    if let Err(reason) = analyze(&source, &reading.program, &mut reading.diagnostics, &unlimited) {
        return Verdict::Rejected(reason.to_string());
    }
    if let Some(stop) = reading.diagnostics.iter().find(|diagnostic| diagnostic.code.stops()) {
        return Verdict::Rejected(stop.message.clone());
    }
    let budget = Budget::new(config.time);
    watch.enter("reference");
    let quarter = budget.share(0.25);
    let played = reference(&reading.program, quarter.clone())
        .and_then(|mut reference| Transcript::play(&mut reference, config, &quarter));
    let transcript = match played {
        Ok(transcript) => transcript,
        Err(error) => return Verdict::Rejected(error.to_string()),
    };
    let may_have_cycles = reading.diagnostics.iter().any(|found| found.code == Code::NegationCycle);
    let mut session = Session::new(&reading.program, &transcript, config, watch, budget, may_have_cycles);
    match engines::check(&mut session).and_then(|()| grounding::check(&mut session)) {
        Ok(()) => Verdict::Agree(session.agreement()),
        Err(difference) => Verdict::Differs(difference),
    }
}

fn reference(program: &Program, budget: Budget) -> Result<Reference, ReasonError> {
    let limits = grundy_reference::Limits { facts: 200_000, budget, ..Default::default() };
    Reference::new(program.clone(), limits)
}
