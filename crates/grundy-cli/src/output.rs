//! Standard output, standard error and exit codes.
//!
//! The only place where the project writes to the standard streams. A reader that goes away early
//! (`grundy dump … | head`) ends the program quietly.
//!
//! With `--json`, standard output is exactly one object, however the command ends. [`print_json`] therefore only keeps the
//! object; [`finish`] writes it, with a member `error` if the command failed.

use crate::limits;
use anyhow::Result;
use grundy::play::trace::TraceError;
use grundy::reasoner::ReasonError;
use grundy_syntax::Exhausted;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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

/// What is at fault when a command fails, as the JSON error object names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Input,
    Call,
    Limit,
    Interrupted,
    /// A panic: a bug in this program.
    Internal,
}

impl Kind {
    fn of(outcome: Outcome) -> Kind {
        match outcome {
            Outcome::Fine | Outcome::Wrong => Kind::Input,
            Outcome::Usage => Kind::Call,
            Outcome::Limit => Kind::Limit,
        }
    }
}

/// A failure that has to end a command, with the exit code that it means.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    pub(crate) details: Box<Details>,
}

/// What scripts can learn about a failure besides its message. Fields that do not apply are `null` or absent.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Details {
    /// The name of the limit that was hit.
    pub(crate) limit: Option<String>,
    /// The stage of the pipeline that failed.
    pub(crate) stage: Option<&'static str>,
    /// The responsible rule.
    pub(crate) rule: Option<String>,
    /// How many instances that rule had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instances: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// The findings of `grundy check` that make the file unusable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) diagnostics: Vec<Value>,
    #[serde(skip)]
    pub(crate) interrupted: bool,
}

impl Failure {
    pub(crate) fn new(outcome: Outcome, message: impl Display) -> Failure {
        Failure { outcome, message: message.to_string(), details: Box::default() }
    }

    /// A limit was hit.
    pub(crate) fn limit(limit: &str, message: impl Display) -> Failure {
        Failure::new(Outcome::Limit, message)
            .with(Details { limit: Some(limit.to_owned()), ..Details::default() })
    }

    /// The same failure with these details.
    pub(crate) fn with(self, details: Details) -> Failure {
        Failure { details: Box::new(details), ..self }
    }

    /// The same failure, in this stage of the pipeline.
    pub(crate) fn at(mut self, stage: &'static str) -> Failure {
        self.details.stage = Some(stage);
        self
    }

    /// What is at fault.
    fn kind(&self) -> Kind {
        if self.details.interrupted { Kind::Interrupted } else { Kind::of(self.outcome) }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        Failure::new(Outcome::Wrong, error).at("read")
    }
}

impl From<ReasonError> for Failure {
    fn from(error: ReasonError) -> Failure {
        let ReasonError::Limit { limit, message, rule } = error else {
            return Failure::new(Outcome::Wrong, error).at("play");
        };
        let details = Details {
            limit: Some(limit.to_owned()),
            rule: Some(rule).filter(|rule| !rule.is_empty()),
            interrupted: limit == Exhausted::Interrupt.name(),
            ..Details::default()
        };
        Failure::new(Outcome::Limit, message).with(details).at("play")
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
}

/// The object of `--json`, until the command ends.
static ANSWER: Mutex<Option<Value>> = Mutex::new(None);

/// Whether `--json` is among the arguments. Errors in the call need to know before the call is understood.
pub(crate) fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// Whether a thread is ending the command: its own, or the watchdog.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends a command: prints why it failed, and the object of `--json`; returns the exit code.
///
/// Only the first caller returns: the other one of the two threads waits for the process to end.
pub(crate) fn finish(result: Result<Outcome>, as_json: bool) -> Outcome {
    while IS_ENDING.swap(true, Ordering::SeqCst) {
        std::thread::park();
    }
    let typed = |error: anyhow::Error| match error.downcast::<Exhausted>() {
        Ok(reason) => limits::failure(reason).into(),
        Err(error) => error,
    };
    let (outcome, error) = match result.map_err(typed) {
        Ok(outcome) => (outcome, None),
        Err(error) if is_broken_pipe(&error) => return Outcome::Fine,
        Err(error) => {
            let failure = error.downcast_ref::<Failure>();
            let message = format!("{error:#}");
            note(&format!("error: {message}"));
            let kind = failure.map_or(Kind::Input, Failure::kind);
            let details = failure.map(|failure| (*failure.details).clone()).unwrap_or_default();
            let outcome = failure.map_or(Outcome::Wrong, |failure| failure.outcome);
            (outcome, Some(error_object(kind, &message, &details)))
        }
    };
    match write_answer(error, as_json) {
        Err(error) if !is_broken_pipe(&error) => {
            note(&format!("error: {error:#}"));
            outcome.max(Outcome::Wrong)
        }
        _ => outcome,
    }
}

/// Ends a command that was not started, or not finished in good order. Its message was printed already.
pub(crate) fn finish_abruptly(kind: Kind, message: &str, as_json: bool) {
    let _ = write_answer(Some(error_object(kind, message, &Details::default())), as_json);
}

fn error_object(kind: Kind, message: &str, details: &Details) -> Value {
    let mut object = json!({"kind": kind, "message": message});
    let details = json!(details);
    let members = object.as_object_mut().into_iter();
    members.for_each(|members| members.extend(details.as_object().cloned().unwrap_or_default()));
    object
}

/// Writes the one object, if one is wanted.
fn write_answer(error: Option<Value>, as_json: bool) -> Result<()> {
    let mut answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (Some(error), true) = (error, as_json) {
        answer.get_or_insert_with(|| Value::Object(Map::new()))["error"] = error;
    }
    answer.map_or(Ok(()), |answer| print(&format!("{answer}\n")))
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

/// Keeps the one JSON object that is written to standard output when the command ends.
pub(crate) fn print_json(value: Value) {
    let before = ANSWER.lock().unwrap_or_else(PoisonError::into_inner).replace(value);
    debug_assert!(before.is_none(), "a command has one object to print");
}

/// Writes a line to standard error. That nobody may be listening there is no failure.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
