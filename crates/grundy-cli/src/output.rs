//! Standard output, standard error and exit codes.
//!
//! The only place where the project writes to the standard streams. A reader that goes away early
//! (`grundy dump … | head`) ends the program quietly.

use anyhow::Result;
use grundy::reasoner::ReasonError;
use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

/// How a command ended, by exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All is well.
    Fine = 0,
    /// The input is wrong.
    Wrong = 1,
    /// The call is wrong.
    Usage = 2,
    /// A limit was hit.
    Limit = 3,
}

/// A failure that has to end a command, with the exit code that it means.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(outcome: Outcome, message: impl Display) -> Failure {
        Failure { outcome, message: message.to_string() }
    }
}

impl From<ReasonError> for Failure {
    fn from(error: ReasonError) -> Failure {
        let outcome = match error {
            ReasonError::Limit(_) => Outcome::Limit,
            ReasonError::Game(_) | ReasonError::NotATerm(_) => Outcome::Wrong,
        };
        Failure::new(outcome, error)
    }
}

impl Outcome {
    /// Prints why a command failed, and tells its exit code.
    pub(crate) fn of_failure(error: anyhow::Error) -> Outcome {
        if let Some(io) = error.downcast_ref::<io::Error>()
            && io.kind() == ErrorKind::BrokenPipe
        {
            return Outcome::Fine;
        }
        let outcome = error.downcast_ref::<Failure>().map_or(Outcome::Wrong, |failure| failure.outcome);
        let message = format!("{error:#}");
        if !message.is_empty() {
            note(&format!("error: {message}"));
        }
        outcome
    }
}

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes to standard output piece by piece.
pub(crate) fn print_streamed(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> Result<()>,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    write(&mut out)?;
    Ok(out.flush()?)
}

/// Writes one JSON object to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value}\n"))
}

/// Writes a line to standard error. That nobody may be listening there is no failure.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
